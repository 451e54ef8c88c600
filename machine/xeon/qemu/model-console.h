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

/*
 * @args is the rest of the line, never NULL; @out the answer. Returns true if
 * the answer has findings of a protocol checker.
 */
typedef bool ModelCommand(void *opaque, const char *args, GString *out,
                          Error **errp);

/* Call @fn for commands that begin with @word. The first call makes the port */
void model_console_register(const char *word, ModelCommand *fn, void *opaque);

/* CPUs by the guest's numbers, which count present CPUs, unlike QEMU's index */
unsigned model_cpu_number(const CPUState *cs);
CPUState *model_cpu_numbered(unsigned number);

#endif
