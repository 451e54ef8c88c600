// SPDX-License-Identifier: GPL-2.0-only
#include "metrics.h"

#include <stdio.h>
#include <string.h>

#define METRIC(b, g, n, s, e, d) \
	{ .kind = METRIC_EXPR, .box = #b, .guide = g, .name = n, .scale = s, \
	  .expr = e, .text = d },
#define METRIC_NOTE(b, g, t) \
	{ .kind = METRIC_NOTE_TEXT, .box = #b, .guide = g, .text = t },
#define METRIC_LEFT_OUT(b, g, t) \
	{ .kind = METRIC_NOT_OFFERED, .box = #b, .guide = g, .text = t },

const struct guide_metric guide_metrics[] = {
#include "../snbep_metrics.def"
};

const size_t nr_guide_metrics = sizeof(guide_metrics) / sizeof(guide_metrics[0]);

const struct box *box_find(const char *name)
{
	size_t i;

	for (i = 0; i < nr_boxes; i++)
		if (!strcmp(boxes[i].name, name))
			return &boxes[i];
	fail("no box %s", name);
}

/*
 * Convert alias,field=value,... to an encoding: replace fields of the alias, and
 * append others.
 */
const char *event_encoding(const struct box *box, const char *event)
{
	char *copy = strdup(event), *save, *term = strtok_r(copy, ",", &save);
	const struct row *row = box_find_alias(box, term);
	const char *enc;

	if (!row)
		fail("%s has no alias %s", box->name, term);
	enc = row_encoding(box, row);
	while ((term = strtok_r(NULL, ",", &save))) {
		const char *at = encoding_field(enc, term);

		if (at)
			enc = format("%.*s%s%s", (int)(at - enc), enc, term, at + strcspn(at, ","));
		else
			enc = format("%s,%s", enc, term);
	}
	if (strchr(enc, '?'))
		fail("[%s] lacks a value: %s", event, enc);
	return enc;
}

const char *metric_expr(const struct guide_metric *m)
{
	const struct box *box = box_find(m->box);
	const char *p = m->expr, *event;
	char *buf;
	size_t size, len;
	FILE *out = open_memstream(&buf, &size);

	while (*p) {
		len = strcspn(p, "[");
		fprintf(out, "%.*s", (int)len, p);
		p += len;
		if (!*p)
			break;
		len = strcspn(++p, "]");
		/* perf's metric grammar: pmu@event@, with = and , escaped */
		fprintf(out, "snbep_uncore_%s@", box->name);
		for (event = event_encoding(box, format("%.*s", (int)len, p)); *event; event++)
			fprintf(out, strchr("=,", *event) ? "\\%c" : "%c", *event);
		fputc('@', out);
		p += len + 1;
	}
	fclose(out);
	return buf;
}
