// SPDX-License-Identifier: GPL-2.0-only
/* The mock perf core of the host-side unit tests: PMUs, events and groups, on kernel.c's CPUs */
#include <stdarg.h>

#include "files.h"
#include "kernel.h"

/* perf's PMUs and their events */
#define MAX_PMUS	32
#define MAX_EVENTS	64

static struct registered {
	struct pmu *pmu;
	struct mock_files files;
	bool no_interval;	/* its file of that name was removed */
	unsigned int off[MOCK_CPUS];	/* depth of pmu_disable() */
} pmus[MAX_PMUS];
static struct perf_event *events[MAX_EVENTS];
static unsigned int kernel_events;

static DEFINE_PER_CPU(struct perf_cpu_pmu_context, rotations)[MAX_PMUS];

static struct registered *find(const struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < MAX_PMUS; i++) {
		if (pmus[i].pmu == pmu)
			return &pmus[i];
	}
	return NULL;
}

int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	struct registered *r;
	unsigned int cpu;

	if (mock_holds_mutex() || mock_irqs_off)
		fault("a PMU is registered under a lock");
	if (find(pmu) || mock_pmu(name))
		fault("%s is registered twice", name);
	mock_point(&pmu->name, true);
	r = find(NULL);
	if (mock_fails())
		return -ENOMEM;
	*r = (struct registered){ .pmu = pmu, .files.dev.data = pmu };
	pmu->cpu_pmu_context = &rotations[r - pmus];
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(pmu->cpu_pmu_context, cpu), 0, sizeof(*pmu->cpu_pmu_context));
	pmu->name = name;
	pmu->dev = &r->files.dev;
	pmu->type = type >= 0 ? type : 100 + (r - pmus);
	mock_files_ask(&r->files, r->pmu);
	if (hooks.registering)
		hooks.registering(pmu);
	return 0;
}

/*
 * An event could not be scheduled: perf starts this CPU's multiplexing hrtimer, unless
 * it is active. Here it never expires, but migrates to another CPU as the kernel's do.
 */
static void rotate(struct pmu *pmu, unsigned int cpu)
{
	struct perf_cpu_pmu_context *rotation = per_cpu_ptr(pmu->cpu_pmu_context, cpu);

	rotation->hrtimer.set = true;
	rotation->hrtimer.cpu = cpu;
}

/* Somebody writes the interval at any time: perf starts the timers of all CPUs. */
static void write_interval(struct pmu *pmu)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		rotate(pmu, cpu);
}

/* Waits for the last one who writes. */
void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr)
{
	struct registered *r = container_of(kobj, struct registered, files.dev.kobj);

	if (!find(r->pmu) || strcmp(attr->name, "perf_event_mux_interval_ms")) {
		fault("%s is removed", attr->name);
		return;
	}
	write_interval(r->pmu);
	r->no_interval = true;
}

static bool no_reader(void *readers)
{
	return !*(unsigned int *)readers;
}

void perf_pmu_unregister(struct pmu *pmu)
{
	struct registered *r = find(pmu);
	unsigned int cpu;

	if (!r) {
		fault("a PMU goes that is not there");
		return;
	}
	if (!r->no_interval)
		write_interval(pmu);
	for_each_possible_cpu(cpu) {
		struct perf_cpu_pmu_context *rotation = per_cpu_ptr(pmu->cpu_pmu_context, cpu);

		if (rotation->hrtimer.set)
			fault("perf's timer of CPU %u is set as its memory goes", cpu);
	}
	explore_wait(no_reader, &r->files.readers, "device_del()");
	r->pmu = NULL;
	pmu->cpu_pmu_context = NULL;
}

struct pmu *mock_pmu(const char *name)
{
	unsigned int i;

	for (i = 0; i < MAX_PMUS; i++) {
		if (pmus[i].pmu && !strcmp(pmus[i].pmu->name, name))
			return pmus[i].pmu;
	}
	return NULL;
}

struct mock_files *mock_files_of(const struct pmu *pmu)
{
	return &find(pmu)->files;
}

unsigned int mock_nr_pmus(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < MAX_PMUS; i++)
		n += !!pmus[i].pmu;
	return n;
}

static void unsettle(const struct pmu *pmu, int cpu)
{
	unsigned int i;

	for (i = 0; events[i]; i++) {
		if ((!pmu || events[i]->pmu == pmu) && (cpu < 0 || events[i]->cpu == cpu))
			events[i]->settled = false;
	}
}

void mock_disable(struct pmu *pmu, unsigned int cpu)
{
	struct registered *r = find(pmu);

	mock_cpu = cpu;
	mock_irqs_off++;
	if (!r->off[cpu]++) {
		unsettle(pmu, cpu);
		if (pmu->pmu_disable)
			pmu->pmu_disable(pmu);
	}
	mock_irqs_off--;
}

static u64 (*rate_now)(const struct perf_event *event);

/* All that was added and removed has taken effect. */
static void settle(struct pmu *pmu, unsigned int cpu)
{
	unsigned int i;

	for (i = 0; events[i]; i++) {
		if (events[i]->pmu == pmu && events[i]->cpu == (int)cpu) {
			events[i]->counting = events[i]->on;
			events[i]->settled = events[i]->on && rate_now && rate_now(events[i]);
		}
	}
}

void mock_enable(struct pmu *pmu, unsigned int cpu)
{
	struct registered *r = find(pmu);

	mock_cpu = cpu;
	mock_irqs_off++;
	if (!--r->off[cpu]) {
		if (pmu->pmu_enable)
			pmu->pmu_enable(pmu);
		settle(pmu, cpu);
	}
	mock_irqs_off--;
}

static bool of_pmu(const struct perf_event *event)
{
	return event->pmu->event_init;
}

/*
 * The contract of linux/perf_event.h: a started event has no bit in hw.state; a
 * stopped or deleted one has PERF_HES_STOPPED and PERF_HES_UPTODATE; PERF_HES_ARCH is the driver's.
 */
static void check_state(const struct perf_event *event, int want)
{
	int state = want ? event->hw.state & ~PERF_HES_ARCH : event->hw.state;

	if (!mock_no_hes && state != want)
		fault("event %#llx: hw.state is %d, not %d",
		      (unsigned long long)event->attr.config, event->hw.state,
		      want);
}

static int add(struct perf_event *event)
{
	int ret = 0;

	if (of_pmu(event)) {
		mock_disable(event->pmu, event->cpu);
		mock_irqs_off++;
		event->oncpu = event->cpu;
		event->counting = true;
		mock_point(&event->oncpu, true);
		ret = event->pmu->add(event, PERF_EF_START);
		if (ret)
			event->oncpu = -1;
		mock_irqs_off--;
		if (ret && ret != -EAGAIN && ret != -ENODEV)
			fault("an event is not added: %d", ret);
		if (!ret)
			check_state(event, 0);
		mock_enable(event->pmu, event->cpu);
		if (ret)
			rotate(event->pmu, event->cpu);
	}
	event->on = !ret;
	return ret;
}

static void del(struct perf_event *event)
{
	if (!event->on)
		return;
	if (!of_pmu(event)) {
		event->on = false;
		return;
	}
	event->settled = false;
	mock_disable(event->pmu, event->cpu);
	event->on = false;
	mock_irqs_off++;
	event->pmu->del(event, 0);
	check_state(event, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	mock_point(&event->oncpu, true);
	event->oncpu = -1;
	mock_irqs_off--;
	mock_enable(event->pmu, event->cpu);
}

bool mock_sched_in(struct perf_event *leader)
{
	int i, ret;

	if (leader->on)
		return true;
	if (!cpu_online(leader->cpu))
		return false;
	mock_cpu = leader->cpu;
	mock_irqs_off++;
	if (of_pmu(leader))
		mock_disable(leader->pmu, leader->cpu);
	ret = add(leader);
	for (i = 0; !ret && i < leader->nr_siblings; i++)
		ret = add(leader->sibling[i]);
	for (i = 0; ret && i < leader->nr_siblings; i++)
		del(leader->sibling[i]);
	if (ret)
		del(leader);
	if (of_pmu(leader))
		mock_enable(leader->pmu, leader->cpu);
	mock_irqs_off--;
	return !ret;
}

void mock_start(struct perf_event *event)
{
	mock_cpu = event->cpu;
	mock_irqs_off++;
	event->pmu->start(event, 0);
	check_state(event, 0);
	mock_irqs_off--;
}

void mock_stop(struct perf_event *event)
{
	mock_cpu = event->cpu;
	mock_irqs_off++;
	event->pmu->stop(event, 0);
	check_state(event, PERF_HES_STOPPED | PERF_HES_UPTODATE);
	mock_irqs_off--;
}

void mock_throttle(struct perf_event *event, bool throttle)
{
	mock_cpu = event->cpu;
	mock_irqs_off++;
	if (throttle)
		event->pmu->stop(event, 0);
	else
		event->pmu->start(event, 0);
	check_state(event, 0);
	mock_irqs_off--;
}

void mock_sched_out(struct perf_event *leader)
{
	int i;

	if (!leader->on)
		return;
	if (of_pmu(leader))
		mock_disable(leader->pmu, leader->cpu);
	del(leader);
	for (i = 0; i < leader->nr_siblings; i++)
		del(leader->sibling[i]);
	if (of_pmu(leader))
		mock_enable(leader->pmu, leader->cpu);
}

/* perf holds the leader's ctx->mutex while a member is opened, and none for a leader. */
int mock_event_init(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	int err;

	leader->ctx_locked = leader != event;
	err = event->pmu->event_init(event);
	leader->ctx_locked = false;
	return err;
}

static struct perf_event *new_event(struct pmu *pmu, const struct perf_event_attr *attr, int cpu,
				    struct perf_event *leader)
{
	struct perf_event *event = calloc(1, sizeof(*event));

	event->attr = *attr;
	event->pmu = pmu;
	event->cpu = cpu;
	event->oncpu = -1;
	event->group_leader = leader ?: event;
	event->parent = mock_parent;
	event->attach_state = mock_attach;
	event->hw.sample_period = attr->freq ? 1 : attr->sample_period;
	event->hw.last_period = event->hw.sample_period;
	event->hw.period_left.a.a.v = event->hw.sample_period;
	if (pmu->event_init)
		event->attr.type = pmu->type;
	return event;
}

/* perf_event_alloc() */
struct perf_event *mock_alloc(struct pmu *pmu, const struct perf_event_attr *attr, int cpu,
			      struct perf_event *leader, int *err)
{
	struct perf_event *event = new_event(pmu, attr, cpu, leader);
	unsigned int i;

	if (pmu->event_init) {
		*err = mock_event_init(event);
		if (*err) {
			free(event);
			return NULL;
		}
	} else {
		/* Another PMU's event: its hw is not the driver's to read. */
		for (i = 0; i < sizeof(event->hw) / 2; i++)
			((u16 *)&event->hw)[i] = 1;
	}
	*err = 0;
	return event;
}

/* perf_event_open() after find_get_context(): NULL if the CPU or the group has moved */
struct perf_event *mock_install(struct perf_event *event, int *err)
{
	struct perf_event *leader = event->group_leader == event ? NULL : event->group_leader;
	bool was_on = leader && leader->on;
	unsigned int i;

	if (of_pmu(event) && (unsigned int)event->cpu >= MOCK_CPUS)
		fault("an event is for CPU %d", event->cpu);
	*err = !of_pmu(event) ? 0 :
	       !cpu_online(event->cpu) && !(event->attach_state & PERF_ATTACH_TASK) ? -ENODEV :
	       leader && leader->cpu != event->cpu ? -EINVAL : 0;
	if (*err) {
		if (event->destroy)
			event->destroy(event);
		free(event);
		return NULL;
	}
	event->ctx = (void *)&events;
	event->attach_state |= PERF_ATTACH_GROUP;
	if (leader) {
		/* perf deletes the whole group and adds it again, with the PMU disabled. */
		if (of_pmu(leader))
			mock_disable(leader->pmu, leader->cpu);
		mock_sched_out(leader);
		leader->sibling[leader->nr_siblings++] = event;
		if (was_on)
			mock_sched_in(leader);
		if (of_pmu(leader))
			mock_enable(leader->pmu, leader->cpu);
	}
	for (i = 0; events[i]; i++)
		;
	events[i] = event;
	return event;
}

struct perf_event *mock_open(struct pmu *pmu, const struct perf_event_attr *attr,
			     int cpu, struct perf_event *leader, int *err)
{
	struct perf_event *event = mock_alloc(pmu, attr, cpu, leader, err);

	return event ? mock_install(event, err) : NULL;
}

static void detach(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	int i, j;

	event->attached = false;
	del(event);
	for (i = 0, j = 0; leader != event && i < leader->nr_siblings; i++) {
		if (leader->sibling[i] != event)
			leader->sibling[j++] = leader->sibling[i];
	}
	if (leader != event)
		leader->nr_siblings = j;
}

static void forget(struct perf_event *event)
{
	unsigned int i;

	for (i = 0; events[i] != event; i++)
		;
	for (; events[i]; i++)
		events[i] = events[i + 1];
}

void mock_close(struct perf_event *event)
{
	while (event->group_leader == event && event->nr_siblings)
		mock_close(event->sibling[event->nr_siblings - 1]);
	detach(event);
	if (event->destroy)
		event->destroy(event);
	forget(event);
	free(event);
}

void mock_read(struct perf_event *event, unsigned int cpu)
{
	mock_cpu = cpu;
	mock_irqs_off++;
	if (event->on && of_pmu(event))
		event->pmu->read(event);
	mock_irqs_off--;
}

void mock_read_group(struct perf_event *leader, unsigned int cpu)
{
	int i;

	mock_read(leader, cpu);
	for (i = 0; i < leader->nr_siblings; i++)
		mock_read(leader->sibling[i], cpu);
}

/* The core PMU only accepts or refuses events here. */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 void *task, void *handler, void *context)
{
	struct perf_event *event;

	if (attr->type != PERF_TYPE_RAW || !cpu_online(cpu))
		fault("an event of type %u on CPU %d", attr->type, cpu);
	mock_core_config1 = attr->config1;
	if (mock_core_pmu)
		return ERR_PTR(mock_core_pmu);
	kernel_events++;
	event = calloc(1, sizeof(*event));
	event->attr = *attr;
	return event;
}

int perf_event_release_kernel(struct perf_event *event)
{
	kernel_events--;
	free(event);
	return 0;
}

static void migrate_context(struct pmu *pmu, unsigned int from, unsigned int to);

void perf_pmu_migrate_context(struct pmu *pmu, int from, int to)
{
	struct perf_event *moving[MAX_EVENTS];
	unsigned int i, j, n = 0;

	if (mock_irqs_off)
		fault("events migrate with interrupts off");
	if (to < 0 || to >= MOCK_CPUS || !cpu_online(to) || !cpu_online(from))
		fault("events migrate from CPU %d to %d", from, to);
	if (exploring) {
		migrate_context(pmu, from, to);
		return;
	}
	for (i = 0; events[i]; i++) {
		if (events[i]->pmu == pmu && events[i]->cpu == from &&
		    events[i]->group_leader == events[i] && events[i]->on)
			moving[n++] = events[i];
	}
	/* In reverse order */
	while (i--) {
		if (events[i]->pmu == pmu && events[i]->cpu == from)
			del(events[i]);
	}
	for (i = 0; events[i]; i++) {
		if (events[i]->pmu == pmu && events[i]->cpu == from)
			events[i]->cpu = to;
	}
	for (i = 0; i < n; i++) {
		/* It may have been closed in the meantime. */
		for (j = 0; events[j] && events[j] != moving[i]; j++)
			;
		if (events[j] && !events[j]->disabled)
			mock_sched_in(moving[i]);
	}
	mock_cpu = from;
}

static void exit_cpu(unsigned int cpu);

/* A CPU goes offline: events that the driver did not migrate, and timers */
void mock_perf_cpu_down(unsigned int cpu)
{
	unsigned int i, other;

	for (i = 0; i < MAX_PMUS; i++) {
		for_each_possible_cpu(other) {
			struct hrtimer *timer = &per_cpu_ptr(&rotations[i], other)->hrtimer;

			if (timer->set && timer->cpu == cpu)
				timer->cpu = mock_first(mock_online & ~BIT(cpu));
		}
	}
	if (exploring) {
		exit_cpu(cpu);
		return;
	}
	for (i = 0; events[i]; i++) {
		if (events[i]->cpu == (int)cpu)
			del(events[i]);
	}
}

/*
 * perf as Linux 6.2 and later have it, for actors of the explorer: a context for each CPU, whose
 * mutex tasks hold as they open, enable, read, move or close its events, and whose spinlock is held
 * where events are added and removed. event->cpu names the context. What an NMI reads has no lock.
 */
static struct context {
	struct mutex mutex;	/* the context's events */
	bool online, locked;
} contexts[MOCK_CPUS];
static struct mutex pmus_lock;

void mock_perf_explore_begin(u64 (*rate)(const struct perf_event *event))
{
	unsigned int i;

	rate_now = rate;
	memset(contexts, 0, sizeof(contexts));
	pmus_lock = (struct mutex){ };
	for (i = 0; i < MOCK_CPUS; i++)
		contexts[i].online = cpu_online(i);
	for (i = 0; events[i]; i++) {
		events[i]->attached = true;
		events[i]->oncpu = events[i]->on ? events[i]->cpu : -1;
		mock_module_get();
	}
}

static struct context *lock_context(const struct perf_event *event)
{
	for (;;) {
		struct context *c = &contexts[event->cpu];

		mutex_lock(&c->mutex);
		if (c == &contexts[event->cpu])
			return c;
		mutex_unlock(&c->mutex);
	}
}

static bool context_unlocked(void *c)
{
	return !((struct context *)c)->locked;
}

/* Interrupts another CPU, where an event's context is locked */
struct call {
	void (*fn)(struct perf_event *event);
	struct perf_event *event;
	unsigned int cpu;
};

static void call_locked(void *arg)
{
	struct call *call = arg;
	struct context *c = &contexts[call->cpu];

	explore_wait(context_unlocked, c, "ctx->lock");
	c->locked = true;
	call->fn(call->event);
	c->locked = false;
}

static void call_on(unsigned int cpu, void (*fn)(struct perf_event *event),
		    struct perf_event *event)
{
	struct call call = { fn, event, event->cpu };

	explore_call(cpu, call_locked, &call);
}

static void sched_in(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;

	if (!leader->disabled && leader->attached)
		mock_sched_in(leader);
}

static void install(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	bool was_on = leader->on;

	event->attached = true;
	if (leader == event) {
		sched_in(event);
		return;
	}
	if (was_on)
		mock_sched_out(leader);
	leader->sibling[leader->nr_siblings++] = event;
	sched_in(leader);
}

static void out(struct perf_event *event)
{
	mock_sched_out(event->group_leader);
}

static void free_event(struct perf_event *event)
{
	if (event->destroy)
		event->destroy(event);
	mock_module_put();
	/* call_rcu(): NMIs may read it. */
	explore_grace();
	free(event);
}

struct perf_event *explore_open(const char *name, const struct perf_event_attr *attr, int cpu,
				struct perf_event *leader, bool disabled)
{
	struct pmu *pmu = mock_pmu(name);
	struct context *c = NULL;
	struct perf_event *event;
	unsigned int i;
	int err;

	if (!pmu || !mock_module_get())
		return NULL;
	event = new_event(pmu, attr, cpu, leader);
	event->disabled = disabled;
	if (leader)
		c = lock_context(leader);
	mock_point(event, true);
	err = mock_event_init(event);
	mock_point(event, true);
	if (c)
		mutex_unlock(&c->mutex);
	if (err) {
		mock_module_put();
		free(event);
		return NULL;
	}
	if ((unsigned int)event->cpu >= nr_cpu_ids) {
		fault("event_init() hands perf CPU %d of %u", event->cpu, nr_cpu_ids);
		free_event(event);
		return NULL;
	}
	/* account_event() enables a static key. */
	if (attr->context_switch) {
		cpus_read_lock();
		cpus_read_unlock();
	}
	cpu = event->cpu;
	c = &contexts[cpu];
	mutex_lock(&c->mutex);
	if (!c->online || (leader && (leader->cpu != cpu || !leader->attached))) {
		mutex_unlock(&c->mutex);
		free_event(event);
		return NULL;
	}
	event->attach_state |= PERF_ATTACH_GROUP;
	for (i = 0; events[i]; i++)
		;
	events[i] = event;
	event->cpu = cpu;
	mock_point(&event->ctx, true);
	event->ctx = (void *)c;
	call_on(cpu, install, event);
	mutex_unlock(&c->mutex);
	return event;
}

void explore_close(struct perf_event *event)
{
	struct context *c;

	while (event->nr_siblings)
		explore_close(event->sibling[event->nr_siblings - 1]);
	c = lock_context(event);
	if (event->attached)
		call_on(event->cpu, detach, event);
	forget(event);
	mutex_unlock(&c->mutex);
	free_event(event);
}

void explore_enable(struct perf_event *event, bool enable)
{
	struct context *c = lock_context(event);

	event->disabled = !enable;
	if (event->attached)
		call_on(event->cpu, enable ? sched_in : out, event);
	mutex_unlock(&c->mutex);
}

static void read_on(struct perf_event *event)
{
	if (event->on)
		event->pmu->read(event);
}

u64 explore_read(struct perf_event *event)
{
	struct context *c = lock_context(event);
	int cpu = event->oncpu;
	u64 count;

	mock_point(&event->oncpu, false);
	if (cpu >= 0) {
		if ((event->event_caps & PERF_EV_CAP_READ_ACTIVE_PKG) &&
		    mock_package[mock_cpu] == mock_package[cpu])
			cpu = mock_cpu;
		call_on(cpu, read_on, event);
	}
	count = local64_read(&event->count);
	mutex_unlock(&c->mutex);
	return count;
}

void explore_read_local(struct perf_event *event)
{
	u64 before = event->count.a.a.v;

	if (event->oncpu < 0 || !cpu_online(mock_cpu) ||
	    (event->oncpu != (int)mock_cpu &&
	     (!(event->event_caps & PERF_EV_CAP_READ_ACTIVE_PKG) ||
	      mock_package[event->oncpu] != mock_package[mock_cpu])))
		return;
	event->pmu->read(event);
	if ((s64)(event->count.a.a.v - before) < 0 || (u64)event->count.a.a.v > event->most)
		fault("an NMI reads %lld after %lld, and no more than %lld can be",
		      (long long)event->count.a.a.v, (long long)before, (long long)event->most);
}

static unsigned int events_on(struct perf_event **list, const struct pmu *pmu, unsigned int cpu)
{
	unsigned int i, n = 0;

	for (i = 0; events[i]; i++) {
		if ((!pmu || events[i]->pmu == pmu) && events[i]->cpu == (int)cpu &&
		    events[i]->attached)
			list[n++] = events[i];
	}
	return n;
}

void explore_rotate(struct pmu *pmu)
{
	struct context *c = &contexts[mock_cpu];
	struct perf_event *list[MAX_EVENTS];
	unsigned int i, n, cpu = mock_cpu;

	if (!c->online)
		return;
	mock_irqs_off++;
	explore_wait(context_unlocked, c, "ctx->lock");
	c->locked = true;
	n = events_on(list, pmu, cpu);
	mock_disable(pmu, cpu);
	for (i = 0; i < n; i++)
		mock_sched_out(list[i]->group_leader);
	for (i = n; i--;)
		sched_in(list[i]);
	mock_enable(pmu, cpu);
	c->locked = false;
	mock_irqs_off--;
}

static void migrate_context(struct pmu *pmu, unsigned int from, unsigned int to)
{
	struct perf_event *list[MAX_EVENTS];
	unsigned int i, n, pass;

	mutex_lock(&contexts[min(from, to)].mutex);
	if (from != to)
		mutex_lock(&contexts[from < to ? to : from].mutex);
	n = events_on(list, pmu, from);
	for (i = 0; i < n; i++) {
		list[i]->attached = false;
		call_on(from, del, list[i]);
	}
	explore_grace();
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < n; i++) {
			if (list[i]->group_leader == list[i] ? !pass : pass)
				continue;
			list[i]->cpu = to;
			list[i]->attached = true;
			mock_point(list[i], true);
			if (pass)
				call_on(to, sched_in, list[i]);
		}
	}
	if (from != to)
		mutex_unlock(&contexts[from < to ? to : from].mutex);
	mutex_unlock(&contexts[min(from, to)].mutex);
}

static void exit_events(void *cpu)
{
	struct context *c = &contexts[(unsigned long)cpu];
	struct perf_event *list[MAX_EVENTS];
	unsigned int n = events_on(list, NULL, (unsigned long)cpu);

	explore_wait(context_unlocked, c, "ctx->lock");
	c->locked = true;
	while (n--) {
		list[n]->attach_state &= ~PERF_ATTACH_GROUP;
		detach(list[n]);
	}
	c->locked = false;
}

static void exit_cpu(unsigned int cpu)
{
	mutex_lock(&pmus_lock);
	mutex_lock(&contexts[cpu].mutex);
	explore_call(cpu, exit_events, (void *)(unsigned long)cpu);
	contexts[cpu].online = false;
	mutex_unlock(&contexts[cpu].mutex);
	mutex_unlock(&pmus_lock);
}

void mock_perf_cpu_online(unsigned int cpu)
{
	mutex_lock(&pmus_lock);
	mutex_lock(&contexts[cpu].mutex);
	contexts[cpu].online = true;
	mutex_unlock(&contexts[cpu].mutex);
	mutex_unlock(&pmus_lock);
}

void mock_perf_count(void)
{
	unsigned int i;

	for (i = 0; events[i]; i++) {
		u64 n = events[i]->counting ? rate_now(events[i]) : 0;

		events[i]->most += n;
		if (events[i]->settled)
			events[i]->least += n;
	}
}

void explore_unsettle(const char *pmu)
{
	unsettle(pmu ? mock_pmu(pmu) : NULL, -1);
}

void explore_lose(const char *pmu)
{
	unsigned int i;

	explore_unsettle(pmu);
	for (i = 0; events[i]; i++)
		events[i]->least = 0;
}

static void check_count(const struct perf_event *event)
{
	u64 count = event->count.a.a.v;

	if (count < event->least || count > event->most)
		fault("event %#llx on CPU %d counted %lld, and it ran for %lld to %lld",
		      (unsigned long long)event->attr.config, event->cpu, (long long)count,
		      (long long)event->least, (long long)event->most);
}

/* perf retries to schedule what has a context, and then it counts. */
static void check_counts_on(struct perf_event *event, void (*tick)(void))
{
	u64 was, want;
	int i;

	mock_sched_in(event->group_leader);
	mock_read(event, event->cpu);
	want = rate_now(event);
	was = event->count.a.a.v;
	for (i = 0; i < 5; i++)
		tick();
	mock_read(event, event->cpu);
	if (!event->on || !want || event->count.a.a.v - was != 5 * want)
		fault("event %#llx on CPU %d %s", (unsigned long long)event->attr.config,
		      event->cpu, event->on ? "does not count" : "is not scheduled");
}

void explore_close_all(bool (*must_count)(const struct perf_event *event), void (*tick)(void))
{
	unsigned int i;

	for (i = 0; events[i]; i++) {
		mock_read(events[i], events[i]->cpu);
		check_count(events[i]);
	}
	for (i = 0; events[i]; i++) {
		if (!events[i]->group_leader->disabled && must_count(events[i]))
			check_counts_on(events[i], tick);
	}
	/* A leader may not know its members any more. */
	for (i = 0; events[i];) {
		if (events[i]->group_leader == events[i])
			i++;
		else
			mock_close(events[i]);
	}
	while (events[0])
		mock_close(events[0]);
}

void mock_perf_check_left(void)
{
	if (kernel_events || mock_nr_pmus())
		fault("a PMU or an event is left");
	memset(pmus, 0, sizeof(pmus));
}
