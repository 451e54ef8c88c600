/*
 * Last-level cache of each socket, coherence, home agents and memory channels.
 *
 * The LLC is inclusive, with a mask of cores that may have a line. Sockets use
 * MESIF with source snoops in parallel to the home agent's memory read (guide,
 * 2.4.1: the directory "is not intended for typical 2S topologies"), so every
 * miss reads memory.
 *
 * Line number n is in set n mod 2048, slice (n mod 2048 + n div 2048) mod the
 * number of CBos, which spreads contiguous memory evenly.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/madvise.h"
#include "qemu/memalign.h"
#include "traffic.h"

/* A page of DRAM is 8 KiB, so 128 lines of a channel. */
#define PAGE_LINES      128
#define BANKS           16          /* eight of each of two ranks */

/*
 * A way is a word, so that a set is two host cache lines: tag + 1, 21 bits;
 * TrafficState, 3 bits; mask of cores that may have it, 8 bits. An empty way is
 * 0. Lookups compare all ways at once with vector instructions.
 */
#define WAY_STATE_SHIFT 8
#define WAY_TAG_SHIFT   11
#define WAY_TAGS        (1ull << (32 - WAY_TAG_SHIFT))

typedef uint32_t Words __attribute__((vector_size(16)));
typedef uint8_t Bytes __attribute__((vector_size(16)));
typedef uint64_t Halves __attribute__((vector_size(16)));

#define WAY_WORDS   (LLC_WAYS / 4)
#define RANK_BYTES  2

typedef struct LlcSet {
    union {
        uint32_t way[LLC_WAYS];
        Words words[WAY_WORDS];
    };
    /*
     * 0: used last; LLC_WAYS - 1: the one to go, empty if any is. Those of no
     * way are greater.
     */
    union {
        uint8_t rank[16 * RANK_BYTES];
        Bytes bytes[RANK_BYTES];
    };
} QEMU_ALIGNED(64) LlcSet;

/* Where a line is, or would be */
typedef struct Entry {
    unsigned socket;
    unsigned slice;
    LlcSet *set;
    int way;                        /* -1: a miss */
    TrafficState state;
    uint8_t cores;
    TrafficSnoop snoop;             /* result of the snoops */
    TrafficSupplier supplier;       /* source of the data */
} Entry;

/* Sets, each with all slices, for locality */
static LlcSet *llc[TRAFFIC_SOCKETS];
/* The open page of each bank, + 1 */
static uint64_t open_page[TRAFFIC_SOCKETS][TRAFFIC_CHANNELS][BANKS];

static void load(Entry *e, int way)
{
    e->way = way;
    e->state = e->set->way[way] >> WAY_STATE_SHIFT & 7;
    e->cores = e->set->way[way];
}

/* Write a changed state and set of cores back to the entry's way. */
static void store(Entry *e, TrafficState state, uint8_t cores)
{
    uint32_t *way = &e->set->way[e->way];

    e->state = state;
    e->cores = cores;
    *way = *way >> WAY_TAG_SHIFT << WAY_TAG_SHIFT | state << WAY_STATE_SHIFT |
           cores;
}

static unsigned slice_of(uint64_t line)
{
    uint32_t n = line % LLC_SETS + line / LLC_SETS;

    /* Eight slices need no division, which costs as much as the rest. */
    return traffic.slices == 8 ? n % 8 : n % traffic.slices;
}

static LlcSet *set_of(unsigned socket, uint64_t line, unsigned *slice)
{
    *slice = slice_of(line);
    return &llc[socket][line % LLC_SETS * traffic.slices + *slice];
}

/* The one word that is not 0, or 0 */
static uint32_t only(Words found)
{
    Halves h = (Halves)found;
    uint64_t both = h[0] | h[1];

    return both | both >> 32;
}

static inline QEMU_ALWAYS_INLINE Entry find(unsigned socket, uint64_t line)
{
    uint32_t tag = (line / LLC_SETS + 1) << WAY_TAG_SHIFT;
    const uint32_t mask = MAKE_64BIT_MASK(WAY_TAG_SHIFT, 32 - WAY_TAG_SHIFT);
    Entry e = { .socket = socket, .way = -1 };
    Words way = { 1, 2, 3, 4 };
    Words found = { 0 };

    e.set = set_of(socket, line, &e.slice);
    for (int i = 0; i < WAY_WORDS; i++) {
        found |= (Words)((e.set->words[i] & mask) == tag) & way;
        way += 4;
    }
    if (only(found)) {
        load(&e, only(found) - 1);
    }
    return e;
}

void traffic_llc_prefetch(unsigned socket, uint64_t line)
{
    unsigned slice;
    const LlcSet *set = set_of(socket, line, &slice);

    __builtin_prefetch(set, 1);
    __builtin_prefetch(set->rank, 1);
}

/* Channels are interleaved by line, banks by page. */
static unsigned channel_of(uint64_t line)
{
    return line % TRAFFIC_CHANNELS;
}

static void at_cbo(TrafficFlow flow, const Entry *e, uint64_t line,
                   unsigned core)
{
    traffic_flow((TrafficPlace) {
        .flow = flow, .socket = e->socket, .slice = e->slice, .core = core,
        .home = traffic_home(line), .state = e->state,
    });
}

/* @flow is the one for a local home; the next one is for a remote home. */
static void to_home(TrafficFlow flow, unsigned socket, uint64_t line)
{
    unsigned home = traffic_home(line);

    traffic_flow((TrafficPlace) {
        .flow = flow + (home != socket), .socket = socket, .home = home,
        .slice = slice_of(line), .channel = channel_of(line),
    });
}

/* @flow is the one for a page hit; page empty and page miss follow. */
static void dram(TrafficFlow flow, uint64_t line)
{
    unsigned home = traffic_home(line);
    unsigned channel = channel_of(line);
    uint64_t page = (line - traffic.node[home].first) / TRAFFIC_CHANNELS /
                    PAGE_LINES;
    uint64_t *open = &open_page[home][channel][page % BANKS];

    if (*open != page + 1) {
        flow += *open ? 2 : 1;
        *open = page + 1;
    }
    traffic_flow((TrafficPlace) {
        .flow = flow, .socket = home, .home = home, .channel = channel,
    });
}

static void write_memory(unsigned socket, uint64_t line)
{
    to_home(FLOW_WRITE_LOCAL, socket, line);
    dram(FLOW_WR_HIT, line);
}

/*
 * Invalidate the line in the cores of @mask, or make it S. A modified copy
 * makes the LLC's line M.
 */
static void snoop_cores(Entry *e, uint64_t line, uint8_t mask, TrafficState to)
{
    TrafficState had = LINE_I;

    if (!mask) {
        return;
    }
    at_cbo(FLOW_SNOOP_CORE, e, line, TRAFFIC_NO_CORE);
    for (uint8_t left = mask; left; left &= left - 1) {
        unsigned id = ctz32(left);
        TrafficState its = traffic_core_snoop(traffic.core[e->socket][id],
                                              line, to);

        at_cbo(its == LINE_M ? FLOW_CORE_HITM : FLOW_CORE_CLEAN, e, line, id);
        had = MAX(had, its);
    }
    e->snoop = MAX(e->snoop, had == LINE_M ? SNOOP_HITM :
                             had ? SNOOP_HIT : SNOOP_MISS);
    store(e, had == LINE_M ? LINE_M : e->state,
          to == LINE_I ? e->cores & ~mask : e->cores);
}

/* Empty ways are filled first. */
static void drop(Entry *e)
{
    Bytes mine = (Bytes) { } + e->set->rank[e->way];
    Bytes last = (Bytes) { } + LLC_WAYS;

    for (int i = 0; i < RANK_BYTES; i++) {
        Bytes *rank = &e->set->bytes[i];

        *rank += (Bytes)((*rank > mine) & (*rank < last));
    }
    e->set->rank[e->way] = LLC_WAYS - 1;
    e->set->way[e->way] = 0;
    e->way = -1;
    e->state = LINE_I;
    e->cores = 0;
}

/* State of a line in the other socket before the snoop */
static TrafficState snoop_peer(unsigned socket, uint64_t line, TrafficState to)
{
    TrafficState had;
    Entry e;

    if (traffic.sockets == 1) {
        return LINE_I;
    }
    e = find(!socket, line);
    at_cbo(FLOW_SNOOPED, &e, line, TRAFFIC_NO_CORE);
    if (e.way < 0) {
        return LINE_I;
    }
    if (to == LINE_I || e.state >= LINE_E) {
        snoop_cores(&e, line, e.cores, to);
    }
    had = e.state;
    if (to == LINE_I) {
        drop(&e);
    } else {
        store(&e, LINE_S, e.cores);
    }
    return had;
}

/* Account a snoop of the other socket by the state found. */
static const TrafficSnoop peer_found[LINE_STATES] = {
    [LINE_I] = SNOOP_MISS, [LINE_S] = SNOOP_HIT, [LINE_F] = SNOOP_FORWARD,
    [LINE_E] = SNOOP_FORWARD, [LINE_M] = SNOOP_HITM,
};

/*
 * The socket misses: memory is read, the other socket's cache asked. Returns
 * what state the line comes in. A cache that has it as F or E forwards it, and
 * as M if the requester is to own it; else a modified line goes to its home,
 * and from there to the requester (table 2-18, RFO_HIT_S: "RspSWB").
 */
static TrafficState fetch(Entry *e, uint64_t line, bool own)
{
    unsigned socket = e->socket;
    TrafficState had = snoop_peer(socket, line, own ? LINE_I : LINE_S);
    bool forwarded = had == LINE_F || had == LINE_E || (had == LINE_M && own);

    e->supplier = forwarded || traffic_home(line) != socket ? FROM_REMOTE
                                                            : FROM_LOCAL;
    e->snoop = traffic.sockets == 1 ? SNOOP_NOT_NEEDED : peer_found[had];
    to_home(forwarded ? FLOW_READ_LOCAL_FWD : FLOW_READ_LOCAL, socket, line);
    dram(FLOW_RD_HIT, line);
    if (had == LINE_M && !own) {
        /* Shared lines are clean: the snoop writes it back. */
        to_home(FLOW_HITM_LOCAL, !socket, line);
        dram(FLOW_WR_HIT, line);
    }
    if (own) {
        return had == LINE_M ? LINE_M : LINE_E;
    }
    return had == LINE_I ? LINE_E : LINE_F;
}

/* Invalidate the line in other sockets, without data. */
static void own(Entry *e, uint64_t line)
{
    unsigned socket = e->socket;
    TrafficState had = snoop_peer(socket, line, LINE_I);

    if (traffic.sockets > 1) {
        /* No data needed: nothing is forwarded. */
        TrafficSnoop found = had == LINE_M ? SNOOP_HITM :
                             had ? SNOOP_HIT : SNOOP_MISS;

        e->snoop = MAX(e->snoop, found);
    }
    to_home(FLOW_OWN_LOCAL, socket, line);
    if (had == LINE_M) {
        to_home(FLOW_HITM_LOCAL, !socket, line);
        dram(FLOW_WR_HIT, line);
    }
}

static void touch(Entry *e)
{
    Bytes mine = (Bytes) { } + e->set->rank[e->way];

    /* A vector comparison yields -1 per true lane: this increments them. */
    for (int i = 0; i < RANK_BYTES; i++) {
        e->set->bytes[i] -= (Bytes)(e->set->bytes[i] < mine);
    }
    e->set->rank[e->way] = 0;
}

/* Return an empty way, or the least recently used one. */
static int oldest(const LlcSet *set)
{
    const uint8_t *p = memchr(set->rank, LLC_WAYS - 1, LLC_WAYS);

    return p - set->rank;
}

/* Evict a line and insert the new one. */
static void fill(Entry *e, uint64_t line, TrafficState state)
{
    int w = oldest(e->set);

    if (e->set->way[w]) {
        Entry old = *e;
        uint64_t victim = (uint64_t)((e->set->way[w] >> WAY_TAG_SHIFT) - 1) *
                          LLC_SETS + line % LLC_SETS;

        load(&old, w);
        snoop_cores(&old, victim, old.cores, LINE_I);
        at_cbo(FLOW_VICTIM, &old, victim, TRAFFIC_NO_CORE);
        if (old.state == LINE_M) {
            write_memory(e->socket, victim);
        }
    }
    e->way = w;
    e->set->way[w] = (line / LLC_SETS + 1) << WAY_TAG_SHIFT;
    store(e, state, 0);
    touch(e);
}

TrafficState traffic_llc_get(TrafficCore *c, uint64_t line, TrafficRequest req)
{
    static const TrafficFlow flows[] = {
        [REQ_READ] = FLOW_DRD, [REQ_CODE] = FLOW_CRD, [REQ_OWN] = FLOW_RFO,
    };
    static const TrafficAsk asks[] = {
        [REQ_READ] = ASK_DATA_RD, [REQ_CODE] = ASK_IFETCH,
        [REQ_OWN] = ASK_RFO,
    };
    static const TrafficSupplier hits[LINE_STATES] = {
        [LINE_S] = FROM_LLC_S, [LINE_F] = FROM_LLC_F, [LINE_E] = FROM_LLC_E,
        [LINE_M] = FROM_LLC_M,
    };
    Entry e = find(c->socket, line);
    uint8_t me = 1u << c->id;
    uint8_t others;

    at_cbo(flows[req], &e, line, c->id);
    if (e.way < 0) {
        fill(&e, line, fetch(&e, line, req == REQ_OWN));
    } else {
        e.supplier = hits[e.state];
        e.snoop = SNOOP_NOT_NEEDED;
        touch(&e);
    }
    others = e.cores & ~me;
    if (req == REQ_OWN) {
        snoop_cores(&e, line, others, LINE_I);
        if (e.state < LINE_E) {
            own(&e, line);
            e.state = LINE_E;
        }
        traffic_offcore(c, asks[req], e.supplier, e.snoop);
        store(&e, e.state, me);
        return LINE_E;
    }
    if (e.state >= LINE_E) {
        snoop_cores(&e, line, others, LINE_S);
    }
    traffic_offcore(c, asks[req], e.supplier, e.snoop);
    store(&e, e.state, e.cores | me);
    return others || e.state < LINE_E ? LINE_S : LINE_E;
}

void traffic_llc_writeback(TrafficCore *c, uint64_t line)
{
    Entry e = find(c->socket, line);

    /* Inclusive: evict it from the cores. */
    assert(e.way >= 0 && e.state >= LINE_E);
    at_cbo(FLOW_WB, &e, line, c->id);
    traffic_offcore(c, ASK_WB, FROM_NOWHERE, SNOOP_NONE);
    store(&e, LINE_M, e.cores);
    touch(&e);
}

/*
 * Streaming stores bypass the caches. A modified copy in the LLC is written
 * back first (table 2-18, WC_ALIASING).
 */
void traffic_llc_stream(TrafficCore *c, uint64_t line, bool full)
{
    Entry e = find(c->socket, line);

    if (e.way >= 0) {
        snoop_cores(&e, line, e.cores, LINE_I);
    }
    at_cbo(full ? FLOW_WCILF : FLOW_WCIL, &e, line, c->id);
    traffic_offcore(c, ASK_STREAM, FROM_NOWHERE, SNOOP_NONE);
    if (e.way >= 0) {
        if (e.state == LINE_M) {
            write_memory(c->socket, line);
        }
        drop(&e);
    }
    if (snoop_peer(c->socket, line, LINE_I) == LINE_M) {
        to_home(FLOW_HITM_LOCAL, !c->socket, line);
        dram(FLOW_WR_HIT, line);
    }
    if (full) {
        write_memory(c->socket, line);
    } else {
        to_home(FLOW_PART_LOCAL, c->socket, line);
        dram(FLOW_FILL_HIT, line);
        dram(FLOW_WR_HIT, line);
    }
}

/*
 * Devices are attached to the first socket. Their writes allocate in its LLC;
 * reads hit there, or bypass it.
 */
void traffic_llc_dma(uint64_t line, bool write, bool full)
{
    const unsigned socket = 0;
    Entry e = find(socket, line);

    at_cbo(!write ? FLOW_RDCUR : full ? FLOW_ITOM : FLOW_DMA_RFO, &e, line,
           TRAFFIC_PCIE);
    if (!write) {
        if (e.way < 0) {
            fetch(&e, line, false);
        } else if (e.state >= LINE_E) {
            snoop_cores(&e, line, e.cores, LINE_S);
        }
        return;
    }
    if (e.way >= 0) {
        snoop_cores(&e, line, e.cores, LINE_I);
        if (e.state < LINE_E) {
            own(&e, line);
        }
        touch(&e);
    } else if (full) {
        own(&e, line);
        fill(&e, line, LINE_M);
    } else {
        fill(&e, line, fetch(&e, line, true));
    }
    store(&e, LINE_M, e.cores);
}

void traffic_llc_reset(void)
{
    size_t sets = (size_t)traffic.slices * LLC_SETS;

    QEMU_BUILD_BUG_ON(TRAFFIC_SOCKETS * TRAFFIC_MEMORY / TRAFFIC_LINE /
                      LLC_SETS >= WAY_TAGS);
    QEMU_BUILD_BUG_ON(LLC_WAYS % 4 || LLC_WAYS > 16 * RANK_BYTES);
    for (unsigned s = 0; s < traffic.sockets; s++) {
        if (!llc[s]) {
            llc[s] = qemu_memalign(2 * MiB, sets * sizeof(LlcSet));
            qemu_madvise(llc[s], sets * sizeof(LlcSet), QEMU_MADV_HUGEPAGE);
        }
        for (size_t i = 0; i < sets; i++) {
            llc[s][i] = (LlcSet) { 0 };
            for (int w = 0; w < ARRAY_SIZE(llc[s][i].rank); w++) {
                llc[s][i].rank[w] = w;
            }
        }
    }
    memset(open_page, 0, sizeof(open_page));
}
