// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the program's own accesses do, with nothing else on the machine: to the
 * line. Two runs that differ only in how many lines they touch differ in these
 * lines and in nothing else, for the rest of the program is the same in both.
 */

#include "boxes.h"

#define LINE		64
#define LLC_LINES	(20u << 20 >> 6)	/* of eight slices */
#define MEMORY		((volatile uint32_t *)0x1000000)
#define CAS_RD		(0x04 | 0x03 << 8 | EN)

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

/* What the lines from @few to @many, or one pass more, make */
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

/*
 * A pass that fills a cache puts out what the program itself has there: its stack and its code, a
 * few lines.
 */
static void just_over(const char *what, unsigned int got, unsigned int expected)
{
	ok(got >= expected && got <= expected + 8,
	   "%s: %u, and %u are right and some of the program's own", what, got, expected);
}

static void test_counters(void)
{
	static const uint8_t fn[] = { 0, 1, 4, 5 };
	unsigned int before, flows, counted = 0;

	for (unsigned int i = 0; i < 4; i++)
		pci_write(BUS(1), 16, fn[i], 0xd8, CAS_RD);
	before = now("dram_read_page_hit") + now("dram_read_page_empty") +
		 now("dram_read_page_miss");
	run(read_lines, 5000, 1, "drd");
	flows = now("dram_read_page_hit") + now("dram_read_page_empty") +
		now("dram_read_page_miss") - before;
	for (unsigned int i = 0; i < 4; i++)
		counted += pci_read(BUS(1), 16, fn[i], 0xa0);
	ok(counted == flows && flows > 5000, "the channels' counters have what happened: %u of %u",
	   counted, flows);
}

/* On a machine with one processor; its socket is on the bus of the last one of any machine. */
void test_traffic(void)
{
	unsigned int before = now("drd"), big = LLC_LINES * 3 / 2;

	read_lines(1000);
	is("off: nothing is counted", now("drd") - before, 0);
	is("read: a look-up for each line", more(read_lines, 1000, 3000, "drd"), 2000);
	is("read: and a read from memory", more(read_lines, 1000, 3000, "read_local"), 2000);
	is("write: a request to own each line", more(write_lines, 1000, 3000, "rfo"), 2000);
	is("write: and a read from memory", more(write_lines, 1000, 3000, "read_local"), 2000);
	is("32 KiB once more: L1 has it", again(read_lines, 400, "drd"), 0);
	is("128 KiB once more: L2 has it", again(read_lines, 2048, "drd"), 0);
	just_over("1 MiB once more: each line is looked up", again(read_lines, 16384, "drd"),
		  16384);
	is("1 MiB once more: no memory is read", again(read_lines, 16384, "read_local"), 0);
	just_over("1 MiB written once more: L2 puts it out", again(write_lines, 16384, "wb"),
		  16384);
	is("1 MiB written once more: the LLC does not", again(write_lines, 16384, "write_local"),
	   0);
	just_over("30 MiB once more: all of it is read", again(read_lines, big, "read_local"), big);
	just_over("30 MiB written once more: it is written", again(write_lines, big, "write_local"),
		  big);
	just_over("and put out by the LLC", again(write_lines, big, "victim"), big);
	test_counters();
	ok(cmd("traffic sideways") == MODEL_STATUS_ERROR &&
	   answered("on, off, empty or table, not 'sideways'"), "a word that there is not");
}
