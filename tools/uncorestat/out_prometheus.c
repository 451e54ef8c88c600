// SPDX-License-Identifier: GPL-2.0-only
/* --prometheus: a file for node_exporter's textfile collector */
#include <stdlib.h>
#include <unistd.h>

#include "replace.h"
#include "report.h"

static const char *written;

/* Values of a program that has ended would look like those of now. */
static void remove_written(void)
{
	unlink(written);
}

/* The new file's name is not *.prom, so that the collector does not read a partial file. */
void out_prometheus(const struct interval *i)
{
	struct replacement new;
	char *text;

	/* Fail before the run if the file is not writable. */
	if (i->moment != RUN_BEGINS && !i->rates)
		return;
	replace_open(&new, i->to);
	text = i->rates ? prometheus_text(i->rates, i->totals) : NULL;
	fputs(text ?: "", new.out);
	free(text);
	replace_finish(&new);
	if (!written && !i->origin->ends)
		atexit(remove_written);
	written = i->to;
}
