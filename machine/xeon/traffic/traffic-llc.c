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
 * 0.
 */
#define WAY_STATE_SHIFT 8
#define WAY_TAG_SHIFT   11
#define WAY_TAGS        (1ull << (32 - WAY_TAG_SHIFT))

typedef struct LlcSet {
    uint32_t way[LLC_WAYS];
    /* 0: used last; LLC_WAYS - 1: the one to evict, empty if any is */
    uint8_t rank[LLC_WAYS];
} QEMU_ALIGNED(64) LlcSet;

/* Where a line is, or would be */
typedef struct Entry {
    unsigned socket;
    unsigned slice;
    LlcSet *set;
    int way;                        /* -1: a miss */
    TrafficState state;
    uint8_t cores;
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

static Entry find(unsigned socket, uint64_t line)
{
    uint32_t tag = line / LLC_SETS + 1, n = line % LLC_SETS + line / LLC_SETS;
    Entry e = { .socket = socket, .way = -1, .slice = n % traffic.slices };

    e.set = &llc[socket][line % LLC_SETS * traffic.slices + e.slice];
    for (int w = 0; w < LLC_WAYS; w++) {
        if (e.set->way[w] >> WAY_TAG_SHIFT == tag) {
            load(&e, w);
            break;
        }
    }
    return e;
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
        /* A snoop crosses the link of the line's channel. */
        .channel = flow == FLOW_SNOOPED ? channel_of(line) : 0,
    });
}

/* @flow is the one for a local home; the next one is for a remote home. */
static void to_home(TrafficFlow flow, unsigned socket, uint64_t line)
{
    unsigned home = traffic_home(line);

    traffic_flow((TrafficPlace) {
        .flow = flow + (home != socket), .socket = socket, .home = home,
        .channel = channel_of(line),
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

    for (uint8_t left = mask; left; left &= left - 1) {
        TrafficCore *c = traffic.core[e->socket][ctz32(left)];

        had = MAX(had, traffic_core_snoop(c, line, to));
    }
    store(e, had == LINE_M ? LINE_M : e->state,
          to == LINE_I ? e->cores & ~mask : e->cores);
}

/* Empty ways are filled first. */
static void drop(Entry *e)
{
    uint8_t *rank = e->set->rank, its = rank[e->way];

    for (int w = 0; w < LLC_WAYS; w++) {
        rank[w] -= rank[w] > its;
    }
    rank[e->way] = LLC_WAYS - 1;
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

/*
 * The socket misses: memory is read, the other socket's cache asked. Returns
 * what state the line comes in. A cache that has it as F or E forwards it, and
 * as M if the requester is to own it; else a modified line goes to its home,
 * and from there to the requester (table 2-18, RFO_HIT_S: "RspSWB").
 */
static TrafficState fetch(unsigned socket, uint64_t line, bool own)
{
    TrafficState had = snoop_peer(socket, line, own ? LINE_I : LINE_S);
    bool forwarded = had == LINE_F || had == LINE_E || (had == LINE_M && own);

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
static void own(unsigned socket, uint64_t line)
{
    TrafficState had = snoop_peer(socket, line, LINE_I);

    to_home(FLOW_OWN_LOCAL, socket, line);
    if (had == LINE_M) {
        to_home(FLOW_HITM_LOCAL, !socket, line);
        dram(FLOW_WR_HIT, line);
    }
}

static void touch(Entry *e)
{
    uint8_t *rank = e->set->rank, its = rank[e->way];

    for (int w = 0; w < LLC_WAYS; w++) {
        rank[w] += rank[w] < its;
    }
    rank[e->way] = 0;
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
    Entry e = find(c->socket, line);
    uint8_t me = 1u << c->id;
    uint8_t others;

    at_cbo(flows[req], &e, line, c->id);
    if (e.way < 0) {
        fill(&e, line, fetch(c->socket, line, req == REQ_OWN));
    } else {
        touch(&e);
    }
    others = e.cores & ~me;
    if (req == REQ_OWN) {
        snoop_cores(&e, line, others, LINE_I);
        if (e.state < LINE_E) {
            own(e.socket, line);
            e.state = LINE_E;
        }
        store(&e, e.state, me);
        return LINE_E;
    }
    if (e.state >= LINE_E) {
        snoop_cores(&e, line, others, LINE_S);
    }
    store(&e, e.state, e.cores | me);
    return others || e.state < LINE_E ? LINE_S : LINE_E;
}

void traffic_llc_writeback(TrafficCore *c, uint64_t line)
{
    Entry e = find(c->socket, line);

    /* Inclusive: evict it from the cores. */
    assert(e.way >= 0 && e.state >= LINE_E);
    at_cbo(FLOW_WB, &e, line, c->id);
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
            fetch(socket, line, false);
        } else if (e.state >= LINE_E) {
            snoop_cores(&e, line, e.cores, LINE_S);
        }
        return;
    }
    if (e.way >= 0) {
        snoop_cores(&e, line, e.cores, LINE_I);
        if (e.state < LINE_E) {
            own(e.socket, line);
        }
        touch(&e);
    } else if (full) {
        own(e.socket, line);
        fill(&e, line, LINE_M);
    } else {
        fill(&e, line, fetch(socket, line, true));
    }
    store(&e, LINE_M, e.cores);
}

void traffic_llc_reset(void)
{
    size_t sets = (size_t)traffic.slices * LLC_SETS;

    QEMU_BUILD_BUG_ON(TRAFFIC_SOCKETS * TRAFFIC_MEMORY / TRAFFIC_LINE /
                      LLC_SETS >= WAY_TAGS);
    for (unsigned s = 0; s < traffic.sockets; s++) {
        if (!llc[s]) {
            llc[s] = qemu_memalign(2 * MiB, sets * sizeof(LlcSet));
            qemu_madvise(llc[s], sets * sizeof(LlcSet), QEMU_MADV_HUGEPAGE);
        }
        for (size_t i = 0; i < sets; i++) {
            llc[s][i] = (LlcSet) { 0 };
            for (int w = 0; w < LLC_WAYS; w++) {
                llc[s][i].rank[w] = w;
            }
        }
    }
    memset(open_page, 0, sizeof(open_page));
}
