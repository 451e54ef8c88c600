// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux-ia64-samples freeze|cpu|switch|stacks [ROUNDS]: how many samples an event with a fixed
 * period has, beside those that its count asks for:
 *
 *   freeze  other events come and go: the PMU is frozen, and this event stays
 *   cpu     the same, of all that the processor runs
 *   switch  the task is switched out and in, and the event with it
 *
 * stacks: whether branch stacks of a task have branches of the task before it, of two tasks that
 * run loops of their own, in turn, on processor 0.
 *
 * Link it statically with the compiler in the cache, and run it as root in a kernel with the
 * driver: make ia64-vm IA64=vmlinux EXTRA=dir CMD='/extra/program cpu'
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES		1024
#define LOOP_BYTES	0x80	/* at most, of a loop below */

static long page;
static struct perf_event_mmap_page *ring;

static int open_event(struct perf_event_attr *attr, int pid, int cpu)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
}

static int open_ring(struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = open_event(attr, pid, cpu);

	ring = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || ring == MAP_FAILED) {
		perror("perf_event_open or mmap");
		exit(2);
	}
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	return fd;
}

static struct perf_event_header *next_record(uint64_t *tail)
{
	struct perf_event_header *h;

	if (*tail >= ring->data_head)
		return NULL;
	h = (void *)((char *)ring + page + *tail % (PAGES * page));
	*tail += h->size;
	return h;
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (f) {
		fputs(text, f);
		fclose(f);
	}
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

static int count_samples(const char *mode, long rounds)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS, .sample_type = PERF_SAMPLE_IP,
		.sample_period = 5000, .pinned = 1, .disabled = 1,
	}, other = {
		.size = sizeof(other), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
	};
	int cpu = !strcmp(mode, "cpu"), pid = cpu ? -1 : 0, on = cpu ? 0 : -1, fd;
	unsigned long seen[PERF_RECORD_MAX] = { 0 };
	struct perf_event_header *h;
	uint64_t count, tail = 0;

	fd = open_ring(&attr, pid, on);
	if (!strcmp(mode, "switch"))
		ping_pong(rounds);
	else
		while (rounds--)
			close(open_event(&other, pid, on));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		return 2;
	while ((h = next_record(&tail)))
		seen[h->type % PERF_RECORD_MAX]++;
	count /= attr.sample_period;
	printf("%s: %lu samples of %lu, ring full %lu, throttled %lu\n", mode,
	       seen[PERF_RECORD_SAMPLE], (unsigned long)count, seen[PERF_RECORD_LOST],
	       seen[PERF_RECORD_THROTTLE]);
	return seen[PERF_RECORD_SAMPLE] + 1 + count / 50 < count;
}

/* Not inlined and not merged, so that addresses tell the tasks apart */
__attribute__((noipa)) static void loop_a(int n)
{
	while (n--)
		asm volatile("nop.i 1");
}

__attribute__((noipa)) static void loop_b(int n)
{
	while (n--)
		asm volatile("nop.i 2");
}

static void (*const loops[2])(int n) = { loop_a, loop_b };

struct sample {
	struct perf_event_header h;
	uint32_t pid, tid;
	uint64_t nr;
	struct perf_branch_entry entry[];
};

/* A function pointer of ia64 points to the function's address. */
static int is_in(uint64_t ip, void (*function)(int n))
{
	return ip - *(uint64_t *)function < LOOP_BYTES;
}

static int compare_stacks(long rounds)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = 997,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
		.exclude_kernel = 1, .exclude_hv = 1, .disabled = 1,
	};
	unsigned long own = 0, foreign = 0;
	int fd = open_ring(&attr, -1, 0), task;
	uint64_t tail = 0;
	struct sample *s;
	uint32_t pid[2];

	for (task = 0; task < 2; task++) {
		pid[task] = fork();
		if (pid[task])
			continue;
		while (rounds--) {
			loops[task](1000);
			sched_yield();
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	while ((s = (void *)next_record(&tail))) {
		task = s->tid == pid[1];
		if (s->h.type != PERF_RECORD_SAMPLE || s->tid != pid[task])
			continue;
		for (uint64_t i = 0; i < s->nr; i++) {
			own += is_in(s->entry[i].from, loops[task]);
			foreign += is_in(s->entry[i].from, loops[!task]);
		}
	}
	printf("%lu branches of the task's own, %lu of the other's\n", own, foreign);
	return !own || foreign;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "switch";
	long rounds = argc > 2 ? atol(argv[2]) : 2000;

	page = sysconf(_SC_PAGESIZE);
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", "100000000\n");
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0\n");
	return strcmp(mode, "stacks") ? count_samples(mode, rounds) : compare_stacks(rounds);
}
