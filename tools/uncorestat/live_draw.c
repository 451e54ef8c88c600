// SPDX-License-Identifier: GPL-2.0-only
#include "live_draw.h"

#include <langinfo.h>
#include <math.h>
#include <ncurses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static bool utf8, colour;

static const short foreground[NR_COLOURS] = {
	[COLOUR_PLAIN] = -1,
	[COLOUR_READ] = COLOR_GREEN,
	[COLOUR_WRITE] = COLOR_YELLOW,
	[COLOUR_LINK] = COLOR_MAGENTA,
	[COLOUR_CACHE] = COLOR_CYAN,
	[COLOUR_DEVICE] = COLOR_BLUE,
	[COLOUR_CORE] = COLOR_GREEN,
	[COLOUR_WARN] = COLOR_RED,
	[COLOUR_DIM] = -1,
};

/* Shapes in UTF-8 and ASCII */
static const char * const shapes[][2] = {
	[SHAPE_H] = { "─", "-" },
	[SHAPE_V] = { "│", "|" },
	[SHAPE_TOP_LEFT] = { "╭", "+" },
	[SHAPE_TOP_RIGHT] = { "╮", "+" },
	[SHAPE_BOTTOM_LEFT] = { "╰", "+" },
	[SHAPE_BOTTOM_RIGHT] = { "╯", "+" },
	[SHAPE_LEFT_TEE] = { "├", "+" },
	[SHAPE_RIGHT_TEE] = { "┤", "+" },
	[SHAPE_IN] = { "◀─", "<-" },
	[SHAPE_OUT] = { "─▶", "->" },
};

/* Eighths of a cell, horizontal and vertical */
static const char * const across[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█" };
static const char * const up[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char * const ascii_up[] = { " ", ".", ".", ":", ":", "+", "+", "#", "#" };

void draw_init(void)
{
	int i;

	utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!has_colors() || start_color() == ERR)
		return;
	/* https://no-color.org; the key c shows them nevertheless */
	colour = !getenv("NO_COLOR") || !*getenv("NO_COLOR");
	use_default_colors();
	for (i = 0; i < NR_COLOURS; i++)
		init_pair(i + 1, foreground[i], -1);
}

void draw_toggle_colour(void)
{
	colour = !colour && has_colors();
}

static attr_t attribute(enum colour c)
{
	attr_t a = c == COLOUR_DIM ? A_DIM : A_NORMAL;

	return colour ? a | COLOR_PAIR(c + 1) : a;
}

void draw(int y, int x, enum colour c, bool bold, const char *fmt, ...)
{
	attr_t attr = attribute(c) | (bold ? A_BOLD : 0);
	char buf[400];
	va_list ap;

	if (y < 0 || y >= LINES || x < 0 || x >= COLS)
		return;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	attron(attr);
	mvaddstr(y, x, buf);
	attroff(attr);
}

void draw_shape(int y, int x, enum shape s)
{
	draw_text(y, x, COLOUR_DIM, "%s", shapes[s][!utf8]);
}

void draw_line(int y, int x, int width)
{
	while (width-- > 0)
		draw_shape(y, x++, SHAPE_H);
}

void draw_bar(int y, int x, int width, double part, enum colour c)
{
	int eighths, i;

	if (isnan(part))
		return;
	eighths = lround((part > 1 ? 1 : part) * width * 8);
	/* Show at least an eighth for values above 0. */
	if (!eighths && part > 0)
		eighths = 1;
	for (i = 0; i < width && eighths > 0; i++, eighths -= 8) {
		if (utf8)
			draw_text(y, x + i, c, "%s", across[eighths > 8 ? 8 : eighths]);
		else
			draw_text(y, x + i, c, "%c", eighths >= 8 ? '#' : eighths >= 4 ? '=' : '-');
	}
}

void draw_history(int y, int x, int width, int height, const struct series *s, double full,
		  enum colour c)
{
	int i, row;

	for (i = 0; i < width && i < HISTORY; i++) {
		double v = s->value[HISTORY - 1 - i];
		int eighths;

		if (isnan(v) || full <= 0)
			continue;
		eighths = lround((v > full ? 1 : v / full) * height * 8);
		if (!eighths && v > 0)
			eighths = 1;
		for (row = 0; row < height && eighths > 0; row++, eighths -= 8)
			draw_text(y + height - 1 - row, x + width - 1 - i, c, "%s",
				  (utf8 ? up : ascii_up)[eighths > 8 ? 8 : eighths]);
	}
}

void draw_number(int y, int x, int width, int decimals, const struct series *s, double divisor)
{
	double v = series_last(s);

	if (isnan(v))
		draw_text(y, x, COLOUR_DIM, "%*s ", width, "-");
	else
		draw_text(y, x, COLOUR_PLAIN, "%*.*f%c", width, decimals, v / divisor, s->mark);
}
