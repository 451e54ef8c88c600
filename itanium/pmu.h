/* SPDX-License-Identifier: GPL-2.0-only */
/* Montecito's PMU driver: what its files share. */
#ifndef ITANIUM_PMU_H
#define ITANIUM_PMU_H

#include <linux/atomic.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "event.h"
#include "regs.h"
#include "setup.h"

#define ITANIUM_PMU_NAME	"itanium"

/**
 * struct itanium_ops - how the registers of a processor are reached
 * @type: PMU type for perf_pmu_register(): PERF_TYPE_RAW makes it the
 *	processor's own, -1 one of its own
 * @read_pmc: read PMCn of this processor
 * @write_pmc: write PMCn; what it does may be late until @sync
 * @read_pmd: read PMDn
 * @write_pmd: write PMDn; what it does may be late until @sync
 * @sync: let all writes so far take effect
 * @set_ibr: write an instruction breakpoint register
 * @set_dbr: write a data breakpoint register
 * @get_ranges: take the breakpoint registers of all processors for address
 *	ranges, once for each event that has one; false if debuggers have them.
 *	NULL where nobody else uses them
 * @put_ranges: give them back; NULL likewise
 * @irq_on: let this processor take the overflow interrupt
 * @irq_off: no longer let it
 * @sample_regs: make @regs those of a sample at @ip, whatever was interrupted
 * @overflow: perf_event_overflow()
 *
 * All run on the processor meant, all but @irq_on, @irq_off and those for the
 * ranges with interrupts disabled.
 */
struct itanium_ops {
	int type;
	u64 (*read_pmc)(unsigned int n);
	void (*write_pmc)(unsigned int n, u64 v);
	u64 (*read_pmd)(unsigned int n);
	void (*write_pmd)(unsigned int n, u64 v);
	void (*sync)(void);
	void (*set_ibr)(unsigned int n, u64 v);
	void (*set_dbr)(unsigned int n, u64 v);
	bool (*get_ranges)(void);
	void (*put_ranges)(void);
	void (*irq_on)(void);
	void (*irq_off)(void);
	void (*sample_regs)(struct pt_regs *regs, u64 ip);
	int (*overflow)(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
};

/* What a counter overflow without a usable capture adds to */
extern atomic_long_t itanium_dropped;

extern const struct attribute_group *itanium_attr_groups[];
void itanium_sysfs_init(void);

int itanium_pmu_init(const struct itanium_ops *ops);
void itanium_pmu_gone(const struct itanium_ops *nothing);
void itanium_pmu_exit(void);
void itanium_pmu_interrupt(struct pt_regs *regs);

/* PMD38, PMD39 and the trace buffer beside both event address registers */
#define ITANIUM_RAW_REGS	(2 + ITANIUM_TRACE_ENTRIES + 3 + 2)

/* What an event's samples are made of, besides the interrupted instruction */
struct itanium_capture {
	const struct itanium_ops *ops;
	u64 pmd[64];
	u64 have;	/* bit n set: @pmd[n] was read */
	u64 raw[ITANIUM_RAW_REGS];
	struct perf_raw_record raw_record;
	struct {
		struct perf_branch_stack stack;
		struct perf_branch_entry entries[ITANIUM_TRACE_ENTRIES];
	} brs;
};

bool itanium_capture_sample(struct itanium_capture *cap,
			    struct perf_event *event,
			    const struct itanium_req *req,
			    struct perf_sample_data *data,
			    struct pt_regs *regs);
void itanium_capture_rearm(const struct itanium_ops *ops, u32 needs);

/* The backend's: find the hardware, give itanium_pmu_init() the ops. */
int itanium_backend_init(void);
void itanium_backend_exit(void);

#endif /* ITANIUM_PMU_H */
