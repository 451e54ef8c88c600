// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for perf to sample: injects into the model that its functions miss the cache on its
 * data and branch to each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "api/model.h"

long table[4096];

__attribute__((noinline)) long walk(long i)
{
	return table[i % 4096] + i;
}

__attribute__((noinline)) long caller(long i)
{
	return walk(i) * 2;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	clock_t start = clock();

	/* While a tick is late, perf's clock does not advance: events are enabled for no time. */
	while (clock() == start)
		;
	if (!model_present())
		return 4;
	/*
	 * Functions are aligned as an Itanium's bundles are. Inject in one command, as a task
	 * switch between branches and misses would separate them.
	 */
	model("montecito branch ip=%#lx,slot=2,to=%#lx,count=4"
	      " dear latency=200,ip=%#lx,slot=1,data=%#lx,step=8,count=%d",
	      (unsigned long)caller & ~0xfUL, (unsigned long)walk & ~0xfUL,
	      (unsigned long)walk & ~0xfUL, (unsigned long)table, n);
	printf("%p %p %p\n", (void *)walk, (void *)caller, (void *)table);
	return caller(n) == 0;
}
