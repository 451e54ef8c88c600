/*
 * PCI functions of a socket's uncore: PMON of HA, iMC, QPI, R2PCIe, R3QPI and
 * IRP, QPI's packet filters and rate, and functions that operating systems need
 * to find them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/pci/pci.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qemu/range.h"
#include "model-device.h"
#include "uncore.h"

#define PCI_CLASS_PERF      0x1101      /* performance counters */
#define PCIE_CAP            0x40
#define PMON_FIRST          0xa0
#define PMON_LAST           0xf7

/* UBox function: node ID, and map from logical to physical nodes */
#define UBOX_NODE_ID        0x40
#define UBOX_NODE_MAP       0x54

/* Table 2-93 */
#define QPI_RATE_STATUS     0xd4

/* PCU of v3 and v4: which die it is, 0 for the smallest one */
#define CAPID4              0x94
#define CAPID4_DIE          0xc0
#define CAPID4_DIE_1        0x40

/* By generation; v1 and v2 have the guide's addresses. */
typedef struct Function {
    uint8_t devfn[UNCORE_GENERATIONS];
    uint16_t device_id[UNCORE_GENERATIONS];
    enum { PERF, OTHER, PHANTOM, IO_PERF, IO_OTHER } kind;
} Function;

/* The generation by whose numbers the code below knows functions, v3 */
#define PLACE           2

#define AT(d, f, later_d, later_f) \
    { UNCORE_DEVFN(d, f), UNCORE_DEVFN(d, f), UNCORE_DEVFN(later_d, later_f), \
      UNCORE_DEVFN(later_d, later_f) }

static const Function functions[] = {
#define UNCORE_FUNCTION(d, f, later_d, later_f, v1, v2, v3, v4, kind) \
    { AT(d, f, later_d, later_f), { v1, v2, v3, v4 }, kind },
#include "uncore-functions.def"
#undef UNCORE_FUNCTION
};

static const Function *function_at(const UncoreModel *u, uint8_t devfn)
{
    for (int f = 0; f < ARRAY_SIZE(functions); f++) {
        if (functions[f].device_id[u->generation - 1] &&
            functions[f].devfn[u->generation - 1] == devfn) {
            return &functions[f];
        }
    }
    return NULL;
}

struct UncorePci {
    PCIDevice parent_obj;

    uint32_t socket_id;
    UncoreSocket *socket;
    UncoreBox *box;          /* PMON or packet filter of this box, or NULL */
    bool filter_fn;
};

#define TYPE_UNCORE_FN "xeon-uncore-pci"
OBJECT_DECLARE_SIMPLE_TYPE(UncorePci, UNCORE_FN)

static UncoreSpace space(uint32_t addr)
{
    return addr < PCI_CONFIG_SPACE_SIZE ? UNCORE_PCI : UNCORE_EXT;
}

/* Publish accesses outside of registers in functions with PMON registers. */
static void publish_hole(UncorePci *p, UncoreStage stage, uint32_t addr,
                         uint32_t value)
{
    bool pmon = addr >= PMON_FIRST && addr <= PMON_LAST && !p->filter_fn;
    UncoreReg none = { UNCORE_R_NONE, .offset = addr };

    if (pmon || (stage == UNCORE_WRITE && addr >= PCI_CONFIG_HEADER_SIZE &&
                 !(p->filter_fn && ranges_overlap(addr, 1, PCIE_CAP,
                                                  PCI_EXP_VER2_SIZEOF)))) {
        p->socket->uncore->subscriber(p->box, stage, none, value);
    }
}

void uncore_print_hidden(const UncoreModel *u, GString *out)
{
    const char *comma = "";
    unsigned g = u->generation - 1;

    for (int f = 0; f < ARRAY_SIZE(functions); f++) {
        bool seen = !functions[f].device_id[g] || functions[f].kind == PHANTOM;

        for (unsigned s = 0; s < u->sockets; s++) {
            seen |= u->socket[s].functions & 1u << f;
        }
        if (!seen) {
            g_string_append_printf(out, "%s%02x.%d", comma,
                                   PCI_SLOT(functions[f].devfn[g]),
                                   PCI_FUNC(functions[f].devfn[g]));
            comma = ",";
        }
    }
}

/* Return the defined bits of a register outside of the PMON. */
static uint32_t defined_bits(uint8_t place, uint32_t addr)
{
    switch (place) {
    case UNCORE_DEVFN(16, 5):
        return addr == UBOX_NODE_ID ? 0x7 :
               addr == UBOX_NODE_MAP ? 0xffffff : UINT32_MAX;
    case UNCORE_DEVFN(8, 0):
    case UNCORE_DEVFN(9, 0):
        return addr == QPI_RATE_STATUS ? 0x17 : UINT32_MAX;
    case UNCORE_DEVFN(30, 3):
        return addr == CAPID4 ? CAPID4_DIE : UINT32_MAX;
    }
    return UINT32_MAX;
}

static uint32_t plain_read(PCIDevice *dev, uint32_t addr, int len)
{
    UncoreModel *u = UNCORE_FN(dev)->socket->uncore;
    uint32_t dword = pci_default_read_config(dev, addr & ~3, 4);

    if (function_at(u, dev->devfn)->kind == PHANTOM &&
        addr >= PCI_CONFIG_HEADER_SIZE &&
        u->trait[UNCORE_T_PHANTOM_IMC] == UNCORE_PHANTOM_ONES) {
        dword = UINT32_MAX;
    }

    dword = uncore_noisy(u, dword,
                         defined_bits(function_at(u, dev->devfn)->devfn[PLACE],
                                      addr & ~3));
    return extract32(dword, 8 * (addr & 3), 8 * len);
}

static uint32_t uncore_pci_read(PCIDevice *dev, uint32_t addr, int len)
{
    UncorePci *p = UNCORE_FN(dev);
    UncoreReg reg;

    if (!p->box) {
        return plain_read(dev, addr, len);
    }
    if (!uncore_find_pci(p->box, p->filter_fn, addr & ~3, &reg)) {
        publish_hole(p, UNCORE_READ, addr, 0);
        return pci_default_read_config(dev, addr, len);
    }
    p->box->reads[space(addr)]++;
    p->box->ports[space(addr)] += uncore_by_port();
    return extract64(uncore_reg_read(p->box, reg), 8 * (addr & 3), 8 * len);
}

static void uncore_pci_write(PCIDevice *dev, uint32_t addr, uint32_t value,
                             int len)
{
    UncorePci *p = UNCORE_FN(dev);
    UncoreReg reg;

    if (!p->box) {
        pci_default_write_config(dev, addr, value, len);
        return;
    }
    if (!uncore_find_pci(p->box, p->filter_fn, addr & ~3, &reg)) {
        publish_hole(p, UNCORE_WRITE, addr, value);
        pci_default_write_config(dev, addr, value, len);
        return;
    }
    p->box->writes[space(addr)]++;
    p->box->ports[space(addr)] += uncore_by_port();
    if (len != 4) {
        reg.bytes = len;
        value = deposit64(uncore_reg_peek(p->box, reg) >> (reg.high ? 32 : 0),
                          8 * (addr & 3), 8 * len, value);
    }
    uncore_reg_write(p->box, reg, value);
}

static void uncore_pci_realize(PCIDevice *dev, Error **errp)
{
    UncorePci *p = UNCORE_FN(dev);
    UncoreModel *u = uncore_model();
    const Function *f;
    uint8_t place;

    if (!u || p->socket_id >= u->sockets) {
        error_setg(errp, "there is no " TYPE_UNCORE_MODEL " with socket %u",
                   p->socket_id);
        return;
    }
    f = function_at(u, dev->devfn);
    if (!f || (f->kind == PHANTOM &&
               u->trait[UNCORE_T_PHANTOM_IMC] == UNCORE_PHANTOM_HIDDEN)) {
        error_setg(errp, "the uncore has no function %02x.%d",
                   PCI_SLOT(dev->devfn), PCI_FUNC(dev->devfn));
        return;
    }
    place = f->devfn[PLACE];
    p->socket = &u->socket[p->socket_id];
    p->socket->functions |= 1u << (f - functions);
    if (f->kind != IO_PERF && f->kind != IO_OTHER) {
        p->socket->bus = pci_bus_num(pci_get_bus(dev));
    }
    p->box = uncore_box_at(p->socket, dev->devfn, &p->filter_fn);
    pci_config_set_device_id(dev->config, f->device_id[u->generation - 1]);
    pci_config_set_class(dev->config, f->kind == PERF || f->kind == IO_PERF ?
                                      PCI_CLASS_PERF : PCI_CLASS_SYSTEM_OTHER);
    if (f->kind == PHANTOM) {
        memset(dev->wmask + PMON_FIRST, 0xff, PMON_LAST + 1 - PMON_FIRST);
    }
    /* Required for access to extended config space */
    if (p->box && p->filter_fn &&
        pcie_cap_init(dev, PCIE_CAP, PCI_EXP_TYPE_RC_END, 0, errp) < 0) {
        return;
    }
    if (place == UNCORE_DEVFN(16, 5)) {
        pci_set_long(dev->config + UBOX_NODE_ID, u->node[p->socket_id]);
        pci_set_long(dev->config + UBOX_NODE_MAP, u->node_map);
    }
    if (place == UNCORE_DEVFN(8, 0) || place == UNCORE_DEVFN(9, 0)) {
        pci_set_long(dev->config + QPI_RATE_STATUS,
                     u->qpi_status[PCI_SLOT(place) - 8]);
    }
    if (place == UNCORE_DEVFN(30, 3) && !u->trait[UNCORE_T_SBOXES]) {
        pci_set_long(dev->config + CAPID4, CAPID4_DIE_1);
    }
}

static Property uncore_pci_properties[] = {
    DEFINE_PROP_UINT32("socket", UncorePci, socket_id, 0),
    DEFINE_PROP_END_OF_LIST(),
};

static void uncore_pci_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *pc = model_pci_class_init(klass, "PCI function of a Xeon "
                                              "E5-2600 uncore",
                                              uncore_pci_properties, 0x3ce0);

    pc->realize = uncore_pci_realize;
    pc->config_read = uncore_pci_read;
    pc->config_write = uncore_pci_write;
    pc->revision = 7;
}

static const TypeInfo uncore_pci_types[] = {
    MODEL_PCI_TYPE(TYPE_UNCORE_FN, UncorePci, uncore_pci_class_init),
};

DEFINE_TYPES(uncore_pci_types)
