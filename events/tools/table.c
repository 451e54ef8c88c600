// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

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

#define FORMAT_COMMON "event:8 umask:8 edge:1 inv:1 "
#define FORMAT_BANDS \
	"filter_band0:8 filter_band1:8 filter_band2:8 filter_band3:8 "
#define FORMAT_PKT(x) \
	x "_rds:4 " x "_rnid30:4 " x "_rnid4:1 " x "_dnid:5 " \
	x "_mc:4 " x "_opc:4 " x "_vnw:2 "

const struct box boxes[] = {
	{ "cbox", "CBo (LLC coherence engine)", "2.3", 0xf, 44, 8,
	  FORMAT_COMMON "thresh:8 tid_en:1 filter_tid:5 filter_nid:8 filter_state:5 filter_opc:9 ",
	  cbox_rows, ARRAY_SIZE(cbox_rows), true },
	{ "ha", "Home Agent", "2.4", 0xf, 48, 1,
	  FORMAT_COMMON "thresh:8 filter_addr:40 filter_opc:6 ",
	  ha_rows, ARRAY_SIZE(ha_rows), false },
	{ "imc", "Memory controller channel (iMC)", "2.5", 0xf, 48, 4,
	  FORMAT_COMMON "thresh:8 ",
	  imc_rows, ARRAY_SIZE(imc_rows), false },
	{ "pcu", "Power control unit", "2.6", 0xf, 48, 1,
	  "event:9 edge:1 inv:1 thresh:5 occ_sel:2 occ_invert:1 occ_edge:1 "
	  FORMAT_BANDS,
	  pcu_rows, ARRAY_SIZE(pcu_rows), false },
	{ "qpi", "QPI link layer port", "2.7", 0xf, 48, 2,
	  "event:9 umask:8 edge:1 inv:1 thresh:8 "
	  FORMAT_PKT("match") FORMAT_PKT("mask"),
	  qpi_rows, ARRAY_SIZE(qpi_rows), false },
	{ "r2pcie", "R2PCIe", "2.8", 0xf, 44, 1,
	  FORMAT_COMMON "thresh:8 ",
	  r2pcie_rows, ARRAY_SIZE(r2pcie_rows), false },
	{ "r3qpi", "R3QPI link", "2.9", 0x7, 44, 2,
	  FORMAT_COMMON "thresh:8 ",
	  r3qpi_rows, ARRAY_SIZE(r3qpi_rows), false },
	{ "ubox", "UBox", "2.2", 0x3, 44, 1,
	  FORMAT_COMMON "thresh:5 ",
	  ubox_rows, ARRAY_SIZE(ubox_rows), false },
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

const struct row *row_event(const struct box *box, const struct row *row)
{
	const struct row *r;

	if (row->kind != ROW_UMASK)
		return row;
	for (r = row; r >= box->rows; r--)
		if (r->kind == ROW_EVENT)
			return strcmp(r->event, row->event) ? NULL : r;
	return NULL;
}

bool row_is_listed(const struct box *box, const struct row *row)
{
	return (row->needs | row_event(box, row)->takes) & SNBEP_F_LIST;
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

static size_t add(char *buf, size_t len, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	len += vsnprintf(buf + len, ENCODING_MAX - len, fmt, ap);
	va_end(ap);
	if (len >= ENCODING_MAX) {
		fprintf(stderr, "encoding too long: %s\n", buf);
		exit(2);
	}
	return len;
}

static unsigned int format_width(const struct box *box, const char *field,
				 size_t len)
{
	const char *p = box->formats;

	while (*p) {
		const char *colon = strchr(p, ':');

		if ((size_t)(colon - p) == len && !strncmp(p, field, len))
			return strtoul(colon + 1, NULL, 10);
		p = strchr(p, ' ') + 1;
	}
	return 0;
}

const char *row_encoding(const struct box *box, const struct row *row)
{
	static char buf[ENCODING_MAX];
	const struct row *ev = row_event(box, row);
	size_t len, i;

	if (row->kind == ROW_ALIAS)
		return row->encoding;

	len = add(buf, 0, "event=0x%02x", ev->sel);
	if (row->umask && format_width(box, "umask", 5))
		len = add(buf, len, ",umask=0x%02x", row->umask);
	else if (row->umask)
		len = add(buf, len, ",occ_sel=%u", row->umask >> 6);
	for (i = 0; i < ARRAY_SIZE(filters); i++)
		if ((row->needs & filters[i].flag) && filters[i].text)
			len = add(buf, len, ",%s", filters[i].text);
	return buf;
}

unsigned int row_mask(const struct box *box, const struct row *row)
{
	unsigned long long sel;
	const struct row *r;

	if (row->kind == ROW_FIXED)
		return FIXED_COUNTER;
	if (row->kind != ROW_ALIAS)
		return row_event(box, row)->counters;
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

const char *encoding_check(const struct box *box, const char *encoding)
{
	static char err[200];
	const char *p = encoding;

	while (*p) {
		size_t len = strcspn(p, "=,");
		unsigned int width = format_width(box, p, len);
		unsigned long long value = 1;
		char *end;

		if (!width) {
			snprintf(err, sizeof(err), "%s has no field %.*s",
				 box->name, (int)len, p);
			return err;
		}
		end = (char *)p + len;
		if (p[len] == '=' && p[len + 1] == '?')
			end = (char *)p + len + 2;
		else if (p[len] == '=')
			value = strtoull(p + len + 1, &end, 0);
		if (*end && *end != ',') {
			snprintf(err, sizeof(err), "no number in %s", p);
			return err;
		}
		if (value >> width) {
			snprintf(err, sizeof(err), "%.*s has %u bits: %#llx",
				 (int)len, p, width, value);
			return err;
		}
		p = *end ? end + 1 : end;
	}
	return NULL;
}

bool encoding_value(const char *encoding, const char *field,
		    unsigned long long *value)
{
	size_t len = strlen(field);
	const char *p = encoding;
	char *end;

	while (p) {
		if (!strncmp(p, field, len) && p[len] == '=') {
			*value = strtoull(p + len + 1, &end, 0);
			return end != p + len + 1;
		}
		p = strchr(p, ',');
		if (p)
			p++;
	}
	return false;
}
