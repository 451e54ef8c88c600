// SPDX-License-Identifier: GPL-2.0-only
/* debugfs: values of the response registers, and counters that use them */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include <asm/perf_event.h>

#include "common/compat.h"
#include "offcore/debugfs.h"
#include "offcore/direct.h"
#include "offcore/model.h"

static struct dentry *offcore_debugfs;

static void offcore_show_names(struct seq_file *m, u64 rsp)
{
	const struct offcore_field *f;
	char sep = ' ';

	for_each_offcore_field(f) {
		if (f->word || !(rsp & f->rsp))
			continue;
		seq_printf(m, "%c%s", sep, f->name);
		sep = ',';
	}
	if (rsp & offcore_model->whole)
		seq_printf(m, "%cremote", sep);
}

static void offcore_show_register(struct seq_file *m, unsigned int cpu,
				  unsigned int reg)
{
	bool used = false;
	unsigned int i;
	u64 rsp, sel;

	if (rdmsrq_safe_on_cpu(cpu, MSR_OFFCORE_RSP_0 + reg, &rsp)) {
		seq_printf(m, "cpu %u OFFCORE_RSP_%u is not accessible\n", cpu,
			   reg);
		return;
	}
	seq_printf(m, "cpu %u OFFCORE_RSP_%u=%#llx", cpu, reg, rsp);
	offcore_show_names(m, rsp);
	for (i = 0; i < offcore_nr_ctrs; i++) {
		if (rdmsrq_safe_on_cpu(cpu, MSR_ARCH_PERFMON_EVENTSEL0 + i,
				       &sel))
			continue;
		if (!(sel & ARCH_PERFMON_EVENTSEL_ENABLE) ||
		    (sel & (ARCH_PERFMON_EVENTSEL_EVENT |
			    ARCH_PERFMON_EVENTSEL_UMASK)) != OFFCORE_CONFIG(reg))
			continue;
		seq_printf(m, "%s %u", used ? "" : " counters", i);
		used = true;
	}
	if (!used)
		seq_puts(m, " free");
	seq_putc(m, '\n');
}

/* Reads the hardware, to include events of the core PMU. */
static int registers_show(struct seq_file *m, void *data)
{
	unsigned int cpu, reg;

	seq_printf(m, "%s: %s counters, %u of each CPU; registers %s\n",
		   offcore_model->name, offcore_direct ? "the driver's" : "the kernel's",
		   offcore_nr_ctrs, offcore_model->shared ?
		   "shared by the threads of a core" : "of each thread");
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		for (reg = 0; reg < offcore_model->nr_regs; reg++)
			offcore_show_register(m, cpu, reg);
	}
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

void offcore_debugfs_init(void)
{
	offcore_debugfs = debugfs_create_dir("offcore_rsp", NULL);
	debugfs_create_file("registers", 0400, offcore_debugfs, NULL,
			    &registers_fops);
}

void offcore_debugfs_exit(void)
{
	debugfs_remove_recursive(offcore_debugfs);
}
