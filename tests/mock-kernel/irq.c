// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts of the mock kernel: hrtimers and calls of other CPUs */
#include "kernel.h"

#define MAX_TIMERS	64

static struct hrtimer *timers[MAX_TIMERS];

void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer),
		   int clock, enum hrtimer_mode mode)
{
	timer->function = function;
	timer->set = false;
}

void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode)
{
	unsigned int i;

	timer->set = true;
	timer->cpu = mock_cpu;
	timer->interval = time;
	for (i = 0; timers[i] && timers[i] != timer; i++)
		;
	timers[i] = timer;
}

static bool timer_idle(void *timer)
{
	return !((struct hrtimer *)timer)->busy;
}

/* Its memory may be freed after this. */
void hrtimer_cancel(struct hrtimer *timer)
{
	unsigned int i;

	explore_wait(timer_idle, timer, "hrtimer_cancel()");
	timer->set = false;
	for (i = 0; timers[i] && timers[i] != timer; i++)
		;
	for (; timers[i]; i++)
		timers[i] = timers[i + 1];
}

int hrtimer_try_to_cancel(struct hrtimer *timer)
{
	bool was = timer->set;

	mock_point(timer, true);
	if (timer->busy)
		return -1;
	timer->set = false;
	return was;
}

void mock_timers(void)
{
	unsigned int i;

	for (i = 0; i < MAX_TIMERS && timers[i]; i++) {
		if (!timers[i]->set)
			continue;
		if (timers[i]->interval && timers[i]->interval != mock_interval)
			fault("the hrtimer reads counters every %lld ns",
			      (long long)timers[i]->interval);
		mock_cpu = timers[i]->cpu;
		mock_irqs_off++;
		timers[i]->interval = 0;
		timers[i]->set = false;
		if (timers[i]->function(timers[i]) == HRTIMER_RESTART) {
			timers[i]->set = true;
			if (!timers[i]->interval)
				fault("an hrtimer that is not forwarded fires without end");
		}
		mock_irqs_off--;
	}
}

/* The timers of a CPU, in its interrupt */
void explore_timers(unsigned int cpu)
{
	struct hrtimer *timer;
	unsigned int i;

	for (i = 0; i < MAX_TIMERS && (timer = timers[i]); i++) {
		if (!timer->set || timer->cpu != cpu || !timer->function)
			continue;
		mock_irqs_off++;
		timer->busy = true;
		timer->set = false;
		if (timer->function(timer) == HRTIMER_RESTART)
			timer->set = true;
		timer->busy = false;
		mock_irqs_off--;
		mock_point(NULL, true);
	}
}

bool mock_timer_on(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < MAX_TIMERS && timers[i]; i++) {
		if (timers[i]->set && timers[i]->cpu == cpu)
			return true;
	}
	return false;
}

int smp_call_function_single(int cpu, smp_call_func_t func, void *data, int wait)
{
	unsigned int from = mock_cpu;

	if (mock_irqs_off)
		fault("another CPU is called with interrupts off");
	mock_point(NULL, true);
	if (cpu < 0 || cpu >= MOCK_CPUS || !cpu_online(cpu))
		return -ENXIO;
	if (exploring) {
		explore_call(cpu, func, data);
		return 0;
	}
	mock_cpu = cpu;
	mock_irqs_off++;
	func(data);
	mock_irqs_off--;
	mock_cpu = from;
	return 0;
}

static enum hrtimer_restart call_arrives(struct hrtimer *timer)
{
	call_single_data_t *csd = container_of(timer, call_single_data_t, timer);

	csd->func(csd->info);
	return HRTIMER_NORESTART;
}

int smp_call_function_single_async(int cpu, call_single_data_t *csd)
{
	unsigned int from = mock_cpu;

	if (cpu < 0 || cpu >= MOCK_CPUS || !cpu_online(cpu))
		return -ENXIO;
	if (csd->timer.set)
		return -EBUSY;
	mock_cpu = cpu;
	if (exploring) {
		csd->timer.function = call_arrives;
		hrtimer_start(&csd->timer, 0, HRTIMER_MODE_REL_PINNED_HARD);
	} else {
		csd->func(csd->info);
	}
	mock_cpu = from;
	return 0;
}

void mock_move_timers(unsigned int from)
{
	unsigned int i;

	for (i = 0; i < MAX_TIMERS && timers[i]; i++) {
		if (timers[i]->cpu == from)
			timers[i]->cpu = mock_first(mock_online);
	}
}

void mock_irq_check_left(void)
{
	unsigned int i;

	for (i = 0; i < MAX_TIMERS && timers[i]; i++) {
		if (timers[i]->set)
			fault("a timer is left");
		timers[i] = NULL;
	}
}
