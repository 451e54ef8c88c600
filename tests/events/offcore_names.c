// SPDX-License-Identifier: GPL-2.0-only
/*
 * names aliases: every alias of every processor, as lines
 *	PROCESSOR ALIAS VALUE INTEL'S-NAME
 * names values < LINES: for each line PROCESSOR TERMS the value of the register,
 *	or what offcore_rsp says when it refuses the event. rsp=VALUE is a term.
 * names bits < LINES: the same, but names of requests or responses by themselves
 *	are only looked up; with rsp= it is an event.
 *
 * The module's own tables and encoding, without a kernel.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "common/refuse.h"
#include "offcore/model.h"

char refusal[512];

static const struct {
	const char *name;
	const struct offcore_model *model;
} processors[] = {
	{ "NHM", &offcore_nehalem }, { "WSM", &offcore_westmere },
	{ "WSM-EP", &offcore_westmere_ep }, { "WSM-EX", &offcore_westmere_ex },
	{ "SNB", &offcore_sandybridge }, { "SNB-EP", &offcore_sandybridge_ep },
};

static const struct {
	u8 cpus;
	const char *name, *terms, *intel;
} aliases[] = {
#define FIELD(on, field, kind, n, desc)
#define SET(on, field, kind, n, bits, desc)
#define ALIAS(on, alias, terms, intel, desc)	{ on, #alias, terms, intel },
#include "events/offcore_nehalem.def"
#include "events/offcore_sandybridge.def"
};

/*
 * The value of an event of the processor, or the reason why there is none. @bits:
 * what the names stand for, without a check.
 */
static const char *encode(const char *terms, bool bits, u64 *rsp)
{
	u64 word[2] = { 0, 0 };
	const struct offcore_field *f;
	char text[512], *w;

	*rsp = 0;

	snprintf(text, sizeof(text), "%s", terms);
	for (w = strtok(text, ","); w; w = strtok(NULL, ",")) {
		if (!strncmp(w, "rsp=", 4)) {
			word[0] |= strtoull(w + 4, NULL, 0);
			bits = false;
			continue;
		}
		for_each_offcore_field(f) {
			if (!strcmp(f->name, w))
				break;
		}
		if (!f) {
			snprintf(refusal, sizeof(refusal), "no name %s", w);
			return refusal;
		}
		word[f->word] |= 1ull << f->bit;
		*rsp |= f->rsp;
	}
	if (bits)
		return NULL;
	return offcore_encode(word[0], word[1], rsp) ? refusal : NULL;
}

static void print_aliases(void)
{
	for (unsigned int p = 0; p < ARRAY_SIZE(processors); p++) {
		offcore_model = processors[p].model;
		for (unsigned int i = 0; i < ARRAY_SIZE(aliases); i++) {
			const char *error;
			u64 rsp;

			if (!(aliases[i].cpus & offcore_model->cpu))
				continue;
			error = encode(aliases[i].terms, false, &rsp);
			if (error) {
				fprintf(stderr, "%s: %s\n", aliases[i].name, error);
				exit(1);
			}
			printf("%s %s %#llx %s\n", processors[p].name,
			       aliases[i].name, (unsigned long long)rsp,
			       *aliases[i].intel ? aliases[i].intel : "-");
		}
	}
}

static void print_values(bool bits)
{
	char cpu[16], terms[512];

	while (scanf("%15s %511s", cpu, terms) == 2) {
		const char *error;
		u64 rsp;

		offcore_model = NULL;
		for (unsigned int p = 0; p < ARRAY_SIZE(processors); p++) {
			if (!strcmp(processors[p].name, cpu))
				offcore_model = processors[p].model;
		}
		if (!offcore_model) {
			fprintf(stderr, "no processor %s\n", cpu);
			exit(1);
		}
		error = encode(terms, bits, &rsp);
		if (error)
			printf("%s\n", error);
		else
			printf("%#llx\n", (unsigned long long)rsp);
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "aliases")) {
		print_aliases();
	} else if (argc == 2 && !strcmp(argv[1], "values")) {
		print_values(false);
	} else if (argc == 2 && !strcmp(argv[1], "bits")) {
		print_values(true);
	} else {
		fprintf(stderr, "usage: names aliases|values|bits\n");
		return 2;
	}
	return 0;
}
