// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another program writes the registers of a box in use: what its event counted is
 * not taken for ours where that can be seen, and then the box is set up again.
 */
#include "tests.h"

static struct perf_event *ev[8];

/* For how long reads and stops take the registers to be what was written */
#define READS	BIT_ULL(32)
#define STOPS	BIT_ULL(28)
/* Less than time goes by between two calls of the driver's */
#define MOMENT	1000
/* What a counter may move by without its control being looked at */
#define MANY	BIT_ULL(24)

/* The counter that has this control; and another program takes it for its own. */
static unsigned int ctr_of(u64 config)
{
	unsigned int c;

	for (c = 0; c < FIXED && box->ctl[c] != (config | EN); c++)
		;
	if (c == FIXED)
		fault("%s: no counter counts event %#llx", box->name,
		      (unsigned long long)config);
	return c;
}

static u64 take_over(u64 config)
{
	unsigned int c = ctr_of(config);

	/* Of the same event, with another threshold */
	box->ctl[c] ^= 0x02000000;
	return rate_of(box->ctl[c] & ~EN);
}

static void read_by(unsigned int how)
{
	switch (how) {
	case 0:		/* The CPU that may read without the lock */
		mock_read(ev[0], 2 * box->socket);
		break;
	case 1:
		mock_read(ev[0], 2 * box->socket + 1);
		break;
	case 2:
		mock_read_group(ev[0], 2 * box->socket);
		break;
	case 3:
		mock_timers();
		break;
	}
	mock_interrupts();
}

/*
 * It counts an event of its own, and the counter moves: seen by the next read
 * two seconds after the last look, and sooner once it is known that there is one.
 */
static void test_taken(void)
{
	const struct plain *p;
	unsigned int how;
	u64 all, n;

	for_each_plain(p) {
		for (how = 0; how < 4; how++) {
			u64 theirs, rate, other;

			begin(0, p->box);
			rate = rate_of(p->config);
			other = rate_of(p->other);
			ev[0] = open_on(p->config, 0, NULL);
			ev[1] = open_on(p->other, 0, ev[0]);
			pass(3);
			expect_more(ev[0], 3 * rate);
			theirs = take_over(p->config);
			all = 3;
			if (how < 3) {
				mock_cycles += READS - 4 * TICK - MOMENT;
				pass(1);
				all++;
				expect_more(ev[0], theirs);
				expect_log(WARNING, false);
				mock_cycles += MOMENT;
			}
			pass(2);
			read_by(how);
			expect_log(WARNING, true);
			log_clear();
			expect_more(ev[0], 0);
			pass(5);
			expect_more(ev[0], 5 * rate);
			all += 7;
			/* Now reads look as soon as stops do. */
			n = last;
			take_over(p->config);
			mock_cycles += STOPS - 5 * TICK - 2 * MOMENT;
			expect_more(ev[0], 0);
			mock_cycles += 2 * MOMENT;
			pass(2);
			read_by(how);
			expect_more(ev[0], 0);
			pass(1);
			expect_more(ev[0], rate);
			all += 3;
			/* Once is enough. */
			expect_log("snbep", false);
			/* The one beside it has lost nothing. */
			mock_read(ev[1], 0);
			if (count(ev[1]) != all * other)
				fault("%s: the other one counted %llu, not %llu",
				      box->name,
				      (unsigned long long)count(ev[1]),
				      (unsigned long long)(all * other));
			if (last != n + rate)
				fault("%s: read %llu after %llu", box->name,
				      (unsigned long long)last,
				      (unsigned long long)n);
			mock_close(ev[0]);
			end();
		}
	}
	result("a counter that counts another's event is seen by a read");
}

/* The same at its end, where that is a quarter of a second or so after the last look */
static void test_stopped(void)
{
	const struct plain *p;
	unsigned int beside, late;

	for_each_plain(p) {
		for (beside = 0; beside < 4; beside++) {
			u64 theirs, rate = 0, n, other;

			late = beside % 2;
			begin(1, p->box);
			rate = rate_of(p->config);
			ev[0] = open_on(p->config, 0, NULL);
			ev[1] = open_on(p->other, 0, NULL);
			if (beside < 2)
				mock_sched_out(ev[1]);
			pass(3);
			theirs = take_over(p->config);
			/* Both, but the other one stays on. */
			if (beside == 3)
				take_over(p->other);
			mock_cycles += STOPS - 5 * TICK - MOMENT +
				       late * 2 * MOMENT;
			pass(2);
			mock_sched_out(ev[0]);
			expect_log(WARNING, late);
			n = late ? 0 : 3 * rate + 2 * theirs;
			if (count(ev[0]) != n)
				fault("%s: counted %llu, not %llu", box->name,
				      (unsigned long long)count(ev[0]),
				      (unsigned long long)n);
			if (beside < 2 && enabled())
				fault("%s: a counter goes on", box->name);
			mock_sched_in(ev[0]);
			pass(2);
			mock_sched_out(ev[0]);
			if (count(ev[0]) != n + 2 * rate)
				fault("%s: counted %llu anew, not %llu",
				      box->name,
				      (unsigned long long)count(ev[0]) - n,
				      (unsigned long long)(2 * rate));
			/* What was read last of that one was nothing. */
			other = beside == 3 ? 2 : beside == 2 ? 7 : 0;
			mock_sched_out(ev[1]);
			if (count(ev[1]) != other * rate_of(p->other))
				fault("%s: the other one counted %llu, not %llu",
				      box->name,
				      (unsigned long long)count(ev[1]),
				      (unsigned long long)other *
				      rate_of(p->other));
			mock_close(ev[0]);
			mock_close(ev[1]);
			end();
		}
	}
	result("a counter that counts another's event is seen as its own stops");
}

/* A group of the same events comes in its place, while the box is frozen. */
static void test_passed(void)
{
	const struct plain *p;
	unsigned int i;

	for_each_plain(p) {
		begin(0, p->box);
		for (i = 0; i < 4; i++)
			ev[i] = try_open(i % 2 ? p->other : p->config, 0,
					 i % 2 ? ev[i - 1] : NULL);
		mock_sched_in(ev[0]);
		pass(3);
		take_over(p->other);
		mock_cycles += STOPS;
		mock_disable(ev[0]->pmu, 0);
		mock_sched_out(ev[0]);
		mock_sched_in(ev[2]);
		mock_enable(ev[0]->pmu, 0);
		expect_log(WARNING, true);
		ctr_of(p->config);
		ctr_of(p->other);
		pass(2);
		mock_read_group(ev[2], 0);
		if (count(ev[0]) != 3 * rate_of(p->config) || count(ev[1]) ||
		    count(ev[2]) != 2 * rate_of(p->config) ||
		    count(ev[3]) != 2 * rate_of(p->other))
			fault("%s: counted %llu, %llu, and %llu, %llu",
			      box->name, (unsigned long long)count(ev[0]),
			      (unsigned long long)count(ev[1]),
			      (unsigned long long)count(ev[2]),
			      (unsigned long long)count(ev[3]));
		mock_close(ev[0]);
		mock_close(ev[2]);
		end();
	}
	result("what counted another's event passes on as ours");
}

/*
 * A counter that moved by much has its control compared at once, if its event
 * is not a clock, nothing was compared a moment ago, and it was not stopped.
 */
static void test_much(void)
{
	static const struct {
		const char *box;
		u64 config;
		bool clock;	/* by the guide's tables */
	} uses[] = {
		{ "cbox_7", 0x00, true }, { "cbox_7", 0x113, false },
		{ "ha", 0x00, true }, { "ha", 0x0e, false },
		{ "imc_3", 0x00, true }, { "imc_3", 0xff, true },
		{ "imc_3", 0x304, false }, { "pcu", 0x00, true },
		{ "pcu", 0x01, false }, { "qpi_0", 0x14, true },
		{ "qpi_0", 0x04, false }, { "r2pcie", 0x01, true },
		{ "r2pcie", 0x24, false }, { "r3qpi_0", 0x01, true },
		{ "r3qpi_0", 0x113, false }, { "ubox", 0xff, true },
		{ "ubox", 0x44, false },
	};
	unsigned int i, c, reads, step;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		begin(0, uses[i].box);
		machine.tidy = true;
		ev[0] = open_on(uses[i].config, 0, NULL);
		c = used_ctr();
		reads = box->pdev ? 2 : 1;
		for (step = 0; step < 5; step++) {
			/* The last look was a moment ago, or long before. */
			mock_cycles += step == 0 ? MANY / 2 :
				       step == 3 ? READS : 2 * MANY;
			box->ctr[c] += step == 1 ? MANY : MANY + 1;
			machine_tally(box);
			if (step < 4)
				expect_more(ev[0], MANY + (step != 1));
			else
				mock_sched_out(ev[0]);
			/* With the third, all that is in use is compared. */
			if (box->reads != reads +
			    (step == 3 || (step == 2 && !uses[i].clock)))
				fault("%s: event %#llx, step %u: %u reads",
				      box->name,
				      (unsigned long long)uses[i].config, step,
				      box->reads);
		}
		expect_log(WARNING, false);
		if (count(ev[0]) != last + MANY + 1)
			fault("%s: its last count is %llu", box->name,
			      (unsigned long long)(count(ev[0]) - last));
		mock_close(ev[0]);
		end();
		/* Its control is another's now. */
		begin(0, uses[i].box);
		ev[0] = open_on(uses[i].config, 0, NULL);
		c = used_ctr();
		mock_cycles += 2 * MANY;
		box->ctl[c] ^= c == FIXED ? EN : 0x02000000;
		box->ctr[c] += MANY + 1;
		expect_more(ev[0], uses[i].clock ? MANY + 1 : 0);
		expect_log(WARNING, !uses[i].clock);
		mock_close(ev[0]);
		end();
		/* It was only disabled, and had counted before that. */
		begin(0, uses[i].box);
		ev[0] = open_on(uses[i].config, 0, NULL);
		c = used_ctr();
		mock_cycles += 2 * MANY;
		box->ctl[c] &= ~EN;
		box->ctr[c] += MANY + 1;
		expect_more(ev[0], MANY + 1);
		expect_log(WARNING, false);
		mock_close(ev[0]);
		end();
	}
	result("a counter that moves by much is looked at, unless it has to");
}

/* The function goes between two accesses: that is no other program. */
static unsigned int accesses;

static void goes_after(struct hw_box *b)
{
	if (b == box && !--accesses)
		box->pdev->there = false;
}

static void test_gone(void)
{
	static const struct {
		unsigned int accesses;
		u64 cycles;
	} uses[] = {
		/* The control after the counter; controls before that; or all */
		{ 2, 2 * BIT_ULL(24) }, { 1, BIT_ULL(33) }, { 0, BIT_ULL(33) },
	};
	unsigned int i;

	/* On the CPU that may read without the lock, and on the other one */
	for (i = 0; i < 2 * ARRAY_SIZE(uses); i++) {
		begin(0, "ha");
		/* A counter takes no more than two accesses. */
		machine.tidy = true;
		ev[0] = open_on(0x0e, 0, NULL);
		ev[1] = open_on(0x215, 0, NULL);
		mock_cycles += uses[i / 2].cycles;
		box->ctr[ctr_of(0x0e)] += MANY + 1;
		accesses = uses[i / 2].accesses;
		box->pdev->there = accesses;
		machine.access = goes_after;
		mock_read(ev[0], i % 2);
		machine.access = NULL;
		mock_read(ev[0], 0);
		expect_log("socket 0 does not answer any more", true);
		expect_log(WARNING, false);
		mock_close(ev[0]);
		mock_close(ev[1]);
		end();
	}
	result("a function that goes meanwhile is not taken for another program");
}

/* A filter is another's: for the events that look at it, and not for the rest. */
static void test_filtered(void)
{
	unsigned int stop;

	for (stop = 0; stop < 3; stop++) {
		u64 n, other;

		begin(0, "cbox_0");
		ev[0] = open_on(0x335, 0x182ull << 23, NULL);
		ev[1] = open_on(0x113, 0, NULL);
		/* One that looks at another field of the same register */
		ev[2] = open_on(1 << 19, 3, NULL);
		pass(3);
		mock_read(ev[0], 0);
		n = count(ev[0]);
		mock_read(ev[1], 0);
		mock_read(ev[2], 0);
		other = count(ev[2]);
		/* The one that stops may be the last that looks at any filter. */
		if (stop == 2)
			mock_sched_out(ev[2]);
		box->filter[0] ^= 1 << 30;
		mock_cycles += stop ? STOPS : READS;
		pass(2);
		if (stop)
			mock_sched_out(ev[0]);
		else
			mock_read(ev[0], 0);
		expect_log(WARNING, true);
		if (count(ev[0]) != n)
			fault("counted %llu with another's filter",
			      (unsigned long long)(count(ev[0]) - n));
		pass(2);
		mock_sched_in(ev[0]);
		mock_sched_in(ev[2]);
		pass(6);
		mock_read(ev[0], 0);
		mock_read(ev[1], 0);
		if (3 * (count(ev[0]) - n) != (stop ? 6 : 8) * n)
			fault("then %llu with its own",
			      (unsigned long long)(count(ev[0]) - n));
		mock_read(ev[2], 0);
		if (count(ev[1]) != 13 * rate_of(0x113) ||
		    3 * count(ev[2]) != (stop == 2 ? 9 : 13) * other)
			fault("the others counted %llu and %llu",
			      (unsigned long long)count(ev[1]),
			      (unsigned long long)count(ev[2]));
		mock_close(ev[0]);
		mock_close(ev[1]);
		mock_close(ev[2]);
		end();
	}
	result("a filter that is another's spoils the counts that look at it");
}

/*
 * A freeze is believed of a box control that then shows what is written to it,
 * sixteen times; one that once does not has noise in those bits.
 */
static unsigned int shown, good;

static u32 show_box_ctl(void)
{
	if (!shown++)
		return FRZ | FRZ_EN;
	return shown <= good + 1 ? FRZ_EN : FRZ;
}

static void test_belief(void)
{
	unsigned int n;

	for (n = 0; n < 18; n++) {
		begin(0, n % 2 ? "ha" : "cbox_2");
		ev[0] = open_on(0x00, 0, NULL);
		mock_cycles += BIT_ULL(31);
		box->box_ctl = FRZ | FRZ_EN;
		shown = 0;
		good = n;
		machine.box_ctl = show_box_ctl;
		mock_read(ev[0], 0);
		machine.box_ctl = NULL;
		if (box->box_ctl != FRZ_EN)
			fault("%s: it stays frozen", box->name);
		expect_log(WARNING, n >= 16);
		mock_close(ev[0]);
		end();
	}
	result("a freeze is believed where the register reads back");
}

/* Another program wrote to the first member. The others are of one instant still. */
static void test_rest(void)
{
	unsigned int i, polled;

	/* Found by a read of the group, and by the look of each minute */
	for (polled = 0; polled < 2; polled++) {
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
		if (polled)
			mock_timers();
		else
			mock_read_group(ev[0], 1);
		machine.creeps = false;
		expect_log(WARNING, true);
		mock_read_group(ev[0], 0);
		if (count(ev[1]) < 5 || count(ev[1]) != count(ev[2]) ||
		    count(ev[1]) != count(ev[3]))
			fault("%s: the others counted %llu, %llu and %llu",
			      box->name, (unsigned long long)count(ev[1]),
			      (unsigned long long)count(ev[2]),
			      (unsigned long long)count(ev[3]));
		mock_close(ev[0]);
		end();
	}
	result("so are members beside one that another program wrote");
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
		used_ctr();
		pass(5);
		expect_more(ev[0], 5 * rate);
		/* Once is enough. */
		expect_log("snbep", false);

		mock_close(ev[0]);
		end();
		/* A control, found when the counter stood still for a second */
		begin(0, p->box);
		ev[0] = open_on(p->config, 0, NULL);
		pass(1);
		expect_more(ev[0], rate);
		c = used_ctr();
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
	}
	result("what others write is not counted, and set up again");
}

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
		box->ctr[c] = (box->ctr[c] + limit + BIT(17) * more) &
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
	unsigned int ctr;

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
	/* Of two that stop the one or the other has leapt. */
	for (ctr = 0; ctr < 2; ctr++) {
		begin(0, "cbox_0");
		ev[0] = open_on(0x113, 0, NULL);
		ev[1] = open_on(0x213, 0, NULL);
		box->ctr[ctr] -= 7;
		mock_disable(ev[0]->pmu, 0);
		mock_sched_out(ev[0]);
		mock_sched_out(ev[1]);
		mock_enable(ev[0]->pmu, 0);
		expect_log(WARNING, true);
		mock_close(ev[0]);
		mock_close(ev[1]);
		end();
	}
	result("a leap is seen where events change, and counted for none");
}

/*
 * Another program only clears the enable bit. The counter stands still, and is found
 * by the look of each minute and by a read after a second, and counts again.
 */
static void test_disabled(void)
{
	const struct plain *p;
	unsigned int how;

	for_each_plain(p) {
		for (how = 0; how < 2; how++) {
			unsigned int c;

			begin(0, p->box);
			ev[0] = open_on(p->config, 0, NULL);
			c = used_ctr();
			pass(1);
			expect_more(ev[0], rate_of(p->config));
			box->ctl[c] &= ~EN;
			mock_cycles += BIT_ULL(31) + MOMENT;
			if (how)
				mock_timers();
			else
				mock_read(ev[0], 0);
			expect_log(WARNING, true);
			last = count(ev[0]);
			pass(4);
			expect_more(ev[0], 4 * rate_of(p->config));
			mock_close(ev[0]);
			end();
		}
	}
	result("a counter that another program stops counts again");
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
	/* Nor where nothing has been compared since it started */
	begin(0, "cbox_0");
	ev[0] = open_on(0x00, 0, NULL);
	mock_cycles += BIT_ULL(31) + MOMENT;
	mock_read(ev[0], 0);
	machine_tally(box);
	mock_read(ev[0], 0);
	if (box->writes)
		fault("%s: looked at twice", box->name);
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
		/* Not in Table 2-94, see Documentation/snbep-guide-errata.rst */
		{ "qpi_0", 0x07, 128 },
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

/* Entries of a queue, summed over cycles: that there are some is no reason to worry. */
static void test_occupied(void)
{
	unsigned int second;

	begin(0, "qpi_1");
	ev[0] = open_on(0x07, 0, NULL);
	for (second = 0; second < 50; second++) {
		/* A dozen of them all the time */
		mock_cycles += BIT_ULL(31);
		box->ctr[used_ctr()] += 12 * BIT_ULL(31);
		expect_more(ev[0], 12 * BIT_ULL(31));
	}
	expect_log(WARNING, false);
	mock_close(ev[0]);
	end();
	result("a queue that is not empty counts");
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

/*
 * Another program is noticed while perf has an event off for a moment, by a read of
 * another one, in an NMI or on another CPU. What counts has its filter again, and not
 * what is scheduled: the event that was off comes back, or one with another value.
 */
static void test_off(void)
{
	static const struct {
		const char *box;
		u64 config, value[2], other[2], plain;
	} uses[] = {
		{ "cbox_0", 0x4a35, { 2 << 10 }, { 4 << 10 }, 0x113 },
		{ "ha", 0x320, { 0x123456789000, 0x15 }, { 0x1000, 0x2a }, 0x0e },
		{ "qpi_1", 0x200038, { 0x5000b00000000, 0xf000f00000000 },
		  { 1 << 9, 0xf << 9 }, 0x04 },
	};
	unsigned int i, how;

	for (i = 0; i < 4 * ARRAY_SIZE(uses); i++) {
		const u64 *value = uses[i / 4].value;
		struct perf_event *after;
		char name[32];
		u32 want[4];
		u64 n, rate;

		how = i % 4;
		begin(0, uses[i / 4].box);
		snprintf(name, sizeof(name), "snbep_uncore_%s", box->name);
		ev[0] = open_event(name, 0, uses[i / 4].config, value[0], value[1],
				   NULL);
		mock_sched_in(ev[0]);
		ev[1] = open_on(uses[i / 4].plain, 0, NULL);
		pass(3);
		mock_read(ev[0], 0);
		after = ev[0];
		ev[2] = NULL;
		if (how >= 2) {
			value = uses[i / 4].other;
			ev[2] = open_event(name, 0, uses[i / 4].config, value[0],
					   value[1], NULL);
			after = ev[2];
		}
		machine_scramble(box);
		mock_cycles += 2 * READS;
		mock_disable(ev[0]->pmu, 0);
		mock_sched_out(ev[0]);
		mock_read(ev[1], how % 2);
		mock_sched_in(after);
		mock_enable(ev[0]->pmu, 0);
		expect_log(WARNING, true);
		n = count(after);
		pass(5);
		mock_read(after, 0);
		want[0] = value[0];
		want[1] = value[0] >> 32;
		want[2] = value[1];
		want[3] = value[1] >> 32;
		rate = machine_rate(box->kind, 0, uses[i / 4].config | EN, want);
		if (count(after) - n != 5 * rate)
			fault("%s, %u: counted %llu with its filter, not %llu",
			      box->name, how, (unsigned long long)(count(after) - n),
			      (unsigned long long)(5 * rate));
		n = count(ev[1]);
		mock_read(ev[1], 0);
		if (count(ev[1]) - n != 5 * rate_of(uses[i / 4].plain))
			fault("%s, %u: the other one counted %llu", box->name,
			      how, (unsigned long long)(count(ev[1]) - n));
		mock_close(ev[0]);
		mock_close(ev[1]);
		if (ev[2])
			mock_close(ev[2]);
		end();
	}
	result("a filter is set up again for what counts, not for what is scheduled");
}

void test_writers(void)
{
	test_rest();
	test_disturbed();
	test_plausible();
	test_occupied();
	test_leap();
	test_quiet();
	test_disabled();
	test_filters();
	test_taken();
	test_stopped();
	test_passed();
	test_much();
	test_gone();
	test_filtered();
	test_off();
	test_belief();
}
