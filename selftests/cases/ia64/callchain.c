// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call chains on ia64: perf_callchain.c of the kernel's patch, on a mock unwinder with the frames
 * of a stack
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "scripts/tap.h"

typedef unsigned long long u64;

struct pt_regs {
	unsigned long ip, r12;
	bool user;
};

struct unw_frame_info {
	unsigned int at;
};

struct perf_callchain_entry_ctx {
	unsigned int nr, max_stack;
	u64 ip[16];
};

struct frame {
	unsigned long ip;
	/* Registers of an interrupt's frame */
	struct pt_regs *regs;
};

/* The registers at the top of the stack are the program's. */
static struct pt_regs program, first, second, *irq_regs;
static const struct frame *frames;
static unsigned int unwound;

#define current			NULL
#define task_pt_regs(task)	(&program)
#define user_mode(regs)		((regs)->user)
#define fsys_mode(task, regs)	(!(regs)->user && (regs) == &program)
#define instruction_pointer(regs)	((regs)->ip)
#define get_irq_regs()		irq_regs

#define unw_is_intr_frame(info)	(!!frames[(info)->at].regs)
#define unw_get_ip(info, p)	(*(p) = frames[(info)->at].ip)
#define unw_get_sp(info, p)	\
	(*(p) = (unsigned long)frames[(info)->at].regs - 16)

/* The last frame has no caller. */
static int unw_unwind(struct unw_frame_info *info)
{
	if (!frames[info->at + 1].ip && !frames[info->at].ip)
		return -1;
	info->at++;
	return 0;
}

static void unw_init_running(void (*callback)(struct unw_frame_info *info, void *arg), void *arg)
{
	struct unw_frame_info info = { 0 };

	unwound++;
	callback(&info, arg);
}

static int perf_callchain_store(struct perf_callchain_entry_ctx *entry, u64 ip)
{
	if (entry->nr == entry->max_stack)
		return -1;
	entry->ip[entry->nr++] = ip;
	return 0;
}

/* From the patch, without its #includes */
#include "perf_callchain.c"

/* Handlers, the interrupt's frame, what it interrupted, the system call's frame, the program */
static const struct frame in_call[] = {
	{ .ip = 0xa1 }, { .ip = 0xa2 }, { .ip = 0xa3, .regs = &first }, { .ip = 0xb0 },
	{ .ip = 0xb1 }, { .ip = 0xb2 }, { .ip = 0xb3, .regs = &program }, { .ip = 0x40 },
	{ 0 }, { 0 }
};

/* The same in the handler of a nested interrupt */
static const struct frame in_interrupt[] = {
	{ .ip = 0xa1 }, { .ip = 0xa3, .regs = &second }, { .ip = 0xb0 }, { .ip = 0xb1 },
	{ .ip = 0xb3, .regs = &first }, { .ip = 0xc0 }, { .ip = 0xc1 },
	{ 0 }, { 0 }
};

/* A kernel thread: its first function has no caller. */
static const struct frame in_thread[] = {
	{ .ip = 0xa3, .regs = &first }, { .ip = 0xb0 }, { .ip = 0xb1 },
	{ 0 }, { 0 }
};

static void check(const char *what, struct pt_regs *regs, unsigned int max, const u64 *want,
		  unsigned int nr, bool unwinds)
{
	struct perf_callchain_entry_ctx entry = { .max_stack = max };
	unsigned int i;

	unwound = 0;
	perf_callchain_kernel(&entry, regs);
	tap(entry.nr == nr && !memcmp(entry.ip, want, nr * sizeof(*want)) && unwound == unwinds,
	    "%s: %u addresses of %u, %s", what, entry.nr, nr, unwound ? "unwound" : "not unwound");
	for (i = 0; i < entry.nr; i++)
		printf("#   %#llx\n", entry.ip[i]);
}

#define CHECK(what, regs, max, unwinds, ...)					\
	check(what, regs, max, (const u64[]){ __VA_ARGS__ },			\
	      sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64), unwinds)

int main(void)
{
	struct pt_regs captured, made = { .ip = 0xd0 };
	struct perf_callchain_entry_ctx entry = { .max_stack = 16 };

	first = (struct pt_regs){ .ip = 0xb2, .r12 = 0x7000 };
	second = (struct pt_regs){ .ip = 0xb0, .r12 = 0x6800 };
	program = (struct pt_regs){ .ip = 0x42, .r12 = 0x100, .user = true };

	irq_regs = &first;
	frames = in_call;
	first.ip = 0xb0;
	CHECK("in a system call", &first, 16, true, 0xb0, 0xb1, 0xb2, 0xb3);
	CHECK("no more than perf wants", &first, 3, true, 0xb0, 0xb1, 0xb2);
	captured = first;
	captured.ip = 0xb8;
	CHECK("of an instruction that was captured", &captured, 16, true, 0xb8, 0xb1, 0xb2, 0xb3);
	CHECK("at a tracepoint", &made, 16, false, 0xd0);

	irq_regs = &second;
	frames = in_interrupt;
	CHECK("in a handler", &second, 16, true, 0xb0, 0xb1, 0xb3, 0xc0, 0xc1);

	irq_regs = &first;
	frames = in_thread;
	CHECK("in a thread of the kernel", &first, 16, true, 0xb0, 0xb1);

	irq_regs = NULL;
	CHECK("without an interrupt", &made, 16, false, 0xd0);

	irq_regs = &program;
	captured = program;
	captured.user = false;
	CHECK("of the kernel, told in the program", &captured, 16, false, 0x42);
	program.user = false;
	CHECK("in a light system call, on the program's stack", &program, 16, false, 0x42);

	perf_callchain_user(&entry, &program);
	tap(entry.nr == 1 && entry.ip[0] == 0x42, "of a program: the instruction");
	return tap_done();
}
