// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the words of an event to the value of a response register, or a refusal
 * that says which rule the event breaks.
 */
#include <linux/errno.h>

#include "common/refuse.h"
#include "encode.h"
#include "model.h"

/* Bits of the register that select something of a kind */
static u64 offcore_kind_mask(unsigned int kind)
{
	const struct offcore_field *f;
	u64 mask = 0;

	for_each_offcore_field(f) {
		if (f->kind == kind)
			mask |= f->rsp;
	}
	return mask;
}

/* config is the register; each bit of config1 stands for several of its bits. */
static int offcore_expand(u64 config, u64 config1, u64 *rsp)
{
	const struct offcore_field *f;
	u64 rest = config1;

	*rsp = config;
	for_each_offcore_field(f) {
		if (f->word != 1 || !(config1 & BIT_ULL(f->bit)))
			continue;
		*rsp |= f->rsp;
		rest &= ~BIT_ULL(f->bit);
	}
	if (rest)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "bits %#llx of config1 are no field of %s",
			      rest, offcore_model->name);
	return 0;
}

/* Bits without a name fault, or mean nothing: Tables 18-26 and 18-36 to 18-38. */
static int offcore_check_reserved(u64 rsp)
{
	u64 known = 0, whole = rsp & offcore_model->whole;
	const struct offcore_field *f;

	for_each_offcore_field(f)
		known |= f->rsp;
	if (rsp & ~known)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "bits %#llx of the response register are reserved on %s",
			      rsp & ~known, offcore_model->name);
	if (whole && whole != offcore_model->whole)
		return refuse(OFFCORE_NAME, -EINVAL,
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
		return refuse(OFFCORE_NAME, -EINVAL,
			      "%#llx counts nothing without a request, such as dmnd_data_rd",
			      rsp);
	if (rsp & any)
		return 0;
	if (!(rsp & (response | snoop)))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "%#llx counts nothing without a response, such as any_response or local_dram",
			      rsp);
	if (snoop && !(rsp & snoop))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "%#llx has a supplier, and counts nothing without the result of a snoop, such as snp_any",
			      rsp);
	if (!(rsp & response))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "%#llx has the result of a snoop, and counts nothing without a supplier, such as llc_hit or local",
			      rsp);
	return 0;
}

/**
 * offcore_encode - the register value that an event wants
 * @config: the first word of the event: bits of the register
 * @config1: the second: names that stand for several bits
 * @rsp: where to put the value
 *
 * Return: 0, or -EINVAL after a line in the log that says why.
 */
int offcore_encode(u64 config, u64 config1, u64 *rsp)
{
	int ret;

	ret = offcore_expand(config, config1, rsp);
	if (!ret)
		ret = offcore_check_reserved(*rsp);
	if (!ret)
		ret = offcore_check_useful(*rsp);
	return ret;
}
