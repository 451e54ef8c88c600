/*
 * A port through which the guest sends commands to the models, one line each,
 * and reads an answer of text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_CONSOLE_H
#define HW_I386_MODEL_CONSOLE_H

#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "model-port.h"

/**
 * A command of the console.
 *
 * @args: the line after the command's word, never NULL
 * @out: where the answer goes
 * @errp: why the command cannot be done
 *
 * Returns true when the answer is bad news (a judge's finding).
 */
typedef bool ModelCommand(void *opaque, const char *args, GString *out,
                          Error **errp);

/**
 * model_console_register: commands whose first word is @word go to @fn.
 *
 * The first call makes the port.
 */
void model_console_register(const char *word, ModelCommand *fn, void *opaque);

/*
 * CPUs as the guest numbers them: those that are there, in order. QEMU's index
 * also counts those that are not.
 */
unsigned model_cpu_number(const CPUState *cs);
CPUState *model_cpu_numbered(unsigned number);

#endif
