// SPDX-License-Identifier: GPL-2.0-only
/*
 * Search of all schedules, depth first: each run replays the choices of the last one up to the last
 * that has another alternative. To go on is no choice where nothing that other actors access comes
 * next. The driver's plain accesses are steps by -fsanitize=thread, whose runtime is here.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "explore.h"
#include "testing.h"

#define STACK		(1 << 16)
#define MAX_MAIN	3
#define MAX_ACTORS	(MAX_MAIN + MOCK_CPUS)	/* with timers */
#define MAX_DECISIONS	(1 << 14)
#define MAX_STEPS	(1 << 18)
#define MAX_PLACES	(1 << 13)
#define MAX_ACCESSES	(1 << 16)
#define MAX_FRAMES	3

struct frame {
	unsigned int cpu;
	int irqs_off, preempt_off;
	bool nmi;
};

struct place;

static struct actor {
	const struct explore_actor *is;
	ucontext_t context;
	char *stack;
	void *fake_stack;
	struct frame now, under[MAX_FRAMES];
	unsigned int depth;
	int locks, mutexes;
	/* Its section with interrupts or preemption disabled, for grace periods */
	unsigned long section;
	bool started, done, asleep;
	enum explore_level wants;	/* to begin or go on with */
	bool (*ready)(void *arg);
	void *arg;
	const void *writes;
	const char *at;			/* its last step */
	struct place *place;		/* or NULL, and what comes next excludes others on: */
	unsigned long cpus;
} actors[MAX_ACTORS], root, *self;

static unsigned int nr_main, step;
static bool frozen;
static struct actor *writer_of_all;	/* runs in stop_machine() */
static const struct explore_driver *driver;
static unsigned long runs;
bool exploring;
static bool once;

/* The choices of this run */
static struct decision {
	unsigned int step;
	/* Options from this one on take a preemption. */
	unsigned char free, n, chosen, actor;
} decisions[MAX_DECISIONS];
static unsigned int nr_decisions, nr_replayed, bound, preemptions;

/* Of a place in the code that makes a plain access, which has no name: its address */
#define PLAIN	(-1)

/*
 * Actors whose accesses conflict with those at a place in the code: as known when the search with
 * this number of preemptions began, and as found since. Before all other places a preemption
 * changes nothing that the next such place does not.
 */
static struct place {
	const char *code;	/* a file, or a return address */
	int line;
	unsigned short conflicts, found;
} places[MAX_PLACES];

/* The accesses of a run, in a hash table of lists */
static struct access {
	const void *addr;
	struct place *place;
	struct access *next;
	unsigned char actor;
	bool write;
} accesses[MAX_ACCESSES];
static unsigned int nr_accesses;

static void report_stuck(const char *what);

static struct place *find_place(const char *code, int line)
{
	unsigned int at = ((unsigned long)code * 31 + line) % MAX_PLACES;

	while (places[at].code && (places[at].code != code || places[at].line != line))
		at = (at + 1) % MAX_PLACES;
	places[at].code = code;
	places[at].line = line;
	return &places[at];
}

static void find_conflicts(const void *addr, bool write, struct place *place)
{
	static struct {
		unsigned long run;
		struct access *list;
	} by_addr[MAX_ACCESSES];
	unsigned int at = (unsigned long)addr / 4 % MAX_ACCESSES, actor = self - actors;
	struct access *a;
	bool known = false;

	if (by_addr[at].run != runs) {
		by_addr[at].run = runs;
		by_addr[at].list = NULL;
	}
	for (a = by_addr[at].list; a; a = a->next) {
		if (a->addr != addr)
			continue;
		known |= a->actor == actor && a->place == place && a->write == write;
		if (a->actor != actor && (write || a->write)) {
			place->found |= BIT(a->actor);
			a->place->found |= BIT(actor);
		}
	}
	if (known)
		return;
	if (nr_accesses == MAX_ACCESSES)
		report_stuck("too many accesses");
	a = &accesses[nr_accesses++];
	*a = (struct access){ addr, place, by_addr[at].list, actor, write };
	by_addr[at].list = a;
}

/* Returns whether plain accesses have become steps, so that schedules are missing. */
static bool learn_conflicts(void)
{
	bool more = false;
	unsigned int i;

	for (i = 0; i < MAX_PLACES; i++) {
		more |= places[i].line == PLAIN && (places[i].found & ~places[i].conflicts);
		places[i].conflicts |= places[i].found;
	}
	return more;
}

/* A schedule to replay: at each step the actor that goes on */
static struct {
	unsigned int step;
	const struct explore_actor *actor;
} replay[64];
static unsigned int nr_replay;
static bool replaying, on_other;

static const char *scenario_name(void)
{
	static char text[128];
	unsigned int i, len = 0;

	if (on_other)
		len = snprintf(text, sizeof(text), "%s+", driver->other);
	for (i = 0; i < nr_main; i++)
		len += snprintf(text + len, sizeof(text) - len, "%s%s", i ? "+" : "",
				actors[i].is->name);
	return text;
}

static void print_schedule(void)
{
	const char *between = " ";
	unsigned int i;

	printf("# to replay: %s", scenario_name());
	for (i = 0; i < nr_decisions; i++) {
		if (!decisions[i].chosen)
			continue;
		printf("%s%u:%s", between, decisions[i].step, actors[decisions[i].actor].is->name);
		between = ",";
	}
	printf("\n");
	fflush(stdout);
}

/* Levels */
static enum explore_level level_of(const struct frame *f)
{
	return f->nmi ? LEVEL_NMI : f->irqs_off ? LEVEL_IRQS_OFF :
	       f->preempt_off ? LEVEL_PREEMPT_OFF : LEVEL_TASK;
}

static void save(void)
{
	self->now.cpu = mock_cpu;
	self->now.irqs_off = mock_irqs_off;
	self->locks = mock_locks;
	self->mutexes = mock_mutexes;
	if (!self->depth && level_of(&self->now) == LEVEL_TASK)
		self->section++;
}

static void restore(void)
{
	mock_cpu = self->now.cpu;
	mock_irqs_off = self->now.irqs_off;
	mock_locks = self->locks;
	mock_mutexes = self->mutexes;
}

static enum explore_level highest_on(unsigned int cpu, const struct actor *but)
{
	enum explore_level level, highest = LEVEL_TASK;
	unsigned int i, f;

	for (i = 0; i < MAX_ACTORS; i++) {
		const struct actor *a = &actors[i];

		if (a == but || !a->started || a->done)
			continue;
		for (f = 0; f <= a->depth; f++) {
			const struct frame *frame = f < a->depth ? &a->under[f] : &a->now;

			level = frame->cpu == cpu ? level_of(frame) : LEVEL_TASK;
			if (level > highest)
				highest = level;
		}
	}
	return highest;
}

static bool eligible(const struct actor *a)
{
	enum explore_level level, other;

	if (a->done || (writer_of_all && writer_of_all != a) || (a->ready && !a->ready(a->arg)))
		return false;
	if (!a->started && a->is->user && frozen)
		return false;
	level = level_of(&a->now);
	if (level < a->wants)
		level = a->wants;
	other = highest_on(a->now.cpu, a);
	if (other != LEVEL_TASK && level <= other)
		return false;
	return true;
}

/*
 * Coroutines. AddressSanitizer's own swapcontext() warns; it is told of stacks here. It is not
 * there under coverage.
 */
__attribute__((weak))
void __sanitizer_start_switch_fiber(void **save, const void *bottom, size_t size);
__attribute__((weak))
void __sanitizer_finish_switch_fiber(void *save, const void **bottom, size_t *size);
__attribute__((weak))
void __asan_unpoison_memory_region(const void *addr, size_t size);
__attribute__((weak))
int __asan_address_is_poisoned(const volatile void *addr);
__attribute__((weak))
void __sanitizer_symbolize_pc(void *pc, const char *fmt, char *out, size_t size);

static void leave_stack(void **fake, const void *bottom, size_t size)
{
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(fake, bottom, size);
}

static void enter_stack(void *fake, const void **bottom, size_t *size)
{
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(fake, bottom, size);
}

static const void *root_stack;
static size_t root_size;
static int (*swap)(ucontext_t *from, const ucontext_t *to);

static void switch_to(struct actor *next)
{
	struct actor *prev = self;
	bool to_root = next == &root;

	self = next;
	if (to_root)
		exploring = false;
	else
		restore();
	leave_stack(prev->done ? NULL : &prev->fake_stack, to_root ? root_stack : next->stack,
		    to_root ? root_size : STACK);
	swap(&prev->context, &next->context);
	enter_stack(prev->fake_stack, NULL, NULL);
}

static const char *stop_of(const struct actor *a)
{
	static char text[256];
	const char *file;

	if (!a->place || !a->place->line)
		return a->at;
	if (a->place->line == PLAIN) {
		if (__sanitizer_symbolize_pc)
			__sanitizer_symbolize_pc((void *)(a->place->code - 1),
						 "a plain access, %f() (%s:%l)", text, sizeof(text));
		return text;
	}
	file = strrchr(a->place->code, '/');
	snprintf(text, sizeof(text), "%s() (%s:%d)", a->at, file ? file + 1 : a->place->code,
		 a->place->line);
	return text;
}

static void trace(const struct actor *next)
{
	if (!replaying || next == self)
		return;
	if (self != &root)
		printf("# step %4u: %s on CPU %u, %s\n", step, self->is->name, mock_cpu,
		       self->done ? "is done" : stop_of(self));
	printf("#            goes on: %s on CPU %u\n", next->is->name, next->now.cpu);
}

static void report_stuck(const char *what)
{
	unsigned int i;

	fault("%s", what);
	for (i = 0; i < MAX_ACTORS; i++) {
		struct actor *a = &actors[i];

		if (a->is && a->started && !a->done)
			printf("#   %s, on CPU %u: %s\n", a->is->name, a->now.cpu, stop_of(a));
	}
	print_schedule();
	/* The coroutines cannot be ended. */
	_exit(1);
}

/*
 * Whether the running actor's next access conflicts with one of @a; unknown before all runs with
 * one preemption, but for plain accesses.
 */
static bool may_conflict(const struct actor *a)
{
	const struct place *p = self->place;

	if (replaying || (bound <= 1 && (!p || p->line != PLAIN)))
		return true;
	return p ? p->conflicts & BIT(a - actors) : self->cpus & BIT(a->now.cpu);
}

static unsigned int choose(struct actor *const *options, unsigned int free, unsigned int n)
{
	struct decision *d = &decisions[nr_decisions];
	unsigned int i;

	if (replaying) {
		for (i = 0; i < nr_replay; i++) {
			unsigned int o;

			if (replay[i].step != step)
				continue;
			for (o = 0; o < n; o++) {
				if (options[o]->is == replay[i].actor)
					return o;
			}
			fault("step %u: %s cannot go on", step, replay[i].actor->name);
		}
		return 0;
	}
	if (preemptions == bound)
		n = free;
	if (n == 1)
		return 0;
	if (nr_decisions == MAX_DECISIONS)
		report_stuck("too many choices");
	if (nr_decisions >= nr_replayed)
		*d = (struct decision){ .free = free, .n = n };
	else if (d->n != n || d->free != free)
		report_stuck("a run is not like the one before");
	d->step = step;
	d->actor = options[d->chosen] - actors;
	nr_decisions++;
	preemptions += d->chosen >= free;
	return d->chosen;
}

static bool all_done(void)
{
	unsigned int i;

	for (i = 0; i < nr_main; i++) {
		if (!actors[i].done)
			return false;
	}
	return true;
}

/* Another actor may go on, or has to. */
static void schedule(void)
{
	struct actor *options[MAX_ACTORS];
	unsigned int i, n = 0, awake = 0;
	bool stay;

	if (self != &root)
		save();
	if (++step >= MAX_STEPS)
		report_stuck("the actors never end");
	stay = self != &root && !self->asleep && eligible(self);
	if (stay)
		options[n++] = self;
	for (i = 0; i < MAX_ACTORS; i++) {
		struct actor *a = &actors[i];

		if (a == self || !a->is || a->asleep || !eligible(a) || (stay && !may_conflict(a)))
			continue;
		options[n++] = a;
	}
	awake = n;
	if (!n && all_done()) {
		switch_to(&root);
		return;
	}
	/* A timer may be early. */
	for (i = 0; i < MAX_ACTORS; i++) {
		struct actor *a = &actors[i];

		if (a->asleep && (!awake || a != self) && eligible(a) && (!stay || may_conflict(a)))
			options[n++] = a;
	}
	if (!n)
		report_stuck("deadlock");
	/* To go on is free, and what else can where that cannot. */
	i = choose(options, stay ? 1 : awake ?: n, n);
	trace(options[i]);
	options[i]->asleep = false;
	options[i]->started = true;
	if (options[i] != self)
		switch_to(options[i]);
}

static void entry(void)
{
	enter_stack(NULL, root_stack ? NULL : &root_stack, root_stack ? NULL : &root_size);
	self->wants = LEVEL_TASK;
	self->ready = NULL;
	self->is->run();
	if (mock_irqs_off && !self->is->level)
		fault("%s ends with interrupts disabled", self->is->name);
	self->done = true;
	schedule();
}

static void stops_at(const void *addr, bool write, const char *what, const char *file, int line)
{
	self->at = what;
	self->place = addr ? find_place(file, line) : NULL;
	self->cpus = BIT(mock_cpu);
	if (addr && bound <= 1)
		find_conflicts(addr, write, self->place);
}

void explore_point(const void *addr, bool write, const char *what, const char *file, int line)
{
	mock_perf_count();
	driver->tick();
	stops_at(addr, write, what, file, line);
	schedule();
}

/* No access: it excludes others on some CPUs, or waits for them. */
static void exclude(unsigned long cpus, const char *what)
{
	mock_perf_count();
	driver->tick();
	stops_at(NULL, true, what, NULL, 0);
	self->cpus |= cpus;
	schedule();
}

void explore_once(bool on)
{
	once = on;
}

void explore_other_cpus(const void *addr)
{
	bool nmi = self->now.nmi;

	self->now.nmi = true;
	explore_point(addr, true, "local64_add", __FILE__, __LINE__);
	self->now.nmi = nmi;
}

/*
 * A plain access of the driver: a step where it conflicts with another actor's. It takes no time,
 * so that a schedule has the same steps and counts whatever is known of conflicts.
 */
static void plain_access(const char *addr, long size, bool write, const char *from)
{
	extern const char etext, __data_start;
	const char *a;

	if (!exploring || (addr >= self->stack && addr < self->stack + STACK) ||
	    (addr >= &etext && addr < &__data_start))
		return;
	if (__asan_address_is_poisoned && __asan_address_is_poisoned(addr))
		report_stuck("an access to freed memory");
	if (once)
		return;
	self->place = find_place(from, PLAIN);
	for (a = addr; bound <= 1 && a < addr + size; a += 8)
		find_conflicts(a, write, self->place);
	if (self->place->conflicts || replaying)
		schedule();
	else
		step++;
}

#define ACCESS(name, write, size, args...)					\
	void __tsan_ ## name(args);						\
	void __tsan_ ## name(args)						\
	{									\
		plain_access(addr, size, write, __builtin_return_address(0));	\
	}
#define ACCESSES(n)								\
	ACCESS(read ## n, false, n, void *addr)					\
	ACCESS(write ## n, true, n, void *addr)					\
	ACCESS(unaligned_read ## n, false, n, void *addr)			\
	ACCESS(unaligned_write ## n, true, n, void *addr)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ACCESS(read_range, false, size, void *addr, long size)
ACCESS(write_range, true, size, void *addr, long size)

void __tsan_init(void);
void __tsan_init(void)
{
}

void explore_write(const void *addr, const char *what)
{
	unsigned int i;

	for (i = 0; i < MAX_ACTORS; i++) {
		if (actors[i].is && actors[i].writes == addr)
			fault("%s and %s write to %s at once", actors[i].is->name,
			      self->is->name, what);
	}
	self->writes = addr;
	explore_point(addr, true, "a register is written", __FILE__, __LINE__);
	self->writes = NULL;
}

void explore_wait(bool (*ready)(void *arg), void *arg, const char *what)
{
	if (!exploring) {
		if (!ready(arg))
			fault("%s waits for itself", what);
		return;
	}
	self->ready = ready;
	self->arg = arg;
	stops_at(arg, true, what, what, 0);
	schedule();
	self->ready = NULL;
}

bool explore_has(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_main; i++) {
		if (!strcmp(actors[i].is->name, name))
			return true;
	}
	return false;
}

unsigned int explore_self(void)
{
	return self - actors;
}

/* Interrupts to other CPUs, grace periods, stop_machine() and the freezer */
struct target {
	struct actor *from;
	unsigned int cpu;
};

static bool has_interrupts(void *arg)
{
	struct target *t = arg;

	return highest_on(t->cpu, t->from) < LEVEL_IRQS_OFF;
}

void explore_call(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	struct target target = { self, cpu };
	struct frame before;

	exclude(BIT(cpu), "smp_call_function_single");
	save();
	before = self->now;
	if (cpu != mock_cpu) {
		/* It spins with preemption disabled. */
		self->now.preempt_off++;
		explore_wait(has_interrupts, &target, "waits for another CPU's interrupts");
		self->under[self->depth++] = self->now;
		self->now = (struct frame){ .cpu = cpu };
		mock_cpu = cpu;
	}
	mock_irqs_off++;
	fn(arg);
	mock_irqs_off--;
	if (cpu != before.cpu)
		self->depth--;
	self->now = before;
	mock_cpu = before.cpu;
	mock_irqs_off = before.irqs_off;
	explore_point(&target, true, "after smp_call_function_single", __FILE__, __LINE__);
}

struct grace {
	unsigned long section[MAX_ACTORS];
	bool in[MAX_ACTORS];
};

static bool in_section(const struct actor *a)
{
	return a->started && !a->done && (a->depth || level_of(&a->now) != LEVEL_TASK);
}

static bool grace_over(void *arg)
{
	struct grace *g = arg;
	unsigned int i;

	for (i = 0; i < MAX_ACTORS; i++) {
		if (g->in[i] && in_section(&actors[i]) && actors[i].section == g->section[i])
			return false;
	}
	return true;
}

void explore_grace(void)
{
	struct grace g;
	unsigned int i;

	exclude(~0UL, "synchronize_rcu");
	for (i = 0; i < MAX_ACTORS; i++) {
		g.in[i] = &actors[i] != self && in_section(&actors[i]);
		g.section[i] = actors[i].section;
	}
	explore_wait(grace_over, &g, "waits for a grace period");
}

static bool all_preemptible(void *arg)
{
	unsigned int i;

	for (i = 0; exploring && i < MAX_ACTORS; i++) {
		if (&actors[i] != arg && in_section(&actors[i]))
			return false;
	}
	return true;
}

void explore_stop_machine(void (*fn)(unsigned int cpu), unsigned int cpu)
{
	explore_wait(all_preemptible, self, "stop_machine()");
	writer_of_all = self;
	fn(cpu);
	writer_of_all = NULL;
}

void explore_move_tasks(unsigned int from, unsigned int to)
{
	unsigned int i;

	for (i = 0; i < MAX_ACTORS; i++) {
		if (&actors[i] != self && actors[i].now.cpu == from &&
		    actors[i].is && !actors[i].is->level)
			actors[i].now.cpu = to;
	}
}

static bool users_stopped(void *arg)
{
	unsigned int i;

	for (i = 0; i < nr_main; i++) {
		if (actors[i].is->user && actors[i].started && !actors[i].done)
			return false;
	}
	return true;
}

void explore_freeze(bool freeze)
{
	frozen = freeze;
	if (freeze)
		explore_wait(users_stopped, NULL, "freezes tasks");
}

/* With the actor "timers", those of each CPU fire once, whenever they like. */
static bool timer_ready(void *cpu)
{
	return mock_timer_on((unsigned long)cpu);
}

static void fire_timers(void)
{
	explore_timers(mock_cpu);
}

static const struct explore_actor timers[MOCK_CPUS] = {
	{ "timer0", fire_timers, 0, LEVEL_IRQS_OFF }, { "timer1", fire_timers, 1, LEVEL_IRQS_OFF },
	{ "timer2", fire_timers, 2, LEVEL_IRQS_OFF }, { "timer3", fire_timers, 3, LEVEL_IRQS_OFF },
};

static void add(struct actor *a, const struct explore_actor *is, bool (*ready)(void *arg),
		unsigned long arg)
{
	char *stack = a->stack ?: malloc(STACK);

	*a = (struct actor){
		.is = is, .stack = stack, .now = { .cpu = is->cpu, .nmi = is->level == LEVEL_NMI,
		.irqs_off = is->level == LEVEL_NMI },
		.wants = is->level, .ready = ready, .arg = (void *)arg,
	};
	/* A run that ended within functions has left their redzones. */
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(stack, STACK);
	getcontext(&a->context);
	a->context.uc_stack.ss_sp = stack;
	a->context.uc_stack.ss_size = STACK;
	makecontext(&a->context, entry, 0);
}

static void run_once(const struct explore_actor *const *main_actors)
{
	unsigned int i;

	runs++;
	for (i = 0; i < nr_main; i++)
		actors[i].is = main_actors[i];
	driver->begin(on_other);
	step = 0;
	nr_decisions = 0;
	nr_accesses = 0;
	preemptions = 0;
	frozen = false;
	for (i = 0; i < nr_main; i++)
		add(&actors[i], main_actors[i], NULL, 0);
	for (i = 0; i < MOCK_CPUS; i++) {
		struct actor *a = &actors[MAX_MAIN + i];

		add(a, &timers[i], timer_ready, i);
		a->asleep = true;
		a->done = !explore_has("timers");
	}
	mock_explore_begin(driver->rate);
	self = &root;
	exploring = true;
	schedule();
	exploring = false;
	mock_irqs_off = 0;
	mock_locks = 0;
	mock_mutexes = 0;
	mock_cpu = mock_first(mock_online);
	driver->end();
}

/* Choose the next alternative of the last decision that has one. */
static bool next_schedule(void)
{
	unsigned int i, before = 0, last = ~0u;

	for (i = 0; i < nr_decisions; i++) {
		struct decision *d = &decisions[i];

		if (d->chosen + 1 < d->n && (d->chosen + 1 < d->free || before < bound))
			last = i;
		before += d->chosen >= d->free;
	}
	if (last == ~0u)
		return false;
	decisions[last].chosen++;
	nr_replayed = last + 1;
	return true;
}

/* One with the fewest preemptions first */
static void explore_scenario(const struct explore_actor *const *main_actors, unsigned int most)
{
	for (bound = 0; bound <= most; bound += bound > 1 || !learn_conflicts()) {
		nr_replayed = 0;
		do {
			run_once(main_actors);
			if (faults) {
				print_schedule();
				return;
			}
		} while (next_schedule());
	}
}

/* A sanitizer aborts where it finds something. */
static void aborted(int sig)
{
	print_schedule();
	signal(sig, SIG_DFL);
	raise(sig);
}

/* In a process of its own, which a fault may end. Returns the number of runs. */
static unsigned long in_process(const struct explore_actor *const *main_actors, unsigned int n,
				unsigned int most)
{
	unsigned long count = 0;
	int fd[2], status = 0;
	pid_t pid;

	fflush(NULL);
	if (pipe(fd))
		abort();
	pid = fork();
	if (!pid) {
		close(fd[0]);
		signal(SIGABRT, aborted);
		setrlimit(RLIMIT_CPU, &(struct rlimit){ 600, 600 });
		nr_main = n;
		faults = 0;
		if (replaying)
			run_once(main_actors);
		else
			explore_scenario(main_actors, most);
		if (write(fd[1], &runs, sizeof(runs)) != sizeof(runs))
			abort();
		fflush(NULL);
		_exit(!!faults);
	}
	close(fd[1]);
	if (read(fd[0], &count, sizeof(count)) != sizeof(count))
		count = 0;
	close(fd[0]);
	checks++;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		faults++;
	return count;
}

static const struct explore_actor *find_actor(const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < driver->nr + ARRAY_SIZE(timers); i++) {
		const struct explore_actor *a = i < driver->nr ? &driver->actors[i] :
			&timers[i - driver->nr];

		if (strlen(a->name) == len && !strncmp(a->name, name, len))
			return a;
	}
	printf("Bail out! no actor %.*s\n", (int)len, name);
	exit(1);
}

/* "open+down", or with a schedule to replay: "open+down 12:down,40:open" */
static void explore_one(const char *text)
{
	const struct explore_actor *main_actors[MAX_MAIN];
	unsigned int n = 0;
	size_t len;
	char *at;

	len = driver->other ? strlen(driver->other) : 0;
	if (len && !strncmp(text, driver->other, len) && text[len] == '+') {
		on_other = true;
		text += len + 1;
	}
	for (; n < MAX_MAIN; text += len + 1) {
		len = strcspn(text, "+ ");
		main_actors[n++] = find_actor(text, len);
		if (text[len] != '+')
			break;
	}
	text += len;
	while (*text && nr_replay < ARRAY_SIZE(replay)) {
		replay[nr_replay].step = strtoul(text + 1, &at, 10);
		len = strcspn(at + (*at == ':'), ",");
		replay[nr_replay++].actor = find_actor(at + 1, len);
		text = at + 1 + len;
	}
	replaying = nr_replay;
	result("%lu schedules", in_process(main_actors, n, 2));
}

static bool skips(const struct explore_actor *a, const struct explore_actor *b)
{
	return driver->skips && driver->skips(a, b);
}

/* An actor with those after it */
static unsigned long explore_from(unsigned int i, bool deep)
{
	const struct explore_actor *m[MAX_MAIN] = { &driver->actors[i] };
	unsigned int j, k, slow;
	unsigned long count = 0;

	for (j = i; j < driver->nr; j++) {
		m[1] = &driver->actors[j];
		if (skips(m[0], m[1]))
			continue;
		slow = m[0]->slow + m[1]->slow;
		count += in_process(m, 2, deep ? 3 - (slow || on_other) :
						2 - (slow > 1) - on_other);
		for (k = j; deep && k < driver->nr; k++) {
			m[2] = &driver->actors[k];
			if (!skips(m[0], m[2]) && !skips(m[1], m[2]))
				count += in_process(m, 3, 1);
		}
	}
	return count;
}

void explore_all(const struct explore_driver *of, const char *what)
{
	bool deep = what && !strcmp(what, "deep");
	unsigned int i;

	driver = of;
	swap = (typeof(swap))dlsym(dlopen("libc.so.6", RTLD_LAZY), "swapcontext");
	if (!swap)
		abort();
	if (what && !deep) {
		explore_one(what);
		return;
	}
	for (i = 0; i < driver->nr; i++) {
		unsigned long count = explore_from(i, deep);

		if (driver->other) {
			on_other = true;
			count += explore_from(i, deep);
			on_other = false;
		}
		result("%s, with whatever runs beside it (%lu schedules)", driver->actors[i].name,
		       count);
	}
}
