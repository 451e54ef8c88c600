// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open every alias of every PMU on every socket as perf does, inject its event, and read the exact
 * count. Events that must not count (other unit mask, filter value or socket) are injected, too.
 * count NUMBER: check the number of PMUs.
 */
#include <string.h>

#include "kselftest.h"
#include "api/model.h"
#include "api/uncore.h"

#define MAX_GROUP	4
#define MAX_STIMS	24
#define MAX_COMPLAINTS	12

/* Clock events, which count time and not injections */
static const struct clock {
	const char *kind;
	unsigned int code;
} clocks[] = {
	{ "cbox", 0x00 }, { "ha", 0x00 }, { "imc", 0xff }, { "imc", 0x00 }, { "pcu", 0x00 },
	{ "qpi", 0x14 }, { "r2pcie", 0x01 }, { "r3qpi", 0x01 }, { "ubox", 0xff },
};

/**
 * struct plan - an alias, and what to do to it
 * @name: the alias
 * @text: its encoding, nothing left to ask
 * @enc: the same in numbers
 * @code: event select, with ext in bit 8
 * @umask: unit mask, or the occupancy select in its place
 * @clock: it is one
 * @alone: its misses are hits of others
 * @done: was counted, or is the subject of another program
 * @hit: stimuli that it counts
 * @miss: stimuli that it does not count
 */
struct plan {
	char *name;
	char text[256];
	struct uncore_enc enc;
	unsigned int code, umask;
	bool clock, alone, done;
	unsigned int nr_hit, nr_miss;
	char hit[MAX_STIMS][96];
	char miss[MAX_STIMS][96];
};

static struct plan plans[256];
static unsigned int nr_plans;

#define HIT(p, ...)							\
	snprintf((p)->hit[(p)->nr_hit++], sizeof((p)->hit[0]), __VA_ARGS__)

#define MISS(p, ...)							\
	snprintf((p)->miss[(p)->nr_miss++], sizeof((p)->miss[0]), __VA_ARGS__)

/* Values for =? fields, with 0 and 1 bits */
static const char *parameter(const char *kind, const char *field)
{
	if (!strcmp(field, "filter_nid"))
		return "0x05";
	if (!strcmp(field, "filter_addr"))
		return "0x923456789";
	if (!strcmp(field, "filter_opc"))
		return strcmp(kind, "ha") ? "0x182" : "0x15";
	if (!strcmp(field, "filter_tid"))
		return "0x0b";
	if (!strncmp(field, "filter_band", 11))
		return "0x0d";
	return NULL;
}

/* "event=1,filter_nid=?" with the values */
static bool fill_in(const struct uncore_pmu *pmu, const char *alias, char *text, size_t size)
{
	char copy[256], *save = NULL, *item;
	size_t len = 0;

	snprintf(copy, sizeof(copy), "%s", alias);
	for (item = strtok_r(copy, ",", &save); item;
	     item = strtok_r(NULL, ",", &save)) {
		char *ask = strstr(item, "=?");
		const char *value = "";

		if (ask) {
			*ask = 0;
			value = parameter(pmu->kind, item);
			if (!value)
				return false;
		}
		len += snprintf(text + len, size - len, "%s%s%s%s",
				len ? "," : "", item, ask ? "=" : "", value);
	}
	return true;
}

/* All unit mask bits that aliases of this event have */
static unsigned int sibling_bits(const struct plan *p)
{
	unsigned int i, bits = 0;

	for (i = 0; i < nr_plans; i++) {
		if (plans[i].code == p->code)
			bits |= plans[i].umask;
	}
	return bits;
}

/* A unit mask whose bits are independent events */
static void plan_bits(struct plan *p)
{
	unsigned int others = sibling_bits(p) & ~p->umask, bit;
	char event[32];

	snprintf(event, sizeof(event), "event=0x%02x%s", p->code & 0xff,
		 p->code >> 8 ? ",ext=1" : "");
	if (!p->umask) {
		HIT(p, "%s", event);
		return;
	}
	for (bit = 1; bit < 0x100; bit <<= 1) {
		if (p->umask & bit)
			HIT(p, "%s,umask=0x%02x", event, bit);
		if (others & bit)
			MISS(p, "%s,umask=0x%02x", event, bit);
	}
}

/* Target nodes: those of the filter and the others */
static void plan_nids(const struct uncore_pmu *pmu, struct plan *p, const char *stim)
{
	unsigned int nids = uncore_get(pmu, &p->enc, "filter_nid"), nid;

	if (!(p->umask & 0x40)) {
		HIT(p, "%s,nid=3", stim);
		return;
	}
	for (nid = 0; nid < 4; nid++) {
		if (nids & (1u << nid))
			HIT(p, "%s,nid=%u", stim, nid);
		else
			MISS(p, "%s,nid=%u", stim, nid);
	}
}

/* Table 2-16: bits 1 to 3 are the kind of request, 6 the node */
static void plan_lookup(const struct uncore_pmu *pmu, struct plan *p)
{
	/* none stands for all five */
	unsigned int states = uncore_get(pmu, &p->enc, "filter_state") ?: 0x1f;
	unsigned int types = p->umask & 0x0e, state;
	char stim[64];

	for (state = 1; state <= 0x10; state <<= 1) {
		snprintf(stim, sizeof(stim),
			 "event=0x34,umask=0x%02x,state=0x%02x",
			 types ? types : 0x02, state);
		if (states & state)
			plan_nids(pmu, p, stim);
		else
			MISS(p, "%s", stim);
	}
	if (types && types != 0x0e)
		MISS(p, "event=0x34,umask=0x%02x", 0x0e & ~types);
}

/* Tables 2-30 and 2-31 */
static void plan_tor(const struct uncore_pmu *pmu, struct plan *p)
{
	unsigned int opc = uncore_get(pmu, &p->enc, "filter_opc");
	unsigned int happens = p->umask & 0x17;
	char stim[64], at[32] = "";

	if (p->umask & 0x40)
		strcpy(at, ",nid=0");
	snprintf(stim, sizeof(stim), "event=0x%02x,umask=0x%02x,opc=0x%03x",
		 p->code, happens, opc ? opc : 0x187);
	plan_nids(pmu, p, stim);
	if (p->umask & 0x01) {
		MISS(p, "event=0x%02x,umask=0x%02x,opc=0x%03x%s", p->code, happens, opc ^ 1, at);
		/* an entry that did not come from the IRQ has no opcode */
		MISS(p, "event=0x%02x,umask=0x%02x,opc=0x%03x%s", p->code, happens & ~1u, opc, at);
	}
	if (p->umask & 0x02)
		MISS(p, "event=0x%02x,umask=0x%02x,opc=0x%03x%s", p->code,
		     happens & ~2u, opc ? opc : 0x187, at);
	if (p->umask & 0x14)
		MISS(p, "event=0x%02x,umask=0x03%s", p->code, at);
}

/* Table 2-17 */
static void plan_victims(const struct uncore_pmu *pmu, struct plan *p)
{
	if (p->umask == 0x40)
		plan_nids(pmu, p, "event=0x37,umask=0x01");
	else
		plan_bits(p);
}

/* Tables 2-37 to 2-39: the address is compared from bit 12 on. */
static void plan_addr(const struct uncore_pmu *pmu, struct plan *p)
{
	unsigned long long addr =
		uncore_get(pmu, &p->enc, "filter_addr") << 6;
	unsigned int opc = uncore_get(pmu, &p->enc, "filter_opc");

	HIT(p, "event=0x20,addr=%#llx,opc=%#x", addr, opc);
	HIT(p, "event=0x20,addr=%#llx,opc=%#x", addr ^ 0xfff, opc);
	MISS(p, "event=0x20,addr=%#llx,opc=%#x", addr ^ 1 << 12, opc);
	MISS(p, "event=0x20,addr=%#llx,opc=%#x", addr ^ 1ull << 45, opc);
	MISS(p, "event=0x20,addr=%#llx,opc=%#x", addr, opc ^ 0x20);
	MISS(p, "event=0x20,addr=%#llx,opc=%#x", addr, opc ^ 1);
}

/* The ready-made events of Table 2-80 */
static bool plan_pcu_case(struct plan *p)
{
	if (!strncmp(p->name, "cores_c0_over4_", 15)) {
		HIT(p, "event=0x80,umask=0x40,inc=5");
		HIT(p, "event=0x80,umask=0x40,inc=8");
		MISS(p, "event=0x80,umask=0x40,inc=4");
		MISS(p, "event=0x80,umask=0x80,inc=5");
	} else if (!strcmp(p->name, "volt_trans_cores_c0_over4_cycles")) {
		HIT(p, "event=0x03,c0=5");
		MISS(p, "event=0x03,c0=4");
		MISS(p, "event=0x03,c3=5");
		/* Injections that it must not count are another event's. */
		MISS(p, "event=0x02,c0=5");
		p->alone = true;
	} else if (!strcmp(p->name, "below_2ghz_cores_c0_under4_cycles")) {
		HIT(p, "event=0x0b,freq=1900,c0=3");
		MISS(p, "event=0x0b,freq=2000,c0=3");
		MISS(p, "event=0x0b,freq=1900,c0=4");
	} else {
		return false;
	}
	return true;
}

static void plan_pcu(const struct uncore_pmu *pmu, struct plan *p)
{
	unsigned int sel = p->umask >> 6, other, band;
	char field[16];

	if (plan_pcu_case(p))
		return;
	if (p->code == 0x80) {
		HIT(p, "event=0x80,umask=0x%02x", sel << 6);
		for (other = 1; other < 4; other++) {
			if (other != sel)
				MISS(p, "event=0x80,umask=0x%02x,inc=3", other << 6);
		}
		return;
	}
	if (p->code < 0x0b || p->code > 0x0e) {
		plan_bits(p);
		return;
	}
	/* Table 2-77: at or above the band's frequency, in 100 MHz */
	snprintf(field, sizeof(field), "filter_band%u", p->code - 0x0b);
	band = uncore_get(pmu, &p->enc, field);
	HIT(p, "event=0x%02x,freq=%u", p->code, 100 * band);
	HIT(p, "event=0x%02x,freq=%u", p->code, 100 * band + 700);
	MISS(p, "event=0x%02x,freq=%u", p->code, 100 * band - 1);
}

/* Tables 2-88 to 2-91: a packet, of which the mask selects fields */
static const char * const packet_fields[] = {
	"rds", "rnid", "dnid", "mc", "opc", "vnw",
};

static unsigned int packet_get(const struct uncore_pmu *pmu,
			       const struct plan *p, const char *word,
			       const char *field)
{
	char name[32];

	if (strcmp(field, "rnid")) {
		snprintf(name, sizeof(name), "%s_%s", word, field);
		return uncore_get(pmu, &p->enc, name);
	}
	snprintf(name, sizeof(name), "%s_rnid4", word);
	if (uncore_get(pmu, &p->enc, name))
		return 0x10 | packet_get(pmu, p, word, "rnid30");
	return packet_get(pmu, p, word, "rnid30");
}

static void packet(const struct uncore_pmu *pmu, const struct plan *p,
		   const char *wrong, char *out, size_t size)
{
	static const unsigned int all[] = { 0xf, 0x1f, 0x1f, 0xf, 0xf, 3 };
	unsigned int i;
	size_t len = snprintf(out, size, "event=0x38,ext=1");

	for (i = 0; i < ARRAY_SIZE(packet_fields); i++) {
		const char *f = packet_fields[i];
		unsigned int mask = packet_get(pmu, p, "mask", f);
		/* what is not looked at is all ones */
		unsigned int val = packet_get(pmu, p, "match", f) |
				   (all[i] & ~mask);

		if (!strcmp(wrong, f))
			val ^= mask & -mask;
		len += snprintf(out + len, size - len, ",%s=%#x", f, val);
	}
}

static void plan_packet(const struct uncore_pmu *pmu, struct plan *p)
{
	char text[96];
	unsigned int i;

	packet(pmu, p, "", text, sizeof(text));
	HIT(p, "%s", text);
	for (i = 0; i < ARRAY_SIZE(packet_fields); i++) {
		if (!packet_get(pmu, p, "mask", packet_fields[i]))
			continue;
		packet(pmu, p, packet_fields[i], text, sizeof(text));
		MISS(p, "%s", text);
	}
}

/* Whether the port's packet filter is hidden */
static bool no_packets(const struct uncore_pmu *pmu)
{
	const char *hidden = strstr(model("variant"), "hide="), *fn;

	if (!hidden)
		ksft_exit_fail_msg("the machine does not say what it hides\n");
	fn = strstr(hidden, strcmp(pmu->box, "qpi_1") ? "8.6" : "9.6");
	return fn && fn < hidden + strcspn(hidden, "\n");
}

static void plan_stimuli(const struct uncore_pmu *pmu, struct plan *p)
{
	bool cbox = !strcmp(pmu->kind, "cbox");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcmp(clocks[i].kind, pmu->kind) &&
		    clocks[i].code == p->code) {
			p->clock = true;
			return;
		}
	}
	if (cbox && p->code == 0x34)
		plan_lookup(pmu, p);
	else if (cbox && (p->code == 0x35 || p->code == 0x36))
		plan_tor(pmu, p);
	else if (cbox && p->code == 0x37)
		plan_victims(pmu, p);
	else if (!strcmp(pmu->kind, "ha") && p->code == 0x20)
		plan_addr(pmu, p);
	else if (!strcmp(pmu->kind, "pcu"))
		plan_pcu(pmu, p);
	else if (!strcmp(pmu->kind, "qpi") && p->code == 0x138)
		plan_packet(pmu, p);
	else
		plan_bits(p);
	/*
	 * One looks at what another counter counts: see cases/uncore/group.c. Others
	 * are refused where the filter cannot be reached.
	 */
	p->done = (cbox && p->code == 0x1f) ||
		  (!strcmp(pmu->kind, "qpi") && p->code == 0x138 && no_packets(pmu));
}

static bool plan_all(const struct uncore_pmu *pmu)
{
	char **alias = uncore_aliases(pmu);
	bool good = true;
	unsigned int i;

	nr_plans = 0;
	memset(plans, 0, sizeof(plans));
	for (; *alias; alias++) {
		struct plan *p = &plans[nr_plans];
		char *text = uncore_alias(pmu, *alias);
		const char *why = "asks for something unknown";

		p->name = *alias;
		if (text && fill_in(pmu, text, p->text, sizeof(p->text)))
			why = uncore_encode(pmu, p->text, &p->enc);
		if (why) {
			ksft_print_msg("%s/%s/ = '%s': %s\n", pmu->name,
				       *alias, text ? text : "", why);
			good = false;
			continue;
		}
		free(text);
		p->code = uncore_get(pmu, &p->enc, "event");
		p->umask = strcmp(pmu->kind, "pcu") ?
			   uncore_get(pmu, &p->enc, "umask") :
			   uncore_get(pmu, &p->enc, "occ_sel") << 6;
		nr_plans++;
	}
	for (i = 0; i < nr_plans; i++)
		plan_stimuli(pmu, &plans[i]);
	return good;
}

static unsigned int complaints;

#define COMPLAIN(...)							\
do {									\
	if (complaints++ < MAX_COMPLAINTS)				\
		ksft_print_msg(__VA_ARGS__);				\
} while (0)

struct results {
	bool exact, missed;
	unsigned int hits, misses, clocks;
};

/* Events that are counted together, on one socket */
struct group {
	unsigned int n;
	int fd[MAX_GROUP];
	uint64_t expect[MAX_GROUP];
};

static bool open_on(const struct uncore_pmu *pmu, struct group *g,
		    const struct plan *p, unsigned int socket)
{
	int fd = uncore_try(pmu, p->text, socket, g->n ? g->fd[0] : -1);

	if (fd < 0 && !g->n)
		COMPLAIN("%s/%s/ (%s) on socket %u: %s\n", pmu->name, p->name,
			 p->text, socket, strerror(-fd));
	if (fd < 0)
		return false;
	g->expect[g->n] = 0;
	g->fd[g->n++] = fd;
	return true;
}

/* Events of the same code would count each other's stimulus. */
static unsigned int family(const struct uncore_pmu *pmu, const struct plan *p)
{
	if (strcmp(pmu->kind, "pcu"))
		return p->code;
	/* An event with an occupancy beside it is a form of the event. */
	return p->code & 0x17f;
}

static unsigned int make_group(const struct uncore_pmu *pmu, struct group *g, struct plan **in)
{
	unsigned int i, j, s, n = 0, refused = 0;

	for (s = 0; s < uncore_nr_sockets; s++)
		g[s].n = 0;
	for (i = 0; i < nr_plans && n < MAX_GROUP && refused < 3; i++) {
		struct plan *p = &plans[i];

		if (p->done || (n && p->alone))
			continue;
		for (j = 0; j < n; j++) {
			if (family(pmu, in[j]) == family(pmu, p))
				break;
		}
		if (j < n)
			continue;
		if (!open_on(pmu, &g[0], p, 0)) {
			refused++;
			if (!n)
				return 0;
			continue;
		}
		for (s = 1; s < uncore_nr_sockets; s++) {
			if (!open_on(pmu, &g[s], p, s))
				COMPLAIN("%s/%s/: socket 0 takes it beside %u others, socket %u does not\n",
					 pmu->name, p->name, n, s);
		}
		p->done = true;
		in[n++] = p;
		if (p->alone)
			break;
	}
	return n;
}

/* Inject each stimulus a different number of times. */
static uint64_t next_count(void)
{
	static uint64_t n = 1000;

	n += 1 + n % 7;
	/* every third reaches the high half of a counter in PCI space */
	return n % 3 ? n : n + (1ull << 32);
}

static void happen(const struct uncore_pmu *pmu, struct group *g,
		   struct plan **in, unsigned int n, struct results *r)
{
	unsigned int s, i, h;

	for (i = 0; i < n; i++) {
		for (h = 0; h < in[i]->nr_hit; h++) {
			for (s = 0; s < uncore_nr_sockets; s++) {
				uint64_t count = next_count();

				model("stim %u %s %s,count=%llu", s, pmu->box,
				      in[i]->hit[h],
				      (unsigned long long)count);
				g[s].expect[i] += count;
			}
			r->hits++;
		}
	}
}

static void happen_elsewhere(const struct uncore_pmu *pmu, struct plan **in,
			     unsigned int n, struct results *r)
{
	unsigned int s, i, m;

	for (i = 0; i < n; i++) {
		for (m = 0; m < in[i]->nr_miss; m++) {
			for (s = 0; s < uncore_nr_sockets; s++)
				model("stim %u %s %s,count=1000000", s, pmu->box, in[i]->miss[m]);
			r->misses++;
		}
	}
}

static void check(const struct uncore_pmu *pmu, struct group *g,
		  struct plan **in, unsigned int n, struct results *r,
		  bool after_misses)
{
	unsigned int s, i;

	for (s = 0; s < uncore_nr_sockets; s++) {
		uint64_t count[MAX_GROUP];

		if (g[s].n != n) {
			r->exact = false;
			continue;
		}
		uncore_read_group(g[s].fd[0], n, count, NULL);
		for (i = 0; i < n; i++) {
			if (in[i]->clock) {
				r->clocks += count[i] > 0;
				r->exact &= count[i] > 0;
				continue;
			}
			if (count[i] == g[s].expect[i])
				continue;
			COMPLAIN("%s/%s/ (%s) on socket %u, one of %u: counted %llu, %s %llu\n",
				 pmu->name, in[i]->name, in[i]->text, s, n,
				 (unsigned long long)count[i],
				 after_misses ? "with misses, not" :
				 "happened",
				 (unsigned long long)g[s].expect[i]);
			if (after_misses)
				r->missed = false;
			else
				r->exact = false;
			g[s].expect[i] = count[i];
		}
	}
}

static void count_pmu(const struct uncore_pmu *pmu)
{
	struct results r = { .exact = true, .missed = true };
	struct group g[UNCORE_MAX_SOCKETS];
	struct plan *in[MAX_GROUP];
	unsigned int n, s, i, all = 0, elsewhere = 0;

	complaints = 0;
	r.exact = plan_all(pmu);
	for (i = 0; i < nr_plans; i++)
		elsewhere += plans[i].done;
	for (;;) {
		n = make_group(pmu, g, in);
		if (!n)
			break;
		happen(pmu, g, in, n, &r);
		check(pmu, g, in, n, &r, false);
		happen_elsewhere(pmu, in, n, &r);
		check(pmu, g, in, n, &r, true);
		for (s = 0; s < uncore_nr_sockets; s++) {
			for (i = g[s].n; i--;)
				close(g[s].fd[i]);
		}
		all += n;
	}
	if (all + elsewhere != nr_plans) {
		ksft_print_msg("%s: %u of %u aliases were counted\n",
			       pmu->name, all, nr_plans - elsewhere);
		r.exact = false;
	}
	ksft_test_result(r.exact && r.hits, "%s: %u aliases on %u sockets count what happens, exactly (%u stimuli each)\n",
			 pmu->box, all, uncore_nr_sockets, r.hits);
	ksft_test_result(r.missed, "%s: they count nothing else (%u stimuli each)\n",
			 pmu->box, r.misses);
	ksft_test_result(r.clocks, "%s: its clock runs\n", pmu->box);
}

int main(int argc, char **argv)
{
	unsigned int i, want = argc > 1 ? atoi(argv[1]) : 0;

	ksft_print_header();
	model_init();
	/* Allow events with different filters, as users may. */
	model("checker off one-filter-user");
	uncore_init("snbep_uncore_");
	ksft_set_plan(!!want + 3 * uncore_nr_pmus);
	if (want)
		ksft_test_result(uncore_nr_pmus == want, "%u of %u PMUs are there\n",
				 uncore_nr_pmus, want);
	for (i = 0; i < uncore_nr_pmus; i++)
		count_pmu(&uncore_pmus[i]);
	ksft_finished();
}
