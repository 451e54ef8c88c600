/*
 * The last-level cache of each socket, what keeps copies coherent, and what
 * lies behind: home agents and memory channels.
 *
 * The LLC includes the cores' caches: it knows which cores may have a line,
 * and what it loses they lose. Between sockets it is MESIF with snoops that
 * the requester sends while the home agent reads memory (guide, 2.4.1: the
 * directory "is not intended for typical 2S topologies"). So every miss reads
 * memory, whoever gives the data in the end.
 *
 * Slice and set come from a line's number n in a way that spreads any
 * contiguous memory evenly: set n mod 2048, slice (n mod 2048 + n div 2048)
 * mod the number of CBos.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/memalign.h"
#include "traffic.h"

/* A page of DRAM is 8 KiB, so 128 lines of a channel. */
#define PAGE_LINES      128
#define BANKS           16          /* eight of each of two ranks */

/*
 * A way is one word, so that a set is two lines of the host's own cache: what
 * a line's number is beyond the set, 21 bits; its TrafficState, 3 bits; a mask
 * of the cores that may have it, 8 bits. An empty way is 0.
 */
#define WAY_STATE_SHIFT 8
#define WAY_TAG_SHIFT   11
#define WAY_TAGS        (1ull << (32 - WAY_TAG_SHIFT))

typedef struct LlcSet {
    uint32_t way[LLC_WAYS];
    uint8_t rank[LLC_WAYS];         /* 0: used last, LLC_WAYS - 1: first */
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

static LlcSet *llc[TRAFFIC_SOCKETS];        /* slices one after the other */
/* The open page of each bank, + 1 */
static uint64_t open_page[TRAFFIC_SOCKETS][TRAFFIC_CHANNELS][BANKS];

static void load(Entry *e, int way)
{
    e->way = way;
    e->state = e->set->way[way] >> WAY_STATE_SHIFT & 7;
    e->cores = e->set->way[way];
}

/* What has changed in it */
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
    unsigned set = line % LLC_SETS;
    unsigned slice = (set + line / LLC_SETS) % traffic.slices;
    Entry e = { socket, slice, &llc[socket][slice * LLC_SETS + set], -1 };

    for (int w = 0; w < LLC_WAYS; w++) {
        if (e.set->way[w] >> WAY_TAG_SHIFT == line / LLC_SETS &&
            e.set->way[w]) {
            load(&e, w);
            break;
        }
    }
    return e;
}

/* Channels take turns with every line, banks with every page. */
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

/* @flow is the one with a home of one's own; the next one is remote. */
static void to_home(TrafficFlow flow, unsigned socket, uint64_t line)
{
    unsigned home = traffic_home(line);

    traffic_flow((TrafficPlace) {
        .flow = flow + (home != socket), .socket = socket, .home = home,
        .channel = channel_of(line),
    });
}

/* @flow is the one that finds its page open; empty and miss come after it. */
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
 * The cores of @mask lose the line, or keep it as S. A modified copy makes
 * the LLC's line M.
 */
static void snoop_cores(Entry *e, uint64_t line, uint8_t mask, TrafficState to)
{
    TrafficState state = e->state;

    if (!mask) {
        return;
    }
    at_cbo(FLOW_SNOOP_CORE, e, line, TRAFFIC_NO_CORE);
    for (unsigned c = 0; c < SNBEP_MAX_CORES; c++) {
        TrafficCore *core = traffic.core[e->socket][c];

        if ((mask & 1u << c) && core && traffic_core_snoop(core, line, to)) {
            state = LINE_M;
        }
    }
    store(e, state, to == LINE_I ? e->cores & ~mask : e->cores);
}

static void drop(Entry *e)
{
    e->set->way[e->way] = 0;
    e->way = -1;
    e->state = LINE_I;
    e->cores = 0;
}

/* What the other socket has of a line, before the snoop changes it. */
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

/* No other socket has it after this; its data are not wanted. */
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
    uint8_t *rank = e->set->rank;
    uint8_t mine = rank[e->way];

    for (int w = 0; w < LLC_WAYS; w++) {
        rank[w] += rank[w] < mine;
    }
    rank[e->way] = 0;
}

/* An empty way, or the one that was used longest ago */
static int oldest(const LlcSet *set)
{
    int old = 0;

    for (int w = 0; w < LLC_WAYS; w++) {
        if (!set->way[w]) {
            return w;
        }
        if (set->rank[w] == LLC_WAYS - 1) {
            old = w;
        }
    }
    return old;
}

/* Make room, and put the line there. */
static void fill(Entry *e, uint64_t line, TrafficState state)
{
    int w = oldest(e->set);

    if (e->set->way[w]) {
        Entry old = *e;
        uint64_t victim = (uint64_t)(e->set->way[w] >> WAY_TAG_SHIFT) *
                          LLC_SETS + line % LLC_SETS;

        load(&old, w);
        snoop_cores(&old, victim, old.cores, LINE_I);
        at_cbo(FLOW_VICTIM, &old, victim, TRAFFIC_NO_CORE);
        if (old.state == LINE_M) {
            write_memory(e->socket, victim);
        }
    }
    e->way = w;
    e->set->way[w] = line / LLC_SETS << WAY_TAG_SHIFT;
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
            own(c->socket, line);
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

    /* The LLC has what the cores have. */
    assert(e.way >= 0 && e.state >= LINE_E);
    at_cbo(FLOW_WB, &e, line, c->id);
    store(&e, LINE_M, e.cores);
    touch(&e);
}

/*
 * A streaming store goes past the caches. A modified copy in the LLC goes to
 * memory first (table 2-18, WC_ALIASING).
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
 * Devices are behind the first socket. What they write stays in its LLC; what
 * they read comes from there, or past it.
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
            own(socket, line);
        }
        touch(&e);
    } else if (full) {
        own(socket, line);
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
                      LLC_SETS > WAY_TAGS);
    for (unsigned s = 0; s < traffic.sockets; s++) {
        if (!llc[s]) {
            llc[s] = qemu_memalign(64, sets * sizeof(LlcSet));
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
