// SPDX-License-Identifier: GPL-2.0-only
/* "gen check": consistency of the event tables */
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned int nr_errors;

static void wrong(const struct box *box, const struct row *row, const char *what)
{
	fprintf(stderr, "%s %s%s%s: %s\n", box->name, row->event,
		row->umask_name ? "." : "",
		row->umask_name ? row->umask_name : "", what);
	nr_errors++;
}

static void check_row(const struct box *box, const struct row *row)
{
	const struct row *event = row_event(box, row), *other;
	const char *alias = row_alias(row), *err;
	char name[ALIAS_NAME_MAX];

	if (!event) {
		wrong(box, row, "not after its event");
		return;
	}
	if (row->kind == ROW_EVENT &&
	    (row + 1 == box->rows + box->nr_rows ||
	     row[1].kind != ROW_UMASK))
		wrong(box, row, "has no unit mask");
	if (row->kind <= ROW_PLAIN) {
		if (!row->counters || row->counters & ~box->counters)
			wrong(box, row, "is on counters that the box lacks");
		if (row->sel >> 9)
			wrong(box, row, "code is too large");
		for (other = box->rows; other < row; other++)
			if (other->kind <= ROW_PLAIN && other->sel == row->sel)
				wrong(box, row, "code is another's too");
	}
	if (row->kind == ROW_UMASK) {
		if (!row->umask || row->umask >> 8)
			wrong(box, row, "unit mask is not in 0x01-0xff");
		for (other = event + 1; other < row; other++)
			if (other->umask == row->umask)
				wrong(box, row, "unit mask is another's too");
	}
	if (row->kind == ROW_SCALE) {
		if (!box_find_alias(box, row->event))
			wrong(box, row, "scale of no alias");
		if (box_scale(box, row->event) != row)
			wrong(box, row, "has two scales");
		if (strtod(row->scale, NULL) <= 0)
			wrong(box, row, "scale is not positive");
		return;
	}
	if (!row->desc || !*row->desc)
		wrong(box, row, "lacks a description");
	if (!alias)
		return;
	strcpy(name, alias);
	if (box_find_alias(box, name) != row)
		wrong(box, row, "alias is another's too");
	err = encoding_check(box, row_encoding(box, row));
	if (err)
		wrong(box, row, err);
	if (row->kind != ROW_FIXED && !strcmp(row_counters(box, row), "?"))
		wrong(box, row, "encodes no event");
}

int check_tables(const char *arg)
{
	const struct box *box;
	const struct row *row;
	size_t i, j;

	(void)arg;
	for_each_row(box, row)
		check_row(box, row);

	for (i = 0; i < nr_guide_metrics; i++) {
		char *expr;

		if (guide_metrics[i].kind != METRIC_EXPR)
			continue;
		expr = metric_expr(&guide_metrics[i], DEFAULT_PREFIX, "\\");
		nr_errors += !expr;
		free(expr);
		for (j = 0; j < i; j++) {
			if (guide_metrics[j].kind != METRIC_EXPR ||
			    strcmp(guide_metrics[i].name, guide_metrics[j].name))
				continue;
			fprintf(stderr, "two metrics %s\n", guide_metrics[i].name);
			nr_errors++;
		}
	}
	for (i = 0; i < nr_generations; i++)
		stat_init(&generations[i]);
	return !!nr_errors;
}
