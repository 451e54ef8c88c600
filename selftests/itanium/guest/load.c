// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program for perf to look at: says of itself, by way of the model, that its
 * functions miss the cache on its data and branch to each other.
 */
#include <stdio.h>
#include <stdlib.h>

#include "lib/model.h"

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

	model_init();
	/*
	 * An Itanium's bundles are aligned; these functions are as well. One command:
	 * a switch to another task between branches and misses would part them.
	 */
	model("montecito branch ip=%#lx,slot=2,to=%#lx,count=4"
	      " dear latency=200,ip=%#lx,slot=1,data=%#lx,step=8,count=%d",
	      (unsigned long)caller & ~0xfUL, (unsigned long)walk & ~0xfUL,
	      (unsigned long)walk & ~0xfUL, (unsigned long)table, n);
	printf("%p %p %p\n", (void *)walk, (void *)caller, (void *)table);
	return caller(n) == 0;
}
