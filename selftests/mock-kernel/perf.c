// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mock perf core of the host-side unit tests: PMUs and their sysfs files, events
 * and their groups, on the CPUs of kernel.c.
 */
#include <stdarg.h>

#include "kernel.h"

unsigned int mock_migrations, mock_attach;
bool mock_no_hes;
struct perf_event *mock_parent;
int mock_core_pmu;
u64 mock_core_config1;

/* perf's PMUs and their events */
#define MAX_PMUS	32
#define MAX_EVENTS	64
#define MAX_FILES	2048

static struct registered {
	struct pmu *pmu;
	struct device dev;
	bool visible[MAX_FILES];	/* read once, when the PMU is registered */
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

static void ask_visible(struct registered *r)
{
	const struct attribute_group **g;
	unsigned int n, i = 0;

	for (g = r->pmu->attr_groups; g && *g; g++) {
		for (n = 0; (*g)->attrs[n]; n++) {
			struct attribute *a = (*g)->attrs[n];

			if (i == MAX_FILES)
				fault("more than %u files", MAX_FILES);
			r->visible[i++] = !(*g)->is_visible ||
				(*g)->is_visible(&r->dev.kobj, a, n) == a->mode;
		}
	}
}

int perf_pmu_register(struct pmu *pmu, const char *name, int type)
{
	struct registered *r = find(NULL);
	unsigned int cpu;

	if (mock_holds_mutex() || mock_irqs_off)
		fault("a PMU is registered under a lock");
	if (mock_fails())
		return -ENOMEM;
	*r = (struct registered){ .pmu = pmu, .dev.data = pmu };
	pmu->cpu_pmu_context = &rotations[r - pmus];
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(pmu->cpu_pmu_context, cpu), 0, sizeof(*pmu->cpu_pmu_context));
	pmu->name = name;
	pmu->dev = &r->dev;
	pmu->type = type >= 0 ? type : 100 + (r - pmus);
	ask_visible(r);
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
	struct perf_cpu_pmu_context *rotation =
		per_cpu_ptr(pmu->cpu_pmu_context, cpu);

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
	struct registered *r = container_of(kobj, struct registered, dev.kobj);

	if (!find(r->pmu) || strcmp(attr->name, "perf_event_mux_interval_ms")) {
		fault("%s is removed", attr->name);
		return;
	}
	write_interval(r->pmu);
	r->no_interval = true;
}

void perf_pmu_unregister(struct pmu *pmu)
{
	struct registered *r = find(pmu);
	unsigned int cpu;

	mock_leaving();
	if (!r) {
		fault("a PMU goes that is not there");
		return;
	}
	if (!r->no_interval)
		write_interval(pmu);
	for_each_possible_cpu(cpu) {
		struct perf_cpu_pmu_context *rotation =
			per_cpu_ptr(pmu->cpu_pmu_context, cpu);

		if (rotation->hrtimer.set)
			fault("perf's timer of CPU %u is set as its memory goes",
			      cpu);
	}
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

unsigned int mock_nr_pmus(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < MAX_PMUS; i++)
		n += !!pmus[i].pmu;
	return n;
}

const char *mock_file(struct pmu *pmu, const char *group, const char *file)
{
	struct registered *r = find(pmu);
	const struct attribute_group **g;
	static char buf[4096];
	unsigned int n, i = 0;

	for (g = pmu->attr_groups; *g; g++) {
		for (n = 0; (*g)->attrs[n]; n++, i++) {
			struct attribute *a = (*g)->attrs[n];
			struct device_attribute *d =
				container_of(a, struct device_attribute, attr);
			ssize_t len;

			/* Another CPU's may have the same name. */
			if (strcmp((*g)->name ?: "", group) ||
			    strcmp(a->name, file) || !r->visible[i])
				continue;
			len = d->show(&r->dev, d, buf);
			if (len < 0)
				len = sprintf(buf, "error %d", (int)-len);
			buf[len] = 0;
			return buf;
		}
	}
	return NULL;
}

const char *mock_file_name(struct pmu *pmu, const char *group, unsigned int nth)
{
	struct registered *r = find(pmu);
	const struct attribute_group **g;
	unsigned int n, i = 0;

	for (g = pmu->attr_groups; *g; g++) {
		for (n = 0; (*g)->attrs[n]; n++, i++) {
			if (!strcmp((*g)->name ?: "", group) && r->visible[i] && !nth--)
				return (*g)->attrs[n]->name;
		}
	}
	return NULL;
}

void mock_disable(struct pmu *pmu, unsigned int cpu)
{
	struct registered *r = find(pmu);

	mock_cpu = cpu;
	mock_irqs_off++;
	if (!r->off[cpu]++ && pmu->pmu_disable)
		pmu->pmu_disable(pmu);
	mock_irqs_off--;
}

void mock_enable(struct pmu *pmu, unsigned int cpu)
{
	struct registered *r = find(pmu);

	mock_cpu = cpu;
	mock_irqs_off++;
	if (!--r->off[cpu] && pmu->pmu_enable)
		pmu->pmu_enable(pmu);
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
		ret = event->pmu->add(event, PERF_EF_START);
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
	mock_disable(event->pmu, event->cpu);
	event->on = false;
	mock_irqs_off++;
	event->pmu->del(event, 0);
	check_state(event, PERF_HES_STOPPED | PERF_HES_UPTODATE);
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

/* perf_event_alloc() */
struct perf_event *mock_alloc(struct pmu *pmu, const struct perf_event_attr *attr, int cpu,
			      struct perf_event *leader, int *err)
{
	struct perf_event *event = calloc(1, sizeof(*event));
	unsigned int i;

	event->attr = *attr;
	event->pmu = pmu;
	event->cpu = cpu;
	event->group_leader = leader ?: event;
	event->parent = mock_parent;
	event->attach_state = mock_attach;
	event->hw.sample_period = attr->freq ? 1 : attr->sample_period;
	event->hw.last_period = event->hw.sample_period;
	local64_set(&event->hw.period_left, event->hw.sample_period);
	if (pmu->event_init) {
		event->attr.type = pmu->type;
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

void mock_close(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	int i, j;

	if (leader == event) {
		while (event->nr_siblings)
			mock_close(event->sibling[event->nr_siblings - 1]);
	}
	del(event);
	for (i = 0, j = 0; leader != event && i < leader->nr_siblings; i++) {
		if (leader->sibling[i] != event)
			leader->sibling[j++] = leader->sibling[i];
	}
	if (leader != event)
		leader->nr_siblings = j;
	if (event->destroy)
		event->destroy(event);
	for (i = 0; events[i] != event; i++)
		;
	for (; events[i]; i++)
		events[i] = events[i + 1];
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

static struct pmu *of_type(unsigned int type)
{
	unsigned int i;

	for (i = 0; i < MAX_PMUS; i++) {
		if (pmus[i].pmu && pmus[i].pmu->type == type)
			return pmus[i].pmu;
	}
	return NULL;
}

static struct perf_event *schedule_anew(struct pmu *pmu, struct perf_event_attr *attr, int cpu,
					void *handler, void *context)
{
	struct perf_event *event = calloc(1, sizeof(*event)), *again[MAX_EVENTS];
	unsigned int i, n = 0;
	int err;

	if (mock_irqs_off || mock_holds_mutex() || !attr->pinned)
		fault("an event of the kernel that does not schedule others anew");
	event->attr = *attr;
	event->pmu = pmu;
	event->cpu = cpu;
	event->group_leader = event;
	event->overflow_handler = handler;
	event->overflow_handler_context = context;
	err = (unsigned int)cpu < MOCK_CPUS && cpu_online(cpu) ? mock_event_init(event) : -EINVAL;
	if (err) {
		free(event);
		return ERR_PTR(err);
	}
	kernel_events++;
	mock_disable(pmu, cpu);
	for (i = 0; events[i]; i++) {
		if (events[i]->pmu == pmu && events[i]->cpu == cpu && events[i]->on &&
		    events[i]->group_leader == events[i])
			again[n++] = events[i];
	}
	for (i = 0; i < n; i++)
		mock_sched_out(again[i]);
	if (!add(event))
		fault("an event that was to fit no counter has one");
	for (i = 0; i < n; i++)
		mock_sched_in(again[i]);
	mock_enable(pmu, cpu);
	return event;
}

/*
 * The core PMU only accepts or refuses events here. An event of a PMU that is registered has to be
 * pinned, as perf then schedules all events of the PMU on that CPU anew.
 */
struct perf_event *
perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
				 void *task, void *handler, void *context)
{
	struct pmu *pmu = of_type(attr->type);
	struct perf_event *event;

	if (pmu)
		return schedule_anew(pmu, attr, cpu, handler, context);
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

void perf_pmu_migrate_context(struct pmu *pmu, int from, int to)
{
	struct perf_event *moving[MAX_EVENTS];
	unsigned int i, j, n = 0;

	if (mock_irqs_off)
		fault("events migrate with interrupts off");
	if (to < 0 || to >= MOCK_CPUS || !cpu_online(to) || !cpu_online(from))
		fault("events migrate from CPU %d to %d", from, to);
	mock_migrations++;
	if (hooks.migrating)
		hooks.migrating();
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
	if (hooks.migrating)
		hooks.migrating();
	for (i = 0; i < n; i++) {
		/* It may have been closed in the meantime. */
		for (j = 0; events[j] && events[j] != moving[i]; j++)
			;
		if (events[j] && !events[j]->disabled)
			mock_sched_in(moving[i]);
	}
	mock_cpu = from;
	if (hooks.migrating)
		hooks.migrating();
}

/* A CPU goes offline: events that the driver did not migrate, and timers */
void mock_perf_cpu_down(unsigned int cpu)
{
	unsigned int i, other;

	for (i = 0; i < MAX_PMUS; i++) {
		for_each_possible_cpu(other) {
			struct hrtimer *timer =
				&per_cpu_ptr(&rotations[i], other)->hrtimer;

			if (timer->set && timer->cpu == cpu)
				timer->cpu = mock_first(mock_online & ~BIT(cpu));
		}
	}
	for (i = 0; events[i]; i++) {
		if (events[i]->cpu == (int)cpu)
			del(events[i]);
	}
}

void mock_perf_check_left(void)
{
	if (kernel_events || mock_nr_pmus())
		fault("a PMU or an event is left");
	memset(pmus, 0, sizeof(pmus));
}
