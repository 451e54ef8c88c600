// SPDX-License-Identifier: GPL-2.0-only
/* What the tests of a driver in a program of the host share, whatever the driver */
#include <stdarg.h>

#include "lib/tap.h"
#include "testing.h"

void result(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tap(!faults, "%s", text);
	faults = 0;
}

int tests_done(void)
{
	return tap_done();
}

void test_refusals(struct pmu *pmu, u64 config, const struct refusal *list,
		   unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct perf_event event = {
			.attr = list[i].attr, .cpu = list[i].cpu,
			.attach_state = list[i].attach, .pmu = pmu,
		};
		int err;

		event.group_leader = &event;
		event.attr.config |= config;
		event.attr.type = pmu->type;
		log_clear();
		err = pmu->event_init(&event);
		if (err != list[i].err)
			fault("attribute %u: %d, not %d", i, err, list[i].err);
		if (list[i].log ? !log_has(list[i].log) : log_has(":"))
			fault("attribute %u: the log has %s '%s'", i,
			      list[i].log ? "no" : "a line, and no",
			      list[i].log ?: "silence");
		if (!err)
			event.destroy(&event);
		event.attr.type = PERF_TYPE_HARDWARE;
		log_clear();
		if (pmu->event_init(&event) != -ENOENT || log_has(":"))
			fault("attribute %u: an event of another PMU", i);
	}
}

void test_given_up(struct perf_event *leader)
{
	struct perf_event member = {
		.attr = leader->attr, .cpu = leader->cpu, .pmu = leader->pmu,
		.group_leader = leader,
	};
	int err;

	leader->attach_state &= ~PERF_ATTACH_GROUP;
	log_clear();
	err = member.pmu->event_init(&member);
	if (err != -ENODEV || !log_has("was given up when its CPU went offline"))
		fault("a member of a group that is gone: %d", err);
	member.parent = leader;
	err = member.pmu->event_init(&member);
	if (err)
		fault("a child's member: %d", err);
	else
		member.destroy(&member);
	leader->attach_state |= PERF_ATTACH_GROUP;
}
