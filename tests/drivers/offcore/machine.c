// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters and offcore response registers under the mock kernel. With each tick a counter adds an
 * amount that depends on its whole response register and on its levels.
 */
#include "machine.h"

struct hw_cpu hw[MOCK_CPUS];
struct machine machine;

#define NEVER(condition, ...) do {					\
	if (condition)							\
		fault(__VA_ARGS__);					\
} while (0)

void machine_choose(unsigned int model)
{
	memset(hw, 0, sizeof(hw));
	machine = (struct machine){ .model = model, .width = 48,
				     .ctrs = 4,
				     .version = 3 };
	boot_cpu_data.x86_model = model;
	/* Table 18-25: one register on Nehalem, two on the others */
	machine.nr_rsp = model == 26 || model == 30 || model == 31 || model == 46 ? 1 : 2;
	machine.shared = model != 42 && model != 45;
	machine.resets = machine.shared;
}

void machine_reset(void)
{
	machine_choose(45);
}

void machine_check_left(void)
{
	unsigned int cpu, i;

	NEVER(machine.our_ctr || machine.our_sel, "counters are reserved still: %#x, %#x",
	      machine.our_ctr, machine.our_sel);
	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		for (i = 0; i < NR_CTRS; i++)
			NEVER(hw[cpu].sel[i], "counter %u of CPU %u is left as %#llx", i, cpu,
			      hw[cpu].sel[i]);
		for (i = 0; i < 2; i++)
			NEVER(hw[cpu].rsp[i], "register %u of CPU %u is left as %#llx", i, cpu,
			      hw[cpu].rsp[i]);
	}
}

u64 *machine_rsp(unsigned int cpu, unsigned int reg)
{
	return &hw[machine.shared ? cpu & ~1u : cpu].rsp[reg];
}

/* Response register of a counter, or -1 */
static int looks_at(u64 sel)
{
	if (!(sel & EN) || (sel >> 8 & 0xff) != 1)
		return -1;
	return (sel & 0xff) == 0xb7 ? 0 : (sel & 0xff) == 0xbb ? 1 : -1;
}

u64 machine_rate(u64 rsp, u64 sel)
{
	u64 mix = rsp * 4 + (sel >> 16 & 3);

	return sel & (OS | USR) ? 1 + (mix * 0x9e3779b97f4a7c15ULL >> 50) : 0;
}

void machine_tick(unsigned int cpu, u64 ticks)
{
	struct hw_cpu *c = &hw[cpu];
	unsigned int i;
	u64 n;

	for (i = 0; i < OFFCORE_CTRS; i++) {
		int reg = looks_at(c->sel[i]);

		if (reg < 0 || !(c->ctrl & BIT(i)))
			continue;
		n = ticks * machine_rate(*machine_rsp(cpu, reg), c->sel[i]);
		c->counted += n;
		c->pmc[i] += n;
		c->pmc[i] &= BIT_ULL(machine.width) - 1;
	}
}

/* Whether a running counter of the core uses a response register */
static bool in_use(unsigned int cpu, unsigned int reg)
{
	unsigned int i, other;

	for (other = 0; other < MOCK_CPUS; other++) {
		if (machine_rsp(other, reg) != machine_rsp(cpu, reg))
			continue;
		for (i = 0; i < NR_CTRS; i++) {
			if (looks_at(hw[other].sel[i]) == (int)reg && (hw[other].ctrl & BIT(i)))
				return true;
		}
	}
	return false;
}

static u64 *find(unsigned int cpu, u32 addr)
{
	struct hw_cpu *c = &hw[cpu];

	if (addr >= 0xc1 && addr < 0xc1 + machine.ctrs)
		return &c->pmc[addr - 0xc1];
	if (addr >= 0x186 && addr < 0x186 + machine.ctrs)
		return &c->sel[addr - 0x186];
	if (addr >= 0x1a6 && addr < 0x1a6 + machine.nr_rsp)
		return machine_rsp(cpu, addr - 0x1a6);
	return addr == 0x38f ? &c->ctrl : NULL;
}

/* Errata AAK100, AAP53, BD53: reset events that have to run before others */
static const u64 resets[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };

static void run_resets(struct hw_cpu *c)
{
	unsigned int i;

	for (i = 0; i < NR_CTRS; i++) {
		if (c->resets < 4 && (c->ctrl & BIT(i)) && c->sel[i] == resets[c->resets])
			c->resets++;
	}
}

static void write_reg(unsigned int cpu, u32 addr, u64 val)
{
	struct hw_cpu *c = &hw[cpu];
	unsigned int rsp = addr - 0x1a6, sel = addr - 0x186, pmc = addr - 0xc1, i;
	u64 *reg = find(cpu, addr);

	if (exploring)
		explore_write(reg, "a register");
	machine.writes++;
	if (rsp < 2) {
		/* Tables 18-26 and 18-36: neither request nor response bits */
		NEVER(val & (machine.shared ? ~0xffffULL : ~GENMASK_ULL(37, 0) | 0x7000),
		      "register %u gets reserved bits: %#llx", rsp, val);
		NEVER(machine.shared && !mock_locks && machine.our_ctr,
		      "register %u is written without a lock, which two threads share", rsp);
		NEVER(*reg != val && in_use(cpu, rsp),
		      "register %u of CPU %u changes while a counter uses it", rsp, cpu);
	} else if (sel < NR_CTRS) {
		NEVER(looks_at(val) >= 0 && sel >= OFFCORE_CTRS,
		      "counter %u gets an offcore event, which it does not count", sel);
		NEVER(!(machine.our_sel & BIT(sel)), "control %u, which is not ours, is written", sel);
		NEVER(machine.resets && looks_at(val) >= 0 && looks_at(*reg) < 0 && c->resets != 4,
		      "counter %u gets an event without a reset", sel);
		NEVER(machine.resets && (c->ctrl & BIT(sel)) &&
		      (val == resets[0] || val == resets[1] || val == resets[2]),
		      "counter %u is reset before all are off", sel);
	} else if (addr == 0x38f) {
		NEVER((val ^ *reg) & ~(u64)machine.our_ctr, "bits %#llx of the global control are others'",
		      (val ^ *reg) & ~(u64)machine.our_ctr);
	} else {
		NEVER(!(machine.our_ctr & BIT(pmc)), "counter %u, which is not ours, is written", pmc);
	}
	*reg = val;
	if (addr == 0x38f && machine.resets) {
		run_resets(c);
		/* The response register of running counters changes. */
		for (i = 0; i < NR_CTRS; i++) {
			if (looks_at(c->sel[i]) >= 0 && (val & BIT(i)))
				c->resets = 0;
		}
	}
}

int machine_rdmsr_safe(u32 addr, u64 *val)
{
	u64 *reg = find(mock_cpu, addr);

	if (!reg && addr >= 0xc1 && addr < 0x1a6)
		fault("counter %#x is read, which is not there", addr);
	if (!reg)
		return -EIO;
	mock_point(reg, false);
	machine.reads++;
	*val = *reg;
	return 0;
}

int machine_wrmsr_safe(u32 addr, u64 val)
{
	if (!find(mock_cpu, addr)) {
		fault("MSR %#x is written, which is not there", addr);
		return -EIO;
	}
	write_reg(mock_cpu, addr, val);
	return 0;
}

u64 machine_rdmsr(u32 addr)
{
	u64 val = 0;

	if (!mock_irqs_off || machine_rdmsr_safe(addr, &val))
		fault("MSR %#x is read", addr);
	return val;
}

void machine_wrmsr(u32 addr, u64 val)
{
	if (!mock_irqs_off || machine_wrmsr_safe(addr, val))
		fault("MSR %#x is written", addr);
}

unsigned int cpuid_eax(unsigned int leaf)
{
	if (leaf != 10)
		fault("leaf %u is asked for", leaf);
	return machine.width << 16 | machine.ctrs << 8 | machine.version;
}

static int reserve(unsigned int *ours, unsigned int held, unsigned int i)
{
	mock_point(ours, true);
	if (i >= machine.ctrs || (*ours & BIT(i)))
		fault("counter %u is reserved again", i);
	if (held & BIT(i))
		return 0;
	*ours |= BIT(i);
	return 1;
}

static void release(unsigned int *ours, unsigned int i)
{
	mock_point(ours, true);
	if (i >= machine.ctrs || !(*ours & BIT(i)))
		fault("counter %u is released", i);
	*ours &= ~BIT(i);
}

int reserve_perfctr_nmi(unsigned int msr)
{
	return reserve(&machine.our_ctr, machine.held_ctr, msr - 0xc1);
}

int reserve_evntsel_nmi(unsigned int msr)
{
	return reserve(&machine.our_sel, machine.held_sel, msr - 0x186);
}

void release_perfctr_nmi(unsigned int msr)
{
	release(&machine.our_ctr, msr - 0xc1);
}

void release_evntsel_nmi(unsigned int msr)
{
	release(&machine.our_sel, msr - 0x186);
}
