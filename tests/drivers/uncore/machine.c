// SPDX-License-Identifier: GPL-2.0-only
/*
 * The uncore for the driver in host-side unit tests: QEMU's model of its registers with its
 * protocol checker, behind MSRs, PCI and ACPI. A counter adds an amount with each tick that
 * depends on all of its control and on all of the filters that its event looks at, so that
 * no wrong bit in them goes unseen.
 */
#include "uncore-model.h"
#include "machine/xeon/console/model-console.h"
#include "tests.h"

#define ECAM		0xb0000000ULL

/* Table 1-3 */
static const struct {
	unsigned int slot, fn, device;
} functions[] = {
	{ 8, 2, 0x3c41 }, { 8, 6, 0x3c86 }, { 9, 2, 0x3c42 }, { 9, 6, 0x3c96 },
	{ 11, 0, 0x3ce0 }, { 14, 1, 0x3c46 },
	{ 16, 0, 0x3cb0 }, { 16, 1, 0x3cb1 }, { 16, 4, 0x3cb4 }, { 16, 5, 0x3cb5 },
	{ 19, 1, 0x3c43 }, { 19, 5, 0x3c44 }, { 19, 6, 0x3c45 },
};

#define NR_FUNCTIONS	ARRAY_SIZE(functions)

struct hw_box hw[NR_SOCKETS][NR_BOXES];
struct machine machine;
bool without_mmconfig;
static struct pci_bus buses[NR_SOCKETS];
static struct pci_dev devs[NR_SOCKETS][NR_FUNCTIONS];
static char pages[NR_SOCKETS][NR_FUNCTIONS][PCI_CFG_SPACE_EXP_SIZE];

static struct pci_dev *function_at(unsigned int socket, unsigned int devfn)
{
	unsigned int i;

	for (i = 0; i < NR_FUNCTIONS; i++) {
		if (devs[socket][i].devfn == devfn)
			return &devs[socket][i];
	}
	abort();
}

static void add_box(struct hw_box *box, UncoreBox *model)
{
	const UncoreBoxType *t = model->type;
	unsigned int i;

	*box = (struct hw_box){
		.model = model, .kind = t->name, .name = model->name,
		.socket = model->socket->id, .counters = t->ctrs, .width = t->width,
		.filters = t->nr_filters, .filter = model->filter,
		.ctl_bits = t->ctl.rw & ~EN, .resets = t->box_ctl.wo & 3,
	};
	if (t->kind == UNCORE_PCU)
		box->ctl_bits |= R_PMON_CTL_EXT_MASK;
	for (i = 0; i <= FIXED; i++) {
		box->ctl[i] = &model->ctl[i];
		box->ctr[i] = &model->ctr[i];
	}
	if (!t->msr)
		box->pdev = function_at(box->socket, t->devfn[model->instance]);
	if (t->filter_devfn[0])
		box->filter_pdev = function_at(box->socket, t->filter_devfn[model->instance]);
}

/* A user may filter by more than one thing, have more than one filter, or no occupancy. */
#define USERS_RULES	"threshold:one-filter-user:one-criterion:counter0"

void machine_reset(void)
{
	unsigned int s, i;

	memset(&machine, 0, sizeof(machine));
	machine.nommconf = without_mmconfig;
	uncore_make_sockets();
	if (!uncore.subscriber) {
		uncore_check_init(&uncore);
		uncore_rules_set(&uncore, USERS_RULES, false, NULL);
		uncore.trait[UNCORE_T_UBOX_FIXED] = 1;
	}
	for (s = 0; s < NR_SOCKETS; s++) {
		buses[s] = (struct pci_bus){ .number = s ? 0xff : 0x7f };
		for (i = 0; i < NR_FUNCTIONS; i++) {
			int refs = devs[s][i].refs, maps = devs[s][i].maps;

			devs[s][i] = (struct pci_dev){
				.bus = &buses[s], .vendor = PCI_VENDOR_ID_INTEL,
				.devfn = PCI_DEVFN(functions[i].slot, functions[i].fn),
				.device = functions[i].device, .there = true,
				.socket = s, .refs = refs, .maps = maps,
			};
		}
		for (i = 0; i < NR_BOXES; i++)
			add_box(&hw[s][i], &uncore.socket[s].box[i]);
		/* Packages 0 and 1 are nodes 3 and 6; that of package 4 is 3. */
		machine.node[s] = s ? 6 : 3;
		machine.node_map[s] = 3 | 6 << 3 | 1 << 6 | 3 << 12;
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
	return function_at(socket, PCI_DEVFN(slot, fn));
}

void machine_tally(struct hw_box *box)
{
	box->reads = 0;
	box->writes = 0;
}

void machine_poke(struct hw_box *box, unsigned int ctr, u32 ctl)
{
	UncoreReg reg = { UNCORE_R_CTL, ctr };

	uncore_reg_poke(box->model, reg, ctl);
}

void machine_scramble(struct hw_box *box)
{
	UncoreReg regs[UNCORE_MAX_REGS];
	unsigned int i, n = uncore_box_regs(box->model, regs);

	for (i = 0; i < n; i++)
		uncore_reg_poke(box->model, regs[i], noise() & (BIT_ULL(40) - 1));
}

/* Return the filter bits that an event uses: tables 2-12, 2-37, 2-77, 2-88. */
u32 machine_looks_at(const struct hw_box *box, u32 ctl, unsigned int reg)
{
	enum { LLC_LOOKUP = 0x34, TOR_INSERTS, TOR_OCCUPANCY, LLC_VICTIMS };
	enum { FREQ_BAND0 = 0x0b, FREQ_BAND3 = 0x0e };
	enum { DEMOTIONS_CORE0 = 0x1e, DEMOTIONS_CORE2 = 0x20, DEMOTIONS_CORE7 = 0x25 };
	enum { ADDR_OPC_MATCH = 0x20, CTO_COUNT = 0x38 };
	enum { UMASK_OPCODE = 0x01, UMASK_NID = 0x40, PCU_EV_SEL = 0x7f };
	const UncoreBoxType *type = box->model->type;
	unsigned int code = ctl & 0xff, umask = ctl >> 8 & 0xff;
	bool ext = ctl & R_PMON_CTL_EXT_MASK;
	u32 bits = 0;

	if (reg >= box->filters)
		return 0;
	switch (type->kind) {
	case UNCORE_CBOX:
		if (ctl & R_PMON_CTL_TID_EN_MASK)
			bits |= type->match[UNCORE_M_TID];
		if (code == LLC_LOOKUP)
			bits |= type->match[UNCORE_M_STATE];
		if (code >= LLC_LOOKUP && code <= LLC_VICTIMS && (umask & UMASK_NID))
			bits |= type->match[UNCORE_M_NID];
		if ((code == TOR_INSERTS || code == TOR_OCCUPANCY) && (umask & UMASK_OPCODE))
			bits |= type->match[UNCORE_M_OPC];
		return bits;
	case UNCORE_HA:
		return code == ADDR_OPC_MATCH ? type->filter[reg].fields.rw : 0;
	case UNCORE_PCU:
		code &= PCU_EV_SEL;
		if (ext)
			return 0;
		if (code >= FREQ_BAND0 && code <= FREQ_BAND3)
			return 0xffu << 8 * (code - FREQ_BAND0);
		/* The guide has no filter for demotions of core 2. */
		return code >= DEMOTIONS_CORE0 && code <= DEMOTIONS_CORE7 &&
		       code != DEMOTIONS_CORE2 ? 0xff : 0;
	case UNCORE_QPI:
		return code == CTO_COUNT && ext ? ~0u : 0;
	default:
		return 0;
	}
}

u64 machine_rate(const struct hw_box *box, unsigned int ctr, u32 ctl, const u32 *filter)
{
	u64 mix = ctl & ~EN;
	unsigned int i;

	if (ctr == FIXED)
		return 3;
	for (i = 0; i < box->filters; i++)
		mix = mix * 31 + (filter[i] & machine_looks_at(box, ctl, i));
	/* Not 0, and not too much for a driver that knows what is plausible */
	return 1 + (mix * 0x9e3779b97f4a7c15ULL >> 50);
}

bool machine_frozen(const struct hw_box *box)
{
	return uncore_box_frozen(box->model);
}

void machine_tick(struct hw_box *box, u64 ticks)
{
	unsigned int i;

	for (i = 0; i <= FIXED; i++) {
		if (!(*box->ctl[i] & EN) || machine_frozen(box))
			continue;
		*box->ctr[i] += ticks * machine_rate(box, i, *box->ctl[i], box->filter);
		*box->ctr[i] &= uncore_ctr_mask(box->model, i);
	}
}

/* The model's clocks never advance, and what is undefined is noise. */
int64_t qemu_clock_get_ns(int clock)
{
	return 0;
}

uint64_t uncore_noisy(UncoreModel *u, uint64_t value, uint64_t defined)
{
	return machine.tidy ? value : (value & defined) | (noise() & ~defined);
}

uint64_t uncore_write_only(UncoreModel *u, uint64_t held, uint64_t wo)
{
	return machine.tidy ? held : noise() & wo;
}

/* A finding is a fault, but for undocumented events where the driver is to take them. */
void model_findings_add(ModelFindings *f, const char *where, const char *rule)
{
	if (!snbep_unlisted || (!strstr(rule, "undocumented") && !strstr(rule, "no unit mask")))
		fault("%s: %s", where, rule);
}

ModelFindings *model_findings_new(void)
{
	return NULL;
}

ModelStatus model_findings_answer(void *findings, const char *args, GString *out, Error **errp)
{
	return MODEL_STATUS_OK;
}

void model_console_register(const char *word, ModelCommand *fn, void *opaque)
{
}

void error_setg(Error **errp, const char *fmt, ...)
{
	abort();
}

static u64 access_reg(struct hw_box *box, UncoreReg reg, bool write, u64 val)
{
	if (exploring && write)
		explore_write(box, box->name);
	else
		mock_point(box, write);
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
	uncore.trait[UNCORE_T_PCU_EXT] = machine.ext;
	if (write)
		uncore_reg_write(box->model, reg, val);
	else
		val = uncore_reg_read(box->model, reg);
	if (machine.accessed)
		machine.accessed(box);
	return val;
}

/* A control may read back as anything, such as what it was before. */
static void only_counters(const struct hw_box *box, UncoreReg reg)
{
	if (reg.kind != UNCORE_R_CTR)
		fault("%s: a control or filter is read back", box->name);
}

/* The socket of this CPU, whatever the number of its package */
static unsigned int this_socket(void)
{
	return mock_package[mock_cpu] != mock_package[0];
}

static struct hw_box *of_model(const UncoreBox *model)
{
	unsigned int s = model->socket->id;

	return &hw[s][model - uncore.socket[s].box];
}

static struct hw_box *find_msr(u32 addr, UncoreReg *reg)
{
	UncoreBox *box;

	if (!uncore_find_msr(&uncore.socket[this_socket()], addr, &box, reg) ||
	    of_model(box)->absent)
		return NULL;
	return of_model(box);
}

int machine_rdmsr_safe(u32 addr, u64 *val)
{
	UncoreReg reg;
	struct hw_box *box = find_msr(addr, &reg);

	if (!box)
		return -EIO;
	/* One that is only tried is tried at load, with interrupts on. */
	mock_irqs_off++;
	*val = access_reg(box, reg, false, 0);
	mock_irqs_off--;
	return 0;
}

int machine_wrmsr_safe(u32 addr, u64 val)
{
	UncoreReg reg;
	struct hw_box *box = find_msr(addr, &reg);

	if (!box || (machine.ext == EXT_FAULT && reg.kind == UNCORE_R_CTL &&
		     box->model->type->kind == UNCORE_PCU && (val & R_PMON_CTL_EXT_MASK)))
		return -EIO;
	mock_irqs_off++;
	access_reg(box, reg, true, val);
	mock_irqs_off--;
	return 0;
}

u64 machine_rdmsr(u32 addr)
{
	UncoreReg reg;
	struct hw_box *box = find_msr(addr, &reg);

	if (!box) {
		fault("MSR %#x is read", addr);
		return 0;
	}
	only_counters(box, reg);
	return access_reg(box, reg, false, 0);
}

void machine_wrmsr(u32 addr, u64 val)
{
	if (machine_wrmsr_safe(addr, val))
		fault("MSR %#x is written", addr);
	if (!mock_irqs_off)
		fault("MSR %#x is written with interrupts on", addr);
}

static struct hw_box *find_pci(struct pci_dev *pdev, unsigned int addr, UncoreReg *reg)
{
	bool filter_fn;
	UncoreBox *box = uncore_box_at(&uncore.socket[pdev->socket], pdev->devfn, &filter_fn);

	if (addr % 4)
		fault("%x.%x: an access in the middle of a dword, %#x",
		      PCI_SLOT(pdev->devfn), pdev->devfn & 7, addr);
	return box && uncore_find_pci(box, filter_fn, addr, reg) ? of_model(box) : NULL;
}

static u32 config_read(struct pci_dev *pdev, unsigned int addr, bool probe)
{
	UncoreReg reg;
	struct hw_box *box = find_pci(pdev, addr, &reg);

	if (!pdev->there)
		return ~0u;
	if (!addr)
		return (u32)pdev->device << 16 | pdev->vendor;
	if (PCI_SLOT(pdev->devfn) == 11 && addr == 0x40)
		/* Above the local node id there are other fields. */
		return machine.node[pdev->socket] | ((u32)noise() & ~7u);
	if (PCI_SLOT(pdev->devfn) == 11 && addr == 0x54)
		return machine.node_map[pdev->socket];
	if (probe)
		return box ? uncore_reg_peek(box->model, reg) : 0;
	if (!box) {
		fault("%x.%x: %#x is read", PCI_SLOT(pdev->devfn), pdev->devfn & 7, addr);
		return 0;
	}
	only_counters(box, reg);
	return access_reg(box, reg, false, 0);
}

static void config_write(struct pci_dev *pdev, unsigned int addr, u32 val)
{
	UncoreReg reg;
	struct hw_box *box = find_pci(pdev, addr, &reg);

	if (!pdev->there)
		return;
	if (!box) {
		fault("%x.%x: %#x is written", PCI_SLOT(pdev->devfn), pdev->devfn & 7, addr);
		return;
	}
	access_reg(box, reg, true, val);
}

static bool reaches(const struct pci_bus *bus, unsigned int reg)
{
	return reg < PCI_CFG_SPACE_SIZE || !(machine.no_ecam || machine.nommconf ||
					     (machine.no_ff && bus->number == 0xff));
}

static bool ports_unlocked(void *lock)
{
	return !*(bool *)lock;
}

/* An access through the ports: the function, or NULL if it takes no access there */
static struct pci_dev *by_port(struct pci_bus *bus, unsigned int devfn, unsigned int reg)
{
	struct pci_dev *pdev = function_at(bus - buses, devfn);

	if (!reaches(bus, reg))
		return NULL;
	if (pdev->maps)
		fault("%x.%x: %#x is accessed through ports", PCI_SLOT(devfn), devfn & 7, reg);
	if (!pdev->refs && (pdev->bound || !pdev->locked))
		fault("%x.%x: %#x is accessed without a reference", PCI_SLOT(devfn), devfn & 7,
		      reg);
	machine.port_accesses++;
	/* A raw spinlock, held with interrupts off */
	mock_irqs_off++;
	explore_wait(ports_unlocked, &machine.port_lock, "pci_lock");
	machine.port_lock = true;
	return pdev;
}

static int end_port(struct pci_dev *pdev)
{
	if (!pdev)
		return -EINVAL;
	machine.port_lock = false;
	mock_irqs_off--;
	return 0;
}

/* Linux 5.10 returns 0 with an error. */
int pci_bus_read_config_dword(struct pci_bus *bus, unsigned int devfn, int reg, u32 *val)
{
	struct pci_dev *pdev = by_port(bus, devfn, reg);

	*val = pdev ? config_read(pdev, reg, !reg) : 0;
	return end_port(pdev);
}

int pci_bus_write_config_dword(struct pci_bus *bus, unsigned int devfn, int reg, u32 val)
{
	struct pci_dev *pdev = by_port(bus, devfn, reg);

	if (pdev)
		config_write(pdev, reg, val);
	return end_port(pdev);
}

int pci_read_config_dword(struct pci_dev *pdev, int reg, u32 *val)
{
	*val = ~0u;
	if (!reaches(pdev->bus, reg))
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

/* The third entry has the uncore's buses; the others have other segments or buses. */
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
	if (strcmp(signature, "MCFG") || nr || machine.no_ecam || machine.no_mcfg)
		return 5;
	mcfg_refs++;
	mcfg.head.header.length = machine.short_mcfg ?
				  offsetof(typeof(mcfg), entry[3]) + machine.mcfg_more :
				  sizeof(mcfg);
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

	if (machine.ecam_lost)
		fault("%x.%x: %#x is written to whatever is there now",
		      PCI_SLOT(pdev->devfn), pdev->devfn & 7, reg);
	else
		config_write(pdev, reg, val);
}

/* The driver's functions are found, or go. */
static struct pci_driver *driver, *bound;

static const struct pci_device_id *match(const struct pci_dev *pdev)
{
	static const struct pci_device_id any;
	const struct pci_device_id *id;

	for (id = driver->id_table; id->device; id++) {
		if (id->device == pdev->device)
			return id;
	}
	return pdev->overridden ? &any : NULL;
}

static bool device_free(void *pdev)
{
	return !((struct pci_dev *)pdev)->locked;
}

/* device_lock() */
static void lock_device(struct pci_dev *pdev)
{
	explore_wait(device_free, pdev, "device_lock()");
	pdev->locked = true;
}

static void unlock_device(struct pci_dev *pdev)
{
	pdev->locked = false;
}

static unsigned int probing;

static bool none_probes(void *none)
{
	return !probing;
}

void machine_bind(struct pci_dev *pdev)
{
	const struct pci_device_id *id = driver ? match(pdev) : NULL;

	if (!id || !pdev->there || pdev->bound)
		return;
	probing++;
	lock_device(pdev);
	if (!pdev->bound) {
		machine.probed = bound->probe(pdev, id);
		pdev->bound = !machine.probed;
	}
	unlock_device(pdev);
	probing--;
}

void machine_unbind(struct pci_dev *pdev)
{
	if (!pdev->bound)
		return;
	lock_device(pdev);
	pdev->bound = false;
	unlock_device(pdev);
}

static void each_function(void (*what)(struct pci_dev *pdev))
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
	/* The driver would report boxes as missing that are probed a moment later. */
	if (d->driver.probe_type != PROBE_FORCE_SYNCHRONOUS)
		fault("functions may be probed after the load");
	/* By its driver's name intel_uncore is found. */
	if (!strcmp(d->name, "snbep_uncore"))
		fault("the PCI driver has the name of intel_uncore's");
	driver = d;
	bound = d;
	each_function(machine_bind);
	return 0;
}

void pci_unregister_driver(struct pci_driver *d)
{
	if (driver != d)
		fault("another driver goes");
	/* New functions do not find the driver; probes that run come to their end. */
	driver = NULL;
	explore_wait(none_probes, NULL, "pci_unregister_driver()");
	each_function(machine_unbind);
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
	each_function(check_left);
}
