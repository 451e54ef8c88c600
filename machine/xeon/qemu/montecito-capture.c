/*
 * Montecito: address and opcode qualification, event address registers and
 * trace buffer. Sections 3.3.5 to 3.3.10 of the manual, 308065-001.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "montecito.h"

#define BUNDLE  16
#define IBR_ADDR(v)     ((v) & ~(BUNDLE - 1ull))
#define PAIR(ip)        ((ip) & ~(2 * BUNDLE - 1ull))

/* A breakpoint pair: mask in 55:0, 1 compares */
static bool range_match(const uint64_t *br, uint64_t addr)
{
    uint64_t mask = extract64(br[1], 0, 56) | MAKE_64BIT_MASK(56, 8);

    return !((addr ^ br[0]) & mask);
}

/*
 * 3.3.5.1; in fine mode two pairs are the limits within 64 KiB. Bits 3:0 of an
 * instruction breakpoint's address are ignored (architecture manual, volume 2,
 * 7.1.1), and the fetch address that fine mode compares is that of two bundles.
 */
static bool ibrp_match(const MontBank *b, unsigned pair, const MontStim *s)
{
    const uint64_t *ibr = &b->ibr[2 * pair];
    uint64_t ip = s->v[K_IP];
    bool match;

    if (FIELD_EX64(b->pmc[38], PMC38, FINE)) {
        /* Channels 2 and 3 are undefined: no match */
        if (pair > 1) {
            return false;
        }
        match = range_match((uint64_t[]){ ibr[0] & ~0xffffull,
                                          ibr[1] & ~0xffffull },
                            ip & ~0xffffull) &&
                PAIR(ip & 0xffff) > IBR_ADDR(ibr[0] & 0xffff) &&
                PAIR(ip & 0xffff) < IBR_ADDR(ibr[4] & 0xffff);
    } else {
        match = range_match((uint64_t[]){ IBR_ADDR(ibr[0]), ibr[1] },
                            IBR_ADDR(ip));
    }
    return match && extract64(ibr[1], 56 + s->v[K_CPL], 1);
}

bool mont_ibrp_on(const MontBank *b, unsigned pair)
{
    static const unsigned ig_ibrp[] = { 1, 4, 7, 10 };

    return !extract64(b->pmc[38], ig_ibrp[pair], 1);
}

/* Tag channel @ch, before dispersal */
static bool tag_range(const MontBank *b, unsigned ch, const MontStim *s)
{
    bool match;

    if (ch == 0 && FIELD_EX64(b->pmc[32], PMC32, IG_AD)) {
        return true;
    }
    match = !mont_ibrp_on(b, ch) || ibrp_match(b, ch, s);
    return ch == 0 ? match != FIELD_EX64(b->pmc[32], PMC32, INV) : match;
}

/* 3.3.6.2: OpCM0 in channels 0 and 2, OpCM1 in 1 and 3 */
static bool tag_opcode(const MontBank *b, unsigned ch, const MontStim *s)
{
    const uint64_t *opcm = &b->pmc[32 + 2 * (ch & 1)];
    uint64_t mask = FIELD_EX64(opcm[0], PMC32, MASK);
    uint64_t match = FIELD_EX64(opcm[1], PMC33, MATCH);

    if (b->pmc[36] >> ch & 1) {
        return true;
    }
    return (FIELD_EX64(opcm[0], PMC32, MIFB) & s->v[K_ITYPE]) &&
           !((s->v[K_OPCODE] ^ match) & ~mask & MAKE_64BIT_MASK(0, 41));
}

bool mont_qualified(const MontBank *b, const MontStim *s, uint8_t code)
{
    const MontEvent *e = mont_event(code);
    unsigned dtag = FIELD_EX64(b->pmc[41], PMC41, CFGDTAG0);
    unsigned ch = 0;
    bool tag;

    if (mont_has(e, 'p')) {
        return tag_range(b, 1, s);
    }
    if (code == 0x08) {
        ch = s->v[K_UMASK] & 3;
    }
    tag = (!mont_has(e, 'i') || tag_range(b, ch, s)) &&
          (!mont_has(e, 'o') || tag_opcode(b, ch, s));
    if (!mont_has(e, 'd')) {
        return tag;
    }
    /* Table 3-14: 11 and "not enabled" do not filter memory operations */
    if (!(FIELD_EX64(b->pmc[41], PMC41, EN_DBRP) & 1)) {
        return true;
    }
    return (dtag & 2 || tag) &&
           (dtag & 1 || range_match(b->dbr, s->v[K_DATA]));
}

/* Table 3-21: four times two to the power of the unit mask */
static bool dear_takes(const MontBank *b, const MontStim *s)
{
    unsigned mode = FIELD_EX64(b->pmc[40], PMC40, MODE);
    unsigned umask = FIELD_EX64(b->pmc[40], PMC40, UMASK);

    if (s->v[K_MODE] != MIN(mode, 2)) {
        return false;
    }
    switch (mode) {
    case 0:
        return umask <= 10 && s->v[K_LATENCY] >= 4ull << umask;
    case 1:
        /* Table 3-23: bit 1 L2 DTLB, bit 2 VHPT, bit 3 fault */
        return umask >> s->v[K_HIT] & 1;
    default:
        return true;
    }
}

static bool capture_dear(MontBank *b, const MontStim *s)
{
    bool tlb = s->v[K_MODE] == 1;
    bool ov = s->v[K_LATENCY] > 0x1fff;

    if (!(FIELD_EX64(b->pmc[40], PMC40, PLM) >> s->v[K_CPL] & 1) ||
        !dear_takes(b, s) || !mont_qualified(b, s, 0xc8)) {
        return false;
    }
    /* Undefined in modes without an address: a value that tests recognize */
    b->pmd[32] = s->v[K_MODE] == 2 ? ~s->v[K_DATA] : s->v[K_DATA];
    b->pmd[33] = FIELD_DP64(0, PMD33, STAT, tlb ? s->v[K_HIT] : 1);
    if (s->v[K_MODE] == 0) {
        b->pmd[33] |= FIELD_DP64(0, PMD33, LATENCY, s->v[K_LATENCY] & 0x1fff);
        b->pmd[33] = FIELD_DP64(b->pmd[33], PMD33, OV, ov);
    }
    b->pmd[36] = (s->v[K_IP] & ~0xfull) |
                 FIELD_DP64(0, PMD36, SLOT, s->v[K_SLOT]);
    b->pmd[36] = FIELD_DP64(b->pmd[36], PMD36, VL, s->v[K_VL]);
    /* .bn: second bundle of the pair */
    if (s->v[K_BUNDLE1]) {
        b->pmd[36] = FIELD_DP64(b->pmd[36] - BUNDLE, PMD36, BN, 1);
    }
    return true;
}

/* Table 3-16 */
static bool iear_cache_takes(unsigned umask, const MontStim *s)
{
    static const struct {
        uint8_t umask;
        uint16_t latency;
    } steps[] = {
        { 0xff, 4 }, { 0xfe, 8 }, { 0xfc, 16 }, { 0xf8, 32 }, { 0xf0, 128 },
        { 0xe0, 256 }, { 0xc0, 1024 }, { 0x80, 4096 },
    };

    if (umask == 0) {
        return s->v[K_RAB];
    }
    if ((umask & 0xc0) == 0x40) {
        return s->v[K_LATENCY] > 0;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
        if (steps[i].umask == umask) {
            return s->v[K_LATENCY] >= steps[i].latency;
        }
    }
    return false;
}

static bool capture_iear(MontBank *b, const MontStim *s)
{
    uint64_t pmc = b->pmc[37];
    unsigned ct = FIELD_EX64(pmc, PMC37, CT);
    bool cache = ct >= 2;

    if (!(FIELD_EX64(pmc, PMC37, PLM) >> s->v[K_CPL] & 1) || ct == 1 ||
        s->v[K_MODE] != !cache || !mont_qualified(b, s, 0x43)) {
        return false;
    }
    if (cache ? !iear_cache_takes(FIELD_EX64(pmc, PMC37, CACHE_UMASK), s) :
        !(FIELD_EX64(pmc, PMC37, TLB_UMASK) >> (s->v[K_HIT] - 1) & 1)) {
        return false;
    }
    b->pmd[34] = (s->v[K_IP] & ~0x1full) | (cache ? 1 : s->v[K_HIT]);
    b->pmd[35] = FIELD_DP64(0, PMD35, LATENCY, s->v[K_LATENCY] & 0xfff);
    b->pmd[35] = FIELD_DP64(b->pmd[35], PMD35, OV, s->v[K_LATENCY] > 0xfff);
    return true;
}

/* PMD39: four extension bits of entry k, figure 3-26 */
static void store(MontBank *b, uint64_t v, unsigned ext)
{
    unsigned k = FIELD_EX64(b->pmd[38], PMD38, EBI);

    b->pmd[48 + k] = v;
    b->pmd[39] = deposit64(b->pmd[39], k < 8 ? 8 * k : 8 * (k - 8) + 4, 4, ext);
    k++;
    if (k == MONT_ENTRIES) {
        b->pmd[38] = FIELD_DP64(b->pmd[38], PMD38, FULL, 1);
    }
    b->pmd[38] = FIELD_DP64(b->pmd[38], PMD38, EBI, k % MONT_ENTRIES);
}

static bool takes(unsigned field, bool bit1)
{
    return field >> bit1 & 1;
}

/* 3.3.10.1.1 */
static bool capture_branch(MontBank *b, const MontStim *s)
{
    uint64_t pmc = b->pmc[39];
    unsigned brt = FIELD_EX64(pmc, PMC39, BRT);
    unsigned ptm = FIELD_EX64(pmc, PMC39, PTM);
    unsigned ppm = FIELD_EX64(pmc, PMC39, PPM);
    bool mispredicted = !s->v[K_TARGET] || !s->v[K_PATH];
    uint64_t source = s->v[K_IP];

    if (FIELD_EX64(b->pmc[42], PMC42, MODE) ||
        !(FIELD_EX64(pmc, PMC39, PLM) >> s->v[K_CPL] & 1) ||
        (brt && brt != s->v[K_BRT]) ||
        !takes(FIELD_EX64(pmc, PMC39, TM), s->v[K_TAKEN]) ||
        !takes(ptm, s->v[K_TARGET]) || !takes(ppm, s->v[K_PATH]) ||
        (ptm == 1 && ppm == 1) || !mont_qualified(b, s, 0x11)) {
        return false;
    }
    if (s->v[K_BUNDLE1]) {
        source -= BUNDLE;
    }
    store(b, (source & ~0xfull) | 1 | mispredicted << 1 |
          (s->v[K_TAKEN] ? s->v[K_SLOT] : 3) << 2,
          s->v[K_BUNDLE1] | s->v[K_FLUSH] << 1);
    /* If the target bundle has a recorded branch, only its source is stored. */
    if (!s->v[K_NEXT]) {
        store(b, (s->v[K_TO] & ~0xfull) | 2, 0);
    }
    return true;
}

/* Tables 3-31 and 3-33 */
static bool capture_retire(MontBank *b, const MontStim *s)
{
    uint64_t v;

    if (FIELD_EX64(b->pmc[42], PMC42, MODE) != 4 ||
        !(FIELD_EX64(b->pmc[42], PMC42, PLM) >> s->v[K_CPL] & 1)) {
        return false;
    }
    v = s->v[K_IP] >> 4;
    if (s->v[K_EF]) {
        v = deposit64(v, 0, 8, FIELD_EX64(b->pmc[42], PMC42, DELAY));
    }
    store(b, deposit64(v, 60, 4, s->v[K_CYCLES]),
          (s->v[K_CYCLES] >> 4) << 2 | s->v[K_FLUSH] << 1 | s->v[K_EF]);
    return true;
}

/* 3.3.10.2.1: the last entry's address may be wrong: make it wrong. */
void mont_ip_freeze(MontBank *b)
{
    if (FIELD_EX64(b->pmc[42], PMC42, MODE) == 4) {
        store(b, 0x0badbadbadbadb0ull, 0);
    }
}

bool mont_capture(MontBank *b, const MontStim *s)
{
    static bool (*const capture[])(MontBank *b, const MontStim *s) = {
        [MONT_DEAR] = capture_dear,
        [MONT_IEAR] = capture_iear,
        [MONT_BRANCH] = capture_branch,
        [MONT_RETIRE] = capture_retire,
    };

    return capture[s->kind](b, s);
}
