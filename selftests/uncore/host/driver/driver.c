// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>

#include "lib/tap.h"
#include "tests.h"

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

int open_errno;

struct perf_event *open_event(const char *pmu, int cpu, u64 config, u64 config1,
			      u64 config2, struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.config = config, .config1 = config1, .config2 = config2,
	};

	return mock_open(mock_pmu(pmu), &attr, cpu, leader, &open_errno);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_load();
	test_life();
	test_open();
	test_cost();
	test_random();
	return tap_done();
}
