// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's monitors, written down from the manual 308065-001, for itanium_pmu
 * in host-side unit tests. A counter adds an amount with each tick that depends
 * on every bit of its control. What the manual forbids, in an access or in what is
 * set up together when monitoring starts, is a fault: the protocol checker says so.
 */
#include "lib/kernel/testing.h"
#include "machine.h"

#include "machine/xeon/qemu/montecito.h"

#define PAGE		0x1000
#define COUNT		(BIT_ULL(47) - 1)
#define PM		0x40ULL

struct hw_cpu hw[MOCK_CPUS];
bool on_ia64;
struct machine machine;
struct machine_hooks machine_hooks;
struct cpuinfo_ia64 mock_cpuinfo;

static char bar[MOCK_CPUS * PAGE];
static struct pci_dev device;
static irq_handler_t pmi;	/* ia64's */

static bool is_counter(unsigned int n)
{
	return n >= FIRST_COUNTER && n <= LAST_COUNTER;
}

/* What reset leaves, 3.3.12: undefined, but for a few */
void machine_cpu_reset(unsigned int cpu)
{
	struct hw_cpu *c = &hw[cpu];
	unsigned int i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < 64; i++) {
		c->pmc[i] = noise();
		c->pmd[i] = noise();
	}
	for (i = 0; i < 8; i++) {
		c->ibr[i] = noise();
		c->dbr[i] = noise();
	}
	c->pmc[0] = 0;
	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++)
		c->pmc[i] &= ~(0x30ULL | PLM);
	c->pmv = BIT(16);
}

void machine_reset(void)
{
	unsigned int i;

	machine = (struct machine){ .cpuid = 0x20 << 24 };
	mock_cpuinfo.threads_per_core = 2;
	memset(&machine_hooks, 0, sizeof(machine_hooks));
	mock_possible = MOCK_CPUS;
	for (i = 0; i < MOCK_CPUS; i++) {
		machine_cpu_reset(i);
		/* Which vector is whose is the kernel's choice. */
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

/* The protocol checker */
void model_findings_add(ModelFindings *f, const char *where, const char *rule)
{
	fault("the protocol checker, %s: %s", where, rule);
}

bool mont_ibrp_on(const MontBank *b, unsigned int pair)
{
	return !(b->pmc[38] >> (1 + 3 * pair) & 1);
}

static MontBank *bank_of(unsigned int cpu)
{
	static MontecitoPmu pmu;
	static MontBank b;

	b = (MontBank){ .pmu = &pmu, .cpu = cpu };
	memcpy(b.pmc, hw[cpu].pmc, sizeof(b.pmc));
	memcpy(b.pmd, hw[cpu].pmd, sizeof(b.pmd));
	memcpy(b.ibr, hw[cpu].ibr, sizeof(b.ibr));
	memcpy(b.dbr, hw[cpu].dbr, sizeof(b.dbr));
	return &b;
}

/* Counting */
u64 machine_rate(u64 pmc)
{
	u64 mix = pmc & 0x7f7fff5f;

	/* Table 3-5: no privilege level, or no privileged monitor of this mode */
	if (!(pmc & PLM) || !(pmc & PM))
		return 0;
	return 1 + (mix * 0x9e3779b97f4a7c15ULL >> 60);
}

unsigned int machine_tick(unsigned int cpu, unsigned int ticks)
{
	struct hw_cpu *c = &hw[cpu];
	unsigned int done, n;

	machine_serialized(cpu, "at the end");
	for (done = 0; done < ticks && !(c->pmc[0] & FR); done++) {
		bool frozen = false;

		for (n = FIRST_COUNTER; n <= LAST_COUNTER; n++) {
			u64 rate = machine_rate(c->pmc[n]);

			if (!rate)
				continue;
			c->pmd[n] += rate;
			if (!(c->pmd[n] & ~COUNT))
				continue;
			c->pmd[n] &= COUNT;
			c->pmc[0] |= BIT_ULL(n);
			frozen |= c->pmc[n] & OI;
		}
		if (!frozen)
			continue;
		if (machine_hooks.capture)
			machine_hooks.capture(cpu);
		c->pmc[0] |= FR;
		if (!(c->pmv & BIT(16)) && (machine.master || on_ia64))
			c->interrupt = true;
	}
	return done;
}

static struct pt_regs *irq_regs;

struct pt_regs *get_irq_regs(void)
{
	return irq_regs;
}

void machine_interrupts(unsigned int cpu, struct pt_regs *regs)
{
	unsigned int vector = on_ia64 ? 0 : hw[cpu].pmv & 0xff;
	irq_handler_t handler;

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
	if (handler(50 + vector, &device) != IRQ_HANDLED)
		fault("an interrupt is nobody's");
	if (machine.put_off)
		fault("what perf put off in a sample is not done");
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

/* Accesses */
static u64 read_pmd(struct hw_cpu *c, unsigned int n)
{
	c->read_pmd |= BIT_ULL(n);
	if (is_counter(n)) {
		if (!(c->pmc[n] & PLM))
			return noise();
		/* Table 3-7: .ov and .sxt47 read as bit 46 */
		return (u64)((s64)(c->pmd[n] << 17) >> 17);
	}
	if (n < 32 || n == 37 || (n > 39 && n < 48))
		fault("PMD%u is read, which is not there", n);
	if (!(c->pmc[0] & FR)) {
		fault("PMD%u is read while monitoring runs", n);
		return noise();
	}
	return c->pmd[n];
}

static void write_pmc(unsigned int cpu, unsigned int n, u64 v)
{
	struct hw_cpu *c = &hw[cpu];
	bool was_frozen = c->pmc[0] & FR;

	if (n && !is_counter(n) && (n < 32 || n > 42))
		fault("PMC%u is written, which is not there", n);
	if (n && !was_frozen)
		fault("PMC%u is written while monitoring runs", n);
	mont_check_write_pmc(bank_of(cpu), n, v);
	c->pmc[n] = n ? v : v & 0xfff1;
	if (is_counter(n) && !(v & PLM))
		c->pmd[n] = noise() & COUNT;
	if (!n && was_frozen && !(v & FR))
		mont_check_setup(bank_of(cpu));
}

static void write_pmd(struct hw_cpu *c, unsigned int n, u64 v)
{
	if (!(c->pmc[0] & FR))
		fault("PMD%u is written while monitoring runs", n);
	if (!is_counter(n)) {
		if (n != 33 && n != 34 && n != 36 && n != 38)
			fault("PMD%u is written without need", n);
		c->pmd[n] = v;
		return;
	}
	if (v & ~COUNT)
		fault("PMD%u is written with %#llx (table 3-7)", n,
		      (unsigned long long)v);
	c->pmd[n] = c->pmc[n] & PLM ? v & COUNT : noise() & COUNT;
}

/* Which register of whose, if it may be accessed now */
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

	c->reads++;
	if (reg >= 64 && reg < 128)
		return read_pmd(c, reg - 64);
	if (reg)
		fault("register %#x is read without need", 8 * reg);
	v = c->pmc[0];
	if (!(v & FR) && machine_hooks.read_pmc0)
		machine_hooks.read_pmc0(c - hw);
	return v;
}

static void set(struct hw_cpu *c, unsigned int reg, u64 val)
{
	c->writes++;
	if (reg < 64) {
		write_pmc(c - hw, reg, val);
	} else if (reg < 128) {
		write_pmd(c, reg - 64, val);
	} else if (reg < 0x490 / 8) {
		if (reg < 0x480 / 8 && !(c->pmc[0] & FR))
			fault("a breakpoint register is written while monitoring runs");
		if (reg < 0x440 / 8)
			c->ibr[reg - 0x400 / 8] = val;
		else if (reg < 0x480 / 8)
			c->dbr[reg - 0x440 / 8] = val;
		else
			c->pmv = val;
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
}

/*
 * The processor's own instructions. A write has effect with the serialization after
 * it (architecture manual, volume 2, 7.2): nothing that depends on it may be read or
 * written before, and monitoring is released when all the rest has taken effect.
 */
void machine_serialized(unsigned int cpu, const char *when)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hw[cpu].late); i++) {
		if (hw[cpu].late[i])
			fault("register %#x is not serialized %s", 8 * i, when);
	}
}

static bool is_control_late(const struct hw_cpu *c, unsigned int reg)
{
	return is_counter(reg - 64) && c->late[reg - 64] && c->pmc[reg - 64] & PLM;
}

u64 ia64_get(unsigned int reg)
{
	struct hw_cpu *c = &hw[mock_cpu];

	if (c->late[0] || c->late[reg] || is_control_late(c, reg))
		fault("register %#x is read before what it depends on is serialized",
		      8 * reg);
	return get(c, reg);
}

void ia64_set(unsigned int reg, u64 v)
{
	struct hw_cpu *c = &hw[mock_cpu];

	if (!reg && !(v & FR))
		machine_serialized(mock_cpu, "when monitoring is released");
	else if (reg && c->late[0])
		fault("register %#x is written before the freeze is serialized", 8 * reg);
	if (is_control_late(c, reg))
		fault("register %#x gets its value before its control", 8 * reg);
	set(c, reg, v);
	c->late[reg] = true;
}

/* Those of instruction fetch take an instruction serialization. */
void ia64_srlz_d(void)
{
	bool *late = hw[mock_cpu].late;

	memset(late, 0, 0x400 / 8);
	memset(late + 0x440 / 8, 0, 0x50 / 8);
}

void ia64_srlz_i(void)
{
	memset(hw[mock_cpu].late, 0, sizeof(hw[mock_cpu].late));
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

/* The device; each call that fails has an error of its own. */
static int fails(int error)
{
	if (!mock_fails())
		return 0;
	machine.error = error;
	return error;
}

struct pci_dev *pci_get_device(unsigned int vendor, unsigned int id,
			       struct pci_dev *from)
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

void free_irq(unsigned int irq, void *dev)
{
	if (irq < 50 || irq >= 50 + MOCK_CPUS || !machine.handler[irq - 50] ||
	    dev != &device)
		fault("interrupt %u is freed", irq);
	else
		machine.handler[irq - 50] = NULL;
}

/* Random numbers, tasks and samples */
u32 mock_chance;
unsigned int mock_seeded, mock_possible;
struct task_struct *mock_task[MOCK_CPUS];

void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	mock_seeded++;
	state->s = seed;
}

u32 prandom_u32_state(struct rnd_state *state)
{
	if (!state->s)
		fault("random numbers without a seed");
	return mock_chance;
}

u64 get_random_u64(void)
{
	return 4;
}

/* perf's functions for samples, as ia64's kernel exports them */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	int i;

	machine.put_off = on_ia64;
	if (!mock_irqs_off || !(hw[mock_cpu].pmc[0] & FR))
		fault("a sample comes while monitoring runs");
	if (event->cpu != (int)mock_cpu || !event->on)
		fault("CPU %u has a sample of an event on CPU %d", mock_cpu,
		      event->cpu);
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

void perf_sample_save_brstack(struct perf_sample_data *data,
			      struct perf_event *event,
			      struct perf_branch_stack *brs, u64 *counters)
{
	if (counters)
		fault("branches have counters");
	data->br_stack = brs;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}

void perf_sample_save_raw_data(struct perf_sample_data *data,
			       struct perf_event *event,
			       struct perf_raw_record *raw)
{
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
}
