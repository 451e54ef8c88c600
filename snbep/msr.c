// SPDX-License-Identifier: GPL-2.0-only
/* Boxes in MSR space: CBo, PCU, UBox (Table 1-2) */
#include "common/compat.h"
#include "snbep/box.h"
#include "snbep/msr.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep/sockets.h"

/*
 * Whether control register @ctl keeps @bits, of fields that do nothing while
 * .en is 0. Write 0 afterwards, not what it held: reserved bits read as anything.
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
 * Whether there is a control register at @ctl. A hypervisor may answer any MSR
 * with 0 and drop what is written: one that holds or keeps a value proves it for
 * the socket, so that the others are only read (@kept).
 */
static bool snbep_msr_answers(u32 ctl, bool *kept)
{
	u64 val;

	if (rdmsrq_safe(ctl, &val))
		return false;
	*kept = *kept || val || snbep_msr_keeps(ctl, SNBEP_PMON_CTL_EV_SEL |
						     SNBEP_PMON_CTL_THRESH5);
	return *kept;
}

/* Cores of a package as shipped: CPUID leaf 0xb, also with some switched off */
static unsigned int snbep_cores_per_package(void)
{
	unsigned int eax, threads, logical, ecx, edx;

	cpuid_count(0xb, 0, &eax, &threads, &ecx, &edx);
	cpuid_count(0xb, 1, &eax, &logical, &ecx, &edx);
	return threads ? logical / threads : 0;
}

static void snbep_msr_probe_type(enum snbep_type_id id,
				 struct snbep_socket *socket, bool *kept)
{
	const struct snbep_box_type *type = &snbep_box_types[id];
	unsigned int i, nr = type->instances;

	/* Each core has a CBo. Where there is no core, write no MSR. */
	if (nr > 1)
		nr = min(nr, snbep_cores_per_package() ?: nr);
	for (i = 0; i < nr; i++) {
		u32 ctl = type->regs.ctl + i * type->regs.stride;
		struct snbep_box *box;

		if (!snbep_msr_answers(ctl, kept))
			continue;
		box = snbep_box_found(id, i, socket, NULL, NULL, NULL);
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
		snbep_pmu_register(box->pmu);
	}
}

/* Find the MSR boxes of a socket, on one of its CPUs. */
void snbep_msr_probe(struct snbep_socket *socket)
{
	enum snbep_type_id id;
	bool kept = false;

	for (id = 0; id < SNBEP_NR_TYPES; id++) {
		if (!snbep_box_types[id].regs.pci)
			snbep_msr_probe_type(id, socket, &kept);
	}
}
