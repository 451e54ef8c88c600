/* SPDX-License-Identifier: GPL-2.0-only */
/* Drawing functions for --live */
#ifndef UNCORESTAT_LIVE_DRAW_H
#define UNCORESTAT_LIVE_DRAW_H

#include <stdbool.h>

#define HISTORY	256

/**
 * struct series - history of a value, latest last
 * @mark:	mark of the latest value: '*', '~' or ' '
 */
struct series {
	double value[HISTORY];
	char mark;
};

enum colour {
	COLOUR_PLAIN,
	COLOUR_READ,
	COLOUR_WRITE,
	COLOUR_LINK,
	COLOUR_CACHE,
	COLOUR_DEVICE,
	COLOUR_CORE,
	COLOUR_WARN,
	COLOUR_DIM,
	NR_COLOURS
};

/* Line-drawing characters, with ASCII replacements */
enum shape {
	SHAPE_H,
	SHAPE_V,
	SHAPE_TOP_LEFT,
	SHAPE_TOP_RIGHT,
	SHAPE_BOTTOM_LEFT,
	SHAPE_BOTTOM_RIGHT,
	SHAPE_LEFT_TEE,
	SHAPE_RIGHT_TEE,
	SHAPE_IN,
	SHAPE_OUT,
};

/* Initialize after curses. */
void draw_init(void);

/* Toggle colours if the terminal supports them. */
void draw_toggle_colour(void);

__attribute__((format(printf, 5, 6)))
void draw(int y, int x, enum colour c, bool bold, const char *fmt, ...);
#define draw_text(y, x, c, ...)	draw(y, x, c, false, __VA_ARGS__)
#define draw_bold(y, x, c, ...)	draw(y, x, c, true, __VA_ARGS__)

void draw_shape(int y, int x, enum shape s);

/* Draw a horizontal line. */
void draw_line(int y, int x, int width);

/**
 * draw_bar - draw a horizontal bar
 * @part:	length, 0 to 1; NAN draws nothing
 */
void draw_bar(int y, int x, int width, double part, enum colour c);

/**
 * draw_history - draw the latest values of a series as columns
 * @height:	height in lines
 * @full:	value of a full column
 */
void draw_history(int y, int x, int width, int height, const struct series *s, double full,
		  enum colour c);

/* Draw the latest value right-aligned, with its mark, or a dash. */
void draw_number(int y, int x, int width, int decimals, const struct series *s, double divisor);

static inline double series_last(const struct series *s)
{
	return s->value[HISTORY - 1];
}

#endif
