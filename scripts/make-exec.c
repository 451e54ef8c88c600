// SPDX-License-Identifier: GPL-2.0-only
/*
 * A function for GNU make: $(exec PROGRAM,ARGUMENT,...) puts PROGRAM in make's place.
 *
 * make exits with 2 whatever fails in a recipe. `make vm` has to return the
 * status of its command, and its shell needs the terminal, so the runner
 * replaces the process.
 */

#include <gnumake.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int plugin_is_GPL_compatible;

static char *exec_function(const char *name, unsigned int argc, char **argv)
{
	char **args = calloc(argc + 1, sizeof(*args));
	unsigned int i;
	sigset_t none;

	(void)name;
	if (args && argc) {
		for (i = 0; i < argc; i++)
			args[i] = argv[i];
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		fflush(NULL);
		execv(args[0], args);
	}
	perror(argv[0]);
	_exit(125);
}

int make_exec_gmk_setup(void)
{
	gmk_add_function("exec", exec_function, 1, 0, GMK_FUNC_DEFAULT);
	return 1;
}
