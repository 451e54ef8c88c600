// SPDX-License-Identifier: GPL-2.0-only
/* --list */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

/* Print indented text, wrapped at column 78. */
static void wrap(const char *text, int indent)
{
	int at = 0;

	while (*text) {
		int len = strcspn(text, " ");

		if (at && at + 1 + len > 78) {
			putchar('\n');
			at = 0;
		}
		at += printf("%*s%.*s", at ? 1 : indent, "", len, text);
		text += len;
		text += strspn(text, " ");
	}
	putchar('\n');
}

static void shown_unit(const struct metric *m, char *buf, size_t size)
{
	if (m->kind == METRIC_RATIO)
		snprintf(buf, size, "%%");
	else
		snprintf(buf, size, "%s%s", m->unit, m->kind == METRIC_AMOUNT ? " per second" : "");
}

/* What people say, and what the texts have for it, both as squash() leaves them */
static const char * const synonyms[][2] = {
	{ "ddio", "intothellc" }, { "numa", "othersockets" }, { "bandwidth", "mem" },
	{ "dram", "mem" }, { "ram", "mem" }, { "l3", "llc" }, { "cache", "llc" }, { "upi", "qpi" },
	{ "interconnect", "qpi" }, { "latency", "lat" }, { "temperature", "celsius" },
	{ "power", "watts" }, { "energy", "watts" }, { "turbo", "ghz" }, { "frequency", "ghz" },
	{ "iio", "pcie" }, { "network", "pcie" }, { "nvme", "pcie" }, { "cha", "llc" },
	{ "utilization", "util" }, { "writeback", "insertswb" }, { "writeback", "victimsm" },
};

static bool found;

/* What stands above the next thing that is found, or NULL */
static const char *heading;

/* Return the letters and digits of a text in lower case, as page_hit is also "page hit". */
static char *squash(const char *text)
{
	char *squashed = format("%s", text), *to = squashed;

	for (; *text; text++)
		if (isalnum((unsigned char)*text))
			*to++ = tolower((unsigned char)*text);
	*to = 0;
	return squashed;
}

/* Return whether one of the texts, up to a NULL, has the word; all do if there is none. */
static bool has(const char *word, const char * const *texts)
{
	unsigned int i;

	for (; word && *texts; texts++) {
		char *text = squash(*texts), *wanted = squash(word);
		bool hit = *wanted && strstr(text, wanted);

		for (i = 0; i < ARRAY_SIZE(synonyms); i++)
			hit |= !strcmp(wanted, synonyms[i][0]) && strstr(text, synonyms[i][1]);
		free(text);
		free(wanted);
		if (hit)
			break;
	}
	if (word && !*texts)
		return false;
	found = true;
	fputs(heading ?: "", stdout);
	heading = NULL;
	return true;
}

static void list_groups(const char *word)
{
	unsigned int i, j;

	heading = format("%s. Highest rates of a memory channel and a QPI link: %s\n\nGroups (-g):\n",
			 generation->name, generation->rates);
	for (i = 0; i < nr_groups; i++) {
		const char *texts[] = { groups[i].name, groups[i].desc, NULL };

		if (!has(word, texts))
			continue;
		printf("  %s: %s. A line for each %s.\n   ", groups[i].name, groups[i].desc,
		       groups[i].per);
		for (j = 0; j < nr_columns; j++)
			if (!strcmp(columns[j].group, groups[i].name) &&
			    (columns[j].gens & generation->bit))
				printf(" %s", columns[j].name);
		printf("\n");
	}
}

static void list_metrics(const char *word)
{
	char unit[40], high[200];
	unsigned int i;

	heading = "\nMetrics (-m). Events are of all boxes of a line; d_ratio(a, b) is a / b, without a value if b is 0.\n";
	for (i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];
		const char *texts[] = { m->name, m->desc, m->text, m->high ?: "", NULL };

		if (!has(word, texts))
			continue;
		shown_unit(m, unit, sizeof(unit));
		printf("\n%s%s%s%s\n", m->name, *unit ? " (" : "", unit, *unit ? ")" : "");
		wrap(m->desc, 4);
		if (m->high) {
			snprintf(high, sizeof(high), "High: %s", m->high);
			wrap(high, 4);
		}
		if (m->lacks)
			printf("    not available: %s\n", m->lacks);
		else
			wrap(m->text, 4);
		if (m->guide)
			printf("    guide: %s\n", m->guide);
		if (m->note)
			wrap(m->note, 4);
	}
}

/* Events are too many to list all of them. */
static void list_events(const char *word)
{
	unsigned int i, j;

	heading = "\nEvents (-m name=expression, --why PMU/event/):\n";
	for (i = 0; i < nr_box_types; i++) {
		for (j = 0; j < box_types[i].nr_rows; j++) {
			const struct row *row = &box_types[i].rows[j];
			const char *alias = row_alias(row);
			const char *texts[] = { alias, row->desc ?: "", NULL };

			if (!alias || !has(word, texts))
				continue;
			printf("\n[%s:%s]\n    %s\n", box_types[i].name, alias,
			       row_encoding(&box_types[i], row));
			if (row->desc)
				wrap(row->desc, 4);
		}
	}
}

static void list_left_out(void)
{
	unsigned int i;

	printf("\nIn the guide, but not available:\n");
	for (i = 0; i < nr_guide_metrics; i++)
		if (guide_metrics[i].kind == METRIC_NOT_OFFERED)
			printf("  %s %s: %s\n", guide_metrics[i].box, guide_metrics[i].guide,
			       guide_metrics[i].text);
}

bool list_print(const char *word)
{
	list_groups(word);
	list_metrics(word);
	if (word)
		list_events(word);
	else if (generation == generations)
		list_left_out();
	if (word && !found)
		fprintf(stderr, "uncorestat: --list: nothing has the word %s\n", word);
	return found;
}
