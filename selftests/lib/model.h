/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests ask of the hardware model; uncore-stim does the same by hand */
#ifndef LIB_MODEL_H
#define LIB_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/**
 * model_init - get at the model's port
 *
 * Ends the program if this machine has no model or we are not root. Children
 * inherit the right to use the port.
 */
void model_init(void);

/**
 * model - give the model a command
 * @fmt: the line, as "stim 0 cbox_0 event=0x34"; see Documentation/model.rst
 *
 * Return: its answer, valid until the next command. A command that the model
 * does not understand is a mistake in the test, and ends it.
 */
__attribute__((format(printf, 1, 2)))
const char *model(const char *fmt, ...);

/**
 * model_try - the same, but a command may be refused
 * @answer: where to put the model's answer or its complaint, or NULL
 * @fmt: the line
 *
 * Return: 0, or 1 if the answer is bad news, or 2 if the model refused.
 */
__attribute__((format(printf, 2, 3)))
int model_try(const char **answer, const char *fmt, ...);

/**
 * model_reg - a register of a box, without counting as an access
 * @socket: the socket
 * @box: the box, as "cbox_0"
 * @name: end of the register's name in the guide, as "CTL0"
 */
uint64_t model_reg(unsigned int socket, const char *box, const char *name);

struct accesses {
	uint64_t reads, writes;
	uint64_t ports;		/* of both, through I/O ports */
	uint64_t mapped;	/* of both, memory-mapped */
};

/* Register accesses so far, of all boxes */
struct accesses model_accesses(void);

/**
 * model_judge - whether the protocol checker reports nothing
 *
 * Prints what it has as TAP diagnostics, and forgets it.
 */
bool model_judge(void);

#endif
