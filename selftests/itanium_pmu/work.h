/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Work of which is known what it counts. An Itanium does it; on x86 the model is told of it, as of
 * events that no work of ours would make.
 */
#ifndef ITANIUM_WORK_H
#define ITANIUM_WORK_H

#include "api/model.h"

#define LINE		128	/* of the second level, which memory is read by */
#define BUNDLE		16

#ifdef __ia64__
/* Programs have no model to ask. */
#define HAS_MODEL	0
/* The loop is a load, an addition, and the branch, in slot 2 of its one bundle. */
void work(unsigned long rounds, const void *from, long step);
extern const char work_start[];
/* The same, in slots 0 and 2 of the second of two bundles, a line each round */
void odd_work(unsigned long rounds, const void *from);
extern const char odd_start[];
/* getpid(), at the kernel's privilege level on the program's stack */
void fsys_work(unsigned long rounds, unsigned long gate);
#else
#define HAS_MODEL	1
static const char work_start[4 * BUNDLE] __attribute__((aligned(64)));
#endif

/* @n loads of one word, and the branches between them */
static inline void loads(unsigned int n)
{
#ifdef __ia64__
	static long word;

	work(n, &word, 0);
#else
	model("montecito branch ip=%p,slot=2,to=%p,count=%u event event=0xcd,ip=%p,count=%u",
	      work_start, work_start, n, work_start, n);
#endif
}

/* A load from each of @n lines, none of which is in a cache */
static inline void load_lines(const char *from, unsigned int n)
{
#ifdef __ia64__
	work(n, from, LINE);
#else
	model("montecito dear latency=200,ip=%p,data=%p,step=%d,count=%u", work_start, from, LINE,
	      n);
#endif
}

#endif
