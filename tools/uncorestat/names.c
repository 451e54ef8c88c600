// SPDX-License-Identifier: GPL-2.0-only
/* Names of events in perf's lists, libpfm4, LIKWID and ucevent, which all are Intel's */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "util.h"

/* A box type, its letters in UNC_M_CAS_COUNT, and its names in LIKWID and ucevent */
static const struct {
	const char *box, *letters, *likwid, *ucevent;
} boxes_of[] = {
	{ "cbox", "c", "CBOX", "cbo" }, { "ha", "h", "BBOX", "ha" }, { "imc", "m", "MBOX", "imc" },
	{ "pcu", "p", "WBOX", "pcu" }, { "qpi", "q", "SBOX", "qpi_ll" },
	{ "r2pcie", "r2", "PBOX", "r2pcie" }, { "r3qpi", "r3", "RBOX", "r3qpi" },
	{ "ubox", "u", "UBOX", "ubox" }, { "irp", "i", "IBOX", "irp" }, { "sbox", "s", "", "sbo" },
};

static int type_of(const char *box)
{
	unsigned int i;

	for (i = 0; i < nr_box_types; i++)
		if (!strcmp(box_types[i].name, box))
			return i;
	return -1;
}

/* Return the name in lower case, with _ for what parts it from its unit mask. */
static char *alias_of(const char *name)
{
	char *alias = format("%s", name), *p;

	for (p = alias; *p; p++)
		*p = strchr(".:", *p) ? '_' : tolower((unsigned char)*p);
	return alias;
}

/* Return the length of "unc_m_" at the start, and set the box. */
static size_t unc_prefix(const char *alias, const char **box)
{
	unsigned int i;
	size_t len;

	for (i = 0; i < ARRAY_SIZE(boxes_of) && !strncmp(alias, "unc_", 4); i++) {
		len = strlen(boxes_of[i].letters);
		if (strncmp(alias + 4, boxes_of[i].letters, len) || alias[4 + len] != '_')
			continue;
		*box = boxes_of[i].box;
		return 4 + len + 1;
	}
	return 0;
}

const char *name_encoding(unsigned int type, const char *name)
{
	const char *alias = alias_of(name), *of = NULL;
	const struct row *row;

	if (type >= nr_box_types)
		return NULL;
	alias += unc_prefix(alias, &of);
	row = box_find_alias(&box_types[type], alias);
	return row ? row_encoding(&box_types[type], row) : NULL;
}

const char *name_translate(const char *name)
{
	const char *box = NULL, *alias, *number = "", *encoding, *colon = strrchr(name, ':');
	unsigned int i;
	size_t len;
	int type;

	if (strchr(name, '/'))
		return NULL;
	alias = alias_of(strstr(name, "::") ? strstr(name, "::") + 2 : name);
	/* libpfm4 and perf */
	alias += unc_prefix(alias, &box);
	if (box && strstr(name, "::")) {
		number = strstr(name, "::");
		while (number > name && isdigit((unsigned char)number[-1]))
			number--;
	}
	for (i = 0; i < ARRAY_SIZE(boxes_of) && !box; i++) {
		len = strlen(boxes_of[i].likwid);
		if (len && colon && !strncmp(colon + 1, boxes_of[i].likwid, len)) {
			box = boxes_of[i].box;
			number = colon + 1 + len;
			alias = alias_of(format("%.*s", (int)(colon - name), name));
		} else if (len && !colon && !strncmp(name, boxes_of[i].likwid, len) &&
			   isdigit((unsigned char)name[len])) {
			die("--why: %s is a counter of LIKWID's, of the %s: put an event's name before it, as in CAS_COUNT_RD:MBOX0C0",
			    name, boxes_of[i].box);
		}
		len = strlen(boxes_of[i].ucevent);
		if (!box && !strncasecmp(name, boxes_of[i].ucevent, len) && name[len] == '.') {
			box = boxes_of[i].box;
			alias = alias_of(name + len + 1);
		}
	}
	if (!box)
		return NULL;
	for (i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, format("%s_%s", box, alias)))
			die("--why: %s is a metric, not an event: uncorestat -m %s", name, metrics[i].name);
	type = type_of(box);
	encoding = type < 0 ? NULL : name_encoding(type, alias);
	if (!encoding)
		die("--why: %s: %s has no event of this name: see uncorestat --list %.*s", name,
		    generation->name, (int)strcspn(alias, "_"), alias);
	len = strspn(number, "0123456789");
	return format("%s%s%.*s/%s/", box, len ? "_" : "", (int)len, number, encoding);
}
