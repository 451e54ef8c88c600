/*
 * Traffic mode, a model of caches, home agents and memory channels of Xeon
 * E5-2600 sockets: internal interfaces. QEMU calls the hooks of traffic-hook.h.
 *
 *   traffic.c        on and off, the machine's shape, the command
 *   traffic-core.c   a core's own caches; nearly every access ends here
 *   traffic-llc.c    LLC, coherence between cores and sockets, homes, DRAM
 *   traffic-flows.c  flows and interrupts, and the events that they cause
 *   traffic-power.c  idle states, for the PCU
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
    TrafficCState c_state;
    int64_t asleep;         /* virtual time when it halted, or -1 */
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
    /* between a socket and a home agent, by channel */
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

#define TRAFFIC_NO_CORE     8       /* nobody's: victims, snoops */
#define TRAFFIC_PCIE        9

/*
 * A flow and its place, members that do not apply are 0; and as an index.
 * Neighbouring lines of memory are in other slices, which are neighbours here.
 */
typedef union TrafficPlace {
    struct {
        uint32_t slice:3, channel:2;
        uint32_t state:3;       /* TrafficState */
        uint32_t core:4;        /* or one of the two above */
        uint32_t home:1;        /* socket whose memory it is */
        uint32_t socket:1;      /* of the CBo, or of the asking agent */
        uint32_t flow:5;        /* TrafficFlow */
    };
    uint32_t index;
} TrafficPlace;

#define TRAFFIC_PLACES      (1u << 19)

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

/* traffic-flows.c */
/* With the lock held */
void traffic_flow(TrafficPlace place);
/* Convert all flows so far to events of the boxes. */
void traffic_drain(void);
void traffic_flows_init(void);
/* Return an event of the model's table, which must be there. */
const UncoreEvent *traffic_event(UncoreKind kind, const char *name);
/* Inject into a box, if the socket has it. */
void traffic_happen(unsigned socket, UncoreKind kind, unsigned instance,
                    const UncoreStim *stim);

/* traffic-power.c */
void traffic_power_init(void);
/*
 * Update the PCU of a socket up to a virtual time, or the later one that a
 * vCPU which went idle meanwhile has reached: return which.
 */
int64_t traffic_power_drain(unsigned socket, int64_t now);
/* Traffic mode is switched; vCPUs are stopped. */
void traffic_power_switch(bool on);

#endif
