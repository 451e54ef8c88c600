// SPDX-License-Identifier: GPL-2.0-only
/* "gen rst": event reference with a page per box type, metrics and an index */
#include "gen.h"

#include <stdio.h>
#include <string.h>

static void underline(const char *title, char c)
{
	size_t i;

	printf("\n%s\n", title);
	for (i = 0; i < strlen(title); i++)
		putchar(c);
	printf("\n\n");
}

static void rst_row(const struct box *box, const struct row *row)
{
	const char *alias = row_alias(row);
	const struct row *scale = box_scale(box, alias);

	printf("   * - ``%s``\n", alias);
	printf("     - ``%s``\n", row_encoding(box, row));
	printf("     - %s\n", row_counters(box, row));
	printf("     - %s", row->desc);
	if (row->needs & SNBEP_F_LIST)
		printf(" (not in the guide's table)");
	if (scale)
		printf(" [%s]", scale->unit);
	printf("\n");
}

static void rst_table_head(void)
{
	printf(".. list-table::\n   :header-rows: 1\n   :widths: 25 35 8 32\n\n"
	       "   * - Alias\n     - Encoding\n     - Counters\n     - Counts\n");
}

static void rst_event(const struct box *box, const struct row *event)
{
	const struct row *row;

	printf("\n**%s**: %s. ", event->event, event->desc);
	printf("Event 0x%02x", event->sel & 0xff);
	if (event->sel >> 8)
		printf(" with the extended select");
	printf(", counters %s, ", row_counters(box, event));
	if (event->max_inc)
		printf("at most %u a cycle", event->max_inc);
	else
		printf("increment not given");
	if (event->takes & SNBEP_F_EDGE_OR_INV)
		printf("; takes edge or inv, but not both");
	if (event->takes & ~(SNBEP_F_LIST | SNBEP_F_EDGE_OR_INV)) {
		printf("; may be filtered by ");
		print_filters(event->takes, ", ");
	}
	printf(".");
	if (event->takes & SNBEP_F_LIST)
		printf(" Not in the guide's tables.");
	printf("\n\n");
	rst_table_head();
	if (event->kind == ROW_PLAIN) {
		rst_row(box, event);
		return;
	}
	for (row = event + 1; row < box->rows + box->nr_rows &&
	     row->kind == ROW_UMASK; row++)
		rst_row(box, row);
}

static void rst_box(const struct box *box)
{
	bool head = false;
	size_t i;

	printf("PMU ``snbep_uncore_%s%s``, %u counters of %u bits, guide section %s.\n",
	       box->name, box->instances > 1 ? "_N" : "",
	       __builtin_popcount(box->counters), box->width, box->chapter);
	for (i = 0; i < box->nr_rows; i++)
		if (box->rows[i].kind <= ROW_PLAIN)
			rst_event(box, &box->rows[i]);
	for (i = 0; i < box->nr_rows; i++) {
		const struct row *row = &box->rows[i];

		if (row->kind != ROW_FIXED && row->kind != ROW_ALIAS)
			continue;
		if (!head) {
			printf("\nFixed counters and ready-made aliases:\n\n");
			rst_table_head();
			head = true;
		}
		rst_row(box, row);
	}
}

static void rst_metrics(void)
{
	size_t i;

	printf("The guide's derived events, for ``perf stat -M``. ``[alias]`` stands for that\n"
	       "event on all instances of its box. perf finds metrics only in lists that are built\n"
	       "into it: ``tests/cross-check/perf-build`` makes a perf that has these.\n"
	       "Events of one box that need different filter values are multiplexed.\n\n"
	       ".. list-table::\n   :header-rows: 1\n   :widths: 25 45 30\n\n"
	       "   * - Metric\n     - Expression\n     - Meaning\n");
	for (i = 0; i < nr_guide_metrics; i++) {
		const struct guide_metric *m = &guide_metrics[i];

		if (m->kind != METRIC_EXPR)
			continue;
		printf("   * - ``%s``\n     - ``%s``\n     - %s%s%s%s\n",
		       m->name, m->expr, m->text, *m->scale ? " [" : "",
		       *m->scale ? m->scale + strspn(m->scale, "0123456789") : "",
		       *m->scale ? "]" : "");
	}
	underline("Where they differ from the guide", '-');
	for (i = 0; i < nr_guide_metrics; i++)
		if (guide_metrics[i].kind == METRIC_NOTE_TEXT)
			printf("- %s %s: %s\n", guide_metrics[i].box,
			       guide_metrics[i].guide, guide_metrics[i].text);
	underline("Left out", '-');
	for (i = 0; i < nr_guide_metrics; i++)
		if (guide_metrics[i].kind == METRIC_NOT_OFFERED)
			printf("- %s %s: %s.\n", guide_metrics[i].box,
			       guide_metrics[i].guide, guide_metrics[i].text);
}

static void rst_index(void)
{
	size_t b;

	printf("Names, codes and rules are those of the uncore guide 327043-001, with the\n"
	       "corrections of its errata page. ``field=?`` in an encoding has to be given, as\n"
	       "in ``alias,field=0x182``.\n\n"
	       "\"Not in the guide's tables\" marks what its text, Intel's event list or libpfm4 has\n"
	       "(tools/perf/pmu-events/arch/x86/jaketown in Linux): no document says whether\n"
	       "the hardware counts it, or by how much at most in a cycle.\n\n"
	       ".. toctree::\n   :maxdepth: 1\n\n");
	for (b = 0; b < nr_boxes; b++)
		printf("   %s\n", boxes[b].name);
	printf("   metrics\n");
}

/* @name: a box type, "metrics" or "index" */
int print_rst(const char *name)
{
	size_t b;

	/* Split, so that licence checkers do not take this line for the file's tag */
	printf(".. %s-License-Identifier: GPL-2.0-only\n"
	       ".. Made by events/tools/gen from events/*.def: change those.\n", "SPDX");
	for (b = 0; b < nr_boxes; b++) {
		if (strcmp(name, boxes[b].name))
			continue;
		underline(boxes[b].title, '=');
		rst_box(&boxes[b]);
		return 0;
	}
	if (!strcmp(name, "metrics")) {
		underline("Metrics", '=');
		rst_metrics();
		return 0;
	}
	underline("Xeon E5-2600 uncore event reference", '=');
	rst_index();
	return strcmp(name, "index") ? 2 : 0;
}
