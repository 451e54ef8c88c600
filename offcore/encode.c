// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a perf_event_attr to the value of a response register, or a refusal
 * that says which rule it breaks.
 */
#include "offcore.h"
#include "common/compat.h"

/**
 * offcore_kind_mask - bits of the register that select something of a kind
 * @kind: OFFCORE_KIND_*, one of them
 *
 * Return: the bits, of this processor.
 */
u64 offcore_kind_mask(unsigned int kind)
{
	const struct offcore_field *f = offcore_model->fields;
	unsigned int i;
	u64 mask = 0;

	for (i = 0; i < offcore_model->nr_fields; i++, f++) {
		if (f->kind == kind)
			mask |= f->rsp;
	}
	return mask;
}

/* config is the register; bits of config1 stand for several of its bits. */
static int offcore_expand(const struct perf_event_attr *attr, u64 *rsp)
{
	const struct offcore_field *f = offcore_model->fields;
	u64 rest = attr->config1;
	unsigned int i;

	*rsp = attr->config;
	for (i = 0; i < offcore_model->nr_fields; i++, f++) {
		if (f->word != 1 || !(attr->config1 & BIT_ULL(f->bit)))
			continue;
		*rsp |= f->rsp;
		rest &= ~BIT_ULL(f->bit);
	}
	if (rest || attr->config2 || snbep_attr_config3(attr))
		return offcore_refuse(-EINVAL,
				      "bits %#llx of config1, and config2 and config3, are no field of %s",
				      rest, offcore_model->name);
	return 0;
}

/* Bits that no field names fault, or mean nothing: Tables 18-26, 18-36 ff. */
static int offcore_check_reserved(u64 rsp)
{
	u64 known = 0, whole = rsp & offcore_model->whole;
	unsigned int i;

	for (i = 0; i < offcore_model->nr_fields; i++)
		known |= offcore_model->fields[i].rsp;
	if (rsp & ~known)
		return offcore_refuse(-EINVAL,
				      "bits %#llx of the response register are reserved on %s",
				      rsp & ~known, offcore_model->name);
	if (whole && whole != offcore_model->whole)
		return offcore_refuse(-EINVAL,
				      "remote is all of the bits %#llx: %#llx has some of them",
				      offcore_model->whole, rsp);
	return 0;
}

/* 18.9.5: "at least one request type bit and a valid response type pattern" */
static int offcore_check_useful(u64 rsp)
{
	u64 request = offcore_kind_mask(OFFCORE_KIND_REQUEST);
	u64 any = offcore_kind_mask(OFFCORE_KIND_ANY);
	u64 response = offcore_kind_mask(OFFCORE_KIND_RESPONSE);
	u64 snoop = offcore_kind_mask(OFFCORE_KIND_SNOOP);

	if (!(rsp & request))
		return offcore_refuse(-EINVAL,
				      "%#llx counts nothing without a request, such as dmnd_data_rd",
				      rsp);
	if (rsp & any)
		return 0;
	if (!(rsp & (response | snoop)))
		return offcore_refuse(-EINVAL,
				      "%#llx counts nothing without a response, such as any_response or local_dram",
				      rsp);
	if (snoop && !(rsp & snoop))
		return offcore_refuse(-EINVAL,
				      "%#llx has a supplier, and counts nothing without the result of a snoop, such as snp_any",
				      rsp);
	if (!(rsp & response))
		return offcore_refuse(-EINVAL,
				      "%#llx has the result of a snoop, and counts nothing without a supplier, such as llc_hit or local",
				      rsp);
	return 0;
}

/**
 * offcore_encode - the register value that an event wants
 * @attr: the event as the user gave it
 * @rsp: where to put the value
 *
 * Return: 0, or -EINVAL after a line in the log that says why.
 */
int offcore_encode(const struct perf_event_attr *attr, u64 *rsp)
{
	int ret;

	ret = offcore_expand(attr, rsp);
	if (!ret)
		ret = offcore_check_reserved(*rsp);
	if (!ret)
		ret = offcore_check_useful(*rsp);
	return ret;
}
