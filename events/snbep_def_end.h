/* SPDX-License-Identifier: GPL-2.0-only */
/* No include guard: the foot of every snbep_*.def, see snbep_events.h */
#undef EVENT
#undef EVENT_PLAIN
#undef UMASK
#undef FIXED
#undef ALIAS
#undef SCALE
#undef UNLISTED
