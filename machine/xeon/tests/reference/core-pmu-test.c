// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The core PMU beside a reference model from the SDM, chapter 18: counters, overflows and their
 * interrupts at the right event and time, faults, offcore responses, and the protocol checker.
 */
#include "bench.h"
#include "core-pmu.h"
#include "x86-msr-hook.h"

#define CPUS	6
#define GENERAL	8
#define FIXED	3
#define CTRS	(GENERAL + FIXED)
#define STEPS	400
#define ROUNDS	150

/* IA32_PERFEVTSELx, figure 18-6 */
#define USR	0x10000ull
#define OS	0x20000ull
#define EDGE	0x40000ull
#define INTR	0x100000ull
#define ANY	0x200000ull
#define EN	0x400000ull
#define INV	0x800000ull

enum { PMC = 0xc1, EVTSEL = 0x186, RSP = 0x1a6, FIXED_CTR = 0x309, FIXED_CTRL = 0x38d,
	STATUS, CTRL, OVF_CTRL };

/* Names of request, response or supplier, and snoop, by bit */
struct names {
	const char *request[16], *response[20], *snoop[8];
	/* Bits of the last two that a single name has */
	uint64_t remote, any;
};

static const struct names nehalem = {
	{ "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd", "pf_rfo", "pf_ifetch",
	  "other" },
	{ "uncore_hit", "other_core_hit_snp", "other_core_hitm", "remote_cache_hitm",
	  "remote_cache_fwd", "remote_dram", "local_dram", "non_dram" },
}, westmere = {
	{ "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd", "pf_rfo", "pf_ifetch",
	  "other" },
	{ "uncore_hit", "other_core_hit_snp", "other_core_hitm", "remote_cache_hitm",
	  "remote_cache_fwd", "local_dram", "remote_dram", "non_dram" },
}, westmere_ep = {
	{ "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd", "pf_rfo", "pf_ifetch",
	  "other" },
	{ "uncore_hit", "other_core_hit_snp", "other_core_hitm", "remote_cache_hitm",
	  "local_dram_and_remote_cache_hit", "remote_dram", "other_local_dram", "non_dram" },
}, sandy_bridge = {
	{ "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd", "pf_rfo", "pf_ifetch",
	  "pf_llc_data_rd", "pf_llc_rfo", "pf_llc_ifetch", "bus_locks", "strm_st", [15] = "other" },
	{ NULL, "no_supp", "llc_hitm", "llc_hite", "llc_hits", "llc_hitf", "local" },
	{ "snp_none", "snp_not_needed", "snp_miss", "snp_no_fwd", "snp_fwd", "hitm", "non_dram" },
	.any = 1ull << 16,
}, sandy_bridge_ep = {
	{ "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd", "pf_rfo", "pf_ifetch",
	  "pf_llc_data_rd", "pf_llc_rfo", "pf_llc_ifetch", "bus_locks", "strm_st", [15] = "other" },
	{ NULL, "no_supp", "llc_hitm", "llc_hite", "llc_hits", "llc_hitf", "local" },
	{ "snp_none", "snp_not_needed", "snp_miss", "snp_no_fwd", "snp_fwd", "hitm", "non_dram" },
	.remote = 0xffull << 23, .any = 1ull << 16,
};

/* Family and model, as CPUID's leaf 1 has them (DisplayFamily_DisplayModel); response registers */
static const struct processor {
	unsigned int family, model;
	const struct names *names;
	unsigned int rsps;
	bool shared;
} processors[] = {
	{ 6, 0x1a, &nehalem, 1, true }, { 6, 0x1e, &nehalem, 1, true },
	{ 6, 0x1f, &nehalem, 1, true }, { 6, 0x2e, &nehalem, 1, true },
	{ 6, 0x25, &westmere, 2, true }, { 6, 0x2c, &westmere_ep, 2, true },
	{ 6, 0x2f, &nehalem, 2, true }, { 6, 0x2a, &sandy_bridge, 2, false },
	{ 6, 0x2d, &sandy_bridge_ep, 2, false }, { 6, 0x3e }, { 6, 0x0a }, { 6, 0 }, { 15, 0x2d },
};

/* The reference: one processor. Counters are the general ones, and then the fixed ones. */
struct ref {
	X86CPU *cpu;
	uint64_t ctr[CTRS], evtsel[GENERAL], fixed, status, ctrl;
	int64_t synced;
	uint32_t lvt;
	unsigned int interrupts;
};

static struct ref ref[CPUS];
static uint64_t ref_rsp[CPUS][2];
static const struct processor *p;
static unsigned int counters, width;
static unsigned int nmis[CPUS], vectors[CPUS], last_vector;
static CorePmu pmu;
static void (*reset_pmu)(void *opaque);

/* QEMU's part */
void qemu_register_reset(void (*fn)(void *opaque), void *opaque)
{
	reset_pmu = fn;
}

void cpu_interrupt(CPUState *cs, int what)
{
	nmis[cs->cpu_index] += what == CPU_INTERRUPT_NMI;
}

void apic_deliver_irq(uint8_t id, uint8_t logical, uint8_t mode, uint8_t vector, uint8_t trigger)
{
	vectors[id] += mode == APIC_DM_FIXED && !logical;
	last_vector = vector;
}

static uint32_t *lvt(const struct ref *r)
{
	return &APIC_COMMON(r->cpu->apic_state)->lvt[APIC_LVT_PERFORM];
}

static uint64_t mask(unsigned int i)
{
	return ~0ull >> (64 - (i < GENERAL ? width : 48));
}

static bool exists(unsigned int i)
{
	return i >= GENERAL || i < counters;
}

/* Bit of a counter in the global registers */
static uint64_t bit(unsigned int i)
{
	return 1ull << (i < GENERAL ? i : 32 + i - GENERAL);
}

static uint64_t global_bits(void)
{
	return ((1ull << counters) - 1) | 7ull << 32;
}

static bool runs(const struct ref *r, unsigned int i)
{
	if (!exists(i) || !(r->ctrl & bit(i)))
		return false;
	if (i >= GENERAL)
		return r->fixed >> 4 * (i - GENERAL) & 3;
	return r->evtsel[i] & EN && r->evtsel[i] & (USR | OS);
}

static bool interrupts(const struct ref *r, unsigned int i)
{
	return i < GENERAL ? r->evtsel[i] & INTR : r->fixed >> 4 * (i - GENERAL) & 8;
}

/* Increments in 1000 ns. Table 18-1: cycles are always there, others once in some. */
static unsigned int rate(const struct ref *r, unsigned int i)
{
	static const unsigned int fixed[FIXED] = { 1000, 2000, 2000 };
	uint64_t sel = r->evtsel[i % GENERAL];
	unsigned int cmask = sel >> 24 & 0xff, per_us = 0;

	if (i >= GENERAL)
		return fixed[i - GENERAL];
	if ((sel & 0xffff) == 0x3c)
		per_us = 2000;
	else if ((sel & 0xffff) == 0x13c)
		per_us = 100;
	else if ((sel & 0xffff) == 0xc0)
		per_us = 1000;
	if (sel & EDGE)
		return 0;
	if (!cmask)
		return per_us;
	/* Cycles with so many increments, of which none has two; or cycles without */
	if (sel & INV)
		return cmask == 1 ? 2000 - per_us : 2000;
	return cmask == 1 ? per_us : 0;
}

static void overflow(struct ref *r, unsigned int i)
{
	r->status |= bit(i);
	if (interrupts(r, i) && !(r->lvt & 0x10000)) {
		r->lvt |= 0x10000;
		r->interrupts += (r->lvt >> 8 & 7) == 4 || (r->lvt >> 8 & 7) == 0;
	}
}

static void count(struct ref *r, unsigned int i, uint64_t n)
{
	__uint128_t sum = (__uint128_t)r->ctr[i] + n;

	r->ctr[i] = sum & mask(i);
	if (sum > mask(i))
		overflow(r, i);
}

static void pass(struct ref *r, int64_t to)
{
	unsigned int i;

	for (i = 0; i < CTRS; i++) {
		if (runs(r, i))
			count(r, i, (__uint128_t)to * rate(r, i) / 1000 -
			      (__uint128_t)r->synced * rate(r, i) / 1000);
	}
	r->synced = to;
}

static bool same_core(const struct ref *a, const struct ref *b)
{
	return a->cpu->socket_id == b->cpu->socket_id && a->cpu->die_id == b->cpu->die_id &&
	       a->cpu->core_id == b->cpu->core_id;
}

static uint64_t *rsp_of(const struct ref *r)
{
	unsigned int n = r - ref, i;

	for (i = 0; p->shared && i < n; i++) {
		if (same_core(&ref[i], r))
			return ref_rsp[i];
	}
	return ref_rsp[n];
}

static uint64_t all_of(const char *const *names, unsigned int n, unsigned int first)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < n; i++)
		bits |= names[i] ? 1ull << (first + i) : 0;
	return bits;
}

static bool new_form(void)
{
	return p->names->snoop[0];
}

/* Requests are the first bits, responses begin at 8 or 16, snoop results at 31. */
static uint64_t requests(void)
{
	return all_of(p->names->request, 16, 0);
}

static uint64_t responses(void)
{
	return all_of(p->names->response, 20, new_form() ? 16 : 8) | p->names->remote;
}

static uint64_t snoops(void)
{
	return all_of(p->names->snoop, 8, 31);
}

static uint64_t rsp_bits(void)
{
	return requests() | responses() | snoops() | p->names->any;
}

/* An offcore event's register, or -1 */
static int register_of(uint64_t sel)
{
	return (sel & 0xff) == 0xb7 ? 0 : (sel & 0xff) == 0xbb ? 1 : -1;
}

static bool matches(uint64_t value, uint64_t request, uint64_t response, uint64_t snoop)
{
	if (!(value & request))
		return false;
	return value & p->names->any || (value & response && (!new_form() || value & snoop));
}

static void happen(struct ref *r, uint64_t request, uint64_t response, uint64_t snoop,
		   bool kernel, uint64_t n)
{
	for (struct ref *u = ref; u < ref + CPUS; u++) {
		if (!same_core(u, r))
			continue;
		pass(u, shim_now);
		for (unsigned int i = 0; i < MIN(counters, 4u); i++) {
			uint64_t sel = u->evtsel[i];
			int reg = register_of(sel);
			unsigned int cmask = sel >> 24 & 0xff;

			if (!runs(u, i) || (u != r && !(sel & ANY)) || reg < 0 || reg >= p->rsps ||
			    (sel >> 8 & 0xff) != 1 || !(sel & (kernel ? OS : USR)) ||
			    !matches(rsp_of(u)[reg], request, response, snoop))
				continue;
			/* INV is ignored with a counter mask of 0. */
			if (!cmask || (cmask == 1 && !(sel & INV)))
				count(u, i, n);
		}
	}
}

/* A register: false if it faults. *at: its place, or NULL for OVF_CTRL; *valid: its bits */
static bool find(struct ref *r, uint32_t msr, uint64_t **at, uint64_t *valid)
{
	*at = NULL;
	*valid = ~0ull;
	if (msr >= PMC && msr < PMC + counters) {
		*at = &r->ctr[msr - PMC];
	} else if (msr >= EVTSEL && msr < EVTSEL + counters) {
		*at = &r->evtsel[msr - EVTSEL];
		*valid = 0xffffffff;
	} else if (msr >= RSP && p->names && msr < RSP + p->rsps) {
		*at = &rsp_of(r)[msr - RSP];
		*valid = rsp_bits();
	} else if (msr >= FIXED_CTR && msr < FIXED_CTR + FIXED) {
		*at = &r->ctr[GENERAL + msr - FIXED_CTR];
	} else if (msr == FIXED_CTRL) {
		*at = &r->fixed;
		*valid = 0xfff;
	} else if (msr == STATUS) {
		*at = &r->status;
		*valid = 0;
	} else if (msr == CTRL) {
		*at = &r->ctrl;
		*valid = global_bits();
	} else if (msr == OVF_CTRL) {
		*valid = global_bits() | 3ull << 62;
	} else {
		return false;
	}
	return true;
}

static void check_interrupts(struct ref *r)
{
	unsigned int n = r - ref;

	bench_cases++;
	if (nmis[n] + vectors[n] != r->interrupts || *lvt(r) != r->lvt)
		differs("cpu %u at %lld: %u interrupts, not %u; LVT 0x%x, not 0x%x", n,
			shim_now, nmis[n] + vectors[n], r->interrupts, *lvt(r), r->lvt);
	if (vectors[n] && last_vector != 0x5e)
		differs("vector 0x%x", last_vector);
}

static uint64_t read_msr(struct ref *r, uint32_t msr)
{
	uint64_t got = 0xbad, *at, valid;
	bool there = find(r, msr, &at, &valid);
	X86MSRResult result = x86_msr_hook_read(r->cpu, msr, &got);

	bench_cases++;
	if (!there) {
		if (result == X86_MSR_DONE)
			differs("rdmsr 0x%x: no fault", msr);
		return 0;
	}
	pass(r, shim_now);
	if (result != X86_MSR_DONE || got != (at ? *at : 0))
		differs("cpu %u rdmsr 0x%x: %d, 0x%llx, not 0x%llx", (unsigned int)(r - ref), msr,
			result, got, (at ? *at : 0));
	check_interrupts(r);
	return got;
}

/* What the protocol checker reports, by words of its findings */
enum { READ_ONLY, RESERVED, NO_REGISTER, NO_COUNTER, UMASK, REQUEST, RESPONSE, REMOTE, OWNER,
	CHANGED, FINDINGS };
static const char *const finding[FINDINGS] = {
	"is read-only", "reserved bits", "has no OFFCORE_RSP", "does not count offcore",
	"has unit mask 1", "no request bit", ": counts nothing", "all ones or all zeros",
	"runs, whose value", "changed from",
};

static bool expects[4];
static uint64_t expected[4];

static unsigned int findings_of_running(const struct ref *r)
{
	unsigned int found = 0;

	for (unsigned int i = 0; p->names && i < counters; i++) {
		uint64_t sel = r->evtsel[i], value, some, snoop;
		int reg = register_of(sel);

		if (reg < 0 || !runs(r, i))
			continue;
		if (reg >= p->rsps) {
			found |= 1 << NO_REGISTER;
			continue;
		}
		value = rsp_of(r)[reg];
		some = value & p->names->remote;
		snoop = value & snoops();
		found |= (i >= 4) << NO_COUNTER | ((sel >> 8 & 0xff) != 1) << UMASK |
			 !(value & requests()) << REQUEST |
			 (some && some != p->names->remote) << REMOTE;
		if (!(value & p->names->any) &&
		    (!(value & responses()) || (new_form() && !snoop)))
			found |= 1 << RESPONSE;
		if (expects[sel >> 16 & 3] && expected[sel >> 16 & 3] != value)
			found |= 1 << OWNER;
	}
	return found;
}

/* The errata's reset is for a test of its own. */
static unsigned int reported(void)
{
	unsigned int found = 0;

	say("core-pmu checker reset");
	for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
		bool request = strstr(line, finding[REQUEST]);

		for (unsigned int i = 0; i < FINDINGS; i++)
			found |= (strstr(line, finding[i]) && !(i == RESPONSE && request)) << i;
	}
	return found;
}

static void write_msr(struct ref *r, uint32_t msr, uint64_t value)
{
	uint64_t *at, valid, given = value;
	bool there = find(r, msr, &at, &valid), fault = !there || value & ~valid || msr == STATUS;
	unsigned int want = 0, got;
	X86MSRResult result;

	if (there && (msr == STATUS || value & ~valid)) {
		want = 1 << (msr == STATUS ? READ_ONLY : RESERVED);
	} else if (there && msr >= RSP && msr < RSP + 2 && *at != value) {
		for (struct ref *u = ref; u < ref + CPUS; u++) {
			for (unsigned int i = 0; i < counters && rsp_of(u) == rsp_of(r); i++) {
				if (runs(u, i) && register_of(u->evtsel[i]) == msr - RSP)
					want |= 1 << CHANGED;
			}
		}
	}
	result = x86_msr_hook_write(r->cpu, msr, given);
	bench_cases++;
	if (fault == (result == X86_MSR_DONE))
		differs("cpu %u model 0x%x wrmsr 0x%x 0x%llx: %d", (unsigned int)(r - ref), p->model,
			msr, value, result);
	if (!fault) {
		pass(r, shim_now);
		/* 18.2.1: the upper half is bit 31's copy. */
		if (msr >= PMC && msr < PMC + GENERAL)
			value = (uint64_t)(int64_t)(int32_t)value & mask(0);
		if (msr >= FIXED_CTR && msr < FIXED_CTR + FIXED)
			value &= mask(GENERAL);
		if (at)
			*at = value;
		else
			r->status &= ~value;
		want |= findings_of_running(r);
	}
	got = reported();
	if (got != want)
		differs("cpu %u model 0x%x wrmsr 0x%x 0x%llx: findings 0x%x, not 0x%x",
			(unsigned int)(r - ref), p->model, msr, given, got, want);
	check_interrupts(r);
}

static void read_pmc(struct ref *r, uint32_t index)
{
	unsigned int i = index & 0x3fffffff;
	bool fixed = index >> 30 & 1;
	bool there = !(index >> 31) && i < (fixed ? FIXED : counters);
	uint64_t got = 0xbad, want;

	bench_cases++;
	if (core_pmu_rdpmc(r->cpu, index, &got) != there) {
		differs("rdpmc 0x%x: %s", index, there ? "faults" : "does not fault");
		return;
	}
	if (!there)
		return;
	pass(r, shim_now);
	want = r->ctr[fixed ? GENERAL + i : i];
	if (got != want)
		differs("rdpmc 0x%x: 0x%llx, not 0x%llx", index, got,
			want);
	check_interrupts(r);
}

/* A name, more often one of the @wanted bits */
static const char *name_of(const char *const *names, unsigned int n, unsigned int first,
			   uint64_t wanted, uint64_t *bits)
{
	unsigned int i;

	do {
		i = draw_below(n);
	} while (!names[i] || (!(wanted >> (first + i) & 1) && !one_in(20)));
	*bits = 1ull << (first + i);
	return names[i];
}

static void inject(struct ref *r)
{
	bool kernel = one_in(2);
	uint64_t n = one_in(3) ? draw_bits(48) : draw_below(20), request, response, snoop = 0;
	uint64_t wanted;
	const char *what, *from, *found = NULL;

	if (!p->names) {
		bench_cases++;
		if (say("offcore cpu=%u,request=wb,response=non_dram", (unsigned int)(r - ref)) !=
		    MODEL_STATUS_ERROR)
			differs("model 0x%x takes offcore responses", p->model);
		return;
	}
	wanted = rsp_of(r)[draw_below(2)];
	what = name_of(p->names->request, 16, 0, wanted, &request);
	from = name_of(p->names->response, 20, new_form() ? 16 : 8, wanted, &response);
	if (p->names->remote && one_in(4)) {
		from = "remote";
		response = p->names->remote;
	}
	if (new_form())
		found = name_of(p->names->snoop, 8, 31, wanted, &snoop);
	if (say("offcore cpu=%u,count=%llu,kernel=%d,request=%s,%s=%s%s%s", (unsigned int)(r - ref),
		n, kernel, what, new_form() ? "supplier" : "response", from,
		found ? ",snoop=" : "", found ?: "") != MODEL_STATUS_OK)
		differs("model 0x%x: %s", p->model, said);
	happen(r, request, response, snoop, kernel, n);
	check_interrupts(r);
}

/* Half of the machines have nothing but offcore events. */
static bool of_offcore;

static uint64_t draw_evtsel(void)
{
	static const uint16_t events[] = {
		0x003c, 0x003c, 0x013c, 0x00c0, 0x01b7, 0x01b7, 0x01b7, 0x01bb, 0x01bb, 0x00b7,
		0x03b7, 0x81bb, 0x02c0, 0x0000, 0xffff,
	};
	static const uint8_t cmasks[] = { 0, 0, 0, 0, 1, 1, 2, 3, 0xff };
	uint64_t sel = draw_of(events);

	if (of_offcore)
		sel = (one_in(2) ? 0xb7 : 0xbb) | (one_in(9) ? sel & 0xff00 : 0x100);
	sel |= (uint64_t)draw_of(cmasks) << 24;
	sel |= draw() & (USR | OS | INTR | ANY);
	sel |= draw() & draw() & INV;
	if (!one_in(6))
		sel |= EN;
	/* The edges of what is there in some cycles only are not in the SDM. */
	if ((sel & 0xff) == 0x3c && !(sel & 0xff00) && one_in(3))
		sel |= EDGE;
	if (register_of(sel) >= 0 && !(sel & INV) && one_in(4))
		sel |= EDGE;
	return one_in(30) ? sel | draw_bits(64) : sel;
}

static uint64_t draw_rsp(void)
{
	uint64_t v = draw();

	if (!p->names || one_in(20))
		return draw_bits(64);
	switch (draw_below(5)) {
	case 0:
		v = p->names->any | requests();
		break;
	case 1:
		v &= responses() | snoops();
		break;
	case 2:
		v &= requests();
		break;
	case 3:
		v &= draw() & draw();
		break;
	}
	v &= rsp_bits();
	if (!one_in(4))
		v = v & p->names->remote ? v | p->names->remote : v;
	return v;
}

static void step(void)
{
	struct ref *r = &ref[draw_below(one_in(2) ? 2 : CPUS)], then;
	unsigned int i = draw_below(CTRS);
	int64_t to, overflows;
	uint64_t left;

	switch (draw_below(14)) {
	case 0:
	case 1:
		write_msr(r, EVTSEL + draw_below(counters + !!one_in(9)), draw_evtsel());
		break;
	case 2:
		/* A few events before the overflow */
		write_msr(r, PMC + draw_below(counters + !!one_in(9)),
			  one_in(2) ? -draw_below(30) : draw_bits(64));
		break;
	case 3:
		write_msr(r, FIXED_CTR + draw_below(FIXED),
			  one_in(2) ? -draw_below(5000) : draw_bits(64));
		break;
	case 4:
		write_msr(r, FIXED_CTRL, one_in(20) ? draw_bits(64) : draw() & 0xfff);
		break;
	case 5:
		write_msr(r, CTRL, !one_in(3) ? global_bits() : one_in(20) ? draw_bits(64) :
			  draw() & global_bits());
		break;
	case 6:
		write_msr(r, one_in(9) ? STATUS : OVF_CTRL,
			  one_in(2) ? r->status : one_in(20) ? draw_bits(64) :
			  1ull << draw_below(35) & global_bits());
		break;
	case 7:
		write_msr(r, RSP + draw_below(2), draw_rsp());
		break;
	case 8:
		read_msr(r, PMC + draw_below(9));
		read_msr(r, EVTSEL + draw_below(9));
		read_msr(r, RSP + draw_below(3));
		read_msr(r, FIXED_CTR - 1 + draw_below(9));
		read_msr(r, FIXED_CTRL + draw_below(4));
		break;
	case 9:
		read_pmc(r,
			 draw_below(10) | (one_in(2) ? 1u << 30 : 0) | (one_in(9) ? 1u << 31 : 0));
		break;
	case 10:
	case 11:
		inject(r);
		break;
	case 12:
		/* Software looks, and then arms the local APIC. */
		read_msr(r, STATUS);
		r->lvt = *lvt(r) = draw_below(2) ? 4 << 8 : one_in(9) ? 2 << 8 | 0x5e : 0x5e;
		if (one_in(5))
			r->lvt = *lvt(r) |= 0x10000;
		break;
	default:
		/* Often to a clock's overflow, or to just before it */
		to = shim_now + (one_in(2) ? draw_below(3000) : draw_bits(34));
		left = mask(i) - r->ctr[i];
		if (one_in(2) && runs(r, i) && rate(r, i) && left < 1u << 30) {
			overflows = shim_now + left * 1000 / rate(r, i) - draw_below(20);
			to = MAX(to, overflows);
		}
		shim_advance(to);
		for (r = ref; r < ref + CPUS; r++) {
			/* Where a cycle of a slow clock may round to the other side, look. */
			then = *r;
			pass(&then, MAX(to - 12, r->synced));
			pass(r, to);
			if (then.interrupts == r->interrupts && then.lvt == r->lvt)
				check_interrupts(r);
			else
				read_msr(r, STATUS);
		}
	}
}

static void new_machine(unsigned int round)
{
	p = &processors[round % ARRAY_SIZE(processors)];
	of_offcore = one_in(2);
	counters = 2 + draw_below(7);
	width = one_in(2) ? 48 : 32 + draw_below(17);
	pmu.counters = counters;
	pmu.width = width;
	memset(ref_rsp, 0, sizeof(ref_rsp));
	memset(expects, 0, sizeof(expects));
	memset(nmis, 0, sizeof(nmis));
	memset(vectors, 0, sizeof(vectors));
	say("core-pmu expect reset");
	for (unsigned int i = 0; i < CPUS; i++) {
		struct ref *r = &ref[i];
		uint32_t family = p->family << 8,
			 model = (p->model & 15) << 4 | p->model >> 4 << 16;

		*r = (struct ref){ .cpu = X86_CPU(qemu_get_cpu(i)), .ctrl = (1u << counters) - 1,
				   .synced = shim_now, .lvt = 0x10000 };
		*lvt(r) = r->lvt;
		r->cpu->socket_id = draw_below(2);
		r->cpu->die_id = one_in(4);
		r->cpu->core_id = draw_below(2);
		r->cpu->env.cpuid_version = family | model | draw_below(16);
	}
	/* Processors that have not had an access yet have no state that a reset would find. */
	for (unsigned int i = 0; i < CPUS; i++)
		core_pmu_cpu(&pmu, ref[i].cpu);
	reset_pmu(&pmu);
}

static void expect(void)
{
	unsigned int who = 1 + draw_below(3);
	uint64_t value = draw_rsp();

	expects[who] = true;
	expected[who] = value;
	say("core-pmu expect usr=%u,os=%u,rsp=0x%llx", who & 1, who >> 1, value);
}

/* Leaf 0xa has the counters. */
static void check_cpuid(void)
{
	uint32_t eax, ebx, ecx, edx;

	core_pmu_cpuid(&eax, &ebx, &ecx, &edx);
	bench_cases++;
	if (eax != (3 | counters << 8 | width << 16 | 7 << 24) || ebx || ecx ||
	    edx != (3 | 48 << 5))
		differs("CPUID 0xa of %u counters of %u bits: 0x%x 0x%x 0x%x 0x%x", counters,
			width, eax, ebx, ecx, edx);
}

/* Errata AAK100, AAP53, BD53: what runs on counter 0, in turn; whether that is reported */
static void test_errata(void)
{
	static const struct {
		unsigned int model;
		uint16_t events[6];
		bool found;
	} cases[] = {
		{ 0x1a, { 0x1b7 }, true },
		{ 0x1a, { 0xb5, 0xd2, 0xb1, 0x1b7 }, false },
		{ 0x1a, { 0xb1, 0xb5, 0xd2, 0x1b7 }, false },
		{ 0x1a, { 0xb5, 0xb1, 0x1b7 }, true },
		{ 0x1a, { 0x1b5, 0xd2, 0xb1, 0x1b7 }, true },
		{ 0x1a, { 0xb5, 0x1d2, 0xb1, 0x1b7 }, true },
		{ 0x1a, { 0xb5, 0xd2, 0xb1, 0x1b7, 0x3c, 0x1b7 }, true },
		{ 0x1a, { 0xb5, 0xd2, 0xb1, 0x1b7, 0x1b7 }, false },
		{ 0x1a, { 0x3c, 0xc0 }, false },
		{ 0x2c, { 0x1bb }, true },
		{ 0x2d, { 0x1b7, 0x3c, 0x1bb }, false },
		{ 0x2a, { 0x1b7 }, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int round = 0;
		bool found;

		while (processors[round].model != cases[i].model)
			round++;
		new_machine(round);
		x86_msr_hook_write(ref[0].cpu, RSP, rsp_bits());
		x86_msr_hook_write(ref[0].cpu, RSP + 1, rsp_bits());
		say("core-pmu checker reset");
		for (unsigned int e = 0; e < 6 && cases[i].events[e]; e++) {
			x86_msr_hook_write(ref[0].cpu, EVTSEL, cases[i].events[e] | USR | EN);
			x86_msr_hook_write(ref[0].cpu, EVTSEL, cases[i].events[e] | USR);
		}
		bench_cases++;
		found = say("core-pmu checker reset") == MODEL_STATUS_FOUND;
		if (found != cases[i].found || (found && !strstr(said, "without a reset")))
			differs("model 0x%x, case %u: '%s'", cases[i].model, i, said);
	}
	bench_test("counters that were not reset are reported");
}

/* The device takes what it can be, and refuses what it cannot. */
static void test_shapes(void)
{
	static const uint32_t shapes[][3] = {
		{ 1, 48, false }, { 9, 48, false }, { 4, 31, false }, { 4, 49, false },
		{ 8, 32, true }, { 8, 32, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(shapes); i++) {
		Error *err = NULL;
		bool taken;

		pmu.counters = shapes[i][0];
		pmu.width = shapes[i][1];
		bench_class->realize((DeviceState *)&pmu, &err);
		taken = !err;
		bench_cases++;
		if (taken != shapes[i][2])
			differs("counters=%u,width=%u: %s", shapes[i][0], shapes[i][1],
				err ? err->text : "taken");
		bench_free(err);
	}
	bench_test("shapes; a second device is refused");
}

int main(int argc, char **argv)
{
	bench_begin(argc, argv);
	shim_types();
	for (unsigned int i = 0; i < CPUS; i++)
		bench_cpu(0, 0, i);
	test_shapes();
	test_errata();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		new_machine(round);
		check_cpuid();
		for (unsigned int i = 0; i < STEPS && !bench_wrong; i++) {
			if (one_in(60))
				expect();
			step();
		}
	}
	bench_test("drawn accesses, transactions and times");
	return bench_done();
}
