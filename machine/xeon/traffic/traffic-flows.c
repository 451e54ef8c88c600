/*
 * Conversion of flows to events: tables, and injection of the events with the
 * attributes that filters need.
 *
 * Accesses only increment the counter of a flow. Flows are converted to events
 * when a box is read or programmed; as its registers do not change in between,
 * counts are the same.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "traffic-tables.h"

/*
 * Latency of queue entries in uncore clocks, or in DRAM clocks for the
 * channel's queues. The guide has no latencies; these are typical of a Xeon
 * E5-2600 at 2 GHz.
 */
enum {
    INGRESS     = 4,        /* a CBo's and R3QPI's, from the ring */
    TOR_HIT     = 30,
    TOR_LOCAL   = 160,
    TOR_REMOTE  = 260,
    TOR_WRITE   = 20,
    RPQ         = 22,
    WPQ         = 90,
};

typedef enum Where {
    AT_CBO,
    AT_HA,          /* of the home */
    AT_IMC,         /* of the home's channel */
    AT_R2PCIE,
} Where;

/* Abbreviations for the tables */
#define MISS        WHEN_I
#define S           WHEN_S
#define F           WHEN_F
#define E           WHEN_E
#define M           WHEN_M
#define SHARED      WHEN_SHARED
#define HIT         WHEN_HIT
#define ANY         WHEN_ANY_STATE
#define NEAR        WHEN_NEAR
#define FAR         WHEN_FAR
#define HERE        WHEN_ANY_HOME

/* Flows that have something in common */
#define DMA_WRITES      (FLOW(ITOM) | FLOW(DMA_RFO))
#define DMAS            (DMA_WRITES | FLOW(RDCUR))
#define OWNS            (FLOWS_OWN_READS | FLOW(ITOM))
#define HOME_DATA       (FLOW(READ_LOCAL) | FLOW(READ_REMOTE))
#define HOME_READS      (HOME_DATA | FLOW(READ_LOCAL_FWD) | \
                         FLOW(READ_REMOTE_FWD))
#define HOME_FULL       (FLOW(WRITE_LOCAL) | FLOW(WRITE_REMOTE) | \
                         FLOW(HITM_LOCAL) | FLOW(HITM_REMOTE))
#define HOME_PART       (FLOW(PART_LOCAL) | FLOW(PART_REMOTE))
#define HOME_OWN        (FLOW(OWN_LOCAL) | FLOW(OWN_REMOTE))
#define HOME_MEMORY     (HOME_READS | HOME_FULL | HOME_PART)
#define DRAM_READS      (FLOW(RD_HIT) | FLOW(RD_EMPTY) | FLOW(RD_MISS))
#define DRAM_FILLS      (FLOW(FILL_HIT) | FLOW(FILL_EMPTY) | FLOW(FILL_MISS))
#define DRAM_WRITES     (FLOW(WR_HIT) | FLOW(WR_EMPTY) | FLOW(WR_MISS))
#define DRAM_EMPTY      (FLOW(RD_EMPTY) | FLOW(FILL_EMPTY) | FLOW(WR_EMPTY))
#define DRAM_MISSES     (FLOW(RD_MISS) | FLOW(FILL_MISS) | FLOW(WR_MISS))

/* Event that flows cause in some states, and how often */
typedef struct Row {
    uint64_t flows;
    uint8_t when;
    Where where;
    const char *event;
    uint8_t umask;
    uint16_t times;
} Row;

static const Row rows[] = {
    /*
     * Table 2-25: IRQ, VFIFO ("it is necessary to keep IO requests in order"),
     * IPQ
     */
    { FLOWS_READS | FLOWS_WRITES, ANY | HERE, AT_CBO, "RxR_INSERTS", 0x01, 1 },
    { DMAS, ANY | HERE, AT_CBO, "RxR_INSERTS", 0x10, 1 },
    { FLOW(SNOOPED), ANY | HERE, AT_CBO, "RxR_INSERTS", 0x04, 1 },
    { FLOWS_READS | FLOWS_WRITES, ANY | HERE, AT_CBO, "RxR_OCCUPANCY", 0x01,
      INGRESS },
    { DMAS, ANY | HERE, AT_CBO, "RxR_OCCUPANCY", 0x10, INGRESS },
    { FLOW(SNOOPED), ANY | HERE, AT_CBO, "RxR_OCCUPANCY", 0x04, INGRESS },
    /* Table 2-16: its types are bits 1, 2 and 3. */
    { FLOWS_READS, ANY | HERE, AT_CBO, "LLC_LOOKUP", 0x02, 1 },
    { FLOWS_WRITES, ANY | HERE, AT_CBO, "LLC_LOOKUP", 0x04, 1 },
    { FLOW(SNOOPED), ANY | HERE, AT_CBO, "LLC_LOOKUP", 0x08, 1 },
    /* Table 2-17; it has no bit for F. */
    { FLOW(VICTIM), M | HERE, AT_CBO, "LLC_VICTIMS", 0x01, 1 },
    { FLOW(VICTIM), E | HERE, AT_CBO, "LLC_VICTIMS", 0x02, 1 },
    { FLOW(VICTIM), S | HERE, AT_CBO, "LLC_VICTIMS", 0x04, 1 },
    { FLOW(VICTIM), F | HERE, AT_CBO, "LLC_VICTIMS", 0x00, 1 },
    /* Table 2-18: WC_ALIASING, RFO_HIT_S */
    { FLOWS_STREAMS, M | HERE, AT_CBO, "MISC", 0x02, 1 },
    { FLOW(RFO), S | HERE, AT_CBO, "MISC", 0x08, 1 },
    /* The TOR, tables 2-30 and 2-31; the occupancy is the time in it. */
    { FLOWS_SHARED_READS, HIT | HERE, AT_CBO, "TOR_INSERTS", 0x01, 1 },
    { FLOWS_SHARED_READS, HIT | HERE, AT_CBO, "TOR_OCCUPANCY", 0x01, TOR_HIT },
    { FLOWS_SHARED_READS, MISS | HERE, AT_CBO, "TOR_INSERTS", 0x03, 1 },
    { FLOWS_SHARED_READS, MISS | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x03,
      TOR_LOCAL },
    { FLOWS_SHARED_READS, MISS | FAR, AT_CBO, "TOR_OCCUPANCY", 0x03,
      TOR_REMOTE },
    /* An ownership request for a shared line goes to the home: a miss. */
    { OWNS, E | M | HERE, AT_CBO, "TOR_INSERTS", 0x01, 1 },
    { OWNS, E | M | HERE, AT_CBO, "TOR_OCCUPANCY", 0x01, TOR_HIT },
    { OWNS, MISS | SHARED | HERE, AT_CBO, "TOR_INSERTS", 0x03, 1 },
    { OWNS, MISS | SHARED | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x03, TOR_LOCAL },
    { OWNS, MISS | SHARED | FAR, AT_CBO, "TOR_OCCUPANCY", 0x03, TOR_REMOTE },
    { FLOW(WB), ANY | HERE, AT_CBO, "TOR_INSERTS", 0x11, 1 },
    { FLOW(WB), ANY | HERE, AT_CBO, "TOR_OCCUPANCY", 0x11, TOR_WRITE },
    { FLOWS_STREAMS, ANY | HERE, AT_CBO, "TOR_INSERTS", 0x13, 1 },
    { FLOWS_STREAMS, ANY | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x13, TOR_LOCAL },
    { FLOWS_STREAMS, ANY | FAR, AT_CBO, "TOR_OCCUPANCY", 0x13, TOR_REMOTE },
    { FLOW(VICTIM), S | F | E | HERE, AT_CBO, "TOR_INSERTS", 0x04, 1 },
    { FLOW(VICTIM), S | F | E | HERE, AT_CBO, "TOR_OCCUPANCY", 0x04, TOR_HIT },
    { FLOW(VICTIM), M | HERE, AT_CBO, "TOR_INSERTS", 0x06, 1 },
    { FLOW(VICTIM), M | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x06, TOR_LOCAL },
    { FLOW(VICTIM), M | FAR, AT_CBO, "TOR_OCCUPANCY", 0x06, TOR_REMOTE },

    /* Table 2-48: "Writes include all writes (streaming, evictions, HitM" */
    { HOME_READS, ANY | HERE, AT_HA, "REQUESTS", 0x03, 1 },
    { HOME_FULL | HOME_PART, ANY | HERE, AT_HA, "REQUESTS", 0x0c, 1 },
    /* Tables 2-52 and 2-50: all of a socket's memory is one TAD region. */
    { HOME_MEMORY | HOME_OWN, ANY | HERE, AT_HA, "TRACKER_INSERTS", 0x03, 1 },
    { HOME_MEMORY, ANY | HERE, AT_HA, "TAD_REQUESTS_G0", 0x01, 1 },
    /* Table 2-56: data to the cache, to QPI */
    { FLOW(READ_LOCAL), ANY | HERE, AT_HA, "TxR_BL", 0x01, 1 },
    { FLOW(READ_REMOTE), ANY | HERE, AT_HA, "TxR_BL", 0x04, 1 },
    /* "AK NDR is used for messages to the local socket"; table 2-53 */
    { FLOWS_LOCAL_CMP, ANY | HERE, AT_HA, "TxR_AK_NDR", 0, 1 },
    { FLOWS_REMOTE_CMP, ANY | HERE, AT_HA, "TxR_AD", 0x01, 1 },
    /* Table 2-47 */
    { HOME_FULL, ANY | HERE, AT_HA, "IMC_WRITES", 0x01, 1 },
    { HOME_PART, ANY | HERE, AT_HA, "IMC_WRITES", 0x02, 1 },

    /* Tables 2-66 and 2-72. Writes wait for the write major mode. */
    { DRAM_READS, ANY | HERE, AT_IMC, "CAS_COUNT", 0x01, 1 },
    { DRAM_FILLS, ANY | HERE, AT_IMC, "CAS_COUNT", 0x02, 1 },
    { DRAM_WRITES, ANY | HERE, AT_IMC, "CAS_COUNT", 0x04, 1 },
    { DRAM_READS | DRAM_FILLS, ANY | HERE, AT_IMC, "RPQ_INSERTS", 0, 1 },
    { DRAM_WRITES, ANY | HERE, AT_IMC, "WPQ_INSERTS", 0, 1 },
    { DRAM_READS | DRAM_FILLS, ANY | HERE, AT_IMC, "RPQ_OCCUPANCY", 0, RPQ },
    { DRAM_WRITES, ANY | HERE, AT_IMC, "WPQ_OCCUPANCY", 0, WPQ },
    { DRAM_EMPTY | DRAM_MISSES, ANY | HERE, AT_IMC, "ACT_COUNT", 0, 1 },
    { DRAM_MISSES, ANY | HERE, AT_IMC, "PRE_COUNT", 0x01, 1 },

    /*
     * A slot of the ring has 32 bytes (table 2-109). Of a write a request and
     * a line leave R2PCIe, of a read a request does.
     */
    { DMA_WRITES, ANY | HERE, AT_R2PCIE, "TxR_INSERTS", 0, 3 },
    { FLOW(RDCUR), ANY | HERE, AT_R2PCIE, "TxR_INSERTS", 0, 1 },
};

/* Table 2-13 */
static const uint16_t opcodes[TRAFFIC_FLOWS] = {
    [FLOW_RFO] = 0x180, [FLOW_DMA_RFO] = 0x180, [FLOW_CRD] = 0x181,
    [FLOW_DRD] = 0x182, [FLOW_WCILF] = 0x18c, [FLOW_WCIL] = 0x18d,
    [FLOW_ITOM] = 0x19c, [FLOW_RDCUR] = 0x19e, [FLOW_WB] = 0x1c4,
};

/* Messages of QPI, by the class of their packet (tables 2-98 to 2-103) */
typedef enum Class {
    SNP, HOM_REQ, HOM_RSP, DRS, DRS_PART, NDR,
    CLASSES
} Class;

static const char *const class_names[CLASSES] = {
    [SNP] = "snp", [HOM_REQ] = "hom_req", [HOM_RSP] = "hom_rsp",
    [DRS] = "drs", [DRS_PART] = "drs_part", [NDR] = "ndr",
};

/* Events that messages of a class cause in a box at one end of the link */
typedef struct Part {
    uint8_t classes;
    bool received;
    UncoreKind kind;         /* QPI, or R3QPI, of the port */
    const char *event;
    uint8_t umask;
    uint8_t times;
} Part;

#define SNP_    BIT(SNP)
#define REQ_    BIT(HOM_REQ)
#define RSP_    BIT(HOM_RSP)
#define DRS_    BIT(DRS)
#define PART_   BIT(DRS_PART)
#define NDR_    BIT(NDR)
#define DATA    (DRS_ | PART_)
#define SHORT   (SNP_ | REQ_ | RSP_ | NDR_)

#define SENT(classes, box, event, umask, times) \
    { classes, false, UNCORE_ ## box, event, umask, times }
#define RECEIVED(classes, box, event, umask, times) \
    { classes, true, UNCORE_ ## box, event, umask, times }

static const Part parts[] = {
    /*
     * Table 2-98: a line is one header and eight flits of data, with byte
     * enables three (table 2-92, AnyResp11flits).
     */
    SENT(DATA, QPI, "TxL_FLITS_G0", 0x02, 8),
    RECEIVED(DATA, QPI, "RxL_FLITS_G0", 0x02, 8),
    SENT(SHORT | DRS_, QPI, "TxL_FLITS_G0", 0x04, 1),
    RECEIVED(SHORT | DRS_, QPI, "RxL_FLITS_G0", 0x04, 1),
    SENT(PART_, QPI, "TxL_FLITS_G0", 0x04, 3),
    RECEIVED(PART_, QPI, "RxL_FLITS_G0", 0x04, 3),
    /* Table 2-99 */
    SENT(SNP_, QPI, "TxL_FLITS_G1", 0x01, 1),
    RECEIVED(SNP_, QPI, "RxL_FLITS_G1", 0x01, 1),
    SENT(REQ_, QPI, "TxL_FLITS_G1", 0x02, 1),
    RECEIVED(REQ_, QPI, "RxL_FLITS_G1", 0x02, 1),
    SENT(RSP_, QPI, "TxL_FLITS_G1", 0x04, 1),
    RECEIVED(RSP_, QPI, "RxL_FLITS_G1", 0x04, 1),
    SENT(DATA, QPI, "TxL_FLITS_G1", 0x08, 8),
    RECEIVED(DATA, QPI, "RxL_FLITS_G1", 0x08, 8),
    SENT(DRS_, QPI, "TxL_FLITS_G1", 0x10, 1),
    RECEIVED(DRS_, QPI, "RxL_FLITS_G1", 0x10, 1),
    SENT(PART_, QPI, "TxL_FLITS_G1", 0x10, 3),
    RECEIVED(PART_, QPI, "RxL_FLITS_G1", 0x10, 3),
    /* Table 2-100 */
    SENT(NDR_, QPI, "TxL_FLITS_G2", 0x01, 1),
    RECEIVED(NDR_, QPI, "RxL_FLITS_G2", 0x01, 1),
    /*
     * Queues are never full: each flit bypasses the buffers of both link
     * layers, and takes a VNA credit of the receiver.
     */
    SENT(SHORT, QPI, "TxL_BYPASSED", 0, 1),
    RECEIVED(SHORT, QPI, "RxL_BYPASSED", 0, 1),
    RECEIVED(SHORT, QPI, "RxL_CREDITS_CONSUMED_VNA", 0, 1),
    SENT(SHORT, R3QPI, "VNA_CREDITS_ACQUIRED", 0, 1),
    SENT(DRS_, QPI, "TxL_BYPASSED", 0, 9),
    RECEIVED(DRS_, QPI, "RxL_BYPASSED", 0, 9),
    RECEIVED(DRS_, QPI, "RxL_CREDITS_CONSUMED_VNA", 0, 9),
    SENT(DRS_, R3QPI, "VNA_CREDITS_ACQUIRED", 0, 9),
    SENT(PART_, QPI, "TxL_BYPASSED", 0, 11),
    RECEIVED(PART_, QPI, "RxL_BYPASSED", 0, 11),
    RECEIVED(PART_, QPI, "RxL_CREDITS_CONSUMED_VNA", 0, 11),
    SENT(PART_, R3QPI, "VNA_CREDITS_ACQUIRED", 0, 11),
    /* Tables 2-133 and 2-134 */
    SENT(REQ_ | RSP_, R3QPI, "RxR_INSERTS", 0x01, 1),
    SENT(REQ_ | RSP_, R3QPI, "RxR_OCCUPANCY", 0x01, INGRESS),
    SENT(SNP_, R3QPI, "RxR_INSERTS", 0x02, 1),
    SENT(SNP_, R3QPI, "RxR_OCCUPANCY", 0x02, INGRESS),
    SENT(NDR_, R3QPI, "RxR_INSERTS", 0x04, 1),
    SENT(NDR_, R3QPI, "RxR_OCCUPANCY", 0x04, INGRESS),
    SENT(DATA, R3QPI, "RxR_INSERTS", 0x08, 1),
    SENT(DATA, R3QPI, "RxR_OCCUPANCY", 0x08, INGRESS),
    /* Table 2-123: to the ring, whose slots have 32 bytes */
    RECEIVED(SHORT, R3QPI, "TxR_INSERTS", 0, 1),
    RECEIVED(DATA, R3QPI, "TxR_INSERTS", 0, 2),
};

/* Messages of a flow; @out: sent by the flow's socket, else by the other one */
typedef struct Message {
    TrafficFlow flow;
    uint8_t when;
    bool out;
    Class class;
} Message;

static const Message messages[] = {
    /* The answer goes to the home. */
    { FLOW_SNOOPED, ANY | HERE, false, SNP },
    { FLOW_SNOOPED, ANY | FAR, true, HOM_RSP },
    { FLOW_READ_REMOTE, ANY | HERE, true, HOM_REQ },
    { FLOW_READ_REMOTE, ANY | HERE, false, DRS },
    { FLOW_READ_LOCAL_FWD, ANY | HERE, false, DRS },
    { FLOW_READ_REMOTE_FWD, ANY | HERE, true, HOM_REQ },
    { FLOW_READ_REMOTE_FWD, ANY | HERE, false, DRS },
    { FLOW_READ_REMOTE_FWD, ANY | HERE, false, NDR },
    { FLOW_OWN_REMOTE, ANY | HERE, true, HOM_REQ },
    { FLOW_OWN_REMOTE, ANY | HERE, false, NDR },
    { FLOW_WRITE_REMOTE, ANY | HERE, true, HOM_REQ },
    { FLOW_WRITE_REMOTE, ANY | HERE, true, DRS },
    { FLOW_WRITE_REMOTE, ANY | HERE, false, NDR },
    { FLOW_PART_REMOTE, ANY | HERE, true, HOM_REQ },
    { FLOW_PART_REMOTE, ANY | HERE, true, DRS_PART },
    { FLOW_PART_REMOTE, ANY | HERE, false, NDR },
    { FLOW_HITM_REMOTE, ANY | HERE, true, DRS },
};

static const char *const names[TRAFFIC_FLOWS] = {
    [FLOW_DRD] = "drd", [FLOW_CRD] = "crd", [FLOW_RFO] = "rfo",
    [FLOW_WB] = "wb", [FLOW_WCILF] = "wcilf", [FLOW_WCIL] = "wcil",
    [FLOW_ITOM] = "dma_write", [FLOW_DMA_RFO] = "dma_write_part",
    [FLOW_RDCUR] = "dma_read",
    [FLOW_VICTIM] = "victim", [FLOW_SNOOPED] = "snooped",
    [FLOW_SNOOP_CORE] = "snoop_core", [FLOW_CORE_CLEAN] = "core_clean",
    [FLOW_CORE_HITM] = "core_hitm",
    [FLOW_READ_LOCAL] = "read_local", [FLOW_READ_REMOTE] = "read_remote",
    [FLOW_READ_LOCAL_FWD] = "read_local_forwarded",
    [FLOW_READ_REMOTE_FWD] = "read_remote_forwarded",
    [FLOW_OWN_LOCAL] = "own_local", [FLOW_OWN_REMOTE] = "own_remote",
    [FLOW_WRITE_LOCAL] = "write_local", [FLOW_WRITE_REMOTE] = "write_remote",
    [FLOW_PART_LOCAL] = "write_part_local",
    [FLOW_PART_REMOTE] = "write_part_remote",
    [FLOW_HITM_LOCAL] = "hitm_local", [FLOW_HITM_REMOTE] = "hitm_remote",
    [FLOW_RD_HIT] = "dram_read_page_hit",
    [FLOW_RD_EMPTY] = "dram_read_page_empty",
    [FLOW_RD_MISS] = "dram_read_page_miss",
    [FLOW_FILL_HIT] = "dram_underfill_page_hit",
    [FLOW_FILL_EMPTY] = "dram_underfill_page_empty",
    [FLOW_FILL_MISS] = "dram_underfill_page_miss",
    [FLOW_WR_HIT] = "dram_write_page_hit",
    [FLOW_WR_EMPTY] = "dram_write_page_empty",
    [FLOW_WR_MISS] = "dram_write_page_miss",
};

static const UncoreKind kinds[] = {
    [AT_CBO] = UNCORE_CBOX, [AT_HA] = UNCORE_HA, [AT_IMC] = UNCORE_IMC,
    [AT_R2PCIE] = UNCORE_R2PCIE,
};

#define PLACES          (TRAFFIC_FLOWS * FLOW_PLACES)

static uint64_t pending[PLACES];
static uint32_t touched[PLACES];    /* places with counts */
static unsigned nr_touched;
static uint64_t total[TRAFFIC_FLOWS];
/* The tables' events, found by name */
static const UncoreEvent *row_event[ARRAY_SIZE(rows)];
static const UncoreEvent *part_event[ARRAY_SIZE(parts)];

static unsigned take(uint32_t *i, unsigned bits)
{
    unsigned v = *i & MAKE_64BIT_MASK(0, bits);

    *i >>= bits;
    return v;
}

static TrafficPlace index_place(uint32_t i)
{
    TrafficPlace p = { .flow = i / FLOW_PLACES };

    i %= FLOW_PLACES;
    p.slice = take(&i, SLICE_BITS);
    p.channel = take(&i, CHANNEL_BITS);
    p.state = take(&i, STATE_BITS);
    p.core = take(&i, CORE_BITS);
    p.home = take(&i, 1);
    p.socket = take(&i, 1);
    return p;
}

void traffic_flow_at(uint32_t i)
{
    if (!pending[i]++) {
        touched[nr_touched++] = i;
    }
}

void traffic_happen(unsigned socket, UncoreKind kind, unsigned instance,
                    const UncoreStim *stim)
{
    UncoreBox *box = uncore_box_of_kind(&traffic.uncore->socket[socket], kind,
                                        instance);

    if (box->present) {
        uncore_pmon_happen(box, stim);
    }
}

/* Table 2-12: bits of LLC_LOOKUP's state filter, and thread ids */
static void cbo_attributes(const TrafficPlace *p, UncoreStim *stim)
{
    static const uint8_t states[LINE_STATES] = {
        [LINE_I] = 1 << 0, [LINE_S] = 1 << 1, [LINE_E] = 1 << 2,
        [LINE_M] = 1 << 3, [LINE_F] = 1 << 4,
    };

    stim->state = states[p->state];
    stim->nid = traffic.uncore->node[p->home];
    stim->tid = p->core == TRAFFIC_PCIE ? 0x1e :
                p->core == TRAFFIC_NO_CORE ? 0x0f : p->core << 1;
}

static void drain_rows(const TrafficPlace *p, uint64_t count)
{
    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        const Row *row = &rows[r];
        UncoreStim stim = {
            .event = row_event[r], .umask = row->umask,
            .opc = opcodes[p->flow],
            .count = count * row->times, .inc = 1,
        };

        if (!(row->flows & BIT_ULL(p->flow)) ||
            !traffic_applies(row->when, p)) {
            continue;
        }
        switch (row->where) {
        case AT_CBO:
            cbo_attributes(p, &stim);
            traffic_happen(p->socket, UNCORE_CBOX, p->slice, &stim);
            break;
        case AT_R2PCIE:
            traffic_happen(p->socket, UNCORE_R2PCIE, 0, &stim);
            break;
        default:
            traffic_happen(p->home, kinds[row->where],
                   row->where == AT_IMC ? p->channel : 0, &stim);
        }
    }
}

/* Account each message at both ends, alternating between ports. */
static void drain_messages(const TrafficPlace *p, uint64_t count)
{
    for (unsigned m = 0; m < ARRAY_SIZE(messages); m++) {
        const Message *msg = &messages[m];
        unsigned from = msg->out ? p->socket : !p->socket;

        if (msg->flow != p->flow || !traffic_applies(msg->when, p)) {
            continue;
        }
        for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
            const Part *part = &parts[i];
            UncoreStim stim = {
                .event = part_event[i], .umask = part->umask,
                .count = count * part->times, .inc = 1,
            };

            if (part->classes & BIT(msg->class)) {
                traffic_happen(part->received ? !from : from, part->kind,
                       p->channel % UNCORE_QPI_PORTS, &stim);
            }
        }
    }
}

static void drain_locked(void)
{
    for (unsigned t = 0; t < nr_touched; t++) {
        TrafficPlace p = index_place(touched[t]);
        uint64_t count = pending[touched[t]];

        pending[touched[t]] = 0;
        total[p.flow] += count;
        drain_rows(&p, count);
        drain_messages(&p, count);
        traffic_ring_flow(&p, count);
    }
    traffic_ring_drain();
    nr_touched = 0;
}

void traffic_drain(void)
{
    if (qatomic_read(&nr_touched)) {
        qemu_mutex_lock(&traffic.lock);
        drain_locked();
        qemu_mutex_unlock(&traffic.lock);
    }
}

void traffic_print_totals(GString *out)
{
    traffic_drain();
    for (unsigned f = 0; f < TRAFFIC_FLOWS; f++) {
        g_string_append_printf(out, "%s=%" PRIu64 "\n", names[f], total[f]);
    }
}

const UncoreEvent *traffic_event(UncoreKind kind, const char *name)
{
    for (const UncoreEvent *e = uncore_events[kind]; e->name; e++) {
        if (!strcmp(e->name, name)) {
            return e;
        }
    }
    g_assert_not_reached();
}

void traffic_flows_init(void)
{
    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        row_event[r] = traffic_event(kinds[rows[r].where], rows[r].event);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
        part_event[i] = traffic_event(parts[i].kind, parts[i].event);
    }
    traffic_ring_init();
}

static void print_flow(TrafficFlow flow, GString *out)
{
    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        g_autofree char *event = g_ascii_strdown(rows[r].event, -1);

        if (rows[r].flows & BIT_ULL(flow)) {
            g_string_append_printf(out, "%s %s %s umask=0x%02x times=%u\n",
                                   names[flow],
                                   uncore_box_types[kinds[rows[r].where]].name,
                                   event, rows[r].umask, rows[r].times);
        }
    }
    for (unsigned m = 0; m < ARRAY_SIZE(messages); m++) {
        if (messages[m].flow == flow) {
            g_string_append_printf(out, "%s qpi %s=%s\n", names[flow],
                                   messages[m].out ? "sends" : "receives",
                                   class_names[messages[m].class]);
        }
    }
    traffic_ring_print_flow(flow, names[flow], out);
}

static void print_class(Class class, GString *out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(parts); i++) {
        const Part *part = &parts[i];
        g_autofree char *event = g_ascii_strdown(part->event, -1);

        if (part->classes & BIT(class)) {
            g_string_append_printf(out, "%s %s %s umask=0x%02x times=%u\n",
                                   class_names[class],
                                   uncore_box_types[part->kind].name, event,
                                   part->umask, part->times);
        }
    }
}

/*
 * "FLOW BOX EVENT umask=U times=N", a line for each thing that a flow does,
 * "FLOW qpi sends=CLASS" or receives=, and what these classes are; "FLOW ring
 * RING=FROM>TO umask= times=SLOTS", and what a ring's messages are
 */
void traffic_print_table(GString *out)
{
    for (unsigned flow = 0; flow < TRAFFIC_FLOWS; flow++) {
        print_flow(flow, out);
    }
    for (unsigned class = 0; class < CLASSES; class++) {
        print_class(class, out);
    }
    traffic_ring_print(out);
    traffic_power_print(out);
    traffic_ubox_print(out);
}
