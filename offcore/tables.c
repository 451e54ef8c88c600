// SPDX-License-Identifier: GPL-2.0-only
/* Fields of events/offcore_*.def, and the processor models */
#include <linux/kernel.h>

#include "offcore/model.h"

static const struct offcore_field offcore_fields[] = {
#define FIELD(on, field, what, n, desc)					\
	{ .name = #field, .cpus = on, .kind = OFFCORE_KIND_ ## what,	\
	  .word = 0, .bit = n, .rsp = BIT_ULL(n) },
#define SET(on, field, what, n, bits, desc)				\
	{ .name = #field, .cpus = on, .kind = OFFCORE_KIND_ ## what,	\
	  .word = 1, .bit = n, .rsp = bits },
#define ALIAS(on, event, terms, intel, desc)
#include "events/offcore_nehalem.def"
#include "events/offcore_sandybridge.def"
#undef FIELD
#undef SET
#undef ALIAS
};

const struct offcore_model *offcore_model;

/* Nehalem has one register (18.8.1.3), the others have two (18.8.3, 18.9.5). */
const struct offcore_model offcore_nehalem = {
	.name = "Nehalem", .cpu = OFFCORE_NHM, .nr_regs = 1, .shared = true,
	.resets = true, .probe = 0x0101,
};

const struct offcore_model offcore_westmere = {
	.name = "Westmere", .cpu = OFFCORE_WSM, .nr_regs = 2, .shared = true,
	.resets = true, .probe = 0x0101,
};

const struct offcore_model offcore_westmere_ep = {
	.name = "Westmere-EP", .cpu = OFFCORE_WSM_EP, .nr_regs = 2,
	.shared = true, .resets = true, .probe = 0x0101,
};

const struct offcore_model offcore_westmere_ex = {
	.name = "Westmere-EX", .cpu = OFFCORE_NHM, .nr_regs = 2,
	.shared = true, .resets = true, .probe = 0x0101,
};

const struct offcore_model offcore_sandybridge = {
	.name = "Sandy Bridge", .cpu = OFFCORE_SNB, .nr_regs = 2,
	.probe = 0x10001,
};

const struct offcore_model offcore_sandybridge_ep = {
	.name = "Sandy Bridge-EP", .cpu = OFFCORE_SNB_EP, .nr_regs = 2,
	.probe = 0x10001, .whole = GENMASK_ULL(30, 23),
};

/* Return this processor's field after @f, or its first one if @f is NULL. */
const struct offcore_field *offcore_next_field(const struct offcore_field *f)
{
	for (f = f ? f + 1 : offcore_fields;
	     f < offcore_fields + ARRAY_SIZE(offcore_fields); f++) {
		if (f->cpus & offcore_model->cpu)
			return f;
	}
	return NULL;
}
