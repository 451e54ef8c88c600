// SPDX-License-Identifier: GPL-2.0-only
/* "gen json" and "gen metrics": perf's pmu-events format */
#include "gen.h"

#include <stdio.h>
#include <string.h>

/* Print a member with a string; the texts have no control characters. */
static void json_field(const char *key, const char *text)
{
	printf(",\n        \"%s\": \"", key);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		putchar(*text);
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
		json_field("Filter", rest + 1);
}

static void json_counters(unsigned int mask)
{
	const char *list = "";
	unsigned int i;

	for (i = 0; i < 8; i++)
		if (mask >> i & 1)
			list = format("%s%s%u", list, *list ? "," : "", i);
	json_field("Counter", *list ? list : "fixed");
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
			json_field("EventCode", format("0x%02llx", value & 0xff));
			if (value >> 8)
				json_field("ExtSel", "1");
		}
		if (encoding_value(enc, "umask", &value))
			json_field("UMask", format("0x%02llx", value));
		json_filter(enc);
		json_counters(row_mask(box, row));
		scale = box_scale(box, alias);
		if (scale)
			json_field("ScaleUnit", format("%s%s", scale->scale, scale->unit));
		json_field("BriefDescription", row->kind != ROW_UMASK ? row->desc :
			   format("%s: %s", row_event(row)->desc, row->desc));
		json_field("PerPkg", "1");
		json_field("Unit", format("snbep_uncore_%s", box->name));
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
		json_field("MetricExpr", metric_expr(m));
		json_field("MetricGroup", format("snbep_%s", m->box));
		if (*m->scale)
			json_field("ScaleUnit", m->scale);
		json_field("BriefDescription", m->text);
		printf("\n    }");
	}
	printf("\n]\n");
	return 0;
}
