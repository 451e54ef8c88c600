// SPDX-License-Identifier: GPL-2.0-or-later
/* The boxes of an E5-2600's uncore, for tests on the bare machine. */

#include "boxes.h"

#define CBO(n) { "cbox_" #n, true, 0xd04 + 0x20 * (n), 0xd10 + 0x20 * (n), 0xd16 + 0x20 * (n), \
		 0, 0, 4, 0xffccffff, 3, 0x35, 0x04 }
#define IMC(n, f) { "imc_" #n, false, 0xf4, 0xd8, 0xa0, 16, f, 4, 0xffc4ffff, 0, 0x04, 0x03 }
#define QPI(n) { "qpi_" #n, false, 0xf4, 0xd8, 0xa0, 8 + (n), 2, 4, 0xffe4ffff, 3, 0x09, 0 }
#define R3(n) { "r3qpi_" #n, false, 0xf4, 0xd8, 0xa0, 19, 5 + (n), 3, 0xffc4ffff, 3, 0x24, 0 }

const struct box boxes[20] = {
	{ "ubox", true, 0, 0xc10, 0xc16, 0, 0, 2, 0x1fc4ffff, 0, 0x42, 0x08 },
	CBO(0), CBO(1), CBO(2), CBO(3), CBO(4), CBO(5), CBO(6), CBO(7),
	{ "ha", false, 0xf4, 0xd8, 0xa0, 14, 1, 4, 0xffc4ffff, 0, 0x01, 0x03 },
	IMC(0, 0), IMC(1, 1), IMC(2, 4), IMC(3, 5),
	{ "pcu", true, 0xc24, 0xc30, 0xc36, 0, 0, 4, 0xdfe4c0ff, 3, 0x05, 0 },
	QPI(0), QPI(1),
	{ "r2pcie", false, 0xf4, 0xd8, 0xa0, 19, 1, 4, 0xffc4ffff, 3, 0x12, 0 },
	R3(0), R3(1),
};

uint32_t rd32(const struct box *b, unsigned int reg)
{
	return b->msr ? msr_read(reg, NULL) : pci_read(BUS(0), b->dev, b->fn, reg);
}

void wr32(const struct box *b, unsigned int reg, uint32_t v)
{
	if (b->msr)
		msr_write(reg, v, NULL);
	else
		pci_write(BUS(0), b->dev, b->fn, reg, v);
}

unsigned int ctl_reg(const struct box *b, unsigned int i)
{
	return b->ctl + (b->msr ? 1 : 4) * i;
}

void set_ctl(const struct box *b, unsigned int i, uint32_t v)
{
	wr32(b, ctl_reg(b, i), v);
}

uint64_t ctr_of(const struct box *b, unsigned int socket, unsigned int i)
{
	unsigned int reg = b->ctr + 8 * i;

	if (b->msr)
		return msr_read_on(socket, b->ctr + i, NULL);
	return (uint64_t)pci_read(BUS(socket), b->dev, b->fn, reg + 4) << 32 |
	       pci_read(BUS(socket), b->dev, b->fn, reg);
}

uint64_t ctr(const struct box *b, unsigned int i)
{
	return ctr_of(b, 0, i);
}

void set_ctr(const struct box *b, unsigned int i, uint64_t v)
{
	if (b->msr) {
		msr_write(b->ctr + i, v, NULL);
		return;
	}
	wr32(b, b->ctr + 8 * i, v);
	wr32(b, b->ctr + 8 * i + 4, v >> 32);
}

void clean(const struct box *b)
{
	for (unsigned int i = 0; i < b->ctrs; i++) {
		set_ctl(b, i, 0);
		set_ctr(b, i, 0);
	}
	if (b->box_ctl)
		wr32(b, b->box_ctl, 0);
	cmd("checker reset");
}

uint64_t width_mask(unsigned int bits)
{
	return ((uint64_t)1 << bits) - 1;
}

uint64_t counted(const struct box *b, uint32_t ctl, const char *stim)
{
	uint64_t n;

	set_ctl(b, 0, ctl | EN);
	set_ctr(b, 0, 0);
	if (cmd("stim 0 %s %s", b->name, stim))
		note("stim %s: %s", stim, cmd_answer);
	n = ctr(b, 0);
	set_ctl(b, 0, 0);
	return n;
}

static void verdict(bool right, const char *what, const char *name)
{
	ok(right, "the protocol checker finds%s: %s", what, name);
	if (!right)
		note("%s", cmd_answer);
	cmd("checker reset");
}

void breaks(const char *rule, const char *name)
{
	verdict(cmd("checker") == MODEL_STATUS_FOUND && answered(rule), "", name);
}

void keeps(const char *name)
{
	verdict(cmd("checker") == MODEL_STATUS_OK, " nothing", name);
}

void stim_box(const struct box *b, unsigned int socket, unsigned int count)
{
	cmd("stim %u %s event=%u,umask=%u,count=%u", socket, b->name, b->event, b->umask, count);
}
