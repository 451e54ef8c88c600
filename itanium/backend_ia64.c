// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend for ia64: register access instructions.
 *
 * PMC and PMD writes, such as a freeze before a read, take effect with a data
 * serialization (architecture manual, volume 2, 7.2), so ->sync() is srlz.d. IBR
 * writes need srlz.i (7.1). Linux for ia64 always sets PSR.pp.
 */
#define pr_fmt(fmt) "itanium: " fmt

#include <linux/bitfield.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/smp.h>

#include <asm/hw_irq.h>
#include <asm/intrinsics.h>
#include <asm/irq_regs.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>

#include "pmu.h"

/* CPUID[3]. Montecito and Montvale have the same PMU; Tukwila (model 2) differs. */
#define CPUID3_MODEL		GENMASK(23, 16)
#define CPUID3_FAMILY		GENMASK(31, 24)
#define FAMILY_MONTECITO	0x20
#define MODEL_MONTECITO		0
#define MODEL_MONTVALE		1

#define PMV_MASKED		BIT(16)

static u64 ia64_read(unsigned int reg)
{
	return reg < ITANIUM_PMD(0) ? ia64_get_pmc(reg) : ia64_get_pmd(reg - ITANIUM_PMD(0));
}

static void ia64_write(unsigned int reg, u64 v)
{
	if (reg < ITANIUM_PMD(0)) {
		ia64_set_pmc(reg, v);
	} else if (reg < ITANIUM_IBR(0)) {
		ia64_set_pmd(reg - ITANIUM_PMD(0), v);
	} else if (reg < ITANIUM_DBR(0)) {
		ia64_set_ibr(reg - ITANIUM_IBR(0), v);
		/* IBRs affect instruction fetch. */
		ia64_srlz_i();
	} else {
		ia64_set_dbr(reg - ITANIUM_DBR(0), v);
	}
}

static void ia64_sync(void)
{
	ia64_srlz_d();
}

static void ia64_irq(bool on)
{
	ia64_setreg(_IA64_REG_CR_PMV, on ? IA64_PERFMON_VECTOR : PMV_MASKED);
	ia64_srlz_d();
}

/* From PAL at boot; uniprocessor kernels do not use the second thread. */
static bool ia64_threads(void)
{
#ifdef CONFIG_SMP
	return cpu_data(raw_smp_processor_id())->threads_per_core > 1;
#else
	return false;
#endif
}

/* @ip is a bundle address with the slot in bits 1:0, as in instruction_pointer(). */
static void ia64_sample_regs(struct pt_regs *regs, u64 ip)
{
	regs->cr_iip = ip & ~0xfUL;
	ia64_psr(regs)->ri = ip & 3;
	ia64_psr(regs)->cpl = itanium_user_addr(ip) ? 3 : 0;
}

/* Drop records of the previous task, as x86 does with its LBR. */
static void ia64_sched_task(struct perf_event_context *ctx, bool sched_in)
{
	if (sched_in)
		itanium_capture_rearm(ITANIUM_CAPTURES);
}

static const struct itanium_ops ia64_ops = {
	.type = PERF_TYPE_RAW,
	.read = ia64_read,
	.write = ia64_write,
	.sync = ia64_sync,
	.get_ranges = ia64_dbregs_get_pmu,
	.put_ranges = ia64_dbregs_put_pmu,
	.irq = ia64_irq,
	.threads = ia64_threads,
	.sample_regs = ia64_sample_regs,
	.overflow = perf_event_overflow,
	.account = perf_event_account_interrupt,
	.sched_task = ia64_sched_task,
	.sched_inc = perf_sched_cb_inc,
	.sched_dec = perf_sched_cb_dec,
	.attach = PERF_ATTACH_SCHED_CB,
};

/*
 * get_irq_regs() is NULL in ia64_process_pending_intr() of a CPU that goes offline. Run
 * irq_work, by which perf wakes up readers and sends signals: ia64 has no self-interrupt
 * for it, so it would wait for the tick.
 */
static irqreturn_t ia64_pmi(int irq, void *dev_id)
{
	u64 begun = local_clock();

	itanium_pmu_interrupt(get_irq_regs());
	perf_sample_event_took(local_clock() - begun);
	irq_work_run();
	return IRQ_HANDLED;
}

int __init itanium_backend_init(void)
{
	u64 cpuid = ia64_get_cpuid(3);
	unsigned int family = FIELD_GET(CPUID3_FAMILY, cpuid);
	unsigned int model = FIELD_GET(CPUID3_MODEL, cpuid);
	int err;

	BUILD_BUG_ON(ITANIUM_USER_END < FIXADDR_USER_END);
	if (family != FAMILY_MONTECITO ||
	    (model != MODEL_MONTECITO && model != MODEL_MONTVALE)) {
		pr_info("processor family 0x%x model %u is neither Montecito nor Montvale (0x%x, %u and %u)\n",
			family, model, FAMILY_MONTECITO, MODEL_MONTECITO,
			MODEL_MONTVALE);
		return -ENODEV;
	}
	err = ia64_pmi_register(ia64_pmi);
	if (err) {
		pr_err("the performance monitor interrupt is already in use\n");
		return err;
	}
	err = itanium_pmu_init(&ia64_ops);
	if (err)
		ia64_pmi_unregister();
	return err;
}

void __exit itanium_backend_exit(void)
{
	itanium_pmu_exit();
	ia64_pmi_unregister();
}
