// SPDX-License-Identifier: GPL-2.0-only
/* Default output: a table */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report.h"
#include "util.h"

#define MIN_WIDTH	5
#define MIN_AMOUNT	7
#define MAX_WIDTH	40

/**
 * struct table - state of the output
 * @repeat:	repeat the heading on each screen
 * @digits:	fractions of a second in the time
 * @since:	lines since the heading, -1 if there was none
 * @width:	width of each column
 * @label:	width of the label
 * @lines:	lines of the view, as some may come later
 * @said:	remarks printed so far
 * @day:	of the year, in the heading
 */
static struct table {
	bool repeat;
	int digits, since;
	int *width, label;
	unsigned int lines;
	char **said;
	unsigned int nr_said;
	int day;
} table;

static int screen_lines(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row ? 24 : size.ws_row;
}

/* Format a title or heading, without "/s" for totals. */
static void words(const struct column *col, const char *text, enum span mode, char *buf,
		  size_t size)
{
	char *per;

	snprintf(buf, size, "%s", text);
	per = strstr(buf, "/s");
	if (per && mode == MODE_TOTAL && metrics[col->metric].kind != METRIC_LEVEL)
		memmove(per, per + 2, strlen(per + 2) + 1);
}

/* Format a value with its mark, a dash if not available, or "" if not applicable. */
static void cell(const struct report *r, unsigned int line, unsigned int column, char *buf,
		 size_t size)
{
	const struct value *v = report_value(r, line, column);
	const struct column *col = &r->view->columns[column];
	char number[MAX_WIDTH - 3];

	number_text(number, sizeof(number), col->decimals, v->number / col->divisor);
	if (!v->applies)
		*buf = 0;
	else if (isnan(v->number))
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s%s%s%s", v->share < 1 ? "~" : "", number,
			 v->sampled ? "*" : "", v->implausible ? "!" : "");
}

static bool same_title(const struct view *v, unsigned int a, unsigned int b)
{
	return b < v->nr_columns && *v->columns[a].title &&
	       !strcmp(v->columns[a].title, v->columns[b].title);
}

/* Compute column widths for headings and values, with marks. */
static void widths(const struct report *r, int *width, int *label)
{
	const struct view *v = r->view;
	unsigned int i, j, k;
	char buf[MAX_WIDTH];

	*label = 0;
	for (i = 0; i < r->lines; i++) {
		int len = strlen(v->scopes[i].label);

		if (len > *label)
			*label = len;
	}
	for (j = 0; j < v->nr_columns; j++) {
		words(&v->columns[j], v->columns[j].heading, r->mode, buf, sizeof(buf));
		width[j] = strlen(buf) < MIN_WIDTH ? MIN_WIDTH : strlen(buf);
		if (metrics[v->columns[j].metric].kind == METRIC_AMOUNT && width[j] < MIN_AMOUNT)
			width[j] = MIN_AMOUNT;
		for (i = 0; i < r->lines; i++) {
			cell(r, i, j, buf, sizeof(buf));
			if ((int)strlen(buf) > width[j])
				width[j] = strlen(buf);
		}
	}
	/* Widen the first column for a long title. */
	for (j = 0; j < v->nr_columns; j = k) {
		int have = width[j], want;

		for (k = j + 1; same_title(v, j, k); k++)
			have += 1 + width[k];
		words(&v->columns[j], v->columns[j].title, r->mode, buf, sizeof(buf));
		want = strlen(buf);
		if (have < want)
			width[j] += want - have;
	}
}

/* Print "2026-11-21 --- memory MB/s ---": the date, and above columns the title that they share. */
static void print_titles(const struct report *r, const int *width, int label, const struct tm *tm,
			 FILE *out)
{
	const struct view *v = r->view;
	unsigned int j, k;
	char buf[MAX_WIDTH];

	strftime(buf, sizeof(buf), "%Y-%m-%d", tm);
	fprintf(out, "%-*s", label, buf);
	for (j = 0; j < v->nr_columns; j = k) {
		int have = width[j], dashes, i;

		for (k = j + 1; same_title(v, j, k); k++)
			have += 1 + width[k];
		words(&v->columns[j], v->columns[j].title, r->mode, buf, sizeof(buf));
		dashes = have - (int)strlen(buf) - 2;
		fputc(' ', out);
		if (k == j + 1 || dashes < 2) {
			fprintf(out, "%*s", have, buf);
			continue;
		}
		for (i = 0; i < dashes / 2; i++)
			fputc('-', out);
		fprintf(out, " %s ", buf);
		for (i = dashes / 2; i < dashes; i++)
			fputc('-', out);
	}
	fputc('\n', out);
}

static void print_header(const struct report *r, const int *width, int label, const struct tm *tm,
			 FILE *out)
{
	const struct view *v = r->view;
	unsigned int j;
	char buf[MAX_WIDTH];

	print_titles(r, width, label, tm, out);
	fprintf(out, "%*s", label, r->mode == MODE_RATE ? "time" : "total");
	for (j = 0; j < v->nr_columns; j++) {
		words(&v->columns[j], v->columns[j].heading, r->mode, buf, sizeof(buf));
		fprintf(out, " %*s", width[j], buf);
	}
	fputc('\n', out);
}

/* Print new remarks, and old ones that the last report did not have. */
static void print_notes(struct table *t, const struct report *r, FILE *out)
{
	unsigned int i, j, kept = 0;

	for (i = 0; i < r->nr_notes; i++) {
		for (j = 0; j < t->nr_said && strcmp(t->said[j], r->notes[i]); j++)
			;
		if (j == t->nr_said) {
			fprintf(out, "  %s\n", r->notes[i]);
			t->since++;
		}
	}
	for (j = 0; j < t->nr_said; j++)
		free(t->said[j]);
	free(t->said);
	t->said = NULL;
	for (i = 0; i < r->nr_notes; i++) {
		t->said = grow(t->said, kept, sizeof(*t->said));
		t->said[kept++] = format("%s", r->notes[i]);
	}
	t->nr_said = kept;
}

static void print(struct table *t, const struct report *r, FILE *out)
{
	const struct view *v = r->view;
	char buf[MAX_WIDTH], clock[24];
	int lines = r->lines;
	unsigned int i, j;
	struct tm tm;
	size_t len;

	if (!t->width)
		t->width = zalloc(v->nr_columns, sizeof(*t->width));
	localtime_r(&r->time.tv_sec, &tm);
	if (t->since < 0 || t->lines != r->lines || t->day != tm.tm_yday || r->mode == MODE_TOTAL ||
	    (t->repeat && t->since + lines > screen_lines() - 3)) {
		if (t->since >= 0)
			fputc('\n', out);
		widths(r, t->width, &t->label);
		t->label += 9 + t->digits + !!t->digits;
		print_header(r, t->width, t->label, &tm, out);
		t->since = 0;
		t->lines = r->lines;
		t->day = tm.tm_yday;
	}
	len = strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	if (t->digits)
		snprintf(clock + len, sizeof(clock) - len, ".%02u",
			 (unsigned int)(r->time.tv_nsec / 10000000) % 100);
	len += t->digits + !!t->digits;
	for (i = 0; i < r->lines; i++) {
		if (r->gone[i])
			continue;
		fprintf(out, "%*.*s %-*s", (int)len, (int)len, i ? "" : clock, t->label - (int)len - 1,
			v->scopes[i].label);
		for (j = 0; j < v->nr_columns; j++) {
			cell(r, i, j, buf, sizeof(buf));
			fprintf(out, " %*s", t->width[j], buf);
		}
		fputc('\n', out);
	}
	t->since += lines;
	print_notes(t, r, out);
	if (r->mode == MODE_TOTAL)
		fprintf(out, "\n%.3f seconds\n", r->seconds);
	fflush(out);
}

void out_table(const struct interval *i)
{
	double interval = i->origin->interval;

	if (i->moment == RUN_BEGINS) {
		table = (struct table){ .since = -1 };
		table.repeat = i->out == stdout && isatty(STDOUT_FILENO);
		table.digits = !fmod(interval, 1) ? 0 :
			       fabs(remainder(interval, 0.1)) < 0.000001 ? 1 : 2;
	} else if (i->shown) {
		print(&table, i->shown, i->out);
	}
}
