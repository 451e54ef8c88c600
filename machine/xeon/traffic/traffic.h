/*
 * Traffic mode, a model of caches, home agents and memory channels of Xeon
 * E5-2600 sockets: internal interfaces. QEMU calls the hooks of traffic-hook.h.
 *
 *   traffic.c        on and off, the machine's shape, the command
 *   traffic-core.c   a core's own caches; nearly every access ends here
 *   traffic-llc.c    LLC, coherence between cores and sockets, homes, DRAM
 *   traffic-flows.c  flows, and the tables of the events that they cause
 *   traffic-ring.c   messages on the rings
 *   traffic-offcore.c  offcore responses of the core PMU
 *   traffic-power.c  idle states, for the PCU
 *   traffic-ubox.c   interrupts, for the UBox
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_TRAFFIC_H
#define HW_I386_MODEL_TRAFFIC_H

#include "qemu/thread.h"
#include "qemu/units.h"
#include "uncore.h"
#include "traffic-hook.h"

#define TRAFFIC_SOCKETS     2
#define TRAFFIC_CHANNELS    4
/* A socket has 4 channels of 2 ranks of 8 banks of 2^15 pages of 8 KiB. */
#define TRAFFIC_MEMORY      (16 * GiB)
#define L2_SETS     512             /* 256 KiB */
#define CORE_WAYS   8
#define LLC_SETS    2048            /* 2.5 MiB in a slice */
#define LLC_WAYS    20

/* Write-combining buffers of a core for stores with a non-temporal hint */
#define WC_BUFFERS  10

/*
 * State of a line. Cores use S, E and M; F marks the socket that forwards a
 * shared line (MESIF).
 */
typedef enum TrafficState {
    LINE_I, LINE_S, LINE_F, LINE_E, LINE_M,
    LINE_STATES
} TrafficState;

/*
 * A line in a core's cache is one word, its number above its state, so that
 * the core's own thread can look at it without a lock. An empty way is 0.
 */
#define WORD_STATE  7
#define WORD(line, state)   ((uint64_t)(line) << 3 | (state))

typedef struct TrafficL1 {
    TrafficLast last[TRAFFIC_L1_SETS];
    uint64_t word[TRAFFIC_L1_SETS][CORE_WAYS];      /* lines by host address */
    uint32_t age[TRAFFIC_L1_SETS][CORE_WAYS];
    uint32_t now;
} TrafficL1;

typedef struct TrafficL2 {
    uint64_t word[L2_SETS][CORE_WAYS];
    uint32_t age[L2_SETS][CORE_WAYS];
    uint32_t now;
} TrafficL2;

typedef struct TrafficWc {
    uint64_t host_line;                     /* 0: free */
    uint64_t bytes;                         /* mask of those written */
} TrafficWc;

/* Classification for MSR_OFFCORE_RSP */
typedef enum TrafficAsk {
    ASK_DATA_RD, ASK_RFO, ASK_IFETCH, ASK_WB, ASK_STREAM,
    TRAFFIC_ASKS
} TrafficAsk;

/* Supplier: none, the socket's LLC, memory, or a remote cache */
typedef enum TrafficSupplier {
    FROM_NOWHERE,
    FROM_LLC_S, FROM_LLC_F, FROM_LLC_E, FROM_LLC_M,
    FROM_LOCAL, FROM_REMOTE,
    TRAFFIC_SUPPLIERS
} TrafficSupplier;

/* Snoop result; of several snoops, the greatest one */
typedef enum TrafficSnoop {
    SNOOP_NONE, SNOOP_NOT_NEEDED, SNOOP_MISS, SNOOP_HIT, SNOOP_FORWARD,
    SNOOP_HITM,
    TRAFFIC_SNOOPS
} TrafficSnoop;

/* C-state of a core; the PCU counts C1 as C0. */
typedef enum TrafficCState {
    TRAFFIC_C0, TRAFFIC_C3, TRAFFIC_C6,
    TRAFFIC_C_STATES
} TrafficCState;

typedef struct TrafficCore {
    TrafficL1 l1d, l1i;                     /* generated code reads them */
    TrafficL2 l2;
    TrafficWc wc[WC_BUFFERS];
    unsigned next_wc;
    TrafficWc *last_wc;                     /* of the last store, or NULL */
    unsigned socket;
    unsigned id;                            /* in its socket */
    CPUArchState *env;
    uint64_t lost;          /* accesses whose page the TLB has forgotten */
    /* Responses to user and kernel, not yet counted; and whether any are */
    uint64_t offcore[2][TRAFFIC_ASKS][TRAFFIC_SUPPLIERS][TRAFFIC_SNOOPS];
    bool offcore_new;
    TrafficCState c_state;
    int64_t asleep;         /* virtual time when it halted, or -1 */
    int64_t asleep_ticks;   /* the time stamp counter then */
    uint64_t slept[UNCORE_C_STATES];         /* in these; not yet counted */
} TrafficCore;

/* Requests of a core to the LLC */
typedef enum TrafficRequest {
    REQ_READ, REQ_CODE, REQ_OWN,
} TrafficRequest;

/*
 * Flows: steps of an access, each counted at its place. For example, a demand
 * read that misses is DRD at a CBo in state I, READ_REMOTE from socket to
 * home, and RD_MISS in a channel. traffic-flows.c has their events.
 */
typedef enum TrafficFlow {
    /* at a CBo, by core, state and home */
    FLOW_DRD, FLOW_CRD, FLOW_RFO,
    FLOW_WB,                /* a modified line comes from a core's L2 */
    FLOW_WCILF, FLOW_WCIL,  /* streaming stores: a whole line, a part */
    FLOW_ITOM,              /* DMA writes a whole line */
    FLOW_DMA_RFO,           /* ... a part of it */
    FLOW_RDCUR,             /* DMA reads */
    FLOW_VICTIM,            /* a fill puts a line out */
    FLOW_SNOOPED,           /* the other socket asks */
    FLOW_SNOOP_CORE,        /* other cores of the socket are asked */
    FLOW_CORE_CLEAN,        /* ... and this one has it not, or unmodified */
    FLOW_CORE_HITM,         /* ... and this one gives what it has modified */
    /* between a socket and a home agent, by channel and slice */
    FLOW_READ_LOCAL, FLOW_READ_REMOTE,
    FLOW_READ_LOCAL_FWD,    /* the other socket's cache gives the data */
    FLOW_READ_REMOTE_FWD,
    FLOW_OWN_LOCAL, FLOW_OWN_REMOTE,        /* without data */
    FLOW_WRITE_LOCAL, FLOW_WRITE_REMOTE,
    FLOW_PART_LOCAL, FLOW_PART_REMOTE,
    FLOW_HITM_LOCAL, FLOW_HITM_REMOTE,      /* a snoop writes the line back */
    /* in a channel: the page is open, none is, another one is */
    FLOW_RD_HIT, FLOW_RD_EMPTY, FLOW_RD_MISS,
    FLOW_FILL_HIT, FLOW_FILL_EMPTY, FLOW_FILL_MISS,     /* underfill reads */
    FLOW_WR_HIT, FLOW_WR_EMPTY, FLOW_WR_MISS,
    TRAFFIC_FLOWS
} TrafficFlow;

/* Place of a flow; members that do not apply are 0. */
typedef struct TrafficPlace {
    TrafficFlow flow;
    uint8_t socket;         /* of the CBo, or of the asking agent */
    uint8_t home;           /* socket whose memory it is */
    uint8_t core;           /* or one of the two below */
    uint8_t slice;
    uint8_t channel;
    TrafficState state;
} TrafficPlace;

#define TRAFFIC_NO_CORE     8       /* nobody's: victims, snoops */
#define TRAFFIC_PCIE        9

/*
 * A place as an index: slice, channel, state, core, home, socket; and flow.
 * Neighbouring lines of memory are in other slices, and those are neighbours
 * here.
 */
#define STATE_BITS      3
#define CHANNEL_BITS    2
#define SLICE_BITS      3
#define CORE_BITS       4
#define PLACE_BITS      (STATE_BITS + CHANNEL_BITS + SLICE_BITS + CORE_BITS + 2)
/* Not a power of two, to spread the flows of a place over host cache sets */
#define FLOW_PLACES     ((1u << PLACE_BITS) + 24)

static inline uint32_t traffic_place_index(const TrafficPlace *p)
{
    uint32_t i = p->socket;

    i = i << 1 | p->home;
    i = i << CORE_BITS | p->core;
    i = i << STATE_BITS | p->state;
    i = i << CHANNEL_BITS | p->channel;
    i = i << SLICE_BITS | p->slice;
    return p->flow * FLOW_PLACES + i;
}

/* Guest memory of a socket and its host address */
typedef struct TrafficNode {
    uint64_t first;         /* number of its first line */
    uint64_t lines;
    uint64_t host_first;    /* host address of that, as a line */
} TrafficNode;

typedef struct Traffic {
    UncoreModel *uncore;
    QemuMutex lock;         /* of all below, but what the cores do alone */
    unsigned sockets;
    unsigned slices;        /* of a socket */
    TrafficNode node[TRAFFIC_SOCKETS];
    TrafficCore **cores;    /* by QEMU's cpu_index */
    unsigned nr_cores;
    TrafficCore *core[TRAFFIC_SOCKETS][UNCORE_MAX_CORES];
} Traffic;

extern Traffic traffic;

void traffic_init(UncoreModel *u);

/* Get a line's number from its host address; false if it is not in a node. */
static inline bool traffic_line(uint64_t host_line, uint64_t *line)
{
    for (unsigned n = 0; n < traffic.sockets; n++) {
        const TrafficNode *node = &traffic.node[n];

        if (host_line - node->host_first < node->lines) {
            *line = node->first + (host_line - node->host_first);
            return true;
        }
    }
    return false;
}

static inline unsigned traffic_home(uint64_t line)
{
    return traffic.sockets > 1 && line >= traffic.node[1].first;
}

static inline uint64_t traffic_host_line(uint64_t line)
{
    const TrafficNode *node = &traffic.node[traffic_home(line)];

    return node->host_first + (line - node->first);
}

/* traffic-core.c; with the lock held */
/* Change a line in a core's caches to @to, I or S; returns the old state. */
TrafficState traffic_core_snoop(TrafficCore *c, uint64_t line,
                                TrafficState to);
void traffic_core_reset(TrafficCore *c);

/* traffic-llc.c; with the lock held */
/* Returns the state in which the core gets the line, S or E. */
TrafficState traffic_llc_get(TrafficCore *c, uint64_t line,
                             TrafficRequest req);
void traffic_llc_writeback(TrafficCore *c, uint64_t line);
void traffic_llc_stream(TrafficCore *c, uint64_t line, bool full);
void traffic_llc_dma(uint64_t line, bool write, bool full);
void traffic_llc_reset(void);
/* Without the lock: prefetch host memory for a request of the line. */
void traffic_llc_prefetch(unsigned socket, uint64_t line);

/* traffic-flows.c */
/* With the lock held */
void traffic_flow_at(uint32_t index);
static inline void traffic_flow(TrafficPlace place)
{
    traffic_flow_at(traffic_place_index(&place));
}
/* Convert all flows so far to events of the boxes. */
void traffic_drain(void);
void traffic_flows_init(void);
void traffic_print_totals(GString *out);
void traffic_print_table(GString *out);

/* traffic-power.c */
void traffic_power_init(void);
/*
 * Update the PCU and the residency of a socket up to a virtual time, or the
 * later one that a vCPU which went idle meanwhile has reached: return which.
 */
int64_t traffic_power_drain(unsigned socket, int64_t now);
/* Traffic mode is switched; vCPUs are stopped. */
void traffic_power_switch(bool on);
void traffic_power_print(GString *out);

/* traffic-ubox.c */
void traffic_ubox_init(void);
void traffic_ubox_print(GString *out);

/* traffic-offcore.c */
void traffic_offcore_init(void);
/* with the lock held */
void traffic_offcore(TrafficCore *c, TrafficAsk ask, TrafficSupplier supplier,
                     TrafficSnoop snoop);

#endif
