/*
 * Units of a die, from a file with a row for each kind of unit:
 *
 *   ACCESS TYPE IDS DIES ADDRESS COUNTERS WIDTH CONTROL COUNTER [KEY=VALUE]...
 *
 * and rows for the discovery tables that the units after them are in:
 *
 *   table pci DEVICE [global=ACCESS:ADDRESS]
 *   table msr MSR [global=ACCESS:ADDRESS]
 *   table none
 *
 * Documentation/model-discovery.rst has the columns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/range.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "discovery.h"
#include "model-console.h"

/* event, umask, edge, inv and thresh of Linux's generic units */
#define GENERIC_BITS        0xff84ffffull
/* and en and rst, which units without a table have */
#define E5_BITS             (GENERIC_BITS | BIT(22) | BIT(17))
#define MMIO_SIZE           0x4000  /* what Linux maps of a unit */
#define MMIO_MAX            (256 * MiB)
#define COLUMNS             9
#define PARTS               4       /* of a word: "12.0:0x438+0x8000" */

const char *const disc_access_name[] = { "msr", "mmio", "pci" };

enum { ACCESS, TYPE, IDS, DIES, ADDRESS, COUNTERS, WIDTH, CONTROL, COUNTER };

/*
 * Parse numbers up to @max that are separated by the characters of @form, such
 * as "N-M" or "N". Return how many are there: all, or all but the last.
 */
static unsigned parse(const char *word, const char *what, const char *form,
                      uint64_t max, uint64_t n[PARTS], Error **errp)
{
    const char *text = word, *separator = form;
    unsigned parts = 0;

    while (!model_strtou64(text, &text, 0, &n[parts]) && n[parts] <= max) {
        parts++;
        separator += strcspn(separator, "-.:+");
        if (!*text && (!*separator || !strpbrk(separator + 1, "-.:+"))) {
            return parts;
        }
        if (!*separator || *text++ != *separator++) {
            break;
        }
    }
    error_setg(errp, "%s is %s up to 0x%" PRIx64 ", not '%s'", what, form, max,
               word);
    return 0;
}

static bool parse_address(DiscUnit *u, const char *word, uint64_t *step,
                          Error **errp)
{
    bool pci = u->access == DISC_PCI;
    uint64_t n[PARTS] = { };

    if (parse(word, "address", pci ? "DEVICE.FUNCTION:OFFSET+STEP" : "N+STEP",
              UINT32_MAX, n, errp) &&
        pci && (n[0] >= PCI_SLOT_MAX || n[1] >= PCI_FUNC_MAX || n[2] > 0xfff)) {
        error_setg(errp, "address: PCI has no '%s'", word);
    }
    u->addr = pci ? PCI_DEVFN(n[0], n[1]) << 12 | n[2] : n[0];
    *step = pci ? n[3] : n[1];
    return !*errp;
}

/* Parse an unsigned number; "-" is 0. */
static bool number(const char *word, const char *what, uint64_t max,
                   unsigned *to, Error **errp)
{
    uint64_t n[PARTS] = { };

    if (strcmp(word, "-") && !parse(word, what, "a number", max, n, errp)) {
        return false;
    }
    *to = n[0];
    return true;
}

/* "3" or "0-3" */
static bool parse_range(const char *word, const char *what, uint64_t max,
                        unsigned *first, unsigned *last, Error **errp)
{
    uint64_t n[PARTS];
    unsigned parts = parse(word, what, "N or N-M", max, n, errp);

    if (parts == 2 && n[1] < n[0]) {
        error_setg(errp, "%s: '%s' ends before it begins", what, word);
    }
    if (!*errp) {
        *first = n[0];
        *last = n[parts - 1];
    }
    return !*errp;
}

static bool parse_option(DiscUnit *u, const char *word, Error **errp)
{
    const char *value = word + strcspn(word, "=") + 1;
    uint64_t n[PARTS] = { };

    if (!strcmp(word, "node")) {
        u->node = true;
        return true;
    }
    if (!strcmp(word, "mc")) {
        u->mc = true;
        return true;
    }
    if (!strcmp(word, "e5")) {
        u->e5 = true;
        u->bits = u->bits == GENERIC_BITS ? E5_BITS : u->bits;
        return true;
    }
    if (g_str_has_prefix(word, "name=")) {
        if (!*value || value[strspn(value, G_CSET_A_2_Z G_CSET_a_2_z
                                    G_CSET_DIGITS "_")]) {
            error_setg(errp, "name: letters, digits and _, not '%s'", value);
        }
        u->name = g_strdup(value);
    } else if (g_str_has_prefix(word, "clock=")) {
        number(value, "clock", 1000000, &u->mhz, errp);
    } else if (g_str_has_prefix(word, "bits=")) {
        parse(value, "bits", "a number", UINT64_MAX, n, errp);
        u->bits = n[0];
    } else if (g_str_has_prefix(word, "device=")) {
        number(value, "device", UINT16_MAX, &u->device_id, errp);
    } else if (!strcmp(word, "box=-")) {
        u->box = false;
    } else if (g_str_has_prefix(word, "box=")) {
        number(value, "box", UINT8_MAX, &u->box_ctl_off, errp);
    } else if (g_str_has_prefix(word, "value=")) {
        parse(value, "value", "a number", UINT64_MAX, n, errp);
        u->value = n[0];
    } else if (g_str_has_prefix(word, "filter=")) {
        if (!parse(value, "filter", "OFFSET:N", UINT8_MAX, n, errp)) {
            return false;
        }
        if (n[1] > DISC_MAX_FILTERS) {
            error_setg(errp, "filter: at most %d registers", DISC_MAX_FILTERS);
            return false;
        }
        u->filter_off = n[0];
        u->filters = n[1];
    } else if (g_str_has_prefix(word, "config=")) {
        if (parse(value, "config", "OFFSET:VALUE", UINT32_MAX, n, errp)) {
            if (n[0] > 0xffc || n[0] & 3 || u->configs == DISC_MAX_CONFIG) {
                error_setg(errp, "config: at most %d aligned offsets below "
                           "0x1000", DISC_MAX_CONFIG);
            } else {
                u->config[u->configs].offset = n[0];
                u->config[u->configs++].value = n[1];
            }
        }
    } else if (g_str_has_prefix(word, "step=")) {
        number(value, "step", 8, &u->step, errp);
    } else if (g_str_has_prefix(word, "fixed=")) {
        if (parse(value, "fixed", "CONTROL:COUNTER", UINT8_MAX, n, errp) &&
            !n[1]) {
            error_setg(errp, "fixed: no counter in '%s'", word);
        }
        u->fixed_ctl = n[0];
        u->fixed_ctr = n[1];
    } else {
        error_setg(errp, "no option '%s'", word);
    }
    return !*errp;
}

static bool check_unit(const Discovery *d, const DiscUnit *u, Error **errp)
{
    static const uint64_t end[] = {
        [DISC_MSR] = 1ull << 32, [DISC_MMIO] = MMIO_MAX - MMIO_SIZE,
        [DISC_PCI] = PCI_DEVFN_MAX << 12,
    };
    unsigned extent = disc_unit_extent(u);

    if (u->addr + extent > end[u->access]) {
        error_setg(errp, "%s is behind the last address", u->name);
    } else if (u->access != DISC_MSR && u->addr % 4) {
        error_setg(errp, "%s: its address is no multiple of 4", u->name);
    } else if (u->access != DISC_PCI && !extent) {
        error_setg(errp, "%s has no register", u->name);
    } else if (u->access == DISC_PCI && (u->addr & 0xfff) + extent > 0x1000) {
        error_setg(errp, "%s ends behind the configuration space", u->name);
    } else if (u->access == DISC_PCI && extent && (u->addr & 0xfff) < 0x80) {
        error_setg(errp, "%s begins below 0x80, where the function has its "
                   "header and capability", u->name);
    } else if (u->access == DISC_MSR ? u->step != 1
                                     : u->step != 4 && u->step != 8) {
        error_setg(errp, "step is 4 or 8, and MSRs have none");
    } else if ((u->counters || u->fixed_ctr) && !u->width) {
        error_setg(errp, "%s: the counters have no width", u->name);
    } else if (disc_unit_overlaps(u)) {
        error_setg(errp, "%s: two of its registers overlap", u->name);
    } else if (d->units == DISC_MAX_UNITS) {
        error_setg(errp, "a die has at most %d units", DISC_MAX_UNITS);
    }
    for (unsigned i = 0; !*errp && i < d->units; i++) {
        const DiscUnit *o = &d->unit[i];

        if (!strcmp(o->name, u->name) && extent) {
            error_setg(errp, "%s is there twice", u->name);
        } else if (o->access == u->access && disc_units_overlap(o, u)) {
            error_setg(errp, "%s and %s have a register in common", o->name,
                       u->name);
        }
    }
    return !*errp;
}

static bool add_unit(Discovery *d, DiscUnit u, Error **errp)
{
    u.name = u.name ? g_strdup_printf("%s_%u", u.name, u.id) :
             g_strdup_printf("type_%u_%u", u.type, u.id);
    if (!check_unit(d, &u, errp)) {
        return false;
    }
    if (u.access == DISC_MMIO) {
        d->mmio_size = MAX(d->mmio_size, pow2ceil(u.addr + MMIO_SIZE));
    }
    if (u.listed) {
        d->table[u.table].listed++;
    }
    d->unit = g_renew(DiscUnit, d->unit, d->units + 1);
    d->unit[d->units++] = u;
    return true;
}

/* "mmio:0x1000" */
static bool parse_global(DiscTable *t, const char *word, Error **errp)
{
    g_auto(GStrv) w = g_strsplit(word, ":", 2);
    unsigned addr;

    t->access = g_strcmp0(w[0], "msr") ? DISC_MMIO : DISC_MSR;
    if (!w[0] || !w[1] || (t->access && strcmp(w[0], "mmio"))) {
        error_setg(errp, "global is msr:N or mmio:OFFSET, not '%s'", word);
        return false;
    }
    t->has_global = true;
    if (!number(w[1], "global", t->access ? MMIO_MAX - MMIO_SIZE : UINT32_MAX,
                &addr, errp)) {
        return false;
    }
    t->global = addr;
    return true;
}

/* "table none", "table pci|msr WHERE [global=...]" */
static bool parse_table(Discovery *d, char **w, Error **errp)
{
    DiscTable t = { .die = d };
    unsigned n = g_strv_length(w);

    d->implicit = false;
    if (n == 2 && !strcmp(w[1], "none")) {
        if (d->tables) {
            error_setg(errp, "'table none' stands before any unit and table");
        }
        return !d->tables;
    }
    if (n < 3 || n > 4 || (strcmp(w[1], "pci") && strcmp(w[1], "msr"))) {
        error_setg(errp, "a table is 'table none', or 'table pci DEVICE' or "
                   "'table msr MSR' with global=ACCESS:ADDRESS");
        return false;
    }
    t.by_msr = !strcmp(w[1], "msr");
    if (!number(w[2], t.by_msr ? "MSR" : "device",
                t.by_msr ? UINT32_MAX : UINT16_MAX, &t.where, errp)) {
        return false;
    }
    if (w[3] && !g_str_has_prefix(w[3], "global=")) {
        error_setg(errp, "no option '%s'", w[3]);
        return false;
    }
    if (w[3] && !parse_global(&t, w[3] + strlen("global="), errp)) {
        return false;
    }
    if (d->tables == DISC_MAX_TABLES || (!t.by_msr && d->tables)) {
        error_setg(errp, "at most %d tables, of which the first one alone is "
                   "a PCI device's", DISC_MAX_TABLES);
        return false;
    }
    if (t.has_global && t.access == DISC_MMIO) {
        d->mmio_size = MAX(d->mmio_size, pow2ceil(t.global + MMIO_SIZE));
    }
    d->table[d->tables++] = t;
    return true;
}

static bool parse_row(Discovery *d, char **w, Error **errp)
{
    DiscUnit u = { .die = d, .bits = GENERIC_BITS };
    unsigned first, last, from = 0, to = DISC_MAX_DIES - 1;
    uint64_t step;

    if (!strcmp(w[0], "table")) {
        return parse_table(d, w, errp);
    }
    if (g_strv_length(w) < COLUMNS) {
        error_setg(errp, "a row has %d columns", COLUMNS);
        return false;
    }
    while (u.access <= DISC_PCI &&
           strcmp(w[ACCESS], disc_access_name[u.access])) {
        u.access++;
    }
    if (u.access > DISC_PCI) {
        error_setg(errp, "access is msr, mmio or pci, not '%s'", w[ACCESS]);
        return false;
    }
    u.listed = strcmp(w[TYPE], "-");
    u.controls = u.box = strcmp(w[CONTROL], "-");
    u.step = u.access == DISC_MSR ? 1 : u.access == DISC_PCI ? 8 : 4;
    if (u.listed && w[TYPE][strspn(w[TYPE], "0123456789")]) {
        error_setg(errp, "type is decimal, as in the name of a PMU, not '%s'",
                   w[TYPE]);
        return false;
    }
    if (!number(w[TYPE], "type", UINT16_MAX, &u.type, errp) ||
        !parse_range(w[IDS], "ids", UINT16_MAX, &first, &last, errp) ||
        (strcmp(w[DIES], "*") &&
         !parse_range(w[DIES], "dies", DISC_MAX_DIES - 1, &from, &to, errp)) ||
        !parse_address(&u, w[ADDRESS], &step, errp) ||
        !number(w[COUNTERS], "counters", DISC_MAX_CTRS, &u.counters, errp) ||
        !number(w[WIDTH], "width", 64, &u.width, errp) ||
        !number(w[CONTROL], "control", UINT8_MAX, &u.ctl, errp) ||
        !number(w[COUNTER], "counter", UINT8_MAX, &u.ctr, errp)) {
        return false;
    }
    if (u.listed && !d->tables) {
        if (!d->implicit) {
            error_setg(errp, "a unit with a type is in a table");
            return false;
        }
        d->table[d->tables++] = (DiscTable) {
            .die = d, .where = DISC_DEVICE_TABLE,
        };
    }
    u.table = d->tables - 1;
    u.controls |= u.listed;
    u.box |= u.listed;
    for (char **o = w + COLUMNS; *o; o++) {
        if (!parse_option(&u, *o, errp)) {
            return false;
        }
    }
    for (u.id = first; u.id <= last; u.id++, u.addr += step) {
        if (d->number >= from && d->number <= to && !add_unit(d, u, errp)) {
            return false;
        }
    }
    return true;
}

bool disc_table_read(Discovery *d, Error **errp)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    g_autoptr(GError) gerr = NULL;
    size_t size;

    if (!d->units_file ||
        !g_file_get_contents(d->units_file, &text, &size, &gerr)) {
        error_setg(errp, "units: %s", gerr ? gerr->message : "no file given");
        return false;
    }
    if (strlen(text) != size) {
        error_setg(errp, "%s is no text", d->units_file);
        return false;
    }
    d->implicit = true;
    lines = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        g_autoptr(GPtrArray) words = g_ptr_array_new();
        Error *err = NULL;
        char *rest = lines[i], *word;

        rest[strcspn(rest, "#\r")] = 0;
        while ((word = strsep(&rest, " \t"))) {
            if (*word) {
                g_ptr_array_add(words, word);
            }
        }
        g_ptr_array_add(words, NULL);
        if (words->len > 1 && !parse_row(d, (char **)words->pdata, &err)) {
            error_propagate_prepend(errp, err, "%s:%u: ", d->units_file,
                                    i + 1);
            return false;
        }
    }
    if (!d->units && !d->number) {
        error_setg(errp, "%s has no unit of the first die", d->units_file);
        return false;
    }
    return true;
}
