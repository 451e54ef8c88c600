/*
 * Rings of a socket: messages of each flow, and their events at every stop. The
 * guide describes what each ring carries (2.3.4.2), that there is one in each
 * direction except for IV, and that a stop counts messages that pass or end
 * there, but not those it sends (tables 2-19 to 2-23). It does not describe the
 * order of stops, and the choice of direction and polarity. Here:
 *
 *   - clockwise: the home agent; the first half of the CBos, the last of them
 *     first ("the left side of the ring"); R3QPI; R2PCIe; the other CBos, the
 *     last one first. A core shares the stop of the CBo of its number, and
 *     what one of the two sends the other takes no ring.
 *   - A message goes the shorter way, clockwise if both are alike.
 *   - Of a line's two slots one is even and one is odd; what takes one slot
 *     goes in the polarity of its destination.
 *   - IV goes round once, to all stops.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "traffic-tables.h"

typedef enum Ring {
    AD, AK, BL, IV,
    RINGS
} Ring;

static const char *const ring_names[RINGS] = {
    [AD] = "ad", [AK] = "ak", [BL] = "bl", [IV] = "iv",
};

/* Sender or receiver of a message */
typedef enum End {
    CORE,           /* the place's core, or R2PCIe */
    CBO,            /* of the place's slice */
    HA,
    QPI,
    ALL,
    ENDS
} End;

static const char *const end_names[ENDS] = {
    [CORE] = "core", [CBO] = "cbo", [HA] = "ha", [QPI] = "qpi",
    [ALL] = "all",
};

/* Socket of a message, relative to the flow's place */
typedef enum Side {
    OURS,           /* place.socket */
    HOMES,          /* place.home */
    OTHERS,         /* not place.socket */
    SIDES
} Side;

static const char *const side_names[SIDES] = {
    [OURS] = "ring", [HOMES] = "home's-ring", [OTHERS] = "other-ring",
};

typedef struct Message {
    uint64_t flows;
    uint8_t when;
    Side side;
    Ring ring;
    End from, to;
    uint8_t slots;
} Message;

/* Rows for any state of the line, by where its home is */
#define ANYWHERE    (WHEN_ANY_STATE | WHEN_ANY_HOME)
#define NEAR_HOME   (WHEN_ANY_STATE | WHEN_NEAR)
#define FAR_HOME    (WHEN_ANY_STATE | WHEN_FAR)

/* Flows that end with a completion, and with data from the home */
#define LOCAL_REQUESTS  (FLOWS_LOCAL_CMP | FLOW(READ_LOCAL))
#define REMOTE_REQUESTS (FLOWS_REMOTE_CMP | FLOW(READ_REMOTE))
/* Flows that write a line to the home */
#define LOCAL_WRITES    (FLOW(WRITE_LOCAL) | FLOW(PART_LOCAL) | \
                         FLOW(HITM_LOCAL))
#define REMOTE_WRITES   (FLOW(WRITE_REMOTE) | FLOW(PART_REMOTE) | \
                         FLOW(HITM_REMOTE))
#define FORWARDED       (FLOW(READ_LOCAL_FWD) | FLOW(READ_REMOTE_FWD))
#define CORE_ANSWERS    (FLOW(CORE_CLEAN) | FLOW(CORE_HITM))

static const Message messages[] = {
    /*
     * AD: "Core Read/Write Requests and Intel QPI Snoops", and "snoop
     * responses from C to Intel QPI". BL: "Data == 2 transfers for 1 cache
     * line". AK: "Acknowledges Intel QPI to CBo and CBo to Core" and "snoop
     * responses from Core to CBo". IV: "CBo Snoop requests of core caches".
     */
    { FLOWS_READS | FLOWS_WRITES, ANYWHERE, OURS, AD, CORE, CBO, 1 },
    { FLOWS_WRITES | FLOW(DMA_RFO), ANYWHERE, OURS, BL, CORE, CBO, 2 },
    { FLOWS_READS & ~FLOW(DMA_RFO), ANYWHERE, OURS, BL, CBO, CORE, 2 },
    { FLOWS_READS | FLOWS_WRITES, ANYWHERE, OURS, AK, CBO, CORE, 1 },
    { FLOW(SNOOP_CORE), ANYWHERE, OURS, IV, CBO, ALL, 1 },
    { CORE_ANSWERS, ANYWHERE, OURS, AK, CORE, CBO, 1 },
    { FLOW(CORE_HITM), ANYWHERE, OURS, BL, CORE, CBO, 2 },

    /* From a CBo to the home of its own socket, and back */
    { LOCAL_REQUESTS, ANYWHERE, OURS, AD, CBO, HA, 1 },
    { LOCAL_WRITES, ANYWHERE, OURS, BL, CBO, HA, 2 },
    { FLOW(READ_LOCAL), ANYWHERE, OURS, BL, HA, CBO, 2 },
    { FLOWS_LOCAL_CMP, ANYWHERE, OURS, AK, HA, CBO, 1 },

    /* To the other socket's home, and back */
    { REMOTE_REQUESTS, ANYWHERE, OURS, AD, CBO, QPI, 1 },
    { REMOTE_REQUESTS, ANYWHERE, HOMES, AD, QPI, HA, 1 },
    { REMOTE_WRITES, ANYWHERE, OURS, BL, CBO, QPI, 2 },
    { REMOTE_WRITES, ANYWHERE, HOMES, BL, QPI, HA, 2 },
    { FLOW(READ_REMOTE), ANYWHERE, HOMES, BL, HA, QPI, 2 },
    { FLOW(READ_REMOTE), ANYWHERE, OURS, BL, QPI, CBO, 2 },
    { FLOWS_REMOTE_CMP, ANYWHERE, HOMES, AD, HA, QPI, 1 },
    { FLOWS_REMOTE_CMP, ANYWHERE, OURS, AK, QPI, CBO, 1 },

    /* The other socket's CBo forwards a line. */
    { FORWARDED, ANYWHERE, OTHERS, BL, CBO, QPI, 2 },
    { FORWARDED, ANYWHERE, OURS, BL, QPI, CBO, 2 },

    /* The other socket's CBo has asked; the answer goes to the home. */
    { FLOW(SNOOPED), ANYWHERE, OTHERS, AD, CBO, QPI, 1 },
    { FLOW(SNOOPED), ANYWHERE, OURS, AD, QPI, CBO, 1 },
    { FLOW(SNOOPED), NEAR_HOME, OURS, AD, CBO, HA, 1 },
    { FLOW(SNOOPED), FAR_HOME, OURS, AD, CBO, QPI, 1 },
    { FLOW(SNOOPED), FAR_HOME, HOMES, AD, QPI, HA, 1 },
};

/* Events of a message at the stops that it passes */
typedef struct Seen {
    UncoreKind kind;
    Ring ring;
    const char *event;
} Seen;

static const Seen used_events[] = {
    { UNCORE_CBOX, AD, "RING_AD_USED" },
    { UNCORE_CBOX, AK, "RING_AK_USED" },
    { UNCORE_CBOX, BL, "RING_BL_USED" },
    { UNCORE_CBOX, IV, "RING_IV_USED" },
    { UNCORE_HA, AD, "RING_AD_USED" },
    { UNCORE_HA, AK, "RING_AK_USED" },
    { UNCORE_HA, BL, "RING_BL_USED" },
    { UNCORE_R2PCIE, AD, "RING_AD_USED" },
    { UNCORE_R2PCIE, AK, "RING_AK_USED" },
    { UNCORE_R2PCIE, BL, "RING_BL_USED" },
    { UNCORE_R2PCIE, IV, "RING_IV_USED" },
    { UNCORE_R3QPI, AD, "RING_AD_USED" },
    { UNCORE_R3QPI, AK, "RING_AK_USED" },
    { UNCORE_R3QPI, BL, "RING_BL_USED" },
    { UNCORE_R3QPI, IV, "RING_IV_USED" },
};

/* Table 2-32: what a CBo's egress takes, from "Cachebo" and from "Corebo" */
static const uint8_t egress_umask[2][RINGS] = {
    { [AD] = 0x01, [AK] = 0x02, [BL] = 0x04, [IV] = 0x08 },
    { [AD] = 0x10, [AK] = 0x20, [BL] = 0x40 },
};

#define MAX_STOPS   (UNCORE_MAX_CORES + 3)

/* By way and polarity, in the order of the unit mask's bits */
enum { CW_EVEN, CW_ODD, CCW_EVEN, CCW_ODD, WAYS };

/* Counts of one drain */
static uint64_t used[TRAFFIC_SOCKETS][MAX_STOPS][RINGS][WAYS];
static uint64_t egress[TRAFFIC_SOCKETS][UNCORE_MAX_CORES][2][RINGS];
static const UncoreEvent *used_event[ARRAY_SIZE(used_events)];
static const UncoreEvent *egress_event;

static unsigned left_cbos(void)
{
    return (traffic.slices + 1) / 2;
}

static unsigned stops(void)
{
    return traffic.slices + 3;
}

/* The CBo at a core's stop; a machine may have fewer slices than cores. */
static unsigned cbo_of(unsigned core)
{
    return core % traffic.slices;
}

static unsigned cbo_stop(unsigned i)
{
    unsigned left = left_cbos();

    return i < left ? left - i : left + 3 + (traffic.slices - 1 - i);
}

static unsigned stop_of(End end, const TrafficPlace *p)
{
    switch (end) {
    case CORE:
        return p->core == TRAFFIC_PCIE ? left_cbos() + 2
                                       : cbo_stop(cbo_of(p->core));
    case CBO:
        return cbo_stop(p->slice);
    case HA:
        return 0;
    case QPI:
        return left_cbos() + 1;
    default:
        g_assert_not_reached();
    }
}

static void pass(unsigned socket, unsigned stop, const Message *m, bool ccw,
                 unsigned to, uint64_t count)
{
    uint64_t *way = used[socket][stop][m->ring];

    if (m->ring == IV) {
        way[0] += count;
    } else if (m->slots == 2) {
        way[ccw ? CCW_EVEN : CW_EVEN] += count;
        way[ccw ? CCW_ODD : CW_ODD] += count;
    } else {
        way[(ccw ? CCW_EVEN : CW_EVEN) + to % 2] += count;
    }
}

static void send_message(unsigned socket, const Message *m,
                         const TrafficPlace *p, uint64_t count)
{
    unsigned n = stops();
    unsigned from = stop_of(m->from, p);
    unsigned to = m->to == ALL ? (from + n - 1) % n : stop_of(m->to, p);
    unsigned ahead = (to + n - from) % n;
    bool ccw = m->to != ALL && ahead > n - ahead;

    if (from == to) {
        return;
    }
    if (m->from == CBO) {
        egress[socket][p->slice][0][m->ring] += count;
    } else if (m->from == CORE && p->core != TRAFFIC_PCIE) {
        egress[socket][cbo_of(p->core)][1][m->ring] += count;
    }
    for (unsigned stop = from; stop != to; ) {
        stop = (stop + (ccw ? n - 1 : 1)) % n;
        pass(socket, stop, m, ccw, to, count);
    }
}

void traffic_ring_flow(const TrafficPlace *p, uint64_t count)
{
    for (unsigned i = 0; i < ARRAY_SIZE(messages); i++) {
        const Message *m = &messages[i];

        if ((m->flows & BIT_ULL(p->flow)) && traffic_applies(m->when, p)) {
            send_message(m->side == OURS ? p->socket :
                         m->side == HOMES ? p->home : !p->socket,
                         m, p, count);
        }
    }
}

/* The box of @kind at a stop, and how often it is there */
static unsigned boxes_at(unsigned stop, UncoreKind kind, unsigned *first)
{
    unsigned left = left_cbos();

    *first = 0;
    switch (kind) {
    case UNCORE_HA:
        return stop == 0;
    case UNCORE_R3QPI:
        /* "two Intel QPI agents that share a single ring stop" (2.7.1) */
        return stop == left + 1 ? UNCORE_QPI_PORTS : 0;
    case UNCORE_R2PCIE:
        return stop == left + 2;
    default:
        *first = stop <= left ? left - stop
                              : traffic.slices - 1 - (stop - left - 3);
        return stop != 0 && stop != left + 1 && stop != left + 2;
    }
}

/*
 * CBos have up and down: "On the left side of the ring, the UP direction is on
 * the clockwise ring". "On the right side of the ring, this is reversed."
 */
static unsigned umask_of(UncoreKind kind, Ring ring, unsigned stop,
                         unsigned way)
{
    bool right = kind == UNCORE_CBOX && stop > left_cbos();

    return ring == IV ? 0x0f : 1u << (right ? way ^ CCW_EVEN : way);
}

static void drain_used(unsigned socket, unsigned stop, const Seen *seen,
                       const UncoreEvent *event)
{
    unsigned first, n = boxes_at(stop, seen->kind, &first);

    for (unsigned way = 0; n && way < WAYS; way++) {
        UncoreStim stim = {
            .event = event, .inc = 1,
            .umask = umask_of(seen->kind, seen->ring, stop, way),
            .count = used[socket][stop][seen->ring][way],
        };

        for (unsigned i = 0; stim.count && i < n; i++) {
            traffic_happen(socket, seen->kind, first + i, &stim);
        }
    }
}

static void drain_egress(unsigned socket, unsigned cbo)
{
    for (unsigned core = 0; core < 2; core++) {
        for (Ring ring = 0; ring < RINGS; ring++) {
            UncoreStim stim = {
                .event = egress_event, .inc = 1,
                .umask = egress_umask[core][ring],
                .count = egress[socket][cbo][core][ring],
            };

            if (stim.count) {
                traffic_happen(socket, UNCORE_CBOX, cbo, &stim);
            }
        }
    }
}

void traffic_ring_drain(void)
{
    for (unsigned s = 0; s < traffic.sockets; s++) {
        for (unsigned stop = 0; stop < stops(); stop++) {
            for (unsigned i = 0; i < ARRAY_SIZE(used_events); i++) {
                drain_used(s, stop, &used_events[i], used_event[i]);
            }
        }
        for (unsigned i = 0; i < traffic.slices; i++) {
            drain_egress(s, i);
        }
    }
    memset(used, 0, sizeof(used));
    memset(egress, 0, sizeof(egress));
}

void traffic_ring_init(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(used_events); i++) {
        used_event[i] = traffic_event(used_events[i].kind,
                                      used_events[i].event);
    }
    egress_event = traffic_event(UNCORE_CBOX, "TxR_INSERTS");
}

void traffic_ring_print_flow(TrafficFlow flow, const char *name, GString *out)
{
    for (unsigned i = 0; i < ARRAY_SIZE(messages); i++) {
        const Message *m = &messages[i];

        if (m->flows & BIT_ULL(flow)) {
            g_string_append_printf(out, "%s %s %s=%s>%s umask= times=%u\n",
                                   name, side_names[m->side],
                                   ring_names[m->ring], end_names[m->from],
                                   end_names[m->to], m->slots);
        }
    }
}

void traffic_ring_print(GString *out)
{
    for (Ring ring = 0; ring < RINGS; ring++) {
        for (unsigned i = 0; i < ARRAY_SIZE(used_events); i++) {
            g_autofree char *event = g_ascii_strdown(used_events[i].event, -1);

            if (used_events[i].ring == ring) {
                g_string_append_printf(out, "%s %s %s umask=0x0f times=1\n",
                                       ring_names[ring],
                                       uncore_box_types[used_events[i].kind]
                                           .name, event);
            }
        }
        g_string_append_printf(out, "%s cbox txr_inserts umask=0x%02x "
                               "times=1\n", ring_names[ring],
                               egress_umask[0][ring] | egress_umask[1][ring]);
    }
}
