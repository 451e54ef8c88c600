/*
 * What each flow means for the counters: the tables, and the way from counts
 * of flows to counts of events. An event finds its counters as a stimulus of
 * uncore-stim's does, with all that its attributes say to the filters.
 *
 * A flow is counted where it happens, and that is all that the guest's
 * accesses pay for. The boxes hear of it when somebody looks at one of them
 * or changes what it counts; no register changes in between, so it makes no
 * difference to the counts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "traffic.h"

/*
 * How long an entry stays in the TOR, in uncore clocks. The guide has no
 * latencies; these are of the order of a Xeon E5-2600's at 2 GHz.
 */
#define TOR_HIT         30
#define TOR_LOCAL       160
#define TOR_REMOTE      260
#define TOR_WRITE       20

typedef enum Where {
    AT_CBO,
    AT_HA,          /* of the home */
    AT_IMC,         /* of the home's channel */
} Where;

/* States and homes that a row is for */
#define I       BIT(LINE_I)
#define S       BIT(LINE_S)
#define F       BIT(LINE_F)
#define E       BIT(LINE_E)
#define M       BIT(LINE_M)
#define SHARED  (S | F)
#define HIT     (S | F | E | M)
#define ANY     (I | HIT)
#define NEAR    BIT(LINE_STATES)
#define FAR     BIT(LINE_STATES + 1)
#define HERE    (NEAR | FAR)

/* Flows that have something in common */
#define ONE(flow)       BIT_ULL(FLOW_ ## flow)
#define OWN_READS       (ONE(RFO) | ONE(DMA_RFO))
#define SHARED_READS    (ONE(DRD) | ONE(CRD) | ONE(RDCUR))
#define READS           (OWN_READS | SHARED_READS)
#define STREAMS         (ONE(WCILF) | ONE(WCIL))
#define WRITES          (ONE(WB) | ONE(ITOM) | STREAMS)
#define DMAS            (ONE(ITOM) | ONE(DMA_RFO) | ONE(RDCUR))
#define HOME_DATA       (ONE(READ_LOCAL) | ONE(READ_REMOTE))
#define HOME_READS      (HOME_DATA | ONE(READ_LOCAL_FWD) | \
                         ONE(READ_REMOTE_FWD))
#define HOME_FULL       (ONE(WRITE_LOCAL) | ONE(WRITE_REMOTE) | \
                         ONE(HITM_LOCAL) | ONE(HITM_REMOTE))
#define HOME_PART       (ONE(PART_LOCAL) | ONE(PART_REMOTE))
#define HOME_OWN        (ONE(OWN_LOCAL) | ONE(OWN_REMOTE))
#define HOME_MEMORY     (HOME_READS | HOME_FULL | HOME_PART)
/* Those that end with a completion without data */
#define LOCAL_CMP       (ONE(READ_LOCAL_FWD) | ONE(OWN_LOCAL) | \
                         ONE(WRITE_LOCAL) | ONE(PART_LOCAL))
#define REMOTE_CMP      (ONE(READ_REMOTE_FWD) | ONE(OWN_REMOTE) | \
                         ONE(WRITE_REMOTE) | ONE(PART_REMOTE))
#define DRAM_READS      (ONE(RD_HIT) | ONE(RD_EMPTY) | ONE(RD_MISS))
#define DRAM_FILLS      (ONE(FILL_HIT) | ONE(FILL_EMPTY) | ONE(FILL_MISS))
#define DRAM_WRITES     (ONE(WR_HIT) | ONE(WR_EMPTY) | ONE(WR_MISS))
#define DRAM_EMPTY      (ONE(RD_EMPTY) | ONE(FILL_EMPTY) | ONE(WR_EMPTY))
#define DRAM_MISSES     (ONE(RD_MISS) | ONE(FILL_MISS) | ONE(WR_MISS))

/* These flows, in these states, cause this event so often. */
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
    { READS | WRITES, ANY | HERE, AT_CBO, "RxR_INSERTS", 0x01, 1 },
    { DMAS, ANY | HERE, AT_CBO, "RxR_INSERTS", 0x10, 1 },
    { ONE(SNOOPED), ANY | HERE, AT_CBO, "RxR_INSERTS", 0x04, 1 },
    /* Table 2-16: its types are bits 1, 2 and 3. */
    { READS, ANY | HERE, AT_CBO, "LLC_LOOKUP", 0x02, 1 },
    { WRITES, ANY | HERE, AT_CBO, "LLC_LOOKUP", 0x04, 1 },
    { ONE(SNOOPED), ANY | HERE, AT_CBO, "LLC_LOOKUP", 0x08, 1 },
    /* Table 2-17; it has no bit for F. */
    { ONE(VICTIM), M | HERE, AT_CBO, "LLC_VICTIMS", 0x01, 1 },
    { ONE(VICTIM), E | HERE, AT_CBO, "LLC_VICTIMS", 0x02, 1 },
    { ONE(VICTIM), S | HERE, AT_CBO, "LLC_VICTIMS", 0x04, 1 },
    { ONE(VICTIM), F | HERE, AT_CBO, "LLC_VICTIMS", 0x00, 1 },
    /* Table 2-18: WC_ALIASING, RFO_HIT_S */
    { STREAMS, M | HERE, AT_CBO, "MISC", 0x02, 1 },
    { ONE(RFO), S | HERE, AT_CBO, "MISC", 0x08, 1 },
    /* Table 2-32: data from the LLC, "snoops to the cores" */
    { READS, HIT | HERE, AT_CBO, "TxR_INSERTS", 0x04, 1 },
    { ONE(SNOOP_CORE), ANY | HERE, AT_CBO, "TxR_INSERTS", 0x08, 1 },
    /* The TOR, tables 2-30 and 2-31; the occupancy is the time in it. */
    { SHARED_READS, HIT | HERE, AT_CBO, "TOR_INSERTS", 0x01, 1 },
    { SHARED_READS, HIT | HERE, AT_CBO, "TOR_OCCUPANCY", 0x01, TOR_HIT },
    { SHARED_READS, I | HERE, AT_CBO, "TOR_INSERTS", 0x03, 1 },
    { SHARED_READS, I | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x03, TOR_LOCAL },
    { SHARED_READS, I | FAR, AT_CBO, "TOR_OCCUPANCY", 0x03, TOR_REMOTE },
    /* A request to own what is shared asks the home, and so is a miss. */
    { OWN_READS | ONE(ITOM), E | M | HERE, AT_CBO, "TOR_INSERTS", 0x01, 1 },
    { OWN_READS | ONE(ITOM), E | M | HERE, AT_CBO, "TOR_OCCUPANCY", 0x01,
      TOR_HIT },
    { OWN_READS | ONE(ITOM), I | SHARED | HERE, AT_CBO, "TOR_INSERTS", 0x03,
      1 },
    { OWN_READS | ONE(ITOM), I | SHARED | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x03,
      TOR_LOCAL },
    { OWN_READS | ONE(ITOM), I | SHARED | FAR, AT_CBO, "TOR_OCCUPANCY", 0x03,
      TOR_REMOTE },
    { ONE(WB), ANY | HERE, AT_CBO, "TOR_INSERTS", 0x11, 1 },
    { ONE(WB), ANY | HERE, AT_CBO, "TOR_OCCUPANCY", 0x11, TOR_WRITE },
    { STREAMS, ANY | HERE, AT_CBO, "TOR_INSERTS", 0x13, 1 },
    { STREAMS, ANY | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x13, TOR_LOCAL },
    { STREAMS, ANY | FAR, AT_CBO, "TOR_OCCUPANCY", 0x13, TOR_REMOTE },
    { ONE(VICTIM), S | F | E | HERE, AT_CBO, "TOR_INSERTS", 0x04, 1 },
    { ONE(VICTIM), S | F | E | HERE, AT_CBO, "TOR_OCCUPANCY", 0x04, TOR_HIT },
    { ONE(VICTIM), M | HERE, AT_CBO, "TOR_INSERTS", 0x06, 1 },
    { ONE(VICTIM), M | NEAR, AT_CBO, "TOR_OCCUPANCY", 0x06, TOR_LOCAL },
    { ONE(VICTIM), M | FAR, AT_CBO, "TOR_OCCUPANCY", 0x06, TOR_REMOTE },

    /* Table 2-48: "Writes include all writes (streaming, evictions, HitM" */
    { HOME_READS, ANY | HERE, AT_HA, "REQUESTS", 0x03, 1 },
    { HOME_FULL | HOME_PART, ANY | HERE, AT_HA, "REQUESTS", 0x0c, 1 },
    /* Tables 2-52 and 2-50: all of a socket's memory is one TAD region. */
    { HOME_MEMORY | HOME_OWN, ANY | HERE, AT_HA, "TRACKER_INSERTS", 0x03, 1 },
    { HOME_MEMORY, ANY | HERE, AT_HA, "TAD_REQUESTS_G0", 0x01, 1 },
    /* Table 2-56: data to the cache, to QPI */
    { ONE(READ_LOCAL), ANY | HERE, AT_HA, "TxR_BL", 0x01, 1 },
    { ONE(READ_REMOTE), ANY | HERE, AT_HA, "TxR_BL", 0x04, 1 },
    /* "AK NDR is used for messages to the local socket"; table 2-53 */
    { LOCAL_CMP, ANY | HERE, AT_HA, "TxR_AK_NDR", 0, 1 },
    { REMOTE_CMP, ANY | HERE, AT_HA, "TxR_AD", 0x01, 1 },
    /* Table 2-47 */
    { HOME_FULL, ANY | HERE, AT_HA, "IMC_WRITES", 0x01, 1 },
    { HOME_PART, ANY | HERE, AT_HA, "IMC_WRITES", 0x02, 1 },

    /* Tables 2-66 and 2-72. Writes wait for the write major mode. */
    { DRAM_READS, ANY | HERE, AT_IMC, "CAS_COUNT", 0x01, 1 },
    { DRAM_FILLS, ANY | HERE, AT_IMC, "CAS_COUNT", 0x02, 1 },
    { DRAM_WRITES, ANY | HERE, AT_IMC, "CAS_COUNT", 0x04, 1 },
    { DRAM_READS | DRAM_FILLS, ANY | HERE, AT_IMC, "RPQ_INSERTS", 0, 1 },
    { DRAM_WRITES, ANY | HERE, AT_IMC, "WPQ_INSERTS", 0, 1 },
    { DRAM_EMPTY | DRAM_MISSES, ANY | HERE, AT_IMC, "ACT_COUNT", 0, 1 },
    { DRAM_MISSES, ANY | HERE, AT_IMC, "PRE_COUNT", 0x01, 1 },
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

typedef struct Flits {
    Class class;
    const char *sent, *received;
    uint8_t umask;
    uint8_t flits;
} Flits;

#define FLITS(class, group, umask, flits) \
    { class, "TxL_FLITS_" group, "RxL_FLITS_" group, umask, flits }

static const Flits flits[] = {
    FLITS(SNP, "G0", 0x04, 1), FLITS(SNP, "G1", 0x01, 1),
    FLITS(HOM_REQ, "G0", 0x04, 1), FLITS(HOM_REQ, "G1", 0x02, 1),
    FLITS(HOM_RSP, "G0", 0x04, 1), FLITS(HOM_RSP, "G1", 0x04, 1),
    /* A line is one header and eight flits of data. */
    FLITS(DRS, "G0", 0x02, 8), FLITS(DRS, "G0", 0x04, 1),
    FLITS(DRS, "G1", 0x08, 8), FLITS(DRS, "G1", 0x10, 1),
    /* With byte enables (table 2-92, AnyResp11flits) */
    FLITS(DRS_PART, "G0", 0x02, 8), FLITS(DRS_PART, "G0", 0x04, 3),
    FLITS(DRS_PART, "G1", 0x08, 8), FLITS(DRS_PART, "G1", 0x10, 3),
    FLITS(NDR, "G0", 0x04, 1), FLITS(NDR, "G2", 0x01, 1),
};

/* What a flow sends; @out: by the flow's socket, else by the other one */
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
    [FLOW_SNOOP_CORE] = "snoop_core",
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

static const SnbepKind kinds[] = {
    [AT_CBO] = SNBEP_CBOX, [AT_HA] = SNBEP_HA, [AT_IMC] = SNBEP_IMC,
};

/* A place as an index: state, channel, slice, core, home, socket, flow */
#define STATE_BITS      3
#define CHANNEL_BITS    2
#define SLICE_BITS      3
#define CORE_BITS       4
#define PLACE_BITS      (STATE_BITS + CHANNEL_BITS + SLICE_BITS + CORE_BITS + 2)
#define PLACES          (TRAFFIC_FLOWS << PLACE_BITS)

static uint64_t pending[PLACES];
static uint32_t touched[PLACES];    /* those that are not 0 */
static unsigned nr_touched;
static uint64_t total[TRAFFIC_FLOWS];
/* The tables' events, found by name */
static const SnbepEvent *row_event[ARRAY_SIZE(rows)];
static const SnbepEvent *sent_event[ARRAY_SIZE(flits)];
static const SnbepEvent *received_event[ARRAY_SIZE(flits)];

static uint32_t place_index(const TrafficPlace *p)
{
    uint32_t i = p->flow;

    i = i << 1 | p->socket;
    i = i << 1 | p->home;
    i = i << CORE_BITS | p->core;
    i = i << SLICE_BITS | p->slice;
    i = i << CHANNEL_BITS | p->channel;
    return i << STATE_BITS | p->state;
}

static unsigned take(uint32_t *i, unsigned bits)
{
    unsigned v = *i & MAKE_64BIT_MASK(0, bits);

    *i >>= bits;
    return v;
}

static TrafficPlace index_place(uint32_t i)
{
    TrafficPlace p;

    p.state = take(&i, STATE_BITS);
    p.channel = take(&i, CHANNEL_BITS);
    p.slice = take(&i, SLICE_BITS);
    p.core = take(&i, CORE_BITS);
    p.home = take(&i, 1);
    p.socket = take(&i, 1);
    p.flow = i;
    return p;
}

void traffic_flow(TrafficPlace place)
{
    uint32_t i = place_index(&place);

    if (!pending[i]++) {
        touched[nr_touched++] = i;
    }
}

static bool applies(uint8_t when, const TrafficPlace *p)
{
    return (when & BIT(p->state)) &&
           (when & (p->home == p->socket ? NEAR : FAR));
}

static void happen(unsigned socket, SnbepKind kind, unsigned instance,
                   SnbepStim *stim)
{
    SnbepBox *box = snbep_box_of_kind(&traffic.uncore->socket[socket], kind,
                                      instance);

    if (box->present) {
        snbep_pmon_happen(box, stim);
    }
}

/* Table 2-12: bits of LLC_LOOKUP's state filter, and thread ids */
static void cbo_attributes(const TrafficPlace *p, SnbepStim *stim)
{
    static const uint8_t states[LINE_STATES] = {
        [LINE_I] = 1 << 0, [LINE_S] = 1 << 1, [LINE_E] = 1 << 2,
        [LINE_M] = 1 << 3, [LINE_F] = 1 << 4,
    };

    stim->state = states[p->state];
    stim->nid = traffic.uncore->socket[p->home].node;
    stim->tid = p->core == TRAFFIC_PCIE ? 0x1e :
                p->core == TRAFFIC_NO_CORE ? 0x0f : p->core << 1;
}

static void drain_rows(const TrafficPlace *p, uint64_t count)
{
    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        const Row *row = &rows[r];
        SnbepStim stim = {
            .event = row_event[r], .umask = row->umask,
            .opc = opcodes[p->flow],
            .count = count * row->times, .inc = 1,
        };

        if (!(row->flows & BIT_ULL(p->flow)) || !applies(row->when, p)) {
            continue;
        }
        if (row->where == AT_CBO) {
            cbo_attributes(p, &stim);
            happen(p->socket, SNBEP_CBOX, p->slice, &stim);
        } else {
            happen(p->home, kinds[row->where],
                   row->where == AT_IMC ? p->channel : 0, &stim);
        }
    }
}

/* Both ends of each message: what is sent is received. Ports take turns. */
static void drain_messages(const TrafficPlace *p, uint64_t count)
{
    for (unsigned m = 0; m < ARRAY_SIZE(messages); m++) {
        const Message *msg = &messages[m];
        unsigned from = msg->out ? p->socket : !p->socket;

        if (msg->flow != p->flow || !applies(msg->when, p)) {
            continue;
        }
        for (unsigned f = 0; f < ARRAY_SIZE(flits); f++) {
            SnbepStim stim = {
                .event = sent_event[f], .umask = flits[f].umask,
                .count = count * flits[f].flits, .inc = 1,
            };

            if (flits[f].class == msg->class) {
                happen(from, SNBEP_QPI, p->channel % SNBEP_QPI_PORTS, &stim);
                stim.event = received_event[f];
                happen(!from, SNBEP_QPI, p->channel % SNBEP_QPI_PORTS, &stim);
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
    }
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

static const SnbepEvent *event_named(SnbepKind kind, const char *name)
{
    for (const SnbepEvent *e = snbep_events[kind]; e->name; e++) {
        if (!strcmp(e->name, name)) {
            return e;
        }
    }
    g_assert_not_reached();
}

void traffic_flows_init(void)
{
    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        row_event[r] = event_named(kinds[rows[r].where], rows[r].event);
    }
    for (unsigned f = 0; f < ARRAY_SIZE(flits); f++) {
        sent_event[f] = event_named(SNBEP_QPI, flits[f].sent);
        received_event[f] = event_named(SNBEP_QPI, flits[f].received);
    }
}

static void print_flow(TrafficFlow flow, GString *out)
{
    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        g_autofree char *event = g_ascii_strdown(rows[r].event, -1);

        if (rows[r].flows & BIT_ULL(flow)) {
            g_string_append_printf(out, "%s %s %s umask=0x%02x times=%u\n",
                                   names[flow],
                                   snbep_box_types[kinds[rows[r].where]].name,
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
}

/*
 * "FLOW BOX EVENT umask=U times=N", a line for each thing that a flow does,
 * "FLOW qpi sends=CLASS" or receives=, and what these classes are
 */
void traffic_print_table(GString *out)
{
    for (unsigned flow = 0; flow < TRAFFIC_FLOWS; flow++) {
        print_flow(flow, out);
    }
    for (unsigned f = 0; f < ARRAY_SIZE(flits); f++) {
        g_autofree char *sent = g_ascii_strdown(flits[f].sent, -1);
        g_autofree char *received = g_ascii_strdown(flits[f].received, -1);
        const char *class = class_names[flits[f].class];

        g_string_append_printf(out, "%s qpi %s umask=0x%02x times=%u\n"
                               "%s qpi %s umask=0x%02x times=%u\n", class,
                               sent, flits[f].umask, flits[f].flits, class,
                               received, flits[f].umask, flits[f].flits);
    }
}
