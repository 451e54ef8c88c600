// SPDX-License-Identifier: GPL-2.0-only
/*
 * CMPXCHG8B and CMPXCHG16B change ZF alone, whichever instruction set the other flags before them:
 * the machine's processor has to know which one did.
 */
#include <stdint.h>
#include <stdlib.h>

#include "kselftest.h"

#define ZF		(1 << 6)
#define ROUNDS		10000

static uint64_t a, b;
static _Alignas(16) uint64_t target[2];

/* The flags that a + b and then @insn leave, where *target and RDX:RAX are compared */
#define FLAGS_AFTER(insn)							\
({										\
	uint64_t sum = a, low = 0, high = 0, flags;				\
										\
	asm volatile("push $2\n\tpopf\n\tadd %[b], %[sum]\n\t"			\
		     insn "\n\tpushf\n\tpop %[flags]"				\
		     : [sum] "+&r" (sum), [flags] "=&r" (flags),		\
		       "+a" (low), "+d" (high), "+m" (target)			\
		     : [b] "r" (b), [target] "r" (target), "b" (0ul), "c" (0ul)	\
		     : "cc", "memory");						\
	flags;									\
})

#define CHECK(insn)								\
do {										\
	unsigned int bad = 0;							\
										\
	for (int i = 0; i < ROUNDS; i++) {					\
		a = (uint64_t)mrand48() << 32 ^ mrand48();			\
		b = (uint64_t)mrand48() << 32 ^ mrand48();			\
		target[0] = i & 1;						\
		bad += FLAGS_AFTER(insn " (%[target])") !=			\
		       ((FLAGS_AFTER("") & ~(uint64_t)ZF) | (i & 1 ? 0 : ZF));	\
	}									\
	ksft_print_msg("%u of %u are wrong\n", bad, ROUNDS);			\
	ksft_test_result(!bad, insn " changes ZF alone\n");			\
} while (0)

int main(void)
{
	ksft_print_header();
	ksft_set_plan(4);
	CHECK("cmpxchg8b");
	CHECK("lock cmpxchg8b");
	CHECK("cmpxchg16b");
	CHECK("lock cmpxchg16b");
	ksft_finished();
}
