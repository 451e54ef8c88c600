/*
 * Units of a die, from a file with a row for each kind of unit:
 *
 *   ACCESS TYPE IDS DIES ADDRESS COUNTERS WIDTH CONTROL COUNTER [KEY=VALUE]...
 *
 * Documentation/model-discovery.rst has the columns.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/range.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "discovery.h"

/* event, umask, edge, inv and thresh of Linux's generic units */
#define GENERIC_BITS        0xff84ffffull
#define MMIO_SIZE           0x4000  /* what Linux maps of a unit */
#define MMIO_MAX            (256 * MiB)
#define COLUMNS             9

enum { ACCESS, TYPE, IDS, DIES, ADDRESS, COUNTERS, WIDTH, CONTROL, COUNTER };

static const struct {
    const char *name;
    uint64_t max;
} columns[COLUMNS] = {
    { "access" }, { "type", UINT16_MAX }, { "ids", UINT16_MAX },
    { "dies", DISC_MAX_DIES - 1 }, { "address", UINT32_MAX },
    { "counters", DISC_MAX_CTRS }, { "width", 64 },
    { "control", UINT8_MAX }, { "counter", UINT8_MAX },
};

/* Parse a number, and move @text behind it. */
static bool number(const char **text, const char *what, uint64_t max,
                   uint64_t *n, Error **errp)
{
    const char *end;

    if (qemu_strtou64(*text, &end, 0, n) || *n > max) {
        error_setg(errp, "%s is a number up to 0x%" PRIx64 ", not '%s'", what,
                   max, *text);
        return false;
    }
    *text = end;
    return true;
}

static bool whole(const char *text, const char *what, uint64_t max,
                  uint64_t *n, Error **errp)
{
    const char *word = text;

    if (number(&text, what, max, n, errp) && *text) {
        error_setg(errp, "%s is a number, not '%s'", what, word);
    }
    return !*errp;
}

static bool column(char **w, unsigned c, unsigned *value, Error **errp)
{
    uint64_t n = 0;

    if (strcmp(w[c], "-") &&
        !whole(w[c], columns[c].name, columns[c].max, &n, errp)) {
        return false;
    }
    *value = n;
    return true;
}

/* "3" or "0-3" */
static bool parse_range(const char *text, unsigned c, uint64_t *first,
                        uint64_t *last, Error **errp)
{
    const char *word = text;

    if (!number(&text, columns[c].name, columns[c].max, first, errp)) {
        return false;
    }
    *last = *first;
    if (*text == '-') {
        text++;
        if (!number(&text, columns[c].name, columns[c].max, last, errp)) {
            return false;
        }
    }
    if (*text || *last < *first) {
        error_setg(errp, "%s is N or N-M, not '%s'", columns[c].name, word);
    }
    return !*errp;
}

/* "0x2000+0x10"; of a PCI unit "12.0:0x438+0x8000" */
static bool parse_address(DiscUnit *u, const char *text, uint64_t *step,
                          Error **errp)
{
    const char *word = text;
    uint64_t dev = 0, fn = 0;

    *step = 0;
    if (u->access == DISC_PCI &&
        (!number(&text, "a device", PCI_SLOT_MAX - 1, &dev, errp) ||
         *text++ != '.' || !number(&text, "a function", 7, &fn, errp) ||
         *text++ != ':')) {
        error_free(*errp);
        *errp = NULL;
        error_setg(errp, "address is DEVICE.FUNCTION:OFFSET, not '%s'", word);
        return false;
    }
    if (!number(&text, "address", u->access == DISC_PCI ? 0xfff :
                u->access == DISC_MMIO ? MMIO_MAX - MMIO_SIZE :
                columns[ADDRESS].max, &u->addr, errp)) {
        return false;
    }
    u->addr |= PCI_DEVFN(dev, fn) << 12;
    if (*text == '+') {
        text++;
        if (!number(&text, "step", columns[ADDRESS].max, step, errp)) {
            return false;
        }
    }
    if (*text) {
        error_setg(errp, "address: '%s' is not understood", word);
    }
    return !*errp;
}

static bool parse_option(DiscUnit *u, const char *word, Error **errp)
{
    const char *value = strchr(word, '=');
    uint64_t n = 0, ctr = 0;

    if (value && g_str_has_prefix(word, "name=")) {
        u->name = g_strdup(value + 1);
    } else if (value && g_str_has_prefix(word, "clock=")) {
        whole(value + 1, "clock", 1000000, &n, errp);
        u->mhz = n;
    } else if (value && g_str_has_prefix(word, "bits=")) {
        whole(value + 1, "bits", UINT64_MAX, &u->bits, errp);
    } else if (value && g_str_has_prefix(word, "device=")) {
        whole(value + 1, "device", UINT16_MAX, &n, errp);
        u->device_id = n;
    } else if (value && g_str_has_prefix(word, "step=")) {
        whole(value + 1, "step", 8, &n, errp);
        u->step = n;
    } else if (value && g_str_has_prefix(word, "fixed=")) {
        value++;
        if (number(&value, "fixed", UINT8_MAX, &n, errp) && *value++ == ':') {
            whole(value, "fixed", UINT8_MAX, &ctr, errp);
        }
        u->fixed_ctl = n;
        u->fixed_ctr = ctr;
    } else {
        error_setg(errp, "no option '%s'", word);
    }
    return !*errp;
}

static bool check_unit(const Discovery *d, const DiscUnit *u, Error **errp)
{
    unsigned extent = disc_unit_extent(u);

    if (u->access == DISC_PCI && (u->addr & 0xfff) + extent > 0x1000) {
        error_setg(errp, "%s ends behind the configuration space", u->name);
    } else if (u->access == DISC_PCI && extent && (u->addr & 0xfff) < 0x80) {
        error_setg(errp, "%s begins below 0x80, where the function has its "
                   "header and capability", u->name);
    } else if (u->access != DISC_MSR && u->step != 4 && u->step != 8) {
        error_setg(errp, "step is 4 or 8");
    } else if (u->counters && !u->width) {
        error_setg(errp, "%s: the counters have no width", u->name);
    } else if (u->listed && u->counters && (!u->ctl || !u->ctr)) {
        error_setg(errp, "%s: control and counter are behind the unit's own "
                   "control", u->name);
    }
    for (unsigned i = 0; !*errp && i < d->units; i++) {
        const DiscUnit *o = &d->unit[i];

        if (!strcmp(o->name, u->name) && extent) {
            error_setg(errp, "%s is there twice", u->name);
        } else if (o->access == u->access && extent && disc_unit_extent(o) &&
                   ranges_overlap(o->addr, disc_unit_extent(o), u->addr,
                                  extent)) {
            error_setg(errp, "%s and %s have a register in common", o->name,
                       u->name);
        }
    }
    return !*errp;
}

static bool add_unit(Discovery *d, DiscUnit *u, Error **errp)
{
    u->name = u->name ? g_strdup_printf("%s_%u", u->name, u->id) :
              g_strdup_printf("type_%u_%u", u->type, u->id);
    if (!check_unit(d, u, errp)) {
        return false;
    }
    if (d->units == DISC_MAX_UNITS) {
        error_setg(errp, "a die has at most %d units", DISC_MAX_UNITS);
        return false;
    }
    if (u->access == DISC_MMIO) {
        d->mmio_size = MAX(d->mmio_size, pow2ceil(u->addr + MMIO_SIZE));
    }
    d->listed += u->listed;
    d->unit = g_renew(DiscUnit, d->unit, d->units + 1);
    d->unit[d->units++] = *u;
    return true;
}

static bool parse_row(Discovery *d, char **w, Error **errp)
{
    static const char *const accesses[] = { "msr", "mmio", "pci" };
    DiscUnit u = { .die = d, .bits = GENERIC_BITS };
    uint64_t first = 0, last = 0, from = 0, to = DISC_MAX_DIES - 1, step;
    unsigned type;

    while (u.access <= DISC_PCI && strcmp(w[ACCESS], accesses[u.access])) {
        u.access++;
    }
    if (u.access > DISC_PCI) {
        error_setg(errp, "access is msr, mmio or pci, not '%s'", w[ACCESS]);
        return false;
    }
    u.listed = strcmp(w[TYPE], "-");
    u.step = u.access == DISC_MSR ? 1 : u.access == DISC_PCI ? 8 : 4;
    if (!column(w, TYPE, &type, errp) ||
        !parse_range(w[IDS], IDS, &first, &last, errp) ||
        (strcmp(w[DIES], "*") &&
         !parse_range(w[DIES], DIES, &from, &to, errp)) ||
        !parse_address(&u, w[ADDRESS], &step, errp) ||
        !column(w, COUNTERS, &u.counters, errp) ||
        !column(w, WIDTH, &u.width, errp) ||
        !column(w, CONTROL, &u.ctl, errp) ||
        !column(w, COUNTER, &u.ctr, errp)) {
        return false;
    }
    u.type = type;
    for (char **o = w + COLUMNS; *o; o++) {
        if (!parse_option(&u, *o, errp)) {
            return false;
        }
    }
    for (uint64_t id = first; id <= last; id++) {
        DiscUnit one = u;

        one.id = id;
        one.addr += (id - first) * step;
        if (d->number >= from && d->number <= to && !add_unit(d, &one, errp)) {
            return false;
        }
    }
    return true;
}

/* Split a line into words, and return NULL if it has none. */
static char **split(const char *line)
{
    g_autofree char *text = g_strndup(line, strcspn(line, "#\r"));
    g_auto(GStrv) parts = g_strsplit_set(text, " \t", -1);
    GPtrArray *words = g_ptr_array_new();

    for (char **p = parts; *p; p++) {
        if (**p) {
            g_ptr_array_add(words, g_strdup(*p));
        }
    }
    if (words->len) {
        g_ptr_array_add(words, NULL);
    }
    return (char **)g_ptr_array_free(words, !words->len);
}

bool disc_table_read(Discovery *d, Error **errp)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    g_autoptr(GError) gerr = NULL;

    if (!d->units_file ||
        !g_file_get_contents(d->units_file, &text, NULL, &gerr)) {
        error_setg(errp, "units: %s", gerr ? gerr->message : "no file given");
        return false;
    }
    lines = g_strsplit(text, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        g_auto(GStrv) w = split(lines[i]);
        Error *err = NULL;

        if (!w) {
            continue;
        }
        if (g_strv_length(w) < COLUMNS) {
            error_setg(&err, "a row has %d columns", COLUMNS);
        } else {
            parse_row(d, w, &err);
        }
        if (err) {
            error_propagate_prepend(errp, err, "%s:%u: ", d->units_file,
                                    i + 1);
            return false;
        }
    }
    if (!d->listed && !d->number) {
        error_setg(errp, "%s has no unit of the first die", d->units_file);
        return false;
    }
    return true;
}
