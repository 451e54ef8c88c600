// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mock kernel of the host-side unit tests: one thread plays all CPUs. Functions do what Linux
 * 6.1's do, and report what the kernel would crash on or lockdep would report.
 */
#include <stdarg.h>

#include "kernel.h"
#include "fuzzing/fuzz.h"

/* What perf.c does otherwise */
unsigned int mock_attach;
bool mock_no_hes;
struct perf_event *mock_parent;
int mock_core_pmu;
u64 mock_core_config1;

unsigned int faults, mock_cpu, mock_calls, mock_fail_at;
unsigned long mock_online, mock_present;
int mock_package[MOCK_CPUS], mock_die[MOCK_CPUS], mock_core[MOCK_CPUS];
int mock_irqs_off, mock_locks, mock_mutexes;
bool mock_intel, mock_virtual;
unsigned long mock_isolated[2];
u64 mock_capabilities;
u64 mock_cycles;
struct cpuinfo_x86 boot_cpu_data;
struct module mock_module;

struct hooks hooks;
s64 mock_interval;

static char log_text[1 << 16];
static unsigned int allocated;

void fault(const char *fmt, ...)
{
	va_list ap;

	if (faults++ > 10)
		return;
	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (fuzzing)
		fuzz_found();
}

void mock_log(const char *fmt, ...)
{
	size_t len = strlen(log_text);
	va_list ap;

	if (hooks.logged)
		hooks.logged(fmt);
	va_start(ap, fmt);
	vsnprintf(log_text + len, sizeof(log_text) - len, fmt, ap);
	va_end(ap);
}

bool log_has(const char *text)
{
	return strstr(log_text, text);
}

void log_clear(void)
{
	log_text[0] = 0;
}

bool mock_fails(void)
{
	return ++mock_calls == mock_fail_at;
}

/* Memory */
void *kzalloc(size_t size, int flags)
{
	mock_point(&mock_calls, false);
	if (mock_fails())
		return NULL;
	allocated++;
	return calloc(1, size);
}

void kfree(const void *p)
{
	if (!p)
		return;
	allocated--;
	free((void *)p);
}

bool zalloc_cpumask_var(cpumask_var_t *mask, int flags)
{
	if (mock_fails())
		return false;
	allocated++;
	(*mask)[0] = 0;
	return true;
}

void free_cpumask_var(cpumask_var_t mask)
{
	allocated--;
}

/* Processors */
unsigned long mock_core_mask(unsigned int cpu)
{
	unsigned long mask = 0;
	unsigned int i;

	for_each_online_cpu(i) {
		if (mock_package[i] == mock_package[cpu])
			mask |= BIT(i);
	}
	return mask;
}

unsigned int mock_possible_cpu(unsigned int cpu)
{
	if (cpu >= MOCK_CPUS)
		fault("CPU %u is put into a mask", cpu);
	return cpu;
}

/* cpu_hotplug_lock: a writer that waits keeps readers from it. */
static int cpus_locked;
static bool cpus_writer;

static bool no_writer(void *none)
{
	return !cpus_writer;
}

static bool no_reader(void *none)
{
	return !cpus_locked;
}

void cpus_read_lock(void)
{
	explore_wait(no_writer, &cpus_locked, "cpus_read_lock()");
	cpus_locked++;
}

void cpus_read_unlock(void)
{
	if (--cpus_locked < 0)
		fault("cpus_read_unlock() without a lock");
}

static void cpus_write_lock(void)
{
	explore_wait(no_writer, &cpus_locked, "cpus_write_lock()");
	cpus_writer = true;
	explore_wait(no_reader, &cpus_locked, "cpus_write_lock()");
}

static void cpus_write_unlock(void)
{
	cpus_writer = false;
}

extern char __start_mock_section[];
static char percpu[MOCK_CPUS][1 << 12] __attribute__((aligned(64)));

void *mock_percpu(const void *p, unsigned int cpu)
{
	size_t at = (const char *)p - __start_mock_section;

	if (cpu >= MOCK_CPUS || at >= sizeof(percpu[0])) {
		fault("CPU %u has no variables", cpu);
		abort();
	}
	return percpu[cpu] + at;
}

/* CPU hotplug callbacks of the driver */
static struct hotplug {
	int (*up)(unsigned int cpu), (*down)(unsigned int cpu);
	bool set;
} prepare, online;

static struct hotplug *hotplug_of(enum cpuhp_state state)
{
	return state == CPUHP_BP_PREPARE_DYN ? &prepare : &online;
}

int cpuhp_setup_state(enum cpuhp_state state, const char *name,
		      int (*up)(unsigned int cpu), int (*down)(unsigned int cpu))
{
	struct hotplug *h = hotplug_of(state);
	unsigned int cpu, from = mock_cpu;
	int ret = state + 40;

	if (mock_fails())
		return -ENOMEM;
	cpus_read_lock();
	*h = (struct hotplug){ .up = up, .down = down, .set = true };
	for_each_online_cpu(cpu) {
		if (h == &online)
			mock_cpu = cpu;
		if (ret >= 0 && up && up(cpu))
			ret = -ENOMEM;
	}
	mock_cpu = from;
	if (ret < 0)
		h->set = false;
	cpus_read_unlock();
	return ret;
}

void cpuhp_remove_state_nocalls(enum cpuhp_state state)
{
	struct hotplug *h = hotplug_of(state - 40);

	cpus_read_lock();
	if (!h->set || (state != CPUHP_AP_ONLINE_DYN + 40 && state != CPUHP_BP_PREPARE_DYN + 40))
		fault("another CPU state is removed");
	*h = (struct hotplug){ .set = false };
	cpus_read_unlock();
}

void cpuhp_remove_state(enum cpuhp_state state)
{
	struct hotplug *h = hotplug_of(state - 40);
	unsigned int cpu, from = mock_cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (h == &online)
			mock_cpu = cpu;
		if (h->down)
			h->down(cpu);
	}
	mock_cpu = from;
	cpus_read_unlock();
	cpuhp_remove_state_nocalls(state);
}

/* Locks */
void raw_spin_lock_init(raw_spinlock_t *lock)
{
	*lock = (raw_spinlock_t){ .ready = true };
}

static bool spin_free(void *lock)
{
	return !((raw_spinlock_t *)lock)->held;
}

void raw_spin_lock(raw_spinlock_t *lock)
{
	if (!lock->ready)
		fault("a lock that was not set up");
	if (!mock_irqs_off)
		fault("a lock is taken with interrupts on");
	if (lock->held && (!exploring || lock->owner == explore_self()))
		fault("a lock is taken twice");
	explore_wait(spin_free, lock, "raw_spin_lock()");
	lock->held = true;
	lock->owner = explore_self();
	mock_locks++;
}

void raw_spin_unlock(raw_spinlock_t *lock)
{
	if (!lock->held || (exploring && lock->owner != explore_self()))
		fault("a lock is given back that nobody holds");
	if (!mock_irqs_off)
		fault("interrupts come before a lock is given back");
	lock->held = false;
	mock_locks--;
}

static bool mutex_free(void *m)
{
	return !((struct mutex *)m)->held;
}

void mutex_lock(struct mutex *m)
{
	if (mock_irqs_off)
		fault("a mutex is taken with interrupts off");
	if (m->held && (!exploring || m->owner == explore_self()))
		fault("a mutex is taken twice");
	explore_wait(mutex_free, m, "mutex_lock()");
	m->held = true;
	m->owner = explore_self();
	mock_mutexes++;
}

bool mock_holds_mutex(void)
{
	return mock_mutexes;
}

void mutex_unlock(struct mutex *m)
{
	if (!m->held || (exploring && m->owner != explore_self()))
		fault("a mutex is given back that nobody holds");
	m->held = false;
	mock_mutexes--;
}

bool atomic_long_try_cmpxchg(atomic_long_t *a, long *old, long new)
{
	mock_point(a, true);
	if (hooks.race)
		hooks.race();
	if (a->v != *old) {
		*old = a->v;
		return false;
	}
	a->v = new;
	return true;
}

void local64_add(long x, local64_t *l)
{
	long was;

	mock_point(l, true);
	was = l->a.a.v;
	if (exploring)
		explore_other_cpus(l);
	l->a.a.v = was + x;
}

s64 local64_cmpxchg(local64_t *l, s64 old, s64 new)
{
	s64 was;

	mock_point(l, true);
	if (hooks.race)
		hooks.race();
	was = l->a.a.v;
	if (was == old)
		l->a.a.v = new;
	return was;
}

unsigned int mock_cores, mock_threads;

void cpuid_count(unsigned int leaf, unsigned int sub, unsigned int *eax,
		 unsigned int *ebx, unsigned int *ecx, unsigned int *edx)
{
	/* Bits 3:0 of an APIC ID are below the package's number. */
	*eax = leaf == 0xb && mock_cores && sub ? 4 : 0;
	*ecx = 0;
	*edx = 0;
	*ebx = leaf != 0xb || !mock_cores ? 0 : sub ? mock_threads * mock_cores : mock_threads;
}

static struct syscore_ops *sleeper;

void register_syscore_ops(struct syscore_ops *ops)
{
	sleeper = ops;
}

void unregister_syscore_ops(struct syscore_ops *ops)
{
	if (sleeper != ops)
		fault("other syscore ops go");
	sleeper = NULL;
}

void mock_suspend(void)
{
	mock_irqs_off++;
	mock_cpu = mock_first(mock_online);
	if (sleeper)
		sleeper->suspend();
	mock_irqs_off--;
}

void mock_resume(void)
{
	mock_irqs_off++;
	if (sleeper)
		sleeper->resume();
	mock_irqs_off--;
}

/* Modules and drivers */
static unsigned int printed, most;

/* Since 6.16, a changed limit applies when the interval begins again. */
bool __ratelimit(struct ratelimit_state *limit)
{
	if (limit->interval != 5 * HZ)
		fault("lines are counted over %d jiffies", limit->interval);
	if (!printed)
		most = limit->burst;
	return printed++ < most;
}

void ratelimit_state_reset_interval(struct ratelimit_state *limit, int interval)
{
	limit->interval = interval;
	printed = 0;
}

void mock_window(void)
{
	printed = 0;
}

/* The one parameter whose setter is the driver's */
extern const struct kernel_param mock_param;

int kstrtoint(const char *s, unsigned int base, int *res)
{
	char *end;
	long long n;

	errno = 0;
	n = strtoll(s, &end, base);
	if (end == s || *end)
		return -EINVAL;
	if (errno || n < INT_MIN || n > INT_MAX)
		return -ERANGE;
	*res = n;
	return 0;
}

int mock_set_param(const char *name, const char *val)
{
	if (strcmp(mock_param.name, name))
		return -ENOENT;
	return mock_param.ops->set(val, &mock_param);
}

static struct notifier_block *notifier;
static unsigned int notifying;

static bool none_notified(void *none)
{
	return !notifying;
}

int register_module_notifier(struct notifier_block *nb)
{
	if (mock_fails())
		return -ENOMEM;
	explore_wait(none_notified, &notifying, "register_module_notifier()");
	notifier = nb;
	return 0;
}

void unregister_module_notifier(struct notifier_block *nb)
{
	if (notifier != nb)
		fault("another notifier goes");
	explore_wait(none_notified, &notifying, "unregister_module_notifier()");
	notifier = NULL;
}

int mock_module_event(const char *name, unsigned long action)
{
	struct module module = { .name = name };
	int ret;

	mock_point(&notifying, true);
	notifying++;
	ret = notifier ? notifier->notifier_call(notifier, action, &module) : 0;
	notifying--;
	return ret;
}

struct device_driver *driver_find(const char *name, struct bus_type *bus)
{
	static struct device_driver intel;

	mock_point(&mock_intel, false);
	return mock_intel && !strcmp(name, "snbep_uncore") ? &intel : NULL;
}

struct bus_type {
	int none;
} pci_bus_type;

const struct x86_cpu_id *x86_match_cpu(const struct x86_cpu_id *ids)
{
	for (; ids->model; ids++) {
		if (boot_cpu_data.x86_vendor == X86_VENDOR_INTEL && boot_cpu_data.x86 == 6 &&
		    ids->model == boot_cpu_data.x86_model + 1)
			return ids;
	}
	return NULL;
}

/* Files */
int sysfs_emit_at(char *buf, int at, const char *fmt, ...)
{
	unsigned long mask;
	int len = 0, i;
	va_list ap;

	buf += at;
	va_start(ap, fmt);
	if (strncmp(fmt, "%*pbl", 5)) {
		len = vsnprintf(buf, 4096 - at, fmt, ap);
	} else {
		(void)va_arg(ap, int);
		mask = *va_arg(ap, unsigned long *);
		/* Also bits of CPUs that do not exist: they have to be 0. */
		for (i = 0; i < 8 * (int)sizeof(mask); i++) {
			if (mask & BIT(i))
				len += sprintf(buf + len, "%s%d", len ? "," : "", i);
		}
		len += sprintf(buf + len, "%s", fmt + 5);
	}
	va_end(ap);
	return len;
}

int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return len < (int)size ? len : (int)size - 1;
}

static void take_offline(unsigned int cpu)
{
	mock_online &= ~BIT(cpu);
	mock_move_timers(cpu);
	explore_move_tasks(cpu, mock_first(mock_online));
}

void mock_cpu_down(unsigned int cpu)
{
	mock_cpu = cpu;
	mock_point(NULL, true);
	if (online.down)
		online.down(cpu);
	mock_perf_cpu_down(cpu);
	explore_stop_machine(take_offline, cpu);
	mock_cpu = mock_first(mock_online);
	if (prepare.down)
		prepare.down(cpu);
}

void mock_cpu_stays(unsigned int cpu, void (*meanwhile)(unsigned int cpu))
{
	mock_cpu = cpu;
	mock_point(NULL, true);
	if (online.down)
		online.down(cpu);
	mock_point(NULL, true);
	if (meanwhile)
		meanwhile(cpu);
	mock_cpu = cpu;
	if (online.up)
		online.up(cpu);
}

void mock_cpu_up(unsigned int cpu)
{
	if (prepare.up && prepare.up(cpu))
		return;
	mock_online |= BIT(cpu);
	mock_cpu = cpu;
	if (hooks.arriving)
		hooks.arriving();
	mock_cpu = cpu;
	mock_point(&mock_online, true);
	mock_perf_cpu_online(cpu);
	if (!online.up || !online.up(cpu))
		return;
	mock_online &= ~BIT(cpu);
	mock_cpu = mock_first(mock_online);
}

void explore_cpu_down(unsigned int cpu)
{
	cpus_write_lock();
	if (cpu_online(cpu) && mock_online != BIT(cpu))
		mock_cpu_down(cpu);
	cpus_write_unlock();
}

/* perf has removed the CPU's events. */
static void late_return(unsigned int cpu)
{
	mock_perf_cpu_down(cpu);
	mock_perf_cpu_online(cpu);
}

void explore_cpu_stays(unsigned int cpu, bool late)
{
	cpus_write_lock();
	if (cpu_online(cpu) && mock_online != BIT(cpu))
		mock_cpu_stays(cpu, late ? late_return : NULL);
	cpus_write_unlock();
}

void explore_cpu_up(unsigned int cpu)
{
	cpus_write_lock();
	if (!cpu_online(cpu))
		mock_cpu_up(cpu);
	cpus_write_unlock();
}

/* Suspend to RAM: tasks are frozen, and all CPUs but the first are offline. */
void explore_suspend(void (*asleep)(void))
{
	unsigned long was;
	unsigned int cpu;

	explore_freeze(true);
	cpus_write_lock();
	was = mock_online;
	for (cpu = MOCK_CPUS; cpu--;) {
		if ((was & BIT(cpu)) && cpu != mock_first(was))
			mock_cpu_down(cpu);
	}
	mock_cpu = mock_first(was);
	mock_point(NULL, true);
	mock_irqs_off++;
	explore_unsettle(NULL);
	if (sleeper)
		sleeper->suspend();
	asleep();
	if (sleeper)
		sleeper->resume();
	mock_irqs_off--;
	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (was & ~mock_online & BIT(cpu))
			mock_cpu_up(cpu);
	}
	cpus_write_unlock();
	explore_freeze(false);
}

static unsigned int module_users;
static bool module_goes;

bool mock_module_get(void)
{
	mock_point(&module_users, true);
	module_users += !module_goes;
	return !module_goes;
}

void mock_module_put(void)
{
	module_users--;
}

void explore_load(void)
{
	module_goes = mock_init();
}

bool explore_unload(void)
{
	mock_point(&module_users, true);
	if (module_users || module_goes)
		return false;
	module_goes = true;
	mock_exit();
	return true;
}

bool mock_module_gone(void)
{
	return module_goes;
}

void mock_explore_begin(u64 (*rate)(const struct perf_event *event))
{
	cpus_locked = 0;
	cpus_writer = false;
	module_users = 0;
	module_goes = false;
	mock_perf_explore_begin(rate);
}

void mock_reset(void)
{
	unsigned int i;

	for (i = 0; i < MOCK_CPUS; i++) {
		mock_package[i] = i / 2;
		mock_die[i] = 0;
		mock_core[i] = 0;
	}
	mock_online = BIT(MOCK_CPUS) - 1;
	mock_present = mock_online;
	mock_cpu = 0;
	mock_calls = 0;
	mock_fail_at = 0;
	mock_capabilities = BIT_ULL(CAP_PERFMON);
	printed = 0;
	mock_intel = false;
	mock_virtual = false;
	memset(mock_isolated, 0, sizeof(mock_isolated));
	mock_cores = 8;
	mock_threads = 2;
	boot_cpu_data = (struct cpuinfo_x86){ X86_VENDOR_INTEL, 6, 45,
					      "GenuineIntel" };
	log_clear();
	memset(percpu, 0, sizeof(percpu));
	memset(&hooks, 0, sizeof(hooks));
	mock_interval = 60 * NSEC_PER_SEC;
	mock_core_pmu = -ENOENT;
	machine_reset();
}

void mock_check_left(void)
{
	if (allocated)
		fault("%u allocations are left", allocated);
	mock_perf_check_left();
	if (mock_mutexes || mock_irqs_off || cpus_locked || cpus_writer)
		fault("a lock is left");
	if (notifier || sleeper || prepare.set || online.set)
		fault("something is registered still");
	mock_irq_check_left();
	allocated = 0;
	notifier = NULL;
	sleeper = NULL;
	prepare.set = false;
	online.set = false;
	mock_irqs_off = 0;
	machine_check_left();
}
