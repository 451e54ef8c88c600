/* SPDX-License-Identifier: GPL-2.0-only */
/* Processor-specific part of the test program: start.S and ia64.c */
#ifndef BOOT_PORT_H
#define BOOT_PORT_H

/* sys() - a system call; an error is returned as a negative number, as inside the kernel */
#define sys(...)	SYS6(__VA_ARGS__, 0, 0, 0, 0, 0, 0)
#define SYS6(nr, a, b, c, d, e, f, ...)					\
	sys6(nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
long sys6(long nr, long a, long b, long c, long d, long e, long f);

/*
 * work() - rounds of one load, one addition and one branch back to the first
 * @rounds: how many, at least one
 * @from: what to load first
 * @step: bytes from there to the next
 *
 * The loop is the code from work_start on.
 */
void work(unsigned long rounds, const void *from, long step);
extern const char work_start[];

#define WORK_BYTES	16
#define WORK_INSNS	3

/* Whether this is where an interrupt finds the program at work */
int in_work(unsigned long ip);

/* kernel_work() - enter the kernel, which does something there */
void kernel_work(unsigned int times);

/* Whether kernel_work() can be sampled, that is, interrupts are on in it */
extern const int samples_of_kernel;

extern unsigned long page_size;

/*
 * boot_tests() - all tests, printed as TAP
 * @module: path of the module, which is not loaded yet
 *
 * Return: 0 if all passed, 1 if not.
 */
int boot_tests(const char *module);

#ifdef __ia64__
/* Called by start.S with the kernel's initial stack; does not return. */
void boot_main(long *stack);
#endif

#endif /* BOOT_PORT_H */
