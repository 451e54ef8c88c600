// SPDX-License-Identifier: GPL-2.0-only
/* Detection of the boxes in MSR space: CBo, PCU, UBox (Table 1-2) */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include "common/compat.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

/*
 * Return whether @bits of control register @ctl are writable; .en stays 0.
 * Restore 0, not the old value: reserved bits may read as 1 but must be 0.
 */
static bool snbep_msr_bits_stick(u32 ctl, u64 bits)
{
	u64 val = 0;

	if (wrmsrq_safe(ctl, bits))
		return false;
	return !rdmsrq_safe(ctl, &val) && !wrmsrq_safe(ctl, 0) &&
	       (val & bits) == bits;
}

/*
 * Return whether the box with the controls from @ctl on exists. Hypervisors may
 * ignore writes: write to idle controls of a socket until one, without an event
 * if possible, holds a value; @writable is set from then on.
 */
static bool snbep_msr_exists(const struct snbep_box_type *type, u32 ctl,
			     bool *writable)
{
	u32 spare = 0, end = ctl + type->counters;
	u64 val;

	for (; ctl < end; ctl++) {
		if (rdmsrq_safe(ctl, &val))
			return false;
		if (*writable)
			return true;
		if (val & SNBEP_PMON_CTL_EN)
			continue;
		spare = ctl;
		if (!(val & type->table->known[0]))
			break;
	}
	/* If other programs use all of them, the next box tells. */
	if (!spare)
		return true;
	*writable = snbep_msr_bits_stick(spare, SNBEP_PMON_CTL_EV_SEL |
						SNBEP_PMON_CTL_THRESH5);
	return *writable;
}

/* CPUID leaf 0xb includes cores that the BIOS disabled. */
static unsigned int snbep_cores_per_package(void)
{
	unsigned int eax, threads, logical, ecx, edx;

	cpuid_count(0xb, 0, &eax, &threads, &ecx, &edx);
	cpuid_count(0xb, 1, &eax, &logical, &ecx, &edx);
	return threads ? logical / threads : 0;
}

static void snbep_msr_probe_type(enum snbep_type_id id,
				 struct snbep_socket *socket, bool *writable)
{
	const struct snbep_box_type *type = &snbep_box_types[id];
	unsigned int i, nr = type->instances;

	/* One CBo per core: do not write MSRs of CBos that cannot exist. */
	nr = min(nr, snbep_cores_per_package() ?: nr);
	for (i = 0; i < nr; i++) {
		u32 ctl = type->regs.ctl + i * type->regs.stride;
		struct snbep_box *box;

		if (!snbep_msr_exists(type, ctl, writable))
			continue;
		box = snbep_box_create(id, i, socket, NULL, NULL, NULL);
		if (IS_ERR(box))
			continue;
		/*
		 * Table 2-75 reserves ev_sel_ext, but 12 events of Table 2-81
		 * need it. On some parts the write faults.
		 */
		if (type->ext_probe && !box->pmu->no_ext &&
		    !snbep_msr_bits_stick(ctl, SNBEP_PMON_CTL_EV_SEL_EXT)) {
			box->pmu->no_ext = true;
			pr_notice("%s: no extended events: bit 21 of the control register is not writable on this processor\n",
				  box->pmu->name);
		}
		snbep_pmu_register(box->pmu);
	}
}

/* Create the MSR boxes of a socket. Called on one of its CPUs. */
void snbep_msr_probe(struct snbep_socket *socket)
{
	enum snbep_type_id id;
	bool writable = false;

	for (id = 0; id < SNBEP_NR_TYPES; id++) {
		if (!snbep_box_types[id].regs.pci)
			snbep_msr_probe_type(id, socket, &writable);
	}
}
