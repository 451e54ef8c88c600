/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard: defines the .def macros as initializers of struct row */
#define EVENT(n, s, c, m, t, d) \
	{ .kind = ROW_EVENT, .event = #n, .sel = s, .counters = c, \
	  .max_inc = m, .takes = t, .desc = d },
#define EVENT_PLAIN(n, s, c, m, t, f, d) \
	{ .kind = ROW_PLAIN, .event = #n, .sel = s, .counters = c, \
	  .max_inc = m, .takes = t, .needs = f, .desc = d },
#define UMASK(e, n, u, f, d) \
	{ .kind = ROW_UMASK, .event = #e, .umask_name = #n, .umask = u, \
	  .needs = f, .desc = d },
#define FIXED(n, s, d) \
	{ .kind = ROW_FIXED, .event = #n, .sel = s, .desc = d },
#define ALIAS(n, e, d) \
	{ .kind = ROW_ALIAS, .event = #n, .encoding = e, .desc = d },
#define SCALE(a, s, u) \
	{ .kind = ROW_SCALE, .event = #a, .scale = s, .unit = u },
