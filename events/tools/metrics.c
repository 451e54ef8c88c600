// SPDX-License-Identifier: GPL-2.0-only
#include "metrics.h"

#include <stdio.h>
#include <stdlib.h>
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
	return NULL;
}

/*
 * Convert alias,field=value,... to an encoding: replace fields of the alias, and
 * append others.
 */
char *event_encoding(const struct box *box, const char *event)
{
	char *copy = strdup(event), *enc, *save, *term;
	const struct row *row;

	term = strtok_r(copy, ",", &save);
	row = box_find_alias(box, term);
	if (!row) {
		fprintf(stderr, "%s has no alias %s\n", box->name, term);
		free(copy);
		return NULL;
	}
	enc = strdup(row_encoding(box, row));

	while ((term = strtok_r(NULL, ",", &save))) {
		size_t len = strcspn(term, "=");
		char *at = enc, *new;

		while (at && (strncmp(at, term, len) || at[len] != '=')) {
			at = strchr(at, ',');
			if (at)
				at++;
		}
		if (at) {
			char *rest = at + strcspn(at, ",");

			if (asprintf(&new, "%.*s%s%s", (int)(at - enc), enc,
				     term, rest) < 0)
				abort();
		} else if (asprintf(&new, "%s,%s", enc, term) < 0) {
			abort();
		}
		free(enc);
		enc = new;
	}
	free(copy);

	if (strchr(enc, '?')) {
		fprintf(stderr, "[%s] lacks a value: %s\n", event, enc);
		free(enc);
		return NULL;
	}
	if (box->formats && encoding_check(box, enc)) {
		fprintf(stderr, "[%s]: %s\n", event, encoding_check(box, enc));
		free(enc);
		return NULL;
	}
	return enc;
}

char *metric_expr(const struct guide_metric *m, const char *prefix,
		  const char *backslash)
{
	const struct box *box = box_find(m->box);
	const char *p = m->expr;
	char *buf, *enc, *event;
	size_t size, len;
	FILE *out;

	if (!box) {
		fprintf(stderr, "%s: no box %s\n", m->name, m->box);
		return NULL;
	}
	out = open_memstream(&buf, &size);
	while (*p) {
		len = strcspn(p, "[");
		fprintf(out, "%.*s", (int)len, p);
		p += len;
		if (!*p)
			break;
		len = strcspn(++p, "]");
		event = strndup(p, len);
		enc = event_encoding(box, event);
		free(event);
		if (!enc) {
			fprintf(stderr, "in metric %s\n", m->name);
			fclose(out);
			free(buf);
			return NULL;
		}
		/* perf's metric grammar: pmu@event@, with = and , escaped */
		fprintf(out, "%s%s@", prefix, box->name);
		for (event = enc; *event; event++) {
			if (strchr("=,", *event))
				fputs(backslash, out);
			fputc(*event, out);
		}
		fputc('@', out);
		free(enc);
		p += len + 1;
	}
	fclose(out);
	return buf;
}
