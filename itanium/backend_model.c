// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend for the emulated x86 machine: a PCI device with a register file and an
 * MSI-X vector per CPU, for tests without ia64. Throttling and ->sched_task need
 * symbols that kernels for x86 do not export, and are tested on ia64 only.
 */
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include <asm/irq_regs.h>
#include <asm/ptrace.h>

#include "pmu.h"

/* BAR 0: one page per processor, eight bytes per register */
#define MODEL_PAGE	0x1000
#define MODEL_PMV	144		/* after the registers of regs.h */
#define   PMV_M		BIT_ULL(16)	/* or the vector: its entry of the MSI-X table */

static struct pci_dev *model_dev;
static void __iomem *model_base;
static unsigned int model_vectors;	/* number of requested vectors */
/* MSI-X vector with affinity to this CPU */
static DEFINE_PER_CPU(unsigned int, model_vector);

static void __iomem *model_reg(unsigned int reg)
{
	return model_base + smp_processor_id() * MODEL_PAGE + 8 * reg;
}

static u64 model_read(unsigned int reg)
{
	return readq(model_reg(reg));
}

static void model_write(unsigned int reg, u64 v)
{
	writeq(v, model_reg(reg));
}

/* Accesses to the device take effect in order. */
static void model_sync(void)
{
}

static void model_irq(bool on)
{
	model_write(MODEL_PMV, on ? this_cpu_read(model_vector) : PMV_M);
}

/* Injected events may be of either thread. */
static bool model_threads(void)
{
	return true;
}

static void model_sample_regs(struct pt_regs *regs, u64 ip)
{
	/* Do not expose kernel registers in user samples. */
	if (itanium_user_addr(ip) && !user_mode(regs)) {
		if (current->flags & PF_KTHREAD)
			memset(regs, 0, sizeof(*regs));
		else
			*regs = *task_pt_regs(current);
	}
	regs->ip = ip;
	regs->cs = itanium_user_addr(ip) ? __USER_CS : __KERNEL_CS;
	regs->flags |= PERF_EFLAGS_EXACT;
}

/* x86 kernels do not export perf_event_overflow(); this has no throttling */
static int model_overflow(struct perf_event *event,
			  struct perf_sample_data *data, struct pt_regs *regs)
{
	event->pending_kill = POLL_IN;
	event->overflow_handler(event, data, regs);
	return 0;
}

static const struct itanium_ops model_ops = {
	.type = -1,
	.read = model_read,
	.write = model_write,
	.sync = model_sync,
	.irq = model_irq,
	.threads = model_threads,
	.sample_regs = model_sample_regs,
	.overflow = model_overflow,
};

static irqreturn_t model_interrupt(int irq, void *dev_id)
{
	itanium_pmu_interrupt(get_irq_regs());
	return IRQ_HANDLED;
}

static void model_free(void)
{
	while (model_vectors)
		free_irq(pci_irq_vector(model_dev, --model_vectors), model_dev);
	pci_free_irq_vectors(model_dev);
	if (model_base)
		pci_iounmap(model_dev, model_base);
	pci_disable_device(model_dev);
	pci_dev_put(model_dev);
}

/* Managed affinity: each vector is shut down with its CPU. */
static int model_request_irqs(void)
{
	struct irq_affinity spread = { 0 };
	unsigned int n = num_possible_cpus(), cpu;
	int err;

	err = pci_alloc_irq_vectors_affinity(model_dev, n, n, PCI_IRQ_MSIX |
					     PCI_IRQ_AFFINITY, &spread);
	for (; err >= 0 && model_vectors < n; model_vectors++) {
		cpu = cpumask_first(pci_irq_get_affinity(model_dev, model_vectors));
		per_cpu(model_vector, cpu) = model_vectors;
		err = request_irq(pci_irq_vector(model_dev, model_vectors),
				  model_interrupt,
				  IRQF_NO_THREAD | IRQF_NO_SUSPEND,
				  ITANIUM_PMU_NAME, model_dev);
		if (err)
			break;
	}
	return err;
}

int __init itanium_backend_init(void)
{
	int err;

	model_dev = pci_get_device(0x1234, 0x4d43, NULL);
	if (!model_dev)
		return -ENODEV;
	err = pci_enable_device(model_dev);
	if (err) {
		pci_dev_put(model_dev);
		return err;
	}
	pci_set_master(model_dev);
	model_base = pci_iomap(model_dev, 0, 0);
	err = model_base ? model_request_irqs() : -ENOMEM;
	if (!err)
		err = itanium_pmu_init(&model_ops);
	if (err)
		model_free();
	return err;
}

void __exit itanium_backend_exit(void)
{
	itanium_pmu_exit();
	model_free();
}
