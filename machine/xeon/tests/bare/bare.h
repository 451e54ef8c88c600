/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that runs on the machine with no operating system under it:
 * registers, the model's port, and TAP on the serial line.
 */

#ifndef TEST_BARE_H
#define TEST_BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/xeon/console/model-port.h"

/* Registers. A faulting access sets *fault, if given, and reads 0. */
uint64_t msr_read_on(unsigned int cpu, uint32_t msr, bool *fault);
void msr_write_on(unsigned int cpu, uint32_t msr, uint64_t value, bool *fault);
#define msr_read(msr, fault)		msr_read_on(0, msr, fault)
#define msr_write(msr, value, fault)	msr_write_on(0, msr, value, fault)
/* On the second vCPU, in the second socket */
#define ap_msr_read(msr, fault)		msr_read_on(1, msr, fault)
#define ap_msr_write(msr, value, fault)	msr_write_on(1, msr, value, fault)
bool ap_start(void);

uint32_t pci_read(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg);
void pci_write(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg,
	       uint32_t value);
uint32_t mmio_read(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg);
void pci_write8(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg,
		uint8_t value);

/* Send a command to the model; its answer is in cmd_answer. */
int cmd(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
extern char cmd_answer[65536];
/* Whether the answer contains this */
bool answered(const char *what);

/* Print the result of a test with its name. */
void ok(bool passed, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Print a comment line of TAP. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool same(const char *a, const char *b);
void spin(unsigned int rounds);

/* The test program. @args: the arguments on the command line */
void test_main(const char *args);

#endif
