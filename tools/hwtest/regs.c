// SPDX-License-Identifier: GPL-2.0-only
/* Register access through /dev/cpu/N/msr and the config files of PCI functions */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

#define PCI "/sys/bus/pci/devices"

/* UBox: node ID of the bus, and of each package (section 1.7) */
#define UBOX_DEV  11
#define UBOX_FN	  0
#define UBOX_ID	  0x3ce0
#define UBOX_NODE 0x40
#define UBOX_MAP  0x54

/* Buses with a UBox, and their sockets */
static struct bus {
	unsigned int nr;
	int socket, node;
} buses[MAX_SOCKETS];
static unsigned int nr_buses;

/* Read or write @size bytes at @at of a file. */
static bool transfer(const char *path, bool write, void *val, size_t size, off_t at)
{
	int fd = open(path, write ? O_WRONLY : O_RDONLY);
	bool ok = fd >= 0 &&
		  (write ? pwrite(fd, val, size, at) : pread(fd, val, size, at)) == (ssize_t)size;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool transfer_msr(int cpu, bool write, uint64_t *val, uint32_t msr)
{
	char path[64];

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	return transfer(path, write, val, 8, msr);
}

bool read_msr(int cpu, uint32_t msr, uint64_t *val)
{
	return transfer_msr(cpu, false, val, msr);
}

static bool transfer_config(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg,
			    bool write, uint32_t *val)
{
	char path[96];

	snprintf(path, sizeof(path), PCI "/0000:%02x:%02x.%u/config", bus, dev, fn);
	return transfer(path, write, val, 4, reg);
}

static unsigned int config_id(unsigned int bus, unsigned int dev, unsigned int fn)
{
	uint32_t id;

	if (!transfer_config(bus, dev, fn, 0, false, &id) || (id & 0xffff) != 0x8086)
		return 0;
	return id >> 16;
}

/* Find the package with the bus's node ID. */
static void find_socket(struct bus *bus)
{
	uint32_t node, map;
	int pkg;

	bus->socket = -1;
	if (!transfer_config(bus->nr, UBOX_DEV, UBOX_FN, UBOX_NODE, false, &node) ||
	    !transfer_config(bus->nr, UBOX_DEV, UBOX_FN, UBOX_MAP, false, &map))
		return;
	bus->node = node & 7;
	/* The fields of absent packages say anything. */
	for (pkg = 0; pkg < 8; pkg++) {
		if (socket_index(&machine, pkg) >= 0 &&
		    (int)(map >> 3 * pkg & 7) == bus->node) {
			bus->socket = pkg;
			return;
		}
	}
}

void find_functions(void)
{
	unsigned int nr;

	nr_buses = 0;
	for (nr = 0; nr < 256 && nr_buses < MAX_SOCKETS; nr++) {
		if (config_id(nr, UBOX_DEV, UBOX_FN) != UBOX_ID)
			continue;
		buses[nr_buses].nr = nr;
		find_socket(&buses[nr_buses++]);
	}
}

static struct bus *bus_of(unsigned int socket)
{
	unsigned int i;

	for (i = 0; i < nr_buses; i++) {
		if (buses[i].socket == (int)socket)
			return &buses[i];
	}
	return NULL;
}

int ubox_node(unsigned int socket)
{
	struct bus *bus = bus_of(socket);

	return bus ? bus->node : -1;
}

unsigned int function_id(unsigned int socket, unsigned int dev, unsigned int fn)
{
	struct bus *bus = bus_of(socket);

	return bus ? config_id(bus->nr, dev, fn) : 0;
}

bool read_pci(unsigned int socket, unsigned int dev, unsigned int fn, unsigned int reg,
	      uint32_t *val)
{
	struct bus *bus = bus_of(socket);

	return bus && transfer_config(bus->nr, dev, fn, reg, false, val);
}

static bool write_pci(unsigned int socket, unsigned int dev, unsigned int fn, unsigned int reg,
		      uint32_t val)
{
	struct bus *bus = bus_of(socket);

	return bus && transfer_config(bus->nr, dev, fn, reg, true, &val);
}

/* Tables 1-3, 2-1, 2-8 and 2-73; instance n is at n * @step, or at device and function @place[n] */
#define PCI_REGS .ctl = 0xd8, .ctr = 0xa0

static const struct {
	const char *kind;
	struct regs regs;
	unsigned int step;
	unsigned char place[4][2];
} places[] = {
	{ "ubox",
	  { .msr = true, .ctl = 0xc10, .ctr = 0xc16, .counters = 2,
	    .fixed_ctl = 0xc08, .fixed_ctr = 0xc09 }, .step = 0 },
	{ "cbox",
	  { .msr = true, .ctl = 0xd10, .ctr = 0xd16, .counters = 4 },
	  .step = 0x20 },
	{ "pcu",
	  { .msr = true, .ctl = 0xc30, .ctr = 0xc36, .counters = 4 },
	  .step = 0 },
	{ "ha", { PCI_REGS, .counters = 4 }, .place = { { 14, 1 } } },
	{ "imc", { PCI_REGS, .counters = 4, .fixed_ctl = 0xf0, .fixed_ctr = 0xd0 },
	  .place = { { 16, 0 }, { 16, 1 }, { 16, 4 }, { 16, 5 } } },
	{ "qpi", { PCI_REGS, .counters = 4 }, .place = { { 8, 2 }, { 9, 2 } } },
	{ "r2pcie", { PCI_REGS, .counters = 4 }, .place = { { 19, 1 } } },
	{ "r3qpi", { PCI_REGS, .counters = 3 }, .place = { { 19, 5 }, { 19, 6 } } },
};

struct regs regs_of(const struct pmu *pmu)
{
	struct regs r;
	unsigned int i = 0;

	while (strcmp(places[i].kind, box_types[pmu->type].name))
		i++;
	r = places[i].regs;
	if (!r.msr) {
		r.dev = places[i].place[pmu->instance][0];
		r.fn = places[i].place[pmu->instance][1];
		return r;
	}
	r.ctl += places[i].step * pmu->instance;
	r.ctr += places[i].step * pmu->instance;
	return r;
}

static bool read_reg(const struct regs *r, const struct pmu *pmu, unsigned int socket,
		     unsigned int reg, uint64_t *val)
{
	uint32_t half;

	if (r->msr)
		return read_msr(box_cpu(pmu, socket), reg, val);
	if (!read_pci(socket, r->dev, r->fn, reg, &half))
		return false;
	*val = half;
	return true;
}

bool read_ctl(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t *val)
{
	struct regs r = regs_of(pmu);

	return read_reg(&r, pmu, socket, ctr == FIXED ? r.fixed_ctl : r.ctl + (r.msr ? 1 : 4) * ctr,
			val);
}

static unsigned int place_of(const struct regs *r, int ctr)
{
	return ctr == FIXED ? r->fixed_ctr : r->ctr + (r->msr ? 1 : 8) * ctr;
}

/*
 * The halves of a running PCI counter may be of two moments: a carry between them is the wrap that
 * the caller waits for.
 */
bool read_ctr(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t *val)
{
	struct regs r = regs_of(pmu);
	unsigned int reg = place_of(&r, ctr);
	uint64_t low, high;

	if (r.msr)
		return read_reg(&r, pmu, socket, reg, val);
	if (!read_reg(&r, pmu, socket, reg + 4, &high) || !read_reg(&r, pmu, socket, reg, &low))
		return false;
	*val = high << 32 | low;
	return true;
}

/* The low half comes last, so that it cannot carry before the high half is written. */
bool write_ctr(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t val)
{
	struct regs r = regs_of(pmu);
	unsigned int reg = place_of(&r, ctr);

	if (r.msr)
		return transfer_msr(box_cpu(pmu, socket), true, &val, reg);
	return write_pci(socket, r.dev, r.fn, reg + 4, val >> 32) &&
	       write_pci(socket, r.dev, r.fn, reg, val);
}
