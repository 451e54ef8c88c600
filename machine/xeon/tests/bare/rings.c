// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ring traffic of a program's reads, at some of the stops of its socket. With eight CBos they are,
 * clockwise: HA 0, CBo 3 to 0, R3QPI 5, R2PCIe 6, CBo 7 to 4.
 *
 * The core is the one at CBo 0. A line that no cache has makes AD from core to CBo to HA, BL from
 * HA to CBo to core, two slots each, and AK from CBo to core; of each eight lines every slice has
 * one. A stop counts what passes it and what is sunk there, with the polarity of the stop that a
 * slot goes to.
 */

#include "boxes.h"

#define LINE		64
#define MEMORY		((volatile uint32_t *)0x1000000)
/* A multiple of 2048 times the CBos: each slice gets the same number of lines */
#define LINES		8192

/* A counter of a box, and what its event counts for eight lines of memory */
struct use {
	const char *what;
	uint8_t dev, fn;		/* 0: the CBo of number cbo */
	uint8_t cbo, counter;
	uint16_t event;
	uint8_t expected;
};

static const struct use uses[] = {
	/* CBo 0 gets the data of CBos 1 to 4 and of HA by CBo 1 (up), that of 5 to 7 by R3QPI. */
	{ "CBo 0, BL up, even", .cbo = 0, .counter = 2, .event = 0x011d, .expected = 5 },
	{ "CBo 0, BL up, odd", .cbo = 0, .counter = 3, .event = 0x021d, .expected = 5 },
	{ "CBo 0, BL down, even", .cbo = 0, .counter = 2, .event = 0x041d, .expected = 3 },
	{ "CBo 0, BL down, odd", .cbo = 0, .counter = 3, .event = 0x081d, .expected = 3 },
	/* It sends requests, and completions come to it, to stop 4. */
	{ "CBo 0, AD", .cbo = 0, .counter = 2, .event = 0x0f1b, .expected = 0 },
	{ "CBo 0, AK up, even", .cbo = 0, .counter = 2, .event = 0x011c, .expected = 4 },
	{ "CBo 0, AK down, even", .cbo = 0, .counter = 3, .event = 0x041c, .expected = 3 },
	{ "CBo 0, AK, odd", .cbo = 0, .counter = 2, .event = 0x0a1c, .expected = 0 },
	/*
	 * CBo 6 is on the right, where up is counterclockwise: HA's data for 6
	 * and 7 go up, and so does that of 5 for the core, whose requests for 5
	 * and 6 go down.
	 */
	{ "CBo 6, BL up, even", .cbo = 6, .counter = 2, .event = 0x011d, .expected = 3 },
	{ "CBo 6, BL down, odd", .cbo = 6, .counter = 3, .event = 0x081d, .expected = 0 },
	{ "CBo 6, AD down, odd", .cbo = 6, .counter = 2, .event = 0x081b, .expected = 1 },
	/* No core is asked for its copy. */
	{ "CBo 6, IV", .cbo = 6, .counter = 3, .event = 0x0f1e, .expected = 0 },
	/* R3QPI lies between the core and CBos 5 to 7: stops 9, 8 and 7. */
	{ "R3QPI, AD clockwise, even", 19, 5, .counter = 0, .event = 0x0107, .expected = 1 },
	{ "R3QPI, AD clockwise, odd", 19, 6, .counter = 1, .event = 0x0207, .expected = 2 },
	{ "R3QPI, BL counterclockwise, even", 19, 5, .counter = 0, .event = 0x0409,
	  .expected = 3 },
	{ "R2PCIe, AK counterclockwise, even", 19, 1, .counter = 0, .event = 0x0408,
	  .expected = 3 },
	/* HA is sent the requests of CBos 4 to 7 clockwise, those of 0 to 3 the other way. */
	{ "HA, AD clockwise, even", 14, 1, .counter = 0, .event = 0x013e, .expected = 4 },
	{ "HA, AD counterclockwise, even", 14, 1, .counter = 1, .event = 0x043e, .expected = 5 },
	{ "HA, BL clockwise, odd", 14, 1, .counter = 2, .event = 0x0240, .expected = 1 },
	/* The egress of a CBo: from its slice, and from its core */
	{ "CBo 3, egress AD", .cbo = 3, .counter = 0, .event = 0x0102, .expected = 1 },
	{ "CBo 3, egress AK", .cbo = 3, .counter = 1, .event = 0x0202, .expected = 1 },
	{ "CBo 3, egress BL", .cbo = 3, .counter = 0, .event = 0x0402, .expected = 1 },
	{ "CBo 0, egress BL", .cbo = 0, .counter = 1, .event = 0x0402, .expected = 0 },
	{ "CBo 0, egress AD of the core", .cbo = 0, .counter = 0, .event = 0x1002, .expected = 7 },
	{ "CBo 3, egress AD of the core", .cbo = 3, .counter = 1, .event = 0x1002, .expected = 0 },
};

static void start(const struct use *u)
{
	if (u->dev) {
		start_pci(BUS(1), u->dev, u->fn, u->counter, u->event);
	} else {
		msr_write(0xd16 + 0x20 * u->cbo + u->counter, 0, NULL);
		msr_write(0xd10 + 0x20 * u->cbo + u->counter, u->event | EN, NULL);
	}
}

static unsigned int stop(const struct use *u)
{
	if (u->dev)
		return stop_pci(BUS(1), u->dev, u->fn, u->counter);
	msr_write(0xd10 + 0x20 * u->cbo + u->counter, 0, NULL);
	return msr_read(0xd16 + 0x20 * u->cbo + u->counter, NULL);
}

static unsigned int of_lines(const struct use *u, unsigned int lines)
{
	cmd("traffic empty");
	start(u);
	cmd("traffic on");
	for (unsigned int i = 0; i < lines; i++)
		(void)MEMORY[i * (LINE / 4)];
	cmd("traffic off");
	return stop(u);
}

/*
 * Two runs that differ in LINES lines, and in a few of the program's own that
 * the longer one puts out of L2
 */
SET("rings", test_rings)
{
	for (unsigned int i = 0; i < sizeof(uses) / sizeof(*uses); i++) {
		const struct use *u = &uses[i];
		unsigned int got = of_lines(u, 1000 + LINES) - of_lines(u, 1000);
		unsigned int expected = LINES / 8 * u->expected;

		ok(got >= expected && got <= expected + 8,
		   "%s: %u, and %u are right and some of the program's own", u->what, got, expected);
	}
}
