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
 * @args is the rest of the line, never NULL; @out the answer. Sets @errp if,
 * and only if, it returns MODEL_STATUS_ERROR.
 */
typedef ModelStatus ModelCommand(void *opaque, const char *args, GString *out,
                                 Error **errp);

/* Call @fn for commands that begin with @word. The first call makes the port */
void model_console_register(const char *word, ModelCommand *fn, void *opaque);

/*
 * As qemu_strtou64() and qemu_strtoui(), for which "-1" is the largest number
 * there is: here it is none.
 */
int model_strtou64(const char *text, const char **end, int base, uint64_t *n);
int model_strtoui(const char *text, const char **end, int base, unsigned *n);

/* A key of a command; @kinds: mask of what has it */
typedef struct ModelKey {
    const char *name;
    uint32_t kinds;
    uint64_t max;           /* of a number */
    uint64_t value;         /* unless given */
    size_t at;              /* for the caller */
    bool text;              /* not a number */
} ModelKey;

typedef struct ModelValue {
    const char *text;       /* NULL: not given */
    uint64_t n;
} ModelValue;

/*
 * Parse "KEY=VALUE,..." with the @n keys, as far as @kinds has them, into as
 * many @values. @what has the keys, in error messages. Returns what the texts
 * are in, or NULL.
 */
char **model_parse_keys(const ModelKey *keys, unsigned n, uint32_t kinds,
                        const char *what, const char *args, ModelValue *values,
                        Error **errp);

/* CPUs by the guest's numbers, which count present CPUs, unlike QEMU's index */
unsigned model_cpu_number(const CPUState *cs);
CPUState *model_cpu_numbered(unsigned number);

#endif
