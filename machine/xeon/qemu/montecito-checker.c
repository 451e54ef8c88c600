/*
 * Montecito: event table, and protocol checker for programming that the manual,
 * 308065-001, calls reserved, illegal or undefined
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "montecito.h"

#define ANY     0xfff0
#define DUP     0x03f0

/*
 * Codes and qualifications of tables 4-1 to 4-39. Counters are those of
 * section 3.3.3: the code's high digit, and PMD10 for CYCLES_HALTED.
 */
#define E(code, quals)          [code] = { true, ANY, "", quals, 'y' }
#define L1D(code, s, quals)     [code] = { true, ANY, "d" #s, quals, 'y' }
#define L2D(code, s, quals, a)  [code] = { true, DUP, "2" #s, quals, a }
#define BUS(code)               [code] = { true, DUP, "", "", 'y' }

static const MontEvent events[256] = {
    /* 4-1, 4-3 */
    E(0x12, "io"), E(0x08, "io"), E(0x49, ""), E(0x4d, "i"), E(0x4e, "i"),
    E(0x4f, "i"),
    /* 4-4 */
    E(0x58, "iod"), E(0x06, "i"), E(0x05, "i"), E(0x0b, "i"), E(0x09, "i"),
    E(0x03, "i"), E(0x56, "iod"), E(0x57, "iod"), E(0x55, ""), E(0x50, "io"),
    E(0x51, "io"),
    /* 4-6 */
    E(0x00, ""), E(0x02, ""), E(0x04, ""), E(0x72, ""), E(0x01, ""),
    E(0x71, ""), E(0x70, ""), E(0x73, ""),
    /* 4-7 */
    E(0x61, "io"), E(0x11, "io"), E(0x5b, "io"), E(0x68, "io"), E(0x54, "io"),
    E(0x6a, "io"), E(0x63, "io"),
    /* 4-8; 3.3.5.2 for prefetches */
    E(0x46, "i"), E(0x43, "i"), E(0x66, "i"), E(0x65, "i"), E(0x41, "i"),
    E(0x44, "ip"), E(0x67, ""), E(0x4b, "i"), E(0x69, ""), E(0x64, ""),
    E(0x60, ""), E(0x40, "i"), E(0x4a, "iod"), E(0x5f, "ip"), E(0x42, "i"),
    E(0x45, "ip"),
    /* 4-10 to 4-16 */
    E(0xc8, "iod"), E(0xc9, "iod"), E(0xc6, "iod"),
    L1D(0xc0, 0, "iod"), L1D(0xc1, 0, "iod"), L1D(0xc2, 0, "iod"),
    L1D(0xc3, 0, "iod"), L1D(0xc4, 1, "iod"), L1D(0xc5, 1, "iod"),
    L1D(0xc7, 1, "iod"), L1D(0xca, 2, ""), L1D(0xcd, 3, "iod"),
    L1D(0xce, 3, "iod"), L1D(0xcf, 3, "iod"), L1D(0xd0, 4, "iod"),
    L1D(0xd1, 4, "iod"), L1D(0xd2, 4, "iod"), L1D(0xd8, 6, "iod"),
    L1D(0xd9, 6, "iod"),
    /* 4-17 */
    E(0x78, "io"), E(0x79, "io"), E(0x7a, "io"), E(0x7b, "io"), E(0x7c, "io"),
    E(0x7d, "io"), E(0x7e, "io"), E(0x7f, "io"),
    /* 4-19 to 4-30 */
    L2D(0xe0, 0, "iod", 'y'), L2D(0xe1, 0, "", 'n'), L2D(0xe3, 0, "", 'n'),
    L2D(0xe2, 0, "iod", 'y'), L2D(0xe4, 1, "iod", 'y'), L2D(0xe5, 1, "", 'n'),
    L2D(0xe6, 2, "iod", 'y'), L2D(0xe8, 3, "iod", 'n'), L2D(0xe9, 3, "", 'y'),
    L2D(0xea, 4, "iod", 'y'), L2D(0xeb, 4, "iod", 'y'),
    L2D(0xec, 5, "iod", 'y'), L2D(0xed, 5, "iod", 'y'), L2D(0xef, 6, "", 'y'),
    L2D(0xf0, 7, "iod", 'n'), L2D(0xf1, 7, "", 'n'), L2D(0xf2, 8, "iod", 'y'),
    L2D(0xf3, 8, "", 'y'),
    [0xcb] = { true, DUP, "", "iod", 'y' },
    [0xb0] = { true, DUP, "", "iod", 'y' },
    [0xb1] = { true, DUP, "", "iod", 'y' },
    /* 4-31 */
    E(0xdf, "m"), E(0xdc, "iod"), E(0xdd, "iodm"), E(0xdb, "iod"),
    E(0xde, "iodm"), E(0xda, "iodm"),
    /* 4-33, 4-35 */
    E(0x13, ""), E(0x52, ""), E(0x53, ""),
    [0x18] = { true, 1 << 10, "", "", 'n' },
    E(0x2d, "iod"), E(0x48, "i"), E(0x47, "i"),
    /* 4-37 */
    BUS(0x80), BUS(0x81), BUS(0x82), BUS(0x83), BUS(0x84), BUS(0x87),
    BUS(0x88), BUS(0x89), BUS(0x8a), BUS(0x8b), BUS(0x8c), BUS(0x8d),
    BUS(0x8e), BUS(0x8f), BUS(0x90), BUS(0x91), BUS(0x92), BUS(0x93),
    BUS(0x97), BUS(0x98), BUS(0x9e), BUS(0x9f), BUS(0xa0), BUS(0xa1),
    BUS(0xa2), BUS(0xa3), BUS(0xa4), BUS(0xa5), BUS(0xa6), BUS(0xa7),
    BUS(0xa8), BUS(0xaa), BUS(0xab), BUS(0xac), BUS(0xad), BUS(0xae),
    BUS(0xaf), BUS(0xb4), BUS(0xb5), BUS(0xb6), BUS(0xb7), BUS(0xb8),
    BUS(0xb9), BUS(0xba), BUS(0xbb), BUS(0xbc), BUS(0xbd), BUS(0xbe),
    /* 4-39, and events of the missing pages */
    E(0x2b, ""), E(0x2a, ""), E(0x26, ""), E(0x29, ""), E(0x28, ""),
    E(0x24, ""), E(0x32, ""), E(0x20, "iod"),
    E(0x0c, ""), E(0x0d, ""), E(0x0e, ""), E(0x0f, ""),
};

const MontEvent *mont_event(uint8_t code)
{
    return events[code].exists ? &events[code] : NULL;
}

bool mont_has(const MontEvent *e, char qual)
{
    return e && strchr(e->quals, qual);
}

unsigned mont_l2d_master(unsigned n)
{
    switch (n) {
    case 4:
    case 5:
    case 8:
        return 4;
    case 6:
    case 7:
    case 9:
        return 6;
    }
    return 0;
}

void mont_found(MontBank *b, const char *rule, ...)
{
    g_autofree char *where = g_strdup_printf("cpu=%u", b->cpu);
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, rule);
    text = g_strdup_vprintf(rule, ap);
    va_end(ap);
    model_findings_add(b->pmu->findings, where, text);
}

static const MontEvent *selected(const MontBank *b, unsigned n)
{
    return mont_event(FIELD_EX64(b->pmc[n], PMC4, ES));
}

/* Counters without privilege level are unused. */
static bool in_use(const MontBank *b, unsigned n)
{
    return FIELD_EX64(b->pmc[n], PMC4, PLM);
}

static bool in_set(const MontBank *b, unsigned n, char unit)
{
    const MontEvent *e = selected(b, n);

    return e && e->set[0] == unit;
}

bool mont_defined(const MontBank *b, unsigned n)
{
    const MontEvent *e = selected(b, n);
    unsigned m = mont_l2d_master(n);

    if (!e || !(e->counters & BIT(n))) {
        return false;
    }
    if (e->set[0] == 'd') {
        return in_set(b, 5, 'd') && !strcmp(selected(b, 5)->set, e->set);
    }
    if (e->set[0] == '2') {
        return m && in_set(b, m, '2') && !strcmp(selected(b, m)->set, e->set);
    }
    return true;
}

static void check_counter(MontBank *b, unsigned n)
{
    const MontEvent *e = selected(b, n);
    unsigned m = mont_l2d_master(n);
    unsigned code = FIELD_EX64(b->pmc[n], PMC4, ES);
    bool all = FIELD_EX64(b->pmc[n], PMC4, ALL);

    if (!e) {
        mont_found(b, "PMC%u counts event 0x%x, which does not exist (chapter "
                   "4)", n, code);
        return;
    }
    if (!(e->counters & BIT(n))) {
        mont_found(b, "PMC%u cannot count event 0x%x (3.3.3)", n, code);
    }
    if (e->set[0] == 'd' && !mont_defined(b, n)) {
        mont_found(b, "PMC%u counts L1D event 0x%x, whose set PMC5 does not "
                   "select (4.8.2)", n, code);
    }
    if (e->set[0] == '2' && e->counters & BIT(n) && !mont_defined(b, n)) {
        mont_found(b, "PMC%u counts L2D event 0x%x, whose set PMC%u does not "
                   "select (4.8.4)", n, code, m);
    }
    if (e->set[0] == '2' && m && m != n && mont_defined(b, n) &&
        (FIELD_EX64(b->pmc[n], PMC4, UMASK) !=
         FIELD_EX64(b->pmc[m], PMC4, UMASK) ||
         all != FIELD_EX64(b->pmc[m], PMC4, ALL))) {
        mont_found(b, "PMC%u has another unit mask or .all than PMC%u, whose "
                   "hold for it (4.8.4)", n, m);
    }
    if (all && n > 9) {
        mont_found(b, "PMC%u has .all, which is PMC4-9's (table 3-6)", n);
    }
    if (all && e->all == 'n') {
        mont_found(b, "PMC%u has .all with event 0x%x, which does not support "
                   "it (table 4-19)", n, code);
    }
    if (mont_has(e, 'm') && !FIELD_EX64(b->pmc[n], PMC4, MESI)) {
        mont_found(b, "PMC%u counts event 0x%x in no MESI state (table 3-6)",
                   n, code);
    }
    if (code == 0xc8 && !FIELD_EX64(b->pmc[40], PMC40, PLM)) {
        mont_found(b, "PMC%u counts data EAR captures, and PMC40 is off", n);
    }
    if (code == 0x43 && !FIELD_EX64(b->pmc[37], PMC37, PLM)) {
        mont_found(b, "PMC%u counts instruction EAR captures, and PMC37 is "
                   "off", n);
    }
}

static bool iear_umask_defined(unsigned umask)
{
    /* Table 3-16: ones from the top, or 01xxxxxx */
    return (umask & 0xc0) == 0x40 || umask == 0 || umask == 0x80 ||
           umask == 0xc0 || umask == 0xe0 || umask == 0xf0 || umask == 0xf8 ||
           umask == 0xfc || umask == 0xfe || umask == 0xff;
}

static void check_units(MontBank *b)
{
    bool etb = FIELD_EX64(b->pmc[39], PMC39, PLM);
    unsigned mode42 = FIELD_EX64(b->pmc[42], PMC42, MODE);

    if (mode42 != 0 && mode42 != 4) {
        mont_found(b, "PMC42.mode=%u is undefined (table 3-30)", mode42);
    }
    if (etb && mode42) {
        mont_found(b, "PMC39 is set up and PMC42.mode overrides it "
                   "(3.3.10.2)");
    }
    if (b->pmc[39] && FIELD_EX64(b->pmc[40], PMC40, PLM) &&
        FIELD_EX64(b->pmc[40], PMC40, MODE)) {
        mont_found(b, "PMC39 is not zero in a TLB or ALAT mode of the data "
                   "EAR (3.3.9)");
    }
    if (etb && FIELD_EX64(b->pmc[39], PMC39, DS)) {
        mont_found(b, "PMC39.ds=1 is reserved (table 3-26)");
    }
    if (FIELD_EX64(b->pmc[37], PMC37, PLM) &&
        FIELD_EX64(b->pmc[37], PMC37, CT) >= 2 &&
        !iear_umask_defined(FIELD_EX64(b->pmc[37], PMC37, CACHE_UMASK))) {
        mont_found(b, "PMC37's cache unit mask is undefined (table 3-16)");
    }
    if (FIELD_EX64(b->pmc[40], PMC40, PLM) &&
        !FIELD_EX64(b->pmc[40], PMC40, MODE) &&
        FIELD_EX64(b->pmc[40], PMC40, UMASK) > 10) {
        mont_found(b, "PMC40's cache unit mask captures nothing (table 3-21)");
    }
}

/* Table 3-10 */
static void check_fine(MontBank *b)
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t lower = b->ibr[2 * i], upper = b->ibr[2 * i + 4];

        if (mont_ibrp_on(b, i) != mont_ibrp_on(b, i + 2)) {
            mont_found(b, "IBRP%u and IBRP%u are not both in use for a fine "
                       "range", i, i + 2);
        }
        if (!mont_ibrp_on(b, i)) {
            continue;
        }
        if ((lower ^ upper) >> 16 ||
            (b->ibr[2 * i + 1] ^ b->ibr[2 * i + 5]) >> 16) {
            mont_found(b, "the limits of fine range %u are not in one 64 KiB "
                       "page", i);
        }
        if ((upper & 0xffff) <= (lower & 0xffff)) {
            mont_found(b, "the upper limit of fine range %u is not above the "
                       "lower", i);
        }
    }
    for (unsigned n = 4; n < 16; n++) {
        if (in_use(b, n) && FIELD_EX64(b->pmc[n], PMC4, ES) == 0x08 &&
            FIELD_EX64(b->pmc[n], PMC4, UMASK) & 2) {
            mont_found(b, "PMC%u counts a tag channel that fine mode leaves "
                       "undefined", n);
        }
    }
}

static void check_filters(MontBank *b)
{
    bool ig_ad = FIELD_EX64(b->pmc[32], PMC32, IG_AD);

    if (!FIELD_EX64(b->pmc[41], PMC41, EN_DBRP) && !ig_ad &&
        (mont_ibrp_on(b, 0) || mont_ibrp_on(b, 1))) {
        mont_found(b, "PMC41[48:45]=0 with PMC32.ig_ad=0 and an instruction "
                   "range (3.3.7)");
    }
    if (!ig_ad && FIELD_EX64(b->pmc[32], PMC32, INV)) {
        mont_found(b, "PMC32.inv is left at its reset value and inverts "
                   "(table 3-3)");
    }
    for (unsigned i = 0; i < 4; i++) {
        if (mont_ibrp_on(b, i) && b->ibr[2 * i + 1] >> 63) {
            mont_found(b, "IBRP%u is a debug register, its x bit is set "
                       "(3.3.5)", i);
        }
    }
    if (FIELD_EX64(b->pmc[38], PMC38, FINE)) {
        check_fine(b);
    }
    if (b->dbr[1] >> 62 && FIELD_EX64(b->pmc[41], PMC41, EN_DBRP) & 1 &&
        !(FIELD_EX64(b->pmc[41], PMC41, CFGDTAG0) & 1)) {
        mont_found(b, "DBRP0 has .r or .w set (3.3.7)");
    }
}

void mont_check_setup(MontBank *b)
{
    unsigned cancels = 0;

    for (unsigned n = 4; n < 16; n++) {
        unsigned code = FIELD_EX64(b->pmc[n], PMC4, ES);

        if (!in_use(b, n)) {
            continue;
        }
        check_counter(b, n);
        cancels += code == 0xe0 || code == 0xe2;
    }
    if (cancels > 1) {
        mont_found(b, "more than one L2D_OZQ_CANCELS event is counted");
    }
    check_units(b);
    check_filters(b);
}

/* Reserved bits and their required values */
static const struct {
    uint64_t mask;
    uint64_t value;
    const char *table;
} reserved[MONT_REGS] = {
    [36] = { 0xfffffff0, 0xfffffff0, "table 3-13" },
    [38] = { ~0x2492ull, 0xdb6 & ~0x2492, "table 3-10" },
    [41] = { ~0x1e00018181818ull, 0x2078fefefefe & ~0x1e00018181818ull,
             "table 3-14" },
    [37] = { 0xc000, 0, "table 3-15" },
};

void mont_check_write_pmc(MontBank *b, unsigned n, uint64_t v)
{
    if ((v & reserved[n].mask) != reserved[n].value) {
        mont_found(b, "PMC%u written with 0x%" PRIx64 ": reserved bits are "
                   "changed (%s)", n, v, reserved[n].table);
    }
    if (n >= 4 && n <= 15 && FIELD_EX64(v, PMC4, ISM) != 2) {
        mont_found(b, "PMC%u.ism is not '10 (table 3-5)", n);
    }
    if (n == 40 && FIELD_EX64(v, PMC40, ISM) != 2) {
        mont_found(b, "PMC40.ism is not '10 (table 3-5)");
    }
}
