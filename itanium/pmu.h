/* SPDX-License-Identifier: GPL-2.0-only */
/* Internal interfaces of the Montecito PMU driver */
#ifndef ITANIUM_PMU_H
#define ITANIUM_PMU_H

#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/types.h>

#include "event.h"

#define ITANIUM_PMU_NAME	"itanium"

/*
 * Counters are preloaded with bit 46 set, which is clear after an overflow.
 * Longer periods take several overflows.
 */
#define ITANIUM_MAX_COUNT	BIT_ULL(PMD_COUNT_WIDTH - 1)

/**
 * struct itanium_ops - operations of a backend
 * @type: PMU type for perf_pmu_register(); PERF_TYPE_RAW for the core PMU
 * @read: read a PMC or PMD, see regs.h
 * @write: write a PMC, PMD, IBR or DBR
 * @sync: wait until all previous writes have taken effect
 * @get_ranges: reserve the breakpoint registers for a task, or with NULL for all
 *	tasks; returns false if a debugger uses them. Optional
 * @put_ranges: release the breakpoint registers. Optional
 * @irq: enable or disable overflow interrupts of this CPU
 * @threads: return whether several threads per core are in use
 * @sample_regs: set @regs for a sample at @ip
 * @overflow: perf_event_overflow()
 * @account: perf_event_account_interrupt(), or NULL
 * @sched_task: callback of struct pmu, or NULL; calls itanium_capture_rearm()
 * @sched_inc: perf_sched_cb_inc(), or NULL
 * @sched_dec: perf_sched_cb_dec(), or NULL
 * @attach: PERF_ATTACH_* flags of events with a capture unit
 *
 * All operations access this CPU's registers, with interrupts disabled.
 */
struct itanium_ops {
	int type;
	u64 (*read)(unsigned int reg);
	void (*write)(unsigned int reg, u64 v);
	void (*sync)(void);
	bool (*get_ranges)(struct task_struct *task);
	void (*put_ranges)(struct task_struct *task);
	void (*irq)(bool on);
	bool (*threads)(void);
	void (*sample_regs)(struct pt_regs *regs, u64 ip);
	int (*overflow)(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
	int (*account)(struct perf_event *event);

	typeof_member(struct pmu, sched_task) sched_task;
	void (*sched_inc)(struct pmu *pmu);
	void (*sched_dec)(struct pmu *pmu);
	int attach;
};

struct itanium_cpu {
	struct perf_event *event[ITANIUM_NR_COUNTERS];	/* scheduled events */
	int n;
	bool ready;	/* registers are initialized */
	bool enabled;	/* between pmu_enable and pmu_disable */
	u32 stale;	/* mask of enum itanium_res: units with old records */
	struct itanium_shared shared;
};

DECLARE_PER_CPU(struct itanium_cpu, itanium_cpus);
extern const struct itanium_ops *itanium_ops;

/* User space has regions 0 to 4, and the gate page at the start of region 5. */
#define ITANIUM_USER_END	0xa000000000080000ULL

static inline bool itanium_user_addr(u64 addr)
{
	return addr < ITANIUM_USER_END;
}

static inline struct itanium_req *itanium_req_of(struct perf_event *event)
{
	return event->pmu_private;
}

/* itanium_pmu.c */
int itanium_pmu_init(const struct itanium_ops *ops);
void itanium_pmu_exit(void);

/* request.c: encoding and checks of an event */
int itanium_request(struct perf_event *event, struct itanium_req *req,
		    const char **why);
void itanium_event_text(const struct perf_event *event, char *text, size_t size);
int itanium_check_group(struct perf_event *event, const struct itanium_req *own,
			const char **why);

/* cpu.c: scheduling and programming of events */
void itanium_cpu_reset(struct itanium_cpu *cpu);
int itanium_pmu_add(struct perf_event *event, int flags);
void itanium_pmu_del(struct perf_event *event, int flags);
void itanium_pmu_start(struct perf_event *event, int flags);
void itanium_pmu_stop(struct perf_event *event, int flags);
void itanium_pmu_read(struct perf_event *event);
void itanium_pmu_enable(struct pmu *pmu);
void itanium_pmu_disable(struct pmu *pmu);
bool itanium_overflowed(struct perf_event *event);
void itanium_event_update(struct perf_event *event);
void itanium_event_stop(struct perf_event *event);
bool itanium_event_set_period(struct perf_event *event);

/* interrupt.c: overflows */
void itanium_pmu_interrupt(struct pt_regs *regs);

/* sysfs.c */
extern const struct attribute_group *itanium_attr_groups[];

/* PMD38, PMD39, trace buffer, data EAR and instruction EAR */
#define ITANIUM_RAW_REGS	(2 + ITANIUM_TRACE_ENTRIES + 3 + 2)

/* Per-CPU buffers for a sample's raw record and branch stack */
struct itanium_capture {
	unsigned int nr_raw;
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
void itanium_capture_rearm(u32 units);

/* backend_*.c: detect the hardware and call itanium_pmu_init() */
int itanium_backend_init(void);
void itanium_backend_exit(void);

#endif /* ITANIUM_PMU_H */
