/*
 * A port through which the guest sends commands to the models, one line each,
 * and reads an answer of text.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "exec/memory.h"
#include "exec/address-spaces.h"
#include "block/aio.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/notify.h"
#include "sysemu/runstate.h"
#include "model-console.h"

#define MAX_LINE 4096

typedef struct Command {
    ModelCommand *fn;
    void *opaque;
} Command;

static struct {
    MemoryRegion io;
    GHashTable *commands;
    GString *line;
    GString *answer;
    size_t pos;
    uint32_t status;
} console;

static void run(void)
{
    g_autofree char *line = g_strdup(console.line->str);
    g_autofree char *word = NULL;
    const char *args;
    Command *cmd;
    Error *err = NULL;

    g_strstrip(line);
    args = line + strcspn(line, " \t");
    word = g_strndup(line, args - line);
    args += strspn(args, " \t");
    cmd = g_hash_table_lookup(console.commands, word);
    console.status = MODEL_STATUS_ERROR;
    if (console.line->len >= MAX_LINE) {
        error_setg(&err, "a command has at most %d characters", MAX_LINE - 1);
    } else if (!cmd) {
        error_setg(&err, "no command '%s' in this machine", word);
    } else {
        console.status = cmd->fn(cmd->opaque, args, console.answer, &err);
    }
    assert(!err == (console.status != MODEL_STATUS_ERROR));

    if (err) {
        g_string_printf(console.answer, "%s\n", error_get_pretty(err));
        error_free(err);
    }
}

static void put(uint8_t c)
{
    if (console.answer->len) {
        g_string_truncate(console.answer, 0);
        console.pos = 0;
    }
    if (c == '\n') {
        run();
        g_string_truncate(console.line, 0);
    } else if (console.line->len < MAX_LINE) {
        g_string_append_c(console.line, c);
    }
}

static uint8_t get(void)
{
    return console.pos < console.answer->len ?
           console.answer->str[console.pos++] : 0;
}

static uint64_t console_read(void *opaque, hwaddr addr, unsigned size)
{
    uint64_t v = 0;

    switch (addr) {
    case MODEL_PORT_DATA:
        for (unsigned i = 0; i < size; i++) {
            v |= (uint64_t)get() << 8 * i;
        }
        return v;
    case MODEL_PORT_STATUS:
        return console.status;
    case MODEL_PORT_LEFT:
        return console.answer->len - console.pos;
    case MODEL_PORT_MAGIC:
        return MODEL_MAGIC;
    }
    return 0;
}

static void console_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    switch (addr) {
    case MODEL_PORT_DATA:
        for (unsigned i = 0; i < size; i++) {
            put(v >> 8 * i);
        }
        break;
    case MODEL_PORT_STATUS:
        g_string_truncate(console.line, 0);
        g_string_truncate(console.answer, 0);
        console.pos = 0;
        console.status = MODEL_STATUS_OK;
        break;
    }
}

static const MemoryRegionOps console_ops = {
    .read = console_read,
    .write = console_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void wake_up(void *opaque)
{
    qemu_system_wakeup_request(QEMU_WAKEUP_REASON_OTHER, &error_abort);
}

/* Wake up in a bottom half, after all suspend notifiers have returned. */
static void suspended(Notifier *notifier, void *data)
{
    notifier_remove(notifier);
    notifier->notify = NULL;
    aio_bh_schedule_oneshot(qemu_get_aio_context(), wake_up, NULL);
}

/* wake: wake up immediately after the next suspend */
static ModelStatus wake_command(void *opaque, const char *args, GString *out,
                                Error **errp)
{
    static Notifier notifier;

    if (!notifier.notify) {
        notifier.notify = suspended;
        qemu_register_suspend_notifier(&notifier);
    }
    return MODEL_STATUS_OK;
}

void model_console_register(const char *word, ModelCommand *fn, void *opaque)
{
    Command *cmd = g_new(Command, 1);

    if (!console.commands) {
        console.commands = g_hash_table_new(g_str_hash, g_str_equal);
        console.line = g_string_new(NULL);
        console.answer = g_string_new(NULL);
        memory_region_init_io(&console.io, NULL, &console_ops, NULL,
                              "model-console", MODEL_PORT_SIZE);
        memory_region_add_subregion(get_system_io(), MODEL_PORT_BASE,
                                    &console.io);
        model_console_register("wake", wake_command, NULL);
    }
    *cmd = (Command) { fn, opaque };
    if (!g_hash_table_insert(console.commands, g_strdup(word), cmd)) {
        error_report("two devices of the machine have the command '%s'", word);
        exit(1);
    }
}

unsigned model_cpu_number(const CPUState *cs)
{
    unsigned n = 0;
    CPUState *other;

    CPU_FOREACH(other) {
        n += other->cpu_index < cs->cpu_index;
    }
    return n;
}

CPUState *model_cpu_numbered(unsigned number)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        if (model_cpu_number(cs) == number) {
            return cs;
        }
    }
    return NULL;
}
