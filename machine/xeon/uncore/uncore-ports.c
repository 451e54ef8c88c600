/*
 * Tells configuration space accesses through the I/O ports 0xcf8 and 0xcfc from
 * memory-mapped ones, which look the same to a function: overlays the data port
 * with a region that sets a flag and forwards the access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "hw/boards.h"
#include "hw/pci/pci_host.h"
#include "qapi/error.h"
#include "uncore.h"

#define CONFIG_DATA         0xcfc

static MemoryRegion cover;
static bool by_port;

bool uncore_by_port(void)
{
    return by_port;
}

static uint64_t data_read(void *opaque, hwaddr addr, unsigned size)
{
    PCIHostState *host = opaque;
    uint64_t value = UINT64_MAX;

    by_port = true;
    memory_region_dispatch_read(&host->data_mem, addr, &value,
                                size_memop(size) | MO_LE,
                                MEMTXATTRS_UNSPECIFIED);
    by_port = false;
    return value;
}

static void data_write(void *opaque, hwaddr addr, uint64_t value,
                       unsigned size)
{
    PCIHostState *host = opaque;

    by_port = true;
    memory_region_dispatch_write(&host->data_mem, addr, value,
                                 size_memop(size) | MO_LE,
                                 MEMTXATTRS_UNSPECIFIED);
    by_port = false;
}

static const MemoryRegionOps data_ops = {
    .read = data_read,
    .write = data_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
};

bool uncore_ports_realize(UncoreModel *u, Error **errp)
{
    Object *host = object_resolve_path_component(qdev_get_machine(), "q35");

    if (!host) {
        error_setg(errp, TYPE_UNCORE_MODEL " is for the machine q35");
        return false;
    }
    memory_region_init_io(&cover, OBJECT(u), &data_ops, PCI_HOST_BRIDGE(host),
                          "uncore-config-data", 4);
    memory_region_add_subregion_overlap(get_system_io(), CONFIG_DATA, &cover,
                                        1);
    return true;
}
