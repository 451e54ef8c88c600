// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting with the itanium PMU: fields by their names. tests/drivers/itanium has refusals, groups
 * and all else that takes no real kernel.
 */
#ifdef __ia64__
#include <asm/ptrace_offsets.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>

#include "itanium.h"

#define ROUNDS		65536

static char data[ROUNDS * sizeof(long)] __attribute__((aligned(LINE)));

#ifndef __ia64__
/* The event as perf takes it, a stimulus, and the count that it makes */
static const struct {
	const char *terms, *stim;
	uint64_t expect;
} named[] = {
	{ "event=0x87,umask=2", "event event=0x87,umask=2,count=9", 9 },
	{ "event=0xdd,umask=0xf,mesi=8",
	  "event event=0xdd,umask=15,mesi=8,count=9 event event=0xdd,umask=15,mesi=7,count=5", 9 },
	{ "event=8,filter=1,opc_match=0x10000000001,opc_mask=0xfffffffffe,opc_type=8",
	  "event event=8,opcode=0x1abcdef0123,itype=8,count=9 event event=8,opcode=0x0abcdef0123,itype=8,count=5", 9 },
	{ "event=8,filter=2,fine=1,addr=0xa000000100014020,addr_end=0xa000000100014060",
	  "event event=8,ip=0xa000000100014020,count=9 event event=8,ip=0xa000000100014060,count=5", 9 },
	{ "event=0xcd,filter=6,addr=0x4000,addr_bits=12,data=0xe000000000000000,data_bits=56",
	  "event event=0xcd,ip=0x4ff0,data=0xe0fffffffffffff8,count=9", 9 },
	{ "event=0x11,tm=2,ptm=3,ppm=1",
	  "branch path_ok=0,count=4 branch taken=0,path_ok=0,count=9 branch count=2", 4 },
};

static uint64_t happen(int i)
{
	model("montecito %s", named[i].stim);
	return 0;
}
#else
#define THE_LOOP	"addr=%1$#lx"
#define OTHER_CODE	"addr=%2$#lx"
#define A_LINE		"=%3$#lx"
/* The loop's branch: major opcode 4, type 5, in a B slot; the other bits are ignored. */
#define CLOOP		"filter=1,opc_match=0x8000000140,opc_mask=0x1ffffffe3f,opc_type=1"

/* The event as perf takes it, its count for a run of the loop, and the most around the loop */
static const struct {
	const char *terms;
	uint64_t expect, more;
} named[] = {
	{ "event=0xcd,filter=2," THE_LOOP ",addr_mask=0x1f", ROUNDS, 0 },
	{ "event=0xcd,filter=2," OTHER_CODE ",addr_mask=0x1f", 0, 0 },
	/* The bundle in front of the range, and the last one */
	{ "event=8,filter=2,fine=1," THE_LOOP ",addr_end=%4$#lx", 3 * ROUNDS, 6 },
	{ "event=8," CLOOP, ROUNDS, 4 },
	{ "event=8,umask=2," CLOOP, ROUNDS, 4 },
	{ "event=0xcd,filter=4,addr" A_LINE ",addr_mask=0x3f", 8, 0 },
	{ "event=0xcd,filter=6," THE_LOOP ",addr_bits=5,data" A_LINE ",data_bits=6", 8, 0 },
	{ "event=0xcd,filter=6," OTHER_CODE ",addr_bits=5,data" A_LINE ",data_bits=6", 0, 0 },
	{ "event=8,threshold=2", ROUNDS, ROUNDS / 100 },
	{ "event=8,threshold=3", 0, 0 },
	{ "event=0x11,tm=2", ROUNDS - 1, 20 },
	{ "event=0x11,tm=1", 1, 20 },
};

/* The loop loads word after word. */
static uint64_t happen(int i)
{
	work(ROUNDS, data, sizeof(long));
	return named[i].more;
}
#endif

static void test_fields(const struct uncore_pmu *pmu)
{
	int i;

	for (i = 0; i < ARRAY(named); i++) {
		unsigned long loop = (uintptr_t)work_start;
		struct perf_event_attr attr = event_attr(0);
		unsigned long long got = 0, want = named[i].expect, more = 0;
		struct uncore_enc enc;
		const char *why;
		char terms[200];
		int fd = -1;

		snprintf(terms, sizeof(terms), named[i].terms, loop, loop + 4096,
			 (uintptr_t)data + 64, loop + 2 * BUNDLE);
		why = uncore_encode(pmu, terms, &enc);
		if (!why) {
			attr.config = enc.word[0];
			attr.config1 = enc.word[1];
			attr.config2 = enc.word[2];
			attr.exclude_kernel = !HAS_MODEL;
			fd = uncore_open_longer(&attr, enc.word[3], enc.word[4], 0, -1);
		}
		if (fd >= 0) {
			more = happen(i);
			got = count_of(fd);
			close(fd);
		}
		test_result(fd >= 0 && got >= want && got <= want + more,
			    "%s counts | %llu of %llu, or %llu more\n", terms, got, want, more);
	}
}

#ifdef __ia64__
/* Open an event of this task and its children, or of @cpu, into @keep. Return an errno, or 0. */
static int range_event(int cpu, int *keep)
{
	struct perf_event_attr attr = loop_attr(LOADS);
	int fd;

	attr.inherit = 1;
	fd = event_open(&attr, cpu < 0 ? 0 : -1, cpu, -1);
	if (keep)
		*keep = fd;
	else if (fd >= 0)
		close(fd);
	return fd < 0 ? errno : 0;
}

/* Only a breakpoint takes the breakpoint registers: from its task, and from CPU-wide events. */
static void test_debugger(void)
{
	int looked, own, all, gone, fd, first = range_event(-1, &fd);
	/* The child inherits the event, too. It ends for both as they share their files. */
	long child = syscall(SYS_clone, SIGCHLD | CLONE_FILES, 0, 0, 0, 0, 0), value;

	if (!child)
		for (;;)
			pause();
	close(fd);
	ptrace(PTRACE_ATTACH, child, 0, 0);
	waitpid(child, NULL, 0);
	ptrace(PTRACE_PEEKUSER, child, PT_DBR, 0);
	ptrace(PTRACE_POKEUSER, child, PT_DBR, 0);
	looked = range_event(0, NULL);
	ptrace(PTRACE_POKEUSER, child, PT_DBR, 0x1000);
	value = ptrace(PTRACE_PEEKUSER, child, PT_DBR, 0);
	own = range_event(-1, NULL);
	all = range_event(0, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	gone = range_event(0, NULL);
	test_result(!first && value == 0x1000 && !looked && !own && all == EBUSY && !gone,
		    "ranges and a debugger | errors %d, %d, %d and %d\n", looked, own, all, gone);
}
#endif

int main(void)
{
	struct uncore_pmu pmu;

	begin(ARRAY(named) + !HAS_MODEL);
	uncore_load(&pmu, "itanium");
	test_fields(&pmu);
#ifdef __ia64__
	test_debugger();
#endif
	finish();
}
