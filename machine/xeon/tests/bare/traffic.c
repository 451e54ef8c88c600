// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What QEMU adds to traffic mode: each access of a processor reaches the caches, exactly to the
 * line. Two runs that differ only in the number of lines differ in nothing else. What the caches
 * make of them, ../reference/traffic-test.c tests.
 */

#include "boxes.h"

#define LINE		64
#define MEMORY		((volatile uint32_t *)0x1000000)

/* Counts, each the sum of its boxes */
enum {
	LOOKUPS, WRITE_LOOKUPS, HOME_READS, HOME_WRITES, CAS_RD, CAS_WR, ACT, PRE, COUNTS_
};

struct counts {
	unsigned int n[COUNTS_];
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
};

/* Start all counters, or stop them and add what they have counted. */
static void each_counter(struct counts *sum)
{
	/* The last bus is that of the only socket. */
	unsigned int bus = BUS(1);

	for (unsigned int c = 0; c < 2 * 8; c++) {
		/* A missing CBo's registers fault, and read as 0. */
		unsigned int box = 0xd10 + 0x20 * (c / 2), i = c % 2;

		msr_write(box + i, 0, NULL);
		if (sum) {
			sum->n[LOOKUPS + i] += msr_read(box + 6 + i, NULL);
			continue;
		}
		msr_write(box + 4, STATE(0x1f), NULL);
		msr_write(box + 6 + i, 0, NULL);
		msr_write(box + i, (i ? 0x0534 : 0x0334) | EN, NULL);
	}
	for (unsigned int i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		const struct function *f = &functions[i];

		for (unsigned int c = 0; c < f->ctrs; c++) {
			unsigned int reg = 0xa0 + 8 * c;

			if (!sum)
				pci_write(bus, f->dev, f->fn, reg, 0);
			pci_write(bus, f->dev, f->fn, 0xd8 + 4 * c, sum ? 0 : f->event[c] | EN);
			if (sum)
				sum->n[f->first + c] += pci_read(bus, f->dev, f->fn, reg);
		}
	}
}

/* Count a pass over so many lines, with empty caches. */
static struct counts run(void (*pass)(unsigned int lines), unsigned int lines)
{
	struct counts sum = { 0 };

	each_counter(NULL);
	cmd("traffic empty");
	cmd("traffic on");
	pass(lines);
	cmd("traffic off");
	each_counter(&sum);
	return sum;
}

/* How much the counts of runs over 1,000 and 3,000 lines differ */
static struct counts more(void (*pass)(unsigned int lines))
{
	struct counts few = run(pass, 1000), many = run(pass, 3000);

	for (unsigned int i = 0; i < COUNTS_; i++)
		many.n[i] -= few.n[i];
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

static void is(const char *what, unsigned int got, unsigned int expected)
{
	ok(got == expected, "%s: %u, and %u are right", what, got, expected);
}

/* On a machine with one processor, whose socket is on the last bus */
SET("traffic", test_traffic)
{
	struct counts n;

	each_counter(NULL);
	read_lines(1000);
	n = (struct counts){ 0 };
	each_counter(&n);
	is("off: nothing is counted", n.n[LOOKUPS], 0);
	n = more(read_lines);
	is("read: a lookup for each line", n.n[LOOKUPS], 2000);
	is("read: and a read from memory", n.n[HOME_READS], 2000);
	n = more(write_lines);
	is("write: a lookup for each line", n.n[LOOKUPS], 2000);
	is("write: and a read from memory", n.n[HOME_READS], 2000);
	n = more(stream_lines);
	is("stream: each line is written to memory", n.n[HOME_WRITES], 2000);
	is("stream: and none is read", n.n[HOME_READS], 0);
	n = run(write_lines, 5000);
	for (unsigned int i = 0; i < COUNTS_; i++)
		note("row %u %u", i, n.n[i]);
}

/* On a machine of two sockets with one processor each; uncore-hwtest reads their memory. */
SET("traffic-two", test_traffic_two)
{
	/* EVENT_MSG.IPI_RCVD, which only the second socket's processor can read there */
	cmd("poke 0 ubox ctl0=0x400442,ctr0=0");
	cmd("poke 1 ubox ctl0=0x400442,ctr0=0");
	cmd("traffic on");
	ok(ap_start(), "the second socket's processor runs");
	cmd("traffic off");
	is("which took two messages, INIT and SIPI", ap_msr_read(0xc16, NULL), 2);
	is("and none to the first socket", msr_read(0xc16, NULL), 0);
}
