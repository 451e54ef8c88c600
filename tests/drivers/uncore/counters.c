// SPDX-License-Identifier: GPL-2.0-only
/* Each count is added exactly once: when groups start and stop, at carries and wraps */
#include "tests.h"

static struct perf_event *ev[4];

/* Each access takes one tick: counters that start and stop together are equal. */
static void test_instant(void)
{
	const struct plain *p;
	unsigned int i, round;

	for_each_plain(p) {
		unsigned int n;

		if (!strcmp(p->box, "ubox"))
			continue;
		begin(1, p->box);
		n = box->counters;
		machine.creeps = true;
		ev[0] = open_on(p->config, 0, NULL);
		mock_sched_out(ev[0]);
		for (i = 1; i < n; i++)
			ev[i] = open_on(p->config, 0, ev[0]);
		for (i = 0; i < n; i++)
			ev[i]->count.a.a.v = 0;
		for (round = 0; round < 12; round++) {
			u64 was = count_of(ev[0]);

			mock_sched_in(ev[0]);
			machine_tally(box);
			mock_read_group(ev[0], 2 + round % 2);
			CHECK(count_of(ev[0]) > was);
			/*
			 * A read does not freeze the box: members differ by the time of the reads.
			 */
			CHECK(!box->writes);
			for (i = 1; i < n; i++)
				CHECK(count_of(ev[i]) - count_of(ev[i - 1]) <=
				      4 * rate_of(p->config));
			mock_sched_out(ev[0]);
			for (i = 1; i < n; i++)
				EXPECT(count_of(ev[i]), count_of(ev[0]));
		}
		mock_close(ev[0]);
		machine.creeps = false;
		end();
	}
	result("a group starts and stops together, and a read freezes nothing");
}

/* In either half, and at any point of a read */
static void test_carry(void)
{
	static const struct {
		const char *box;
		u64 config;
	} uses[] = {
		{ "ha", 0x00 }, { "imc_2", 0x01000001 }, { "r2pcie", 0x01 }, { "qpi_1", 0x14 },
	};
	unsigned int i, at, ctr;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		for (at = 0; at < 128; at++) {
			u64 most, before, more;
			u32 stands;

			begin(0, uses[i].box);
			most = 64 * rate_of(uses[i].config);
			ev[0] = open_on(uses[i].config, 0, NULL);
			ctr = used_ctr();
			/* Carries soon, and often with ticks of this length */
			pass(((1ull << 32) - *box->ctr[ctr]) / (most / 64) - at % 8);
			mock_read(ev[0], 0);
			before = count_of(ev[0]);
			machine.creeps = true;
			pass(at / 8 % 8);
			stands = *box->ctr[ctr];
			/* By a user, and at suspend */
			if (at < 64)
				mock_read(ev[0], 1);
			else
				mock_suspend();
			machine.creeps = false;
			more = count_of(ev[0]) - before;
			CHECK(more <= most && (u32)count_of(ev[0]) - stands <= most);
			if (at >= 64)
				mock_resume();
			mock_read(ev[0], 0);
			CHECK(at >= 64 || (u32)count_of(ev[0]) == (u32)*box->ctr[ctr]);
			mock_close(ev[0]);
			end();
		}
	}
	result("a counter that carries while it is read is read right");
}

/*
 * Likewise at its start, from an unknown value, at any point of the start. Another program has left
 * the counter running.
 */
static void test_first(void)
{
	static const struct {
		const char *box;
		u64 config;
	} uses[] = { { "ha", 0x0e }, { "imc_2", 0x304 } };
	unsigned int i, c, at;

	for (i = 0; i < 2 * 256; i++) {
		u64 rate, start;

		begin(0, uses[i / 256].box);
		rate = rate_of(uses[i / 256].config);
		at = i % 256;
		/* In steps of 1/32 tick; at random in the last round */
		start = at < 255 ? BIT_ULL(40) - at * rate / 32 : BIT_ULL(40) + BIT(31);
		for (c = 0; c < box->counters; c++) {
			*box->ctr[c] = start;
			machine_poke(box, c, at % 2 ? EN : 0);
		}
		machine.creeps = true;
		ev[0] = open_on(uses[i / 256].config, 0, NULL);
		mock_read(ev[0], 0);
		CHECK(count_of(ev[0]) && count_of(ev[0]) % rate == 0);
		machine.creeps = false;
		for (c = 0; *box->ctl[c] != (uses[i / 256].config | EN); c++)
			;
		mock_read(ev[0], 0);
		CHECK(count_of(ev[0]) <= *box->ctr[c] - start);
		mock_close(ev[0]);
		for (c = 0; c < box->counters; c++)
			machine_poke(box, c, 0);
		end();
	}
	result("a counter that carries as it starts is read right");
}

/*
 * Another reader read the counter before this read began, and adds its delta just before this one
 * does: this one still includes all counts before it.
 */
static u64 found;

static void add_what_was_found(void)
{
	atomic_long_t *prev = &ev[0]->hw.prev_count.a.a;
	u64 mask = BIT_ULL(box->width) - 1;

	hooks.race = NULL;
	/* The bits above the counter's width hold its address. */
	ev[0]->count.a.a.v += (found - prev->v) & mask;
	prev->v = (prev->v & ~mask) | (found & mask);
}

static void test_slow(void)
{
	const struct plain *p;
	unsigned int cpu;

	for_each_plain(p) {
		for (cpu = 0; cpu < 2; cpu++) {
			begin(0, p->box);
			ev[0] = open_on(p->config, 0, NULL);
			pass(3);
			found = *box->ctr[used_ctr()];
			pass(2);
			hooks.race = add_what_was_found;
			EXPECT_COUNT(ev[0], cpu, 5 * rate_of(p->config));
			CHECK(!hooks.race);
			mock_close(ev[0]);
			end();
		}
	}
	result("a read has all that was counted before, whoever else reads");
}

void test_counters(void)
{
	test_instant();
	test_carry();
	test_first();
	test_slow();
}
