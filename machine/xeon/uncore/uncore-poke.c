/*
 * Injection of concurrent register accesses by firmware, another driver or
 * tools. They are neither checked nor counted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "uncore.h"
#include "model-console.h"

/* Target of a command: registers of a box, MSRs or offsets of a function */
typedef struct Target {
    UncoreSocket *socket;
    UncoreBox *box;          /* NULL: MSRs by number */
    bool by_offset;
    bool filter_fn;
} Target;

/* One register of a target, and its value */
typedef struct PokeItem {
    UncoreBox *box;
    UncoreReg reg;
    bool dword;             /* half of a counter in config space */
    uint64_t value;
} PokeItem;

/* As lspci writes it: the device is hexadecimal. */
static bool find_function(Target *t, const char *word, Error **errp)
{
    unsigned dev, fn;
    const char *end;

    if (model_strtoui(word, &end, 16, &dev) || *end++ != '.' ||
        model_strtoui(end, NULL, 10, &fn)) {
        return false;
    }
    t->box = dev < 32 && fn < 8 ?
        uncore_box_at(t->socket, UNCORE_DEVFN(dev, fn), &t->filter_fn) : NULL;
    t->by_offset = true;
    if (!t->box) {
        error_setg(errp, "function %s has no PMON registers; the device's "
                   "number is hexadecimal", word);
    }
    return true;
}

/* "SOCKET BOX rest", "SOCKET msr rest" or "SOCKET DEV.FN rest" */
static bool parse_target(UncoreModel *u, const char **args, Target *t,
                         Error **errp)
{
    const char *rest = *args;
    g_autofree char *word = NULL;
    size_t len;

    t->socket = uncore_parse_socket(u, &rest, errp);
    if (!t->socket) {
        return false;
    }
    len = strcspn(rest, " ");
    word = g_strndup(rest, len);
    if (!strcmp(word, "msr") || find_function(t, word, errp)) {
        *args = rest + len + (rest[len] == ' ');
        return t->box || !t->by_offset;
    }
    t->box = uncore_parse_box(u, args, errp);
    return t->box;
}

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), e = strlen(end);

    return e && e <= n && !g_ascii_strcasecmp(name + n - e, end) &&
           (e == n || name[n - e - 1] == '_');
}

/* Find a register by its name in the guide, or a suffix; ignores case. */
static bool find_named(UncoreBox *box, const char *name, PokeItem *item,
                       Error **errp)
{
    UncoreReg regs[UNCORE_MAX_REGS];
    unsigned n = uncore_box_regs(box, regs), found = 0;

    for (unsigned i = 0; i < n; i++) {
        g_autofree char *full = uncore_reg_name(box, regs[i]);

        if (ends_with(full, name)) {
            *item = (PokeItem) { .box = box, .reg = regs[i] };
            found++;
        }
    }
    if (found != 1) {
        error_setg(errp, found ? "%s: '%s' may be several registers" :
                   "%s has no register '%s'", box->name, name);
    }
    return found == 1;
}

static bool find_item(const Target *t, const char *name, PokeItem *item,
                      Error **errp)
{
    unsigned addr;

    if (t->box && !t->by_offset) {
        return find_named(t->box, name, item, errp);
    }
    if (model_strtoui(name, NULL, 0, &addr)) {
        error_setg(errp, "'%s' is no address", name);
        return false;
    }
    *item = (PokeItem) { .box = t->box, .dword = t->by_offset };
    if (t->by_offset ? uncore_find_pci(t->box, t->filter_fn, addr, &item->reg)
                     : uncore_find_msr(t->socket, addr, &item->box,
                                       &item->reg) && item->box->present) {
        return true;
    }
    error_setg(errp, "no register at 0x%x", addr);
    return false;
}

/* REG=VALUE */
static bool parse_write(const Target *t, const char *text, PokeItem *item,
                        Error **errp)
{
    const char *eq = strchr(text, '=');
    g_autofree char *name = g_strndup(text, eq ? eq - text : strlen(text));
    uint64_t value, max;

    if (!find_item(t, name, item, errp)) {
        return false;
    }
    if (!eq || model_strtou64(eq + 1, NULL, 0, &value)) {
        error_setg(errp, "%s: no value", text);
        return false;
    }
    max = item->box->type->msr ||
          (!item->dword && item->reg.kind == UNCORE_R_CTR) ?
          UINT64_MAX : UINT32_MAX;
    if (value > max) {
        error_setg(errp, "%s: the register has 32 bits", text);
        return false;
    }
    if (uncore_write_faults(item->box, item->reg, value)) {
        error_setg(errp, "%s: this write faults", text);
        return false;
    }
    item->value = value;
    return true;
}

static void write_item(const PokeItem *i)
{
    uint64_t value = i->value;

    if (i->dword && i->reg.kind == UNCORE_R_CTR) {
        value = deposit64(uncore_reg_peek(i->box, i->reg),
                          i->reg.high ? 32 : 0, 32, value);
    }
    uncore_reg_poke(i->box, i->reg, value);
}

/* Registers of a command, each with a value if they are to be written */
static GArray *parse_items(UncoreModel *u, const char *args, bool write,
                           Error **errp)
{
    g_autoptr(GArray) items = g_array_new(false, false, sizeof(PokeItem));
    g_auto(GStrv) words = NULL;
    Target t = { 0 };

    if (!parse_target(u, &args, &t, errp)) {
        return NULL;
    }
    words = g_strsplit(args, ",", -1);
    if (!*words) {
        error_setg(errp, write ? "REG=VALUE is missing" :
                   "which register is missing");
        return NULL;
    }
    for (char **w = words; *w; w++) {
        PokeItem item;

        if (!(write ? parse_write : find_item)(&t, *w, &item, errp)) {
            return NULL;
        }
        g_array_append_val(items, item);
    }
    return g_steal_pointer(&items);
}

/* poke SOCKET BOX|msr|DEV.FN REG=VALUE,...: all of it or nothing */
static ModelStatus poke_command(void *opaque, const char *args, GString *out,
                                Error **errp)
{
    g_autoptr(GArray) items = parse_items(opaque, args, true, errp);

    if (!items) {
        return MODEL_STATUS_ERROR;
    }
    for (unsigned i = 0; i < items->len; i++) {
        write_item(&g_array_index(items, PokeItem, i));
    }
    return MODEL_STATUS_OK;
}

void uncore_print_reg(UncoreBox *box, UncoreReg reg, GString *out)
{
    g_autofree char *name = uncore_reg_name(box, reg);

    g_string_append_printf(out, "%s=0x%0*" PRIx64 "\n", name,
                           reg.kind == UNCORE_R_CTR ? 12 : 8,
                           uncore_reg_peek(box, reg));
}

/* peek SOCKET BOX|msr|DEV.FN REG,...: counters are printed as a whole */
static ModelStatus peek_command(void *opaque, const char *args, GString *out,
                                Error **errp)
{
    g_autoptr(GArray) items = parse_items(opaque, args, false, errp);

    if (!items) {
        return MODEL_STATUS_ERROR;
    }
    for (unsigned i = 0; i < items->len; i++) {
        const PokeItem *item = &g_array_index(items, PokeItem, i);

        uncore_print_reg(item->box, item->reg, out);
    }
    return MODEL_STATUS_OK;
}

/* reset-all [SOCKET]: reset all registers, as suspend to RAM does */
static ModelStatus reset_command(void *opaque, const char *args, GString *out,
                                 Error **errp)
{
    UncoreModel *u = opaque;
    UncoreSocket *only = NULL;

    if (*args) {
        only = uncore_parse_socket(u, &args, errp);
        if (only && *args) {
            error_setg(errp, "reset-all takes a socket and nothing else");
        }
        if (!only || *args) {
            return MODEL_STATUS_ERROR;
        }
    }
    for (unsigned s = 0; s < u->sockets; s++) {
        if (!only || only == &u->socket[s]) {
            uncore_socket_reset(&u->socket[s]);
        }
    }
    return MODEL_STATUS_OK;
}

void uncore_poke_init(UncoreModel *u)
{
    model_console_register("poke", poke_command, u);
    model_console_register("peek", peek_command, u);
    model_console_register("reset-all", reset_command, u);
}
