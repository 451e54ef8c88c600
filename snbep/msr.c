// SPDX-License-Identifier: GPL-2.0-only
/* Detection of the boxes in MSR space: CBo, PCU, UBox (Table 1-2) */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include "common/compat.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

/*
 * Table 2-75 reserves ev_sel_ext, but 12 events of Table 2-81 need it. Return
 * whether it is writable, by a control that is idle, if possible without an event;
 * on some parts the write faults.
 */
static bool snbep_msr_has_ext(const struct snbep_box_type *type)
{
	u32 ctl = type->regs.ctl + type->counters, idle = 0;
	u64 val;

	while (ctl-- > type->regs.ctl) {
		if (rdmsrq_safe(ctl, &val) || (val & SNBEP_PMON_CTL_EN))
			continue;
		if (!idle || !(val & type->table->known[0]))
			idle = ctl;
	}
	/* Reserved bits may read as 1 but must be 0. */
	return idle && !wrmsrq_safe(idle, SNBEP_PMON_CTL_EV_SEL_EXT) &&
	       !rdmsrq_safe(idle, &val) && !wrmsrq_safe(idle, 0) &&
	       (val & SNBEP_PMON_CTL_EV_SEL_EXT);
}

/*
 * Return how many boxes of a type a socket can have: one CBo per core. CPUID leaf
 * 0xb includes cores that the BIOS disabled.
 */
unsigned int snbep_box_instances(enum snbep_type_id id)
{
	unsigned int nr = snbep_box_types[id].instances;
	unsigned int eax, threads, logical, ecx, edx;

	if (id != SNBEP_CBOX)
		return nr;
	cpuid_count(0xb, 0, &eax, &threads, &ecx, &edx);
	cpuid_count(0xb, 1, &eax, &logical, &ecx, &edx);
	return threads && logical ? min(nr, logical / threads) : nr;
}

static void snbep_msr_probe_type(enum snbep_type_id id,
				 struct snbep_socket *socket)
{
	const struct snbep_box_type *type = &snbep_box_types[id];
	unsigned int i, nr = snbep_box_instances(id);
	u64 val;

	for (i = 0; i < nr; i++) {
		struct snbep_box *box;

		if (rdmsrq_safe(type->regs.ctl + i * type->regs.stride, &val))
			continue;
		box = snbep_box_create(id, i, socket, NULL);
		if (IS_ERR(box))
			continue;
		if (type->ext_probe && !box->pmu->no_ext &&
		    !snbep_msr_has_ext(type)) {
			box->pmu->no_ext = true;
			pr_notice("%s: no extended events: bit 21 of the control register is not writable on this processor, or other programs use all counters\n",
				  box->pmu->name);
		}
		snbep_pmu_register(box->pmu);
	}
}

/* Create the MSR boxes of a socket. Called on one of its CPUs. */
void snbep_msr_probe(struct snbep_socket *socket)
{
	enum snbep_type_id id;

	for (id = 0; id < SNBEP_NR_TYPES; id++) {
		if (!snbep_box_types[id].regs.pci)
			snbep_msr_probe_type(id, socket);
	}
}
