// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One of the driver's event tables (DEF, events/snbep_BOX.def) in the words
 * in which the model prints its own.
 */

#include <stdio.h>
#include <string.h>

static const struct row {
	const char *event;
	unsigned int sel, ctrs, max_inc, takes, umask;
} rows[] = {
#define EVENT(name, sel, ctrs, max, takes, desc)		{ #name, sel, ctrs, max, takes, 0 },
#define EVENT_PLAIN(name, sel, ctrs, max, takes, needs, desc)	{ #name, sel, ctrs, max, takes, 0 },
#define UMASK(event, name, umask, needs, desc)			{ #event, 0, 0, 0, 0, umask },
#include DEF
};

#define NR_ROWS	(sizeof(rows) / sizeof(rows[0]))

int main(void)
{
	for (unsigned int i = 0; i < NR_ROWS; i++) {
		const struct row *e = &rows[i];
		unsigned int umasks = 0;

		if (!e->ctrs)
			continue;
		for (unsigned int j = 0; j < NR_ROWS; j++) {
			if (!strcmp(rows[j].event, e->event))
				umasks |= rows[j].umask;
		}
		printf("%s %s ext=%u code=0x%02x ctrs=0x%x max_inc=", BOX, e->event, e->sel >> 8,
		       e->sel & 0xff, e->ctrs);
		/* The guide leaves two blank, one is not believed; Intel's list leaves all. */
		if (e->max_inc)
			printf("%u", e->max_inc);
		else
			printf("?");
		printf(" umasks=0x%02x%s\n", umasks, e->takes & SNBEP_F_LIST ? " list" : "");
	}
	return 0;
}
