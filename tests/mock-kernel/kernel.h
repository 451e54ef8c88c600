/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The mock kernel of the host-side unit tests, included before each file of a driver in
 * place of the kernel's headers. kernel.c and perf.c are its code; the registers are in
 * each program's machine.c.
 */
#ifndef MOCK_KERNEL_H
#define MOCK_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>
#include <linux/types.h>

typedef int8_t s8;
typedef int16_t s16;
typedef uint64_t phys_addr_t;
typedef unsigned short umode_t;

/* Report what the kernel would crash on, or lockdep would report. */
__attribute__((format(printf, 1, 2)))
void fault(const char *fmt, ...);

/* The log; a line at a time */
__attribute__((format(printf, 1, 2)))
void mock_log(const char *fmt, ...);
bool log_has(const char *text);
void log_clear(void);

/* Unless the file defines it as a macro */
static inline const char *pr_fmt(const char *fmt)
{
	return fmt;
}

#define pr_debug_ratelimited(fmt, ...)	mock_log(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)		mock_log(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice(fmt, ...)		mock_log(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...)		mock_log(pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err(fmt, ...)		mock_log(pr_fmt(fmt), ##__VA_ARGS__)
#define pci_notice(pdev, ...)	((void)(pdev), mock_log(__VA_ARGS__))
#define dev_notice_once(dev, text)					\
	do { (void)(dev); if (!log_has(text)) mock_log(text); } while (0)

/* Where the explorer may let another actor run: see explore.h */
#include "explore.h"
#define mock_point(addr, write)						\
	(exploring ? explore_point(addr, write, __func__, __FILE__, __LINE__) : (void)0)
/* An access that no other actor sees half of: its parts are no steps. */
#define mock_once(addr, write, access)					\
({									\
	mock_point(addr, write);					\
	explore_once(true);						\
	__auto_type once_ = (access);					\
	explore_once(false);						\
	once_;								\
})

/* Language */
#define __init
#define __maybe_unused		__attribute__((unused))
#define __exit
#define __iomem
#undef __always_inline
#define __always_inline		inline
#define noinline
#define likely(x)		(x)
#define unlikely(x)		(x)
#define READ_ONCE(x)		mock_once(&(x), false, x)
#define WRITE_ONCE(x, v)	({ __auto_type v_ = (v); mock_once(&(x), true, (x) = v_); })
#define smp_load_acquire(p)	READ_ONCE(*(p))
#define smp_store_release(p, v)	WRITE_ONCE(*(p), v)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define xchg(p, v)							\
	mock_once(p, true, ({ __auto_type was_ = *(p); *(p) = (v); was_; }))
#define __stringify_1(x...)	#x
#define __stringify(x...)	__stringify_1(x)
#define U16_MAX			0xffff
#define U32_MAX			(~0u)
#define U64_MAX			(~0ULL)
#define upper_32_bits(x)	((u32)((x) >> 32))
#define hweight8(x)		((unsigned int)__builtin_popcount((x) & 0xff))
#define __ffs64(x)		((unsigned int)__builtin_ctzll(x))
#define NSEC_PER_SEC		1000000000LL
#define HZ			250
#define for_each_set_bit(bit, addr, size)				\
	for ((bit) = 0; (bit) < (size); (bit)++)			\
		if (*(addr) & BIT(bit))

#define WARN_ON_ONCE(x)							\
({									\
	bool warn_ = (x);						\
									\
	if (warn_)							\
		fault("the driver warns: %s", #x);			\
	warn_;								\
})

#define for_each_present_cpu(cpu)					\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)			\
		if (mock_present & BIT(cpu))

#define MAX_ERRNO		4095
#define ERR_PTR(err)		((void *)(long)(err))
#define IOMEM_ERR_PTR(err)	ERR_PTR(err)
#define PTR_ERR(p)		((long)(p))
#define IS_ERR(p)		((unsigned long)(p) >= -MAX_ERRNO)

/* Lists */
struct list_head {
	struct list_head *next, *prev;
};

#define LIST_HEAD(name)		struct list_head name = { &(name), &(name) }
#define INIT_LIST_HEAD(l)	((l)->next = (l)->prev = (l))

static inline void list_add_tail(struct list_head *new, struct list_head *head)
{
	new->prev = head->prev;
	new->next = head;
	head->prev->next = new;
	head->prev = new;
}

static inline void list_del(struct list_head *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
	l->next = NULL;
	l->prev = NULL;
}

#define list_add_tail_rcu	list_add_tail
#define list_entry		container_of
#define list_for_each_entry(pos, head, member)				\
	for (pos = list_entry((head)->next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = list_entry(pos->member.next, typeof(*pos), member))
#define list_for_each_entry_safe(pos, n, head, member)			\
	for (pos = list_entry((head)->next, typeof(*pos), member),	\
	     n = list_entry(pos->member.next, typeof(*pos), member);	\
	     &pos->member != (head);					\
	     pos = n, n = list_entry(n->member.next, typeof(*n), member))
#define list_for_each_entry_rcu(pos, head, member, ...)			\
	list_for_each_entry(pos, head, member)

/* Memory */
#define GFP_KERNEL		0
void *kzalloc(size_t size, int flags);
void kfree(const void *p);

/* Processors: two sockets, CPUs 0 and 1, 2 and 3 */
#define MOCK_CPUS			4
#define nr_cpu_ids		((unsigned int)MOCK_CPUS)
extern unsigned int mock_cpu;
extern unsigned long mock_online, mock_present;
extern int mock_package[MOCK_CPUS], mock_die[MOCK_CPUS], mock_core[MOCK_CPUS];
#define smp_processor_id()	((int)mock_cpu)
#define raw_smp_processor_id()	smp_processor_id()
#define cpu_online(cpu)		(!!(mock_online & BIT(cpu)))
/* A CPU that was never online has no topology yet. */
#define topology_physical_package_id(cpu)	(cpu_online(cpu) ? mock_package[cpu] : 0)
#define cpu_physical_id(cpu)	((unsigned int)mock_package[cpu] << 4 | ((cpu) & 1))
#define topology_die_id(cpu)	(mock_die[cpu])
#define topology_core_id(cpu)	(mock_core[cpu])
#define for_each_online_cpu(cpu)					\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)			\
		if (cpu_online(cpu))
#define for_each_cpu(cpu, mask)						\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)			\
		if ((mask) & BIT(cpu))
#define cpu_online_mask		mock_online
/* CPUs that isolcpus or nohz_full names: HK_TYPE_DOMAIN, HK_TYPE_TIMER */
enum hk_type { HK_TYPE_DOMAIN, HK_TYPE_TIMER };
#define KERNEL_HAS_HK_TYPE
extern unsigned long mock_isolated[2];
#define rcu_read_lock()		do { } while (0)
#define rcu_read_unlock()	do { } while (0)
#define housekeeping_cpu(cpu, type)	(!(mock_isolated[type] & BIT(cpu)))
unsigned long mock_core_mask(unsigned int cpu);
#define topology_core_cpumask(cpu)	mock_core_mask(cpu)
#define mock_first(mask)	((mask) ? (unsigned int)__builtin_ctzl(mask) : nr_cpu_ids)

typedef unsigned long cpumask_var_t[1];
bool zalloc_cpumask_var(cpumask_var_t *mask, int flags);
void free_cpumask_var(cpumask_var_t mask);
#define cpumask_set_cpu(cpu, mask)	((mask)[0] |= BIT(mock_possible_cpu(cpu)))
unsigned int mock_possible_cpu(unsigned int cpu);
/* "%*pbl" stands before a number here: see sysfs_emit(). */
#define cpumask_pr_args(mask)						\
	0, _Generic((mask), default: (mask),				\
		    unsigned long: (unsigned long[]){ (unsigned long)(mask) })

/* Per-CPU variables are copies of a section, as in the kernel. */
#define MOCK_PERCPU		__attribute__((section("mock_section")))
#define DEFINE_PER_CPU(type, name)	MOCK_PERCPU type name
#define DECLARE_PER_CPU(type, name)	extern MOCK_PERCPU type name
void *mock_percpu(const void *p, unsigned int cpu);
#define per_cpu_ptr(p, cpu)	((typeof(p))mock_percpu(p, cpu))
#define per_cpu(x, cpu)		(*per_cpu_ptr(&(x), cpu))
#define this_cpu_ptr(p)		per_cpu_ptr(p, mock_cpu)
#define this_cpu_read(x)	per_cpu(x, mock_cpu)
#define for_each_possible_cpu(cpu)					\
	for ((cpu) = 0; (cpu) < nr_cpu_ids; (cpu)++)
#define cpumask_first(mask)	mock_first(mask)
void cpus_read_lock(void);
void cpus_read_unlock(void);

enum cpuhp_state { CPUHP_BP_PREPARE_DYN = 5, CPUHP_AP_ONLINE_DYN = 17 };
int cpuhp_setup_state(enum cpuhp_state state, const char *name, int (*up)(unsigned int cpu),
		      int (*down)(unsigned int cpu));
void cpuhp_remove_state(enum cpuhp_state state);
void cpuhp_remove_state_nocalls(enum cpuhp_state state);

/* Interrupts, locks, time */
extern int mock_irqs_off, mock_locks, mock_mutexes;
#define local_irq_save(flags)	(mock_point(NULL, true), (flags) = mock_irqs_off++)
#define local_irq_restore(flags)	(mock_irqs_off = (flags), mock_point(&mock_irqs_off, false))

typedef struct {
	bool held, ready;
	unsigned int owner;
} raw_spinlock_t;
void raw_spin_lock_init(raw_spinlock_t *lock);
void raw_spin_lock(raw_spinlock_t *lock);
void raw_spin_unlock(raw_spinlock_t *lock);

struct mutex {
	bool held;
	unsigned int owner;
};

#define DEFINE_MUTEX(name)	struct mutex name
void mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m);
#define lockdep_assert_held(m)						\
	((m)->held ? (void)0 : fault("%s is not held", #m))

typedef struct {
	long v;
} atomic_long_t;
typedef struct {
	int v;
} atomic_t;

#define atomic_long_read(a)	READ_ONCE((a)->v)
#define atomic_long_set(a, x)	WRITE_ONCE((a)->v, x)
#define atomic_long_add(x, a)	((void)mock_once(a, true, (a)->v += (x)))
#define atomic_xchg(a, x)	xchg(&(a)->v, x)
bool atomic_long_try_cmpxchg(atomic_long_t *a, long *old, long new);

typedef struct {
	struct {
		atomic_long_t a;
	} a;
} local64_t;

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
enum hrtimer_mode { HRTIMER_MODE_REL_PINNED_HARD = 10 };
typedef s64 ktime_t;
#define ns_to_ktime(ns)		(ns)
#define CLOCK_MONOTONIC		1
#define KERNEL_HAS_HRTIMER_SETUP
struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	bool set, busy;
	unsigned int cpu;
	s64 interval;
};

void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer),
		   int clock, enum hrtimer_mode mode);
void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode);
void hrtimer_cancel(struct hrtimer *timer);
#define hrtimer_active(t)	(mock_point(t, false), (t)->set || (t)->busy)
int hrtimer_try_to_cancel(struct hrtimer *timer);
#define hrtimer_forward_now(timer, time)	((timer)->interval = (time))

typedef void (*smp_call_func_t)(void *data);
int smp_call_function_single(int cpu, smp_call_func_t func, void *data, int wait);
typedef struct {
	smp_call_func_t func;
	void *info;
	struct hrtimer timer;	/* the interrupt of the other CPU */
} call_single_data_t;
int smp_call_function_single_async(int cpu, call_single_data_t *csd);

struct syscore_ops {
	int (*suspend)(void);
	void (*resume)(void);
};

void register_syscore_ops(struct syscore_ops *ops);
void unregister_syscore_ops(struct syscore_ops *ops);

/* Capabilities and the rate limit decide who gets a line in the log. */
struct ratelimit_state {
	int interval;
	unsigned int burst;
};

#define DEFINE_RATELIMIT_STATE(name, time, n)				\
	struct ratelimit_state name = { .interval = time, .burst = n }
bool __ratelimit(struct ratelimit_state *limit);
#define KERNEL_HAS_RATELIMIT_RESET
void ratelimit_state_reset_interval(struct ratelimit_state *limit, int interval);
#define ns_capable_noaudit(ns, cap)	(!!(mock_capabilities & BIT_ULL(cap)))
#define perfmon_capable()	(capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN))
#define capable(cap)		ns_capable_noaudit(&init_user_ns, cap)
extern u64 mock_capabilities;
#define CAP_SYS_ADMIN		21
#define CAP_PERFMON		38

/* Modules and their parameters */
struct kernel_param_ops;
struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	void *arg;
	int mode;
};

struct kernel_param_ops {
	int (*set)(const char *val, const struct kernel_param *kp);
	int (*get)(char *buf, const struct kernel_param *kp);
};

int kstrtoint(const char *s, unsigned int base, int *res);
#define param_get_int		NULL
#define module_param_cb(n, o, a, m)					\
	const struct kernel_param mock_param = { #n, o, a, m }
#define module_param_named(n, var, type, m)				\
	const struct kernel_param n ## _param = { #n, NULL, &(var), m }
#define MODULE_PARM_DESC(name, text)	struct kernel_param
#define MODULE_DESCRIPTION(text)	struct kernel_param
#define MODULE_LICENSE(text)	struct kernel_param
#define MODULE_DEVICE_TABLE(bus, name)					\
	static const void *const name ## _table __attribute__((unused)) = \
		name

struct module {
	const char *name;
};

extern struct module mock_module;
#define THIS_MODULE		(&mock_module)
#define __module_get(m)		((void)(m))
#define module_init(f)		int mock_init(void) { return f(); }
#define module_exit(f)		void mock_exit(void) { f(); }
int mock_init(void);
void mock_exit(void);

enum module_state {
	MODULE_STATE_LIVE, MODULE_STATE_COMING, MODULE_STATE_GOING,
};

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action, void *data);
};

#define NOTIFY_DONE		0
#define notifier_from_errno(e)	((e) ? 0x8000 | (1 - (e)) : NOTIFY_DONE)
int register_module_notifier(struct notifier_block *nb);
void unregister_module_notifier(struct notifier_block *nb);

/* The processor */
#define CONFIG_X86
#define INTEL_NEHALEM		30
#define INTEL_NEHALEM_G		31
#define INTEL_NEHALEM_EP	26
#define INTEL_NEHALEM_EX	46
#define INTEL_WESTMERE		37
#define INTEL_WESTMERE_EP	44
#define INTEL_WESTMERE_EX	47
#define INTEL_SANDYBRIDGE	42
#define INTEL_SANDYBRIDGE_X	45
#define X86_VENDOR_INTEL	0
struct x86_cpu_id {
	unsigned int model;
	unsigned long driver_data;
};

#define X86_MATCH_VFM(m, data)	{ (m) + 1, (unsigned long)(data) }
#define X86_MATCH_VFM_FEATURE(m, feature, data)	X86_MATCH_VFM(m, data)
struct cpuinfo_x86 {
	unsigned int x86_vendor, x86, x86_model;
	char x86_vendor_id[16], x86_model_id[64];
};

extern struct cpuinfo_x86 boot_cpu_data;
#define X86_FEATURE_HYPERVISOR	0x9f
#define boot_cpu_has(feature)	mock_virtual
extern bool mock_virtual;
const struct x86_cpu_id *x86_match_cpu(const struct x86_cpu_id *ids);

u64 machine_rdmsr(u32 addr);
void machine_wrmsr(u32 addr, u64 val);
int machine_rdmsr_safe(u32 addr, u64 *val);
int machine_wrmsr_safe(u32 addr, u64 val);
unsigned int cpuid_eax(unsigned int leaf);
extern unsigned int mock_cores;	/* of a package; 0: leaf 0xb does not say */
extern unsigned int mock_threads;	/* of a core, for leaf 0xb */
void cpuid_count(unsigned int leaf, unsigned int sub, unsigned int *eax,
		 unsigned int *ebx, unsigned int *ecx, unsigned int *edx);
#define MSR_ARCH_PERFMON_PERFCTR0	0xc1
#define MSR_ARCH_PERFMON_EVENTSEL0	0x186
#define MSR_OFFCORE_RSP_0	0x1a6
#define MSR_OFFCORE_RSP_1	0x1a7
#define MSR_CORE_PERF_GLOBAL_CTRL	0x38f
#define ARCH_PERFMON_EVENTSEL_USR	0x10000u
#define ARCH_PERFMON_EVENTSEL_OS	0x20000u
#define ARCH_PERFMON_EVENTSEL_ENABLE	0x400000u
int reserve_perfctr_nmi(unsigned int msr);
int reserve_evntsel_nmi(unsigned int msr);
void release_perfctr_nmi(unsigned int msr);
void release_evntsel_nmi(unsigned int msr);

#define rdmsrq(addr, val)	((val) = machine_rdmsr(addr))
#define wrmsrq(addr, val)	machine_wrmsr(addr, val)
#define rdmsrq_safe(addr, p)	machine_rdmsr_safe(addr, p)
#define wrmsrq_safe(addr, v)	machine_wrmsr_safe(addr, v)

/* Files */
struct kobject {
	int none;
};

struct device {
	struct kobject kobj;
	void *data;
};

#define dev_get_drvdata(dev)	((dev)->data)
#define kobj_to_dev(k)		container_of(k, struct device, kobj)
struct attribute {
	const char *name;
	umode_t mode;
};

struct device_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device *dev, struct device_attribute *attr, char *buf);
	ssize_t (*store)(struct device *dev, struct device_attribute *attr,
			 const char *buf, size_t count);
};

struct dev_ext_attribute {
	struct device_attribute attr;
	void *var;
};

struct attribute_group {
	const char *name;
	umode_t (*is_visible)(struct kobject *kobj, struct attribute *attr, int n);
	struct attribute **attrs;
};

#define __ATTR(n, m, s, t)						\
	{ .attr = { .name = #n, .mode = (m) }, .show = (s), .store = (t) }
#define DEVICE_ATTR_RO(n)						\
	struct device_attribute dev_attr_ ## n =			\
		__ATTR(n, 0444, n ## _show, NULL)
#define sysfs_emit(buf, ...)	sysfs_emit_at(buf, 0, __VA_ARGS__)
int sysfs_emit_at(char *buf, int at, const char *fmt, ...);
void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr);
int scnprintf(char *buf, size_t size, const char *fmt, ...);

/* The task that opens events */
#define current			NULL

/* PCI */
struct device_driver {
	const char *name;
	struct module *owner;
	bool suppress_bind_attrs;
	enum { PROBE_DEFAULT_STRATEGY, PROBE_FORCE_SYNCHRONOUS } probe_type;
};

struct bus_type;
extern struct bus_type pci_bus_type;
struct device_driver *driver_find(const char *name, struct bus_type *bus);

struct pci_bus {
	unsigned char number;
	int domain;
};

struct pci_dev {
	struct device dev;
	struct pci_bus *bus;
	unsigned int devfn;
	unsigned short vendor, device;
	void *data;
	int refs;
	/* Visible in sysfs, bound to the driver, and its page mapped */
	bool there, bound;
	bool locked;		/* device_lock() */
	int maps;
	unsigned int socket;
	bool overridden;	/* driver_override names the driver */
};

struct pci_device_id {
	unsigned int device;
	unsigned long driver_data;
};

#define PCI_VENDOR_ID_INTEL	0x8086
#define PCI_VDEVICE(v, d)	.device = (d)
#define PCI_DEVFN(slot, fn)	((slot) << 3 | (fn))
#define PCI_SLOT(devfn)		((devfn) >> 3)
#define PCI_CFG_SPACE_SIZE	0x100
#define PCI_CFG_SPACE_EXP_SIZE	0x1000
#define PCI_POSSIBLE_ERROR(val)	((val) == (typeof(val))-1)
#define pci_domain_nr(bus)	((bus)->domain)
#define pci_dev_id(pdev)	((pdev)->bus->number << 8 | (pdev)->devfn)
struct pci_driver {
	const char *name;
	const struct pci_device_id *id_table;
	int (*probe)(struct pci_dev *pdev, const struct pci_device_id *id);
	void (*remove)(struct pci_dev *pdev);
	struct device_driver driver;
};

int pci_register_driver(struct pci_driver *driver);
void pci_unregister_driver(struct pci_driver *driver);
struct pci_dev *pci_get_slot(struct pci_bus *bus, unsigned int devfn);
struct pci_dev *pci_dev_get(struct pci_dev *pdev);
void pci_dev_put(struct pci_dev *pdev);
int pci_read_config_dword(struct pci_dev *pdev, int reg, u32 *val);
int pci_bus_read_config_dword(struct pci_bus *bus, unsigned int devfn, int reg, u32 *val);
int pci_bus_write_config_dword(struct pci_bus *bus, unsigned int devfn, int reg, u32 val);

#define PCIE_ECAM_OFFSET(bus, devfn, where)				\
	((u64)(bus) << 20 | (u64)(devfn) << 12 | (where))
struct acpi_table_header {
	char signature[4];
	u32 length;
	char rest[28];
};

struct acpi_table_mcfg {
	struct acpi_table_header header;
	u8 reserved[8];
} __attribute__((packed));

struct acpi_mcfg_allocation {
	u64 address;
	u16 pci_segment;
	u8 start_bus_number;
	u8 end_bus_number;
	u32 reserved;
} __attribute__((packed));

#define ACPI_SIG_MCFG		"MCFG"
#define ACPI_FAILURE(x)		((x) != 0)
int acpi_get_table(const char *signature, u32 nr, struct acpi_table_header **table);
void acpi_put_table(struct acpi_table_header *table);
void *ioremap(phys_addr_t addr, size_t size);
void iounmap(void *map);
u32 readl(const void *addr);
void writel(u32 val, void *addr);

/* perf */
#define PERF_EF_START		1
#define PERF_HES_STOPPED	1
#define PERF_HES_UPTODATE	2
#define PERF_HES_ARCH		4
#define PERF_ATTACH_GROUP	2
#define PERF_ATTACH_TASK	4
#define PERF_PMU_CAP_NO_INTERRUPT	0x01
#define PERF_PMU_CAP_NO_NMI	0x02
#define PERF_PMU_CAP_NO_EXCLUDE	0x80
#define PERF_EV_CAP_READ_ACTIVE_PKG	2
#define perf_invalid_context	(-1)

struct hw_perf_event_extra {
	u64 config;
	unsigned int reg;
	int alloc;
	int idx;
};

struct hw_perf_event {
	struct hw_perf_event_extra extra_reg, branch_reg;
	local64_t prev_count, period_left;
	u64 sample_period, last_period, interrupts;
	int state, idx;
	struct task_struct *target;
};

#define local64_read(l)		READ_ONCE((l)->a.a.v)
#define local64_set(l, x)	WRITE_ONCE((l)->a.a.v, x)
/* Other CPUs may write between its read and its write, and interrupts of this one may not. */
void local64_add(long x, local64_t *l);
#define local64_sub(x, l)	local64_add(-(x), l)
s64 local64_cmpxchg(local64_t *l, s64 old, s64 new);

struct perf_event;
struct perf_event_context;
struct perf_sample_data;
struct pt_regs;
struct task_struct;
#define typeof_member(type, member)	typeof(((type *)0)->member)
/* Per-CPU multiplexing context. Its hrtimer belongs to perf and has no function here. */
struct perf_cpu_pmu_context {
	struct hrtimer hrtimer;
};

struct pmu {
	struct perf_cpu_pmu_context *cpu_pmu_context;
	struct module *module;
	struct device *dev;
	const struct attribute_group **attr_groups;
	const char *name;
	unsigned int type;
	int task_ctx_nr, capabilities;
	void (*pmu_enable)(struct pmu *pmu);
	void (*pmu_disable)(struct pmu *pmu);
	int (*event_init)(struct perf_event *event);
	int (*add)(struct perf_event *event, int flags);
	void (*del)(struct perf_event *event, int flags);
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);
	void (*read)(struct perf_event *event);
	/* Linux 6.1's prototype */
	void (*sched_task)(struct perf_event_context *ctx, bool sched_in);
};

struct perf_event {
	struct perf_event_attr attr;
	struct hw_perf_event hw;
	struct pmu *pmu;
	struct perf_event *group_leader, *parent;
	struct perf_event *sibling[16];
	int nr_siblings;
	int cpu;
	struct perf_event_context *ctx;
	unsigned int attach_state, event_caps;
	local64_t count;
	atomic_long_t lost_samples;
	void *pmu_private;
	void (*destroy)(struct perf_event *event);
	void (*overflow_handler)(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs);
	unsigned int pending_kill;
	/* kernel.c's own */
	bool on;
	bool ctx_locked;	/* a member of its group is being opened */
	bool disabled;		/* not scheduled again after migration */
	unsigned int pages;
	/* For the explorer: its context has it; CPU as perf_event_read_local() sees it */
	bool attached;
	int oncpu;
	/* What it has counted at least and at most */
	bool settled, counting;
	u64 least, most;
};

/* for_each_sibling_event() asserts ctx->mutex, which perf holds while it opens a member. */
static inline struct perf_event **mock_siblings(struct perf_event *leader)
{
	if (!mock_irqs_off && !leader->ctx_locked)
		fault("siblings are looked at without their context's lock");
	return leader->sibling;
}

#define for_each_sibling_event(s, leader)				\
	for (struct perf_event **p_ = mock_siblings(leader);		\
	     p_ < (leader)->sibling + (leader)->nr_siblings &&		\
	     ((s) = *p_, true); p_++)
#define is_sampling_event(e)	((e)->attr.sample_period != 0)
#define has_branch_stack(e)						\
	((e)->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
/* Software events have no PMU that the driver registered. */
#define is_software_event(e)	(!(e)->pmu->event_init)
#define perf_event_update_userpage(e)	((void)(e)->pages++)
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 void *task, void *handler, void *context);
int perf_event_release_kernel(struct perf_event *event);
int perf_pmu_register(struct pmu *pmu, const char *name, int type);
void perf_pmu_unregister(struct pmu *pmu);
void perf_pmu_migrate_context(struct pmu *pmu, int from, int to);

/*
 * For the tests.
 *
 * Each call that may fail asks mock_fails(), which is true for call number mock_fail_at.
 */
bool mock_fails(void);

/* perf.c, for kernel.c */
void mock_perf_cpu_down(unsigned int cpu);
void mock_perf_check_left(void);
bool mock_holds_mutex(void);

/* irq.c, for kernel.c: the hrtimers of a CPU that is offline go to another one. */
void mock_move_timers(unsigned int from);
void mock_irq_check_left(void);

/* irq.c, kernel.c and perf.c, for explore.c */
void mock_explore_begin(u64 (*rate)(const struct perf_event *event));
void mock_perf_explore_begin(u64 (*rate)(const struct perf_event *event));
void mock_perf_count(void);
void mock_perf_cpu_online(unsigned int cpu);
/* Open events keep the module; false: it is being unloaded */
bool mock_module_get(void);
void mock_module_put(void);
bool mock_module_gone(void);

/* Each test program has a machine.c: reset it, and check it after the driver is unloaded. */
void machine_reset(void);
void machine_check_left(void);

extern struct hooks {
	/* Another reader updates the event before the next read does. */
	void (*race)(void);
	/* A PMU is visible before its registration is complete. */
	void (*registering)(struct pmu *pmu);
	/* A CPU is online, and the driver's callback has not run yet. */
	void (*arriving)(void);
	/* A line is written to the log. */
	void (*logged)(const char *fmt);
} hooks;

/* The driver never samples, and leaves hw.state alone. */
extern bool mock_no_hes;
extern unsigned int mock_calls, mock_fail_at;
extern unsigned int faults;
extern bool mock_intel;
extern u64 mock_cycles;
void mock_reset(void);
/* After unload: nothing may be left. */
void mock_check_left(void);
void mock_timers(void);
/* Time between two reads by the driver's hrtimers, in ns */
extern s64 mock_interval;
/* Let the interval of the log's rate limit pass. */
void mock_window(void);
int mock_set_param(const char *name, const char *val);
bool mock_timer_on(unsigned int cpu);
/* The core PMU's return value for an event; 0: it accepts */
extern int mock_core_pmu;
extern u64 mock_core_config1;	/* of its last event */
int mock_module_event(const char *module, unsigned long action);
void mock_cpu_down(unsigned int cpu);
void mock_cpu_up(unsigned int cpu);
/* A callback after the driver's fails, and the CPU does not go offline. */
void mock_cpu_stays(unsigned int cpu, void (*meanwhile)(unsigned int cpu));
void mock_suspend(void);
void mock_resume(void);

/*
 * For actors of the explorer: as tasks of Linux do these, with their locks and interrupts. perf's
 * functions free what they close, and return NULL or do nothing where an event is on no CPU.
 */
void explore_cpu_down(unsigned int cpu);
void explore_cpu_up(unsigned int cpu);
/* A CPU that goes offline, but another callback fails: before or after (@late) perf's */
void explore_cpu_stays(unsigned int cpu, bool late);
void explore_suspend(void (*asleep)(void));
void explore_timers(unsigned int cpu);
void explore_load(void);
/* Returns false if events are open. */
bool explore_unload(void);
struct perf_event *explore_open(const char *pmu, const struct perf_event_attr *attr, int cpu,
				struct perf_event *leader, bool disabled);
void explore_close(struct perf_event *event);
void explore_enable(struct perf_event *event, bool enable);
u64 explore_read(struct perf_event *event);
/* In an NMI */
void explore_read_local(struct perf_event *event);
/* perf's multiplexing, in an interrupt */
void explore_rotate(struct pmu *pmu);
/* What a PMU's events, or all, count until they are scheduled anew may be lost, or all of it. */
void explore_unsettle(const char *pmu);
void explore_lose(const char *pmu);
/*
 * With all actors done: no count is less or more than the hardware's, and enabled events for which
 * @must_count is true count on. Closes all.
 */
void explore_close_all(bool (*must_count)(const struct perf_event *event), void (*tick)(void));

/* perf, as a user sees it: events of one CPU, each with its group */
struct pmu *mock_pmu(const char *name);
unsigned int mock_nr_pmus(void);
/* Contents of a sysfs file of the PMU, or NULL if it is not visible */
const char *mock_file(struct pmu *pmu, const char *group, const char *file);
int mock_event_init(struct perf_event *event);
/* The two halves of mock_open(): up to event_init(), and the rest */
struct perf_event *mock_alloc(struct pmu *pmu, const struct perf_event_attr *attr, int cpu,
			      struct perf_event *leader, int *err);
struct perf_event *mock_install(struct perf_event *event, int *err);
struct perf_event *mock_open(struct pmu *pmu, const struct perf_event_attr *attr,
			     int cpu, struct perf_event *leader, int *err);
/* Task of the next events, and the event that they are inherited from */
extern unsigned int mock_attach;
extern struct perf_event *mock_parent;
void mock_close(struct perf_event *event);
/* Whether the leader's group is scheduled; tries to schedule it */
bool mock_sched_in(struct perf_event *leader);
void mock_sched_out(struct perf_event *leader);
/* Call ->start or ->stop of a scheduled event. */
void mock_start(struct perf_event *event);
void mock_stop(struct perf_event *event);
/* Throttle or unthrottle the leader; a started event clears its state. */
void mock_throttle(struct perf_event *event, bool throttle);
/* Read an event, or its whole group, on a CPU. */
void mock_read(struct perf_event *event, unsigned int cpu);
void mock_read_group(struct perf_event *leader, unsigned int cpu);
/* Disable and enable the PMU, as perf does around adding and removing events. */
void mock_disable(struct pmu *pmu, unsigned int cpu);
void mock_enable(struct pmu *pmu, unsigned int cpu);

#endif
