// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses for another simulator of caches to look at. The file that runs on the bare machine is
 * a program of Linux, too: it then runs one pattern, and is valgrind's to watch. So both see the
 * same instructions touch the same addresses; cachegrind.t compares what they say.
 */

#include "boxes.h"

#define MIB_WORDS	(1u << 18)
/* 40 MiB, which on Linux linux_main() asks for */
#define MEMORY		((volatile uint32_t *)0x1000000)
#define MEMORY_BYTES	(40u << 20)

/* valgrind leaves out a load whose value nothing uses. */
static volatile uint32_t sink;

/* Numbers of no order, the same in each pattern wherever it runs */
static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	return *x ^= *x << 5;
}

/*
 * Anywhere in 40 MiB, and the more often the further in front: a cache that keeps what was used
 * last is better off than one that keeps what came last. Each fourth access is a write.
 */
static void random(void)
{
	uint32_t seed = 1, sum = 0;

	for (unsigned int i = 0; i < 1500000; i++) {
		uint32_t at = 40 * MIB_WORDS;

		for (unsigned int n = 0; n < 4; n++) {
			uint32_t other = next_random(&seed) % (40 * MIB_WORDS);

			at = other < at ? other : at;
		}
		if (i % 4)
			sum += MEMORY[at];
		else
			MEMORY[at] = i;
	}
	sink = sum;
}

/* Columns of a matrix whose rows are 8 KiB: 2,048 rows, which the cache can hold, and 4,096 */
static void columns(void)
{
	uint32_t sum = 0;

	for (unsigned int rows = 2048; rows <= 4096; rows *= 2)
		for (unsigned int column = 0; column < 128; column++)
			for (unsigned int row = 0; row < rows; row++)
				sum += MEMORY[row * 2048 + column];
	sink = sum;
}

static const struct {
	const char *name;
	void (*run)(void);
} patterns[] = {
	{ "random", random },
	{ "columns", columns },
};

#define PATTERNS	(sizeof(patterns) / sizeof(patterns[0]))

/* Look-ups of the eight CBos that find nothing: reads of data and code, and requests to own */
static void count_misses(bool start)
{
	for (unsigned int c = 0; c < 8; c++) {
		msr_write(0xd14 + 0x20 * c, STATE(1), NULL);
		msr_write(0xd10 + 0x20 * c, start ? 0x0334 | EN : 0, NULL);
		if (start)
			msr_write(0xd16 + 0x20 * c, 0, NULL);
	}
}

void print_misses(void)
{
	for (unsigned int i = 0; i < PATTERNS; i++) {
		unsigned int misses = 0;

		ok(cmd("traffic empty") == MODEL_STATUS_OK, "%s: with empty caches",
		   patterns[i].name);
		count_misses(true);
		cmd("traffic on");
		patterns[i].run();
		cmd("traffic off");
		count_misses(false);
		for (unsigned int c = 0; c < 8; c++)
			misses += msr_read(0xd16 + 0x20 * c, NULL);
		note("misses %s %u", patterns[i].name, misses);
	}
}

static int linux_call(int number, const void *arg)
{
	int result;

	asm volatile("int $0x80" : "=a"(result) : "a"(number), "b"(arg) : "memory");
	return result;
}

/* With the arguments of a process; it does not return. */
void linux_main(int argc, char **argv)
{
	/* mmap(), whose arguments are in memory: read and write; private, fixed, anonymous */
	const uint32_t area[] = { (uint32_t)MEMORY, MEMORY_BYTES, 3, 0x32, -1, 0 };
	uintptr_t status = 2;

	if (argc == 2 && linux_call(90, area) == (int)(uintptr_t)MEMORY) {
		for (unsigned int i = 0; i < PATTERNS; i++) {
			if (same(argv[1], patterns[i].name)) {
				patterns[i].run();
				status = 0;
			}
		}
	}
	linux_call(1, (void *)status);
}
