/* SPDX-License-Identifier: GPL-2.0-only */
/* Contents of --live: a picture of each socket, with histories of its values */
#ifndef UNCORESTAT_LIVE_PICTURE_H
#define UNCORESTAT_LIVE_PICTURE_H

#include "live_draw.h"
#include "report.h"

/* Values in a socket's picture */
enum item {
	ITEM_MEM_READ,
	ITEM_MEM_WRITE,
	ITEM_REMOTE,
	ITEM_LOOKUP,
	ITEM_MISS,
	ITEM_QPI_OUT,
	ITEM_QPI_IN,
	ITEM_QPI_UTIL,
	ITEM_PCIE_READ,
	ITEM_PCIE_WRITE,
	ITEM_C0,
	ITEM_C6,
	ITEM_FREQ,
	NR_ITEMS
};

#define MAX_PLACES	24

/**
 * struct socket_series - histories of a socket
 * @all:	history of each item in the socket
 * @place:	history of each item per box
 * @there:	the socket has this box
 */
struct socket_series {
	struct series all[NR_ITEMS];
	struct series place[NR_ITEMS][MAX_PLACES];
	bool there[NR_ITEMS][MAX_PLACES];
};

/**
 * struct picture - the screen
 * @first:	socket at the top left
 * @samples:	number of intervals so far
 * @held:	paused by the user
 * @help:	help is shown
 * @view:	lines and columns, unless they are a picture: then NULL
 * @lines:	number of its lines, as the last interval had them
 * @cells:	histories of its values, @nr_cells
 * @wanted:	index of the group that was asked for last
 * @said:	a line until the next key
 */
struct picture {
	const struct machine *machine;
	double interval;
	struct socket_series *sockets;
	unsigned int first;
	unsigned long samples;
	bool held, help;
	struct timespec time;
	char note[200];
	unsigned int more_notes;
	const struct view *view;
	struct series *cells;
	unsigned int lines, nr_cells;
	unsigned int wanted;
	char said[200];
};

void picture_init(struct picture *p, const struct machine *m, double interval);

/* Show a view from now on; the default group of sockets and boxes is drawn as a picture. */
void picture_show(struct picture *p, const struct view *v);

/* Add the values of the last interval. */
void picture_add(struct picture *p, const struct report *r);

/* Scroll to the next socket. */
void picture_next(struct picture *p);

void picture_draw(struct picture *p);

#endif
