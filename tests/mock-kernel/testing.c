// SPDX-License-Identifier: GPL-2.0-only
/* Shared by all drivers' tests under the mock kernel: TAP, checks, and the log */
#include <stdarg.h>
#include <sys/mman.h>

#include "scripts/tap.h"
#include "testing.h"

/* All checks, collected by the linker, and how often each was made, also by child processes */
extern const struct check __start_check_sites[], __stop_check_sites[];
static unsigned int *made;
unsigned int checks;

/* A sanitizer's report ends the program by a signal: the explorer prints its schedule before. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "abort_on_error=1:print_legend=0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

__attribute__((constructor)) static void make_room(void)
{
	made = mmap(NULL, (__stop_check_sites - __start_check_sites) * sizeof(*made),
		    PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

void checked(const struct check *check)
{
	made[check - __start_check_sites]++;
	checks++;
}

void expect_log(const char *text, bool want)
{
	if (wrong(log_has(text) != want))
		fault("%s: the log has %s'%s'", where(), want ? "no " : "", text);
}

void expect_file(struct pmu *pmu, const char *group, const char *file, const char *want)
{
	const char *got = pmu ? mock_file(pmu, group, file) : NULL;

	if (wrong(got && want ? strcmp(got, want) : got != want))
		fault("%s/%s/%s is %s, not %s", pmu ? pmu->name : where(), group, file, got, want);
}

void result(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!checks)
		fault("nothing was checked");
	tap(!faults, "%s", text);
	faults = 0;
	checks = 0;
}

int tests_done(bool all)
{
	const struct check *check;

	for (check = __start_check_sites; all && check < __stop_check_sites; check++) {
		if (wrong(!made[check - __start_check_sites]))
			fault("%s:%d is a check that was never made", check->file, check->line);
	}
	if (all)
		result("each of %td checks was made", __stop_check_sites - __start_check_sites);
	return tap_done();
}

void test_refusals(struct pmu *pmu, u64 config, const struct refusal *list, unsigned int n)
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
		if (wrong(err != list[i].err))
			fault("attribute %u: %d, not %d", i, err, list[i].err);
		if (wrong(list[i].log ? !log_has(list[i].log) : log_has(":")))
			fault("attribute %u: the log has %s '%s'", i,
			      list[i].log ? "no" : "a line, and no",
			      list[i].log ?: "silence");
		if (!err && event.destroy)
			event.destroy(&event);
		event.attr.type = PERF_TYPE_HARDWARE;
		log_clear();
		if (wrong(pmu->event_init(&event) != -ENOENT || log_has(":")))
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
	err = mock_event_init(&member);
	if (wrong(err != -ENODEV || !log_has("was broken up when its CPU went offline")))
		fault("a member of a group that is gone: %d", err);
	member.parent = leader;
	err = mock_event_init(&member);
	if (wrong(err))
		fault("a child's member: %d", err);
	else if (member.destroy)
		member.destroy(&member);
	leader->attach_state |= PERF_ATTACH_GROUP;
}
