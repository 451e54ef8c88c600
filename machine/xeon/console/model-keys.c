/*
 * The keys of a command: "KEY=VALUE,..."
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "model-console.h"

int model_strtou64(const char *text, const char **end, int base, uint64_t *n)
{
    if (!g_ascii_isdigit(*text)) {
        return -EINVAL;
    }
    return qemu_strtou64(text, end, base, n);
}

int model_strtoui(const char *text, const char **end, int base, unsigned *n)
{
    uint64_t wide = 0;
    int ret = model_strtou64(text, end, base, &wide);

    *n = wide;
    return ret ?: wide > UINT_MAX ? -ERANGE : 0;
}

char **model_parse_keys(const ModelKey *keys, unsigned n, uint32_t kinds,
                        const char *what, const char *args, ModelValue *values,
                        Error **errp)
{
    g_auto(GStrv) items = g_strsplit(args, ",", -1);

    for (unsigned k = 0; k < n; k++) {
        values[k] = (ModelValue) { .n = keys[k].value };
    }
    for (char **i = items; *i; i++) {
        const char *eq = strchr(*i, '=');
        int len = eq ? eq - *i : strlen(*i);
        const ModelKey *key = keys;
        ModelValue *v;

        if (!**i) {
            continue;
        }
        while (key < keys + n && (!(key->kinds & kinds) ||
                                  strlen(key->name) != len ||
                                  strncmp(key->name, *i, len))) {
            key++;
        }
        v = &values[key - keys];
        if (key == keys + n) {
            error_setg(errp, "%s knows no '%.*s'", what, len, *i);
        } else if (v->text) {
            error_setg(errp, "%s: given twice", *i);
        } else if (!eq ||
                   (!key->text && model_strtou64(eq + 1, NULL, 0, &v->n))) {
            error_setg(errp, "%s: no value of %s", *i, key->name);
        } else if (!key->text && v->n > key->max) {
            error_setg(errp, "%s: at most 0x%" PRIx64, *i, key->max);
        } else {
            v->text = eq + 1;
            continue;
        }
        return NULL;
    }
    return g_steal_pointer(&items);
}
