/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the driver for ia64 needs of the kernel, for a program of the host: just
 * so much of perf's structures, and the processor's registers as functions of
 * order.c, which sees every access in its order.
 */
#ifndef SHIM_IA64_MOCK_H
#define SHIM_IA64_MOCK_H

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include_next <linux/perf_event.h>

/* The processor */
u64 ia64_get_pmc(unsigned int n);
u64 ia64_get_pmd(unsigned int n);
void ia64_set_pmc(unsigned int n, u64 v);
void ia64_set_pmd(unsigned int n, u64 v);
void ia64_set_ibr(unsigned int n, u64 v);
void ia64_set_dbr(unsigned int n, u64 v);
void ia64_srlz_d(void);
void ia64_srlz_i(void);
void ia64_ssm(u64 mask);
void ia64_rsm(u64 mask);
void ia64_setreg(int reg, u64 v);
u64 ia64_get_cpuid(unsigned int n);
#define _IA64_REG_CR_PMV	4169
#define IA64_PERFMON_VECTOR	0xee

#define REGION_NUMBER(a)	((u64)(a) >> 61)
#define FIXADDR_USER_START	0xa000000000000000ULL
#define FIXADDR_USER_END	(FIXADDR_USER_START + 0x80000)

struct ia64_psr {
	u64 ri:2, cpl:2;
};

struct pt_regs {
	u64 cr_ipsr, cr_iip;
};

#define ia64_psr(regs)		((struct ia64_psr *)&(regs)->cr_ipsr)
#define user_mode(regs)		(ia64_psr(regs)->cpl != 0)
#define instruction_pointer(regs)	((regs)->cr_iip + ia64_psr(regs)->ri)

/* No event of order.c has periods that are drawn. */
struct rnd_state {
	u32 s;
};

static inline void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	state->s = seed;
}

static inline u32 prandom_u32_state(struct rnd_state *state)
{
	return state->s;
}

static inline u64 get_random_u64(void)
{
	return 1;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (unsigned __int128)a * mul >> shift;
}

typedef int irqreturn_t;
#define IRQ_HANDLED		1
struct pt_regs *get_irq_regs(void);
int ia64_pmi_register(irqreturn_t (*handler)(int irq, void *dev_id));
void ia64_pmi_unregister(void);
struct task_struct;
bool ia64_dbregs_get_pmu(struct task_struct *task);
void ia64_dbregs_put_pmu(struct task_struct *task);

struct cpuinfo_ia64 {
	unsigned char threads_per_core;
};

extern struct cpuinfo_ia64 cpu_info;
#define cpu_data(cpu)		((void)(cpu), &cpu_info)
#define raw_smp_processor_id()	0
#define CONFIG_SMP		1

/* The kernel around it */
#define __init
#define __exit
#define __percpu
#define READ_ONCE(x)		(x)
#define WRITE_ONCE(x, v)	((x) = (v))
#define WARN_ON_ONCE(x)		mock_warn(x)
#define BUILD_BUG_ON(x)		_Static_assert(!(x), #x)
#define pr_info(...)		printf("# " __VA_ARGS__)
#define pr_warn(...)		printf("# " __VA_ARGS__)
#define pr_err(...)		printf("# " __VA_ARGS__)
#define min_t(type, a, b)	((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define DECLARE_PER_CPU(type, name)	extern type name
#define DEFINE_PER_CPU(type, name)	type name
#define this_cpu_ptr(p)		(p)
#define raw_cpu_ptr(p)		(p)
#define PF_KTHREAD		0x00200000

bool mock_warn(bool x);

struct task_struct {
	int pid;
	unsigned int flags;
	struct pt_regs regs;
};

extern struct task_struct *current;
#define task_pt_regs(t)		(&(t)->regs)

typedef struct { long v; } atomic_long_t;
typedef struct { int v; } atomic_t;
#define ATOMIC_INIT(x)		{ x }
#define atomic_long_inc(a)	((a)->v++)
#define atomic64_inc(a)		((a)->v++)
#define atomic_xchg(a, x)	((a)->v = (x))

/* What Kbuild finds in Linux 6.1 */
#define KERNEL_HAS_SAMPLE_FLAGS
#define KERNEL_HAS_LOST_SAMPLES
#define PERF_PMU_CAP_HETEROGENEOUS_CPUS	0x40
#define THIS_MODULE		NULL
#define __module_get(m)		((void)(m))

typedef struct { s64 v; } local64_t;
#define local64_read(l)		((l)->v)
#define local64_set(l, x)	((l)->v = (x))
#define local64_add(x, l)	((l)->v += (x))
#define local64_sub(x, l)	((l)->v -= (x))

static inline s64 local64_cmpxchg(local64_t *l, s64 old, s64 new)
{
	s64 was = l->v;

	if (was == old)
		l->v = new;
	return was;
}

/* perf */
#define PERF_HES_STOPPED	1
#define PERF_HES_UPTODATE	2
#define PERF_EF_START		1
#define PERF_EF_UPDATE		4
#define PERF_ATTACH_TASK	4
#define PERF_ATTACH_SCHED_CB	0x20

struct attribute_group;
struct perf_event_context;
#define typeof_member(type, member)	typeof(((type *)0)->member)
struct pmu {
	void (*sched_task)(struct perf_event_context *ctx, bool sched_in);
};

void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);

struct hw_perf_event {
	int idx, state;
	u64 sample_period, last_period, interrupts;
	local64_t prev_count, period_left;
};

struct perf_event {
	struct perf_event_attr attr;
	struct hw_perf_event hw;
	struct perf_event *parent;
	struct pmu *pmu;
	unsigned int attach_state;
	local64_t count;
	atomic_long_t lost_samples;
	void *pmu_private;
};

struct perf_branch_stack {
	u64 nr, hw_idx;
	struct perf_branch_entry entries[];
};

struct perf_raw_record {
	struct {
		void *data;
		u32 size;
	} frag;
};

struct perf_sample_data {
	u64 sample_flags, addr, period;
	union {
		u64 full;
	} weight;
	union perf_mem_data_src data_src;
	struct perf_branch_stack *br_stack;
	struct perf_raw_record *raw;
};

#define PERF_SAMPLE_WEIGHT_TYPE	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)
#define has_branch_stack(event)	\
	((event)->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
#define is_sampling_event(event)	((event)->attr.sample_period != 0)
#define perf_sample_data_init(data, a, p)	\
	(*(data) = (struct perf_sample_data){ .addr = (a), .period = (p) })
#define perf_event_update_userpage(event)	((void)(event))

int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
int perf_event_account_interrupt(struct perf_event *event);
void irq_work_run(void);

#endif /* SHIM_IA64_MOCK_H */
