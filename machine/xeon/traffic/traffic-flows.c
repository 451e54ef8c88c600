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
#include "qemu/bitops.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "traffic.h"

/*
 * Time in the TOR, in uncore clocks. The guide has no latencies: these are
 * made up, remote memory being slower than local memory.
 */
enum {
    TOR_HIT     = 30,
    TOR_LOCAL   = 160,
    TOR_REMOTE  = 260,
    TOR_WRITE   = 20,
};

typedef enum Where {
    AT_CBO,
    AT_HA,          /* of the home */
    AT_IMC,         /* of the home's channel */
} Where;

/* States of the line that a row is for, and whether its home is local */
#define S               BIT(LINE_S)
#define F               BIT(LINE_F)
#define E               BIT(LINE_E)
#define M               BIT(LINE_M)
#define MISS            BIT(LINE_I)
#define SHARED          (S | F)
#define HIT             (SHARED | E | M)
#define ANY_STATE       (MISS | HIT)
#define LOCAL           BIT(LINE_STATES)
#define REMOTE          BIT(LINE_STATES + 1)
#define ANY_HOME        (LOCAL | REMOTE)
#define ALWAYS          (ANY_STATE | ANY_HOME)

/* Sets of flows */
#define FLOW(name)      BIT_ULL(FLOW_ ## name)
#define READS_TO_SHARE  (FLOW(DRD) | FLOW(CRD) | FLOW(RDCUR))
#define READS_TO_OWN    (FLOW(RFO) | FLOW(DMA_RFO))
#define READS           (READS_TO_SHARE | READS_TO_OWN)
#define STREAMS         (FLOW(WCILF) | FLOW(WCIL))
#define OWNS            (READS_TO_OWN | FLOW(ITOM))
#define HOME_READS      (FLOW(READ_LOCAL) | FLOW(READ_REMOTE) | \
                         FLOW(READ_LOCAL_FWD) | FLOW(READ_REMOTE_FWD))
#define HOME_WRITES     (FLOW(WRITE_LOCAL) | FLOW(WRITE_REMOTE) | \
                         FLOW(PART_LOCAL) | FLOW(PART_REMOTE) | \
                         FLOW(HITM_LOCAL) | FLOW(HITM_REMOTE))
#define DRAM_MISSES     (FLOW(RD_MISS) | FLOW(FILL_MISS) | FLOW(WR_MISS))
#define DRAM_OPENS      (FLOW(RD_EMPTY) | FLOW(FILL_EMPTY) | \
                         FLOW(WR_EMPTY) | DRAM_MISSES)

/* Event that flows cause in some states */
typedef struct Row {
    uint64_t flows;
    uint8_t when;
    Where where;
    const char *event;
    uint8_t umask;
    uint16_t latency;       /* TOR_INSERTS: what TOR_OCCUPANCY adds */
} Row;

static const Row rows[] = {
    /* Table 2-16: its types are bits 1, 2 and 3. */
    { READS, ALWAYS, AT_CBO, "LLC_LOOKUP", 0x02 },
    { FLOW(WB) | FLOW(ITOM) | STREAMS, ALWAYS, AT_CBO, "LLC_LOOKUP", 0x04 },
    { FLOW(SNOOPED), ALWAYS, AT_CBO, "LLC_LOOKUP", 0x08 },
    /* Table 2-17; it has no bit for F. */
    { FLOW(VICTIM), M | ANY_HOME, AT_CBO, "LLC_VICTIMS", 0x01 },
    { FLOW(VICTIM), E | ANY_HOME, AT_CBO, "LLC_VICTIMS", 0x02 },
    { FLOW(VICTIM), S | ANY_HOME, AT_CBO, "LLC_VICTIMS", 0x04 },
    { FLOW(VICTIM), F | ANY_HOME, AT_CBO, "LLC_VICTIMS", 0x00 },
    /* Tables 2-30 and 2-31 */
    { READS_TO_SHARE, HIT | ANY_HOME, AT_CBO, "TOR_INSERTS", 0x01, TOR_HIT },
    { READS_TO_SHARE, MISS | LOCAL, AT_CBO, "TOR_INSERTS", 0x03, TOR_LOCAL },
    { READS_TO_SHARE, MISS | REMOTE, AT_CBO, "TOR_INSERTS", 0x03, TOR_REMOTE },
    /* An ownership request for a shared line goes to the home: a miss. */
    { OWNS, E | M | ANY_HOME, AT_CBO, "TOR_INSERTS", 0x01, TOR_HIT },
    { OWNS, MISS | SHARED | LOCAL, AT_CBO, "TOR_INSERTS", 0x03, TOR_LOCAL },
    { OWNS, MISS | SHARED | REMOTE, AT_CBO, "TOR_INSERTS", 0x03, TOR_REMOTE },
    { FLOW(WB), ALWAYS, AT_CBO, "TOR_INSERTS", 0x11, TOR_WRITE },
    { STREAMS, ANY_STATE | LOCAL, AT_CBO, "TOR_INSERTS", 0x13, TOR_LOCAL },
    { STREAMS, ANY_STATE | REMOTE, AT_CBO, "TOR_INSERTS", 0x13, TOR_REMOTE },
    { FLOW(VICTIM), S | F | E | ANY_HOME, AT_CBO, "TOR_INSERTS", 0x04,
      TOR_HIT },
    { FLOW(VICTIM), M | LOCAL, AT_CBO, "TOR_INSERTS", 0x06, TOR_LOCAL },
    { FLOW(VICTIM), M | REMOTE, AT_CBO, "TOR_INSERTS", 0x06, TOR_REMOTE },
    /* Table 2-48: "Writes include all writes (streaming, evictions, HitM" */
    { HOME_READS, ALWAYS, AT_HA, "REQUESTS", 0x03 },
    { HOME_WRITES, ALWAYS, AT_HA, "REQUESTS", 0x0c },
    /* Table 2-56: data to the cache, to QPI */
    { FLOW(READ_LOCAL), ALWAYS, AT_HA, "TxR_BL", 0x01 },
    { FLOW(READ_REMOTE), ALWAYS, AT_HA, "TxR_BL", 0x04 },
    /* Tables 2-66 and 2-72. Writes wait for the write major mode. */
    { FLOW(RD_HIT) | FLOW(RD_EMPTY) | FLOW(RD_MISS), ALWAYS, AT_IMC,
      "CAS_COUNT", 0x01 },
    { FLOW(FILL_HIT) | FLOW(FILL_EMPTY) | FLOW(FILL_MISS), ALWAYS, AT_IMC,
      "CAS_COUNT", 0x02 },
    { FLOW(WR_HIT) | FLOW(WR_EMPTY) | FLOW(WR_MISS), ALWAYS, AT_IMC,
      "CAS_COUNT", 0x04 },
    { DRAM_OPENS, ALWAYS, AT_IMC, "ACT_COUNT", 0 },
    { DRAM_MISSES, ALWAYS, AT_IMC, "PRE_COUNT", 0x01 },
};

/* Table 2-13 */
static const uint16_t opcodes[TRAFFIC_FLOWS] = {
    [FLOW_RFO] = 0x180, [FLOW_DMA_RFO] = 0x180, [FLOW_CRD] = 0x181,
    [FLOW_DRD] = 0x182, [FLOW_WCILF] = 0x18c, [FLOW_WCIL] = 0x18d,
    [FLOW_ITOM] = 0x19c, [FLOW_RDCUR] = 0x19e, [FLOW_WB] = 0x1c4,
};

/*
 * Flits of a flow on its QPI link, sent by its socket and by the other one.
 * Table 2-98: a request, snoop or response is one; a line is eight of data
 * and a header, with byte enables three (table 2-92, AnyResp11flits).
 */
typedef struct Flits {
    TrafficFlow flow;
    uint8_t when;
    struct {
        uint8_t data, other;
    } sent, received;
} Flits;

static const Flits flits[] = {
    /* The answer goes to the home. */
    { FLOW_SNOOPED, ANY_STATE | LOCAL, { 0, 0 }, { 0, 1 } },
    { FLOW_SNOOPED, ANY_STATE | REMOTE, { 0, 1 }, { 0, 1 } },
    { FLOW_READ_REMOTE, ALWAYS, { 0, 1 }, { 8, 1 } },
    { FLOW_READ_LOCAL_FWD, ALWAYS, { 0, 0 }, { 8, 1 } },
    { FLOW_READ_REMOTE_FWD, ALWAYS, { 0, 1 }, { 8, 2 } },
    { FLOW_OWN_REMOTE, ALWAYS, { 0, 1 }, { 0, 1 } },
    { FLOW_WRITE_REMOTE, ALWAYS, { 8, 2 }, { 0, 1 } },
    { FLOW_PART_REMOTE, ALWAYS, { 8, 4 }, { 0, 1 } },
    { FLOW_HITM_REMOTE, ALWAYS, { 8, 1 }, { 0, 0 } },
};

static uint64_t pending[TRAFFIC_PLACES];
static uint32_t touched[TRAFFIC_PLACES];    /* places with counts */
static unsigned nr_touched;
/* The events, found by name */
static const UncoreEvent *row_event[ARRAY_SIZE(rows)];
static const UncoreEvent *tor_occupancy, *flits_sent, *flits_received;
static const UncoreEvent *event_msg;

void traffic_flow(TrafficPlace place)
{
    QEMU_BUILD_BUG_ON(TRAFFIC_FLOWS > 32);
    if (!pending[place.index]++) {
        touched[nr_touched++] = place.index;
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

static bool applies(uint8_t when, const TrafficPlace *p)
{
    return (when & BIT(p->state)) &&
           (when & (p->home == p->socket ? LOCAL : REMOTE));
}

static void drain_row(unsigned r, const TrafficPlace *p, uint64_t count)
{
    const Row *row = &rows[r];
    UncoreStim stim = {
        .event = row_event[r], .umask = row->umask, .opc = opcodes[p->flow],
        .count = count, .inc = 1,
    };

    switch (row->where) {
    case AT_CBO:
        cbo_attributes(p, &stim);
        traffic_happen(p->socket, UNCORE_CBOX, p->slice, &stim);
        if (row->latency) {
            stim.event = tor_occupancy;
            stim.count = count * row->latency;
            traffic_happen(p->socket, UNCORE_CBOX, p->slice, &stim);
        }
        break;
    case AT_HA:
        traffic_happen(p->home, UNCORE_HA, 0, &stim);
        break;
    case AT_IMC:
        traffic_happen(p->home, UNCORE_IMC, p->channel, &stim);
        break;
    }
}

/* Account flits at both ends of a link. */
static void send_flits(unsigned from, unsigned port, uint8_t umask,
                       uint64_t count)
{
    UncoreStim stim = {
        .event = flits_sent, .umask = umask, .count = count, .inc = 1,
    };

    if (count) {
        traffic_happen(from, UNCORE_QPI, port, &stim);
        stim.event = flits_received;
        traffic_happen(!from, UNCORE_QPI, port, &stim);
    }
}

static void drain_flow(const TrafficPlace *p, uint64_t count)
{
    unsigned port = p->channel % UNCORE_QPI_PORTS;

    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        if ((rows[r].flows & BIT_ULL(p->flow)) && applies(rows[r].when, p)) {
            drain_row(r, p, count);
        }
    }
    for (unsigned i = 0; i < ARRAY_SIZE(flits); i++) {
        const Flits *f = &flits[i];

        if (f->flow == p->flow && applies(f->when, p)) {
            send_flits(p->socket, port, 0x02, count * f->sent.data);
            send_flits(p->socket, port, 0x04, count * f->sent.other);
            send_flits(!p->socket, port, 0x02, count * f->received.data);
            send_flits(!p->socket, port, 0x04, count * f->received.other);
        }
    }
}

void traffic_drain(void)
{
    if (!qatomic_read(&nr_touched)) {
        return;
    }
    qemu_mutex_lock(&traffic.lock);
    for (unsigned t = 0; t < nr_touched; t++) {
        TrafficPlace p = { .index = touched[t] };

        drain_flow(&p, pending[p.index]);
        pending[p.index] = 0;
    }
    nr_touched = 0;
    qemu_mutex_unlock(&traffic.lock);
}

uint32_t traffic_sockets_of(CPUState *cs)
{
    return 1u << traffic.cores[cs->cpu_index]->socket;
}

void traffic_message(TrafficMessage what, uint32_t sockets)
{
    /* Table 2-7 */
    static const uint8_t umasks[TRAFFIC_MESSAGES] = {
        [TRAFFIC_VLW] = 0x01, [TRAFFIC_MSI] = 0x02, [TRAFFIC_IPI] = 0x04,
    };
    UncoreStim stim = {
        .event = event_msg, .umask = umasks[what], .count = 1, .inc = 1,
    };

    assert(qemu_mutex_iothread_locked());
    for (unsigned s = 0; s < traffic.sockets; s++) {
        if (sockets & 1u << s) {
            traffic_happen(s, UNCORE_UBOX, 0, &stim);
        }
    }
}

const UncoreEvent *traffic_event(UncoreKind kind, const char *name)
{
    for (const UncoreEvent *e = uncore_events(0, kind); e->name; e++) {
        if (!strcmp(e->name, name)) {
            return e;
        }
    }
    g_assert_not_reached();
}

void traffic_flows_init(void)
{
    static const UncoreKind kinds[] = {
        [AT_CBO] = UNCORE_CBOX, [AT_HA] = UNCORE_HA, [AT_IMC] = UNCORE_IMC,
    };

    for (unsigned r = 0; r < ARRAY_SIZE(rows); r++) {
        row_event[r] = traffic_event(kinds[rows[r].where], rows[r].event);
    }
    tor_occupancy = traffic_event(UNCORE_CBOX, "TOR_OCCUPANCY");
    flits_sent = traffic_event(UNCORE_QPI, "TxL_FLITS_G0");
    flits_received = traffic_event(UNCORE_QPI, "RxL_FLITS_G0");
    event_msg = traffic_event(UNCORE_UBOX, "EVENT_MSG");
}
