/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws and a guest's commands, for the tests in this directory */
#ifndef REFERENCE_BENCH_H
#define REFERENCE_BENCH_H

#include "qemu/osdep.h"
#include "qemu.h"
#include "machine/xeon/console/model-console.h"

/* Seed the draws: argument 1, or 1. Prints it. */
void bench_begin(int argc, char **argv);
uint64_t draw(void);
/* Below @n */
uint64_t draw_below(uint64_t n);
/* A number of up to @bits bits: 0, a power of two or beside one, all ones, or any */
uint64_t draw_bits(unsigned int bits);
#define draw_of(array)	((array)[draw_below(ARRAY_SIZE(array))])
/* True once in @n times */
#define one_in(n)	(!draw_below(n))

/* A command of the guest. Its answer, or error, is in said. */
ModelStatus say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
extern char said[65536];

/* Whether a drawn case differs from the reference: prints the first few of a test. */
#define differs(fmt, ...)							\
	do {									\
		if (bench_wrong++ < 5)						\
			printf("# %s:%d: " fmt "\n", __func__, __LINE__, __VA_ARGS__); \
	} while (0)
extern unsigned int bench_cases, bench_wrong;
/* A test of all cases since the last one */
void bench_test(const char *what);
/* The exit status */
int bench_done(void);

void bench_free(Error *err);

/* The last type of a device that shim_types() has registered, and the classes of all */
extern const TypeInfo *bench_type;
extern DeviceClass bench_class[2];

/* Add a processor. */
X86CPU *bench_cpu(unsigned int socket, unsigned int die, unsigned int core);

#endif
