/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU's definitions that the checker needs, for host-side unit tests: the checker
 * is logic over registers, and has no machine around it there.
 */
#ifndef SHIM_QEMU_OSDEP_H
#define SHIM_QEMU_OSDEP_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <glib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BIT
#define BIT(n)                  (1UL << (n))
#define BIT_ULL(n)              (1ULL << (n))
#endif

/* As QEMU has them: each argument is evaluated once. */
#undef MIN
#undef MAX
#define MIN(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ < b_ ? a_ : b_; })
#define MAX(a, b) ({ __auto_type a_ = (a); __auto_type b_ = (b); a_ > b_ ? a_ : b_; })

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif

/* Types of exec/, hw/, qemu/thread.h and qom/: members of structures that the checker ignores */
typedef unsigned int MemOpIdx;
typedef struct CPUArchState CPUArchState;
typedef struct CPUState CPUState;
typedef struct { int none; } MemoryRegion, QemuMutex;
typedef struct {
	struct PCIBus *bus;
	unsigned int devfn;
	uint8_t config[4096];
} DeviceState, PCIDevice;
#define OBJECT_DECLARE_SIMPLE_TYPE(type, name)  typedef struct type type;

/* qapi/error.h */
typedef struct Error {
	char *text;
} Error;

__attribute__((format(printf, 2, 3)))
void error_setg(struct Error **errp, const char *fmt, ...);
__attribute__((format(printf, 3, 4)))
void error_propagate_prepend(struct Error **errp, struct Error *err, const char *fmt, ...);
#define ERRP_GUARD()

/* qemu/cutils.h: 0, or what is wrong with the number; without @end it is all of the text */
int qemu_strtou64(const char *text, const char **end, int base, uint64_t *v);
int qemu_strtoui(const char *text, const char **end, int base, unsigned int *v);

/* qemu/timer.h */
enum { QEMU_CLOCK_VIRTUAL };
int64_t qemu_clock_get_ns(int clock);

#endif
