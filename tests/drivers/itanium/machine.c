// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine of itanium_pmu in host-side unit tests: monitors of Montecito (machine/montecito)
 * that count an amount with each tick, which depends on every bit of a counter's control. What the
 * protocol checker finds is a fault, and so is what the driver has no reason for.
 */
#include <stdarg.h>

#include "mock-kernel/testing.h"
#include "machine.h"

#define PAGE		0x1000

struct hw_cpu hw[MOCK_CPUS];
bool on_ia64, level;
struct machine machine;
struct machine_hooks machine_hooks;
struct cpuinfo_ia64 mock_cpuinfo;

static char bar[MOCK_CPUS * PAGE];
static struct pci_dev device;
static irq_handler_t pmi;	/* ia64's */

/* Set the registers as reset leaves them, 3.3.12; the driver does not rely on PAL. */
void machine_cpu_reset(unsigned int cpu)
{
	struct hw_cpu *c = &hw[cpu];
	unsigned int i;

	*c = (struct hw_cpu){ .pmv = BIT(16) };
	mont_reset(&c->mont, noise());
	c->mont.level = machine.level;
	c->mont.ibr = c->ibr;
	c->mont.dbr = c->dbr;
	for (i = 0; i < 8; i++) {
		c->ibr[i] = noise();
		c->dbr[i] = noise();
	}
	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++)
		c->mont.pmc[i] &= ~PLM;
	for (i = PMC_OPCODE0; i < MONT_PMCS; i++)
		c->mont.pmc[i] = noise();
}

void machine_reset(void)
{
	unsigned int i;

	machine = (struct machine){ .cpuid = 0x20 << 24, .level = level };
	mock_cpuinfo.threads_per_core = 2;
	memset(&machine_hooks, 0, sizeof(machine_hooks));
	mock_possible = MOCK_CPUS;
	for (i = 0; i < MOCK_CPUS; i++) {
		machine_cpu_reset(i);
		/* The kernel chooses a CPU for each vector. */
		machine.affinity[i].bits = BIT((3 * i + 2) % MOCK_CPUS);
	}
}

void machine_check_left(void)
{
	unsigned int i;

	if (machine.vectors || machine.mapped || machine.enabled || machine.held)
		fault("the device is not given back");
	for (i = 0; i < MOCK_CPUS; i++) {
		if (machine.handler[i])
			fault("interrupt %u has a handler still", i);
	}
	if (pmi)
		fault("the interrupt has a handler still");
	if (machine.ranges)
		fault("%u events have breakpoint registers still", machine.ranges);
}

static struct hw_cpu *cpu_of(struct mont *m)
{
	return container_of(m, struct hw_cpu, mont);
}

void mont_found(struct mont *m, const char *rule, ...)
{
	char text[160];
	va_list ap;

	va_start(ap, rule);
	vsnprintf(text, sizeof(text), rule, ap);
	va_end(ap);
	fault("the protocol checker, CPU %u: %s", (unsigned int)(cpu_of(m) - hw), text);
}

static void request_interrupt(struct hw_cpu *c)
{
	if (!(c->pmv & BIT(16)) && (machine.master || on_ia64))
		c->interrupt = true;
}

void mont_withdraw(struct mont *m)
{
	cpu_of(m)->interrupt = false;
}

void mont_overflow(struct mont *m, bool froze)
{
	struct hw_cpu *c = cpu_of(m);

	if (froze && machine_hooks.capture)
		machine_hooks.capture(c - hw);
	request_interrupt(c);
}

/* Counting */
u64 machine_rate(u64 pmc)
{
	u64 mix = pmc & 0x7f7fff5f;

	/* Table 3-5: no privilege level, or no privileged monitor of this mode */
	if (!(pmc & PLM) || !(pmc & MONT_PM))
		return 0;
	return 1 + (mix * 0x9e3779b97f4a7c15ULL >> 60);
}

unsigned int machine_tick(unsigned int cpu, unsigned int ticks)
{
	struct mont *m = &hw[cpu].mont;
	unsigned int done, n;

	machine_serialized(cpu, "at the end");
	for (done = 0; done < ticks && !mont_frozen(m); done++)
		for (n = FIRST_COUNTER; n <= LAST_COUNTER; n++)
			mont_add(m, n, machine_rate(m->pmc[n]));
	return done;
}

static struct pt_regs *irq_regs;
static u64 now, took;	/* in ns; a sample takes 1 us */

struct pt_regs *get_irq_regs(void)
{
	return irq_regs;
}

void machine_interrupts(unsigned int cpu, struct pt_regs *regs)
{
	unsigned int vector = on_ia64 ? 0 : hw[cpu].pmv & 0xff;
	irq_handler_t handler;
	u64 begun = now;

	if (!hw[cpu].interrupt)
		return;
	hw[cpu].interrupt = false;
	handler = on_ia64 ? pmi : vector < MOCK_CPUS ? machine.handler[vector] : NULL;
	if (!handler) {
		fault("nobody comes for vector %u", vector);
		return;
	}
	mock_cpu = on_ia64 ? cpu : mock_first(machine.affinity[vector].bits);
	irq_regs = regs;
	mock_irqs_off++;
	machine.handling++;
	took = ~0ULL;
	if (handler(50 + vector, &device) != IRQ_HANDLED)
		fault("an interrupt is nobody's");
	if (on_ia64 && took != now - begun)
		fault("perf does not know how long an interrupt took");
	if (machine.put_off)
		fault("what perf put off in a sample is not done");
	machine.handling--;
	mock_irqs_off--;
	irq_regs = NULL;
}

void machine_tally(void)
{
	unsigned int i;

	for (i = 0; i < MOCK_CPUS; i++) {
		hw[i].reads = 0;
		hw[i].writes = 0;
		hw[i].read_pmd = 0;
	}
}

/* Find the CPU and @reg that @addr belongs to; a fault if the driver may not access it now. */
static struct hw_cpu *bank_at(const void *addr, unsigned int *reg)
{
	size_t at = (const char *)addr - bar;

	*reg = at % PAGE / 8;
	if (!machine.mapped || !machine.enabled)
		fault("register %#zx is accessed with the device gone", at);
	if (at / PAGE != mock_cpu || at % 8) {
		fault("CPU %u accesses %#zx", mock_cpu, at);
		return &hw[mock_cpu];
	}
	return &hw[at / PAGE];
}

static u64 get(struct hw_cpu *c, unsigned int reg)
{
	u64 v;

	mock_point(c, false);
	c->reads++;
	if (reg >= 64 && reg < 128) {
		c->read_pmd |= BIT_ULL(reg - 64);
		return mont_read_pmd(&c->mont, reg - 64);
	}
	if (reg)
		fault("register %#x is read without need", 8 * reg);
	v = mont_read_pmc(&c->mont, 0);
	if (!(v & FR) && machine_hooks.read_pmc0)
		machine_hooks.read_pmc0(c - hw);
	return v;
}

static void expect_taken(unsigned int reg, u64 v, u64 taken)
{
	if (v != taken)
		fault("register %#x has ignored bits in %#llx", 8 * reg, (unsigned long long)v);
}

static void set(struct hw_cpu *c, unsigned int reg, u64 v)
{
	mock_point(c, true);
	c->writes++;
	if (reg < MONT_PMCS) {
		mont_write_pmc(&c->mont, reg, v);
		expect_taken(reg, v, c->mont.next_pmc[reg]);
	} else if (reg >= 64 && reg < 128) {
		if (reg - 64 > LAST_COUNTER && reg - 64 != 33 && reg - 64 != 34 && reg - 64 != 36 &&
		    reg - 64 != 38)
			fault("PMD%u is written without need", reg - 64);
		mont_write_pmd(&c->mont, reg - 64, v);
		expect_taken(reg, v, c->mont.next_pmd[reg - 64]);
	} else if (reg >= 128 && reg < 0x490 / 8) {
		if (reg < 0x480 / 8 && !mont_frozen(&c->mont))
			fault("a breakpoint register is written while monitoring runs");
		if (reg < 0x440 / 8)
			c->ibr[reg - 0x400 / 8] = v;
		else if (reg < 0x480 / 8)
			c->dbr[reg - 0x440 / 8] = v;
		else
			c->pmv = v;
		if (mont_asks(&c->mont))
			request_interrupt(c);
	} else {
		fault("register %#x is written, which is not there", 8 * reg);
	}
}

u64 readq(const void *addr)
{
	unsigned int reg;
	struct hw_cpu *c = bank_at(addr, &reg);

	return get(c, reg);
}

void writeq(u64 val, void *addr)
{
	unsigned int reg;
	struct hw_cpu *c = bank_at(addr, &reg);

	set(c, reg, val);
	mont_serialize(&c->mont);
}

/* The processor's own instructions, whose effect waits for a serialization */
void machine_serialized(unsigned int cpu, const char *when)
{
	const struct hw_cpu *c = &hw[cpu];

	if (c->mont.pmc_written || c->mont.pmd_written || c->late_i || c->late_d)
		fault("what was written is not serialized %s", when);
}

unsigned int ia64_reg(unsigned int first, unsigned int n, unsigned int count)
{
	if (n >= count)
		fault("register %u of %u is accessed", n, count);
	return first + n;
}

u64 ia64_get(unsigned int reg)
{
	return get(&hw[mock_cpu], reg);
}

void ia64_set(unsigned int reg, u64 v)
{
	struct hw_cpu *c = &hw[mock_cpu];

	if (!reg && !(v & FR))
		machine_serialized(mock_cpu, "when monitoring is released");
	if (reg >= 128 && c->mont.pmc_written & 1)
		fault("register %#x is written before the freeze is serialized", 8 * reg);
	set(c, reg, v);
	c->late_i |= reg >= 0x400 / 8 && reg < 0x440 / 8;
	c->late_d |= reg >= 0x440 / 8;
}

void ia64_srlz_d(void)
{
	mont_serialize(&hw[mock_cpu].mont);
	hw[mock_cpu].late_d = false;
}

/* A change that affects instruction fetch takes an instruction serialization. */
void ia64_srlz_i(void)
{
	ia64_srlz_d();
	hw[mock_cpu].late_i = false;
}

u64 ia64_get_cpuid(unsigned int n)
{
	return n == 3 ? machine.cpuid : 0;
}

bool ia64_dbregs_get_pmu(struct task_struct *task)
{
	machine.ranges += !machine.debugged;
	return !machine.debugged;
}

void ia64_dbregs_put_pmu(struct task_struct *task)
{
	if (!machine.ranges--)
		fault("breakpoint registers are given back that nobody has");
}

/* ia64 has no interrupt for what perf put off: with monitoring as it goes on */
void irq_work_run(void)
{
	machine_serialized(mock_cpu, "before what perf put off");
	machine.put_off = false;
}

u64 local_clock(void)
{
	return now;
}

void perf_sample_event_took(u64 ns)
{
	took = ns;
}

/* The device; each call that fails has an error of its own. */
static int fails(int error)
{
	if (!mock_fails())
		return 0;
	machine.error = error;
	return error;
}

struct pci_dev *pci_get_device(unsigned int vendor, unsigned int id, struct pci_dev *from)
{
	if (vendor != 0x1234 || id != 0x4d43 || from)
		fault("the driver is for device %#x", id);
	machine.held = !machine.absent;
	return machine.held ? &device : NULL;
}

void pci_dev_put(struct pci_dev *pdev)
{
	machine.held = false;
}

int pci_enable_device(struct pci_dev *pdev)
{
	int ret = fails(-EIO);

	machine.enabled |= !ret;
	return ret;
}

void pci_disable_device(struct pci_dev *pdev)
{
	if (!machine.enabled)
		fault("disabled, and it was not enabled");
	machine.enabled = false;
}

void *pci_iomap(struct pci_dev *pdev, int nr, unsigned long max)
{
	int ret = fails(-ENOMEM);

	machine.mapped |= !ret;
	return ret ? NULL : bar;
}

void pci_iounmap(struct pci_dev *pdev, void *addr)
{
	machine.mapped = false;
}

void pci_set_master(struct pci_dev *pdev)
{
	machine.master = true;
}

int pci_alloc_irq_vectors_affinity(struct pci_dev *pdev, unsigned int min,
				   unsigned int max, unsigned int flags,
				   struct irq_affinity *affd)
{
	int ret = fails(-ENOSPC);

	if (ret)
		return ret;
	if (min != mock_possible || max != mock_possible ||
	    flags != (PCI_IRQ_MSIX | PCI_IRQ_AFFINITY) || !affd ||
	    affd->pre_vectors || affd->post_vectors)
		fault("%u to %u vectors with %#x", min, max, flags);
	if (max > MOCK_CPUS)
		return -E2BIG;
	machine.vectors = true;
	return max;
}

void pci_free_irq_vectors(struct pci_dev *pdev)
{
	unsigned int i;

	for (i = 0; i < MOCK_CPUS; i++) {
		if (machine.handler[i])
			fault("vector %u goes with its handler", i);
	}
	machine.vectors = false;
}

const struct cpumask *pci_irq_get_affinity(struct pci_dev *pdev, int nr)
{
	return &machine.affinity[nr];
}

int pci_irq_vector(struct pci_dev *pdev, unsigned int nr)
{
	return 50 + nr;
}

int request_irq(unsigned int irq, irqreturn_t (*handler)(int irq, void *dev),
		unsigned long flags, const char *name, void *dev)
{
	int ret = fails(-EXDEV);

	if (ret)
		return ret;
	if (irq < 50 || irq >= 50 + MOCK_CPUS || machine.handler[irq - 50]) {
		fault("interrupt %u is requested", irq);
		return -EINVAL;
	}
	if (flags != (IRQF_NO_THREAD | IRQF_NO_SUSPEND) ||
	    strcmp(name, "itanium") || dev != &device)
		fault("an interrupt is %s's, with %#lx", name, flags);
	machine.handler[irq - 50] = handler;
	return 0;
}

int ia64_pmi_register(irqreturn_t (*handler)(int irq, void *dev))
{
	int ret = fails(-EBUSY);

	if (!ret)
		pmi = handler;
	return ret;
}

void ia64_pmi_unregister(void)
{
	pmi = NULL;
}

static bool none_handled(void *none)
{
	return !machine.handling;
}

void free_irq(unsigned int irq, void *dev)
{
	explore_wait(none_handled, &machine.handling, "synchronize_irq()");
	if (irq < 50 || irq >= 50 + MOCK_CPUS || !machine.handler[irq - 50] || dev != &device)
		fault("interrupt %u is freed", irq);
	else
		machine.handler[irq - 50] = NULL;
}

/* Tasks and samples */
unsigned int mock_possible;
struct task_struct *mock_task[MOCK_CPUS];

/* perf's functions for samples, as ia64's kernel exports them */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	int i;

	machine.put_off = on_ia64;
	now += 1000;
	if (!mock_irqs_off || !mont_frozen(&hw[mock_cpu].mont))
		fault("a sample comes while monitoring runs");
	if (event->cpu != (int)mock_cpu || !event->on)
		fault("CPU %u has a sample of an event on CPU %d", mock_cpu, event->cpu);
	/* A sample may have the counts of the whole group. */
	event->pmu->read(event);
	for (i = 0; i < event->nr_siblings; i++) {
		if (event->sibling[i]->on)
			event->pmu->read(event->sibling[i]);
	}
	return machine_hooks.sample ? machine_hooks.sample(event, data, regs) : 0;
}

int perf_event_account_interrupt(struct perf_event *event)
{
	return machine_hooks.account ? machine_hooks.account(event) : 0;
}

void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	*data = (struct perf_sample_data){ .addr = addr, .period = period };
}

void perf_sample_save_brstack(struct perf_sample_data *data, struct perf_event *event,
			      struct perf_branch_stack *brs, u64 *counters)
{
	if (counters)
		fault("branches have counters");
	data->br_stack = brs;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}

void perf_sample_save_raw_data(struct perf_sample_data *data, struct perf_event *event,
			       struct perf_raw_record *raw)
{
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
}
