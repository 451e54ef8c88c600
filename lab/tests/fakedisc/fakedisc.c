// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two PCI functions with the uncore discovery tables of two dies, on a bus of
 * their own, so that intel_uncore has MMIO units: type 0x77 is on both dies,
 * type 0x78 on the second one alone. The registers are memory and do not count.
 * Load this before intel_uncore, on a processor that it only knows by such
 * tables, such as model 200. On Sapphire Rapids' model, 143, there are a UPI
 * link and a UBox instead of the second die.
 */
#include <linux/gfp.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>

#define DIES		2
#define ORDER		4	/* memory of a die: table, then its units */
#define UNIT_SIZE	0x4000
#define STRIDE		8	/* words of 64 bits in a row of the table */

#define UNIT_MMIO	BIT_ULL(62)
#define UNIT_COUNTERS	4ULL
#define UNIT_CTL	(0x40ULL << 8)
#define UNIT_WIDTH	(48ULL << 16)
#define UNIT_CTR	(0x08ULL << 24)

#define DVSEC		0x100

static struct fake_die {
	u32 config[PCI_CFG_SPACE_EXP_SIZE / sizeof(u32)];
	struct page *pages;
} dies[DIES];

/* In the domain that SPR's driver looks for UPI links */
static u32 upi[2][PCI_CFG_SPACE_EXP_SIZE / sizeof(u32)];
static u32 ubox[PCI_CFG_SPACE_EXP_SIZE / sizeof(u32)];

static struct pci_sysdata sysdata = {
	.domain = 1,
	.node = NUMA_NO_NODE,
};

static bool is_spr(void)
{
	return boot_cpu_data.x86_model == 143;
}

static u32 *find_function(unsigned int devfn)
{
	switch (devfn) {
	case PCI_DEVFN(0, 0):
		return dies[0].config;
	case PCI_DEVFN(1, 0):
		return is_spr() ? upi[0] : dies[1].config;
	case PCI_DEVFN(1, 1):
		return is_spr() ? upi[1] : NULL;
	case PCI_DEVFN(2, 0):
		return is_spr() ? ubox : NULL;
	}
	return NULL;
}

static int fake_read(struct pci_bus *bus, unsigned int devfn, int where,
		     int size, u32 *val)
{
	u32 *config = bus->number ? NULL : find_function(devfn);

	*val = ~0;
	if (!config)
		return PCIBIOS_DEVICE_NOT_FOUND;

	memcpy(val, (u8 *)config + where, size);
	if (size < sizeof(u32))
		*val &= BIT(8 * size) - 1;
	return PCIBIOS_SUCCESSFUL;
}

static int fake_write(struct pci_bus *bus, unsigned int devfn, int where,
		      int size, u32 val)
{
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops ops = {
	.read = fake_read,
	.write = fake_write,
};

static void add_unit(struct fake_die *die, u64 *table, int type)
{
	phys_addr_t address = page_to_phys(die->pages);
	int n = (table[0] >> 16) + 1;
	u64 *row = table + n * STRIDE;

	table[0] += 1 << 16;
	row[0] = UNIT_MMIO | UNIT_COUNTERS | UNIT_CTL | UNIT_WIDTH | UNIT_CTR;
	row[1] = address + n * UNIT_SIZE;
	row[2] = type;
}

static int make_die(struct fake_die *die, int n)
{
	u64 *table;
	int i;

	die->pages = alloc_pages(GFP_KERNEL | GFP_DMA32 | __GFP_ZERO, ORDER);
	if (!die->pages)
		return -ENOMEM;

	/* ioremap() refuses memory that is not reserved. */
	for (i = 0; i < 1 << ORDER; i++)
		SetPageReserved(die->pages + i);

	table = page_address(die->pages);
	table[0] = 0x23 | STRIDE << 8;
	table[1] = page_to_phys(die->pages) + 3 * UNIT_SIZE;
	add_unit(die, table, 0x77);
	if (n)
		add_unit(die, table, 0x78);

	die->config[PCI_VENDOR_ID / 4] = 0x09a78086;
	die->config[PCI_CLASS_REVISION / 4] = PCI_CLASS_BRIDGE_HOST << 16;
	die->config[PCI_BASE_ADDRESS_0 / 4] = page_to_phys(die->pages);
	die->config[DVSEC / 4] = 0x00010023;
	die->config[DVSEC / 4 + 2] = 1;		/* discovery of PMON units */
	return 0;
}

/* The module stays, as its PCI functions do. */
static int __init fakedisc_init(void)
{
	LIST_HEAD(resources);
	struct pci_bus *bus;
	int n, ret;

	for (n = 0; n < DIES; n++) {
		ret = make_die(&dies[n], n);
		if (ret)
			return ret;
	}

	upi[0][PCI_VENDOR_ID / 4] = 0x32408086;
	upi[0][PCI_HEADER_TYPE / 4] = PCI_HEADER_TYPE_MFD << 16;
	upi[1][PCI_VENDOR_ID / 4] = 0x32418086;
	upi[1][0x120 / 4] = 0x10;		/* the link is up */
	ubox[PCI_VENDOR_ID / 4] = 0x32508086;

	bus = pci_scan_root_bus(NULL, 0, &ops, &sysdata, &resources);
	if (!bus)
		return -ENODEV;

	pci_bus_add_devices(bus);
	return 0;
}
module_init(fakedisc_init);

MODULE_DESCRIPTION("PCI functions with uncore discovery tables, for tests");
MODULE_LICENSE("GPL");
