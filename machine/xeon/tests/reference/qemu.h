/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the models in this directory's tests have of QEMU, besides ../shim: processors, timers, a
 * local APIC, a PCI bus, a TLB. The Makefile makes a header that includes this one for each of
 * QEMU's that ../shim lacks.
 */
#ifndef REFERENCE_QEMU_H
#define REFERENCE_QEMU_H

#include "hw/pci/pci.h"

#define QEMU_BUILD_BUG_ON(what)	_Static_assert(!(what), #what)
#define QEMU_ALIGNED(n)		__attribute__((aligned(n)))
#define GiB			(1ull << 30)
#define KiB			(1ull << 10)
#define ctz32(v)		__builtin_ctz(v)
#define unlikely(v)		(v)
#define smp_mb()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define qatomic_read(p)		(*(p))
#define qatomic_set(p, v)	(*(p) = (v))
#define qatomic_xchg(p, v)	__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define qatomic_cmpxchg(p, was, v)	__sync_val_compare_and_swap(p, was, v)
#define qemu_memalign(align, size)	\
	aligned_alloc(align, ((size) + (align) - 1) / (align) * (align))
#define qemu_madvise(at, size, how)
#define qemu_mutex_init(m)
#define qemu_mutex_lock(m)
#define qemu_mutex_unlock(m)
#define qemu_mutex_lock_iothread()
#define qemu_mutex_unlock_iothread()
#define qemu_mutex_iothread_locked()	true

/* Processors and their TLBs, in which each page is at its own address */
typedef uint64_t target_ulong;
#define TARGET_PAGE_MASK	(~(uint64_t)0xfff)
#define TLB_MMIO		0x800
#define TLB_DISCARD_WRITE	0x400

typedef struct {
	target_ulong addr_read, addr_write;
	uint64_t addend;
} CPUTLBEntry;

struct CPUState {
	int cpu_index;
	bool halted;
	void *opaque;
	CPUState *next;
};

struct CPUArchState {
	uint32_t cpuid_version;
	CPUState *cpu;
};

typedef struct ArchCPU {
	CPUState parent_obj;
	CPUArchState env;
	uint32_t socket_id;
	int32_t die_id, core_id, thread_id;
	DeviceState *apic_state;
} ArchCPU, X86CPU;

extern CPUState *first_cpu;
CPUState *qemu_get_cpu(int index);

#define CPU(c)			((CPUState *)(c))
#define X86_CPU(c)		((X86CPU *)(c))
#define CPU_FOREACH(cs)		for (cs = first_cpu; cs; cs = cs->next)
#define env_cpu(env)		((env)->cpu)

#define make_memop_idx(op, i)	((op) << 4 | (i))
#define get_memop(oi)		((oi) >> 4)
#define get_mmuidx(oi)		((oi) & 15)
#define memop_size(op)		(1u << ((op) & 7))
CPUTLBEntry *tlb_entry(CPUArchState *env, uintptr_t idx, target_ulong addr);
#define tlb_addr_write(e)	((e)->addr_write)
#define HELPER(name)		helper_ ## name
void helper_traffic_fetch(CPUArchState *env, uint64_t host_line);

/* The virtual clock */
#define NANOSECONDS_PER_SECOND	1000000000ll
int64_t cpus_get_elapsed_ticks(void);
typedef struct QEMUTimer QEMUTimer;
extern int64_t shim_now;
QEMUTimer *timer_new_ns(int clock, void (*fn)(void *opaque), void *opaque);
void timer_del(QEMUTimer *t);
void timer_mod(QEMUTimer *t, int64_t when);
/* Advance to @to, and call the timers that expire. */
void shim_advance(int64_t to);

/* Local APIC */
enum { APIC_DM_FIXED, APIC_DM_NMI = 4 };
#define APIC_LVT_PERFORM	3
#define APIC_LVT_DELIV_MOD_SHIFT	8
#define APIC_LVT_MASKED		(1 << 16)
#define CPU_INTERRUPT_NMI	0x200

typedef struct {
	uint32_t lvt[6];
	uint8_t id;
} APICCommonState;

#define APIC_COMMON(s)		((APICCommonState *)(s))
void cpu_interrupt(CPUState *cs, int what);
void apic_deliver_irq(uint8_t id, uint8_t logical, uint8_t mode, uint8_t vector, uint8_t trigger);

/* Devices */
#define TYPE_DEVICE		"device"
#define CORE_PMU(dev)		((CorePmu *)(dev))
#define DEFINE_PROP_STRING(name, type, field)	{ name, offsetof(type, field) }
#define INTERFACE_PCIE_DEVICE	"pcie-device"
#define DEFINE_TYPES(types)						\
	void shim_types(void)						\
	{								\
		for (unsigned int i = 0; i < ARRAY_SIZE(types); i++)	\
			type_register_static(&(types)[i]);		\
	}
#define DISCOVERY(dev)		((Discovery *)(dev))
#define POWER(dev)		((Power *)(dev))
#define DISC_FN(dev)		((DiscFn *)(dev))
bool object_dynamic_cast(void *dev, const char *type);

/* A PCI bus and its functions' configuration space */
#define PCI_SLOT(devfn)		((devfn) >> 3)
#define PCI_FUNC(devfn)		((devfn) & 7)
#define PCI_DEVICE_ID		2
#define PCI_CONFIG_HEADER_SIZE	0x40
#define PCI_EXP_VER2_SIZEOF	0x3c
#define PCI_EXP_TYPE_RC_END	9
#define PCI_CLASS_SYSTEM_OTHER	0x880
#define PCI_BAR_UNMAPPED	(~(uint64_t)0)

typedef struct PCIBus {
	PCIDevice *devices[256];
	unsigned int number;
} PCIBus;

#define pci_get_bus(dev)	((dev)->bus)
#define pci_bus_num(bus)	((bus)->number)
uint64_t pci_get_bar_addr(PCIDevice *dev, int bar);
uint16_t pci_get_word(const uint8_t *at);
void pci_set_long(uint8_t *at, uint32_t v);
void pci_config_set_device_id(uint8_t *config, uint16_t id);
int pcie_cap_init(PCIDevice *dev, uint8_t at, uint8_t type, uint8_t port, Error **errp);
void pcie_add_capability(PCIDevice *dev, uint16_t id, uint8_t version, uint16_t at, uint16_t size);
uint32_t pci_default_read_config(PCIDevice *dev, uint32_t addr, int len);
void pci_default_write_config(PCIDevice *dev, uint32_t addr, uint32_t v, int len);
PCIDevice *pci_new_multifunction(int devfn, bool many, const char *type);
bool pci_realize_and_unref(PCIDevice *dev, PCIBus *bus, Error **errp);

void qemu_register_reset(void (*fn)(void *opaque), void *opaque);

/* The machine and its memory */
typedef struct {
	bool has_socket_id, has_node_id;
	int64_t socket_id, node_id;
} CpuInstanceProperties;

typedef struct {
	int len;
	struct {
		CpuInstanceProperties props;
	} *cpus;
} CPUArchIdList;

typedef struct {
	int num_nodes;
	struct {
		MemoryRegion *node_memdev;
	} nodes[8];
} NumaState;

typedef struct {
	MemoryRegion *ram;
	NumaState *numa_state;
	const CPUArchIdList *(*possible_cpu_arch_ids)(void *ms);
	struct {
		unsigned int cores;
	} smp;
} MachineState;

extern MachineState *current_machine;

#define MACHINE(m)		((MachineState *)(m))
#define MACHINE_GET_CLASS(m)	(m)
#define host_memory_backend_get_memory(backend)	(backend)
void *qdev_get_machine(void);
uint64_t memory_region_size(MemoryRegion *mr);
void *memory_region_get_ram_ptr(MemoryRegion *mr);

typedef struct Notifier {
	void (*notify)(struct Notifier *n, void *data);
} Notifier;

#define qemu_add_machine_init_done_notifier(n)	((void)(n))
#define error_report_err(err)	printf("# %s\n", (err)->text)

/* Work between instructions, and translation, of which these tests have none */
typedef struct {
	int host_int;
} run_on_cpu_data;

#define RUN_ON_CPU_HOST_INT(n)	((run_on_cpu_data){ n })
#define RUN_ON_CPU_NULL		((run_on_cpu_data){ 0 })
#define async_safe_run_on_cpu(cpu, fn, data)	(fn)(cpu, data)
#define tb_flush(cpu)

typedef uint64_t tb_page_addr_t;
typedef int TCGv_ptr, TCGv_i64;
typedef struct TCGLabel TCGLabel;
struct TranslationBlock;
#define tb_page_addr0(tb)	((tb_page_addr_t)0)
#define tb_page_addr1(tb)	((tb_page_addr_t)0)
#define qemu_map_ram_ptr(block, at)	((void *)(uintptr_t)(at))
#define gen_new_label()		NULL
#define gen_set_label(label)
#define tcg_temp_new_ptr()	0
#define tcg_temp_new_i64()	0
#define tcg_temp_free_ptr(t)
#define tcg_temp_free_i64(t)
#define tcg_constant_i64(v)	(v)
#define tcg_gen_ld_ptr(to, from, at)	((void)(to))
#define tcg_gen_ld_i64(to, from, at)	((void)(from))
#define tcg_gen_brcondi_i64(cond, a, b, label)	((void)(a), (void)(label))
#define gen_helper_traffic_fetch(env, line)	((void)(line))

#endif
