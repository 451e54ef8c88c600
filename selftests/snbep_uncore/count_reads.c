// SPDX-License-Identifier: GPL-2.0-only
/*
 * count_reads: bytes read from memory channel 0 of each socket in a tenth of a second. An example
 * of counting from a program for Documentation/cookbook.rst
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU	"/sys/bus/event_source/devices/snbep_uncore_imc_0/"

static void read_line(const char *file, char *line, int size)
{
	FILE *f = fopen(file, "r");

	if (!f || !fgets(line, size, f)) {
		perror(file);
		exit(1);
	}
	fclose(f);
}

int main(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	char line[256], *cpu;
	int fd[8], nr = 0, i;
	uint64_t count;

	read_line(PMU "type", line, sizeof(line));
	attr.type = atoi(line);
	/* events/cas_count_read as config, with the bits of format/ */
	attr.config = 0x04 | 0x03 << 8;

	/* One CPU of each socket, as in "0,8", whose events count the socket */
	read_line(PMU "cpumask", line, sizeof(line));
	for (cpu = strtok(line, ","); cpu && nr < 8; cpu = strtok(NULL, ",")) {
		fd[nr] = syscall(SYS_perf_event_open, &attr, -1, atoi(cpu), -1, 0);
		if (fd[nr] < 0) {
			perror("perf_event_open; the kernel's log may say more");
			return 1;
		}
		nr++;
	}

	usleep(100000);
	for (i = 0; i < nr; i++) {
		if (read(fd[i], &count, sizeof(count)) != sizeof(count)) {
			perror("read");
			return 1;
		}
		/* A CAS moves a line of 64 bytes. */
		printf("socket %d: %llu bytes read\n", i, (unsigned long long)count * 64);
	}
	return 0;
}
