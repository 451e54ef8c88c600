// SPDX-License-Identifier: GPL-2.0-only
/* A crash is a failed test: which one, and where in the driver. libFuzzer reports its own. */
#ifndef main
#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include "testing.h"

#define MAX_FRAMES	256

struct frame {
	char function[64], place[128];	/* PATH:LINE, from the project's directory on */
};

static pid_t tests;

/* The sanitizers report on standard error, and end by SIGABRT. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "abort_on_error=1:print_legend=0";
}

const char *__ubsan_default_options(void);
const char *__ubsan_default_options(void)
{
	return "abort_on_error=1:print_stacktrace=1";
}

/* Not there under coverage */
__attribute__((weak))
void __sanitizer_symbolize_pc(void *pc, const char *fmt, char *out, size_t size);
__attribute__((weak))
int __asan_report_present(void);
__attribute__((weak))
const char *__asan_get_report_description(void);

/* The frame of a return address; false if it is none of this tree's */
static bool name_frame(void *address, struct frame *f)
{
	size_t top = strstr(__FILE__, "tests/mock-kernel/") - __FILE__;
	char text[512] = "", *path;

	if (__sanitizer_symbolize_pc)
		__sanitizer_symbolize_pc((char *)address - 1, "%f %s:%l", text, sizeof(text));
	path = strchr(text, ' ');
	if (!path || strncmp(path + 1, __FILE__, top))
		return false;
	*path = 0;
	snprintf(f->function, sizeof(f->function), "%s", text);
	snprintf(f->place, sizeof(f->place), "%s", path + 1 + top);
	return true;
}

static bool in_driver(const struct frame *f)
{
	return strncmp(f->place, "tests/", 6) && strncmp(f->place, "machine/", 8);
}

/* End as a failed test, which is the function that main() called. */
static void crashed(int sig)
{
	struct frame f, at = { "an unknown function" }, test = { "a test" };
	void *stack[MAX_FRAMES];
	int i, n = backtrace(stack, MAX_FRAMES);
	bool report = __asan_report_present && __asan_report_present();

	/* The heap or standard output may be what is broken. */
	alarm(10);
	for (i = 0; i < n; i++) {
		if (!name_frame(stack[i], &f) || strstr(f.place, "/crash.c:"))
			continue;
		if (!strcmp(f.function, "main"))
			break;
		/* The driver's innermost function, or what stands in for kernel and machine */
		if (!*at.place || (!in_driver(&at) && in_driver(&f)))
			at = f;
		if (!in_driver(&f))
			test = f;
	}
	fault("%s: %s() at %s, after the check at %s:%d",
	      report ? __asan_get_report_description() : strsignal(sig), at.function, at.place,
	      last_check ? last_check->file : "", last_check ? last_check->line : 0);
	/* A test's own process fails its test. */
	if (getpid() == tests) {
		result("%s crashes in %s(), %s", test.function, at.function, at.place);
		tests_done(false);
	}
	fflush(NULL);
	signal(sig, SIG_DFL);
	raise(sig);
}

__attribute__((constructor)) static void catch_crashes(void)
{
	static const int signals[] = {
		SIGABRT,
#ifndef __SANITIZE_ADDRESS__
		SIGSEGV, SIGBUS, SIGFPE, SIGILL,
#endif
	};
	struct sigaction act = { .sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND };
	void *none[1];
	unsigned int i;

	tests = getpid();
	/* The first call loads a library. */
	backtrace(none, 1);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, NULL);
}
#endif
