// SPDX-License-Identifier: GPL-2.0-only
/* --svg: one small plot per column, with a curve per line of the table */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replace.h"
#include "report.h"
#include "util.h"

/* Page layout, in pixels */
#define ACROSS	2
#define PANEL_W	460
#define PANEL_H	190
#define MARGIN	24
#define TOP	48
#define LEGEND_H 16
#define PLOT_X	62
#define PLOT_Y	30
#define PLOT_W	(PANEL_W - PLOT_X - 12)
#define PLOT_H	(PANEL_H - PLOT_Y - 34)

/* Maximum length of a title above a panel */
#define TITLE_MAX	54

/* Maximum number and length of remarks below the plots */
#define MAX_NOTES	20
#define NOTE_H	16
#define NOTE_MAX	150

/* Maximum number of points per curve: the highest of adjacent intervals */
#define MAX_POINTS	800

/**
 * struct svg - data of the plots
 * @seconds:	end of each interval, since the start
 * @values:	values of each interval, line by line; @cells of them
 * @late:	number of late intervals
 * @longest:	duration of the longest of them
 * @totals:	marks and remarks of the run
 */
static struct svg {
	const char *path;
	FILE *out;
	const struct view *view;
	const struct origin *origin;
	double *seconds;
	double **values;
	unsigned int *cells, nr, late;
	double longest;
	const struct report *totals;
} svg;

/* Suitable for colour-blind readers, on light and dark backgrounds */
static const char * const colours[] = {
	"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999933", "#8b7fd6",
};

static void add(struct svg *s, const struct report *r)
{
	double *values = zalloc(r->nr, sizeof(*values));
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		values[i] = r->values[i].number;
	s->seconds = grow(s->seconds, s->nr, sizeof(*s->seconds));
	s->values = grow(s->values, s->nr, sizeof(*s->values));
	s->cells = grow(s->cells, s->nr, sizeof(*s->cells));
	s->cells[s->nr] = r->nr;
	s->seconds[s->nr] = r->seconds + (s->nr ? s->seconds[s->nr - 1] : 0);
	s->values[s->nr++] = values;
	if (r->late) {
		s->late++;
		s->longest = fmax(s->longest, r->seconds);
	}
}

/* Number of legend entries next to each other */
static unsigned int legend_across(const struct svg *s)
{
	return (s->view->per & (PER_BOX | PER_RESCTRL)) ? 7 : 14;
}

/* Vertical position of the first panel, below the legend */
static int top(const struct svg *s)
{
	return TOP + LEGEND_H * (int)((s->totals->lines - 1) / legend_across(s) + 1);
}

/* Print the colour of a line, and from the second on its dashes. */
static void stroke(unsigned int line, FILE *out)
{
	unsigned int round = line / ARRAY_SIZE(colours);

	fprintf(out, "stroke=\"%s\"", colours[line % ARRAY_SIZE(colours)]);
	/* A curve shows the one below in its gaps where both are equal. */
	if (line)
		fprintf(out, " stroke-dasharray=\"%u 4\" stroke-dashoffset=\"%u\"", 9 / (round + 1) + 1,
			3 * line);
}

static double value(const struct svg *s, unsigned int i, unsigned int line, unsigned int column)
{
	unsigned int cell = line * s->view->nr_columns + column;

	/* A line may have come later. */
	return cell < s->cells[i] ? s->values[i][cell] / s->view->columns[column].divisor : NAN;
}

/* Print escaped text, truncated to a maximum length. */
static void escaped(const char *t, int most, FILE *out)
{
	for (; *t; t++) {
		/* No control character is XML. */
		if (iscntrl((unsigned char)*t))
			continue;
		if (!most-- && t[1]) {
			fputs("\u2026", out);
			return;
		}
		if (*t == '<')
			fputs("&lt;", out);
		else if (*t == '&')
			fputs("&amp;", out);
		else
			fputc(*t, out);
	}
}

/* The highest value of a column (of is fmax) or the lowest one (fmin), or 0 */
static double extreme(const struct svg *s, unsigned int column, double (*of)(double, double))
{
	double found = 0;
	unsigned int i, line;

	for (i = 0; i < s->nr; i++)
		for (line = 0; line < s->totals->lines; line++)
			found = of(found, value(s, i, line, column));
	return found;
}

static double column_max(const struct svg *s, unsigned int column)
{
	double max = extreme(s, column, fmax);

	/* Boxes are not read at the same time, so a whole may have a little more than 100 %. */
	if (metrics[s->view->columns[column].metric].kind == METRIC_RATIO && max > 100 && max < 105)
		max = 100;
	return round_up(max);
}

/* Return where the axis begins: below 0 for a user's difference. */
static double column_min(const struct svg *s, unsigned int column)
{
	double min = extreme(s, column, fmin);

	return min < 0 ? -round_up(-min) : 0;
}

/* Draw the axes, and grid lines at quarters of the height and fifths of the time. */
static void axes(const struct svg *s, double least, double most, double divisor, FILE *out)
{
	double all = s->nr ? s->seconds[s->nr - 1] : 1, step = round_up(all / 5);
	int i;

	for (i = 0; i <= 4; i++) {
		double y = PLOT_Y + PLOT_H - i * PLOT_H / 4.0;

		fprintf(out, "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
			i ? "grid" : "axis", PLOT_X, PLOT_X + PLOT_W, y, y);
		fprintf(out, "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%.10g</text>\n",
			PLOT_X - 6, y + 4, (least + (most - least) * i / 4) / divisor);
	}
	for (i = 0; i * step <= all * 1.0001; i++) {
		double x = PLOT_X + PLOT_W * (i * step) / all;

		fprintf(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n",
			x, x, PLOT_Y + PLOT_H, PLOT_Y + PLOT_H + 4);
		fprintf(out, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%.10g s</text>\n",
			x, PLOT_Y + PLOT_H + 17, i * step);
	}
}

/* Draw a step per interval, and gaps for missing values. */
static void curve(const struct svg *s, unsigned int line, unsigned int column, double least,
		  double most, FILE *out)
{
	unsigned int stride = s->nr / MAX_POINTS + 1, i, j;
	double all = s->nr ? s->seconds[s->nr - 1] : 1;
	bool pen = false;

	fprintf(out, "<path class=\"curve\" ");
	stroke(line, out);
	fprintf(out, " d=\"");
	for (i = 0; i < s->nr; i += stride) {
		double from = i ? s->seconds[i - 1] : 0, to = from, v = NAN, y;

		for (j = i; j < i + stride && j < s->nr; j++) {
			v = fmax(v, value(s, j, line, column));
			to = s->seconds[j];
		}
		if (isnan(v)) {
			pen = false;
			continue;
		}
		y = PLOT_Y + PLOT_H - PLOT_H * fmin((v - least) / (most - least), 1);
		fprintf(out, "%c%.1f %.1fH%.1f", pen ? 'L' : 'M', PLOT_X + PLOT_W * from / all, y,
			PLOT_X + PLOT_W * to / all);
		pen = true;
	}
	fprintf(out, "\"><title>");
	escaped(s->view->scopes[line].label, LABEL, out);
	fprintf(out, "</title></path>\n");
}

static void panel(const struct svg *s, unsigned int column, FILE *out)
{
	const struct column *c = &s->view->columns[column];
	double most = column_max(s, column), least = column_min(s, column), divisor = 1;
	const char *prefix = "";
	unsigned int line;

	if (c->divisor == 1 && metrics[c->metric].kind == METRIC_AMOUNT && most >= 1e4) {
		divisor = most >= 1e7 ? 1e6 : 1e3;
		prefix = most >= 1e7 ? "M " : "k ";
	}
	fprintf(out, "<g transform=\"translate(%d %d)\">\n<text class=\"title\" x=\"%d\" y=\"18\">",
		MARGIN + (int)(column % ACROSS) * (PANEL_W + MARGIN),
		top(s) + (int)(column / ACROSS) * PANEL_H, PLOT_X);
	escaped(metrics[c->metric].desc, TITLE_MAX, out);
	fprintf(out, "</text>\n<text class=\"tick\" x=\"%d\" y=\"4\">%s%s%s</text>\n", PLOT_X,
		metrics[c->metric].name, report_has(s->totals, column, '*') ? " *" : "",
		report_has(s->totals, column, '~') ? " ~" : "");
	fprintf(out, "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"18\">%s%s</text>\n",
		PLOT_X - 6, prefix, column_unit(c));
	axes(s, least, most, divisor, out);
	for (line = 0; line < s->totals->lines; line++)
		if (s->nr && report_applies(s->view, line, column))
			curve(s, line, column, least, most, out);
	fprintf(out, "</g>\n");
}

static void head(const struct svg *s, int width, int height, FILE *out)
{
	int x = MARGIN + PLOT_X;
	unsigned int line;
	char clock[40];
	struct tm tm;

	localtime_r(&s->origin->start.tv_sec, &tm);
	strftime(clock, sizeof(clock), "%Y-%m-%d %H:%M:%S", &tm);
	fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
		"<style>\n"
		"svg { background: #fff; font: 12px sans-serif; fill: #222 }\n"
		".page { fill: #fff }\n"
		".head { font-size: 18px; font-weight: bold }\n"
		".title { font-weight: bold }\n"
		".tick { font-size: 10px; fill: #666 }\n"
		".axis { stroke: #888 }\n"
		".grid { stroke: #e4e4e4 }\n"
		".curve { fill: none; stroke-width: 1.6; stroke-linejoin: round }\n"
		"@media (prefers-color-scheme: dark) {\n"
		"svg { background: #16181c; fill: #ddd } .page { fill: #16181c }\n"
		".tick { fill: #999 } .grid { stroke: #2c2f36 }\n"
		"}\n"
		"</style>\n<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n",
		width, height, width, height, width, height);
	fprintf(out, "<text class=\"head\" x=\"%d\" y=\"30\">uncorestat</text>\n", x);
	fprintf(out, "<text x=\"%d\" y=\"30\">%s, %s, %.1f s, %u intervals, ", x + 116,
		generation->name, clock, s->nr ? s->seconds[s->nr - 1] : 0, s->nr);
	escaped(s->origin->host, 30, out);
	fputs(s->origin->command ? ": " : "", out);
	escaped(s->origin->command ?: "", 50, out);
	fputs("</text>\n", out);
	for (line = 0; line < s->totals->lines; line++) {
		unsigned int across = legend_across(s);
		int at = x + (int)(line % across) * (840 / (int)across);
		int y = 50 + LEGEND_H * (int)(line / across);

		fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke-width=\"3\" ",
			at, at + 18, y - 4, y - 4);
		stroke(line, out);
		fprintf(out, "/>\n<text class=\"line\" x=\"%d\" y=\"%d\">%s</text>\n", at + 23, y,
			s->view->scopes[line].label);
	}
}

static void print(struct svg *s)
{
	int bottom = top(s) + (int)((s->view->nr_columns + ACROSS - 1) / ACROSS) * PANEL_H + MARGIN;
	const struct report *totals = s->totals;
	unsigned int column, i, notes;
	FILE *out = s->out;

	notes = totals->nr_notes < MAX_NOTES ? totals->nr_notes : MAX_NOTES;
	if (ftruncate(fileno(out), 0) && errno != EINVAL)
		die("cannot write %s: %s", s->path, strerror(errno));
	head(s, 2 * MARGIN + ACROSS * PANEL_W + (ACROSS - 1) * MARGIN,
	     bottom + (int)(notes + !!s->late) * NOTE_H, out);
	for (column = 0; column < s->view->nr_columns; column++)
		panel(s, column, out);
	for (i = 0; i < notes; i++) {
		fprintf(out, "<text class=\"note\" x=\"%d\" y=\"%d\">", MARGIN + PLOT_X,
			bottom + (int)i * NOTE_H);
		escaped(totals->notes[i], NOTE_MAX, out);
		fprintf(out, "</text>\n");
	}
	if (s->late)
		fprintf(out, "<text class=\"note\" x=\"%d\" y=\"%d\">! %u late intervals, up to %.2f s</text>\n",
			MARGIN + PLOT_X, bottom + (int)notes * NOTE_H, s->late, s->longest);
	fprintf(out, "</svg>\n");
	if (ferror(out) | fclose(out))
		die("cannot write %s: %s", s->path, strerror(errno));
}

void out_svg(const struct interval *i)
{
	switch (i->moment) {
	case RUN_BEGINS:
		/* An existing file is kept until there is something to write. */
		svg = (struct svg){
			.path = i->to, .out = write_file(i->to, false), .view = i->totals->view,
			.origin = i->origin,
		};
		break;
	case INTERVAL_ENDS:
		add(&svg, i->rates);
		break;
	case RUN_ENDS:
		svg.totals = i->totals;
		print(&svg);
		break;
	default:
		break;
	}
}
