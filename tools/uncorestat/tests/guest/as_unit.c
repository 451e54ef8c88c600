// SPDX-License-Identifier: GPL-2.0-only
/*
 * as_unit UNIT PROGRAM [ARGUMENT]...: execute a program as user and group 65534 with the
 * AmbientCapabilities of a unit of systemd.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY	65534

static void check(long result, const char *what)
{
	if (result) {
		fprintf(stderr, "as_unit: %s: %s\n", what, strerror(errno));
		exit(1);
	}
}

static unsigned long long unit_capabilities(const char *path)
{
	static const struct {
		const char *name;
		int bit;
	} known[] = { { "CAP_SYS_ADMIN", CAP_SYS_ADMIN }, { "CAP_PERFMON", CAP_PERFMON } };
	unsigned long long mask = 0;
	FILE *in = fopen(path, "r");
	char line[400], *word;
	unsigned int i;

	check(!in, path);
	while (fgets(line, sizeof(line), in)) {
		if (strncmp(line, "AmbientCapabilities=", 20))
			continue;
		for (word = strtok(line + 20, " \n"); word; word = strtok(NULL, " \n")) {
			for (i = 0; i < 2 && strcmp(word, known[i].name); i++)
				;
			errno = EINVAL;
			check(i == 2, word);
			mask |= 1ull << known[i].bit;
		}
	}
	fclose(in);
	return mask;
}

int main(int argc, char **argv)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	unsigned long long mask;
	int bit;

	if (argc < 3)
		return 2;
	mask = unit_capabilities(argv[1]);
	for (bit = 0; bit <= CAP_LAST_CAP; bit++)
		if (!(mask >> bit & 1))
			prctl(PR_CAPBSET_DROP, bit, 0, 0, 0);
	check(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "PR_SET_KEEPCAPS");
	check(setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY), "user");
	for (bit = 0; bit < 2; bit++) {
		data[bit].permitted = mask >> 32 * bit;
		data[bit].effective = data[bit].permitted;
		data[bit].inheritable = data[bit].permitted;
	}
	check(syscall(SYS_capset, &head, data), "capset");
	for (bit = 0; bit <= CAP_LAST_CAP; bit++)
		if (mask >> bit & 1)
			check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, bit, 0, 0), "ambient");
	check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "PR_SET_NO_NEW_PRIVS");
	execvp(argv[2], argv + 2);
	check(1, argv[2]);
	return 1;
}
