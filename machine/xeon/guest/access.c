// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory accesses of which one knows what caches and memory make of them.
 *
 *   access [OPTION]... PATTERN BYTES
 *     read write copy chase stream share fwrite fread
 *       copy: from one half of the bytes to the other; chase: a ring of
 *       pointers through every line, in random order; stream: non-temporal
 *       stores
 *       share: two threads alternate, each on a CPU of its own. In its turn a
 *       thread adds to a word of each line. A pass is a turn of each.
 *       fwrite, fread: the bytes to a file and from it, past the page cache,
 *       by the DMA of a device. fread needs what fwrite has written.
 *     -p CPU       run there
 *     -P CPU       and the other thread there
 *     -f FILE      of fwrite and fread
 *     -n NODE      the memory is there
 *     -r PASSES    over the bytes (1)
 *     -t           the machine's traffic is on only during the passes, which
 *                  begin with empty caches
 * It prints the seconds that the passes took, and their bytes.
 */
#define _GNU_SOURCE
#include <emmintrin.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../console/model-port.h"

#define LINE		64
#define HUGE_PAGE	(2u << 20)
#define WORDS		(LINE / sizeof(uint64_t))
#define MPOL_BIND	2

static volatile uint64_t sink;
static bool switched;
static int other_cpu = -1, file = -1;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * In whole huge pages, so that each program has its lines in all sets of a cache
 * alike, and the kernel has no reason to move any of it.
 */
static void *memory(size_t bytes, int node)
{
	size_t size = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	char *p = mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	unsigned long nodes = node >= 0 ? 1ul << node : 0;

	if (p == MAP_FAILED)
		die("mmap");
	p += -(uintptr_t)p % HUGE_PAGE;
	/* A kernel may have none. */
	if (madvise(p, size, MADV_HUGEPAGE) && errno != EINVAL)
		die("madvise");
	if (node >= 0 && syscall(SYS_mbind, p, size, MPOL_BIND, &nodes, sizeof(nodes) * 8, 0))
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

enum pattern {
	READ, WRITE, COPY, CHASE, STREAM, SHARE, FWRITE, FREAD, PATTERNS
};

enum kind { ALONE, IN_TURNS, OF_FILE };

static const struct {
	const char *name;
	enum kind kind;
} patterns[PATTERNS] = {
	[READ] = { "read", ALONE }, [WRITE] = { "write", ALONE }, [COPY] = { "copy", ALONE },
	[CHASE] = { "chase", ALONE }, [STREAM] = { "stream", ALONE },
	[SHARE] = { "share", IN_TURNS },
	[FWRITE] = { "fwrite", OF_FILE }, [FREAD] = { "fread", OF_FILE },
};

/* The pattern to run, and the words that it accesses */
static struct {
	enum pattern pattern;
	uint64_t *p;
	size_t words;
} work;

/* The whole file, as far as it goes each time */
static void pass_file(bool writes)
{
	size_t bytes = work.words * sizeof(*work.p), at = 0;

	while (at < bytes) {
		char *p = (char *)work.p + at;
		ssize_t n = writes ? pwrite(file, p, bytes - at, at) :
				     pread(file, p, bytes - at, at);

		if (n <= 0)
			die("the file of -f");
		at += n;
	}
}

static uint64_t pass_memory(void)
{
	const size_t words = work.words;
	volatile uint64_t *p = work.p;
	uint64_t sum = 0;

	switch (work.pattern) {
	case READ:
		for (size_t i = 0; i < words; i++)
			sum += p[i];
		break;
	case WRITE:
		for (size_t i = 0; i < words; i++)
			p[i] = i;
		break;
	case COPY:
		for (size_t i = 0; i < words / 2; i++)
			p[words / 2 + i] = p[i];
		break;
	case CHASE:
		for (size_t i = 0; i < words / WORDS; i++)
			sum = p[sum];
		break;
	case STREAM:
		for (size_t i = 0; i < words; i++)
			_mm_stream_si64((long long *)work.p + i, i);
		_mm_sfence();
		break;
	case SHARE:
		for (size_t i = 0; i < words; i += WORDS)
			p[i]++;
		break;
	default:
		break;
	}
	return sum;
}

static void pass(void)
{
	if (patterns[work.pattern].kind == OF_FILE)
		pass_file(work.pattern == FWRITE);
	else
		sink = pass_memory();
}

/* Whose turn it is, in a line of its own */
enum { MINE, THE_OTHERS };

static struct {
	int whose;
	char rest[LINE - sizeof(int)];
} __attribute__((aligned(LINE))) turn;

static void give_turn(int whose)
{
	__atomic_store_n(&turn.whose, whose, __ATOMIC_RELEASE);
}

/*
 * Neither sleeps while the other one works: the kernel would move more lines
 * than the threads do. The waiting one reads a line that stays in its L1.
 */
static void wait_for_turn(int whose)
{
	while (__atomic_load_n(&turn.whose, __ATOMIC_ACQUIRE) != whose)
		_mm_pause();
}

static void one_pass(void)
{
	pass();
	if (patterns[work.pattern].kind == IN_TURNS) {
		give_turn(THE_OTHERS);
		wait_for_turn(MINE);
	}
}

static void model(const char *line)
{
	outl(0, MODEL_PORT_BASE + MODEL_PORT_STATUS);
	outsb(MODEL_PORT_BASE + MODEL_PORT_DATA, line, strlen(line));
	if (inl(MODEL_PORT_BASE + MODEL_PORT_STATUS) == MODEL_STATUS_ERROR) {
		fprintf(stderr, "the model refuses: %s", line);
		exit(2);
	}
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void *other_thread(void *unused)
{
	(void)unused;
	run_on(other_cpu);
	/* Until the program ends */
	for (;;) {
		wait_for_turn(THE_OTHERS);
		pass();
		give_turn(MINE);
	}
	return NULL;
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

/* fread must have read what memory() gave to fwrite. */
static void check_file(void)
{
	static const uint64_t ones = 0x0101010101010101;

	for (size_t i = 0; i < work.words; i++) {
		if (work.p[i] != ones) {
			fprintf(stderr, "access: word %zu of the file is %#lx\n", i, work.p[i]);
			exit(1);
		}
	}
}

/* Run the passes; with -t only these are traffic. Returns the seconds that they took. */
static double measure(int passes)
{
	double start;

	if (switched) {
		if (iopl(3))
			die("iopl");
		model("traffic empty\n");
		model("traffic on\n");
	}
	start = now();
	for (int i = 0; i < passes; i++)
		one_pass();
	start = now() - start;
	if (switched)
		model("traffic off\n");
	return start;
}

static int usage(void)
{
	fputs("usage: access [-p CPU] [-P CPU] [-n NODE] [-f FILE] [-r PASSES] [-t] PATTERN SIZE\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	enum pattern pattern = 0;
	int node = -1, passes = 1, opt;
	enum kind kind;
	pthread_t other;
	size_t bytes;

	while ((opt = getopt(argc, argv, "p:P:n:f:r:t")) != -1) {
		if (opt == 'p')
			run_on(atoi(optarg));
		else if (opt == 'P')
			other_cpu = atoi(optarg);
		else if (opt == 'n')
			node = atoi(optarg);
		else if (opt == 'f')
			file = open(optarg, O_RDWR | O_CREAT | O_DIRECT, 0600);
		else if (opt == 'r')
			passes = atoi(optarg);
		else if (opt == 't')
			switched = true;
		else
			return usage();
		if (opt == 'f' && file < 0)
			die(optarg);
	}
	if (argc - optind != 2)
		return usage();
	while (pattern < PATTERNS && strcmp(argv[optind], patterns[pattern].name))
		pattern++;
	bytes = size(argv[optind + 1]);
	if (pattern == PATTERNS || !bytes)
		return usage();
	/* -P and -f go with the patterns that need them, and with no other. */
	kind = other_cpu >= 0 ? IN_TURNS : file >= 0 ? OF_FILE : ALONE;
	if (patterns[pattern].kind != kind)
		return usage();
	work.pattern = pattern;
	work.p = memory(bytes, node);
	work.words = bytes / sizeof(*work.p);
	if (pattern == CHASE)
		make_ring(work.p, bytes / LINE);
	if (pattern == FREAD)
		memset(work.p, 2, bytes);
	if (patterns[pattern].kind == IN_TURNS && pthread_create(&other, NULL, other_thread, NULL))
		die("pthread_create");
	printf("%.3f s %zu bytes\n", measure(passes), bytes * passes);
	if (pattern == FREAD)
		check_file();
	return 0;
}
