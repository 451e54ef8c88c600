// SPDX-License-Identifier: GPL-2.0-only
/* Boxes in PCI configuration space: HA, iMC, QPI, R2PCIe, R3QPI (Table 1-3) */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/pci-ecam.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/topology.h>

#include "common/compat.h"
#include "snbep/box.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep/types.h"

static u16 snbep_pci_ctr(struct snbep_box *box, unsigned int ctr)
{
	const struct snbep_regs *regs = &box->pmu->type->regs;

	return ctr == SNBEP_FIXED_CTR ? regs->fixed_ctr : regs->ctr + 8 * ctr;
}

/* Where memory-mapped configuration space has a function, or 0 */
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

static bool snbep_pci_is_there(struct pci_dev *pdev, void __iomem *map)
{
	return readl(map) == ((u32)pdev->device << 16 | pdev->vendor);
}

/**
 * snbep_pci_map - map the configuration space of a function
 * @pdev: the function, or NULL
 *
 * The kernel reaches the first 256 bytes through two I/O ports and under one
 * lock for all of PCI, which an NMI may find taken by its own CPU. A mapped page
 * takes one access and no lock.
 *
 * Return: the page; NULL if the platform has none, or pci=nommconf says not to
 * use it.
 */
void __iomem *snbep_pci_map(struct pci_dev *pdev)
{
	void __iomem *map;
	phys_addr_t addr;
	u32 val;

	/* What lies above is reached through it alone. */
	if (!pdev || pci_read_config_dword(pdev, PCI_CFG_SPACE_SIZE, &val))
		return NULL;
	addr = snbep_pci_ecam(pdev);
	map = addr ? ioremap(addr, PCI_CFG_SPACE_EXP_SIZE) : NULL;
	if (map && !snbep_pci_is_there(pdev, map)) {
		iounmap(map);
		return NULL;
	}
	return map;
}

/**
 * snbep_pci_resume - see whether mapped configuration space survived a sleep
 * @box: the box, on a CPU of its socket with interrupts off
 *
 * There is firmware that forgets to set it up again. The ports always work, but
 * they do not reach the packet filters.
 */
void snbep_pci_resume(struct snbep_box *box)
{
	bool lost;

	if (box->map && !snbep_pci_is_there(box->pdev, box->map))
		box->map = NULL;
	if (!box->filter_pdev || !box->maps[1])
		return;
	lost = !snbep_pci_is_there(box->filter_pdev, box->maps[1]);
	box->filter_map = lost ? NULL : box->maps[1];
	WRITE_ONCE(box->filters_lost, lost);
}

static u32 snbep_pci_read_reg(struct pci_dev *pdev, void __iomem *map, u32 reg)
{
	u32 val;

	if (likely(map))
		return readl(map + reg);
	pci_bus_read_config_dword(pdev->bus, pdev->devfn, reg, &val);
	return val;
}

static void snbep_pci_write_reg(struct pci_dev *pdev, void __iomem *map,
				u32 reg, u32 val)
{
	if (likely(map))
		writel(val, map + reg);
	else
		pci_bus_write_config_dword(pdev->bus, pdev->devfn, reg, val);
}

/**
 * snbep_pci_read - read a counter
 * @box: the box
 * @addr: of the counter, in the configuration space of its function
 * @running: it may count meanwhile
 * @prev: its value at the last look, if @running
 *
 * A counter is two dwords, and may carry from the low to the high one between
 * two reads. If the high dword is what it was at the last look there was no
 * carry, and two reads do. If not, the low dword is good if it was read
 * between two equal high ones. Bits above the counter's width may read as
 * anything, and another thing each time.
 *
 * A function that went away reads as all ones, which no counter can.
 *
 * Without a mapped page an NMI may have come in the middle of an access of this
 * CPU, which holds the lock of configuration space. What it gets is as of the
 * last look.
 *
 * Return: the value, or @prev in such an NMI; SNBEP_NO_VALUE, all ones, if the
 * function went away.
 */
u64 snbep_pci_read(struct snbep_box *box, u32 addr, bool running, u64 prev)
{
	struct pci_dev *pdev = box->pdev;
	void __iomem *map = box->map;
	u32 lo, hi, last, bits;

	if (unlikely(!map && in_nmi()))
		return prev;
	lo = snbep_pci_read_reg(pdev, map, addr);
	hi = snbep_pci_read_reg(pdev, map, addr + 4);
	if (unlikely(running && hi != upper_32_bits(prev))) {
		bits = upper_32_bits(GENMASK_ULL(box->pmu->type->width - 1, 0));
		do {
			last = hi;
			lo = snbep_pci_read_reg(pdev, map, addr);
			hi = snbep_pci_read_reg(pdev, map, addr + 4);
		} while ((hi ^ last) & bits);
	}
	return (u64)hi << 32 | lo;
}

/**
 * snbep_pci_cannot_sample - whether samples of an event may not read a box
 * @box: the box
 * @event: an event of the group
 *
 * A sample with PERF_SAMPLE_READ and PERF_FORMAT_GROUP reads all events of its group.
 * Without a mapped page that takes the lock of configuration space, which the sample's
 * own CPU may hold already: a tracepoint can be anywhere, also in the code that has
 * this lock. The kernel's software events are nowhere near, but for one that BPF
 * programs make.
 *
 * Return: true if it could wait for a lock of its own CPU.
 */
bool snbep_pci_cannot_sample(struct snbep_box *box, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (likely(!box->pdev || box->map) || !is_sampling_event(event) ||
	    !(attr->sample_type & PERF_SAMPLE_READ) ||
	    !(attr->read_format & PERF_FORMAT_GROUP))
		return false;
	if (attr->type == PERF_TYPE_SOFTWARE)
		return attr->config == PERF_COUNT_SW_BPF_OUTPUT;
	/* Since 6.5 the clocks have types of their own, and these names. */
	return !event->pmu->name || (strcmp(event->pmu->name, "cpu_clock") &&
				     strcmp(event->pmu->name, "task_clock"));
}

static u32 snbep_pci_ctl(struct snbep_box *box, unsigned int ctr)
{
	const struct snbep_regs *regs = &box->pmu->type->regs;

	return ctr == SNBEP_FIXED_CTR ? regs->fixed_ctl : regs->ctl + 4 * ctr;
}

static u32 snbep_pci_read_ctl(struct snbep_box *box, unsigned int ctr)
{
	return snbep_pci_read_reg(box->pdev, box->map, snbep_pci_ctl(box, ctr));
}

static void snbep_pci_write_ctl(struct snbep_box *box, unsigned int ctr,
				u32 val)
{
	snbep_pci_write_reg(box->pdev, box->map, snbep_pci_ctl(box, ctr), val);
}

static u32 snbep_pci_read_filter(struct snbep_box *box, unsigned int reg)
{
	u32 addr = box->pmu->type->regs.filter[reg];

	if (box->filter_pdev)
		return snbep_pci_read_reg(box->filter_pdev, box->filter_map,
					  addr);
	return snbep_pci_read_reg(box->pdev, box->map, addr);
}

static void snbep_pci_write_filter(struct snbep_box *box, unsigned int reg,
				   u32 val)
{
	u32 addr = box->pmu->type->regs.filter[reg];

	if (box->filter_pdev)
		snbep_pci_write_reg(box->filter_pdev, box->filter_map, addr,
				    val);
	else
		snbep_pci_write_reg(box->pdev, box->map, addr, val);
}

static u32 snbep_pci_read_box_ctl(struct snbep_box *box)
{
	return snbep_pci_read_reg(box->pdev, box->map,
				  box->pmu->type->regs.box_ctl);
}

static void snbep_pci_write_box_ctl(struct snbep_box *box, u32 val)
{
	snbep_pci_write_reg(box->pdev, box->map,
			    box->pmu->type->regs.box_ctl, val);
}

const struct snbep_backend snbep_pci_backend = {
	.ctr = snbep_pci_ctr,
	.read_ctl = snbep_pci_read_ctl,
	.write_ctl = snbep_pci_write_ctl,
	.read_filter = snbep_pci_read_filter,
	.write_filter = snbep_pci_write_filter,
	.read_box_ctl = snbep_pci_read_box_ctl,
	.write_box_ctl = snbep_pci_write_box_ctl,
};

/**
 * snbep_pci_qpi_rate - read QPI_RATE_STATUS (Table 2-93)
 * @box: a QPI port
 * @status: the register
 *
 * Return: 0, or -ENODEV if its function is hidden. Table 2-84 has port 1's in
 * function 1, Table 1-3 in function 0 like port 0's; it is function 0.
 */
int snbep_pci_qpi_rate(struct snbep_box *box, u32 *status)
{
	unsigned int dev = PCI_SLOT(box->pdev->devfn);
	struct pci_dev *misc = pci_get_slot(box->pdev->bus, PCI_DEVFN(dev, 0));
	int ret;

	if (!misc)
		return -ENODEV;
	ret = pci_read_config_dword(misc, SNBEP_QPI_RATE_STATUS, status);
	pci_dev_put(misc);
	return ret || PCI_POSSIBLE_ERROR(*status) ? -ENODEV : 0;
}

/* driver_data of the device table */
#define SNBEP_PCI_TYPE		GENMASK(7, 0)
#define SNBEP_PCI_INSTANCE	GENMASK(15, 8)

#define SNBEP_PCI(id, type, instance)					\
	{ PCI_DEVICE_DATA(INTEL, SNBEP_ ## id, (type) | (instance) << 8) }

#define PCI_DEVICE_ID_INTEL_SNBEP_QPI0		0x3c41
#define PCI_DEVICE_ID_INTEL_SNBEP_QPI1		0x3c42
#define PCI_DEVICE_ID_INTEL_SNBEP_R2PCIE	0x3c43
#define PCI_DEVICE_ID_INTEL_SNBEP_R3QPI0	0x3c44
#define PCI_DEVICE_ID_INTEL_SNBEP_R3QPI1	0x3c45
#define PCI_DEVICE_ID_INTEL_SNBEP_HA		0x3c46
#define PCI_DEVICE_ID_INTEL_SNBEP_QPI0_FILTER	0x3c86
#define PCI_DEVICE_ID_INTEL_SNBEP_QPI1_FILTER	0x3c96
#define PCI_DEVICE_ID_INTEL_SNBEP_IMC0		0x3cb0
#define PCI_DEVICE_ID_INTEL_SNBEP_IMC1		0x3cb1
#define PCI_DEVICE_ID_INTEL_SNBEP_IMC2		0x3cb4
#define PCI_DEVICE_ID_INTEL_SNBEP_IMC3		0x3cb5
#define PCI_DEVICE_ID_INTEL_SNBEP_UBOX		0x3ce0

static const struct pci_device_id snbep_pci_ids[] = {
	SNBEP_PCI(HA, SNBEP_HA, 0),
	SNBEP_PCI(IMC0, SNBEP_IMC, 0),
	SNBEP_PCI(IMC1, SNBEP_IMC, 1),
	SNBEP_PCI(IMC2, SNBEP_IMC, 2),
	SNBEP_PCI(IMC3, SNBEP_IMC, 3),
	SNBEP_PCI(QPI0, SNBEP_QPI, 0),
	SNBEP_PCI(QPI1, SNBEP_QPI, 1),
	SNBEP_PCI(R2PCIE, SNBEP_R2PCIE, 0),
	SNBEP_PCI(R3QPI0, SNBEP_R3QPI, 0),
	SNBEP_PCI(R3QPI1, SNBEP_R3QPI, 1),
	{ }
};
MODULE_DEVICE_TABLE(pci, snbep_pci_ids);

/*
 * The function of the same device that has the filters of a box, or NULL: the
 * BIOS may hide it, and without memory-mapped configuration space its registers
 * above 0xff cannot be reached. Such an access fails; nothing faults.
 */
static struct pci_dev *snbep_pci_filter_function(struct pci_dev *pdev,
						 const struct snbep_regs *regs)
{
	static const u16 ids[] = {
		PCI_DEVICE_ID_INTEL_SNBEP_QPI0_FILTER,
		PCI_DEVICE_ID_INTEL_SNBEP_QPI1_FILTER,
	};
	struct pci_dev *fn;
	unsigned int i;
	u32 val;

	fn = pci_get_slot(pdev->bus, PCI_DEVFN(PCI_SLOT(pdev->devfn),
					       regs->filter_fn));
	for (i = 0; fn && i < ARRAY_SIZE(ids); i++) {
		if (fn->device == ids[i] &&
		    !pci_read_config_dword(fn, regs->filter[0], &val) &&
		    !PCI_POSSIBLE_ERROR(val))
			return fn;
	}
	pci_dev_put(fn);
	return NULL;
}

/* The UBox says which node its bus belongs to, and which package that is. */
#define SNBEP_UBOX_DEVFN	PCI_DEVFN(11, 0)

static bool snbep_package_is_online(int pkg)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		if (topology_physical_package_id(cpu) == pkg)
			return true;
	}
	return false;
}

/*
 * The entries of packages that are not there hold some node, too: 0, which can
 * be that of a package which is. So one with CPUs is preferred.
 */
static int snbep_ubox_package(struct pci_dev *ubox)
{
	int pkg, found = -ENODEV;
	u32 node, map;

	if (pci_read_config_dword(ubox, SNBEP_UBOX_NODE_ID, &node) ||
	    pci_read_config_dword(ubox, SNBEP_UBOX_NODE_MAP, &map))
		return -ENODEV;
	node &= SNBEP_UBOX_NODE_ID_LOCAL;
	for (pkg = 0; pkg < SNBEP_MAX_SOCKETS; pkg++, map >>= 3) {
		if ((map & SNBEP_UBOX_NODE_ID_LOCAL) != node)
			continue;
		if (snbep_package_is_online(pkg))
			return pkg;
		if (found < 0)
			found = pkg;
	}
	return found;
}

/*
 * With the UBox hidden, the firmware's tables may still tell, or there may be
 * only one package that it can be.
 */
static int snbep_guess_package(struct pci_bus *bus)
{
	int node = pcibus_to_node(bus);
	unsigned int cpu;

	if (node != NUMA_NO_NODE)
		cpu = cpumask_any_and(cpumask_of_node(node), cpu_online_mask);
	else if (topology_max_packages() == 1)
		cpu = cpumask_any(cpu_online_mask);
	else
		return -ENODEV;
	return cpu < nr_cpu_ids ? topology_physical_package_id(cpu) : -ENODEV;
}

static struct snbep_socket *snbep_pci_socket(struct pci_bus *bus)
{
	struct pci_dev *ubox = pci_get_slot(bus, SNBEP_UBOX_DEVFN);
	int pkg = -ENODEV;

	if (ubox && ubox->device == PCI_DEVICE_ID_INTEL_SNBEP_UBOX)
		pkg = snbep_ubox_package(ubox);
	pci_dev_put(ubox);
	if (pkg < 0)
		pkg = snbep_guess_package(bus);
	return pkg < 0 ? ERR_PTR(-ENODEV) : snbep_socket_get(pkg);
}

static int snbep_pci_probe(struct pci_dev *pdev,
			   const struct pci_device_id *match)
{
	struct snbep_socket *socket = snbep_pci_socket(pdev->bus);
	enum snbep_type_id id = FIELD_GET(SNBEP_PCI_TYPE, match->driver_data);
	const struct snbep_regs *regs = &snbep_box_types[id].regs;
	struct pci_dev *filter_pdev = NULL;
	struct snbep_box *box;

	if (IS_ERR(socket)) {
		pci_notice(pdev, "left out: the UBox (function 11.0) is hidden or has no such socket, so it is unknown whose it is\n");
		return PTR_ERR(socket);
	}
	if (regs->filter_fn)
		filter_pdev = snbep_pci_filter_function(pdev, regs);
	box = snbep_box_found(id, FIELD_GET(SNBEP_PCI_INSTANCE,
					    match->driver_data),
			      socket, pdev, filter_pdev);
	pci_dev_put(filter_pdev);
	if (IS_ERR(box)) {
		if (PTR_ERR(box) == -EBUSY)
			pci_notice(pdev, "left out: it came back, or another one answers for the same box\n");
		return PTR_ERR(box);
	}
	pci_set_drvdata(pdev, box);
	return 0;
}

/* The driver leaves all functions, and not a function the driver. */
static bool snbep_pci_leaving;

/*
 * The box stays until the module goes, and keeps the function: events may hold
 * it. What it reads then are all ones. As the module goes, this is no loss of a box.
 */
static void snbep_pci_remove(struct pci_dev *pdev)
{
	struct snbep_box *box = pci_get_drvdata(pdev);

	if (!READ_ONCE(snbep_pci_leaving))
		snbep_box_set_dead(box);
}

static struct pci_driver snbep_pci_driver = {
	.name = "snbep_uncore_pmon",
	.id_table = snbep_pci_ids,
	.probe = snbep_pci_probe,
	.remove = snbep_pci_remove,
	.driver.suppress_bind_attrs = true,
};

/**
 * snbep_pci_init - find the boxes in PCI space, now and when functions come later
 *
 * Return: 0, or a negative errno.
 */
int snbep_pci_init(void)
{
	snbep_pci_leaving = false;
	return pci_register_driver(&snbep_pci_driver);
}

/** snbep_pci_exit - find no more, and wait for those that are being taken in */
void snbep_pci_exit(void)
{
	WRITE_ONCE(snbep_pci_leaving, true);
	pci_unregister_driver(&snbep_pci_driver);
}
