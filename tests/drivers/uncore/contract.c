// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mock perf core makes Linux's callbacks, as in contract.def, which snbep_uncore/contract.c
 * compares with each kernel.
 */
#include "tests.h"

#define NONE	NULL
#define EVENT	0x304

static struct pmu *pmu, driver;
static const struct perf_event *seen[26];
static char text[4096], *at;

static void called(const char *name, const struct perf_event *event)
{
	unsigned int i;

	at += sprintf(at, "%s%s", at == text ? "" : " ", name);
	if (event) {
		for (i = 0; seen[i] && seen[i] != event; i++)
			;
		seen[i] = event;
		at += sprintf(at, ":%c", 'a' + i);
	}
	if (at - text >= 3 && !strcmp(at - 3, "[ ]"))
		at -= at - text > 3 ? 4 : 3;
	*at = 0;
}

static int init(struct perf_event *event)
{
	called("init", event);
	return driver.event_init(event);
}

static int add(struct perf_event *event, int flags)
{
	called("add", event);
	return driver.add(event, flags);
}

#define CALLED(name, callback, ...)					\
static void name(struct perf_event *event, ##__VA_ARGS__)		\
{									\
	called(#name, event);						\
	callback;							\
}

CALLED(del, driver.del(event, flags), int flags)
CALLED(start, driver.start(event, flags), int flags)
CALLED(stop, driver.stop(event, flags), int flags)
CALLED(read, driver.read(event))

static void off(struct pmu *p)
{
	called("[", NULL);
	driver.pmu_disable(p);
}

static void on(struct pmu *p)
{
	called("]", NULL);
	driver.pmu_enable(p);
}

/* Operations of contract.def */
#define open_counted(leader)	open_on(EVENT, 0, leader)
#define open_refused(leader)	try_open(0x7e, 0, leader)
#define read_on(event, n)	mock_read_group(event, 2 * box->socket + (n))
#define disable(event)		mock_sched_out(event)
#define enable(event)		mock_sched_in(event)
#define offline()		mock_cpu_down(2 * box->socket)
#define shut(event)		mock_close(event)

static void expect(const char *operation, const char *want)
{
	if (wrong(strcmp(text, want)))
		fault("%s: '%s', not '%s'", operation, text, want);
}

#define STEP(operation, statement, want)	\
do {						\
	at = text;				\
	*at = 0;				\
	statement;				\
	expect(operation, want);		\
} while (0)

void test_contract(void)
{
	struct perf_event *a, *b, *c;

	begin(1, "imc_0");
	pmu = pmu_of("imc_0");
	driver = *pmu;
	pmu->event_init = init;
	pmu->add = add;
	pmu->del = del;
	pmu->start = start;
	pmu->stop = stop;
	pmu->read = read;
	pmu->pmu_disable = off;
	pmu->pmu_enable = on;
#include "selftests/snbep_uncore/contract.def"
	mock_cpu_up(2 * box->socket);
	end();
	result("the mock perf core makes the callbacks that Linux makes");
}
