/*
 * Row definitions for the tables of traffic-flows.c and traffic-ring.c, and
 * injection of their events
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_TRAFFIC_TABLES_H
#define HW_I386_MODEL_TRAFFIC_TABLES_H

#include "qemu/bitops.h"
#include "traffic.h"

/* States of the line and homes that a row is for, as a mask */
#define WHEN_I          BIT(LINE_I)
#define WHEN_S          BIT(LINE_S)
#define WHEN_F          BIT(LINE_F)
#define WHEN_E          BIT(LINE_E)
#define WHEN_M          BIT(LINE_M)
#define WHEN_NEAR       BIT(LINE_STATES)
#define WHEN_FAR        BIT(LINE_STATES + 1)
#define WHEN_SHARED     (WHEN_S | WHEN_F)
#define WHEN_HIT        (WHEN_SHARED | WHEN_E | WHEN_M)
#define WHEN_ANY_STATE  (WHEN_I | WHEN_HIT)
#define WHEN_ANY_HOME   (WHEN_NEAR | WHEN_FAR)

#define FLOW(name)      BIT_ULL(FLOW_ ## name)

/* Flows that have something in common */
#define FLOWS_OWN_READS (FLOW(RFO) | FLOW(DMA_RFO))
#define FLOWS_SHARED_READS  (FLOW(DRD) | FLOW(CRD) | FLOW(RDCUR))
#define FLOWS_READS     (FLOWS_OWN_READS | FLOWS_SHARED_READS)
#define FLOWS_STREAMS   (FLOW(WCILF) | FLOW(WCIL))
#define FLOWS_WRITES    (FLOW(WB) | FLOW(ITOM) | FLOWS_STREAMS)
/* Flows that end with a completion without data */
#define FLOWS_LOCAL_CMP (FLOW(READ_LOCAL_FWD) | FLOW(OWN_LOCAL) | \
                         FLOW(WRITE_LOCAL) | FLOW(PART_LOCAL))
#define FLOWS_REMOTE_CMP    (FLOW(READ_REMOTE_FWD) | FLOW(OWN_REMOTE) | \
                             FLOW(WRITE_REMOTE) | FLOW(PART_REMOTE))

static inline bool traffic_applies(uint8_t when, const TrafficPlace *p)
{
    return (when & BIT(p->state)) &&
           (when & (p->home == p->socket ? WHEN_NEAR : WHEN_FAR));
}

/* An event of the model's table, which must be there */
const UncoreEvent *traffic_event(UncoreKind kind, const char *name);
/* It happens in this box, if the socket has that. */
void traffic_happen(unsigned socket, UncoreKind kind, unsigned instance,
                    const UncoreStim *stim);

/* traffic-ring.c */
void traffic_ring_init(void);
/* @count flows of a place, for traffic_ring_drain() to tell the boxes */
void traffic_ring_flow(const TrafficPlace *p, uint64_t count);
void traffic_ring_drain(void);
/* Lines of traffic_print_table() */
void traffic_ring_print_flow(TrafficFlow flow, const char *name, GString *out);
void traffic_ring_print(GString *out);

#endif
