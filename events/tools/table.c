// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const struct row ubox_rows[] = {
#include "rows.h"
#include "../snbep_ubox.def"
};

static const struct row cbox_rows[] = {
#include "rows.h"
#include "../snbep_cbox.def"
};

static const struct row ha_rows[] = {
#include "rows.h"
#include "../snbep_ha.def"
};

static const struct row imc_rows[] = {
#include "rows.h"
#include "../snbep_imc.def"
};

static const struct row pcu_rows[] = {
#include "rows.h"
#include "../snbep_pcu.def"
};

static const struct row qpi_rows[] = {
#include "rows.h"
#include "../snbep_qpi.def"
};

static const struct row r2pcie_rows[] = {
#include "rows.h"
#include "../snbep_r2pcie.def"
};

static const struct row r3qpi_rows[] = {
#include "rows.h"
#include "../snbep_r3qpi.def"
};

const struct box boxes[] = {
#define BOX(name, NAME, title, section, instances, counters, width, spread)	\
	{ #name, title, section, (1u << (counters)) - 1, width, instances,	\
	  name ## _rows, ARRAY_SIZE(name ## _rows), spread },
#include "../boxes.def"
};

const size_t nr_boxes = ARRAY_SIZE(boxes);

static const struct {
	unsigned int flag;
	const char *name;
	const char *text;	/* in an alias; NULL: has a default */
} filters[] = {
	{ SNBEP_F_TID, "tid", "filter_tid=?" },
	{ SNBEP_F_NID, "nid", "filter_nid=?" },
	/* The driver defaults to all five states. */
	{ SNBEP_F_STATE, "state", NULL },
	{ SNBEP_F_OPC, "opc", "filter_opc=?" },
	{ SNBEP_F_BAND0, "band0", "filter_band0=?" },
	{ SNBEP_F_BAND1, "band1", "filter_band1=?" },
	{ SNBEP_F_BAND2, "band2", "filter_band2=?" },
	{ SNBEP_F_BAND3, "band3", "filter_band3=?" },
	{ SNBEP_F_ADDR, "addr", "filter_addr=?" },
	{ SNBEP_F_HAOPC, "opc", "filter_opc=?" },
	{ SNBEP_F_PKT, "pkt", "match_mc=?,mask_mc=?" },
};

void fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	exit(1);
}

char *format(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		fail("out of memory");
	va_end(ap);
	return text;
}

const struct row *row_event(const struct row *row)
{
	while (row->kind == ROW_UMASK)
		row--;
	return row;
}

const char *row_alias(const struct row *row)
{
	static char name[ALIAS_NAME_MAX];

	switch (row->kind) {
	case ROW_UMASK:
		snprintf(name, sizeof(name), "%s_%s", row->event,
			 row->umask_name);
		return name;
	case ROW_PLAIN:
	case ROW_FIXED:
	case ROW_ALIAS:
		return row->event;
	default:
		return NULL;
	}
}

const char *row_encoding(const struct box *box, const struct row *row)
{
	const char *text;
	size_t i;

	if (row->kind == ROW_ALIAS)
		return row->encoding;

	text = format("event=0x%02x", row_event(row)->sel);
	if (row->umask && !strcmp(box->name, "pcu"))
		text = format("%s,occ_sel=%u", text, row->umask >> 6);
	else if (row->umask)
		text = format("%s,umask=0x%02x", text, row->umask);
	for (i = 0; i < ARRAY_SIZE(filters); i++)
		if ((row->needs & filters[i].flag) && filters[i].text)
			text = format("%s,%s", text, filters[i].text);
	return text;
}

unsigned int row_mask(const struct box *box, const struct row *row)
{
	unsigned long long sel;
	const struct row *r;

	if (row->kind == ROW_FIXED)
		return FIXED_COUNTER;
	if (row->kind != ROW_ALIAS)
		return row_event(row)->counters;
	if (row->counters)
		return row->counters;
	if (!encoding_value(row->encoding, "event", &sel))
		return 0;
	for (r = box->rows; r < box->rows + box->nr_rows; r++)
		if (r->kind <= ROW_FIXED && r->kind != ROW_UMASK && r->sel == sel)
			return row_mask(box, r);
	/* The PCU's "use occupancy" events support all counters. */
	return box->counters;
}

const char *row_counters(const struct box *box, const struct row *row)
{
	static char buf[8];
	unsigned int mask = row_mask(box, row), lo, hi;

	if (mask == FIXED_COUNTER)
		return "fixed";
	lo = __builtin_ctz(mask);
	hi = 31 - __builtin_clz(mask);
	if (lo == hi)
		snprintf(buf, sizeof(buf), "%u", lo);
	else
		snprintf(buf, sizeof(buf), "%u-%u", lo, hi);
	return buf;
}

const char *filter_name(unsigned int flag)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		if (filters[i].flag == flag)
			return filters[i].name;
	return NULL;
}

const struct row *box_find_alias(const struct box *box, const char *alias)
{
	size_t i;

	for (i = 0; i < box->nr_rows; i++) {
		const char *name = row_alias(&box->rows[i]);

		if (name && !strcmp(name, alias))
			return &box->rows[i];
	}
	return NULL;
}

const struct row *box_scale(const struct box *box, const char *alias)
{
	size_t i;

	for (i = 0; i < box->nr_rows; i++)
		if (box->rows[i].kind == ROW_SCALE &&
		    !strcmp(box->rows[i].event, alias))
			return &box->rows[i];
	return NULL;
}

const char *encoding_field(const char *encoding, const char *field)
{
	size_t len = strcspn(field, "=");

	while (encoding && (strncmp(encoding, field, len) || encoding[len] != '=')) {
		encoding = strchr(encoding, ',');
		if (encoding)
			encoding++;
	}
	return encoding;
}

bool encoding_value(const char *encoding, const char *field, unsigned long long *value)
{
	const char *at = encoding_field(encoding, field);
	char *end;

	if (!at)
		return false;
	at += strlen(field) + 1;
	*value = strtoull(at, &end, 0);
	return end != at;
}
