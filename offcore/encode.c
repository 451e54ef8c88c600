// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversion of config and config1 to a response register value, with checks
 * against the rules of the SDM.
 */
#include <linux/errno.h>

#include "common/refuse.h"
#include "offcore/model.h"

/* Fields that are set in config and config1 */
struct offcore_selection {
	u64 rsp;		/* register value */
	unsigned int kinds;	/* OFFCORE_KIND_* of the fields */
	u64 known;		/* register bits that have a field */
	u64 of[OFFCORE_KINDS];	/* the ones of each kind */
};

/*
 * config has the layout of the register. A bit of config1 selects several bits
 * of the register.
 */
static int offcore_expand(u64 config, u64 config1, struct offcore_selection *c)
{
	const struct offcore_field *f;
	u64 rest = config1;

	*c = (struct offcore_selection){ .rsp = config };
	for_each_offcore_field(f) {
		c->known |= f->rsp;
		c->of[f->kind] |= f->rsp;
		if (!((f->word ? config1 : config) & BIT_ULL(f->bit)))
			continue;
		c->rsp |= f->rsp;
		c->kinds |= f->kind;
		if (f->word)
			rest &= ~BIT_ULL(f->bit);
	}
	if (rest)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "bits %#llx of config1 are not a field on %s",
			      rest, offcore_model->name);
	return 0;
}

/* Reserved bits fault or have no effect: Tables 18-26 and 18-36 to 18-38. */
static int offcore_check_reserved(const struct offcore_selection *c)
{
	u64 whole = c->rsp & offcore_model->whole;

	if (c->rsp & ~c->known)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "bits %#llx of the response register are reserved on %s",
			      c->rsp & ~c->known, offcore_model->name);
	if (whole && whole != offcore_model->whole)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "remote needs all of the bits %#llx: %#llx has some of them",
			      offcore_model->whole, c->rsp);
	return 0;
}

/* 18.9.5: any_response overrides all other response bits. */
static int offcore_check_any(const struct offcore_selection *c)
{
	if (!(c->kinds & OFFCORE_KIND_ANY) ||
	    (!(c->kinds & OFFCORE_KIND_RESPONSE_SNOOP) &&
	     !(c->rsp & offcore_model->whole)))
		return 0;
	return refuse(OFFCORE_NAME, -EINVAL,
		      "%#llx has another response beside any_response, which includes it",
		      c->rsp);
}

/* Return whether a set of config1, such as local_dram, has both bits. */
static bool offcore_is_covered(u64 config1, u64 supplier, u64 snoop)
{
	const struct offcore_field *f;

	for_each_offcore_field(f) {
		if (f->word == 1 && (config1 & BIT_ULL(f->bit)) &&
		    f->kind == OFFCORE_KIND_RESPONSE_SNOOP &&
		    (f->rsp & supplier) && (f->rsp & snoop))
			return true;
	}
	return false;
}

/*
 * The register counts every combination of its supplier and snoop bits. A set
 * such as local_dram is a supplier with some snoop bits, so an OR of two sets may
 * count combinations that neither has.
 */
static int offcore_check_product(u64 config1, const struct offcore_selection *c)
{
	u64 suppliers = c->rsp & c->of[OFFCORE_KIND_RESPONSE];
	u64 snoops = c->rsp & c->of[OFFCORE_KIND_SNOOP];
	u64 s, n;

	if (!offcore_is_covered(config1, suppliers, snoops))
		return 0;
	for (s = suppliers; s; s &= s - 1) {
		for (n = snoops; n; n &= n - 1) {
			if (!offcore_is_covered(config1, s & -s, n & -n))
				return refuse(OFFCORE_NAME, -EINVAL,
					      "%#llx also counts supplier %#llx with snoop %#llx, which none of its responses has: use several events",
					      c->rsp, s & -s, n & -n);
		}
	}
	return 0;
}

/* 18.9.5: "at least one request type bit and a valid response type pattern" */
static int offcore_check_useful(struct offcore_selection *c)
{
	u64 response = c->rsp & c->of[OFFCORE_KIND_RESPONSE];
	u64 snoop = c->rsp & c->of[OFFCORE_KIND_SNOOP];

	if (!(c->rsp & c->of[OFFCORE_KIND_REQUEST]))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "%#llx counts nothing without a request, such as dmnd_data_rd",
			      c->rsp);
	if (c->rsp & c->of[OFFCORE_KIND_ANY])
		return 0;
	if (!response && !snoop)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "%#llx counts nothing without a response, such as any_response or local_dram",
			      c->rsp);
	if (!response)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "%#llx has the result of a snoop, and counts nothing without a supplier, such as llc_hit or local",
			      c->rsp);
	/* A supplier without snoop bits is treated as having all of them. */
	if (!snoop)
		c->rsp |= c->of[OFFCORE_KIND_SNOOP];
	return 0;
}

/* Set @rsp to the register value; logs refusals and returns -EINVAL. */
int offcore_encode(u64 config, u64 config1, u64 *rsp)
{
	struct offcore_selection c;
	int ret;

	ret = offcore_expand(config, config1, &c) ?:
	      offcore_check_reserved(&c) ?:
	      offcore_check_any(&c) ?:
	      offcore_check_product(config1, &c) ?:
	      offcore_check_useful(&c);
	*rsp = c.rsp;
	return ret;
}
