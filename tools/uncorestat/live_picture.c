// SPDX-License-Identifier: GPL-2.0-only
#include "live_picture.h"

#include <math.h>
#include <ncurses.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "util.h"

/* Size of a socket's picture */
#define WIDTH	80
#define HEIGHT	18

/* Positions of its parts */
#define LEFT	1	/* QPI, PCIe, cores */
#define MIDDLE	28	/* the ring with its slices */
#define RIGHT	55	/* home agent and channels */
#define RING	24	/* width of the ring */

/* Metric of each item */
static const char * const item_names[NR_ITEMS] = {
	[ITEM_MEM_READ] = "mem_read",
	[ITEM_MEM_WRITE] = "mem_write",
	[ITEM_REMOTE] = "mem_remote",
	[ITEM_LOOKUP] = "llc_lookup",
	[ITEM_MISS] = "llc_miss",
	[ITEM_QPI_OUT] = "qpi_out",
	[ITEM_QPI_IN] = "qpi_in",
	[ITEM_QPI_UTIL] = "qpi_link_util",
	[ITEM_PCIE_READ] = "pcie_read",
	[ITEM_PCIE_WRITE] = "pcie_write",
	[ITEM_C0] = "cores_c0",
	[ITEM_C6] = "cores_c6",
	[ITEM_FREQ] = "freq_2000",
};

static const struct metric *item_metric(enum item item)
{
	return &metrics[metric_index(item_names[item])];
}

static void forget(struct series *s)
{
	int i;

	for (i = 0; i < HISTORY; i++)
		s->value[i] = NAN;
	s->mark = ' ';
}

void picture_init(struct picture *p, const struct machine *m, double interval)
{
	unsigned int s, item, i;

	memset(p, 0, sizeof(*p));
	p->machine = m;
	p->interval = interval;
	p->sockets = zalloc(m->nr_sockets, sizeof(*p->sockets));
	for (s = 0; s < m->nr_sockets; s++) {
		for (item = 0; item < NR_ITEMS; item++) {
			forget(&p->sockets[s].all[item]);
			for (i = 0; i < MAX_PLACES; i++)
				forget(&p->sockets[s].place[item][i]);
		}
	}
	p->time = time_of_day();
}

static void push(struct series *s, const struct value *v)
{
	memmove(s->value, s->value + 1, (HISTORY - 1) * sizeof(s->value[0]));
	s->value[HISTORY - 1] = v->number;
	s->mark = v->implausible ? '!' : v->share < 1 ? '~' : v->sampled ? '*' : ' ';
}

/* Boxes of an item in any socket; numbers may have gaps. */
static unsigned int places(const struct picture *p, enum item item, const struct pmu **list)
{
	const struct machine *m = p->machine;
	int type = item_metric(item)->box;
	unsigned int i, nr = 0;

	for (i = 0; i < m->nr_pmus && nr < MAX_PLACES; i++)
		if ((int)m->pmus[i].type == type)
			list[nr++] = &m->pmus[i];
	return nr;
}

/* Have a history of each cell; lines can come later. */
static void add_cells(struct picture *p, unsigned int lines)
{
	p->lines = lines;
	while (p->nr_cells < lines * p->view->nr_columns) {
		p->cells = grow(p->nr_cells ? p->cells : NULL, p->nr_cells, sizeof(*p->cells));
		forget(&p->cells[p->nr_cells++]);
	}
}

void picture_show(struct picture *p, const struct view *v)
{
	p->view = NULL;
	p->first = 0;
	p->wanted = v->group ? v->group - groups : nr_groups - 1;
	if (v->group == groups && v->per == PICTURE_PER)
		return;
	p->view = v;
	p->nr_cells = 0;
	add_cells(p, v->nr_scopes);
}

/* Add a value of the default group to the history of its socket or box. */
static void add_item(struct picture *p, const struct view *v, unsigned int cell,
		     const struct value *value)
{
	const char *name = v->columns[cell % v->nr_columns].name;
	const struct scope *scope = &v->scopes[cell / v->nr_columns];
	struct socket_series *s = &p->sockets[scope->socket];
	const struct pmu *boxes[MAX_PLACES];
	unsigned int item, i, nr;

	for (item = 0; item < NR_ITEMS && strcmp(item_names[item], name); item++)
		;
	if (item < NR_ITEMS && !scope->pmu)
		push(&s->all[item], value);
	nr = item < NR_ITEMS && scope->pmu && value->applies ? places(p, item, boxes) : 0;
	for (i = 0; i < nr; i++) {
		if (boxes[i] != scope->pmu || scope->pmu->cpu[scope->socket] < 0)
			continue;
		push(&s->place[item][i], value);
		s->there[item][i] = true;
	}
}

void picture_add(struct picture *p, const struct report *r)
{
	unsigned int i;

	if (p->view)
		add_cells(p, r->lines);
	for (i = 0; p->view && i < r->nr; i++)
		push(&p->cells[i], &r->values[i]);
	for (i = 0; !p->view && i < r->nr; i++)
		add_item(p, r->view, i, &r->values[i]);
	p->samples++;
	if (p->held)
		return;
	p->time = r->time;
	*p->note = 0;
	p->more_notes = 0;
	/* Errors first; the help explains the marks. */
	for (i = 0; i < r->nr_notes; i++) {
		if (!*p->note || (r->notes[i][0] == '!' && *p->note != '!'))
			snprintf(p->note, sizeof(p->note), "%s", r->notes[i]);
		p->more_notes += i > 0;
	}
}

void picture_next(struct picture *p)
{
	p->first = (p->first + 1) % (p->view ? p->lines : p->machine->nr_sockets);
}

/* Return the value of a full bar, the same for all sockets and boxes. */
static double full(const struct picture *p, enum item a, enum item b, bool boxes)
{
	unsigned int s, i, k;
	double max = 0;

	for (s = 0; s < p->machine->nr_sockets; s++) {
		const struct socket_series *ss = &p->sockets[s];

		for (k = 0; k < HISTORY; k++) {
			if (!boxes) {
				max = fmax(max, ss->all[a].value[k]);
				max = fmax(max, ss->all[b].value[k]);
			}
			for (i = 0; boxes && i < MAX_PLACES; i++) {
				max = fmax(max, ss->place[a][i].value[k]);
				max = fmax(max, ss->place[b][i].value[k]);
			}
		}
	}
	return round_up(max);
}

/* "read  #####    1234.5* history" */
static void item_line(int y, int x, const char *name, const struct series *s, double most,
		      double divisor, int decimals, enum colour c)
{
	draw_text(y, x, COLOUR_PLAIN, "%-5s", name);
	draw_bar(y, x + 6, 5, series_last(s) / most, c);
	draw_number(y, x + 11, 7, decimals, s, divisor);
	draw_history(y, x + 20, 5, 1, s, most, c);
}

/* Draw the value of a full bar below a heading. */
static void scale(int y, int x, double most, double divisor, const char *unit)
{
	char buf[40];

	/* All values were 0 so far: no scale */
	if (most <= 1)
		return;
	snprintf(buf, sizeof(buf), "%g %s", most / divisor, unit);
	draw_text(y, x - (int)strlen(buf), COLOUR_DIM, "%s", buf);
}

/* With three ports, show the utilization in the heading to save lines. */
static void draw_ports(const struct picture *p, const struct socket_series *s, int y, int x)
{
	double most = full(p, ITEM_QPI_OUT, ITEM_QPI_IN, true);
	const struct pmu *ports[MAX_PLACES];
	unsigned int nr = places(p, ITEM_QPI_OUT, ports), i;
	bool small = nr > 2;

	if (!nr)
		draw_text(y, x, COLOUR_DIM, "QPI: not there");
	for (i = 0; i < nr && i < 3; i++, y += small ? 3 : 4) {
		const struct series *used = &s->place[ITEM_QPI_UTIL][i];

		draw_bold(y, x, COLOUR_LINK, "QPI %u", ports[i]->instance);
		if (!s->there[ITEM_QPI_OUT][i] && p->samples) {
			draw_text(y + 1, x, COLOUR_DIM, "not there");
			continue;
		}
		item_line(y + 1, x, "out", &s->place[ITEM_QPI_OUT][i], most, 1e6, 1, COLOUR_LINK);
		item_line(y + 2, x, "in", &s->place[ITEM_QPI_IN][i], most, 1e6, 1, COLOUR_LINK);
		draw_shape(y + 1, x + 25, SHAPE_IN);
		draw_shape(y + 2, x + 25, SHAPE_OUT);
		if (!s->there[ITEM_QPI_UTIL][i]) {
			/* A fifth event on four counters: -g qpi has it. */
		} else if (small) {
			draw_number(y, x + 6, 5, 0, used, 0.01);
			draw_text(y, x + 12, COLOUR_PLAIN, "%%");
		} else {
			item_line(y + 3, x, "used%", used, 1, 0.01, 1, COLOUR_LINK);
		}
		if (!small || !i)
			scale(y, x + 25, most, 1e6, "MB/s");
	}
}

static void draw_left(const struct picture *p, const struct socket_series *s, int y, int x)
{
	double most = full(p, ITEM_PCIE_READ, ITEM_PCIE_WRITE, false);
	/* Each core has an LLC slice. */
	int cores = 0, i;

	for (i = 0; i < MAX_PLACES; i++)
		cores += s->there[ITEM_LOOKUP][i];
	draw_ports(p, s, y, x);
	y += 9;
	draw_bold(y, x, COLOUR_DEVICE, "PCIe");
	scale(y, x + 25, most, 1e6, "MB/s");
	item_line(y + 1, x, "read", &s->all[ITEM_PCIE_READ], most, 1e6, 1, COLOUR_DEVICE);
	item_line(y + 2, x, "write", &s->all[ITEM_PCIE_WRITE], most, 1e6, 1, COLOUR_DEVICE);
	draw_shape(y + 1, x + 25, SHAPE_IN);
	draw_shape(y + 2, x + 25, SHAPE_OUT);
	y += 4;
	draw_bold(y, x, COLOUR_CORE, "cores");
	scale(y, x + 25, cores, 1, "cores");
	item_line(y + 1, x, "C0", &s->all[ITEM_C0], cores, 1, 1, COLOUR_CORE);
	item_line(y + 2, x, "C6", &s->all[ITEM_C6], cores, 1, 1, COLOUR_CORE);
	item_line(y + 3, x, "2GHz+", &s->all[ITEM_FREQ], 1, 0.01, 1, COLOUR_CORE);
}

/* Draw a line in the ring: name, bar, number, history. */
static void ring_line(int y, int x, const char *name, const struct series *s, double most,
		      enum colour c)
{
	draw_text(y, x + 2, COLOUR_PLAIN, "%s", name);
	draw_bar(y, x + 7, 4, series_last(s) / most, c);
	draw_number(y, x + 11, 6, 2, s, 1e6);
	draw_history(y, x + 18, 4, 1, s, most, c);
}

static void ring_edge(int y, int x, enum shape left, enum shape right, double most)
{
	draw_shape(y, x, left);
	draw_line(y, x + 1, RING - 2);
	draw_shape(y, x + RING - 1, right);
	if (most > 0)
		scale(y, x + RING - 2, most, 1e6, "M/s");
}

/* Draw a number and a bar in one, two or three columns of slices. */
static void slice(int y, int x, unsigned int name, const struct series *s, double most, int width)
{
	int bar = width - 8;

	draw_text(y, x, COLOUR_PLAIN, "%2u", name);
	if (bar > 0)
		draw_bar(y, x + 3, bar, series_last(s) / most, COLOUR_CACHE);
	draw_number(y, x + width - 5, 4, 0, s, 1e6);
}

/* Draw the slices in eight lines and up to three columns. */
static void draw_slices(const struct picture *p, const struct socket_series *s, int y, int x)
{
	double most = full(p, ITEM_LOOKUP, ITEM_LOOKUP, true);
	const struct pmu *slices[MAX_PLACES];
	unsigned int nr = places(p, ITEM_LOOKUP, slices), across = (nr + 7) / 8, i;
	char name[12];

	for (i = 0; i < nr; i++) {
		const struct series *values = &s->place[ITEM_LOOKUP][i];
		int width = (RING - 2) / across;

		if (!s->there[ITEM_LOOKUP][i])
			continue;
		snprintf(name, sizeof(name), "%u", slices[i]->instance);
		if (across == 1)
			ring_line(y + i, x, name, values, most, COLOUR_CACHE);
		else
			slice(y + i % 8, x + 1 + i / 8 * width, slices[i]->instance, values, most,
			      width);
	}
}

static void draw_ring(const struct picture *p, const struct socket_series *s, int y, int x)
{
	double most = full(p, ITEM_LOOKUP, ITEM_LOOKUP, true);
	double all = full(p, ITEM_LOOKUP, ITEM_MISS, false);
	int i;

	ring_edge(y, x, SHAPE_TOP_LEFT, SHAPE_TOP_RIGHT, most);
	draw_bold(y, x + 2, COLOUR_CACHE, " LLC ring ");
	for (i = 1; i < 12; i++) {
		draw_shape(y + i, x, SHAPE_V);
		draw_shape(y + i, x + RING - 1, SHAPE_V);
	}
	draw_slices(p, s, y + 1, x);
	ring_edge(y + 9, x, SHAPE_LEFT_TEE, SHAPE_RIGHT_TEE, all);
	ring_line(y + 10, x, "look", &s->all[ITEM_LOOKUP], all, COLOUR_CACHE);
	ring_line(y + 11, x, "miss", &s->all[ITEM_MISS], all, COLOUR_WARN);
	ring_edge(y + 12, x, SHAPE_BOTTOM_LEFT, SHAPE_BOTTOM_RIGHT, 0);
}

/* Draw up to four channels in three lines each, more in one. */
static void draw_channels(const struct picture *p, const struct socket_series *s, int y, int x)
{
	double most = full(p, ITEM_MEM_READ, ITEM_MEM_WRITE, true);
	const struct pmu *channels[MAX_PLACES];
	unsigned int nr = places(p, ITEM_MEM_READ, channels), i;
	bool small = nr > 4;
	char name[12];

	draw_bold(y, x, COLOUR_READ, "channels");
	if (small)
		draw_text(y, x + 9, COLOUR_DIM, "rd MB/s wr MB/s");
	else
		scale(y, x + 25, most, 1e6, "MB/s");
	for (i = 0, y++; i < nr && i < 12; i++, y += small ? 1 : 3) {
		const struct series *reads = &s->place[ITEM_MEM_READ][i];
		const struct series *writes = &s->place[ITEM_MEM_WRITE][i];

		snprintf(name, sizeof(name), small ? "%u" : "%u rd", channels[i]->instance);
		if (!s->there[ITEM_MEM_READ][i] && p->samples) {
			draw_text(y, x, COLOUR_DIM, "%u     not there", channels[i]->instance);
		} else if (small) {
			draw_text(y, x, COLOUR_PLAIN, "%2s", name);
			draw_bar(y, x + 3, 5, (series_last(reads) + series_last(writes)) / most / 2,
				 COLOUR_READ);
			draw_number(y, x + 9, 7, 0, reads, 1e6);
			draw_number(y, x + 17, 7, 0, writes, 1e6);
		} else {
			item_line(y, x, name, reads, most, 1e6, 1, COLOUR_READ);
			item_line(y + 1, x, "  wr", writes, most, 1e6, 1, COLOUR_WRITE);
		}
	}
}

static void draw_memory(const struct picture *p, const struct socket_series *s, int y, int x)
{
	double all = full(p, ITEM_MEM_READ, ITEM_MEM_WRITE, false);

	draw_bold(y, x, COLOUR_READ, "home agent");
	scale(y, x + 25, all, 1e6, "MB/s");
	item_line(y + 1, x, "read", &s->all[ITEM_MEM_READ], all, 1e6, 1, COLOUR_READ);
	item_line(y + 2, x, "write", &s->all[ITEM_MEM_WRITE], all, 1e6, 1, COLOUR_WRITE);
	item_line(y + 3, x, "rem %", &s->all[ITEM_REMOTE], 1, 0.01, 1, COLOUR_LINK);
	draw_shape(y + 1, x - 3, SHAPE_IN);
	draw_shape(y + 2, x - 3, SHAPE_OUT);
	draw_channels(p, s, y + 5, x);
}

static void draw_socket(const struct picture *p, unsigned int s, int y, int x)
{
	draw_line(y, x + 1, WIDTH - 2);
	draw_bold(y, x + 3, COLOUR_PLAIN, " socket %d ", p->machine->sockets[s]);
	draw_left(p, &p->sockets[s], y + 1, x + LEFT);
	draw_ring(p, &p->sockets[s], y + 1, x + MIDDLE);
	draw_memory(p, &p->sockets[s], y + 1, x + RIGHT);
}

/* Draw histories of the sums below or beside the pictures if there is space. */
static void draw_charts(const struct picture *p, unsigned int s, int y, int x, int lines,
			int width)
{
	static const struct {
		const char *name;
		enum item item, like;
		const char *unit;
		enum colour colour;
	} charts[] = {
		{ "memory read", ITEM_MEM_READ, ITEM_MEM_WRITE, "MB/s", COLOUR_READ },
		{ "memory write", ITEM_MEM_WRITE, ITEM_MEM_READ, "MB/s", COLOUR_WRITE },
		{ "LLC lookups", ITEM_LOOKUP, ITEM_LOOKUP, "M/s", COLOUR_CACHE },
		{ "QPI out", ITEM_QPI_OUT, ITEM_QPI_IN, "MB/s", COLOUR_LINK },
		{ "PCIe write", ITEM_PCIE_WRITE, ITEM_PCIE_READ, "MB/s", COLOUR_DEVICE },
	};
	int height, nr = ARRAY_SIZE(charts), i;

	while (nr && lines / nr < 4)
		nr--;
	for (i = 0; i < nr; i++) {
		double most = full(p, charts[i].item, charts[i].like, false);

		height = lines / nr - 1;
		draw_text(y, x + 1, COLOUR_DIM, "%s", charts[i].name);
		scale(y, x + width - 2, most, 1e6, charts[i].unit);
		draw_history(y + 1, x + 1, width - 3, height - 1,
			     &p->sockets[s].all[charts[i].item], most, charts[i].colour);
		y += height + 1;
	}
}

/* Return the value of a full bar, the same for columns of a title and unit. */
static double cells_full(const struct picture *p, unsigned int column)
{
	const struct view *v = p->view;
	double max = 0;
	unsigned int i, j, k;

	for (j = 0; j < v->nr_columns; j++) {
		if (strcmp(v->columns[j].title, v->columns[column].title) ||
		    v->columns[j].divisor != v->columns[column].divisor)
			continue;
		for (i = 0; i < p->lines; i++)
			for (k = 0; k < HISTORY; k++)
				max = fmax(max, p->cells[i * v->nr_columns + j].value[k]);
	}
	if (metrics[v->columns[column].metric].kind == METRIC_RATIO && max > 1 && max < 1.05)
		max = 1;
	return round_up(max);
}

static enum colour cell_colour(unsigned int column)
{
	return COLOUR_READ + column % (COLOUR_CORE - COLOUR_READ + 1);
}

/* Draw the histories of the first line's columns in what is left below the table. */
static void draw_histories(const struct picture *p, int y)
{
	const struct view *v = p->view;
	int lines = LINES - 1 - y, nr = v->nr_columns, i;

	while (nr && lines / nr < 3)
		nr--;
	for (i = 0; i < nr; i++, y += lines / nr) {
		const struct column *c = &v->columns[i];
		double most = cells_full(p, i);

		draw_text(y, 1, COLOUR_DIM, "%s %s %s", v->scopes[p->first].label,
			  c->title, c->heading);
		draw_text(y, COLS - 12, COLOUR_DIM, "%10g", most / c->divisor);
		draw_history(y + 1, 1, COLS - 3, lines / nr - 1,
			     &p->cells[p->first * v->nr_columns + i], most, cell_colour(i));
	}
}

/* Draw a line for each scope, from the first one on, with a number and a bar in each column. */
static void draw_table(const struct picture *p)
{
	const struct view *v = p->view;
	int left = v->per & (PER_BOX | PER_RESCTRL) ? 11 : 5;
	int columns = v->nr_columns, digits, y = 4;
	int width = (COLS - left) / columns;
	int i, j, lines = LINES - 6;
	char title[100];

	width = width < 7 ? 7 : width > 30 ? 30 : width;
	digits = width < 9 ? width - 1 : 8;
	if (left + columns * width > COLS)
		columns = (COLS - left) / width;
	draw_line(1, 1, COLS - 2);
	draw_bold(1, 3, COLOUR_PLAIN, " %s ", v->group ? v->group->desc : "metrics of -m");
	if (columns < (int)v->nr_columns)
		draw_text(1, COLS - 20, COLOUR_WARN, " +%d columns ", v->nr_columns - columns);
	for (j = 0; j < columns; j++) {
		const struct column *c = &v->columns[j];
		int x = left + j * width;

		for (i = j; i < columns && !strcmp(v->columns[i].title, c->title); )
			i++;
		snprintf(title, sizeof(title), "%s, bar: %g", c->title, cells_full(p, j) / c->divisor);
		if (!j || strcmp(c[-1].title, c->title))
			draw_text(2, x + 1, COLOUR_DIM, "%.*s", (i - j) * width - 2,
				  width > digits + 2 ? title : c->title);
		draw_bold(3, x, cell_colour(j), "%*.*s", digits, width - 1, c->heading);
	}
	for (i = 0; i < (int)p->lines && i < lines; i++, y++) {
		unsigned int line = (p->first + i) % p->lines;

		draw_text(y, 1, COLOUR_PLAIN, "%s", v->scopes[line].label);
		for (j = 0; j < columns; j++) {
			const struct series *s = &p->cells[line * v->nr_columns + j];
			const struct column *c = &v->columns[j];
			bool fits = series_last(s) / c->divisor < 1e4 || digits > 7;
			int x = left + j * width;

			if (!report_applies(v, line, j))
				continue;
			draw_number(y, x, digits, fits ? c->decimals : 0, s, c->divisor);
			draw_bar(y, x + digits + 1, width - digits - 2,
				 series_last(s) / cells_full(p, j), cell_colour(j));
		}
	}
	draw_histories(p, y + 1);
}

static void draw_frame(const struct picture *p, unsigned int shown)
{
	char clock[20];
	struct tm tm;

	localtime_r(&p->time.tv_sec, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	draw_bold(0, 1, COLOUR_PLAIN, "uncorestat");
	if (p->held)
		draw_bold(0, 13, COLOUR_WARN, "%s  held, p: go on", clock);
	else
		draw_text(0, 13, COLOUR_PLAIN, "%s  every %g s", clock, p->interval);
	if (p->view)
		draw_text(0, COLS - 42, COLOUR_DIM, "%s, g: next group",
			  p->view->group ? p->view->group->name : "-m");
	else if (shown < p->machine->nr_sockets)
		draw_text(0, COLS - 42, COLOUR_DIM, "%u of %u sockets, n: next", shown,
			  p->machine->nr_sockets);
	draw_text(0, COLS - 17, COLOUR_DIM, "h: help  q: quit");
	if (*p->said)
		draw_text(LINES - 1, 1, COLOUR_WARN, "%.*s", COLS - 2, p->said);
	else if (*p->note)
		draw_text(LINES - 1, 1, *p->note == '!' ? COLOUR_WARN : COLOUR_DIM, "%.*s",
			  COLS - (p->more_notes ? 12 : 2), p->note);
	if (p->more_notes && !*p->said)
		draw_text(LINES - 1, COLS - 9, COLOUR_DIM, "+%u more", p->more_notes);
}

void picture_draw(struct picture *p)
{
	unsigned int across = COLS / WIDTH, down = (LINES - 2) / HEIGHT, i;
	unsigned int nr = p->machine->nr_sockets, shown;
	int left;

	if (!across || !down) {
		draw_text(0, 0, COLOUR_PLAIN, "uncorestat --live needs %d x %d", WIDTH, HEIGHT + 2);
		return;
	}
	if (p->view) {
		draw_table(p);
		draw_frame(p, 0);
		return;
	}
	if (across > nr)
		across = nr;
	shown = across * down < nr ? across * down : nr;
	for (i = 0; i < shown; i++)
		draw_socket(p, (p->first + i) % nr, 1 + i / across * HEIGHT, i % across * WIDTH);
	left = LINES - 2 - (int)((shown + across - 1) / across) * HEIGHT;
	for (i = 0; i < across && i < shown && shown <= across; i++)
		draw_charts(p, (p->first + i) % nr, LINES - 1 - left, i * WIDTH, left, WIDTH);
	/* On a terminal of 120 columns, histories are beside the sockets, too. */
	for (i = 0; across == 1 && COLS - WIDTH >= 40 && i < shown; i++)
		draw_charts(p, (p->first + i) % nr, 1 + i * HEIGHT, WIDTH, HEIGHT, COLS - WIDTH);
	draw_frame(p, shown);
}
