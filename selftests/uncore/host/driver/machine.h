/* SPDX-License-Identifier: GPL-2.0-only */
/* Two sockets of uncore registers that count, and what the tests do to them */
#ifndef DRIVER_MACHINE_H
#define DRIVER_MACHINE_H

#include "lib/kernel/kernel.h"

#define NR_SOCKETS	2
#define NR_BOXES	20
#define FIXED		4	/* the counter beside the four general ones */
#define EN		0x400000u
#define FRZ		0x100u
#define FRZ_EN		0x10000u

/**
 * struct kind - a kind of box, by the guide
 * @name: of its PMUs
 * @counters: general counters
 * @width: bits of one
 * @fixed_width: bits of the fixed one, or 0
 * @msr: first of its MSRs, or 0
 * @reset: the box control has reset bits; -1: without box control
 * @ctl_bits: what may be set in a control
 * @filters: filter registers
 */
struct kind {
	const char *name;
	unsigned int counters, width, fixed_width, msr;
	int reset;
	u32 ctl_bits;
	unsigned int filters;
};

struct hw_box {
	const struct kind *kind;
	unsigned int socket;
	char name[16];
	struct pci_dev *pdev, *filter_pdev;
	unsigned int msr;
	u32 box_ctl, ctl[FIXED + 1], filter[4];
	u64 ctr[FIXED + 1];
	u32 wrote[4];		/* to the filters, by the driver */
	bool absent;		/* its MSRs fault */
	bool deaf;		/* its MSRs are 0 and drop what is written */
	/* Since machine_tally(): */
	unsigned int reads, writes;
};

extern struct hw_box hw[NR_SOCKETS][NR_BOXES];

/* The PCU's bit 21: kept, dropped, or the write faults */
enum ext { EXT_KEEP, EXT_DROP, EXT_FAULT };

extern struct machine {
	enum ext ext;
	/* Time goes by with each access, and not only between two. */
	bool creeps;
	/* No memory-mapped configuration space at all; not after a sleep */
	bool no_ecam, ecam_lost;
	/* The entry that is ours is the last of the table. */
	bool short_mcfg;
	/* It is there, and the kernel was told not to use it. */
	bool nommconf;
	/* There is no room to map this function */
	struct pci_dev *no_room;
	/* Bits that mean nothing are 0, and not noise. */
	bool tidy;
	/* What the UBox says */
	u32 node[NR_SOCKETS], node_map[NR_SOCKETS];
	/* QPI_RATE_STATUS by socket and port */
	u32 rate[NR_SOCKETS][2];
	/* What the driver said to the last function */
	int probed;
	/* The driver is told to leave its functions, and waits for those who probe. */
	void (*leaving)(void);
	/* Access of a register: before it happens */
	void (*access)(struct hw_box *box);
} machine;

struct hw_box *machine_box(unsigned int socket, const char *name);
struct pci_dev *machine_function(unsigned int socket, unsigned int slot, unsigned int fn);
/* A tick, in cycles of the time stamp counter */
#define TICK	BIT_ULL(20)
/* Time goes by in a box. */
void machine_tick(struct hw_box *box, u64 ticks);
/* What a tick adds to a counter that has this control and these filters */
u64 machine_rate(const struct kind *kind, unsigned int ctr, u32 ctl, const u32 *filter);
/* The bits of a filter register that an event with this control looks at */
u32 machine_looks_at(const struct kind *kind, u32 ctl, unsigned int reg);
bool machine_counts(const struct hw_box *box, unsigned int ctr);
void machine_tally(struct hw_box *box);
/* All of the registers become noise, as another program or a sleep leaves them. */
void machine_scramble(struct hw_box *box);

/* Functions come and go; the driver is asked, or told. */
void machine_bind(struct pci_dev *pdev);
void machine_unbind(struct pci_dev *pdev);
void machine_each_function(void (*what)(struct pci_dev *pdev));

#endif
