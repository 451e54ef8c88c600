// SPDX-License-Identifier: GPL-2.0-only
/* The tables as plain lines, for scripts */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>

int print_csv(const char *arg)
{
	const struct box *box;
	const struct row *row, *scale;

	(void)arg;
	printf("box,alias,encoding,counters,filter,scale,unit\n");
	for_each_row(box, row) {
		const char *alias = row_alias(row);

		if (!alias)
			continue;
		printf("%s,%s,\"%s\",%s,", box->name, alias,
		       row_encoding(box, row), row_counters(box, row));
		print_filters(row->needs, "+");
		scale = box_scale(box, alias);
		printf(",%s,%s\n", scale ? scale->scale : "", scale ? scale->unit : "");
	}
	return 0;
}

int print_stat(const char *model)
{
	const struct generation *g;
	unsigned int i;

	for (g = generations; g < generations + nr_generations; g++)
		if (g->model == strtoul(model, NULL, 10))
			stat_init(g);
	for (i = 0; i < nr_events; i++)
		printf("event %s %s %s %#x\n", box_types[events[i].type].name, events[i].name,
		       events[i].encoding, events[i].counters);
	for (i = 0; i < nr_metrics; i++)
		printf("metric %s %s = %s\n", metrics[i].name, metrics[i].expr, metrics[i].unit);
	return !nr_events;
}

/* "gen rows": box, alias, event with extended select, umask, counters */
int print_rows(const char *arg)
{
	const struct box *box;
	const struct row *row;

	(void)arg;
	for_each_row(box, row) {
		if (row->kind != ROW_UMASK && row->kind != ROW_PLAIN &&
		    row->kind != ROW_FIXED)
			continue;
		printf("%s %s 0x%02x 0x%02x %s\n", box->name,
		       row_alias(row), row_event(row)->sel,
		       row->umask, row_counters(box, row));
	}
	return 0;
}

/* "gen events": each event in the words in which the model prints its own */
int print_events(const char *arg)
{
	const struct box *box;
	const struct row *row, *umask;

	(void)arg;
	for_each_row(box, row) {
		unsigned int umasks = 0;

		if (row->kind != ROW_EVENT && row->kind != ROW_PLAIN)
			continue;
		for (umask = row + 1; umask < box->rows + box->nr_rows &&
		     umask->kind == ROW_UMASK; umask++)
			umasks |= umask->umask;
		printf("%s %s ext=%u code=0x%02x ctrs=0x%x max_inc=", box->name, row->event,
		       row->sel >> 8, row->sel & 0xff, row->counters);
		/* The guide leaves two blank, one is not believed; Intel's list leaves all. */
		printf(row->max_inc ? "%u" : "?", row->max_inc);
		printf(" umasks=0x%02x%s%s\n", umasks, row->takes & SNBEP_F_LIST ? " list" : "",
		       row->takes & SNBEP_F_TID ? " tid" : "");
	}
	return 0;
}
