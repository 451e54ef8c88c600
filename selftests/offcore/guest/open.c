// SPDX-License-Identifier: GPL-2.0-only
/*
 * open < VALUES: open each value of the response register, and print
 * "taken VALUE" or "refused VALUE"; refused is EINVAL and nothing else.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/uncore.h"

int main(void)
{
	char *type = read_text("/sys/bus/event_source/devices/offcore_rsp/type");
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char value[32];

	if (!type) {
		fprintf(stderr, "no PMU offcore_rsp\n");
		return 1;
	}
	attr.type = strtoul(type, NULL, 0);
	while (scanf("%31s", value) == 1) {
		int fd;

		attr.config = strtoull(value, NULL, 0);
		fd = uncore_open_attr(&attr, 0, -1);
		if (fd < 0 && fd != -EINVAL) {
			fprintf(stderr, "%s: %s\n", value, strerror(-fd));
			return 1;
		}
		printf("%s %s\n", fd < 0 ? "refused" : "taken", value);
		if (fd >= 0)
			close(fd);
	}
	return 0;
}
