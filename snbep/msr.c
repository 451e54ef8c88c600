// SPDX-License-Identifier: GPL-2.0-only
/* Boxes in MSR space: CBo, PCU, UBox (Table 1-2) */
#include "common/compat.h"
#include "snbep/box.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep/types.h"

static u16 snbep_msr_ctr(struct snbep_box *box, unsigned int ctr)
{
	const struct snbep_regs *regs = &box->pmu->type->regs;

	return ctr == SNBEP_FIXED_CTR ? regs->fixed_ctr :
					box->msr_base + regs->ctr + ctr;
}

static u32 snbep_msr_read(u32 addr)
{
	u64 val;

	rdmsrq(addr, val);
	return val;
}

static u32 snbep_msr_ctl(struct snbep_box *box, unsigned int ctr)
{
	const struct snbep_regs *regs = &box->pmu->type->regs;

	return ctr == SNBEP_FIXED_CTR ? regs->fixed_ctl :
					box->msr_base + regs->ctl + ctr;
}

static u32 snbep_msr_filter(struct snbep_box *box, unsigned int reg)
{
	return box->msr_base + box->pmu->type->regs.filter[reg];
}

static u32 snbep_msr_box_ctl(struct snbep_box *box)
{
	return box->msr_base + box->pmu->type->regs.box_ctl;
}

static u32 snbep_msr_read_ctl(struct snbep_box *box, unsigned int ctr)
{
	return snbep_msr_read(snbep_msr_ctl(box, ctr));
}

static void snbep_msr_write_ctl(struct snbep_box *box, unsigned int ctr,
				u32 val)
{
	wrmsrq(snbep_msr_ctl(box, ctr), val);
}

static u32 snbep_msr_read_filter(struct snbep_box *box, unsigned int reg)
{
	return snbep_msr_read(snbep_msr_filter(box, reg));
}

static void snbep_msr_write_filter(struct snbep_box *box, unsigned int reg,
				   u32 val)
{
	wrmsrq(snbep_msr_filter(box, reg), val);
}

static u32 snbep_msr_read_box_ctl(struct snbep_box *box)
{
	return snbep_msr_read(snbep_msr_box_ctl(box));
}

static void snbep_msr_write_box_ctl(struct snbep_box *box, u32 val)
{
	wrmsrq(snbep_msr_box_ctl(box), val);
}

const struct snbep_backend snbep_msr_backend = {
	.ctr = snbep_msr_ctr,
	.read_ctl = snbep_msr_read_ctl,
	.write_ctl = snbep_msr_write_ctl,
	.read_filter = snbep_msr_read_filter,
	.write_filter = snbep_msr_write_filter,
	.read_box_ctl = snbep_msr_read_box_ctl,
	.write_box_ctl = snbep_msr_write_box_ctl,
};

/*
 * Whether control register @ctl keeps @bits, of fields that do nothing as long
 * as .en is 0. It is 0 afterwards, and not what was read before: reserved bits
 * may read as anything, and are to be written as 0.
 */
static bool snbep_msr_keeps(u32 ctl, u64 bits)
{
	u64 val = 0;

	if (wrmsrq_safe(ctl, bits))
		return false;
	return !rdmsrq_safe(ctl, &val) && !wrmsrq_safe(ctl, 0) &&
	       (val & bits) == bits;
}

/*
 * Whether there is a control register at @ctl: a value is seen in it, or one
 * that is written stays. A hypervisor may answer any MSR with 0 and drop what is
 * written, and so may a processor in the place of a box that it lacks: that of a
 * CBo is tried for each. The guide has all eight on every part (section 2.3.1),
 * and no register that says how many there are.
 */
static bool snbep_msr_answers(const struct snbep_box_type *type, u32 ctl,
			      struct snbep_socket *socket)
{
	u64 val;

	if (rdmsrq_safe(ctl, &val))
		return false;
	if (val || (type->instances == 1 && socket->msr_kept))
		return true;
	if (!snbep_msr_keeps(ctl, SNBEP_PMON_CTL_EV_SEL |
			     SNBEP_PMON_CTL_THRESH5))
		return false;
	socket->msr_kept = true;
	return true;
}

static void snbep_msr_probe_type(enum snbep_type_id id,
				 struct snbep_socket *socket)
{
	const struct snbep_box_type *type = &snbep_box_types[id];
	unsigned int i;

	for (i = 0; i < type->instances; i++) {
		u32 ctl = type->regs.ctl + i * type->regs.stride;
		struct snbep_box *box;

		if (!snbep_msr_answers(type, ctl, socket))
			continue;
		box = snbep_box_found(id, i, socket, NULL, NULL);
		if (IS_ERR(box))
			continue;
		/*
		 * Table 2-75 reserves the extended select, although 12 events
		 * of Table 2-81 need it. On some parts the write faults.
		 */
		if (type->ext_unsure && !box->pmu->no_ext &&
		    !snbep_msr_keeps(ctl, SNBEP_PMON_CTL_EV_SEL_EXT)) {
			box->pmu->no_ext = true;
			pr_notice("%s: no extended events: this processor does not keep bit 21 of the control register (%s)\n",
				  box->pmu->name, type->table);
		}
	}
}

/**
 * snbep_msr_probe - find the MSR boxes of a socket
 * @socket: the socket; runs on one of its CPUs
 */
void snbep_msr_probe(struct snbep_socket *socket)
{
	enum snbep_type_id id;

	for (id = 0; id < SNBEP_NR_TYPES; id++) {
		if (snbep_box_types[id].backend == &snbep_msr_backend)
			snbep_msr_probe_type(id, socket);
	}
}
