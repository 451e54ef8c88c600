// SPDX-License-Identifier: GPL-2.0-or-later
/* The driver's event tables, events/snbep_*.def, in the words in which the model prints its own */
#ifndef BOX
#include <stdio.h>
#include <string.h>

static const struct row {
	const char *box, *event;
	unsigned int sel, ctrs, max_inc, takes, umask;
} rows[] = {
#define BOX "ubox"
#include __FILE__
#include "snbep_ubox.def"
#undef BOX
#define BOX "cbox"
#include __FILE__
#include "snbep_cbox.def"
#undef BOX
#define BOX "ha"
#include __FILE__
#include "snbep_ha.def"
#undef BOX
#define BOX "imc"
#include __FILE__
#include "snbep_imc.def"
#undef BOX
#define BOX "pcu"
#include __FILE__
#include "snbep_pcu.def"
#undef BOX
#define BOX "qpi"
#include __FILE__
#include "snbep_qpi.def"
#undef BOX
#define BOX "r2pcie"
#include __FILE__
#include "snbep_r2pcie.def"
#undef BOX
#define BOX "r3qpi"
#include __FILE__
#include "snbep_r3qpi.def"
#undef BOX
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
			if (!strcmp(rows[j].box, e->box) && !strcmp(rows[j].event, e->event))
				umasks |= rows[j].umask;
		}
		printf("%s %s ext=%u code=0x%02x ctrs=0x%x max_inc=", e->box, e->event, e->sel >> 8,
		       e->sel & 0xff, e->ctrs);
		/* The guide leaves two blank, one is not believed; Intel's list leaves all. */
		if (e->max_inc)
			printf("%u", e->max_inc);
		else
			printf("?");
		printf(" umasks=0x%02x%s%s\n", umasks, e->takes & SNBEP_F_LIST ? " list" : "",
		       e->takes & SNBEP_F_TID ? " tid" : "");
	}
	return 0;
}
#else
#define EVENT(name, sel, ctrs, max, takes, desc)	\
	{ BOX, #name, sel, ctrs, max, takes, 0 },
#define EVENT_PLAIN(name, sel, ctrs, max, takes, needs, desc)	\
	{ BOX, #name, sel, ctrs, max, takes, 0 },
#define UMASK(event, name, umask, needs, desc)			{ BOX, #event, 0, 0, 0, 0, umask },
#endif
