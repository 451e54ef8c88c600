// SPDX-License-Identifier: GPL-2.0-only
/* What around.h has: random numbers and samples */
#include "tests.h"

u32 mock_chance;
unsigned int mock_seeded, mock_possible, mock_attributes;
struct task_struct *mock_task[MOCK_CPUS];

void prandom_seed_state(struct rnd_state *state, u64 seed)
{
	mock_seeded++;
	state->s = seed;
}

u32 prandom_u32_state(struct rnd_state *state)
{
	if (!state->s)
		fault("random numbers without a seed");
	return mock_chance;
}

u64 get_random_u64(void)
{
	return 4;
}

/* perf's functions for samples, as ia64's kernel exports them */
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	int i;

	machine.put_off = on_ia64;
	if (!mock_irqs_off || !(hw[mock_cpu].pmc[0] & FR))
		fault("a sample comes while monitoring runs");
	if (event->cpu != (int)mock_cpu || !event->on)
		fault("CPU %u has a sample of an event on CPU %d", mock_cpu,
		      event->cpu);
	/* A sample may have the counts of the whole group. */
	event->pmu->read(event);
	for (i = 0; i < event->nr_siblings; i++) {
		if (event->sibling[i]->on)
			event->pmu->read(event->sibling[i]);
	}
	return machine_hooks.sample ? machine_hooks.sample(event, data, regs) : 0;
}

int perf_event_account_interrupt(struct perf_event *event)
{
	return machine_hooks.account ? machine_hooks.account(event) : 0;
}

void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	*data = (struct perf_sample_data){ .addr = addr, .period = period };
}

void perf_sample_save_brstack(struct perf_sample_data *data,
			      struct perf_event *event,
			      struct perf_branch_stack *brs, u64 *counters)
{
	if (counters)
		fault("branches have counters");
	data->br_stack = brs;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
}

void perf_sample_save_raw_data(struct perf_sample_data *data,
			       struct perf_event *event,
			       struct perf_raw_record *raw)
{
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
}
