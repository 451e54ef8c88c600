// SPDX-License-Identifier: GPL-2.0-only
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/canary.h"
#include "api/model.h"
#include "api/offcore.h"

#define DEVICES	"/sys/bus/event_source/devices"

static bool counted(const char *what, int fd, uint64_t want)
{
	uint64_t got;

	if (fd < 0) {
		printf("# canary of %s: %s\n", what, strerror(-fd));
		return false;
	}
	got = uncore_read(fd);
	if (got != want)
		printf("# canary of %s: %llu, not %llu\n", what,
		       (unsigned long long)got, (unsigned long long)want);
	return got == want;
}

bool canary_uncore(const struct uncore_pmu *pmu, unsigned int socket, unsigned int want)
{
	const char *event = uncore_kind(pmu)->event;
	int fd = uncore_try(pmu, event, socket, -1);
	bool good;

	if (fd >= 0)
		model("stim %u %s %s,count=%u", socket, pmu->box, event, want);
	good = counted(pmu->name, fd, want);
	close(fd);
	return good;
}

struct perf_event_attr canary_itanium_attr(void)
{
	char *type = read_text(DEVICES "/itanium/type");
	struct perf_event_attr attr = {
		.size = sizeof(attr), .config = 0x08,
		.type = type ? strtoul(type, NULL, 0) : 0,
		.read_format = UNCORE_READ_FORMAT,
	};

	free(type);
	return attr;
}

bool canary_itanium(int cpu, unsigned int want)
{
	struct perf_event_attr attr = canary_itanium_attr();
	int fd = uncore_open_attr(&attr, cpu, -1);
	bool good;

	model("montecito cpu=%d event event=8,count=%u", cpu, want);
	good = counted("itanium", fd, want);
	close(fd);
	return good;
}

bool canary_offcore(int cpu, unsigned int want)
{
	int fd = offcore_try("dmnd_data_rd,any_response", cpu, -1);
	cpu_set_t before;
	bool good;

	/* offcore_inject_any() pins this task to the CPU. */
	sched_getaffinity(0, sizeof(before), &before);
	offcore_inject_any(cpu, "dmnd_data_rd", want, false);
	sched_setaffinity(0, sizeof(before), &before);
	good = counted("offcore_rsp", fd, want);
	close(fd);
	return good;
}

void canary_init_offcore(void)
{
	char name[] = "canary";
	char *args[1];

	args[0] = name;
	offcore_init(1, args);
}
