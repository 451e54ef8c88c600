// SPDX-License-Identifier: GPL-2.0-only
/* --list */
#include <string.h>

#include "report.h"

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

void list_print(void)
{
	unsigned int i, j;
	char unit[40], high[200];

	printf("%s. Highest rates of a memory channel and a QPI link: %s\n\nGroups (-g):\n",
	       generation->name, generation->rates);
	for (i = 0; i < nr_groups; i++) {
		printf("  %s: %s. A line for each %s.\n   ", groups[i].name, groups[i].desc,
		       groups[i].per);
		for (j = 0; j < nr_columns; j++)
			if (!strcmp(columns[j].group, groups[i].name))
				printf(" %s", columns[j].name);
		printf("\n");
	}
	printf("\nMetrics (-m). Events are of all boxes of a line; d_ratio(a, b) is a / b, without a value if b is 0.\n");
	for (i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];

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
	if (generation != generations)
		return;
	printf("\nIn the guide, but not available:\n");
	for (i = 0; i < nr_guide_metrics; i++)
		if (guide_metrics[i].kind == METRIC_NOT_OFFERED)
			printf("  %s %s: %s\n", guide_metrics[i].box, guide_metrics[i].guide,
			       guide_metrics[i].text);
}
