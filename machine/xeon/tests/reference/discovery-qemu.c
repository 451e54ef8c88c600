// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for QEMU around dies with units of discovery tables. */
#include "discovery-test.h"

#include <sys/mman.h>
#include <unistd.h>

#include "uncore-model.h"

struct die die[DIES];
bool by_msr;
char table[20000];
static char path[40];

static struct hook {
	uint32_t first, last;
	const X86MSRHookOps *ops;
	void *opaque;
} hooks[3 * DIES];
unsigned int nr_hooks;

struct region region[DIES][3];

void x86_msr_hook_register(uint32_t first, uint32_t last, const X86MSRHookOps *ops, void *opaque)
{
	hooks[nr_hooks++] = (struct hook){ first, last, ops, opaque };
}

static struct die *die_of(void *dev)
{
	struct die *d = die;

	while (d->disc != dev)
		d++;
	return d;
}

void memory_region_init_io(MemoryRegion *mr, void *owner, const MemoryRegionOps *ops, void *opaque,
			   const char *name, uint64_t size)
{
	unsigned int bar = !strcmp(name, "discovery-units") ? 1 : opaque != die_of(owner)->disc->table ? 2 : 0;

	region[die_of(owner) - die][bar].ops = ops;
	region[die_of(owner) - die][bar].opaque = opaque;
	region[die_of(owner) - die][bar].size = size;
}

void pci_register_bar(PCIDevice *dev, int nr, int kind, MemoryRegion *mr)
{
}

uint64_t pci_get_bar_addr(PCIDevice *dev, int bar)
{
	return die_of(dev)->bar[bar];
}

uint16_t pci_get_word(const uint8_t *at)
{
	return at[0] | at[1] << 8;
}

void pci_set_long(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, 4);
}

void pci_config_set_device_id(uint8_t *config, uint16_t id)
{
	memcpy(config + PCI_DEVICE_ID, &id, 2);
}

int pcie_cap_init(PCIDevice *dev, uint8_t at, uint8_t kind, uint8_t port, Error **errp)
{
	return 0;
}

void pcie_add_capability(PCIDevice *dev, uint16_t id, uint8_t version, uint16_t at, uint16_t size)
{
	pci_set_long(dev->config + at, id | version << 16);
}

uint32_t pci_default_read_config(PCIDevice *dev, uint32_t addr, int len)
{
	uint32_t v = 0;

	memcpy(&v, dev->config + addr, len);
	return v;
}

void pci_default_write_config(PCIDevice *dev, uint32_t addr, uint32_t v, int len)
{
	memcpy(dev->config + addr, &v, len);
}

bool object_dynamic_cast(void *dev, const char *name)
{
	return PCI_DEVICE(dev)->devfn != 0x1e << 3;
}

PCIDevice *pci_new_multifunction(int devfn, bool many, const char *name)
{
	PCIDevice *dev = g_malloc0(bench_type->instance_size);

	dev->devfn = devfn;
	pci_config_set_device_id(dev->config, of_fn.device_id);
	return dev;
}

bool pci_realize_and_unref(PCIDevice *dev, PCIBus *bus, Error **errp)
{
	dev->bus = bus;
	bus->devices[dev->devfn] = dev;
	of_fn.realize(dev, errp);
	return true;
}

bool make_die(unsigned int n)
{
	struct die *d = &die[n];
	Error *err = NULL;

	d->disc = g_new0(Discovery, 1);
	d->disc->number = n;
	d->disc->package = d->package;
	d->disc->units_file = path;
	d->disc->by_msr = by_msr;
	d->bus.number = 0x3f + 0x40 * n;
	d->disc->parent_obj.bus = &d->bus;
	d->disc->parent_obj.devfn = 0x1e << 3;
	d->bus.devices[0x1e << 3] = &d->disc->parent_obj;
	d->bar[0] = 0xf0000000 + 0x100000 * n;
	d->bar[1] = 0xc0000000 + 0x10000000ull * n;
	d->bar[2] = 0xf8000000 + 0x100000 * n;
	of_die.realize((PCIDevice *)d->disc, &err);
	snprintf(said, sizeof(said), "%s", err ? err->text : "");
	bench_free(err);
	if (said[0])
		disc_die[n] = NULL;
	return !said[0];
}

void write_table(void)
{
	static int fd;

	if (!fd) {
		fd = memfd_create("units", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, table, strlen(table), 0) < 0)
		abort();
}

void clear_machine(void)
{
	memset(die, 0, sizeof(die));
	memset(disc_die, 0, sizeof(Discovery *) * DISC_MAX_DIES);
	memset(region, 0, sizeof(region));
	nr_hooks = 0;
	table[0] = 0;
}

X86MSRResult msr(X86CPU *cpu, uint32_t at, bool write, uint64_t *v)
{
	X86MSRResult result = X86_MSR_PASS;

	for (unsigned int i = 0; i < nr_hooks && result == X86_MSR_PASS; i++) {
		const struct hook *h = &hooks[i];

		if (at >= h->first && at <= h->last)
			result = write ? h->ops->write(h->opaque, cpu, at, *v) :
				 h->ops->read(h->opaque, cpu, at, v);
	}
	return result;
}
