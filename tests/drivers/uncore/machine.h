/* SPDX-License-Identifier: GPL-2.0-only */
/* Two sockets of the uncore's model, and what the tests do to them */
#ifndef UNCORE_MACHINE_H
#define UNCORE_MACHINE_H

#include "mock-kernel/kernel.h"

#define NR_SOCKETS	2
#define NR_BOXES	20
#define FIXED		4	/* the counter beside the four general ones */
#define EN		0x400000u

/* A box of the model (machine/xeon/uncore), its registers in place */
struct hw_box {
	struct UncoreBox *model;
	const char *kind, *name;
	unsigned int socket, width;
	unsigned int counters, filters;	/* general ones; registers */
	struct pci_dev *pdev, *filter_pdev;
	u32 *ctl[FIXED + 1], *filter;
	u64 *ctr[FIXED + 1];
	u32 ctl_bits;		/* what may be set in a control */
	bool resets;		/* the box control has reset bits */
	bool absent;		/* its MSRs fault */
	/* Since machine_tally(): */
	unsigned int reads, writes;
};

extern struct hw_box hw[NR_SOCKETS][NR_BOXES];

/* The PCU's bit 21 is kept or dropped, or the write faults: the model's trait */
enum ext { EXT_KEEP, EXT_DROP, EXT_FAULT };

extern struct machine {
	enum ext ext;
	/* Time advances with each access. */
	bool creeps;
	/* No memory-mapped configuration space at all; not after a sleep */
	bool no_ecam, ecam_lost;
	/* ACPI has no table of it */
	bool no_mcfg;
	/* The table ends with the right entry, or within it or the next one by so many bytes. */
	bool short_mcfg;
	int mcfg_more;
	/* It exists, but the kernel was booted with pci=nommconf. */
	bool nommconf;
	/* It does not cover socket 1's bus, ff. */
	bool no_ff;
	/* The lock of the I/O ports, which this CPU holds or waits for */
	bool port_lock;
	unsigned int port_accesses;
	/* Mapping this function fails */
	struct pci_dev *no_room;
	/* Undefined bits are 0, not noise. */
	bool tidy;
	/* Registers of the UBox */
	u32 node[NR_SOCKETS], node_map[NR_SOCKETS];
	/* Result of the last probe */
	int probed;
	/* Called before each register access */
	void (*access)(struct hw_box *box);
	/* and after it */
	void (*accessed)(struct hw_box *box);
} machine;

struct hw_box *machine_box(unsigned int socket, const char *name);
struct pci_dev *machine_function(unsigned int socket, unsigned int slot, unsigned int fn);
/* A tick, in cycles of the time stamp counter */
#define TICK	BIT_ULL(20)
/* Advance the time of a box. */
void machine_tick(struct hw_box *box, u64 ticks);
/* Amount per tick of a counter with this control and these filters */
u64 machine_rate(const struct hw_box *box, unsigned int ctr, u32 ctl, const u32 *filter);
/* Bits of a filter register that an event with this control uses */
u32 machine_looks_at(const struct hw_box *box, u32 ctl, unsigned int reg);
bool machine_frozen(const struct hw_box *box);
/* Another program writes a control. */
void machine_poke(struct hw_box *box, unsigned int ctr, u32 ctl);
void machine_tally(struct hw_box *box);
/* Fill all registers with noise, as another program or suspend may leave them. */
void machine_scramble(struct hw_box *box);

/* machine.nommconf after a reset */
extern bool without_mmconfig;

/* Add or remove functions, with the driver's probe and remove. */
void machine_bind(struct pci_dev *pdev);
void machine_unbind(struct pci_dev *pdev);

#endif
