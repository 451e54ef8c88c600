// SPDX-License-Identifier: GPL-2.0-only
/*
 * What libpfm4 makes of its own names for this CPU's uncore, and what becomes of
 * it here. For every event and unit mask of its snbep_unc_* PMUs: is it the same
 * perf_event_attr as our alias of that name, and does it count what happens?
 * Prints a line for each: box, name, same|differs|no-alias, what came of it, 1.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/model.h"
#include "lib/uncore.h"

/* Its copy of linux/perf_event.h, which lib/uncore.h has taken already */
#define __PERFMON_PERF_EVENT_H__
#include <perfmon/pfmlib_perf_event.h>

#define OCCURRENCES	1234

/* Values for what an alias asks for, and libpfm4's way to say the same */
static const struct {
	const char *asked, *value, *pfm;
} answers[] = {
	{ "filter_opc=?", "filter_opc=0x182", ":OPC_DRD" },
	{ "filter_nid=?", "filter_nid=0x02", ":nf=2" },
	{ "filter_state=0x1f", "filter_state=0x1f", ":STATE_MESIF" },
	{ "filter_band0=?", "filter_band0=0x0d", ":ff=13" },
	{ "filter_band1=?", "filter_band1=0x0d", ":ff=13" },
	{ "filter_band2=?", "filter_band2=0x0d", ":ff=13" },
	{ "filter_band3=?", "filter_band3=0x0d", ":ff=13" },
};

/* Events that are clocks: they need no stimulus, and have no exact count */
static const struct {
	const char *kind;
	unsigned int code;
} clocks[] = {
	{ "cbox", 0x00 }, { "ha", 0x00 }, { "imc", 0xff }, { "pcu", 0x00 },
	{ "qpi", 0x14 }, { "r2pcie", 0x01 }, { "r3qpi", 0x01 }, { "ubox", 0xff },
};

/* The bits of control registers that say which event it is */
#define CODE(config)	(((config) & 0xff) | ((config) >> 21 & 1) << 8)
#define UMASK(config)	((config) >> 8 & 0xff)
#define OCC_SEL(config)	((config) & 0xc000)

static bool is_clock(const struct uncore_pmu *pmu, unsigned int code)
{
	unsigned int i;

	for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (clocks[i].code == code && !strcmp(clocks[i].kind, pmu->kind))
			return true;
	return false;
}

/*
 * Unit masks of the CBo's cache and TOR events are not sets of things that
 * happen: make the one thing that they all would count.
 */
static unsigned int what_happens(const struct uncore_pmu *pmu,
				 unsigned int code, unsigned int umask)
{
	unsigned int kinds;

	if (strcmp(pmu->kind, "cbox"))
		return umask;
	switch (code) {
	case 0x34:
		kinds = umask & 0x1e;
		return kinds ? (kinds & -kinds) | 1 : 0x03;
	case 0x35:
	case 0x36:
		kinds = umask & 0x17;
		return kinds ? kinds : 0x01;
	case 0x37:
		kinds = umask & 0x0f;
		return kinds ? kinds : 0x01;
	default:
		return umask;
	}
}

static const char *try(const struct uncore_pmu *pmu,
		       const struct perf_event_attr *attr, uint64_t config)
{
	unsigned int code = CODE(config), umask = UMASK(config);
	static char result[64];
	uint64_t count;
	int fd;

	fd = uncore_open_attr(attr, pmu->cpu[0], -1);
	if (fd < 0) {
		snprintf(result, sizeof(result), "refused-%s", strerrorname_np(-fd));
		return result;
	}
	if (is_clock(pmu, code)) {
		usleep(2000);
		count = uncore_read(fd);
		close(fd);
		return count ? "counts" : "counts-nothing";
	}
	model("stim 0 %s event=0x%x,umask=0x%x,count=%u%s", pmu->box, code,
	      what_happens(pmu, code, umask), OCCURRENCES,
	      strcmp(pmu->kind, "cbox") ? "" : ",opc=0x182,nid=1");
	count = uncore_read(fd);
	close(fd);
	if (count == OCCURRENCES)
		return "counts";
	if (!count)
		return "counts-nothing";
	snprintf(result, sizeof(result), "counts-%llu-of-%u",
		 (unsigned long long)count, OCCURRENCES);
	return result;
}

static void lower(char *s)
{
	for (; *s; s++)
		*s = tolower((unsigned char)*s);
}

/* Replace the first FROM in the text; false if there is none */
static bool replace(char *text, size_t size, const char *from, const char *to)
{
	char *at = strstr(text, from), *rest;

	if (!at)
		return false;
	rest = strdup(at + strlen(from));
	snprintf(at, size - (at - text), "%s%s", to, rest);
	free(rest);
	return true;
}

static void one(const struct uncore_pmu *pmu, const char *pfm_pmu,
		const char *event, const char *umask)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	char name[128], text[256] = "", query[256];
	struct uncore_enc enc, same;
	const char *verdict;
	unsigned int i;
	char *alias;
	int ret;

	/* UNC_C_NAME */
	snprintf(name, sizeof(name), "%s%s%s", strchr(event + 4, '_') + 1,
		 umask ? "_" : "", umask ? umask : "");
	lower(name);
	snprintf(query, sizeof(query), "%s::%s%s%s", pfm_pmu, event,
		 umask ? ":" : "", umask ? umask : "");
	alias = uncore_alias(pmu, name);
	if (alias)
		snprintf(text, sizeof(text), "%s", alias);
	free(alias);
	/* libpfm4 spells out the driver's default of LLC_LOOKUP, all five states. */
	if (!strcmp(pmu->kind, "cbox") && !strncmp(text, "event=0x34", 10))
		strcat(text, ",filter_state=0x1f");
	for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		if (replace(text, sizeof(text), answers[i].asked, answers[i].value))
			strcat(query, answers[i].pfm);

	printf("%s %s ", pmu->box, name);
	ret = pfm_get_os_event_encoding(query, PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (ret != PFM_SUCCESS) {
		printf("unknown-to-libpfm4 %s 1\n", query);
		return;
	}
	enc.word[0] = attr.config;
	enc.word[1] = attr.config1;
	enc.word[2] = attr.config2;
	verdict = "no-alias";
	if (*text) {
		const char *err = uncore_encode(pmu, text, &same);

		if (err) {
			fprintf(stderr, "%s: %s\n", text, err);
			exit(2);
		}
		verdict = attr.type == pmu->type &&
			  !memcmp(&enc, &same, sizeof(enc)) ? "same" : "differs";
	}
	attr.read_format = UNCORE_READ_FORMAT;
	printf("%s ", verdict);
	printf("%s 1\n", try(pmu, &attr, *text ? same.word[0] : enc.word[0]));
}

static void all_of_event(const struct uncore_pmu *pmu, const char *pfm_pmu, int idx)
{
	pfm_event_info_t info = { .size = sizeof(info) };
	bool any = false;
	int i;

	if (pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS) {
		fprintf(stderr, "%s: no information on event %d\n", pfm_pmu, idx);
		exit(2);
	}
	for (i = 0; i < info.nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(idx, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS)
			continue;
		if (attr.type != PFM_ATTR_UMASK)
			continue;
		/* Values of the CBo's filter are among the unit masks */
		if (!strncmp(attr.name, "OPC_", 4) || !strncmp(attr.name, "STATE_", 6))
			continue;
		any = true;
		one(pmu, pfm_pmu, info.name, attr.name);
	}
	if (!any)
		one(pmu, pfm_pmu, info.name, NULL);
}

/* snbep_unc_cbo3 -> cbox_3 */
static const struct uncore_pmu *find_pmu(const char *pfm_pmu)
{
	char box[32];
	size_t len;

	snprintf(box, sizeof(box), "%s", pfm_pmu + strlen("snbep_unc_"));
	if (!strcmp(box, "ubo"))
		strcpy(box, "ubox");
	replace(box, sizeof(box), "cbo", "cbox");
	len = strlen(box);
	if (isdigit((unsigned char)box[len - 1])) {
		box[len + 1] = 0;
		box[len] = box[len - 1];
		box[len - 1] = '_';
	}
	return uncore_pmu(box);
}

int main(void)
{
	int pmu, event, pmus = 0;

	model_init();
	uncore_init("uncore_");
	if (pfm_initialize() != PFM_SUCCESS) {
		fprintf(stderr, "libpfm4 does not initialize\n");
		return 2;
	}
	pfm_for_all_pmus(pmu) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS ||
		    strncmp(info.name, "snbep_unc_", 10))
			continue;
		if (!info.is_present) {
			fprintf(stderr, "libpfm4 does not find %s\n", info.name);
			return 2;
		}
		pmus++;
		for (event = info.first_event; event != -1; event = pfm_get_event_next(event))
			all_of_event(find_pmu(info.name), info.name, event);
	}
	if (!model_judge())
		return 1;
	return !pmus;
}
