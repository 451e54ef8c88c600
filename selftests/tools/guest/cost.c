// SPDX-License-Identifier: GPL-2.0-only
/*
 * cost COMMAND [ARGUMENT]...: run it, its output thrown away, and print what it
 * cost: reads and writes of the model's registers, and microseconds of processor
 * time, its children's included.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	fprintf(stderr, "cost: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void tally(unsigned long *reads, unsigned long *writes)
{
	FILE *in = popen("uncore-stim tally", "r");
	unsigned long r, w;
	char line[200], *at;

	if (!in)
		die("uncore-stim");
	*reads = 0;
	*writes = 0;
	while (fgets(line, sizeof(line), in)) {
		at = strstr(line, "reads=");
		if (!at || sscanf(at, "reads=%lu writes=%lu", &r, &w) != 2)
			continue;
		*reads += r;
		*writes += w;
	}
	if (pclose(in))
		die("uncore-stim tally");
}

int main(int argc, char **argv)
{
	unsigned long reads, writes;
	struct rusage usage;
	int status, null;
	pid_t pid;

	if (argc < 2)
		return 2;
	if (system("uncore-stim tally reset > /dev/null"))
		die("uncore-stim tally reset");
	pid = fork();
	if (!pid) {
		null = open("/dev/null", O_RDWR);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		die(argv[1]);
	if (status) {
		fprintf(stderr, "cost: %s: status %d\n", argv[1], status);
		return 1;
	}
	tally(&reads, &writes);
	printf("%lu %lu %ld\n", reads, writes,
	       (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L +
	       usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	return 0;
}
