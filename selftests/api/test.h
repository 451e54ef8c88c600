/* SPDX-License-Identifier: GPL-2.0-only */
/* How each test program begins and ends, on kselftest.h, whose counters are this file's own */
#ifndef API_TEST_H
#define API_TEST_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "api/model.h"
#include "api/uncore.h"

/* The program's protocol checker */
static const char *test_checker;

/*
 * Print KTAP's version line, or skip all without root or without a PMU whose name begins with
 * @pmu. test_end() asks the model's protocol checker @checker, if this is the emulated machine.
 */
static inline void test_begin(const char *pmu, const char *checker)
{
	char marker[64];

	/* The harness's child processes exit without flushing. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("KTAP version 1\n");
	/* Otherwise kselftest.h and the harness print "TAP version 13". */
	setenv("KSFT_TAP_LEVEL", "1", 1);
	if (geteuid())
		ksft_exit_skip("needs root\n");
	if (!uncore_any(pmu))
		ksft_exit_skip("no PMU %s: its module is not loaded, or found no hardware\n", pmu);
	/* As run_kselftest.sh marks where a collection begins */
	snprintf(marker, sizeof(marker), "kselftest: %s", program_invocation_short_name);
	write_text(marker, "/dev/kmsg");
	test_checker = checker;
	/* Rules that bind users; a program that breaks one intentionally switches it off. */
	if (model_present() && !strcmp(checker, "checker"))
		model("checker on one-filter-user:one-criterion:threshold");
}

/*
 * Print a result. What follows " | " goes into a line before it, so that its name is the same in
 * each run.
 */
static inline void __attribute__((format(printf, 2, 3)))
test_result(bool good, const char *fmt, ...)
{
	char text[512], *seen;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	seen = strstr(text, " | ");
	if (seen) {
		ksft_print_msg("%s", seen + 3);
		strcpy(seen, "\n");
	}
	ksft_test_result(good, "%s", text);
}

/* Skip all where events cannot be injected. */
static inline void test_needs_model(void)
{
	if (!model_present())
		ksft_exit_skip("injects events: this machine is no emulated one\n");
}

/* The number of results, without test_end()'s */
static inline void test_plan(unsigned int results)
{
	ksft_set_plan(results + 1);
}

#define TEST_SILENT	"the protocol checker reports nothing"

static inline void __attribute__((noreturn)) test_end(void)
{
	if (model_present())
		ksft_test_result(model_silent(test_checker), TEST_SILENT "\n");
	else
		ksft_test_result_skip(TEST_SILENT ": this machine is no emulated one\n");
	ksft_finished();
}

#endif
