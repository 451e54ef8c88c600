// SPDX-License-Identifier: GPL-2.0-only
/* Boxes in PCI configuration space: HA, iMC, QPI, R2PCIe, R3QPI (Table 1-3) */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/pci-ecam.h>

#include "common/compat.h"
#include "snbep/pci.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

/* Return the ECAM address of a function from the MCFG table, or 0. */
static phys_addr_t snbep_pci_ecam(struct pci_dev *pdev)
{
	struct acpi_mcfg_allocation *a;
	struct acpi_table_header *table;
	phys_addr_t addr = 0;

	if (ACPI_FAILURE(acpi_get_table(ACPI_SIG_MCFG, 0, &table)))
		return 0;
	for (a = (void *)table + sizeof(struct acpi_table_mcfg);
	     (void *)(a + 1) <= (void *)table + table->length; a++) {
		if (a->pci_segment == pci_domain_nr(pdev->bus) &&
		    a->start_bus_number <= pdev->bus->number &&
		    a->end_bus_number >= pdev->bus->number)
			addr = a->address +
			       PCIE_ECAM_OFFSET(pdev->bus->number, pdev->devfn,
						0);
	}
	acpi_put_table(table);
	return addr;
}

/* Returns all ones if there is no such function; Linux 5.10 stores 0. */
u32 snbep_port_read(struct pci_dev *pdev, u16 addr)
{
	u32 val;

	return pci_bus_read_config_dword(pdev->bus, pdev->devfn, addr, &val) ?
	       U32_MAX : val;
}

void snbep_port_write(struct pci_dev *pdev, u16 addr, u32 val)
{
	pci_bus_write_config_dword(pdev->bus, pdev->devfn, addr, val);
}

/* After suspend, firmware may not have restored ECAM: check the device ID. */
bool snbep_pci_answers(struct pci_dev *pdev, void __iomem *map)
{
	return (map ? readl(map) : snbep_port_read(pdev, 0)) ==
	       ((u32)pdev->device << 16 | pdev->vendor);
}

/*
 * Map the configuration space of a function: accesses to a mapped page take no
 * lock, so an NMI may make them. Returns NULL without ECAM for its bus or with
 * pci=nommconf.
 */
static void __iomem *snbep_pci_map(struct pci_dev *pdev)
{
	void __iomem *map;
	phys_addr_t addr;
	u32 val;

	/* Extended configuration space is accessible through ECAM only. */
	if (pci_read_config_dword(pdev, PCI_CFG_SPACE_SIZE, &val))
		return NULL;
	addr = snbep_pci_ecam(pdev);
	if (!addr)
		return NULL;
	map = ioremap(addr, PCI_CFG_SPACE_EXP_SIZE);
	if (!map)
		return IOMEM_ERR_PTR(-ENOMEM);
	if (!snbep_pci_answers(pdev, map)) {
		iounmap(map);
		return NULL;
	}
	return map;
}

/* driver_data of the device table */
#define SNBEP_PCI_TYPE		GENMASK(7, 0)
#define SNBEP_PCI_INSTANCE	GENMASK(15, 8)

#define SNBEP_PCI(id, type, instance)					\
	{ PCI_VDEVICE(INTEL, id), .driver_data = (type) | (instance) << 8 }

/* Device IDs that Table 1-3 does not list */
#define SNBEP_DEVICE_QPI0_FILTER	0x3c86
#define SNBEP_DEVICE_QPI1_FILTER	0x3c96
#define SNBEP_DEVICE_UBOX		0x3ce0

static const struct pci_device_id snbep_pci_ids[] = {
	SNBEP_PCI(0x3c46, SNBEP_HA, 0),
	SNBEP_PCI(0x3cb0, SNBEP_IMC, 0),
	SNBEP_PCI(0x3cb1, SNBEP_IMC, 1),
	SNBEP_PCI(0x3cb4, SNBEP_IMC, 2),
	SNBEP_PCI(0x3cb5, SNBEP_IMC, 3),
	SNBEP_PCI(0x3c41, SNBEP_QPI, 0),
	SNBEP_PCI(0x3c42, SNBEP_QPI, 1),
	SNBEP_PCI(0x3c43, SNBEP_R2PCIE, 0),
	SNBEP_PCI(0x3c44, SNBEP_R3QPI, 0),
	SNBEP_PCI(0x3c45, SNBEP_R3QPI, 1),
	{ }
};
MODULE_DEVICE_TABLE(pci, snbep_pci_ids);

/* Map the function with the packet filters, or keep the reason why not. */
static int snbep_pci_map_filters(struct snbep_box *box)
{
	const struct snbep_regs *regs = &box->type->regs;
	void __iomem *map = NULL;
	struct pci_dev *fn;
	u32 val;

	fn = pci_get_slot(box->pdev->bus,
			  PCI_DEVFN(PCI_SLOT(box->pdev->devfn), regs->filter_fn));
	if (!box->map) {
		box->no_filters = "they need memory-mapped configuration space (MMCONFIG)";
	} else if (!fn) {
		box->no_filters = "the BIOS hides PCI function 6 of the port, as most do";
	} else if (fn->device != SNBEP_DEVICE_QPI0_FILTER &&
		   fn->device != SNBEP_DEVICE_QPI1_FILTER) {
		box->no_filters = "PCI function 6 of the port has an unknown device ID";
	} else {
		map = snbep_pci_map(fn);
		if (!map || pci_read_config_dword(fn, regs->filter[0], &val) ||
		    PCI_POSSIBLE_ERROR(val))
			box->no_filters = "PCI function 6 of the port does not respond";
	}
	pci_dev_put(fn);
	if (IS_ERR(map))
		return PTR_ERR(map);
	box->filter_map = map;
	return 0;
}

/*
 * Map the registers of a box until the module goes: their addresses do not
 * belong to the pci_dev, which users may remove and find again.
 */
int snbep_pci_map_box(struct snbep_box *box, struct pci_dev *pdev)
{
	void __iomem *map = snbep_pci_map(pdev);

	if (IS_ERR(map))
		return PTR_ERR(map);
	if (!map)
		dev_notice_once(&pdev->dev, "counters are accessed through I/O ports, as memory-mapped configuration space (MMCONFIG) does not cover this bus\n");
	box->pdev = pci_dev_get(pdev);
	box->map = map;
	box->filter_map = map;
	return box->type->regs.filter_fn ? snbep_pci_map_filters(box) : 0;
}

/* The UBox has the node ID of its bus, and the node IDs of all packages. */
#define SNBEP_UBOX_DEVFN	PCI_DEVFN(11, 0)

/* Return the packages that are present, or 0 if the UBox cannot map them. */
static u8 snbep_mapped_packages(void)
{
	unsigned int cpu;
	u8 present = 0;

	for_each_present_cpu(cpu) {
		int pkg = snbep_cpu_package(cpu);

		if (pkg >= SNBEP_MAX_SOCKETS)
			return 0;
		present |= BIT(pkg);
	}
	return present;
}

/*
 * Map entries of absent packages read as 0, which may also be the node ID of a
 * present one. The map has room for the IDs of eight packages.
 */
static int snbep_ubox_package(struct pci_dev *ubox)
{
	u8 present = snbep_mapped_packages();
	int pkg, found = -ENODEV;
	u32 node, map;

	if (!present ||
	    pci_read_config_dword(ubox, SNBEP_UBOX_NODE_ID, &node) ||
	    pci_read_config_dword(ubox, SNBEP_UBOX_NODE_MAP, &map))
		return -ENODEV;
	node &= SNBEP_UBOX_NODE_ID_LOCAL;
	for (pkg = 0; pkg < SNBEP_MAX_SOCKETS; pkg++, map >>= 3) {
		if ((map & SNBEP_UBOX_NODE_ID_LOCAL) == node &&
		    (found < 0 || (present & BIT(pkg))))
			found = pkg;
	}
	return found;
}

/* Return -EEXIST if @pdev is where the function of @box was. */
int snbep_pci_again(const struct snbep_box *box, struct pci_dev *pdev)
{
	if (pci_dev_id(pdev) == pci_dev_id(box->pdev) &&
	    pci_domain_nr(pdev->bus) == pci_domain_nr(box->pdev->bus))
		return -EEXIST;
	pci_notice(pdev, "ignored: another function is this box of socket %d: two UBoxes have the same node ID\n",
		   box->socket->pkg);
	return -ENODEV;
}

static struct snbep_socket *snbep_pci_socket(struct pci_bus *bus)
{
	struct pci_dev *ubox = pci_get_slot(bus, SNBEP_UBOX_DEVFN);
	int pkg = -ENODEV;

	if (ubox && ubox->device == SNBEP_DEVICE_UBOX)
		pkg = snbep_ubox_package(ubox);
	pci_dev_put(ubox);
	return snbep_socket_get(pkg);
}

static int snbep_pci_probe(struct pci_dev *pdev,
			   const struct pci_device_id *match)
{
	struct snbep_socket *socket = snbep_pci_socket(pdev->bus);
	enum snbep_type_id id = FIELD_GET(SNBEP_PCI_TYPE, match->driver_data);
	struct snbep_box *box;

	/* With driver_override, a function without an entry in the table */
	if (!snbep_box_types[id].regs.pci)
		return -ENODEV;
	if (!socket) {
		pci_notice(pdev, "ignored: unknown socket, as the UBox (0b.0) is hidden or does not map it\n");
		return -ENODEV;
	}
	box = snbep_box_create(id, FIELD_GET(SNBEP_PCI_INSTANCE,
					     match->driver_data), socket, pdev);
	/* Found again: the box has its registers still. */
	if (PTR_ERR(box) == -EEXIST)
		return 0;
	if (IS_ERR(box))
		return PTR_ERR(box);
	snbep_pmu_register(box->pmu);
	return 0;
}

struct pci_driver snbep_pci_driver = {
	.name = "snbep_uncore_pmon",
	.id_table = snbep_pci_ids,
	.probe = snbep_pci_probe,
	.driver.suppress_bind_attrs = true,
	/* Module init reports the boxes that are not there. */
	.driver.probe_type = PROBE_FORCE_SYNCHRONOUS,
};
