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
#define qemu_memalign(align, size)	aligned_alloc(align, ((size) + (align) - 1) / (align) * (align))
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
	CPUTLBEntry tlb;
	CPUState *cpu;
};

typedef struct ArchCPU {
	CPUState parent_obj;
	CPUArchState env;
	uint32_t socket_id;
	int32_t die_id, core_id;
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
#define tlb_entry(env, idx, addr)	(&(env)->tlb)
#define tlb_addr_write(e)	((e)->addr_write)
#define HELPER(name)		helper_ ## name
void helper_traffic_fetch(CPUArchState *env, uint64_t host_line);

/* The virtual clock */
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
void qemu_register_reset(void (*fn)(void *opaque), void *opaque);

#endif
