/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs actors, each a coroutine on a CPU of the mock kernel, in every order that a kernel allows
 * and that takes no more than a number of preemptions, as CHESS does (Musuvathi and others, OSDI
 * 2008). Memory is sequentially consistent.
 */
#ifndef MOCK_KERNEL_EXPLORE_H
#define MOCK_KERNEL_EXPLORE_H

#include <stdbool.h>

struct perf_event;

/* Who may interrupt an actor on its CPU: anybody; interrupts and NMIs; NMIs; nobody */
enum explore_level { LEVEL_TASK, LEVEL_PREEMPT_OFF, LEVEL_IRQS_OFF, LEVEL_NMI };

/**
 * struct explore_actor - a part of the kernel that runs beside others
 * @name: in schedules
 * @run: what it does, once
 * @cpu: CPU on which it starts
 * @level: LEVEL_TASK, or that of an interrupt handler
 * @user: a task of userspace, which suspend freezes before or after its system call
 * @slow: 1: has many steps; two of these get one preemption less, unless explored deeply. 2: most
 *        steps; each pair with it gets one less
 */
struct explore_actor {
	const char *name;
	void (*run)(void);
	unsigned int cpu;
	enum explore_level level;
	bool user;
	unsigned char slow;
};

/**
 * struct explore_driver - a driver's scenarios: each pair, or three, of its actors
 * @other: name of a second machine on which all run as well; or NULL
 * @begin: load the driver, and prepare what actors need
 * @tick: let counters count, at each step
 * @rate: what an event counts in a tick, as the hardware is now
 * @end: check invariants when all actors are done, and unload the driver
 * @skips: whether two actors make no sense together; or NULL
 */
struct explore_driver {
	const struct explore_actor *actors;
	unsigned int nr;
	const char *other;
	void (*begin)(bool other);
	void (*tick)(void);
	u64 (*rate)(const struct perf_event *event);
	void (*end)(void);
	bool (*skips)(const struct explore_actor *a, const struct explore_actor *b);
};

/*
 * Explore all pairs with up to two preemptions, and on the other machine one less; with @what
 * "deep", with one more, and three actors with one; or one scenario, "open+down", or one schedule,
 * "open+down 12:down,40:open". On the other machine: "OTHER+open+down".
 */
void explore_all(const struct explore_driver *driver, const char *what);

/* For the mock kernel. An actor is running: */
extern bool exploring;
/* Plain accesses of the driver are no steps from here on, or are again. */
void explore_once(bool on);
/* A step: another actor may run before the access to @addr. */
void explore_point(const void *addr, bool write, const char *what, const char *file, int line);
/* The same for actors on other CPUs */
void explore_other_cpus(const void *addr);
/* Wait until @ready returns true; other actors run. Without an actor, it has to be true. */
void explore_wait(bool (*ready)(void *arg), void *arg, const char *what);
/* Run @fn with interrupts disabled on @cpu, which has to have them enabled. */
void explore_call(unsigned int cpu, void (*fn)(void *arg), void *arg);
/* Wait for all sections with interrupts or preemption disabled that have begun. */
void explore_grace(void);
/* Run @fn when no CPU has interrupts or preemption disabled, or at once without an actor. */
void explore_stop_machine(void (*fn)(unsigned int cpu), unsigned int cpu);
/* Tasks of userspace stop at the end of what they do, or begin again. */
void explore_freeze(bool freeze);
/* Tasks leave a CPU that is offline. */
void explore_move_tasks(unsigned int from, unsigned int to);
/* Whether the scenario has an actor */
bool explore_has(const char *name);
/* A step before a write to what two actors must not write at once */
void explore_write(const void *addr, const char *what);
/* A number for the running actor */
unsigned int explore_self(void);

#endif
