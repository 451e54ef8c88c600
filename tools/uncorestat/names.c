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
	{ "pcu", "p", "WBOX", "pcu" }, { "qpi", "q", "QBOX", "qpi_ll" },
	{ "r2pcie", "r2", "PBOX", "r2pcie" }, { "r3qpi", "r3", "RBOX", "r3qpi" },
	{ "ubox", "u", "UBOX", "ubox" }, { "irp", "i", "IBOX", "irp" },
	{ "sbox", "s", "SBOX", "sbo" },
};

/* Options of LIKWID and libpfm4, and the terms of perf that they are */
static const char * const options[][2] = {
	{ "edgedetect", "edge" }, { "e", "edge" }, { "invert", "inv" }, { "i", "inv" },
	{ "threshold", "thresh" }, { "t", "thresh" }, { "opcode", "filter_opc" },
	{ "opc", "filter_opc" }, { "tid", "tid_en=1,filter_tid" }, { "tf", "tid_en=1,filter_tid" },
	{ "nid", "filter_nid" }, { "nf", "filter_nid" }, { "state", "filter_state" },
	{ "nc", "filter_nc" }, { "isoc", "filter_isoc" }, { "occ_edgedetect", "occ_edge" },
	{ "occ_e", "occ_edge" }, { "occ_invert", "occ_invert" }, { "occ_i", "occ_invert" },
	{ "occupancy", "occ_sel" },
};

/**
 * struct name - what a name of another tool says
 * @box:	name of the box type
 * @number:	digits of the box's number, or none for all boxes
 * @fixed:	it is of the fixed counter
 * @terms:	terms for its options, each after a comma
 * @modifiers:	of perf
 */
struct name {
	const char *box, *number;
	bool fixed;
	const char *terms, *modifiers;
};

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

/* Take counters of LIKWID, such as MBOX2C1, MBOX0FIX or WBOX3; returns whether it is any. */
static bool take_counters(struct name *n, const char *text)
{
	const struct name old = *n;
	const char *number, *rest;
	unsigned int i;
	bool first = true;

	for (; *text; text += strcspn(text, "|"), text += *text == '|', first = false) {
		for (i = 0; i < ARRAY_SIZE(boxes_of) && strncmp(text, boxes_of[i].likwid, 4); i++)
			;
		/* Less than four characters are none of them. */
		number = i < ARRAY_SIZE(boxes_of) ? text + 4 : "";
		rest = number + strspn(number, "0123456789");
		if (rest == number && strncmp(rest, "FIX", 3)) {
			*n = old;
			return false;
		}
		/* On v1 and v2, the ports of QPI are its SBOX. */
		n->box = boxes_of[i].box;
		if (generation->model < 63 && !strcmp(n->box, "sbox"))
			n->box = "qpi";
		n->fixed = *rest == 'F';
		/* The box's number, and not the counter's of a box that has no other */
		n->number = first && strchr("CF", *rest) && *rest ?
			format("%.*s", (int)(rest - number), number) : "";
	}
	return true;
}

/* Take an option, or modifiers of perf; returns whether it is any. */
static bool take_option(struct name *n, const char *text)
{
	int len = strcspn(text, "=");
	const char *value = text[len] && strcmp(text + len, "=y") ? text + len + 1 : "1";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (strncasecmp(options[i][0], text, len) || options[i][0][len])
			continue;
		n->terms = format("%s,%s=%s", n->terms, options[i][1], value);
		return true;
	}
	if (!*text || text[strspn(text, "ukhGHIpPSDW")])
		return false;
	n->modifiers = format("%s%s", n->modifiers, text);
	return true;
}

/* Return the only box type that has an event of this name; exits if several have. */
static const char *only_box(const char *name, const char *alias)
{
	const char *box = NULL;
	unsigned int i;

	for (i = 0; i < nr_box_types; i++) {
		if (!box_find_alias(&box_types[i], alias))
			continue;
		if (box)
			die("--why: %s is an event of %s and %s: name the PMU, as in %s/%s/",
			    name, box, box_types[i].name, box, alias);
		box = box_types[i].name;
	}
	return box;
}

/* Return the encoding of the parts of a name, and print those that are left out. */
static const char *encoding_of(struct name *n, const char *name, char *alias, char *rest)
{
	const char *encoding = NULL, *longer, *left = "";
	char *part, *save;
	int type;

	for (part = strtok_r(rest, ":", &save); part; part = strtok_r(NULL, ":", &save)) {
		longer = format("%s_%s", alias, alias_of(part));
		type = n->box ? box_index(n->box) : -1;
		if (type >= 0 && box_find_alias(&box_types[type], longer))
			alias = format("%s", longer);
		else if (!take_counters(n, part) && !take_option(n, part))
			left = format("%s%s: left out, not translated: %s\n", left, name, part);
	}
	if (!n->box)
		n->box = only_box(name, alias);
	if (!n->box)
		return NULL;
	if (n->fixed && strcmp(n->box, "imc") && strcmp(n->box, "ubox"))
		die("--why: %s is a register of the %s that Linux does not count", name, n->box);
	type = box_index(n->box);
	if (type < 0 && box_other(n->box))
		die("--why: %s: %s", name, box_other(n->box));
	if (n->fixed)
		encoding = "event=0xff";
	else if (type >= 0)
		encoding = name_encoding(type, alias);
	if (!encoding)
		die("--why: %s: %s has no event of this name: see uncorestat --list %.*s", name,
		    generation->name, (int)strcspn(alias, "_"), alias);
	fputs(left, stdout);
	return encoding;
}

void set_parameters(char *terms)
{
	char *term = terms, *p;
	size_t len, name;

	while (*term) {
		len = strcspn(term, ",");
		name = strcspn(term, "=") + 1;
		for (p = terms; *p; p += strcspn(p, ","), p += *p == ',')
			if (p != term && !strncmp(p, term, name))
				break;
		len += term[len] == ',';
		if (*p && len > name && term[name] == '?')
			memmove(term, term + len, strlen(term + len) + 1);
		else
			term += len;
	}
	if (*terms && terms[strlen(terms) - 1] == ',')
		terms[strlen(terms) - 1] = 0;
}

const char *name_translate(const char *name)
{
	struct name n = { .number = "", .terms = "", .modifiers = "" };
	const char *comma = name + strcspn(name, ","), *encoding, *pmu;
	char *text = format("%.*s", (int)(comma - name), name), *alias, *rest;
	unsigned int i;
	size_t len;

	if (strchr(name, '/'))
		return NULL;
	if (take_counters(&n, text))
		die("--why: %s is a counter of LIKWID's, of the %s: put an event's name before it, as in CAS_COUNT_RD:MBOX0C0",
		    name, n.box);
	/* libpfm4's hswep_unc_imc0:: */
	pmu = strstr(text, "::");
	if (pmu) {
		for (len = pmu - text; len && isdigit((unsigned char)text[len - 1]); len--)
			;
		n.number = format("%.*s", (int)(pmu - text - len), text + len);
		text = (char *)pmu + 2;
	}
	/* ucevent's iMC.CAS_COUNT.RD */
	for (i = 0; i < ARRAY_SIZE(boxes_of); i++) {
		len = strlen(boxes_of[i].ucevent);
		if (!strncasecmp(text, boxes_of[i].ucevent, len) && text[len] == '.') {
			n.box = boxes_of[i].box;
			text += len + 1;
			break;
		}
	}
	rest = text + strcspn(text, ":");
	if (*rest)
		*rest++ = 0;
	alias = alias_of(text);
	alias += unc_prefix(alias, &n.box);
	for (i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, n.box ? format("%s_%s", n.box, alias) : alias))
			die("--why: %s is a metric, not an event: uncorestat -m %s",
			    name, metrics[i].name);
	encoding = encoding_of(&n, name, alias, rest);
	if (!encoding)
		return NULL;
	text = format("%s%s%s", encoding, n.terms, comma);
	set_parameters(text);
	return format("%s%s%s/%s/%s", n.box, *n.number ? "_" : "", n.number, text, n.modifiers);
}
