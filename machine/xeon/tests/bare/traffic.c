// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count the program's own accesses exactly to the line: two runs that differ only in the number of
 * lines differ in nothing else.
 */

#include "boxes.h"

#define LINE		64
#define LLC_LINES	(20u << 20 >> 6)	/* of eight slices */
#define MEMORY		((volatile uint32_t *)0x1000000)
/* Memory of the second socket, on two with 32 MiB each */
#define REMOTE		((volatile uint32_t *)0x2800000)
#define CAS_RD		0x0304

static unsigned int figure(const char *name)
{
	const char *p = cmd_answer;
	unsigned int v = 0;

	while (*p) {
		const char *n = name;

		while (*n && *p == *n) {
			p++;
			n++;
		}
		if (!*n && *p == '=') {
			while (*++p >= '0' && *p <= '9')
				v = v * 10 + *p - '0';
			return v;
		}
		while (*p && *p++ != '\n')
			;
	}
	ok(false, "the model has no figure '%s'", name);
	return 0;
}

static unsigned int stride = LINE;

static void read_lines(unsigned int lines)
{
	for (unsigned int i = 0; i < lines; i++)
		(void)MEMORY[i * (stride / 4) % (8 << 20)];
}

static void write_lines(unsigned int lines)
{
	for (unsigned int i = 0; i < lines; i++)
		MEMORY[i * (LINE / 4)] = i;
}

static void stream_lines(unsigned int lines)
{
	for (unsigned int i = 0; i < lines * (LINE / 4); i++)
		asm volatile("movnti %1, %0" : "=m"(MEMORY[i]) : "r"(i));
}

static void read_remote_lines(unsigned int lines)
{
	for (unsigned int i = 0; i < lines; i++)
		(void)REMOTE[i * (LINE / 4)];
}

static unsigned int now(const char *name)
{
	cmd("traffic");
	return figure(name);
}

/* How often a flow happens in passes over so many lines, with empty caches before the first */
static unsigned int run(void (*pass)(unsigned int lines), unsigned int lines, unsigned int passes,
			const char *flow)
{
	unsigned int before = now(flow);

	cmd("traffic empty");
	cmd("traffic on");
	while (passes--)
		pass(lines);
	cmd("traffic off");
	return now(flow) - before;
}

/* Difference between runs over @few and @many lines, or with one pass more */
static unsigned int more(void (*pass)(unsigned int lines), unsigned int few, unsigned int many,
			 const char *flow)
{
	return run(pass, many, 1, flow) - run(pass, few, 1, flow);
}

static unsigned int again(void (*pass)(unsigned int lines), unsigned int lines, const char *flow)
{
	return run(pass, lines, 3, flow) - run(pass, lines, 2, flow);
}

static void is(const char *what, unsigned int got, unsigned int expected)
{
	ok(got == expected, "%s: %u, and %u are right", what, got, expected);
}

/* A pass that fills a cache evicts the program's stack and code, a few lines. */
static void just_over(const char *what, unsigned int got, unsigned int expected)
{
	ok(got >= expected && got <= expected + 8, "%s: %u, and %u are right and some of the program's own", what, got, expected);
}

/*
 * A page has 8 KiB, and 32 KiB of memory over four channels: count how many of 8,000 reads find it
 * open, by table 2-65. ACT_COUNT, PRE_COUNT.PAGE_MISS, CAS_COUNT.RD
 */
static void test_pages(unsigned int bytes, unsigned int expected)
{
	static const uint8_t fn[] = { 0, 1, 4, 5 };
	static const uint32_t events[] = { 0x0001, 0x0102, CAS_RD };
	unsigned int count[3] = { 0 }, act, pre, cas, hits;

	stride = bytes;
	for (unsigned int i = 0; i < 12; i++)
		start_pci(BUS(1), 16, fn[i / 3], i % 3, events[i % 3]);
	run(read_lines, 8000, 1, "drd");
	for (unsigned int i = 0; i < 12; i++)
		count[i % 3] += stop_pci(BUS(1), 16, fn[i / 3], i % 3);
	act = count[0];
	pre = count[1];
	cas = count[2];
	hits = cas - (act - pre) - pre;
	ok(cas >= 8000 && hits + 80 > expected && hits < expected + 80,
	   "PCT_REQUESTS_PAGE_HIT of reads %u bytes apart: %u of %u, and %u of 8000 are right",
	   bytes, hits, cas, expected);
}

/* On a machine with one processor, whose socket is on the last bus */
SET("traffic", test_traffic)
{
	unsigned int before = now("drd"), big = LLC_LINES * 3 / 2;

	read_lines(1000);
	is("off: nothing is counted", now("drd") - before, 0);
	is("read: a lookup for each line", more(read_lines, 1000, 3000, "drd"), 2000);
	is("read: and a read from memory", more(read_lines, 1000, 3000, "read_local"), 2000);
	is("write: a request to own each line", more(write_lines, 1000, 3000, "rfo"), 2000);
	is("write: and a read from memory", more(write_lines, 1000, 3000, "read_local"), 2000);
	is("stream: each line is written to memory", more(stream_lines, 1000, 3000, "write_local"), 2000);
	is("stream: and none is read", more(stream_lines, 1000, 3000, "read_local"), 0);
	is("32 KiB once more: L1 has it", again(read_lines, 400, "drd"), 0);
	is("128 KiB once more: L2 has it", again(read_lines, 2048, "drd"), 0);
	just_over("1 MiB once more: each line is looked up", again(read_lines, 16384, "drd"), 16384);
	is("1 MiB once more: no memory is read", again(read_lines, 16384, "read_local"), 0);
	just_over("1 MiB written once more: L2 puts it out", again(write_lines, 16384, "wb"), 16384);
	is("1 MiB written once more: the LLC does not", again(write_lines, 16384, "write_local"), 0);
	just_over("30 MiB once more: all of it is read", again(read_lines, big, "read_local"), big);
	just_over("30 MiB written once more: it is written", again(write_lines, big, "write_local"), big);
	just_over("and put out by the LLC", again(write_lines, big, "victim"), big);
	test_pages(LINE, 8000 - 8000 / 512 * 4);
	test_pages(8192, 8000 * 3 / 4);
	test_pages(32768, 0);
	ok(cmd("traffic sideways") == MODEL_STATUS_ERROR &&
	   answered("on, off, empty or table, not 'sideways'"), "a word that there is not");
	print_rows("traffic");
}

/*
 * The LLC's sets as lists of lines, most recently used first. Contiguous memory fills all sets
 * evenly, whichever slice they are in.
 */
#define LLC_SETS	16384u
#define LLC_WAYS	20u

static uint32_t kept[LLC_SETS][LLC_WAYS];
static unsigned int missed;

static void simulate(uint32_t line)
{
	uint32_t *set = kept[line % LLC_SETS], now = line + 1;

	for (unsigned int i = 0; i < LLC_WAYS; i++) {
		uint32_t before = set[i];

		set[i] = now;
		now = before;
		if (before == line + 1)
			return;
	}
	missed++;
}

static void touch(uint32_t line)
{
	(void)MEMORY[line * (LINE / 4)];
}

/* simulate() or touch(); the access orders below call it for each line */
static void (*use)(uint32_t line);

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	return *x ^= *x << 5;
}

/* A random line of 40 MiB, more often near the start, so that LRU matters. */
static void scattered(unsigned int times)
{
	const uint32_t lines = 40u << 20 >> 6;
	uint32_t seed = 1;

	while (times--) {
		uint32_t line = lines;

		for (unsigned int n = 0; n < 4; n++) {
			uint32_t other = next_random(&seed) % lines;

			line = other < line ? other : line;
		}
		use(line);
	}
}

/* Columns of a matrix whose rows are 8 KiB */
static void columns(unsigned int rows)
{
	for (unsigned int word = 0; word < 128; word++)
		for (unsigned int row = 0; row < rows; row++)
			use(row * 128 + word / 16);
}

static void replaced(const char *what, void (*order)(unsigned int n), unsigned int n)
{
	unsigned int got;

	for (unsigned int i = 0; i < LLC_SETS * LLC_WAYS; i++)
		kept[i / LLC_WAYS][i % LLC_WAYS] = 0;
	missed = 0;
	use = simulate;
	order(n);
	use = touch;
	got = run(order, n, 1, "read_local");
	ok(got < missed + missed / 50 && got > missed - missed / 50,
	   "%s: the LLC misses %u, and one that replaces the line used least recently %u", what,
	   got, missed);
}

/* Within two percent: the core's caches hold some lines, and the program needs some */
SET("replacement", test_replacement)
{
	replaced("1,500,000 scattered reads", scattered, 1500000);
	replaced("columns of 2048 rows, which the LLC can hold", columns, 2048);
	replaced("columns of 4096 rows, which it cannot", columns, 4096);
}

/* The other socket's processor answers through a line that both write. */
static void ask(unsigned int times)
{
	while (times--)
		ap_msr_read(0xd04, NULL);
}

/* The code of the waiting processor, which bare.c puts there */
static void read_its_code(unsigned int times)
{
	/* It has to be running already. */
	ask(1);
	while (times--)
		(void)*(volatile uint32_t *)0x8000;
}

/* Counts of both sockets, by kind of function and counter */
enum { HOME, CHANNEL, QPI, KINDS };

struct counts {
	unsigned int n[KINDS][2][4];
};

/* Events are reads and writes, or data and other flits that are sent, and that are received. */
static const struct function {
	uint8_t kind, dev, fn, ctrs;
	uint16_t event[4];
} functions[] = {
	{ HOME, 14, 1, 2, { 0x0301, 0x0c01 } },
	{ CHANNEL, 16, 0, 2, { CAS_RD, 0x0c04 } },
	{ CHANNEL, 16, 1, 2, { CAS_RD, 0x0c04 } },
	{ CHANNEL, 16, 4, 2, { CAS_RD, 0x0c04 } },
	{ CHANNEL, 16, 5, 2, { CAS_RD, 0x0c04 } },
	{ QPI, 8, 2, 4, { 0x0200, 0x0400, 0x0201, 0x0401 } },
	{ QPI, 9, 2, 4, { 0x0200, 0x0400, 0x0201, 0x0401 } },
};

/* Start all counters, or stop them and add what they have counted. */
static void each_counter(struct counts *sum)
{
	for (unsigned int s = 0; s < 2; s++) {
		/* LLC_LOOKUP.DATA_READ of lines in state I */
		for (unsigned int msr = 0xd10; !sum && msr < 0xe00; msr += 0x20) {
			msr_write_on(s, msr + 4, STATE(1), NULL);
			msr_write_on(s, msr + 6, 0, NULL);
			msr_write_on(s, msr, 0x0334 | EN, NULL);
		}
		for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
			const struct function *f = &functions[i];

			for (unsigned int c = 0; c < f->ctrs; c++) {
				if (sum)
					sum->n[f->kind][s][c] += stop_pci(BUS(s), f->dev, f->fn, c);
				else
					start_pci(BUS(s), f->dev, f->fn, c, f->event[c]);
			}
		}
	}
}

static struct counts conserved(const char *what, void (*pass)(unsigned int lines),
			       unsigned int lines)
{
	struct counts sum = { 0 };
	unsigned int miss = 0, asked;

	each_counter(NULL);
	run(pass, lines, 1, "drd");
	for (unsigned int c = 0; c < 8; c++)
		miss += msr_read(0xd16 + 0x20 * c, NULL) + ap_msr_read(0xd16 + 0x20 * c, NULL);
	each_counter(&sum);
	asked = sum.n[HOME][0][0] + sum.n[HOME][1][0];
	ok(miss == asked && miss, "%s: the LLCs miss what the homes are asked for (%u, %u)", what, miss, asked);
	for (unsigned int s = 0; s < 2; s++) {
		const unsigned int *home = sum.n[HOME][s], *channel = sum.n[CHANNEL][s];
		const unsigned int *qpi = sum.n[QPI][s], *other = sum.n[QPI][!s];

		ok(home[0] == channel[0] && home[1] == channel[1],
		   "%s: socket %u: what its home is asked for its channels read and write (%u, %u)",
		   what, s, channel[0], channel[1]);
		ok(qpi[0] == other[2] && qpi[1] == other[3] && qpi[1],
		   "%s: socket %u: what it sends the other receives (%u flits of data, %u others)",
		   what, s, qpi[0], qpi[1]);
	}
	return sum;
}

/* Requests, suppliers and snoop results of MSR_OFFCORE_RSP, SDM tables 18-36 to 18-38 */
#define DATA_RD		1u
#define READS		7u	/* RFOs and code fetches as well */
#define LOCAL		(1u << 22)
#define FAR_AWAY	(0xffu << 23)
#define SNP_MISS	2u
#define SNP_FWD		8u
#define HITM		16u

/* The core's counters 0 and 1, each with its register of offcore responses */
static void start_core(uint32_t low0, uint32_t high0, uint32_t low1, uint32_t high1)
{
	msr_write(0x186, 0, NULL);
	msr_write(0x187, 0, NULL);
	msr_write(0x1a6, (uint64_t)high0 << 32 | low0, NULL);
	msr_write(0x1a7, (uint64_t)high1 << 32 | low1, NULL);
	msr_write(0xc1, 0, NULL);
	msr_write(0xc2, 0, NULL);
	/* In rings 0 and 3 */
	msr_write(0x186, 0x4301b7, NULL);
	msr_write(0x187, 0x4301bb, NULL);
}

static unsigned int core_count(unsigned int i)
{
	return msr_read(0xc1 + i, NULL);
}

/* On a machine of two sockets with one processor and 32 MiB each */
SET("traffic-two", test_traffic_two)
{
	unsigned int sent, forwarded;
	struct counts n;

	start_core(DATA_RD | LOCAL, SNP_MISS, DATA_RD | FAR_AWAY, SNP_MISS);
	run(read_lines, 5000, 1, "drd");
	just_over("the core has near memory as local", core_count(0), 5000);
	run(read_remote_lines, 3000, 1, "drd");
	just_over("and far memory as remote", core_count(1), 3000);

	is("near memory: read from the own home", more(read_lines, 1000, 3000, "read_local"), 2000);
	is("near memory: and not from the other", more(read_lines, 1000, 3000, "read_remote"), 0);
	is("far memory: read from the other home", more(read_remote_lines, 1000, 3000, "read_remote"), 2000);
	is("far memory: and not from the own", more(read_remote_lines, 1000, 3000, "read_local"), 0);
	is("the other socket is asked for each line", more(read_lines, 1000, 3000, "snooped"), 2000);
	/* EVENT_MSG.IPI_RCVD, which only that processor can read */
	cmd("poke 0 ubox ctl0=0x400442,ctr0=0");
	cmd("poke 1 ubox ctl0=0x400442,ctr0=0");
	cmd("traffic on");
	ok(ap_start(), "the second socket's processor runs");
	cmd("traffic off");
	is("which took two messages, INIT and SIPI", ap_msr_read(0xc16, NULL), 2);
	is("and none to the first socket", msr_read(0xc16, NULL), 0);
	cmd("poke 0 ubox ctl0=0");
	cmd("poke 1 ubox ctl0=0");
	conserved("near memory", read_lines, 5000);
	n = conserved("far memory", read_remote_lines, 5000);
	is("far memory: eight flits of data a line", n.n[QPI][1][0], 8 * n.n[CHANNEL][1][0]);
	sent = now("hitm_remote") + now("read_local_forwarded");
	start_core(READS | LOCAL | FAR_AWAY, HITM | SNP_FWD, READS | LOCAL | FAR_AWAY, HITM);
	n = conserved("a line that two sockets write", ask, 200);
	sent = now("hitm_remote") + now("read_local_forwarded") - sent;
	is("the core has each line of the other's as hitm or snp_fwd", core_count(0), sent);
	ok(core_count(1) >= 190, "as hitm nearly all of them (%u)", core_count(1));
	ok(n.n[QPI][1][0] == 8 * sent && sent >= 200,
	   "the second one, for which it is far, sends it with each answer (%u flits)",
	   n.n[QPI][1][0]);
	forwarded = now("read_local_forwarded");
	sent = now("hitm_remote") + forwarded;
	start_core(DATA_RD | FAR_AWAY, SNP_FWD, READS | FAR_AWAY, HITM | SNP_FWD);
	n = conserved("a line that the other socket has", read_its_code, 1);
	forwarded = now("read_local_forwarded") - forwarded;
	ok(core_count(0), "the core has it as snp_fwd (%u)", core_count(0));
	is("and all that the other socket forwards as that or hitm", core_count(1), forwarded);
	sent = now("hitm_remote") + now("read_local_forwarded") - sent;
	ok(n.n[QPI][1][0] == 8 * sent && forwarded, "it forwards the line (%u of %u flits)", 8 * forwarded, n.n[QPI][1][0]);
}
