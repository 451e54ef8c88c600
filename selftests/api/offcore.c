// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "model.h"
#include "offcore.h"

struct offcore_names offcore_names;
unsigned int offcore_nr_regs;
bool offcore_direct;
static struct uncore_pmu pmu;

/* By bit of config: snoops from 31 on, suppliers below. remote is eight bits, one of config1. */
static void find_names(void)
{
	unsigned int requests = 0, suppliers = 0, snoops = 0, first_supplier = 8;
	bool good;

	for (unsigned int i = 0; i < pmu.nr_fields; i++) {
		if (!strcmp(pmu.field[i].name, "snp_any"))
			first_supplier = 17;
	}
	for (unsigned int i = 0; i < pmu.nr_fields; i++) {
		const struct uncore_field *f = &pmu.field[i];
		unsigned int bit = __builtin_ctzll(f->mask);

		if (!strcmp(f->name, "remote"))
			offcore_names.supplier[suppliers++] = f->name;
		if (f->word || f->mask != 1ull << bit || !strcmp(f->name, "any_response"))
			continue;
		if (bit >= 31)
			offcore_names.snoop[snoops++] = f->name;
		else if (bit >= first_supplier)
			offcore_names.supplier[suppliers++] = f->name;
		else
			offcore_names.request[requests++] = f->name;
	}
	good = first_supplier == 8 ? !snoops : snoops > 6;
	if (requests < 8 || suppliers < 6 || !good)
		ksft_exit_fail_msg("%u requests, %u suppliers, %u snoops\n", requests,
				   suppliers, snoops);
}

struct perf_event_attr offcore_encode(const char *terms)
{
	struct uncore_enc enc;
	const char *why = uncore_encode(&pmu, terms, &enc);

	if (why)
		ksft_exit_fail_msg("%s: %s\n", terms, why);
	return uncore_attr(&pmu, &enc);
}

int offcore_try(const char *terms, int cpu, int group)
{
	struct perf_event_attr attr = offcore_encode(terms);

	return uncore_open_attr(&attr, cpu, group);
}

int offcore_open(const char *terms, int cpu, int group)
{
	int fd = offcore_try(terms, cpu, group);

	if (fd < 0)
		ksft_exit_fail_msg("%s on CPU %d: %s\n", terms, cpu, strerror(-fd));
	return fd;
}

uint64_t offcore_value(const char *request)
{
	return offcore_encode(request).config | (offcore_names.snoop[0] ? 0x10000 : 0xff00);
}

void offcore_inject(int cpu, const char *request, const char *supplier,
		    const char *snoop, unsigned int count, bool kernel)
{
	uncore_pin(cpu);
	if (snoop)
		model("offcore cpu=%d,request=%s,supplier=%s,snoop=%s,count=%u,kernel=%d",
		      cpu, request, supplier, snoop, count, kernel);
	else
		model("offcore cpu=%d,request=%s,response=%s,count=%u,kernel=%d",
		      cpu, request, supplier, count, kernel);
}

void offcore_inject_any(int cpu, const char *request, unsigned int count, bool kernel)
{
	offcore_inject(cpu, request, offcore_names.supplier[0], offcore_names.snoop[0], count,
		       kernel);
}

void offcore_init(int argc, char **argv)
{
	uint64_t value;

	if (argc > 2 || (argc == 2 && strcmp(argv[1], "kernel") && strcmp(argv[1], "direct")))
		ksft_exit_fail_msg("usage: %s [kernel|direct]\n", argv[0]);
	offcore_direct = access("/sys/bus/event_source/devices/cpu", F_OK);
	if (argc == 2 && offcore_direct != !strcmp(argv[1], "direct"))
		ksft_exit_fail_msg("%s, and the core PMU is %s\n", argv[1],
				   offcore_direct ? "absent" : "there");

	if (!uncore_load(&pmu, "offcore_rsp"))
		ksft_exit_fail_msg("no PMU offcore_rsp\n");
	find_names();
	if (model_present())
		offcore_nr_regs = 1 + model_value(model("core-pmu get cpu=0"), "OFFCORE_RSP_1",
						  &value);
}
