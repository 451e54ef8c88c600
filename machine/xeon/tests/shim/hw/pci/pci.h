/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A PCI device with one memory region, as far as the models and their tests go */
#ifndef SHIM_HW_PCI_H
#define SHIM_HW_PCI_H

#include "qemu/bitops.h"

typedef uint64_t hwaddr;
typedef struct {
	const char *name;
	size_t at;
} Property;

typedef struct {
	void (*reset)(DeviceState *dev);
	bool user_creatable;
	void (*realize)(PCIDevice *dev, Error **errp);
	uint32_t (*config_read)(PCIDevice *dev, uint32_t addr, int len);
	void (*config_write)(PCIDevice *dev, uint32_t addr, uint32_t v, int len);
	unsigned int vendor_id, device_id, class_id;
} DeviceClass, PCIDeviceClass;

typedef struct {
	int none;
} ObjectClass;

typedef struct {
	const char *name;
} InterfaceInfo;

typedef struct {
	const char *name, *parent;
	size_t instance_size;
	void (*class_init)(ObjectClass *klass, void *data);
	InterfaceInfo *interfaces;
} TypeInfo;

typedef struct {
	uint64_t (*read)(void *opaque, hwaddr addr, unsigned int size);
	void (*write)(void *opaque, hwaddr addr, uint64_t v, unsigned int size);
	int endianness;
	struct {
		unsigned int min_access_size, max_access_size;
	} valid, impl;
} MemoryRegionOps;

enum {
	DEVICE_LITTLE_ENDIAN, PCI_BASE_ADDRESS_SPACE_MEMORY, PCI_CLASS_OTHERS = 0xff,
};

#define TYPE_PCI_DEVICE		"pci-device"
#define OBJECT(o)		(o)
#define PCI_DEVICE(d)		((PCIDevice *)(d))
#define MONTECITO_PMU(d)	((MontecitoPmu *)(d))
#define DEVICE_CLASS(k)		((DeviceClass *)(k))
#define DEFINE_PROP_UINT32(name, type, field, value)	{ name, offsetof(type, field) }
#define DEFINE_PROP_BOOL(name, type, field, value)	{ name, offsetof(type, field) }
#define DEFINE_PROP_END_OF_LIST()	{ NULL, 0 }
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define pow2ceil(n)		((n) > 1 ? 1ull << (64 - __builtin_clzll((n) - 1)) : 1)
#define PCI_SLOT_MAX		32
#define PCI_FUNC_MAX		8
#define PCI_DEVFN_MAX		256
#define PCI_DEVFN(slot, fn)	((slot) << 3 | (fn))

/* The tests that need them */
extern CPUState *current_cpu;
extern const Property *shim_properties;
void shim_types(void);
void type_register_static(const TypeInfo *info);
void memory_region_init_io(MemoryRegion *mr, void *owner, const MemoryRegionOps *ops,
			   void *opaque, const char *name, uint64_t size);
void pci_register_bar(PCIDevice *dev, int nr, int type, MemoryRegion *mr);
int msix_init_exclusive_bar(PCIDevice *dev, unsigned int nr, int bar, Error **errp);
void msix_vector_use(PCIDevice *dev, unsigned int nr);
void msix_notify(PCIDevice *dev, unsigned int nr);

#endif
