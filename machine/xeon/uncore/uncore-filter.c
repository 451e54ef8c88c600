/*
 * Matching of injected events against a counter's unit mask and the filters of
 * CBo, HA, QPI and PCU
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "uncore.h"

/* Unit mask bits of the CBo's cache and TOR events */
#define UM_NID          0x40    /* also match the node */
#define LOOKUP_ALWAYS   0x01    /* must be set */
#define LOOKUP_TYPES    0x3e    /* 0x20: v3 and v4 */
#define VICTIM_STATES   0x1f    /* 0x10: the same, a miss */
#define TOR_OPCODE      0x01
#define TOR_MISS        0x02
#define TOR_EVICTION    0x04
#define TOR_ALL         0x08
#define TOR_WB          0x10
#define TOR_HOMES       0xa0    /* v2 and v3: local, remote */

uint64_t uncore_cbo_match(const UncoreBox *box, UncoreMatch m)
{
    uint64_t mask = box->type->match[m];
    uint64_t f = (uint64_t)box->filter[1] << 32 | box->filter[0];

    return mask ? (f & mask) >> ctz64(mask) : 0;
}

static bool nid_match(const UncoreBox *box, uint8_t um, const UncoreStim *stim)
{
    return !(um & UM_NID) ||
           (uncore_cbo_match(box, UNCORE_M_NID) & 1u << stim->nid);
}

/* Table 2-16: type, one of the filter's states, and optionally the node */
static bool lookup_match(const UncoreBox *box, uint8_t um,
                         const UncoreStim *stim)
{
    uint8_t types = um & LOOKUP_TYPES;

    return (um & LOOKUP_ALWAYS) && (types || (um & UM_NID)) &&
           (!types || (types & stim->umask)) &&
           (uncore_cbo_match(box, UNCORE_M_STATE) & stim->state) &&
           nid_match(box, um, stim);
}

/* Table 2-17 */
static bool victims_match(const UncoreBox *box, uint8_t um,
                          const UncoreStim *stim)
{
    uint8_t states = um & VICTIM_STATES;

    return (states || (um & UM_NID)) && (!states || (states & stim->umask)) &&
           nid_match(box, um, stim);
}

/*
 * Tables 2-30 and 2-31. Unit mask bits of an injected entry: opcode (from the
 * IRQ), miss, eviction, writeback; from v2 on, local or remote memory. The
 * effect of nc=0 is undocumented: it matches everything.
 */
static bool tor_match(const UncoreBox *box, uint8_t um, const UncoreStim *stim)
{
    uint8_t homes = um & stim->event->umask_bits & TOR_HOMES;
    bool kind = (um & TOR_ALL) ||
                (um & stim->umask & (TOR_EVICTION | TOR_WB)) ||
                ((um & stim->umask & TOR_OPCODE) &&
                 uncore_cbo_match(box, UNCORE_M_OPC) == stim->opc &&
                 (stim->nc || !uncore_cbo_match(box, UNCORE_M_NC)));

    return kind && (!(um & TOR_MISS) || (stim->umask & TOR_MISS)) &&
           (!homes || (homes & stim->umask)) && nid_match(box, um, stim);
}

/* Tables 2-37 to 2-39: the low 12 bits of the address are never compared. */
static bool ha_match(const UncoreBox *box, const UncoreStim *stim)
{
    uint64_t addr = (uint64_t)box->filter[1] << 32 | box->filter[0];

    return !((addr ^ stim->addr) & MAKE_64BIT_MASK(12, 34)) &&
           box->filter[2] == stim->opc;
}

/* Tables 2-88 to 2-91: match 0 and 1, then mask 0 and 1 */
static bool qpi_match(const UncoreBox *box, const UncoreStim *stim)
{
    for (int i = 0; i < 2; i++) {
        if ((box->filter[i] ^ stim->packet[i]) & box->filter[2 + i]) {
            return false;
        }
    }
    return true;
}

bool uncore_filter_is_band(const UncoreEvent *event)
{
    return event->filter >= UNCORE_F_BAND0;
}

/* Table 2-77: at or above the band's frequency, in steps of 100 MHz */
bool uncore_filter_band(const UncoreBox *box, const UncoreEvent *event,
                        uint32_t mhz)
{
    unsigned band = event->filter - UNCORE_F_BAND0;

    return mhz >= 100 * extract32(box->bands, 8 * band, 8);
}

static bool umask_match(const UncoreBox *box, uint8_t um,
                        const UncoreEvent *event, const UncoreStim *stim)
{
    switch (event->umask) {
    case UNCORE_UM_NONE:
    case UNCORE_UM_OCC_SEL:
        return true;
    case UNCORE_UM_BITS:
        return um & stim->umask;
    case UNCORE_UM_LOOKUP:
        return lookup_match(box, um, stim);
    case UNCORE_UM_VICTIMS:
        return victims_match(box, um, stim);
    case UNCORE_UM_TOR:
        return tor_match(box, um, stim);
    }
    g_assert_not_reached();
}

bool uncore_filter_match(const UncoreBox *box, uint32_t ctl,
                         const UncoreEvent *event, const UncoreStim *stim)
{
    if (!umask_match(box, FIELD_EX32(ctl, PMON_CTL, UMASK), event, stim)) {
        return false;
    }
    if (box->type->kind == UNCORE_CBOX && (ctl & R_PMON_CTL_TID_EN_MASK) &&
        uncore_cbo_match(box, UNCORE_M_TID) != stim->tid) {
        return false;
    }
    switch (event->filter) {
    case UNCORE_F_HA_MATCH:
        return ha_match(box, stim);
    case UNCORE_F_QPI_MATCH:
        return qpi_match(box, stim);
    default:
        return true;
    }
}
