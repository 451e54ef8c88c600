/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boxes of an E5-2600's uncore, from the guide, and operations on them for tests on the bare
 * machine
 */

#ifndef TEST_BOXES_H
#define TEST_BOXES_H

#include "bare.h"

#define EN	0x400000u
#define INV	0x800000u
#define EDGE	0x040000u
#define RST	0x020000u
#define TID_EN	0x080000u
#define EXT	0x200000u
#define THRESH(t)	((uint32_t)(t) << 24)
#define FROZEN	0x10100u
#define BUS(s)	((s) ? 0xff : 0x7f)
#define OCC(sel)	((sel) << 14)
#define OCC_INV		0x40000000u
#define OCC_EDGE	0x80000000u
/* The CBo's filter */
#define OPC(o)		((uint32_t)(o) << 23)
#define STATE(s)	((s) << 18)
#define NID(n)		((n) << 10)

/* A box, from the guide's tables 1-2 and 1-3 and its section */
struct box {
	const char *name;
	bool msr;
	uint16_t box_ctl, ctl, ctr;	/* MSR, or config offset */
	uint8_t dev, fn;
	uint8_t ctrs;
	uint32_t ctl_bits;		/* bits of a control register that read back */
	uint32_t resets;		/* BOX_CTL bits that reset */
	/* an event of counter 0, with this unit mask if it has any */
	uint8_t event, umask;
};

extern const struct box boxes[20];

#define NR_BOXES	(sizeof(boxes) / sizeof(boxes[0]))
#define CBOX0		(&boxes[1])
#define HA		(&boxes[9])
#define IMC0		(&boxes[10])
#define PCU		(&boxes[14])
#define QPI0		(&boxes[15])
#define CBO_FILTER	0xd14
#define PCU_FILTER	0xc34

/* Registers of socket 0, or by PCI of any. */
uint32_t rd32(const struct box *b, unsigned int reg);
void wr32(const struct box *b, unsigned int reg, uint32_t v);
unsigned int ctl_reg(const struct box *b, unsigned int i);
void set_ctl(const struct box *b, unsigned int i, uint32_t v);
uint64_t ctr_of(const struct box *b, unsigned int socket, unsigned int i);
uint64_t ctr(const struct box *b, unsigned int i);
void set_ctr(const struct box *b, unsigned int i, uint64_t v);
/* Clear a box's registers, as a driver would, and reset the checker. */
void clean(const struct box *b);
/* Whether the protocol checker has a finding of this rule, or none (NULL); resets it */
void breaks(const char *rule, const char *name);
void keeps(const char *name);
/* The same after one more access or command */
#define FINDS(access, rule, name)	do { access; breaks(rule, name); } while (0)
#define ALLOWS(access, name)		do { access; keeps(name); } while (0)
uint64_t width_mask(unsigned int bits);
/* Inject the box's event. */
void stim_box(const struct box *b, unsigned int socket, unsigned int count);
/* Print each row of the model's answer as a comment, "row" and its text. */
void print_rows(const char *command);
/* Count EVENT (a whole control word) on counter 0 while STIM happens. */
uint64_t counted(const struct box *b, uint32_t ctl, const char *stim);

#define COUNTS(box, ctl, stim, n) do {							\
	uint64_t got_ = counted(box, ctl, stim);					\
	ok(got_ == (n), "%s: control 0x%08x counts %s as %d", (box)->name, (ctl),	\
	   stim, (int)(n));								\
	if (got_ != (n))								\
		note("got 0x%llx", got_);						\
} while (0)

/* A set of tests, which the command line names */
struct set {
	const char *name;
	void (*run)(void);
};

/* Defines a function that is a set of tests. */
#define SET(name, fn)									\
	static void fn(void);								\
	static const struct set set_##fn __attribute__((used, section("sets"))) = { name, fn };	\
	static void fn(void)

/* Its ends, from the linker */
extern const struct set __start_sets[], __stop_sets[];

#endif
