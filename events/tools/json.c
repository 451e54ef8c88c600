// SPDX-License-Identifier: GPL-2.0-only
/* "gen json" and "gen metrics": perf's pmu-events format */
#include "gen.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Print a member with a string; the texts have no control characters. */
static void json_field(const char *key, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	char *p;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	printf(",\n        \"%s\": \"", key);
	for (p = buf; *p; p++) {
		if (*p == '"' || *p == '\\')
			putchar('\\');
		putchar(*p);
	}
	putchar('"');
}

/* Print what follows event and umask as Filter. */
static void json_filter(const char *encoding)
{
	const char *rest = strchr(encoding, ',');

	if (rest && !strncmp(rest, ",umask=", 7))
		rest = strchr(rest + 1, ',');
	if (rest)
		json_field("Filter", "%s", rest + 1);
}

static void json_counters(unsigned int mask)
{
	char buf[32] = "";
	unsigned int i;

	for (i = 0; i < 8; i++)
		if (mask >> i & 1)
			sprintf(buf + strlen(buf), "%s%u", *buf ? "," : "", i);
	json_field("Counter", "%s", *buf ? buf : "fixed");
}

int print_json(const char *arg)
{
	const char *sep = "";
	const struct box *box;
	const struct row *row;

	(void)arg;
	printf("[");
	for_each_row(box, row) {
		const struct row *scale;
		const char *alias = row_alias(row), *enc;
		unsigned long long value;

		if (!alias)
			continue;
		printf("%s\n    {\n        \"EventName\": \"%s\"", sep,
		       alias);
		sep = ",";
		enc = row_encoding(box, row);
		if (encoding_value(enc, "event", &value)) {
			json_field("EventCode", "0x%02llx",
				   value & 0xff);
			if (value >> 8)
				json_field("ExtSel", "1");
		}
		if (encoding_value(enc, "umask", &value))
			json_field("UMask", "0x%02llx", value);
		json_filter(enc);
		json_counters(row_mask(box, row));
		scale = box_scale(box, alias);
		if (scale)
			json_field("ScaleUnit", "%s%s", scale->scale,
				   scale->unit);
		if (row->kind == ROW_UMASK)
			json_field("BriefDescription", "%s: %s",
				   row_event(row)->desc,
				   row->desc);
		else
			json_field("BriefDescription", "%s", row->desc);
		json_field("PerPkg", "1");
		json_field("Unit", "snbep_uncore_%s", box->name);
		printf("\n    }");
	}
	printf("\n]\n");
	return 0;
}

int print_metrics(const char *arg)
{
	const char *sep = "";
	size_t i;

	(void)arg;
	printf("[");
	for (i = 0; i < nr_guide_metrics; i++) {
		const struct guide_metric *m = &guide_metrics[i];

		if (m->kind != METRIC_EXPR)
			continue;
		printf("%s\n    {\n        \"MetricName\": \"%s\"", sep,
		       m->name);
		sep = ",";
		json_field("MetricExpr", "%s", metric_expr(m));
		json_field("MetricGroup", "snbep_%s", m->box);
		if (*m->scale)
			json_field("ScaleUnit", "%s", m->scale);
		json_field("BriefDescription", "%s", m->text);
		printf("\n    }");
	}
	printf("\n]\n");
	return 0;
}
