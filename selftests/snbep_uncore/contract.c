// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare Linux's callbacks of a dozen operations with contract.def. The mock perf core makes the
 * same ones (tests/drivers/uncore/contract.c), and so behaves as the kernel.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "api/harness.h"
#include "api/uncore.h"

#define TRACING	"/sys/kernel/tracing/"
#define BOX	"imc_0"
#define SOCKET	1	/* CPU 0 cannot go offline. */
#define EVENT	"event=0x04,umask=0x03"
#define NONE	(-1)

/* Kprobes on the callbacks, whose first argument is the event, if any */
static const struct {
	const char *name, *function, *args, *text;
} probes[] = {
	{ "init", "snbep_event_init", "event=%di", "init" },
	{ "add", "snbep_event_add", "event=%di", "add" },
	{ "del", "snbep_event_del", "event=%di", "del" },
	{ "start", "snbep_event_start", "event=%di", "start" },
	{ "stop", "snbep_event_stop", "event=%di", "stop" },
	{ "read", "snbep_event_read", "event=%di", "read" },
	{ "off", "snbep_pmu_disable", "", "[" },
	{ "on", "snbep_pmu_enable", "", "]" },
};

static struct uncore_pmu *pmu;
/* Letters of the driver's events, by address in the kernel */
static uint64_t seen[26];

static char letter(uint64_t event)
{
	unsigned int i;

	for (i = 0; seen[i] && seen[i] != event; i++)
		;
	seen[i] = event;
	return 'a' + i;
}

/* The callbacks since the last call */
static const char *callbacks(void)
{
	static char text[4096];
	char line[512], *at = text;
	FILE *trace = fopen(TRACING "trace", "r");

	*at = 0;
	while (trace && fgets(line, sizeof(line), trace)) {
		unsigned int i;

		for (i = 0; i < ARRAY_SIZE(probes); i++) {
			char *event, call[32];

			snprintf(call, sizeof(call), ": contract_%s: ", probes[i].name);
			if (!strstr(line, call))
				continue;
			event = strstr(line, "event=0x");
			at += sprintf(at, "%s%s", at == text ? "" : " ", probes[i].text);
			if (event)
				at += sprintf(at, ":%c", letter(strtoull(event + 6, NULL, 16)));
			if (at - text >= 3 && !strcmp(at - 3, "[ ]"))
				at -= at - text > 3 ? 4 : 3;
			*at = 0;
		}
	}
	if (trace)
		fclose(trace);
	fclose(fopen(TRACING "trace", "w"));
	return text;
}

/* Operations of contract.def */
#define open_counted(group)	uncore_open(pmu, EVENT, SOCKET, group)
#define open_refused(group)	uncore_try(pmu, "event=0x7e", SOCKET, group)
#define disable(event)		ioctl(event, PERF_EVENT_IOC_DISABLE, 0)
#define enable(event)		ioctl(event, PERF_EVENT_IOC_ENABLE, 0)
#define offline()		uncore_set_online(pmu->cpu[SOCKET], false)
#define shut(event)		close(event)

/* The group of an event, by the @n-th CPU of its socket */
static void read_on(int event, unsigned int n)
{
	char counts[512];

	uncore_pin(uncore_socket_cpu(SOCKET, n));
	if (read(event, counts, sizeof(counts)) < 0)
		perror("read");
}

HARNESS_BEGIN("snbep_uncore_", "checker")

TEST(contract)
{
	int a = NONE, b = NONE, c = NONE;
	unsigned int i;

	uncore_init("snbep_uncore_");
	if (uncore_nr_sockets <= SOCKET)
		SKIP(return, "needs two sockets, as CPU 0 cannot go offline");
	pmu = uncore_pmu(BOX);
	system("mount -t tracefs none " TRACING " 2> /dev/null");
	if (access(TRACING "kprobe_events", W_OK))
		SKIP(return, "this kernel has no kprobes (CONFIG_KPROBE_EVENTS)");
	/* Calls on two CPUs have their order even while the guest's clock does not advance. */
	EXPECT_TRUE(write_text("counter", TRACING "trace_clock"));
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		char name[64];

		snprintf(name, sizeof(name), "p:contract_%s %s %s", probes[i].name, probes[i].function, probes[i].args);
		EXPECT_TRUE(write_text(name, TRACING "kprobe_events"));
	}
	EXPECT_TRUE(write_text("1", TRACING "events/kprobes/enable"));
	callbacks();
#define STEP(operation, statement, want)		\
do {							\
	statement;					\
	EXPECT_STREQ(want, callbacks())			\
		TH_LOG("after: %s", operation);		\
} while (0)
#include "contract.def"
	uncore_set_online(pmu->cpu[SOCKET], true);
	write_text("0", TRACING "events/kprobes/enable");
	fclose(fopen(TRACING "kprobe_events", "w"));
}

#include "api/harness_end.h"
