/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Additions to the mock kernel for itanium_pmu: samples, tasks, interrupted registers, a PCI device
 * with interrupts, and ia64's instructions. Included before each file, after kernel.h.
 */
#ifndef ITANIUM_AROUND_H
#define ITANIUM_AROUND_H

#include <signal.h>

/* Language */
#define atomic64_inc(a)		((void)(a)->v++)

/* Modules; a parameter is known as mock_param_NAME. */
#define module_param(n, type, mode)	int *const mock_param_ ## n = &(n)
extern int *const mock_param_threads;

/* Interrupted registers, and the current task of a CPU */
struct pt_regs {
	u64 ip, cs, flags;
};

#define __KERNEL_CS		0x10
#define __USER_CS		0x33
#define PERF_EFLAGS_EXACT	BIT(3)
#define USER_END		0xa000000000080000ULL	/* with the gate page */
#define KERNEL_IP		0xffffffffc0101010ULL
#define user_mode(regs)		(((regs)->cs & 3) == 3)
/* On ia64 the slot is in its psr. No segment of x86 has these bits. */
#define instruction_pointer(regs)	((regs)->ip + ((regs)->cs >> 2 & 3))
struct ia64_psr {
	u64 cpl:2, ri:2;
};

#define cr_iip			ip
#define ia64_psr(regs)		((struct ia64_psr *)&(regs)->cs)
struct pt_regs *get_irq_regs(void);

#define PF_KTHREAD		0x00200000
struct task_struct {
	int pid;
	unsigned int flags;
	struct pt_regs regs;
};

extern struct task_struct *mock_task[MOCK_CPUS];
#undef current
#define current			(mock_task[mock_cpu])
#define task_pt_regs(task)	(&(task)->regs)

/* Samples */
#define KERNEL_HAS_SAMPLE_FLAGS
#define KERNEL_HAS_LOST_SAMPLES
#define KERNEL_HAS_SAMPLE_SAVE_BRSTACK
#define KERNEL_HAS_SAMPLE_BRSTACK_COUNTERS
#define KERNEL_HAS_SAMPLE_SAVE_RAW
#define KERNEL_HAS_SAMPLE_SAVE_RAW_EVENT
#define PERF_EF_UPDATE		4
#define PERF_SAMPLE_WEIGHT_TYPE	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT)
#define perf_hw_context		0
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

void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period);
void perf_sample_save_brstack(struct perf_sample_data *data, struct perf_event *event,
			      struct perf_branch_stack *brs, u64 *counters);
void perf_sample_save_raw_data(struct perf_sample_data *data, struct perf_event *event,
			       struct perf_raw_record *raw);
#define perfmon_capable()	(capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN))

int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
int perf_event_account_interrupt(struct perf_event *event);
void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
void perf_sample_event_took(u64 ns);
u64 local_clock(void);
void irq_work_run(void);

/* The device */
struct cpumask {
	unsigned long bits;
};

#undef cpumask_first
#define cpumask_first(mask)	mock_first((mask)->bits)
#define num_possible_cpus()	mock_possible
extern unsigned int mock_possible;

#define PCI_IRQ_MSIX		4
#define PCI_IRQ_AFFINITY	8
#define IRQF_NO_THREAD		0x10000
#define IRQF_NO_SUSPEND		0x4000
struct irq_affinity {
	unsigned int pre_vectors, post_vectors;
};

typedef int irqreturn_t;
typedef irqreturn_t (*irq_handler_t)(int irq, void *dev);
#define IRQ_HANDLED		1
struct pci_dev *pci_get_device(unsigned int vendor, unsigned int device, struct pci_dev *from);
int pci_enable_device(struct pci_dev *pdev);
void pci_disable_device(struct pci_dev *pdev);
void *pci_iomap(struct pci_dev *pdev, int bar, unsigned long max);
void pci_iounmap(struct pci_dev *pdev, void *addr);
void pci_set_master(struct pci_dev *pdev);
int pci_alloc_irq_vectors_affinity(struct pci_dev *pdev, unsigned int min,
				   unsigned int max, unsigned int flags,
				   struct irq_affinity *affd);
void pci_free_irq_vectors(struct pci_dev *pdev);
const struct cpumask *pci_irq_get_affinity(struct pci_dev *pdev, int nr);
int pci_irq_vector(struct pci_dev *pdev, unsigned int nr);
int request_irq(unsigned int irq, irqreturn_t (*handler)(int irq, void *dev),
		unsigned long flags, const char *name, void *dev);
void free_irq(unsigned int irq, void *dev);
u64 readq(const void *addr);
void writeq(u64 val, void *addr);

/* ia64 */
#define CONFIG_SMP		1
#define BUILD_BUG_ON(x)		((void)sizeof(char[1 - 2 * !!(x)]))
#define PERF_ATTACH_SCHED_CB	0x20
#define _IA64_REG_CR_PMV	4169
#define IA64_PERFMON_VECTOR	0xee
#define FIXADDR_USER_END	USER_END
struct cpuinfo_ia64 {
	unsigned char threads_per_core;
};

extern struct cpuinfo_ia64 mock_cpuinfo;
#define cpu_data(cpu)		((void)(cpu), &mock_cpuinfo)
/* Registers by the numbers that the device has for them */
u64 ia64_get(unsigned int reg);
void ia64_set(unsigned int reg, u64 v);
unsigned int ia64_reg(unsigned int first, unsigned int n, unsigned int count);
#define ia64_get_pmc(n)		ia64_get(ia64_reg(0, n, 64))
#define ia64_get_pmd(n)		ia64_get(ia64_reg(0x200 / 8, n, 64))
#define ia64_set_pmc(n, v)	ia64_set(ia64_reg(0, n, 64), v)
#define ia64_set_pmd(n, v)	ia64_set(ia64_reg(0x200 / 8, n, 64), v)
#define ia64_set_ibr(n, v)	ia64_set(ia64_reg(0x400 / 8, n, 8), v)
#define ia64_set_dbr(n, v)	ia64_set(ia64_reg(0x440 / 8, n, 8), v)
#define ia64_setreg(reg, v)	ia64_set((reg) == _IA64_REG_CR_PMV ? 0x480 / 8 : 0, v)
void ia64_srlz_d(void);
void ia64_srlz_i(void);
u64 ia64_get_cpuid(unsigned int n);
int ia64_pmi_register(irqreturn_t (*handler)(int irq, void *dev));
void ia64_pmi_unregister(void);
bool ia64_dbregs_get_pmu(struct task_struct *task);
void ia64_dbregs_put_pmu(struct task_struct *task);

#endif
