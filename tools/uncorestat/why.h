/* SPDX-License-Identifier: GPL-2.0-only */
/* --why: what is wrong with an event */
#ifndef UNCORESTAT_WHY_H
#define UNCORESTAT_WHY_H

/**
 * why - open an event, and print what the driver and the guide say of it
 * @text:	"PMU/term,term=value,.../"
 * Return: exit status: 0 if it can be opened.
 */
int why(const char *text);

#endif
