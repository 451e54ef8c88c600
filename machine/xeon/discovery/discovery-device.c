/*
 * A die's uncore with a discovery table: its PCI device, PCI functions and MSRs
 *
 *   -device xeon-discovery,bus=BUS,addr=1e.0,number=N,package=P,units=FILE
 *
 * The layout of the table is that of Linux's uncore_discovery.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "hw/pci/pci_bus.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qemu/range.h"
#include "qemu/units.h"
#include "discovery.h"
#include "model-device.h"
#include "x86-msr-hook.h"

#define PCIE_CAP            0x40
#define DVSEC               0x100
#define DVSEC_ID            0x23
#define DVSEC_SIZE          0x10

#define TABLE_STRIDE        3       /* quadwords of an entry */
#define TABLE_TYPE          0x23
/* Without one, nothing is there; Linux wants an address. */
#define GLOBAL_CTL          0x2ff0
#define GLOBAL_FRZ          BIT(0)
#define BAR_MMIO            1

/* Node id and map, from Skylake on (uncore_snbep.c) */
#define UBOX_NODE_ID        0xc0
#define UBOX_NODE_MAP       0xd4
/* Addresses of the memory controllers, from Snow Ridge on */
#define MC_BASE             0xd0
#define MC_MEM              0xd8
#define MC_SIZE             0x40000

Discovery *disc_die[DISC_MAX_DIES];

/*
 * After suspend to RAM, CPUs come online before Linux sets BARs again. The
 * registers with the address keep it, as a real machine's firmware sets them.
 */
static uint64_t address(Discovery *d, int bar)
{
    uint64_t now = pci_get_bar_addr(PCI_DEVICE(d), bar);

    if (now != PCI_BAR_UNMAPPED) {
        d->address[bar] = now;
    }
    return d->address[bar];
}

/* The PCI device's table is behind BAR 0, others behind 2 and 3. */
static int table_bar(const Discovery *d, const DiscTable *t)
{
    unsigned n = t - d->table;

    return n ? n + 1 : 0;
}

static uint64_t unit_address(Discovery *d, const DiscUnit *u)
{
    switch (u->access) {
    case DISC_MMIO:
        return address(d, BAR_MMIO) + u->addr;
    case DISC_PCI:
        return (uint64_t)pci_bus_num(pci_get_bus(PCI_DEVICE(d))) << 20 |
               u->addr;
    default:
        return u->addr;
    }
}

static uint64_t global_address(const DiscTable *t)
{
    if (!t->has_global) {
        return GLOBAL_CTL;
    }
    return t->access == DISC_MSR ? t->global :
                                   address(t->die, BAR_MMIO) + t->global;
}

static uint64_t quadword(const DiscTable *t, unsigned entry, unsigned n)
{
    Discovery *d = t->die;
    const DiscUnit *u = d->unit;

    if (n >= TABLE_STRIDE || entry > t->listed) {
        return 0;
    }
    if (!entry) {
        return n == 0 ? TABLE_TYPE | TABLE_STRIDE << 8 | t->listed << 16 |
                        (uint64_t)t->access << 62
                      : n == 1 ? global_address(t) : 0;
    }
    while (!u->listed || u->table != t - d->table || --entry) {
        u++;
    }
    switch (n) {
    case 0:
        return u->counters | u->ctl << 8 | u->width << 16 |
               (uint64_t)u->ctr << 24 | (uint64_t)u->access << 62;
    case 1:
        return unit_address(d, u);
    default:
        return u->type | (uint64_t)u->id << 16;
    }
}

static uint64_t table_read(void *opaque, hwaddr addr, unsigned size)
{
    uint64_t q = quadword(opaque, addr / 8 / TABLE_STRIDE,
                          addr / 8 % TABLE_STRIDE);

    return extract64(q, 8 * (addr & 7), 8 * size);
}

static void table_write(void *opaque, hwaddr addr, uint64_t value,
                        unsigned size)
{
    DiscTable *t = opaque;

    disc_found(t->die, "table", "write", addr, value, "the table is read-only");
}

static const MemoryRegionOps table_ops = {
    .read = table_read,
    .write = table_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid.max_access_size = 8,
    .impl.max_access_size = 8,
};

/* Return the unit that has @addr, or that it is within, or NULL. */
static DiscUnit *unit_at(Discovery *d, DiscAccess access, uint64_t addr)
{
    DiscUnit *within = NULL;

    for (unsigned i = 0; i < d->units; i++) {
        DiscUnit *u = &d->unit[i];

        if (u->access == access && addr >= u->addr &&
            addr - u->addr < disc_unit_extent(u)) {
            if (disc_unit_has(u, addr - u->addr)) {
                return u;
            }
            within = within ?: u;
        }
    }
    return within;
}

/* Return the table with a global control at @addr, or NULL. */
static DiscTable *global_at(Discovery *d, DiscAccess access, uint64_t addr)
{
    for (DiscTable *t = d->table; t < d->table + d->tables; t++) {
        if (t->has_global && t->access == access && addr == t->global) {
            return t;
        }
    }
    return NULL;
}

static void access_global(DiscTable *t, uint64_t *value, bool write)
{
    if (!write) {
        *value = t->frozen ? GLOBAL_FRZ : 0;
        return;
    }
    if (*value & ~GLOBAL_FRZ) {
        disc_found(t->die, "global", "write", t->global, *value,
                   "reserved bits of the global control");
    }
    for (unsigned i = 0; i < t->die->units; i++) {
        disc_unit_sync(&t->die->unit[i]);
    }
    t->frozen = *value & GLOBAL_FRZ;
}

/* Read or write a register, as @write says. */
static bool access_unit(Discovery *d, DiscAccess access, uint64_t addr,
                        unsigned size, uint64_t *value, bool write)
{
    DiscUnit *u = unit_at(d, access, addr);
    DiscTable *t = global_at(d, access, addr);
    uint64_t written = write ? *value : 0;

    if (t) {
        access_global(t, value, write);
        return true;
    }
    if (u && (write ? disc_unit_write(u, addr - u->addr, size, *value)
                    : disc_unit_read(u, addr - u->addr, size, value))) {
        return true;
    }
    *value = 0;
    disc_found(d, u ? u->name : "none", write ? "write" : "read", addr,
               written, "no register at this address");
    return false;
}

static uint64_t mmio_read(void *opaque, hwaddr addr, unsigned size)
{
    uint64_t value;

    access_unit(opaque, DISC_MMIO, addr, size, &value, false);
    return value;
}

static void mmio_write(void *opaque, hwaddr addr, uint64_t value,
                       unsigned size)
{
    access_unit(opaque, DISC_MMIO, addr, size, &value, true);
}

static const MemoryRegionOps mmio_ops = {
    .read = mmio_read,
    .write = mmio_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid.max_access_size = 8,
    .impl.max_access_size = 8,
};

static bool has_msr(Discovery *d, uint32_t msr)
{
    return unit_at(d, DISC_MSR, msr) || global_at(d, DISC_MSR, msr);
}

/*
 * An access to an MSR of a unit of @d: it faults on a CPU whose die does not
 * have that MSR, and is another die's if that has it.
 */
static X86MSRResult access_msr(Discovery *d, X86CPU *cpu, uint32_t msr,
                               uint64_t *value, bool write)
{
    Discovery *own = NULL;

    for (int n = 0; n < DISC_MAX_DIES; n++) {
        if (disc_die[n] && disc_die[n]->package == cpu->socket_id) {
            own = disc_die[n];
        }
    }
    for (DiscTable *t = d->table; t < d->table + d->tables; t++) {
        if (own == d && t->by_msr && msr == t->where && !write) {
            *value = address(d, table_bar(d, t));
            return X86_MSR_DONE;
        }
    }
    if (!has_msr(d, msr) || (own && own != d && has_msr(own, msr))) {
        return X86_MSR_PASS;
    }
    return own == d && access_unit(d, DISC_MSR, msr, 0, value, write) ?
           X86_MSR_DONE : X86_MSR_FAULT;
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    return access_msr(opaque, cpu, msr, value, false);
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    return access_msr(opaque, cpu, msr, &value, true);
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

static void claim(uint64_t addr, unsigned n, uint32_t *first, uint32_t *last)
{
    if (n) {
        *first = MIN(*first, addr);
        *last = MAX(*last, addr + n - 1);
    }
}

/*
 * Claim no more MSRs than needed: each access takes the lock. Tables and units
 * are apart.
 */
static void msr_init(Discovery *d)
{
    uint32_t first = UINT32_MAX, last = 0;

    for (DiscTable *t = d->table; t < d->table + d->tables; t++) {
        if (t->by_msr) {
            x86_msr_hook_register(t->where, t->where, &msr_ops, d);
        }
        claim(t->global, t->has_global && t->access == DISC_MSR, &first,
              &last);
    }
    for (unsigned i = 0; i < d->units; i++) {
        const DiscUnit *u = &d->unit[i];

        claim(u->addr, u->access == DISC_MSR ? disc_unit_extent(u) : 0, &first,
              &last);
    }
    if (first <= last) {
        x86_msr_hook_register(first, last, &msr_ops, d);
    }
}

/* PCI functions that have units, made by the die's device */
#define TYPE_DISC_FN "xeon-discovery-function"
OBJECT_DECLARE_SIMPLE_TYPE(DiscFn, DISC_FN)

struct DiscFn {
    PCIDevice parent_obj;

    Discovery *die;
    bool mc;                /* addresses of the memory controllers */
};

static uint32_t fn_read(PCIDevice *dev, uint32_t addr, int len)
{
    Discovery *d = DISC_FN(dev)->die;
    uint64_t at = dev->devfn << 12 | addr, value;
    bool mc = DISC_FN(dev)->mc;

    if (!unit_at(d, DISC_PCI, at)) {
        if (mc && addr == MC_BASE) {
            return address(d, BAR_MMIO) >> 23;
        }
        if (mc && ranges_overlap(addr, 1, MC_MEM, 32)) {
            value = address(d, BAR_MMIO) + (addr - MC_MEM) / 4 * MC_SIZE;
            return value >> 12 & 0x7ff;
        }
        return pci_default_read_config(dev, addr, len);
    }
    access_unit(d, DISC_PCI, at, len, &value, false);
    return value;
}

static void fn_write(PCIDevice *dev, uint32_t addr, uint32_t value, int len)
{
    uint64_t written = value;

    /* Configuration space that the function itself has */
    if (addr < PCI_CONFIG_HEADER_SIZE ||
        ranges_overlap(addr, 1, PCIE_CAP, PCI_EXP_VER2_SIZEOF)) {
        pci_default_write_config(dev, addr, value, len);
    } else {
        access_unit(DISC_FN(dev)->die, DISC_PCI, dev->devfn << 12 | addr, len,
                    &written, true);
    }
}

static void fn_realize(PCIDevice *dev, Error **errp)
{
    /* Required for access to extended config space */
    pcie_cap_init(dev, PCIE_CAP, PCI_EXP_TYPE_RC_END, 0, errp);
}

/* @u: the unit for which a function is made, or NULL */
static bool fn_make(Discovery *d, uint8_t devfn, const DiscUnit *u,
                    Error **errp)
{
    PCIBus *bus = pci_get_bus(PCI_DEVICE(d));
    PCIDevice *fn;

    if (bus->devices[devfn]) {
        if (!object_dynamic_cast(OBJECT(bus->devices[devfn]), TYPE_DISC_FN)) {
            error_setg(errp, "function %u.%u is another device's",
                       PCI_SLOT(devfn), PCI_FUNC(devfn));
        }
        return !*errp;
    }
    fn = pci_new_multifunction(devfn, true, TYPE_DISC_FN);
    DISC_FN(fn)->die = d;
    if (!pci_realize_and_unref(fn, bus, errp)) {
        return false;
    }
    if (!u) {
        return true;
    }
    if (u->device_id) {
        pci_config_set_device_id(fn->config, u->device_id);
    }
    DISC_FN(fn)->mc = u->mc;
    for (unsigned i = 0; i < u->configs; i++) {
        pci_set_long(fn->config + u->config[i].offset, u->config[i].value);
    }
    if (u->node) {
        pci_set_long(fn->config + UBOX_NODE_ID, d->package);
        /* Node N is package N. */
        pci_set_long(fn->config + UBOX_NODE_MAP, 076543210);
    }
    return true;
}

/* Operating systems look for functions 1 to 7 only where there is a 0. */
static bool fn_make_all(Discovery *d, Error **errp)
{
    for (unsigned i = 0; i < d->units; i++) {
        uint8_t devfn = d->unit[i].addr >> 12;

        if (d->unit[i].access == DISC_PCI &&
            !fn_make(d, devfn, &d->unit[i], errp)) {
            return false;
        }
    }
    for (int slot = 0; slot < PCI_SLOT_MAX; slot++) {
        for (int fn = 1; fn < PCI_FUNC_MAX; fn++) {
            if (pci_get_bus(PCI_DEVICE(d))->devices[PCI_DEVFN(slot, fn)] &&
                !fn_make(d, PCI_DEVFN(slot, 0), NULL, errp)) {
                return false;
            }
        }
    }
    return true;
}

static void table_init(Discovery *d, DiscTable *t)
{
    PCIDevice *dev = PCI_DEVICE(d);
    uint64_t size = (t->listed + 1) * TABLE_STRIDE * 8;

    memory_region_init_io(&t->region, OBJECT(d), &table_ops, t,
                          "discovery-table", MAX(4 * KiB, pow2ceil(size)));
    pci_register_bar(dev, table_bar(d, t), PCI_BASE_ADDRESS_SPACE_MEMORY,
                     &t->region);
    if (!t->by_msr) {
        pci_config_set_device_id(dev->config, t->where);
        pcie_add_capability(dev, DVSEC_ID, 1, DVSEC, DVSEC_SIZE);
        pci_set_long(dev->config + DVSEC + 8, 1);   /* PMON discovery */
        pci_set_long(dev->config + DVSEC + 12, table_bar(d, t));
    }
}

static void disc_realize(PCIDevice *dev, Error **errp)
{
    ERRP_GUARD();
    Discovery *d = DISCOVERY(dev);

    if (d->number >= DISC_MAX_DIES || disc_die[d->number]) {
        error_setg(errp, "number is 0 to %d, once for each die",
                   DISC_MAX_DIES - 1);
        return;
    }
    if (!disc_table_read(d, errp) ||
        pcie_cap_init(dev, PCIE_CAP, PCI_EXP_TYPE_RC_END, 0, errp) < 0) {
        return;
    }
    if (d->by_msr && d->tables) {
        d->table[0].by_msr = true;
        d->table[0].where = DISC_MSR_TABLE;
    }
    for (DiscTable *t = d->table; t < d->table + d->tables; t++) {
        table_init(d, t);
    }
    if (d->mmio_size) {
        memory_region_init_io(&d->mmio, OBJECT(d), &mmio_ops, d,
                              "discovery-units", d->mmio_size);
        pci_register_bar(dev, BAR_MMIO, PCI_BASE_ADDRESS_SPACE_MEMORY,
                         &d->mmio);
    }
    if (!fn_make_all(d, errp)) {
        return;
    }
    msr_init(d);
    disc_die[d->number] = d;
    if (!d->number) {
        disc_console_init();
    }
}

static void disc_reset(DeviceState *dev)
{
    Discovery *d = DISCOVERY(dev);

    for (DiscTable *t = d->table; t < d->table + d->tables; t++) {
        t->frozen = t->has_global;
    }
    for (unsigned i = 0; i < d->units; i++) {
        disc_unit_reset(&d->unit[i]);
    }
}

static Property disc_properties[] = {
    DEFINE_PROP_UINT32("number", Discovery, number, 0),
    DEFINE_PROP_UINT32("package", Discovery, package, 0),
    DEFINE_PROP_STRING("units", Discovery, units_file),
    DEFINE_PROP_BOOL("by-msr", Discovery, by_msr, false),
    DEFINE_PROP_END_OF_LIST(),
};

static void fn_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *pc = model_pci_class_init(klass, "PCI function of uncore "
                                              "units", NULL, 0x3240);

    pc->realize = fn_realize;
    pc->config_read = fn_read;
    pc->config_write = fn_write;
    pc->class_id = PCI_CLASS_SYSTEM_OTHER;
    DEVICE_CLASS(klass)->user_creatable = false;
}

static void disc_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *pc = model_pci_class_init(klass, "uncore of a die with a "
                                              "discovery table",
                                              disc_properties,
                                              DISC_DEVICE_TABLE);

    pc->realize = disc_realize;
    pc->class_id = PCI_CLASS_SYSTEM_OTHER;
    DEVICE_CLASS(klass)->reset = disc_reset;
}

static const TypeInfo disc_types[] = {
    MODEL_PCI_TYPE(TYPE_DISCOVERY, Discovery, disc_class_init),
    MODEL_PCI_TYPE(TYPE_DISC_FN, DiscFn, fn_class_init),
};

DEFINE_TYPES(disc_types)
