// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux-ia64-5 freeze|cpu|switch [ROUNDS]: how many samples an event with a
 * fixed period has, beside those that its count asks for.
 *
 *   freeze  other events come and go: the PMU is frozen, and this event stays
 *   cpu     the same, of all that the processor runs
 *   switch  the task is switched out and in, and the event with it
 *
 * Link it statically with the compiler in the cache, and run it in a kernel
 * with the driver: make ia64-vm IA64=vmlinux EXTRA=dir CMD='/extra/program cpu'
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 256

static int open_event(struct perf_event_attr *attr, int pid, int cpu)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
}

static void ping_pong(long rounds)
{
	int a[2], b[2];
	char c = 0;

	if (pipe(a) || pipe(b))
		exit(2);
	if (!fork()) {
		close(a[1]);
		while (read(a[0], &c, 1) == 1)
			if (write(b[1], &c, 1) != 1)
				break;
		_exit(0);
	}
	close(a[0]);
	while (rounds--)
		if (write(a[1], &c, 1) != 1 || read(b[0], &c, 1) != 1)
			exit(2);
	close(a[1]);
	wait(NULL);
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS, .sample_type = PERF_SAMPLE_IP,
		.sample_period = 5000, .pinned = 1, .disabled = 1,
	}, other = {
		.size = sizeof(other), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	int cpu = argc > 1 && !strcmp(argv[1], "cpu");
	int freeze = cpu || (argc > 1 && !strcmp(argv[1], "freeze"));
	int pid = cpu ? -1 : 0, on = cpu ? 0 : -1;
	long rounds = argc > 2 ? atol(argv[2]) : 2000, page = sysconf(_SC_PAGESIZE);
	unsigned long samples = 0, lost = 0, throttled = 0;
	struct perf_event_mmap_page *ring;
	uint64_t count, tail, expected;
	FILE *f;
	int fd;

	f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "w");
	if (f) {
		fprintf(f, "100000000\n");
		fclose(f);
	}
	f = fopen("/proc/sys/kernel/perf_cpu_time_max_percent", "w");
	if (f) {
		fprintf(f, "0\n");
		fclose(f);
	}
	fd = open_event(&attr, pid, on);
	if (fd < 0) {
		perror("perf_event_open");
		return 2;
	}
	ring = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	if (freeze)
		while (rounds--) {
			int o = open_event(&other, pid, on);

			if (o < 0)
				return 2;
			close(o);
		}
	else
		ping_pong(rounds);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return 2;

	for (tail = 0; tail < ring->data_head;) {
		struct perf_event_header *h = (void *)((char *)ring + page + tail % (PAGES * page));

		if (h->type == PERF_RECORD_SAMPLE)
			samples++;
		if (h->type == PERF_RECORD_LOST)
			lost++;
		if (h->type == PERF_RECORD_THROTTLE)
			throttled++;
		tail += h->size;
	}
	expected = count / attr.sample_period;
	printf("%s: %lu events, %lu samples of %lu, ring full %lu, throttled %lu\n",
	       cpu ? "cpu" : freeze ? "freeze" : "switch", (unsigned long)count, samples,
	       (unsigned long)expected, lost, throttled);
	return samples + 1 + expected / 50 < expected;
}
