/* SPDX-License-Identifier: GPL-2.0-only */
/* Drawing for --live: text, bars and histories, with and without UTF-8 and colour */
#ifndef UNCORESTAT_LIVE_DRAW_H
#define UNCORESTAT_LIVE_DRAW_H

#include <stdbool.h>

#define HISTORY	256

/**
 * struct series - what a number was, the last one at the end
 * @mark:	of the last one: '*', '~' or ' '
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

/* Shapes that a locale may lack */
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
	SHAPE_BOTH,
};

/**
 * draw_init - once the terminal is set up
 */
void draw_init(void);

/**
 * draw_toggle_colour - with or without, if the terminal has any
 */
void draw_toggle_colour(void);

/**
 * draw_text - at a place, in a colour
 */
__attribute__((format(printf, 4, 5)))
void draw_text(int y, int x, enum colour c, const char *fmt, ...);

/**
 * draw_bold - the same, bold
 */
__attribute__((format(printf, 4, 5)))
void draw_bold(int y, int x, enum colour c, const char *fmt, ...);

/**
 * draw_shape - one of the shapes
 */
void draw_shape(int y, int x, enum shape s);

/**
 * draw_line - a horizontal one
 */
void draw_line(int y, int x, int width);

/**
 * draw_bar - part of a width
 * @part:	0 to 1; NAN draws nothing
 */
void draw_bar(int y, int x, int width, double part, enum colour c);

/**
 * draw_history - the end of a series, a column for each value
 * @height:	lines
 * @full:	value of a full column
 */
void draw_history(int y, int x, int width, int height, const struct series *s, double full,
		  enum colour c);

/**
 * draw_number - right-aligned with its mark, or a dash
 */
void draw_number(int y, int x, int width, int decimals, const struct series *s, double divisor);

static inline double series_last(const struct series *s)
{
	return s->value[HISTORY - 1];
}

#endif
