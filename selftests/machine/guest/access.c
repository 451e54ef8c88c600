// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory accesses of which one knows what caches and memory make of them.
 *
 *   access [OPTION]... PATTERN BYTES
 *     read write copy chase random stream none
 *       copy: from one half of the bytes to the other; chase: a ring of
 *       pointers through every line, in random order; stream: non-temporal
 *       stores; none: a second of sleep
 *     -p CPU       run there
 *     -n NODE      the memory is there
 *     -r PASSES    over the bytes (1)
 *     -t           the machine's traffic is on only during two passes that are
 *                  not counted, and during the passes
 *     -c CTL,ACK   fifos of perf stat -D -1 --control: count the passes only
 * It prints the seconds that the passes took, and their bytes.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/model.h"

#define LINE		64
#define WORDS		(LINE / sizeof(uint64_t))
#define MPOL_BIND	2

static volatile uint64_t sink;
static bool switched;
static int ctl = -1, ack = -1;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void *memory(size_t bytes, int node)
{
	uint64_t *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long nodes = 1ul << node;

	if (p == MAP_FAILED)
		die("mmap");
	if (node >= 0 && syscall(SYS_mbind, p, bytes, MPOL_BIND, &nodes, sizeof(nodes) * 8, 0))
		die("mbind");
	memset(p, 1, bytes);
	return p;
}

static uint64_t next_random(void)
{
	static uint64_t x = 88172645463325252ull;

	x ^= x << 13;
	x ^= x >> 7;
	return x ^= x << 17;
}

/* One ring through all lines (Sattolo) */
static void make_ring(uint64_t *p, size_t lines)
{
	size_t *order = malloc(lines * sizeof(*order));

	if (!order)
		die("malloc");
	for (size_t i = 0; i < lines; i++)
		order[i] = i;
	for (size_t i = lines - 1; i; i--) {
		size_t j = next_random() % i, t = order[i];

		order[i] = order[j];
		order[j] = t;
	}
	for (size_t i = 0; i < lines; i++)
		p[order[i] * WORDS] = order[(i + 1) % lines] * WORDS;
	free(order);
}

static void do_read(uint64_t *p, size_t words)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < words; i++)
		sum += ((volatile uint64_t *)p)[i];
	sink = sum;
}

static void do_write(uint64_t *p, size_t words)
{
	for (size_t i = 0; i < words; i++)
		((volatile uint64_t *)p)[i] = i;
}

static void do_copy(uint64_t *p, size_t words)
{
	volatile uint64_t *from = p, *to = p + words / 2;

	for (size_t i = 0; i < words / 2; i++)
		to[i] = from[i];
}

static void do_chase(uint64_t *p, size_t words)
{
	uint64_t at = 0;

	for (size_t i = 0; i < words / WORDS; i++)
		at = ((volatile uint64_t *)p)[at];
	sink = at;
}

static void do_random(uint64_t *p, size_t words)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < words / WORDS; i++)
		sum += ((volatile uint64_t *)p)[next_random() % words];
	sink = sum;
}

static void do_stream(uint64_t *p, size_t words)
{
	for (size_t i = 0; i < words; i++)
		_mm_stream_si64((long long *)p + i, i);
	_mm_sfence();
}

static void do_none(uint64_t *p, size_t words)
{
	(void)p;
	(void)words;
	sleep(1);
}

static const struct pattern {
	const char *name;
	void (*pass)(uint64_t *p, size_t words);
} patterns[] = {
	{ "read", do_read }, { "write", do_write }, { "copy", do_copy },
	{ "chase", do_chase }, { "random", do_random },
	{ "stream", do_stream }, { "none", do_none },
};

static void perf(const char *what)
{
	char answer[16];

	if (ctl < 0)
		return;
	if (write(ctl, what, strlen(what)) < 0 || read(ack, answer, sizeof(answer)) <= 0)
		die("perf's control");
}

static void traffic(bool on)
{
	if (switched)
		model(on ? "traffic on" : "traffic off");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void open_control(char *names)
{
	char *comma = strchr(names, ',');

	if (!comma) {
		fprintf(stderr, "access: -c takes two fifos\n");
		exit(2);
	}
	*comma = 0;
	ctl = open(names, O_WRONLY);
	ack = open(comma + 1, O_RDONLY);
	if (ctl < 0 || ack < 0)
		die(names);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static size_t size(const char *s)
{
	char *end;
	size_t n = strtoull(s, &end, 0);

	if (*end == 'K')
		n <<= 10;
	else if (*end == 'M')
		n <<= 20;
	return n / (2 * LINE) * (2 * LINE);
}

int main(int argc, char **argv)
{
	const struct pattern *pattern = NULL;
	int node = -1, passes = 1, opt;
	size_t bytes;
	double start;
	uint64_t *p;

	while ((opt = getopt(argc, argv, "p:n:r:tc:")) != -1) {
		if (opt == 'p')
			run_on(atoi(optarg));
		else if (opt == 'n')
			node = atoi(optarg);
		else if (opt == 'r')
			passes = atoi(optarg);
		else if (opt == 't')
			switched = true;
		else if (opt == 'c')
			open_control(optarg);
		else
			return 2;
	}
	for (size_t i = 0; argc - optind == 2 && i < sizeof(patterns) / sizeof(*patterns); i++)
		if (!strcmp(argv[optind], patterns[i].name))
			pattern = &patterns[i];
	bytes = pattern ? size(argv[optind + 1]) : 0;
	if (!bytes) {
		fputs("usage: access [-p CPU] [-n NODE] [-r PASSES] [-t] [-c CTL,ACK] PATTERN BYTES\n",
		      stderr);
		return 2;
	}
	p = memory(bytes, node);
	if (pattern->pass == do_chase)
		make_ring(p, bytes / LINE);
	if (switched)
		model_init();
	traffic(true);
	for (int i = 0; switched && i < 2; i++)
		pattern->pass(p, bytes / sizeof(*p));
	traffic(false);
	perf("enable\n");
	traffic(true);
	start = now();
	for (int i = 0; i < passes; i++)
		pattern->pass(p, bytes / sizeof(*p));
	start = now() - start;
	traffic(false);
	perf("disable\n");
	printf("%.3f s %zu bytes\n", start, bytes * passes);
	return 0;
}
