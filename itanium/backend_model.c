// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's performance monitors in the emulated machine: a PCI device with
 * one register file per processor and as many MSI-X vectors for their overflow
 * interrupts. It lets the whole driver be tested where there is no
 * Itanium. machine/qemu/montecito.c has the other side.
 */
#include <linux/bitfield.h>
#include <linux/cpumask.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include <asm/irq_regs.h>
#include <asm/perf_event.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

#include "pmu.h"

#define MODEL_VENDOR	0x1234
#define MODEL_DEVICE	0x4d43

/* BAR 0: one page per processor */
#define MODEL_PAGE	0x1000
#define   MODEL_PMC(n)	(0x000 + 8 * (n))
#define   MODEL_PMD(n)	(0x200 + 8 * (n))
#define   MODEL_IBR(n)	(0x400 + 8 * (n))
#define   MODEL_DBR(n)	(0x440 + 8 * (n))
#define   MODEL_PMV	0x480
#define     PMV_VECTOR	GENMASK_ULL(7, 0)	/* entry of the MSI-X table */
#define     PMV_M	BIT_ULL(16)

static void __iomem *model_base;	/* NULL: there is no device */
static bool model_leaves;
static bool model_taken;	/* by a device, which may be gone */
/* The vector that interrupts this processor and no other */
static DEFINE_PER_CPU(unsigned int, model_vector);

/* Readers of model_base: its device goes when none of them is left. */
static u64 model_get(size_t offset)
{
	void __iomem *base;
	u64 v = 0;

	rcu_read_lock();
	base = READ_ONCE(model_base);
	if (base)
		v = readq(base + smp_processor_id() * MODEL_PAGE + offset);
	rcu_read_unlock();
	return v;
}

static void model_set(size_t offset, u64 v)
{
	void __iomem *base;

	rcu_read_lock();
	base = READ_ONCE(model_base);
	if (base)
		writeq(v, base + smp_processor_id() * MODEL_PAGE + offset);
	rcu_read_unlock();
}

static u64 model_get_pmc(unsigned int n)
{
	return model_get(MODEL_PMC(n));
}

static void model_set_pmc(unsigned int n, u64 v)
{
	model_set(MODEL_PMC(n), v);
}

static u64 model_get_pmd(unsigned int n)
{
	return model_get(MODEL_PMD(n));
}

static void model_set_pmd(unsigned int n, u64 v)
{
	model_set(MODEL_PMD(n), v);
}

static void model_set_ibr(unsigned int n, u64 v)
{
	model_set(MODEL_IBR(n), v);
}

static void model_set_dbr(unsigned int n, u64 v)
{
	model_set(MODEL_DBR(n), v);
}

/* Accesses to the device are in order and at once. */
static void model_sync(void)
{
}

/* Called by the processor's own thread, which stays there. */
static void model_irq_on(void)
{
	model_set(MODEL_PMV, FIELD_PREP(PMV_VECTOR,
					this_cpu_read(model_vector)));
}

static void model_irq_off(void)
{
	model_set(MODEL_PMV, PMV_M);
}

static bool model_present(void)
{
	return !READ_ONCE(model_leaves);
}

/* Stimuli tell of either thread. */
static bool model_threads(void)
{
	return true;
}

static void model_here_regs(struct pt_regs *regs, unsigned long ip)
{
	perf_fetch_caller_regs(regs);
}

static void model_sample_regs(struct pt_regs *regs, u64 ip)
{
	/* What the kernel has in its registers is no program's business. */
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

static struct itanium_ops model_ops = {
	.type = -1,
	.read_pmc = model_get_pmc,
	.write_pmc = model_set_pmc,
	.read_pmd = model_get_pmd,
	.write_pmd = model_set_pmd,
	.sync = model_sync,
	.set_ibr = model_set_ibr,
	.set_dbr = model_set_dbr,
	.irq_on = model_irq_on,
	.irq_off = model_irq_off,
	.present = model_present,
	.threads = model_threads,
	.sample_regs = model_sample_regs,
	.here_regs = model_here_regs,
};

/*
 * The kernels of the machine are Debian's, which do not export the functions that
 * a PMU hands its samples to; itanium/ia64/patches does that for Itanium. A kprobe
 * that is registered and taken away again tells where one is.
 */
static void *model_find(const char *name)
{
	struct kprobe kp = { .symbol_name = name };

	if (register_kprobe(&kp))
		return NULL;
	unregister_kprobe(&kp);
	return kp.addr;
}

static int model_find_perf(void)
{
	model_ops.overflow = model_find("perf_event_overflow");
	model_ops.account = model_find("perf_event_account_interrupt");
	return model_ops.overflow && model_ops.account ? 0 : -ENOENT;
}

static irqreturn_t model_interrupt(int irq, void *dev_id)
{
	itanium_pmu_interrupt(get_irq_regs());
	return IRQ_HANDLED;
}

static void model_free_irqs(struct pci_dev *pdev, unsigned int n)
{
	while (n--)
		free_irq(pci_irq_vector(pdev, n), pdev);
	pci_free_irq_vectors(pdev);
}

/*
 * Each vector is one processor's, and goes and comes with it: the kernel moves
 * other vectors away from a processor that goes, and back with an interrupt too
 * late. Which processor gets which is the kernel's choice: older ones take them in
 * order, newer ones go by nodes and clusters.
 *
 * Counters overflow while the machine is suspended to idle as well, and Linux
 * warns when it enables a vector again whose processor has never come.
 */
static int model_request_irqs(struct pci_dev *pdev)
{
	unsigned int n = num_possible_cpus();
	struct irq_affinity spread = { 0 };
	const struct cpumask *mask;
	unsigned int vector;
	int err;

	if (n - 1 > FIELD_MAX(PMV_VECTOR))
		return -ENOSPC;
	err = pci_alloc_irq_vectors_affinity(pdev, n, n, PCI_IRQ_MSIX |
					     PCI_IRQ_AFFINITY, &spread);
	if (err < 0)
		return err;
	for (vector = 0; vector < n; vector++) {
		mask = pci_irq_get_affinity(pdev, vector);
		/* n vectors of one processor each, which spread over n */
		if (!mask || cpumask_weight(mask) != 1)
			err = -ENOTUNIQ;
		else
			err = request_irq(pci_irq_vector(pdev, vector),
					  model_interrupt,
					  IRQF_NO_THREAD | IRQF_NO_SUSPEND,
					  ITANIUM_PMU_NAME, pdev);
		if (err) {
			model_free_irqs(pdev, vector);
			return err;
		}
		per_cpu(model_vector, cpumask_first(mask)) = vector;
	}
	return 0;
}

static int model_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	int err;

	if (model_taken)
		return dev_err_probe(&pdev->dev, -EBUSY,
				     "one device, until the module is loaded anew\n");
	err = pcim_enable_device(pdev);
	if (err)
		return err;
	err = pcim_iomap_regions(pdev, BIT(0), ITANIUM_PMU_NAME);
	if (err)
		return err;
	if (pci_resource_len(pdev, 0) < (u64)num_possible_cpus() * MODEL_PAGE)
		return dev_err_probe(&pdev->dev, -ENODEV,
				     "fewer register files than processors\n");
	model_base = pcim_iomap_table(pdev)[0];
	pci_set_master(pdev);

	err = model_find_perf();
	if (err)
		return dev_err_probe(&pdev->dev, err,
				     "this kernel does not show where samples go\n");
	err = model_request_irqs(pdev);
	if (err)
		return dev_err_probe(&pdev->dev, err, "no interrupts\n");

	err = itanium_pmu_init(&model_ops);
	if (err) {
		WRITE_ONCE(model_base, NULL);
		model_free_irqs(pdev, num_possible_cpus());
	}
	model_taken = !err;
	return err;
}

/*
 * perf events hold the module, not the device, so that the PMU stays with the
 * module. Those that are open keep what they have counted, and new ones are
 * refused.
 */
static void model_remove(struct pci_dev *pdev)
{
	WRITE_ONCE(model_leaves, true);
	itanium_pmu_stop_all();
	WRITE_ONCE(model_base, NULL);
	synchronize_rcu();
	model_free_irqs(pdev, num_possible_cpus());
}

static const struct pci_device_id model_ids[] = {
	{ PCI_DEVICE(MODEL_VENDOR, MODEL_DEVICE) },
	{ }
};
MODULE_DEVICE_TABLE(pci, model_ids);

static struct pci_driver model_driver = {
	.name = "itanium_pmu",
	.id_table = model_ids,
	.probe = model_probe,
	.remove = model_remove,
	.driver.suppress_bind_attrs = true,
};

/**
 * itanium_backend_init() - wait for the device, which the PMU is registered on
 *
 * Return: 0, or a negative errno.
 */
int __init itanium_backend_init(void)
{
	return pci_register_driver(&model_driver);
}

/**
 * itanium_backend_exit() - take the PMU away, and give back what it was on
 */
void __exit itanium_backend_exit(void)
{
	pci_unregister_driver(&model_driver);
	if (model_taken)
		itanium_pmu_exit();
}
