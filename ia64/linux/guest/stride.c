// SPDX-License-Identifier: GPL-2.0-only
/*
 * stride BYTES[K|M] [ROUNDS]: print where an array of so many bytes is, and load one word of each
 * of its cache lines, again and again. A program to sample.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES	128
#define ROUNDS		10

static unsigned long bytes(const char *text)
{
	char *unit;
	unsigned long n = strtoul(text, &unit, 0);

	switch (*unit) {
	case 'K':
		return n << 10;
	case 'M':
		return n << 20;
	}
	return n;
}

/* A call each round: noipa keeps the compiler from making one of them. */
__attribute__((noipa))
static unsigned long load_lines(const unsigned long *array, unsigned long words)
{
	unsigned long i, sum = 0;

	for (i = 0; i < words; i += LINE_BYTES / sizeof(*array))
		sum += array[i];
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long size = argc > 1 ? bytes(argv[1]) : 0;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : ROUNDS;
	unsigned long *array = size ? malloc(size) : NULL;

	if (!array) {
		fprintf(stderr, "usage: stride BYTES[K|M] [ROUNDS]\n");
		return 2;
	}
	printf("array %p %p\n", (void *)array, (void *)((char *)array + size));
	/* Pages that were never written are all the same one. */
	memset(array, 1, size);
	while (rounds--)
		load_lines(array, size / sizeof(*array));
	return 0;
}
