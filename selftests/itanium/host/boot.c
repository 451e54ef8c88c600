// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test program for ia64 as one for the emulated machine, whose model of
 * Montecito is told what the same work would do on an Itanium.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "itanium/ia64/boot/port.h"
#include "lib/model.h"

/* Interrupts of the model come when the program runs again. */
const int samples_of_kernel;
unsigned long page_size;

extern const char __executable_start[], etext[];

/* Where the model is told that the loop is: nothing runs there. */
__asm__(".pushsection .text\n"
	".balign 64\n"
	".globl work_start\n"
	"work_start: .skip 64\n"
	".popsection\n");

long sys6(long nr, long a, long b, long c, long d, long e, long f)
{
	long v = syscall(nr, a, b, c, d, e, f);

	return v == -1 ? -errno : v;
}

void work(unsigned long rounds, const void *from, long step)
{
	const char *at = from;
	unsigned long n;

	/* In small pieces, so that branches are of the samples that they are in */
	for (; rounds; rounds -= n, at += n * step) {
		n = rounds < 256 ? rounds : 256;
		model("montecito branch ip=%p,slot=2,to=%p,count=8 event event=0x08,ip=%p,count=%lu"
		      " event event=0xcd,ip=%p,count=%lu event event=0x12,count=%lu"
		      " dear latency=20,ip=%p,data=%p,step=%ld,count=%lu",
		      (void *)work_start, (void *)work_start, (void *)work_start, WORK_INSNS * n,
		      (void *)work_start, n, n, (void *)work_start, (void *)at, step, n);
	}
}

int in_work(unsigned long ip)
{
	return ip >= (unsigned long)__executable_start && ip < (unsigned long)etext;
}

void kernel_work(unsigned int times)
{
	model("montecito event event=0x08,cpl=0,count=%u", 100 * times);
}

int main(void)
{
	const char *judge;
	int failed, objected;

	page_size = getauxval(AT_PAGESZ);
	model_init();
	model("montecito judge reset");
	failed = boot_tests("/extra/itanium_pmu.ko");
	objected = model_try(&judge, "montecito judge");
	printf("%sok - the model has nothing to object to\n1..1\n", objected ? "not " : "");
	if (objected)
		printf("# %s\n", judge);
	return failed || objected;
}
