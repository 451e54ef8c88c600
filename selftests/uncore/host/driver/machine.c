// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the uncore, for the driver in host-side unit tests: addresses
 * and rules are written down from the guide, not from the driver. A counter adds
 * an amount with each tick that depends on all of its control and on all of the
 * filters that its event looks at, so that no wrong bit in them goes unseen.
 */
#include "lib/kernel/testing.h"
#include "machine.h"

#define ECAM		0xb0000000ULL

/* Tables 2-2, 2-10, 2-35, 2-61, 2-75, 2-86, 2-106, 2-120 */
static const struct kind kinds[] = {
	{ "cbox", 4, 44, 0, 0xd04, 1, 0xff8cffff, 1 },
	{ "ha", 4, 48, 0, 0, 0, 0xff84ffff, 3 },
	{ "imc", 4, 48, 48, 0, 0, 0xff84ffff, 0 },
	{ "pcu", 4, 48, 0, 0xc24, 1, 0xdfa4c0ff, 1 },
	{ "qpi", 4, 48, 0, 0, 1, 0xffa4ffff, 4 },
	{ "r2pcie", 4, 44, 0, 0, 1, 0xff84ffff, 0 },
	{ "r3qpi", 3, 44, 0, 0, 1, 0xff84ffff, 0 },
	{ "ubox", 2, 44, 44, 0xc08, -1, 0x1f84ffff, 0 },
};

/* Table 1-3 */
static const struct {
	const char *box;
	unsigned int slot, fn, device;
} functions[] = {
	{ NULL, 8, 0, 0x3c80 }, { "qpi_0", 8, 2, 0x3c41 },
	{ NULL, 8, 6, 0x3c86 }, { NULL, 9, 0, 0x3c90 },
	{ "qpi_1", 9, 2, 0x3c42 }, { NULL, 9, 6, 0x3c96 },
	{ NULL, 11, 0, 0x3ce0 }, { "ha", 14, 1, 0x3c46 },
	{ "imc_0", 16, 0, 0x3cb0 }, { "imc_1", 16, 1, 0x3cb1 },
	{ "imc_2", 16, 4, 0x3cb4 }, { "imc_3", 16, 5, 0x3cb5 },
	{ "r2pcie", 19, 1, 0x3c43 }, { "r3qpi_0", 19, 5, 0x3c44 },
	{ "r3qpi_1", 19, 6, 0x3c45 },
};

#define NR_FUNCTIONS	(sizeof(functions) / sizeof(functions[0]))

struct hw_box hw[NR_SOCKETS][NR_BOXES];
struct machine machine;
static struct pci_bus buses[NR_SOCKETS];
static struct pci_dev devs[NR_SOCKETS][NR_FUNCTIONS];
static char pages[NR_SOCKETS][NR_FUNCTIONS][PCI_CFG_SPACE_EXP_SIZE];

static void add_box(struct hw_box *box, unsigned int socket, const struct kind *kind, int instance)
{
	unsigned int i;

	*box = (struct hw_box){ .kind = kind, .socket = socket };
	if (instance < 0)
		snprintf(box->name, sizeof(box->name), "%s", kind->name);
	else
		snprintf(box->name, sizeof(box->name), "%s_%d", kind->name, instance);
	box->msr = kind->msr + (instance > 0 ? 0x20 * instance : 0);
	for (i = 0; i < NR_FUNCTIONS; i++) {
		if (functions[i].box && !strcmp(functions[i].box, box->name))
			box->pdev = &devs[socket][i];
	}
	if (!strcmp(kind->name, "qpi"))
		box->filter_pdev = box->pdev + 1;
}

void machine_reset(void)
{
	unsigned int s, i, n;
	int j;

	memset(&machine, 0, sizeof(machine));
	for (s = 0; s < NR_SOCKETS; s++) {
		static const int instances[] = { 8, 1, 4, 1, 2, 1, 2, 1 };

		buses[s] = (struct pci_bus){ .number = s ? 0xff : 0x7f,
					     .node = NUMA_NO_NODE };
		for (i = 0; i < NR_FUNCTIONS; i++) {
			int refs = devs[s][i].refs, maps = devs[s][i].maps;

			devs[s][i] = (struct pci_dev){
				.bus = &buses[s], .vendor = PCI_VENDOR_ID_INTEL,
				.devfn = PCI_DEVFN(functions[i].slot,
						   functions[i].fn),
				.device = functions[i].device, .there = true,
				.socket = s, .refs = refs, .maps = maps,
			};
		}
		for (i = 0, n = 0; i < ARRAY_SIZE(kinds); i++) {
			for (j = 0; j < instances[i]; j++)
				add_box(&hw[s][n++], s, &kinds[i], instances[i] > 1 ? j : -1);
		}
		/* Packages 0 and 1 are nodes 3 and 6; that of package 4 is 3. */
		machine.node[s] = s ? 6 : 3;
		machine.node_map[s] = 3 | 6 << 3 | 1 << 6 | 3 << 12;
		machine.rate[s][0] = 3 + s;
		machine.rate[s][1] = 5 | s << 4;
	}
}

struct hw_box *machine_box(unsigned int socket, const char *name)
{
	unsigned int i;

	for (i = 0; i < NR_BOXES; i++) {
		if (!strcmp(hw[socket][i].name, name))
			return &hw[socket][i];
	}
	fprintf(stderr, "no box %s\n", name);
	abort();
}

struct pci_dev *machine_function(unsigned int socket, unsigned int slot, unsigned int fn)
{
	unsigned int i;

	for (i = 0; i < NR_FUNCTIONS; i++) {
		if (devs[socket][i].devfn == PCI_DEVFN(slot, fn))
			return &devs[socket][i];
	}
	abort();
}

void machine_tally(struct hw_box *box)
{
	box->reads = 0;
	box->writes = 0;
}

void machine_scramble(struct hw_box *box)
{
	unsigned int i;

	box->box_ctl = noise();
	for (i = 0; i <= FIXED; i++) {
		box->ctl[i] = noise();
		box->ctr[i] = noise() & (BIT_ULL(40) - 1);
	}
	for (i = 0; i < 4; i++)
		box->filter[i] = noise();
}

/* What an event looks at of a filter register: tables 2-12, 2-37, 2-77, 2-88 */
u32 machine_looks_at(const struct kind *kind, u32 ctl, unsigned int reg)
{
	unsigned int code = ctl & 0xff, umask = ctl >> 8 & 0xff;
	u32 bits = 0;

	if (reg >= kind->filters)
		return 0;
	switch (kind->name[0]) {
	case 'c':
		if (ctl & 1 << 19)
			bits |= 0x1f;
		if (code == 0x34)
			bits |= 0x1f << 18;
		if ((code >= 0x34 && code <= 0x37) && (umask & 0x40))
			bits |= 0xff << 10;
		if ((code == 0x35 || code == 0x36) && (umask & 1))
			bits |= 0x1ffu << 23;
		return bits;
	case 'h':
		return code == 0x20 ? reg == 0 ? 0xffffffc0u :
				      reg == 1 ? 0x3fff : 0x3f : 0;
	case 'p':
		code &= 0x7f;
		if (ctl & 1 << 21)
			return 0;
		if (code >= 0x0b && code <= 0x0e)
			return 0xffu << 8 * (code - 0x0b);
		/* Demotions, but those of core 2 */
		return code >= 0x1e && code <= 0x25 && code != 0x20 ? 0xff : 0;
	case 'q':
		return code == 0x38 && (ctl & 1 << 21) ? ~0u : 0;
	}
	return 0;
}

u64 machine_rate(const struct kind *kind, unsigned int ctr, u32 ctl, const u32 *filter)
{
	u64 mix = ctl & ~EN;
	unsigned int i;

	if (ctr == FIXED)
		return 3;
	for (i = 0; i < kind->filters; i++)
		mix = mix * 31 + (filter[i] & machine_looks_at(kind, ctl, i));
	/* Not 0, and not too much for a driver that knows what is plausible */
	return 1 + (mix * 0x9e3779b97f4a7c15ULL >> 50);
}

bool machine_counts(const struct hw_box *box, unsigned int ctr)
{
	return (box->ctl[ctr] & EN) &&
	       (box->kind->reset < 0 || (box->box_ctl & (FRZ | FRZ_EN)) != (FRZ | FRZ_EN));
}

static u64 mask_of(const struct hw_box *box, unsigned int ctr)
{
	return BIT_ULL(ctr == FIXED ? box->kind->fixed_width : box->kind->width) - 1;
}

static bool has_ctr(const struct kind *kind, unsigned int ctr)
{
	return ctr == FIXED ? kind->fixed_width : ctr < kind->counters;
}

void machine_tick(struct hw_box *box, u64 ticks)
{
	unsigned int i;

	for (i = 0; i <= FIXED; i++) {
		if (!has_ctr(box->kind, i) || !machine_counts(box, i))
			continue;
		box->ctr[i] += ticks * machine_rate(box->kind, i, box->ctl[i], box->filter);
		box->ctr[i] &= mask_of(box, i);
	}
}

/* Registers, by what they are */
enum what { BOX_CTL, CTL, CTR, CTR_HI, FILTER };

static void write_reg(struct hw_box *box, enum what what, unsigned int i, u32 val)
{
	const struct kind *k = box->kind;
	unsigned int c;

	switch (what) {
	case BOX_CTL:
		if (val & ~(FRZ | FRZ_EN | (k->reset ? 3u : 0)))
			fault("%s: box control %#x", box->name, val);
		if (!(val & FRZ_EN))
			fault("%s: frz_en is 0", box->name);
		box->box_ctl = val & (FRZ | FRZ_EN);
		for (c = 0; c <= FIXED; c++) {
			if (val & 1)
				box->ctl[c] = 0;
			if (val & 2)
				box->ctr[c] = 0;
		}
		break;
	case CTL:
		if (val & ~(EN | (i == FIXED ? 0 : k->ctl_bits)))
			fault("%s: control %u = %#x", box->name, i, val);
		box->ctl[i] = val;
		break;
	case FILTER:
		/* What another program left there is none of the driver's. */
		for (c = 0; c < k->counters; c++) {
			if (machine_counts(box, c) &&
			    (machine_looks_at(k, box->ctl[c], i) &
			     (val ^ box->wrote[i])))
				fault("%s: filter %u changes while counter %u uses it",
				      box->name, i, c);
		}
		box->filter[i] = val;
		box->wrote[i] = val;
		break;
	default:
		fault("%s: a counter is written", box->name);
	}
}

static u32 read_reg(struct hw_box *box, enum what what, unsigned int i)
{
	u32 above = ~(mask_of(box, i < FIXED ? 0 : i) >> 32);
	u32 ctl = box->ctl[i];

	switch (what) {
	case BOX_CTL:
		fault("%s: its box control is read, which is write-only", box->name);
		return noise();
	case CTL:
		if (machine.tidy)
			return ctl;
		return ctl | (i == FIXED ? (u32)noise() & ~EN :
				      (u32)noise() & ~(box->kind->ctl_bits | EN));
	case FILTER:
		return box->filter[i];
	case CTR:
		return box->ctr[i];
	case CTR_HI:
		return box->ctr[i] >> 32 | (machine.tidy ? 0 : noise() & above);
	}
	return 0;
}

static void begin_access(struct hw_box *box, bool write)
{
	if (write)
		box->writes++;
	else
		box->reads++;
	if (!mock_irqs_off)
		fault("%s: a register is accessed with interrupts on", box->name);
	if (machine.access)
		machine.access(box);
	if (machine.creeps) {
		mock_cycles += TICK;
		machine_tick(box, 1);
	}
}

/* The socket of this CPU, whatever the number of its package */
static unsigned int this_socket(void)
{
	return mock_package[mock_cpu] != mock_package[0];
}

/* MSRs: tables 2-1, 2-8, 2-73 */
static struct hw_box *find_msr(u32 addr, enum what *what, unsigned int *i)
{
	unsigned int n;

	for (n = 0; n < NR_BOXES; n++) {
		struct hw_box *box = &hw[this_socket()][n];
		u32 at = addr - box->msr;
		/* Offsets of the first control, counter and filter */
		u32 ctl = 12, ctr = 18;

		if (!box->kind->msr || box->absent || addr < box->msr)
			continue;
		if (box->kind->reset < 0) {
			ctl = 8;
			ctr = 14;
		}
		*i = FIXED;
		*what = at == 0 ? CTL : CTR;
		if (box->kind->reset < 0 && at < 2)
			return box;
		*i = 0;
		*what = at == 0 ? BOX_CTL : FILTER;
		if (box->kind->reset >= 0 && (at == 0 || at == 16))
			return box;
		*i = at - ctl;
		*what = CTL;
		if (at >= ctl && *i < box->kind->counters)
			return box;
		*i = at - ctr;
		*what = CTR;
		if (at >= ctr && *i < box->kind->counters)
			return box;
	}
	return NULL;
}

int machine_rdmsr_safe(u32 addr, u64 *val)
{
	enum what what;
	unsigned int i;
	struct hw_box *box = find_msr(addr, &what, &i);

	if (!box)
		return -EIO;
	/* One that is only tried is tried at load, with interrupts on. */
	mock_irqs_off++;
	begin_access(box, false);
	mock_irqs_off--;
	*val = box->deaf ? 0 : read_reg(box, what, i);
	if (what == CTR && !box->deaf)
		*val |= (u64)read_reg(box, CTR_HI, i) << 32;
	return 0;
}

int machine_wrmsr_safe(u32 addr, u64 val)
{
	bool ext = val & 1u << 21;
	enum what what;
	unsigned int i;
	struct hw_box *box = find_msr(addr, &what, &i);

	if (!box || val >> 32)
		return -EIO;
	mock_irqs_off++;
	begin_access(box, true);
	mock_irqs_off--;
	if (box->deaf)
		return 0;
	if (what == CTL && ext && box->kind->name[0] == 'p') {
		if (machine.ext == EXT_FAULT)
			return -EIO;
		if (machine.ext == EXT_DROP)
			val &= ~(1u << 21);
	}
	write_reg(box, what, i, val);
	return 0;
}

/* A control may read back as anything, such as what it was before. */
static void only_counters(u32 addr)
{
	struct hw_box *box;
	enum what what;
	unsigned int i;

	box = find_msr(addr, &what, &i);
	if (box && what != CTR)
		fault("%s: a control or filter is read back", box->name);
}

u64 machine_rdmsr(u32 addr)
{
	u64 val = 0;

	only_counters(addr);
	if (machine_rdmsr_safe(addr, &val))
		fault("MSR %#x is read", addr);
	if (!mock_irqs_off)
		fault("MSR %#x is read with interrupts on", addr);
	return val;
}

void machine_wrmsr(u32 addr, u64 val)
{
	if (machine_wrmsr_safe(addr, val))
		fault("MSR %#x is written", addr);
	if (!mock_irqs_off)
		fault("MSR %#x is written with interrupts on", addr);
}

/* PCI functions: tables 2-33, 2-59, 2-84, 2-104, 2-118 */
static struct hw_box *find_pci(struct pci_dev *pdev, unsigned int reg,
			       enum what *what, unsigned int *i)
{
	static const unsigned int ha[] = { 0x40, 0x44, 0x48 };
	static const unsigned int packet[] = { 0x228, 0x22c, 0x238, 0x23c };
	unsigned int n, f;

	if (reg % 4)
		fault("%x.%x: an access in the middle of a dword, %#x",
		      PCI_SLOT(pdev->devfn), pdev->devfn & 7, reg);
	for (n = 0; n < NR_BOXES; n++) {
		struct hw_box *box = &hw[pdev->socket][n];

		if (box->filter_pdev == pdev) {
			*what = FILTER;
			for (*i = 0; *i < 4; ++*i) {
				if (packet[*i] == reg)
					return box;
			}
		}
		if (box->pdev != pdev)
			continue;
		*what = BOX_CTL;
		*i = 0;
		if (reg == 0xf4)
			return box;
		*what = CTL;
		*i = reg == 0xf0 ? FIXED : (reg - 0xd8) / 4;
		if (reg >= 0xd8 && reg <= 0xf0 && has_ctr(box->kind, *i))
			return box;
		*what = reg & 4 ? CTR_HI : CTR;
		*i = reg >= 0xd0 ? FIXED : (reg - 0xa0) / 8;
		if (reg >= 0xa0 && reg < 0xd8 && has_ctr(box->kind, *i))
			return box;
		*what = FILTER;
		for (f = 0; box->kind->name[0] == 'h' && f < 3; f++) {
			*i = f;
			if (reg == ha[f])
				return box;
		}
	}
	return NULL;
}

static u32 config_read(struct pci_dev *pdev, unsigned int reg, bool probe)
{
	enum what what;
	unsigned int i;
	struct hw_box *box = find_pci(pdev, reg, &what, &i);

	if (!pdev->there)
		return ~0u;
	if (!reg)
		return (u32)pdev->device << 16 | pdev->vendor;
	if (PCI_SLOT(pdev->devfn) == 11 && reg == 0x40)
		/* Above the local node id there are other fields. */
		return machine.node[pdev->socket] | ((u32)noise() & ~7u);
	if (PCI_SLOT(pdev->devfn) == 11 && reg == 0x54)
		return machine.node_map[pdev->socket];
	if ((pdev->devfn & 7) == 0 && PCI_SLOT(pdev->devfn) < 10 && reg == 0xd4)
		return machine.rate[pdev->socket][PCI_SLOT(pdev->devfn) - 8];
	if (!box) {
		if (!probe)
			fault("%x.%x: %#x is read", PCI_SLOT(pdev->devfn), pdev->devfn & 7, reg);
		return 0;
	}
	if (probe)
		return read_reg(box, what, i);
	begin_access(box, false);
	if (what != CTR && what != CTR_HI)
		fault("%s: a control or filter is read back", box->name);
	if (this_socket() != pdev->socket)
		fault("%s: read from the other socket", box->name);
	return read_reg(box, what, i);
}

static void config_write(struct pci_dev *pdev, unsigned int reg, u32 val)
{
	enum what what;
	unsigned int i;
	struct hw_box *box = find_pci(pdev, reg, &what, &i);

	if (!pdev->there)
		return;
	if (!box) {
		fault("%x.%x: %#x is written", PCI_SLOT(pdev->devfn), pdev->devfn & 7, reg);
		return;
	}
	begin_access(box, true);
	if (this_socket() != pdev->socket)
		fault("%s: written from the other socket", box->name);
	write_reg(box, what, i, val);
}

static bool reaches(unsigned int reg)
{
	return reg < PCI_CFG_SPACE_SIZE || !(machine.no_ecam || machine.nommconf);
}

int pci_read_config_dword(struct pci_dev *pdev, int reg, u32 *val)
{
	*val = ~0u;
	if (!reaches(reg))
		return -EINVAL;
	*val = config_read(pdev, reg, true);
	return 0;
}

struct pci_dev *pci_get_slot(struct pci_bus *bus, unsigned int devfn)
{
	unsigned int i;

	for (i = 0; i < NR_FUNCTIONS; i++) {
		struct pci_dev *pdev = &devs[bus - buses][i];

		if (pdev->devfn == devfn && pdev->there)
			return pci_dev_get(pdev);
	}
	return NULL;
}

struct pci_dev *pci_dev_get(struct pci_dev *pdev)
{
	if (pdev)
		pdev->refs++;
	return pdev;
}

void pci_dev_put(struct pci_dev *pdev)
{
	if (pdev && --pdev->refs < 0)
		fault("%x.%x: given back twice", PCI_SLOT(pdev->devfn), pdev->devfn & 7);
}

/* The third entry is the one: the others are other segments' and other buses'. */
static struct {
	struct acpi_table_mcfg head;
	struct acpi_mcfg_allocation entry[5];
} mcfg = {
	.entry = {
		{ 0x1000, 1, 0, 0xff, 0 },
		{ 0x2000, 0, 0, 0x7e, 0 },
		{ ECAM, 0, 0x7f, 0xff, 0 },
		{ 0x3000, 1, 0, 0xff, 0 },
		{ 0x4000, 0, 0, 0x7e, 0 },
	},
};

static int mcfg_refs;

int acpi_get_table(const char *signature, u32 nr, struct acpi_table_header **table)
{
	if (strcmp(signature, "MCFG") || nr || machine.no_ecam)
		return 5;
	mcfg_refs++;
	mcfg.head.header.length = machine.short_mcfg ?
				  offsetof(typeof(mcfg), entry[3]) : sizeof(mcfg);
	*table = (void *)&mcfg;
	return 0;
}

void acpi_put_table(struct acpi_table_header *table)
{
	if ((void *)table != &mcfg || --mcfg_refs)
		fault("the table is not given back");
}

void *ioremap(phys_addr_t addr, size_t size)
{
	unsigned int s, i;

	if (size != PCI_CFG_SPACE_EXP_SIZE)
		fault("%zu bytes are mapped", size);
	for (s = 0; s < NR_SOCKETS; s++) {
		for (i = 0; i < NR_FUNCTIONS; i++) {
			if (addr != ECAM + ((u64)buses[s].number << 20 | devs[s][i].devfn << 12))
				continue;
			if (machine.no_room == &devs[s][i])
				return NULL;
			devs[s][i].maps++;
			return pages[s][i];
		}
	}
	fault("%#llx is mapped", (unsigned long long)addr);
	return NULL;
}

static struct pci_dev *mapped(const void *addr, unsigned int *reg)
{
	size_t at = (const char *)addr - pages[0][0];
	struct pci_dev *pdev;

	*reg = at % PCI_CFG_SPACE_EXP_SIZE;
	at /= PCI_CFG_SPACE_EXP_SIZE;
	if (at >= NR_SOCKETS * NR_FUNCTIONS) {
		fault("no such page");
		abort();
	}
	pdev = &devs[at / NR_FUNCTIONS][at % NR_FUNCTIONS];
	if (!pdev->maps)
		fault("%x.%x: not mapped", PCI_SLOT(pdev->devfn), pdev->devfn & 7);
	return pdev;
}

void iounmap(void *map)
{
	unsigned int reg;
	struct pci_dev *pdev = mapped(map, &reg);

	pdev->maps--;
}

u32 readl(const void *addr)
{
	unsigned int reg;
	struct pci_dev *pdev = mapped(addr, &reg);

	return machine.ecam_lost ? 0 : config_read(pdev, reg, !reg);
}

void writel(u32 val, void *addr)
{
	unsigned int reg;
	struct pci_dev *pdev = mapped(addr, &reg);

	if (!machine.ecam_lost)
		config_write(pdev, reg, val);
}

/* The driver's functions are found, or go. */
static struct pci_driver *driver;

static const struct pci_device_id *match(const struct pci_dev *pdev)
{
	const struct pci_device_id *id;

	for (id = driver->id_table; id->device; id++) {
		if (id->device == pdev->device)
			return id;
	}
	return NULL;
}

void machine_bind(struct pci_dev *pdev)
{
	const struct pci_device_id *id = match(pdev);

	if (!id || !pdev->there || pdev->bound)
		return;
	machine.probed = driver->probe(pdev, id);
	pdev->bound = !machine.probed;
}

void machine_unbind(struct pci_dev *pdev)
{
	if (pdev->bound)
		driver->remove(pdev);
	pdev->bound = false;
}

void machine_each_function(void (*what)(struct pci_dev *pdev))
{
	unsigned int s, i;

	for (s = 0; s < NR_SOCKETS; s++) {
		for (i = 0; i < NR_FUNCTIONS; i++)
			what(&devs[s][i]);
	}
}

int pci_register_driver(struct pci_driver *d)
{
	if (mock_fails())
		return -ENOMEM;
	/* A user who unbinds a function takes the box away from all others. */
	if (!d->driver.suppress_bind_attrs)
		fault("users can unbind functions by way of sysfs");
	/* By its driver's name intel_uncore is found. */
	if (!strcmp(d->name, "snbep_uncore"))
		fault("the PCI driver has the name of intel_uncore's");
	driver = d;
	machine_each_function(machine_bind);
	return 0;
}

void pci_unregister_driver(struct pci_driver *d)
{
	if (driver != d)
		fault("another driver goes");
	if (machine.leaving)
		machine.leaving();
	machine_each_function(machine_unbind);
	driver = NULL;
}

static void check_left(struct pci_dev *pdev)
{
	if (pdev->refs || pdev->maps)
		fault("%x.%x: %d references and %d mappings are left",
		      PCI_SLOT(pdev->devfn), pdev->devfn & 7, pdev->refs,
		      pdev->maps);
	pdev->refs = 0;
	pdev->maps = 0;
}

/* After the driver has gone */
void machine_check_left(void)
{
	if (driver)
		fault("the driver is still registered");
	if (mcfg_refs)
		fault("an ACPI table is not given back");
	mcfg_refs = 0;
	driver = NULL;
	machine_each_function(check_left);
}
