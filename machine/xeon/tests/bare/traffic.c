// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What QEMU adds to traffic mode: each access of a processor reaches the caches, exactly to the
 * line. Two runs that differ only in the number of lines differ in nothing else. What the caches
 * make of them, ../reference/traffic-test.c tests.
 */

#include "boxes.h"

#define LINE		64
#define MEMORY		((volatile uint32_t *)0x1000000)
/* Memory of the second socket, on two with 32 MiB each */
#define REMOTE		((volatile uint32_t *)0x2800000)

/* Counts of a socket, each the sum of its boxes */
enum {
	LOOKUPS, WRITE_LOOKUPS, HOME_READS, HOME_WRITES, CAS_RD, CAS_WR, ACT, PRE,
	DATA_OUT, OTHER_OUT, DATA_IN, OTHER_IN, COUNTS_
};

struct counts {
	unsigned int n[2][COUNTS_];
};

/* PCI functions: their first count, the events of their counters */
static const struct function {
	uint8_t dev, fn, first, ctrs;
	uint16_t event[4];
} functions[] = {
	{ 14, 1, HOME_READS, 2, { 0x0301, 0x0c01 } },
	{ 16, 0, CAS_RD, 4, { 0x0304, 0x0c04, 0x0001, 0x0102 } },
	{ 16, 1, CAS_RD, 4, { 0x0304, 0x0c04, 0x0001, 0x0102 } },
	{ 16, 4, CAS_RD, 4, { 0x0304, 0x0c04, 0x0001, 0x0102 } },
	{ 16, 5, CAS_RD, 4, { 0x0304, 0x0c04, 0x0001, 0x0102 } },
	{ 8, 2, DATA_OUT, 4, { 0x0200, 0x0400, 0x0201, 0x0401 } },
	{ 9, 2, DATA_OUT, 4, { 0x0200, 0x0400, 0x0201, 0x0401 } },
};

static unsigned int sockets = 1;

/* Start all counters, or stop them and add what they have counted. */
static void each_counter(unsigned int s, struct counts *sum)
{
	/* The last bus is that of the last socket. */
	unsigned int bus = BUS(sockets == 1 ? 1 : s);

	for (unsigned int c = 0; c < 2 * 8; c++) {
		/* A missing CBo's registers fault, and read as 0. */
		unsigned int box = 0xd10 + 0x20 * (c / 2), i = c % 2;

		msr_write_on(s, box + i, 0, NULL);
		if (sum) {
			sum->n[s][LOOKUPS + i] += msr_read_on(s, box + 6 + i, NULL);
			continue;
		}
		msr_write_on(s, box + 4, STATE(0x1f), NULL);
		msr_write_on(s, box + 6 + i, 0, NULL);
		msr_write_on(s, box + i, (i ? 0x0534 : 0x0334) | EN, NULL);
	}
	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct function *f = &functions[i];

		for (unsigned int c = 0; c < f->ctrs; c++) {
			if (sum)
				sum->n[s][f->first + c] += stop_pci(bus, f->dev, f->fn, c);
			else
				start_pci(bus, f->dev, f->fn, c, f->event[c]);
		}
	}
}

/* Count a pass over so many lines, with empty caches. */
static struct counts run(void (*pass)(unsigned int lines), unsigned int lines)
{
	struct counts sum = { 0 };

	for (unsigned int s = 0; s < sockets; s++)
		each_counter(s, NULL);
	cmd("traffic empty");
	cmd("traffic on");
	pass(lines);
	cmd("traffic off");
	for (unsigned int s = 0; s < sockets; s++)
		each_counter(s, &sum);
	return sum;
}

/* How much the counts of runs over 1,000 and 3,000 lines differ */
static struct counts more(void (*pass)(unsigned int lines))
{
	struct counts few = run(pass, 1000), many = run(pass, 3000);

	for (unsigned int i = 0; i < 2 * COUNTS_; i++)
		many.n[i / COUNTS_][i % COUNTS_] -= few.n[i / COUNTS_][i % COUNTS_];
	return many;
}

static void read_lines(unsigned int lines)
{
	for (unsigned int i = 0; i < lines; i++)
		(void)MEMORY[i * (LINE / 4)];
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

static void is(const char *what, unsigned int got, unsigned int expected)
{
	ok(got == expected, "%s: %u, and %u are right", what, got, expected);
}

/* A pass brings in some lines of the program's stack and code, too. */
static void just_over(const char *what, unsigned int got, unsigned int expected)
{
	ok(got >= expected && got <= expected + 50,
	   "%s: %u, and %u are right and some of the program's own", what, got, expected);
}

/* On a machine with one processor, whose socket is on the last bus */
SET("traffic", test_traffic)
{
	struct counts n;

	each_counter(0, NULL);
	read_lines(1000);
	n = (struct counts){ 0 };
	each_counter(0, &n);
	is("off: nothing is counted", n.n[0][LOOKUPS], 0);
	n = more(read_lines);
	is("read: a lookup for each line", n.n[0][LOOKUPS], 2000);
	is("read: and a read from memory", n.n[0][HOME_READS], 2000);
	n = more(write_lines);
	is("write: a lookup for each line", n.n[0][LOOKUPS], 2000);
	is("write: and a read from memory", n.n[0][HOME_READS], 2000);
	n = more(stream_lines);
	is("stream: each line is written to memory", n.n[0][HOME_WRITES], 2000);
	is("stream: and none is read", n.n[0][HOME_READS], 0);
	ok(cmd("traffic sideways") == MODEL_STATUS_ERROR &&
	   answered("on, off or empty, not 'sideways'"), "a word that there is not");
	n = run(write_lines, 5000);
	for (unsigned int i = 0; i < COUNTS_; i++)
		note("row %u %u", i, n.n[0][i]);
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

/* On a machine of two sockets with one processor and 32 MiB each */
SET("traffic-two", test_traffic_two)
{
	struct counts n;

	sockets = 2;
	/* EVENT_MSG.IPI_RCVD, which only the second socket's processor can read there */
	cmd("poke 0 ubox ctl0=0x400442,ctr0=0");
	cmd("poke 1 ubox ctl0=0x400442,ctr0=0");
	cmd("traffic on");
	ok(ap_start(), "the second socket's processor runs");
	cmd("traffic off");
	is("which took two messages, INIT and SIPI", ap_msr_read(0xc16, NULL), 2);
	is("and none to the first socket", msr_read(0xc16, NULL), 0);
	cmd("poke 0 ubox ctl0=0");
	cmd("poke 1 ubox ctl0=0");
	n = run(read_lines, 5000);
	just_over("near memory: read from the own home", n.n[0][HOME_READS], 5000);
	is("near memory: no line crosses the link", n.n[0][DATA_IN], 0);
	n = run(read_remote_lines, 5000);
	just_over("far memory: read from the other home", n.n[1][HOME_READS], 5000);
	is("far memory: eight flits of data a line", n.n[1][DATA_OUT], 8 * n.n[1][CAS_RD]);
	n = run(ask, 200);
	ok(n.n[1][DATA_OUT] >= 8 * 200, "the second one sends it with each answer (%u flits)",
	   n.n[1][DATA_OUT]);
	n = run(read_its_code, 1);
	ok(n.n[1][DATA_OUT] >= 8, "it forwards the line (%u flits)", n.n[1][DATA_OUT]);
}
