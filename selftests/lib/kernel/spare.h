/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel interfaces that no driver uses yet: without them, a mutant that the kernel would
 * build fails to compile here, and is not tested.
 */
#ifndef LIB_KERNEL_SPARE_H
#define LIB_KERNEL_SPARE_H

#define __maybe_unused		__attribute__((unused))
#define fallthrough		__attribute__((fallthrough))
#define barrier()		__asm__ volatile("" ::: "memory")
#define smp_rmb()		barrier()
#define smp_wmb()		barrier()
#define smp_store_mb(x, v)	((x) = (v), smp_mb())

#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max(a, b)		((a) > (b) ? (a) : (b))
#define min3(a, b, c)		min(min(a, b), c)
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp(v, lo, hi)	min(max(v, lo), hi)
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define div_u64(n, d)		((u64)(n) / (d))
#define div64_u64(n, d)		((u64)(n) / (d))
#define FIELD_MAX(mask)		((mask) >> __builtin_ctzll(mask))
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))
#define hweight16(x)		((unsigned int)__builtin_popcount((x) & 0xffff))
#define hweight32(x)		((unsigned int)__builtin_popcount(x))
#define hweight64(x)		((unsigned int)__builtin_popcountll(x))
#define __ffs(x)		((unsigned long)__builtin_ctzl(x))
#define __fls(x)		((unsigned long)(63 - __builtin_clzl(x)))
#define fls(x)			((x) ? 32 - __builtin_clz(x) : 0)
#define fls64(x)		((x) ? 64 - __builtin_clzll(x) : 0)
#define S64_MAX			((s64)(U64_MAX >> 1))
#define NSEC_PER_MSEC		1000000L
#define NSEC_PER_USEC		1000L
#define MSEC_PER_SEC		1000L

#define test_bit(nr, addr)	(!!(*(addr) & BIT(nr)))
#define clear_bit(nr, addr)	((void)test_and_clear_bit(nr, addr))
#define __set_bit(nr, addr)	set_bit(nr, addr)
#define __clear_bit(nr, addr)	clear_bit(nr, addr)

static inline bool strstarts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static inline size_t str_has_prefix(const char *text, const char *prefix)
{
	return strstarts(text, prefix) ? strlen(prefix) : 0;
}

#define strscpy(to, from, size)	((void)snprintf(to, size, "%s", from))
#define sysfs_streq(a, b)	(!strcmp(a, b))

#define WARN_ON(x)							\
({									\
	bool warn_ = (x);						\
									\
	if (warn_)							\
		fault("the driver warns: %s", #x);			\
	warn_;								\
})
#define WARN_ON_ONCE(x)		WARN_ON(x)
#define WARN_ONCE(x, ...)	WARN_ON(x)

#define IS_ERR_OR_NULL(p)	(!(p) || IS_ERR(p))
#define GFP_ATOMIC		0
#define GFP_NOWAIT		0
#define kmalloc(size, flags)	kzalloc(size, flags)
#define kcalloc(n, size, flags)	kzalloc((n) * (size), flags)
#define kmalloc_array(n, size, flags)	kzalloc((n) * (size), flags)
#define list_empty(l)		((l)->next == (l))
#define list_first_entry(l, type, member)	list_entry((l)->next, type, member)
#define list_is_singular(l)	(!list_empty(l) && (l)->next == (l)->prev)

#define pr_debug(...)		mock_log(__VA_ARGS__)
#define pr_info_once(...)	mock_log(__VA_ARGS__)
#define pr_warn_once(...)	mock_log(__VA_ARGS__)
#define pr_err_once(...)	mock_log(__VA_ARGS__)
#define pr_info_ratelimited(...)	mock_log(__VA_ARGS__)
#define pr_notice_ratelimited(...)	mock_log(__VA_ARGS__)
#define pr_warn_ratelimited(...)	mock_log(__VA_ARGS__)
#define pr_err_ratelimited(...)	mock_log(__VA_ARGS__)
#define pci_info(pdev, ...)	pci_notice(pdev, __VA_ARGS__)
#define pci_warn(pdev, ...)	pci_notice(pdev, __VA_ARGS__)
#define pci_err(pdev, ...)	pci_notice(pdev, __VA_ARGS__)

#define raw_smp_processor_id()	smp_processor_id()
#define get_cpu()		smp_processor_id()
#define put_cpu()		((void)0)
#define preempt_disable()	((void)0)
#define preempt_enable()	((void)0)
#define topology_logical_package_id(cpu)	topology_physical_package_id(cpu)
#define topology_sibling_cpumask(cpu)	mock_sibling_mask(cpu)
#define topology_die_cpumask(cpu)	mock_core_mask(cpu)
#define cpu_to_node(cpu)	topology_physical_package_id(cpu)
#define num_online_cpus()	((unsigned int)__builtin_popcountl(mock_online))
#define cpumask_test_cpu(cpu, mask)	(!!((mask)[0] & BIT(cpu)))
#define cpumask_clear_cpu(cpu, mask)	((mask)[0] &= ~BIT(cpu))

static inline unsigned long mock_sibling_mask(unsigned int cpu)
{
	unsigned long mask = 0;
	unsigned int i;

	for_each_online_cpu(i) {
		if (mock_package[i] == mock_package[cpu] &&
		    mock_die[i] == mock_die[cpu] && mock_core[i] == mock_core[cpu])
			mask |= BIT(i);
	}
	return mask;
}

#define atomic_set(a, x)	((void)((a)->v = (x)))
#define atomic_add(x, a)	((void)((a)->v += (x)))
#define atomic_inc_return(a)	(++(a)->v)
#define atomic_dec_return(a)	(--(a)->v)
#define atomic_dec_and_test(a)	(!--(a)->v)
#define atomic_xchg(a, x)	xchg(&(a)->v, x)
#define atomic_long_inc(a)	((void)(a)->v++)
#define atomic_long_dec(a)	((void)(a)->v--)
#define atomic_long_sub(x, a)	((void)((a)->v -= (x)))
#define atomic_long_xchg(a, x)	xchg(&(a)->v, x)
#define local64_inc(l)		local64_add(1, l)
#define local64_dec(l)		local64_sub(1, l)
#define local64_xchg(l, x)	xchg(&(l)->a.a.v, x)
#define cmpxchg(p, old, new)	__sync_val_compare_and_swap(p, old, new)
#define ms_to_ktime(ms)		((ktime_t)(ms) * NSEC_PER_MSEC)
#define ktime_add_ns(t, ns)	((t) + (ns))
#define ktime_sub(a, b)		((a) - (b))
#define ktime_to_ns(t)		(t)

#define NOTIFY_BAD		0x8002
#define NOTIFY_STOP		0x8001
#define PM_RESTORE_PREPARE	5
#define PM_POST_RESTORE		6
#define PCI_FUNC(devfn)		((devfn) & 7)
#define PERF_ATTACH_CONTEXT	1
#define PERF_EF_RELOAD		2
#define PERF_PMU_CAP_NO_NMI	0x02
#define ARCH_PERFMON_EVENTSEL_EDGE	0x40000u
#define ARCH_PERFMON_EVENTSEL_PIN_CONTROL	0x80000u
#define ARCH_PERFMON_EVENTSEL_INT	0x100000u
#define ARCH_PERFMON_EVENTSEL_ANY	0x200000u
#define ARCH_PERFMON_EVENTSEL_INV	0x800000u
#define ARCH_PERFMON_EVENTSEL_CMASK	0xff000000u
#define MSR_OFFCORE_RSP_1	0x1a7
#define INTEL_IVYBRIDGE_X	62
#define INTEL_HASWELL_X		63

#endif
