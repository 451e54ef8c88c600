// SPDX-License-Identifier: GPL-2.0-only
/*
 * A box and its events in hard times: others write its registers, its function
 * goes, CPUs go, the machine sleeps, a read comes in the middle of an access.
 */
#include "snbep/counters.h"
#include "snbep/pmus.h"
#include "tests.h"

static struct hw_box *box;
static struct perf_event *ev[8];
static u64 last;

static void begin(unsigned int socket, const char *name)
{
	mock_reset();
	box = machine_box(socket, name);
	if (mock_init())
		fault("the driver does not load");
	mock_interrupts();
	log_clear();
}

static void end(void)
{
	mock_interrupts();
	mock_cpu = mock_first(mock_online);
	mock_exit();
	mock_check_left();
}

/* Open an event of the box and have it counted. */
static struct perf_event *open_on(u64 config, u64 config1,
				  struct perf_event *leader)
{
	char name[32];
	struct perf_event *event;

	snprintf(name, sizeof(name), "snbep_uncore_%s", box->name);
	event = open_event(name, 2 * box->socket + 1, config, config1, 0,
			   leader);
	if (!event)
		fault("%s: event %#llx: error %d", box->name,
		      (unsigned long long)config, open_errno);
	else if (!leader && !mock_sched_in(event))
		fault("%s: event %#llx has no room", box->name,
		      (unsigned long long)config);
	return event;
}

static u64 count(struct perf_event *event)
{
	return event->count.a.a.v;
}

static void pass(u64 ticks)
{
	mock_cycles += ticks << 20;
	machine_tick(box, ticks);
}

/* The next read finds so many more than the last one did. */
static void expect_more(struct perf_event *event, u64 more)
{
	mock_read(event, 2 * box->socket);
	mock_interrupts();
	if (count(event) != last + more)
		fault("%s: counted %lld more, not %llu", box->name,
		      (long long)(count(event) - last),
		      (unsigned long long)more);
	last = count(event);
}

static void expect_log(const char *text, bool want)
{
	mock_interrupts();
	if (log_has(text) != want)
		fault("%s: the log has %s '%s'", box->name, want ? "no" : "a",
		      text);
}

/* Where the only event of the box counts */
static unsigned int used_ctr(void)
{
	unsigned int i;

	for (i = 0; i <= FIXED; i++) {
		if (box->ctl[i] & EN)
			return i;
	}
	fault("%s: no counter is in use", box->name);
	return 0;
}

static const struct plain {
	const char *box;
	u64 config, other;	/* two that any counter takes */
} plain[] = {
	{ "cbox_3", 0x00, 0x0100041b }, { "ha", 0x00, 0x0e },
	{ "imc_0", 0x01, 0x304 }, { "pcu", 0x00, 0x01 },
	{ "qpi_0", 0x14, 0x04 }, { "r2pcie", 0x01, 0x01840001 },
	{ "r3qpi_1", 0x01, 0x02000001 }, { "ubox", 0x44, 0x142 },
};

#define for_each_plain(p)						\
	for (p = plain; p < plain + ARRAY_SIZE(plain); p++)
#define WARNING	"another program writes the registers of this box"

static u64 rate_of(u64 config)
{
	u32 none[4] = { };

	return machine_rate(box->kind, 0, config | EN, none);
}

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
			u64 want = count(ev[0]);

			if (round % 4 == 0)
				mock_sched_in(ev[0]);
			mock_read_group(ev[0], 2 + round % 2);
			if (round % 4 == 3)
				mock_sched_out(ev[0]);
			if (count(ev[0]) <= want)
				fault("%s: nothing counts", box->name);
			for (i = 1; i < n; i++) {
				if (count(ev[i]) != count(ev[0]))
					fault("%s: member %u counted %llu, the leader %llu",
					      box->name, i,
					      (unsigned long long)count(ev[i]),
					      (unsigned long long)count(ev[0]));
			}
		}
		/* Read one by one they are not: nothing freezes for that. */
		mock_sched_in(ev[0]);
		machine_tally(box);
		mock_read(ev[0], 2);
		mock_read(ev[1], 2);
		if (box->writes)
			fault("%s: %u writes to read one event", box->name,
			      box->writes);
		mock_close(ev[0]);
		machine.creeps = false;
		end();
	}
	result("a group starts, is read and stops at one instant");
}

/* Another program wrote to the first member. The others are of one instant still. */
static void test_rest(void)
{
	unsigned int i;

	begin(0, "cbox_6");
	ev[0] = open_on(0x00, 0, NULL);
	for (i = 1; i < 4; i++)
		ev[i] = open_on(0x00, 0, ev[0]);
	mock_sched_out(ev[0]);
	mock_sched_in(ev[0]);
	for (i = 0; i < 4; i++)
		ev[i]->count.a.a.v = 0;
	pass(5);
	for (i = 0; i < 4; i++) {
		if (box->ctl[i] & EN)
			box->ctr[i] -= i == 3 ? 100 : 0;
	}
	machine.creeps = true;
	mock_read_group(ev[0], 1);
	machine.creeps = false;
	expect_log(WARNING, true);
	if (count(ev[1]) < 5 || count(ev[1]) != count(ev[2]) ||
	    count(ev[1]) != count(ev[3]))
		fault("%s: the others counted %llu, %llu and %llu", box->name,
		      (unsigned long long)count(ev[1]),
		      (unsigned long long)count(ev[2]),
		      (unsigned long long)count(ev[3]));
	mock_close(ev[0]);
	end();
	result("so are members beside one that another program wrote");
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
		for (at = 0; at < 64; at++) {
			unsigned int ctr;
			u64 before;

			begin(0, boxes[i]);
			ev[0] = open_on(config, 0, NULL);
			ctr = used_ctr();
			/* Carries soon, and with ticks this long often */
			pass(((1ull << 32) - box->ctr[ctr]) / rate_of(config) - at % 8);
			last = 0;
			mock_read(ev[0], 0);
			before = count(ev[0]);
			machine.creeps = true;
			pass(at / 8);
			mock_read(ev[0], 1);
			machine.creeps = false;
			if (count(ev[0]) < before ||
			    count(ev[0]) - before > 64 * rate_of(config))
				fault("%s: read %llu after %llu", box->name,
				      (unsigned long long)count(ev[0]),
				      (unsigned long long)before);
			mock_read(ev[0], 0);
			if ((u32)count(ev[0]) != (u32)box->ctr[ctr])
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
		if ((count(ev[0]) + start - box->ctr[used_ctr()]) % 0x80000000 ||
		    count(ev[0]) + start > box->ctr[used_ctr()])
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
static bool in_read;

static void read_in_nmi(struct hw_box *b)
{
	unsigned int cpu = mock_cpu;

	if (b != box || in_read || !reader || !reader->on)
		return;
	in_read = true;
	mock_nmi = true;
	nested++;
	mock_read(reader, cpu);
	mock_nmi = false;
	in_read = false;
	mock_cpu = cpu;
}

static void read_meanwhile(void)
{
	unsigned int cpu = mock_cpu;

	/* Another CPU would wait for the lock, and read afterwards. */
	if (in_read || !reader || mock_locks)
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
		for (how = 0; how < 4; how++) {
			begin(0, p->box);
			machine.no_ecam = how == 3;
			if (machine.no_ecam) {
				mock_exit();
				mock_check_left();
				mock_init();
				log_clear();
			}
			nested = 0;
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
				if (count(ev[0]) != want)
					fault("%s: counted %llu, not %llu",
					      box->name,
					      (unsigned long long)count(ev[0]),
					      (unsigned long long)want);
				mock_read_group(ev[0], i % 2);
				mock_timers();
				mock_close(ev[1]);
				if (count(ev[0]) != want)
					fault("%s: then %llu, not %llu",
					      box->name,
					      (unsigned long long)count(ev[0]),
					      (unsigned long long)want);
			}
			hooks.race = NULL;
			machine.access = NULL;
			if (nested < 10)
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
			expect_log("socket 1 does not answer any more", true);
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
			if (box->reads || box->writes)
				fault("%s, %u: a dead box is accessed: %u reads, %u writes",
				      box->name, how, box->reads, box->writes);
			if (count(ev[0]) != n)
				fault("%s, %u: its count goes on", box->name,
				      how);
			if (mock_timer_set(1))
				fault("%s: it is looked at still", box->name);
			expect_log("snbep", false);
			open_event(ev[0]->pmu->name, 2, p->config, 0, 0, NULL);
			if (open_errno != -ENODEV)
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

/* Another program writes a counter, a control, a filter, the box control. */
static void test_disturbed(void)
{
	const struct plain *p;

	for_each_plain(p) {
		u64 rate;
		unsigned int c;

		begin(0, p->box);
		rate = rate_of(p->config);
		ev[0] = open_on(p->config, 0, NULL);
		c = used_ctr();
		last = 0;
		pass(5);
		expect_more(ev[0], 5 * rate);
		/* No more than the counter can have moved, and it is believed. */
		box->ctr[c] += BIT(24) - 1;
		expect_more(ev[0], BIT(24) - 1);
		expect_log(WARNING, false);
		box->ctr[c] += BIT(43) - 1000;
		expect_more(ev[0], 0);
		expect_log(WARNING, true);
		log_clear();
		c = used_ctr();
		pass(5);
		expect_more(ev[0], 5 * rate);
		/* Backward */
		box->ctr[c] -= 3;
		expect_more(ev[0], 0);
		c = used_ctr();
		pass(5);
		expect_more(ev[0], 5 * rate);
		/* At its end, too */
		box->ctr[c] -= 3;
		mock_sched_out(ev[0]);
		mock_sched_in(ev[0]);
		expect_more(ev[0], 0);
		c = used_ctr();
		pass(5);
		expect_more(ev[0], 5 * rate);
		/* Once is enough. */
		expect_log("snbep", false);

		/* A control, found when the counter stood still for a second */
		box->ctl[c] ^= 0x01000000;
		box->ctl[c] &= ~EN;
		mock_cycles += BIT_ULL(31) - 1000;
		expect_more(ev[0], 0);
		if (box->ctl[c] & EN)
			fault("%s: repaired before a second is over",
			      box->name);
		mock_cycles += 2000;
		expect_more(ev[0], 0);
		c = used_ctr();
		pass(5);
		expect_more(ev[0], 5 * rate);
		/* One bit of it: found by the look of each minute */
		box->ctl[c] ^= 0x01000000;
		mock_timers();
		last = count(ev[0]);
		pass(5);
		expect_more(ev[0], 5 * rate);
		if (box->kind->reset >= 0) {
			box->box_ctl |= FRZ | FRZ_EN;
			pass(BIT(12));
			expect_more(ev[0], 0);
			pass(5);
			expect_more(ev[0], 5 * rate);
			box->box_ctl |= FRZ | FRZ_EN;
			mock_timers();
			pass(5);
			expect_more(ev[0], 5 * rate);
			/* Without frz_en a freeze would not freeze. */
			box->box_ctl = 0;
			mock_timers();
			if (!(box->box_ctl & FRZ_EN))
				fault("%s: frz_en is left as 0", box->name);
		}
		mock_close(ev[0]);
		end();
		last = 0;
	}
	result("what others write is not counted, and set up again");
}

extern bool snbep_check_counts;

/* The driver asks for the time twice before it looks how much has passed. */
#define LOOK	40

static void expect_limit(u64 elapsed, u64 limit)
{
	unsigned int c = used_ctr(), more;

	for (more = 0; more < 2; more++) {
		/* One that stands still is not noted. */
		box->ctr[c]++;
		mock_read(ev[0], 2 * box->socket);
		last = count(ev[0]);
		/* Within half of its way round, where differences are plain */
		mock_cycles += elapsed - LOOK;
		/* What is too much is looked at again, some cycles later. */
		box->ctr[c] = (box->ctr[c] + limit + 16384 * more) &
			      (BIT_ULL(box->kind->width) - 1);
		expect_more(ev[0], more ? 0 : limit);
		expect_log(WARNING, more);
		if (more) {
			mock_close(ev[0]);
			end();
			begin(0, box->name);
		}
	}
}

/* A leap of the event before is not counted for the one that comes after. */
static void test_leap(void)
{
	struct perf_event *other;

	begin(0, "cbox_0");
	other = open_on(0x113, 0, NULL);
	ev[0] = open_on(0x213, 0, NULL);
	ev[1] = open_event("snbep_uncore_cbox_0", 0, 0x836, 0, 0, NULL);
	box->ctr[0]++;
	mock_read(ev[0], 0);
	/* Too much for it, and not for the other, which may add 20 a cycle */
	box->ctr[0] += BIT(24) + 1000;
	mock_disable(ev[0]->pmu, 0);
	mock_sched_out(ev[0]);
	mock_sched_in(ev[1]);
	mock_enable(ev[0]->pmu, 0);
	mock_cycles += 1000;
	mock_read(ev[1], 0);
	if (count(ev[0]) != 1 || count(ev[1]))
		fault("%s: a leap is counted: %llu, %llu", box->name,
		      (unsigned long long)count(ev[0]),
		      (unsigned long long)count(ev[1]));
	expect_log(WARNING, true);
	mock_close(other);
	mock_close(ev[0]);
	mock_close(ev[1]);
	end();
	/* Of two that stop the first has leapt. */
	begin(0, "cbox_0");
	ev[0] = open_on(0x113, 0, NULL);
	ev[1] = open_on(0x213, 0, NULL);
	box->ctr[0] -= 7;
	mock_disable(ev[0]->pmu, 0);
	mock_sched_out(ev[0]);
	mock_sched_out(ev[1]);
	mock_enable(ev[0]->pmu, 0);
	expect_log(WARNING, true);
	mock_close(ev[0]);
	mock_close(ev[1]);
	end();
	result("a leap is seen where events change, and counted for none");
}

/* Looked at more closely when it has not moved for 2^31 cycles, no earlier */
static void test_quiet(void)
{
	unsigned int more;

	begin(0, "cbox_0");
	ev[0] = open_on(0x00, 0, NULL);
	for (more = 0; more < 2; more++) {
		box->ctr[used_ctr()]++;
		mock_read(ev[0], 0);
		/* 20 more pass until it is looked at. */
		mock_cycles += BIT_ULL(31) - 20 + more;
		machine_tally(box);
		mock_read(ev[0], 0);
		if (!!box->writes != more)
			fault("%s: %u writes after a second less %d cycles",
			      box->name, box->writes, 1 - more);
	}
	/* And not again for as long */
	machine_tally(box);
	mock_read(ev[0], 1);
	if (box->writes)
		fault("%s: looked at again at once", box->name);
	mock_close(ev[0]);
	end();
	result("a counter that stands still is looked at once a second");
}

static void test_plausible(void)
{
	static const struct {
		const char *box;
		u64 config;
		unsigned int max_inc;	/* by the guide's tables */
	} uses[] = {
		{ "cbox_0", 0x00, 1 }, { "cbox_0", 0x836, 20 },
		{ "ha", 0x215, 4 }, { "pcu", 0x4080, 8 },
	};
	unsigned int i, c;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		u64 half;

		begin(0, uses[i].box);
		half = BIT_ULL(box->kind->width - 1);
		ev[0] = open_on(uses[i].config, 0, NULL);
		expect_limit(1000, BIT(24) + 4000 * uses[i].max_inc);
		ev[0] = open_on(uses[i].config, 0, NULL);
		expect_limit(BIT(30), BIT(24) + BIT_ULL(32) * uses[i].max_inc);
		/* In more than a minute it gets nearly half round, and no more. */
		ev[0] = open_on(uses[i].config, 0, NULL);
		expect_limit(BIT_ULL(40), half);
		if (uses[i].max_inc == 1) {
			ev[0] = open_on(uses[i].config, 0, NULL);
			expect_limit(BIT_ULL(40) - 1000,
				     BIT(24) + BIT_ULL(42) - 4000);
		}
		/* Who knows better says so. */
		snbep_check_counts = false;
		ev[0] = open_on(uses[i].config, 0, NULL);
		c = used_ctr();
		last = 0;
		mock_read(ev[0], 0);
		last = count(ev[0]);
		box->ctr[c] += half + 17;
		box->ctr[c] &= 2 * half - 1;
		expect_more(ev[0], half + 17);
		expect_log(WARNING, false);
		snbep_check_counts = true;
		mock_close(ev[0]);
		end();
	}
	last = 0;
	result("a counter is believed up to what its event can have counted");
}

/* A filter that another program changed */
static void test_filters(void)
{
	static const struct {
		const char *box;
		u64 config, config1;
		unsigned int reg;
		u32 bit, other;	/* that the event looks at, and not */
	} uses[] = {
		{ "cbox_0", 0x335, 0x182ull << 23, 0, 1 << 30, 1 << 10 },
		{ "ha", 0x320, 0x123456789000, 0, 1 << 13, 0 },
		{ "ha", 0x320, 0x123456789000, 1, 1 << 13, 0 },
		{ "ha", 0x320, 0x123456789000, 2, 1 << 5, 0 },
		{ "pcu", 0x0b, 0x21, 0, 1 << 7, 1 << 8 },
		{ "qpi_1", 0x200038, 0, 0, 1 << 3, 0 },
		{ "qpi_1", 0x200038, 0, 1, 1 << 19, 0 },
		{ "qpi_1", 0x200038, 0, 2, 1u << 31, 0 },
		{ "qpi_1", 0x200038, 0, 3, 1 << 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		u32 was;
		u64 n;

		begin(1, uses[i].box);
		ev[0] = open_on(uses[i].config, uses[i].config1, NULL);
		was = box->filter[uses[i].reg];
		pass(4);
		mock_read(ev[0], 2);
		n = count(ev[0]) / 4;
		box->filter[uses[i].reg] ^= uses[i].other;
		mock_timers();
		expect_log(WARNING, false);
		box->filter[uses[i].reg] ^= uses[i].bit;
		mock_timers();
		expect_log(WARNING, true);
		if (box->filter[uses[i].reg] != was)
			fault("%s: filter %u is not written again",
			      box->name, uses[i].reg);
		last = count(ev[0]);
		pass(4);
		expect_more(ev[0], 4 * n);
		mock_close(ev[0]);
		/* Nor is it believed when the next event comes. */
		box->filter[uses[i].reg] ^= uses[i].bit;
		ev[0] = open_on(uses[i].config, uses[i].config1, NULL);
		last = 0;
		pass(4);
		expect_more(ev[0], 4 * n);
		mock_close(ev[0]);
		end();
	}
	result("a filter that others change is written again");
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

/* Only the socket's CPU may read without the lock. */
static void check_inside(void)
{
	struct snbep_counters *inside =
		to_counters(to_snbep_pmu(ev[0]->pmu)->box[box->socket]);

	if (inside->fast_cpu != -1 && inside->fast_cpu != inside->box.cpu)
		fault("%s: CPU %d reads without the lock, and CPU %d changes it",
		      box->name, inside->fast_cpu, inside->box.cpu);
}

static unsigned int enabled(void)
{
	unsigned int i, on = 0;

	for (i = 0; i <= FIXED; i++)
		on += !!(box->ctl[i] & EN);
	return on;
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
		if (enabled() != 1)
			fault("%s: %u counters go on", box->name, enabled());
		pass(3);
		last = 0;
		mock_read(ev[0], 3);
		if (count(ev[0]) != 6 * rate_of(p->config))
			fault("%s: counted %llu", box->name,
			      (unsigned long long)count(ev[0]));
		/* Its counter is free for others. */
		for (i = 1; i < box->kind->counters; i++)
			ev[i] = open_on(p->config, 0, NULL);
		for (i = 1; i < box->kind->counters; i++)
			mock_close(ev[i]);
		/* One that is disabled instead stands still as well. */
		mock_cpu_up(2);
		ev[1] = open_on(p->other, 0, NULL);
		steps = 0;
		hooks.migrating = disable_on_the_way;
		mock_cpu_down(3);
		hooks.migrating = NULL;
		if (enabled() != 1)
			fault("%s: %u counters go on", box->name, enabled());
		mock_close(ev[0]);
		/* Open, but not on: there is nothing to look at. */
		mock_timers();
		mock_cpu_up(3);
		mock_cpu_down(2);
		if (mock_timer_set(1))
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
		if (ev[0]->cpu != 2)
			fault("%s: counted on CPU %d", box->name, ev[0]->cpu);
		pass(3);
		mock_cpu_down(2);
		if (ev[0]->cpu != 3 || !ev[0]->on)
			fault("%s: not taken along", box->name);
		pass(3);
		last = 0;
		mock_read(ev[0], 3);
		if (count(ev[0]) != 6 * rate_of(p->config))
			fault("%s: counted %llu", box->name,
			      (unsigned long long)count(ev[0]));
		if (!mock_timer_set(1))
			fault("%s: nobody looks at it", box->name);
		expect_log("snbep", false);
		mock_cpu_down(3);
		expect_log("snbep_uncore: socket 1 has no CPU left to count it from",
			   true);
		if (mock_timer_set(1))
			fault("%s: a CPU that went looks at it", box->name);
		open_event(ev[0]->pmu->name, 3, p->config, 0, 0, NULL);
		if (open_errno != -ENODEV)
			fault("%s: error %d", box->name, open_errno);
		expect_log("CPU 3 is not online", true);
		mock_close(ev[0]);
		mock_cpu_up(3);
		mock_cpu_down(3);
		machine_tally(box);
		mock_cpu_up(2);
		if (box->reads || box->writes)
			fault("%s: looked for once more", box->name);
		mock_cpu_up(3);
		ev[0] = open_on(p->config, 0, NULL);
		check_inside();
		mock_close(ev[0]);
		mock_cpu_down(2);
		ev[0] = open_on(p->config, 0, NULL);
		if (ev[0]->cpu != 3)
			fault("%s: counted on CPU %d", box->name, ev[0]->cpu);
		last = 0;
		pass(3);
		mock_read(ev[0], 3);
		if (count(ev[0]) != 3 * rate_of(p->config))
			fault("%s: counted %llu", box->name,
			      (unsigned long long)count(ev[0]));
		mock_cpu_up(2);
		check_inside();
		/* It stays where it is. */
		if (ev[0]->cpu != 3)
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
	begin(0, "qpi_0");
	ev[0] = open_on(0x14, 0, NULL);
	ev[1] = open_on(0x200038, 0, NULL);
	pass(2);
	mock_online = BIT(0);
	mock_suspend();
	machine_scramble(box);
	memset(box->filter, 0x55, sizeof(box->filter));
	machine.ecam_lost = true;
	machine.no_ecam = true;
	mock_resume();
	mock_online = 15;
	expect_log("its packet filters are out of reach", true);
	log_clear();
	last = 2 * rate_of(0x14);
	pass(3);
	expect_more(ev[0], 3 * rate_of(0x14));
	mock_read(ev[1], 0);
	if (count(ev[1]) != 2 * rate_of(0x200038))
		fault("it counts without its filter");
	open_event("snbep_uncore_qpi_0", 0, 0x200038, 0, 0, NULL);
	if (open_errno != -EOPNOTSUPP)
		fault("error %d", open_errno);
	expect_log("packet filters of socket 0 cannot be reached", true);
	/* The next sleep is better: it counts on. */
	mock_online = BIT(0);
	mock_suspend();
	machine_scramble(box);
	machine.ecam_lost = false;
	machine.ports = true;
	machine.no_ecam = false;
	mock_resume();
	mock_online = 15;
	pass(3);
	mock_read(ev[1], 0);
	if (count(ev[1]) != 5 * rate_of(0x200038))
		fault("it does not count on with its filter: %llu",
		      (unsigned long long)count(ev[1]));
	mock_close(ev[0]);
	mock_close(ev[1]);
	end();
	result("packet filters that a sleep takes away are not counted without");
}

void test_life(void)
{
	test_instant();
	test_rest();
	test_carry();
	test_carries();
	test_nested();
	test_dead();
	test_disturbed();
	test_plausible();
	test_leap();
	test_quiet();
	test_filters();
	test_cpus();
	test_closed();
	test_lost();
}
