/* SPDX-License-Identifier: GPL-2.0-only */
/* Montecito's PMU driver: what its files share. */
#ifndef ITANIUM_PMU_H
#define ITANIUM_PMU_H

#include <linux/atomic.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/prandom.h>
#include <linux/types.h>

#include "event.h"
#include "regs.h"
#include "setup.h"

#define ITANIUM_PMU_NAME	"itanium"

/*
 * What a counter is preloaded with has to tell by bit 46 whether it wrapped. A
 * longer period takes more than one overflow.
 */
#define ITANIUM_MAX_COUNT	BIT_ULL(PMD_COUNT_WIDTH - 1)

/**
 * struct itanium_ops - how the registers of a processor are reached
 * @type: for perf_pmu_register(): PERF_TYPE_RAW makes it the processor's own PMU
 * @read_pmc: PMC n
 * @write_pmc: likewise
 * @read_pmd: PMD n
 * @write_pmd: likewise
 * @sync: let all writes so far take effect, which may be late until then
 * @set_ibr: IBR n
 * @set_dbr: DBR n
 * @get_ranges: take the breakpoint registers for an event of a task, or of a
 *	processor (NULL); false if a debugger has them. NULL where nobody else
 *	uses them
 * @put_ranges: give them back; NULL like @get_ranges
 * @irq_on: let this processor's overflows interrupt
 * @irq_off: and no more
 * @threads: whether the cores have more than one thread in use
 * @sample_regs: make @regs those of a sample at @ip, whatever was interrupted
 * @overflow: perf_event_overflow()
 * @account: perf_event_account_interrupt(), or NULL
 * @sched_task: perf's callback, or NULL; it calls itanium_capture_rearm()
 * @sched_inc: perf_sched_cb_inc(), or NULL
 * @sched_dec: perf_sched_cb_dec(), or NULL
 * @attach: PERF_ATTACH_* of an event that captures
 *
 * Registers are those of this processor, and are accessed with interrupts disabled.
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
	bool (*get_ranges)(struct task_struct *task);
	void (*put_ranges)(struct task_struct *task);
	void (*irq_on)(void);
	void (*irq_off)(void);
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
	struct perf_event *event[ITANIUM_NR_COUNTERS];	/* scheduled, in no order */
	int n;
	bool ready;	/* the registers have defined values */
	bool enabled;	/* not frozen by perf */
	u32 stale;	/* bit n: enum itanium_res n has records of who ran before */
	struct itanium_setup setup;
	struct rnd_state chance;	/* for periods with jitter */
};

DECLARE_PER_CPU(struct itanium_cpu, itanium_cpus);
extern const struct itanium_ops *itanium_ops;

/* What a counter overflow without a usable capture adds to */
extern atomic_long_t itanium_dropped;

/* Regions 0 to 4 are a program's, and the gate page in the kernel's first one. */
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

/* request.c: what an event asks for */
int itanium_request(struct perf_event *event, struct itanium_req *req,
		    const char **why);
int itanium_check_group(struct perf_event *event, const struct itanium_req *own,
			const char **why);

/* cpu.c: the events of a processor and their registers */
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
void itanium_count_dropped(struct perf_event *event);

/* sysfs.c */
extern const struct attribute_group *itanium_attr_groups[];
void itanium_sysfs_init(void);

/* PMD38, PMD39 and the trace buffer beside both event address registers */
#define ITANIUM_RAW_REGS	(2 + ITANIUM_TRACE_ENTRIES + 3 + 2)

/* What an event's samples are made of, besides the interrupted instruction */
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

/* backend_*.c: find the hardware, give itanium_pmu_init() the ops. */
int itanium_backend_init(void);
void itanium_backend_exit(void);

#endif /* ITANIUM_PMU_H */
