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

#define DEVICE_TABLE        0x09a7
#define PCIE_CAP            0x40
#define DVSEC               0x100
#define DVSEC_ID            0x23
#define DVSEC_SIZE          0x10
#define MSR_TABLE           0x201e

#define TABLE_STRIDE        3       /* quadwords of an entry */
#define TABLE_TYPE          0x23
/* Nothing is there; Linux wants an address. */
#define GLOBAL_CTL          0x2ff0

/* Linux finds these of Sapphire Rapids by their ids (uncore_snbep.c). */
#define DEVICE_UBOX         0x3250  /* node id and map */
#define UBOX_NODE_ID        0xc0
#define UBOX_NODE_MAP       0xd4
#define DEVICE_MC           0x3251  /* addresses of the memory controllers */
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

static uint64_t unit_address(Discovery *d, const DiscUnit *u)
{
    switch (u->access) {
    case DISC_MMIO:
        return address(d, 1) + u->addr;
    case DISC_PCI:
        return (uint64_t)pci_bus_num(pci_get_bus(PCI_DEVICE(d))) << 20 |
               u->addr;
    default:
        return u->addr;
    }
}

static uint64_t quadword(Discovery *d, unsigned entry, unsigned n)
{
    const DiscUnit *u = d->unit;

    if (n >= TABLE_STRIDE || entry > d->listed) {
        return 0;
    }
    if (!entry) {
        return n == 0 ? TABLE_TYPE | TABLE_STRIDE << 8 | d->listed << 16
                      : n == 1 ? GLOBAL_CTL : 0;
    }
    while (!u->listed || --entry) {
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
    disc_found(opaque, "table", "write", addr, value, "the table is read-only");
}

static const MemoryRegionOps table_ops = {
    .read = table_read,
    .write = table_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid.max_access_size = 8,
    .impl.max_access_size = 8,
};

/* Return the unit that has @addr, or NULL. */
static DiscUnit *unit_at(Discovery *d, DiscAccess access, uint64_t addr)
{
    for (unsigned i = 0; i < d->units; i++) {
        DiscUnit *u = &d->unit[i];

        if (u->access == access && addr >= u->addr &&
            addr - u->addr < disc_unit_extent(u)) {
            return u;
        }
    }
    return NULL;
}

/* Read or write a register, as @write says. */
static bool access_unit(Discovery *d, DiscAccess access, uint64_t addr,
                        unsigned size, uint64_t *value, bool write)
{
    DiscUnit *u = unit_at(d, access, addr);
    uint64_t written = write ? *value : 0;

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
    if (own == d && d->by_msr && msr == MSR_TABLE && !write) {
        *value = address(d, 0);
        return X86_MSR_DONE;
    }
    if (!unit_at(d, DISC_MSR, msr) ||
        (own && own != d && unit_at(own, DISC_MSR, msr))) {
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

/* Claim no more MSRs than needed: each access takes the lock. */
static void msr_init(Discovery *d)
{
    uint32_t first = MSR_TABLE, last = d->by_msr ? MSR_TABLE : 0;

    for (unsigned i = 0; i < d->units; i++) {
        const DiscUnit *u = &d->unit[i];

        if (u->access == DISC_MSR) {
            first = last ? MIN(first, u->addr) : u->addr;
            last = MAX(last, u->addr + disc_unit_extent(u) - 1);
        }
    }
    if (last) {
        x86_msr_hook_register(first, last, &msr_ops, d);
    }
}

/* PCI functions that have units, made by the die's device */
#define TYPE_DISC_FN "xeon-discovery-function"
OBJECT_DECLARE_SIMPLE_TYPE(DiscFn, DISC_FN)

struct DiscFn {
    PCIDevice parent_obj;

    Discovery *die;
};

static uint32_t fn_read(PCIDevice *dev, uint32_t addr, int len)
{
    Discovery *d = DISC_FN(dev)->die;
    uint64_t at = dev->devfn << 12 | addr, value;
    bool mc = pci_get_word(dev->config + PCI_DEVICE_ID) == DEVICE_MC;

    if (!unit_at(d, DISC_PCI, at)) {
        if (mc && addr == MC_BASE) {
            return address(d, 1) >> 23;
        }
        if (mc && ranges_overlap(addr, 1, MC_MEM, 32)) {
            value = address(d, 1) + (addr - MC_MEM) / 4 * MC_SIZE;
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

static bool fn_make(Discovery *d, uint8_t devfn, uint16_t id, Error **errp)
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
    if (id) {
        pci_config_set_device_id(fn->config, id);
    }
    if (id == DEVICE_UBOX) {
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
            !fn_make(d, devfn, d->unit[i].device_id, errp)) {
            return false;
        }
    }
    for (int slot = 0; slot < PCI_SLOT_MAX; slot++) {
        for (int fn = 1; fn < PCI_FUNC_MAX; fn++) {
            if (pci_get_bus(PCI_DEVICE(d))->devices[PCI_DEVFN(slot, fn)] &&
                !fn_make(d, PCI_DEVFN(slot, 0), 0, errp)) {
                return false;
            }
        }
    }
    return true;
}

static void disc_realize(PCIDevice *dev, Error **errp)
{
    ERRP_GUARD();
    Discovery *d = DISCOVERY(dev);
    uint64_t size;

    if (d->number >= DISC_MAX_DIES || disc_die[d->number]) {
        error_setg(errp, "number is 0 to %d, once for each die",
                   DISC_MAX_DIES - 1);
        return;
    }
    if (!disc_table_read(d, errp) ||
        pcie_cap_init(dev, PCIE_CAP, PCI_EXP_TYPE_RC_END, 0, errp) < 0) {
        return;
    }
    if (!d->by_msr) {
        pcie_add_capability(dev, DVSEC_ID, 1, DVSEC, DVSEC_SIZE);
        pci_set_long(dev->config + DVSEC + 8, 1);   /* PMON discovery */
        pci_set_long(dev->config + DVSEC + 12, 0);  /* in BAR 0 */
    }
    size = (d->listed + 1) * TABLE_STRIDE * 8;
    memory_region_init_io(&d->table, OBJECT(d), &table_ops, d,
                          "discovery-table", MAX(4 * KiB, pow2ceil(size)));
    pci_register_bar(dev, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &d->table);
    if (d->mmio_size) {
        memory_region_init_io(&d->mmio, OBJECT(d), &mmio_ops, d,
                              "discovery-units", d->mmio_size);
        pci_register_bar(dev, 1, PCI_BASE_ADDRESS_SPACE_MEMORY, &d->mmio);
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
                                              disc_properties, DEVICE_TABLE);

    pc->realize = disc_realize;
    pc->class_id = PCI_CLASS_SYSTEM_OTHER;
    DEVICE_CLASS(klass)->reset = disc_reset;
}

static const TypeInfo disc_types[] = {
    MODEL_PCI_TYPE(TYPE_DISCOVERY, Discovery, disc_class_init),
    MODEL_PCI_TYPE(TYPE_DISC_FN, DiscFn, fn_class_init),
};

DEFINE_TYPES(disc_types)
