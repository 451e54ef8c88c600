// SPDX-License-Identifier: GPL-2.0-only
/*
 * linux-ia64-12 [ROUNDS]: whether branch stacks of a task have branches of the
 * task before it. Two tasks run loops of their own, in turn, on processor 0.
 *
 * Link it statically with the compiler in the cache, and run it as root in a
 * kernel with the driver: make ia64-vm IA64=vmlinux EXTRA=dir CMD=/extra/program
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES		1024
#define LOOP_BYTES	0x80	/* at most, of a function below */

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
	uint64_t begin = *(uint64_t *)function;

	return ip >= begin && ip < begin + LOOP_BYTES;
}

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = 997,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER,
		.exclude_kernel = 1, .exclude_hv = 1, .disabled = 1,
	};
	long rounds = argc > 1 ? atol(argv[1]) : 1000, page = sysconf(_SC_PAGESIZE);
	unsigned long own = 0, foreign = 0;
	struct perf_event_mmap_page *ring;
	uint32_t pid[2];
	int fd, task;

	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
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

	for (uint64_t tail = 0; tail < ring->data_head;) {
		struct sample *s = (void *)((char *)ring + page + tail % (PAGES * page));

		tail += s->h.size;
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
