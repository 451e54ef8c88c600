// SPDX-License-Identifier: GPL-2.0-only
/* A PCI function disappears, and reads as all ones, at each access of each perf operation. */
#include "tests.h"

enum operation {
	OP_OPEN, OP_READ, OP_READ_GROUP, OP_LOOK, OP_STOP, OP_START, OP_CHANGE,
	OP_SLEEP, OP_LEAVE, OP_CLOSE, NR_OPS,
};

static const char * const names[] = {
	"open", "read", "group read", "look", "stop", "start", "change", "sleep",
	"leave", "close",
};

/* A scheduled group, another one, and one in a box that stays */
static struct perf_event *ev[2], *off, *canary;
static struct hw_box *stays;
static unsigned int until;

static void fail(struct hw_box *at)
{
	if (at != box || !until || --until)
		return;
	box->pdev->there = false;
}

static bool failed(void)
{
	return !box->pdev->there;
}

/* Counters of all boxes advance by the same time. */
static void go_on(void)
{
	pass(7);
	machine_tick(stays, 7);
}

static void operate(enum operation op, const struct plain *p)
{
	struct perf_event *event;

	switch (op) {
	case OP_OPEN:
		event = try_open(p->config, 0, NULL);
		if (!event)
			break;
		mock_sched_in(event);
		mock_close(event);
		break;
	case OP_READ:
		mock_read(ev[0], 2);
		mock_read(ev[1], 3);
		break;
	case OP_READ_GROUP:
		mock_read_group(ev[0], 3);
		break;
	case OP_LOOK:
		mock_timers();
		break;
	case OP_STOP:
		mock_sched_out(ev[0]);
		break;
	case OP_START:
		mock_sched_in(off);
		break;
	case OP_CHANGE:
		/* perf rotates from one group to another. */
		mock_disable(ev[0]->pmu, 2);
		mock_sched_out(ev[0]);
		mock_sched_in(off);
		mock_sched_in(ev[0]);
		mock_enable(ev[0]->pmu, 2);
		break;
	case OP_SLEEP:
		mock_online = BIT(2);
		mock_suspend();
		mock_resume();
		mock_online = 15;
		break;
	case OP_LEAVE:
		mock_cpu_down(2);
		mock_cpu_up(2);
		break;
	case OP_CLOSE:
		mock_close(ev[1]);
		break;
	default:
		break;
	}
}

/* Whether the failing access was reached */
static bool fail_at(const struct plain *p, enum operation op, unsigned int n)
{
	u64 least[2], most[2], rate;
	bool fails;
	unsigned int i;

	begin(1, p->box);
	rate = rate_of(p->config);
	stays = machine_box(1, strcmp(p->box, "imc_0") ? "imc_0" : "ha");
	ev[0] = open_on(p->config, 0, NULL);
	ev[1] = open_on(p->other, 0, ev[0]);
	mock_sched_in(ev[0]);
	/* The UBox has no counter left for it. */
	off = try_open(p->other, 0, NULL);
	canary = open_event(stays->name, 2, 0x00, 0, 0, NULL);
	CHECK(off && canary && mock_sched_in(canary));
	go_on();
	mock_read_group(ev[0], 2);
	for (i = 0; i < 2; i++)
		least[i] = count_of(ev[i]);
	go_on();
	most[0] = least[0] + 7 * rate;
	most[1] = least[1] + 7 * rate_of(p->other);

	until = n;
	machine.access = fail;
	operate(op, p);
	fails = !until;
	machine.access = NULL;
	until = 0;

	if (fails && failed()) {
		/* The next access detects it. */
		mock_sched_in(ev[0]);
		mock_read_group(ev[0], 2);
		machine_tally(box);
		box->pdev->there = true;
		mock_sched_in(off);
		mock_timers();
		mock_read_group(ev[0], 3);
		mock_sched_out(off);
		EXPECT(box->reads + box->writes, 0);
		expect_log("snbep", false);
		for (i = 0; i < (op == OP_CLOSE ? 1 : 2); i++)
			CHECK(count_of(ev[i]) >= least[i] && count_of(ev[i]) <= most[i]);
		EXPECT_REFUSED(try_open(p->config, 0, NULL), -ENODEV, "does not respond");
	}
	/* The other events go on. */
	machine_tick(stays, 3);
	EXPECT_COUNT(canary, canary->cpu, 17 * machine_rate(stays, 0, EN, stays->filter));
	mock_close(ev[0]);
	mock_close(off);
	mock_close(canary);
	end();
	return fails;
}

static unsigned int fail_box(const struct plain *p)
{
	unsigned int op, n, all = 0;

	for (op = 0; op < NR_OPS; op++) {
		for (n = 1; !faults && fail_at(p, op, n); n++)
			all++;
		if (faults)
			printf("# %s: %s, access %u\n", p->box, names[op], n - 1);
	}
	return all;
}

void test_fault(void)
{
	unsigned int ports, all = 0;
	const struct plain *p;

	for (ports = 0; ports < 2; ports++) {
		without_mmconfig = ports;
		for_each_plain(p) {
			if (machine_box(1, p->box)->pdev)
				all += fail_box(p);
		}
	}
	without_mmconfig = false;
	CHECK(all >= 600);
	result("a box that stops answering at any access stops counting, and others count (%u)", all);
}
