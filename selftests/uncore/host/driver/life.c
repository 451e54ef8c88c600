// SPDX-License-Identifier: GPL-2.0-only
/*
 * A box and its events in hard times: its function goes, CPUs go, the machine
 * sleeps, a read comes in the middle of an access.
 */
#include "snbep/box.h"
#include "snbep/pmus.h"
#include "tests.h"

static struct perf_event *ev[8];

/* With each access a tick goes by: what is of one instant is equal. */
static void test_instant(void)
{
	const struct plain *p;
	unsigned int i, round;

	for_each_plain(p) {
		unsigned int n;

		if (!strcmp(p->box, "ubox"))
			continue;
		begin(1, p->box);
		n = box->kind->counters;
		machine.creeps = true;
		ev[0] = open_on(p->config, 0, NULL);
		mock_sched_out(ev[0]);
		for (i = 1; i < n; i++)
			ev[i] = open_on(p->config, 0, ev[0]);
		for (i = 0; i < n; i++)
			ev[i]->count.a.a.v = 0;
		for (round = 0; round < 12; round++) {
			u64 was = count(ev[0]);

			mock_sched_in(ev[0]);
			machine_tally(box);
			mock_read_group(ev[0], 2 + round % 2);
			if (wrong(count(ev[0]) <= was))
				fault("%s: nothing counts", box->name);
			/* Nothing freezes for a read: members are apart by it. */
			if (wrong(box->writes))
				fault("%s: %u writes to read a group", box->name,
				      box->writes);
			for (i = 1; i < n; i++) {
				if (wrong(count(ev[i]) - count(ev[i - 1]) >
				    4 * rate_of(p->config)))
					fault("%s: member %u counted %llu, the one before %llu",
					      box->name, i,
					      (unsigned long long)count(ev[i]),
					      (unsigned long long)count(ev[i - 1]));
			}
			mock_sched_out(ev[0]);
			for (i = 1; i < n; i++) {
				if (wrong(count(ev[i]) != count(ev[0])))
					fault("%s: member %u counted %llu, the leader %llu",
					      box->name, i,
					      (unsigned long long)count(ev[i]),
					      (unsigned long long)count(ev[0]));
			}
		}
		/* So it does as its CPU goes, which takes its events off one by one. */
		mock_sched_in(ev[0]);
		mock_cpu_down(2);
		mock_sched_out(ev[0]);
		for (i = 1; i < n; i++) {
			if (wrong(count(ev[i]) != count(ev[0])))
				fault("%s: member %u has moved with %llu, the leader with %llu",
				      box->name, i,
				      (unsigned long long)count(ev[i]),
				      (unsigned long long)count(ev[0]));
		}
		mock_cpu_up(2);
		mock_close(ev[0]);
		machine.creeps = false;
		end();
	}
	result("a group starts and stops at one instant, and a read freezes nothing");
}

/* In the high half as in the low one, and at any point of a read */
static void test_carry(void)
{
	static const char * const boxes[] = { "ha", "imc_2", "r2pcie", "qpi_1" };
	unsigned int i, at;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		u64 config = i == 2 ? 0x01 : i == 3 ? 0x14 : 0x01000000 | 0x01;

		if (!i)
			config = 0x00;
		for (at = 0; at < 128; at++) {
			unsigned int ctr;
			u64 before;
			u32 stands;

			begin(0, boxes[i]);
			ev[0] = open_on(config, 0, NULL);
			ctr = used_ctr();
			/* Carries soon, and with ticks this long often */
			pass(((1ull << 32) - box->ctr[ctr]) / rate_of(config) - at % 8);
			last = 0;
			mock_read(ev[0], 0);
			before = count(ev[0]);
			machine.creeps = true;
			pass(at / 8 % 8);
			stands = box->ctr[ctr];
			/* By a user, and as the machine goes to sleep */
			if (at < 64)
				mock_read(ev[0], 1);
			else
				mock_suspend();
			machine.creeps = false;
			if (wrong(count(ev[0]) < before ||
				  count(ev[0]) - before > 64 * rate_of(config) ||
				  (u32)count(ev[0]) - stands > 64 * rate_of(config)))
				fault("%s: read %llu after %llu", box->name,
				      (unsigned long long)count(ev[0]),
				      (unsigned long long)before);
			if (at >= 64)
				mock_resume();
			mock_read(ev[0], 0);
			if (wrong(at < 64 && (u32)count(ev[0]) != (u32)box->ctr[ctr]))
				fault("%s: read %#llx, and it stands at %#llx",
				      box->name,
				      (unsigned long long)count(ev[0]),
				      (unsigned long long)box->ctr[ctr]);
			mock_close(ev[0]);
			end();
		}
	}
	result("a counter that carries while it is read is read right");
}

/*
 * So it is at its start, where nobody knows where it stood: at any point of that.
 * Another program has left it counting something else.
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
		/* In 32nds of what a tick adds; and anywhere, in the last round */
		start = at < 255 ? BIT_ULL(40) - at * rate / 32 :
				   BIT_ULL(40) + BIT(31);
		for (c = 0; c < box->kind->counters; c++) {
			box->ctr[c] = start;
			box->ctl[c] = at % 2 ? EN : 0;
		}
		machine.creeps = true;
		ev[0] = open_on(uses[i / 256].config, 0, NULL);
		machine.creeps = false;
		for (c = 0; box->ctl[c] != (uses[i / 256].config | EN); c++)
			;
		mock_read(ev[0], 0);
		if (wrong(count(ev[0]) > box->ctr[c] - start))
			fault("%s: begins at %#llx: counted %llu", box->name,
			      (unsigned long long)start,
			      (unsigned long long)count(ev[0]));
		mock_close(ev[0]);
		for (c = 0; c < box->kind->counters; c++)
			box->ctl[c] = 0;
		end();
	}
	result("so is one that carries as it starts");
}

/* A second carry comes while the driver reads again because of the first. */
static unsigned int carries;

static void carry_again(struct hw_box *b)
{
	if (b != box || !carries)
		return;
	carries--;
	b->ctr[used_ctr()] += 0x80000000;
}

static void test_carries(void)
{
	unsigned int n;

	for (n = 1; n < 12; n++) {
		u64 start;

		begin(0, "ha");
		ev[0] = open_on(0x00, 0, NULL);
		pass(1000);
		mock_read(ev[0], 0);
		start = box->ctr[used_ctr()] - count(ev[0]);
		/* As plausible as it can be made */
		mock_cycles += 1ull << 41;
		carries = n;
		machine.access = carry_again;
		mock_read(ev[0], 0);
		machine.access = NULL;
		n -= carries;
		/* What it read is what stood there at some time. */
		if (wrong((count(ev[0]) + start - box->ctr[used_ctr()]) % 0x80000000 ||
			  count(ev[0]) + start > box->ctr[used_ctr()]))
			fault("after %u changes it reads %#llx of %#llx", n,
			      (unsigned long long)(count(ev[0]) + start),
			      (unsigned long long)box->ctr[used_ctr()]);
		mock_close(ev[0]);
		end();
	}
	result("so it is with many carries one after the other");
}

/* In an NMI, in the middle of any access, and by another CPU at the same time */
static struct perf_event *reader;
static unsigned int nested;
static bool in_read, throttles;

static void read_in_nmi(struct hw_box *b)
{
	unsigned int cpu = mock_cpu;

	if (b != box || in_read || !reader || !reader->on)
		return;
	in_read = true;
	mock_nmi = true;
	nested++;
	mock_read(reader, cpu);
	/* Its leader takes too many samples, or may go on. */
	if (throttles)
		mock_throttle(reader, nested & 1);
	mock_nmi = false;
	in_read = false;
	mock_cpu = cpu;
}

static void read_meanwhile(void)
{
	unsigned int cpu = mock_cpu;

	if (in_read || !reader)
		return;
	in_read = true;
	nested++;
	mock_read(reader, cpu ^ 1);
	in_read = false;
	mock_cpu = cpu;
}

static void test_nested(void)
{
	const struct plain *p;
	unsigned int how, i;

	for_each_plain(p) {
		for (how = 0; how < 3; how++) {
			begin(0, p->box);
			nested = 0;
			throttles = how == 2;
			ev[0] = open_on(p->config, 0, NULL);
			reader = ev[0];
			if (how == 1)
				hooks.race = read_meanwhile;
			else
				machine.access = read_in_nmi;
			for (i = 0; i < 20; i++) {
				u64 want;

				pass(3);
				ev[1] = open_on(p->other, 0, NULL);
				pass(2);
				want = 5 * (i + 1) * rate_of(p->config);
				mock_read(ev[0], i % 2);
				if (wrong(count(ev[0]) != want))
					fault("%s: counted %llu, not %llu",
					      box->name,
					      (unsigned long long)count(ev[0]),
					      (unsigned long long)want);
				mock_read_group(ev[0], i % 2);
				mock_timers();
				mock_close(ev[1]);
				if (wrong(count(ev[0]) != want))
					fault("%s: then %llu, not %llu",
					      box->name,
					      (unsigned long long)count(ev[0]),
					      (unsigned long long)want);
			}
			hooks.race = NULL;
			machine.access = NULL;
			if (wrong(nested < 10))
				fault("%s: %u reads came in between", box->name,
				      nested);
			expect_log("snbep", false);
			reader = NULL;
			mock_close(ev[0]);
			end();
		}
	}
	result("a read in the middle of another access, or beside it, takes no lock and no count");
}

/* The function goes while something looks at the box. */
static void test_dead(void)
{
	static const char * const boxes[] = { "ha", "imc_0", "qpi_0", "r3qpi_1" };
	unsigned int i, how;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		for (how = 0; how < 7; how++) {
			const struct plain *p;
			u64 n;

			for_each_plain(p) {
				if (!strcmp(p->box, boxes[i]))
					break;
			}
			begin(1, boxes[i]);
			ev[0] = open_on(p->config, 0, NULL);
			ev[1] = open_on(p->other, 0, NULL);
			mock_sched_out(ev[1]);
			pass(7);
			mock_read(ev[0], 2);
			n = count(ev[0]);
			box->pdev->there = false;
			switch (how) {
			case 0:
				mock_read(ev[0], 3);
				break;
			case 1:
				mock_timers();
				break;
			case 2:
				mock_sched_out(ev[0]);
				break;
			case 3:
				mock_sched_in(ev[1]);
				mock_read(ev[0], 2);
				break;
			case 4:
				mock_online = BIT(2);
				mock_suspend();
				mock_resume();
				mock_online = 15;
				mock_read(ev[0], 2);
				break;
			case 5:
				machine_unbind(box->pdev);
				break;
			case 6:
				mock_read_group(ev[0], 3);
				break;
			}
			expect_log("snbep_uncore_", true);
			expect_log("socket 1 no longer responds", true);
			log_clear();
			/* From now on it is left alone. */
			machine_tally(box);
			box->pdev->there = true;
			mock_sched_in(ev[0]);
			mock_sched_in(ev[1]);
			mock_read(ev[0], 3);
			mock_read_group(ev[0], 2);
			mock_timers();
			mock_sched_out(ev[1]);
			mock_online = BIT(2);
			mock_suspend();
			mock_resume();
			mock_online = 15;
			mock_cpu_down(2);
			mock_cpu_up(2);
			if (wrong(box->reads || box->writes))
				fault("%s, %u: a dead box is accessed: %u reads, %u writes",
				      box->name, how, box->reads, box->writes);
			if (wrong(count(ev[0]) != n))
				fault("%s, %u: its count goes on", box->name,
				      how);
			if (wrong(mock_timer_set(1)))
				fault("%s: it is looked at still", box->name);
			expect_log("snbep", false);
			open_event(ev[0]->pmu->name, 2, p->config, 0, 0, NULL);
			if (wrong(open_errno != -ENODEV))
				fault("%s: error %d", box->name, open_errno);
			if (how % 2) {
				mock_cpu_down(2);
				mock_cpu_down(3);
			}
			mock_close(ev[0]);
			mock_close(ev[1]);
			end();
			mock_online = 15;
		}
	}
	result("a box whose function goes stands still and is left alone");
}

/* An event is closed while it is on its way to another CPU. */
static unsigned int steps;

static void close_on_the_way(void)
{
	unsigned int back = mock_cpu;

	/* It has left the old CPU. */
	if (++steps == 2)
		mock_close(ev[1]);
	mock_cpu = back;
}

static void disable_on_the_way(void)
{
	if (++steps == 2)
		ev[1]->disabled = true;
}

/* Only the socket's CPU may change the box. */
static void check_inside(void)
{
	struct snbep_box *inside =
		to_snbep_pmu(ev[0]->pmu)->box[box->socket];

	if (wrong(inside->cpu != inside->socket->cpu))
		fault("%s: CPU %u owns the box, and CPU %u counts its socket",
		      box->name, inside->cpu, inside->socket->cpu);
}

static void test_closed(void)
{
	const struct plain *p;

	for_each_plain(p) {
		unsigned int i;

		begin(1, p->box);
		ev[0] = open_on(p->config, 0, NULL);
		ev[1] = open_on(p->other, 0, NULL);
		pass(3);
		steps = 0;
		hooks.migrating = close_on_the_way;
		mock_cpu_down(2);
		hooks.migrating = NULL;
		if (wrong(enabled() != 1))
			fault("%s: %u counters go on", box->name, enabled());
		pass(3);
		last = 0;
		mock_read(ev[0], 3);
		if (wrong(count(ev[0]) != 6 * rate_of(p->config)))
			fault("%s: counted %llu", box->name,
			      (unsigned long long)count(ev[0]));
		/* Its counter is free for others. */
		for (i = 1; i < box->kind->counters; i++)
			ev[i] = open_on(p->config, 0, NULL);
		for (i = 1; i < box->kind->counters; i++)
			mock_close(ev[i]);
		/* One that is disabled instead stands still as well. */
		mock_cpu_up(2);
		/* The socket's CPU is who counts, not the first one again. */
		if (wrong(strcmp(mock_file(ev[0]->pmu, "", "cpumask") ?: "", "0,3\n")))
			fault("%s: cpumask is %s", box->name,
			      mock_file(ev[0]->pmu, "", "cpumask"));
		ev[1] = open_on(p->other, 0, NULL);
		steps = 0;
		hooks.migrating = disable_on_the_way;
		mock_cpu_down(3);
		hooks.migrating = NULL;
		if (wrong(enabled() != 1))
			fault("%s: %u counters go on", box->name, enabled());
		mock_close(ev[0]);
		/* Open, but not on: there is nothing to look at. */
		mock_timers();
		mock_cpu_up(3);
		mock_cpu_down(2);
		if (wrong(mock_timer_set(1)))
			fault("%s: looked at without need", box->name);
		mock_close(ev[1]);
		end();
	}
	result("an event that is closed on its way leaves its counter");
}

/* All CPUs of a socket go, and come back. */
static void test_cpus(void)
{
	const struct plain *p;

	for_each_plain(p) {
		char name[32];

		begin(1, p->box);
		snprintf(name, sizeof(name), "snbep_uncore_%s", p->box);
		ev[0] = open_event(name, 2, p->config, 0, 0, NULL);
		check_inside();
		mock_close(ev[0]);
		ev[0] = open_on(p->config, 0, NULL);
		if (wrong(ev[0]->cpu != 2))
			fault("%s: counted on CPU %d", box->name, ev[0]->cpu);
		pass(3);
		mock_cpu_down(2);
		if (wrong(ev[0]->cpu != 3 || !ev[0]->on))
			fault("%s: not taken along", box->name);
		pass(3);
		last = 0;
		mock_read(ev[0], 3);
		if (wrong(count(ev[0]) != 6 * rate_of(p->config)))
			fault("%s: counted %llu", box->name,
			      (unsigned long long)count(ev[0]));
		if (wrong(!mock_timer_set(1)))
			fault("%s: nobody looks at it", box->name);
		expect_log("snbep", false);
		mock_cpu_down(3);
		expect_log("snbep_uncore: socket 1 has no online CPU; its events stopped counting",
			   true);
		if (wrong(mock_timer_set(1)))
			fault("%s: a CPU that went looks at it", box->name);
		open_event(ev[0]->pmu->name, 3, p->config, 0, 0, NULL);
		if (wrong(open_errno != -ENODEV))
			fault("%s: error %d", box->name, open_errno);
		expect_log("CPU 3 is not online", true);
		mock_close(ev[0]);
		mock_cpu_up(3);
		mock_cpu_down(3);
		machine_tally(box);
		mock_cpu_up(2);
		if (wrong(box->reads || box->writes))
			fault("%s: looked for once more", box->name);
		mock_cpu_up(3);
		ev[0] = open_on(p->config, 0, NULL);
		check_inside();
		mock_close(ev[0]);
		mock_cpu_down(2);
		ev[0] = open_on(p->config, 0, NULL);
		if (wrong(ev[0]->cpu != 3))
			fault("%s: counted on CPU %d", box->name, ev[0]->cpu);
		last = 0;
		pass(3);
		mock_read(ev[0], 3);
		if (wrong(count(ev[0]) != 3 * rate_of(p->config)))
			fault("%s: counted %llu", box->name,
			      (unsigned long long)count(ev[0]));
		mock_cpu_up(2);
		check_inside();
		/* It stays where it is. */
		if (wrong(ev[0]->cpu != 3))
			fault("%s: it moved", box->name);
		mock_close(ev[0]);
		end();
		mock_online = 15;
	}
	result("events go along with CPUs, up to the last one");
}

/* A sleep after which firmware forgot memory-mapped configuration space */
static void test_lost(void)
{
	u64 n;

	begin(0, "qpi_0");
	ev[0] = open_on(0x14, 0, NULL);
	pass(2);
	mock_online = BIT(0);
	mock_suspend();
	n = count(ev[0]);
	machine_scramble(box);
	machine.ecam_lost = true;
	mock_resume();
	mock_online = 15;
	expect_log("socket 0 no longer responds", true);
	pass(3);
	mock_read(ev[0], 0);
	if (wrong(count(ev[0]) != n || n != 2 * rate_of(0x14)))
		fault("counted %llu, and %llu before the sleep",
		      (unsigned long long)count(ev[0]), (unsigned long long)n);
	open_event("snbep_uncore_qpi_0", 0, 0x14, 0, 0, NULL);
	if (wrong(open_errno != -ENODEV))
		fault("error %d", open_errno);
	mock_close(ev[0]);
	end();
	result("a box that a sleep takes away stands still");
}

/* A control need not read as it was written: the guide marks its fields RW-V. */
static void test_reads_other(void)
{
	const struct plain *p;
	struct perf_event *event;

	for_each_plain(p) {
		begin(1, p->box);
		machine.en_reads_0 = true;
		event = open_on(p->config, 0, NULL);
		pass(3);
		expect_more(event, 3 * rate_of(p->config));
		mock_sched_out(event);
		mock_sched_in(event);
		pass(5);
		expect_more(event, 5 * rate_of(p->config));
		mock_close(event);
		end();
	}
	result("a control that reads other than it was written loses no count");
}

void test_life(void)
{
	test_instant();
	test_carry();
	test_first();
	test_carries();
	test_nested();
	test_dead();
	test_cpus();
	test_closed();
	test_lost();
	test_reads_other();
}
