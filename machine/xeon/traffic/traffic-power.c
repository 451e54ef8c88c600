/*
 * Power states for the PCU: number of cores in C0, C3 and C6, and the frequency
 * of the socket. A halted core is first in C1, which the PCU counts as C0, then
 * in deeper states after some time.
 *
 * vCPUs halt and wake up without QEMU's lock, so they only accumulate cycles
 * per number of cores in each state. The PCU's counters are updated on access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "traffic.h"

/*
 * Sleep before a state, in ns. The guide has no such times, and no frequencies:
 * these are made up.
 */
static const int64_t sleep_before[TRAFFIC_C_STATES] = {
    [TRAFFIC_C3] = 20000, [TRAFFIC_C6] = 200000,
};

/* MHz with so many cores in C0, the turbo steps of a Xeon E5-2670 */
static const uint16_t mhz_by_cores[UNCORE_MAX_CORES + 1] = {
    1200, 3300, 3300, 3200, 3200, 3100, 3100, 3000, 3000
};

#define COUNTS      (UNCORE_MAX_CORES + 1)

typedef struct Power {
    int64_t synced;                         /* virtual time of what follows */
    unsigned in[TRAFFIC_C_STATES];          /* cores in each state now */
    /* PCU cycles by the cores in C3 and in C6, not yet counted */
    uint64_t cycles[COUNTS][COUNTS];
} Power;

static Power power[TRAFFIC_SOCKETS];
static const UncoreEvent *events[5];        /* the occupancy and the bands */

static void pass_time(unsigned socket, int64_t to)
{
    Power *p = &power[socket];
    UncoreBox *pcu = uncore_box_of_kind(&traffic.uncore->socket[socket],
                                        UNCORE_PCU, 0);

    if (to > p->synced) {
        p->cycles[p->in[TRAFFIC_C3]][p->in[TRAFFIC_C6]] +=
            uncore_clock_cycles(pcu, UNCORE_PCLK, to) -
            uncore_clock_cycles(pcu, UNCORE_PCLK, p->synced);
        p->synced = to;
    }
}

static void change_state(TrafficCore *c, TrafficCState to)
{
    power[c->socket].in[c->c_state]--;
    power[c->socket].in[to]++;
    c->c_state = to;
}

/* Return the time of a sleeping core's next state change, or never. */
static int64_t deeper_at(const TrafficCore *c)
{
    if (!c || c->asleep < 0 || c->c_state == TRAFFIC_C6) {
        return INT64_MAX;
    }
    return c->asleep + sleep_before[c->c_state + 1];
}

static void advance(unsigned socket, int64_t now)
{
    for (;;) {
        TrafficCore *first = NULL;

        for (unsigned i = 0; i < UNCORE_MAX_CORES; i++) {
            TrafficCore *c = traffic.core[socket][i];

            if (deeper_at(c) <= now &&
                (!first || deeper_at(c) < deeper_at(first))) {
                first = c;
            }
        }
        if (!first) {
            pass_time(socket, now);
            return;
        }
        pass_time(socket, deeper_at(first));
        change_state(first, first->c_state + 1);
    }
}

void traffic_idle(CPUState *cs, bool idle)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    TrafficCore *c = traffic.cores[cs->cpu_index];

    if (idle == (c->asleep >= 0)) {
        return;
    }
    qemu_mutex_lock(&traffic.lock);
    advance(c->socket, now);
    c->asleep = idle ? now : -1;
    if (!idle) {
        change_state(c, TRAFFIC_C0);
    }
    qemu_mutex_unlock(&traffic.lock);
}

static void drain_socket(unsigned socket)
{
    Power *p = &power[socket];
    unsigned cores = p->in[TRAFFIC_C0] + p->in[TRAFFIC_C3] +
                     p->in[TRAFFIC_C6];

    for (unsigned c3 = 0; c3 <= cores; c3++) {
        for (unsigned c6 = 0; c3 + c6 <= cores; c6++) {
            unsigned c0 = cores - c3 - c6;
            UncoreStim stim = {
                .count = p->cycles[c3][c6], .inc = 1, .lasts = true,
                .mhz = mhz_by_cores[c0], .occ = { 0, c0, c3, c6 },
            };

            for (unsigned i = 0; stim.count && i < ARRAY_SIZE(events); i++) {
                stim.event = events[i];
                traffic_happen(socket, UNCORE_PCU, 0, &stim);
            }
        }
    }
    memset(p->cycles, 0, sizeof(p->cycles));
}

int64_t traffic_power_drain(unsigned socket, int64_t now)
{
    if (!traffic_on) {
        return now;
    }
    qemu_mutex_lock(&traffic.lock);
    advance(socket, now);
    drain_socket(socket);
    now = power[socket].synced;
    qemu_mutex_unlock(&traffic.lock);
    return now;
}

void traffic_power_switch(bool on)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    for (unsigned s = 0; s < traffic.sockets; s++) {
        traffic_power_drain(s, now);
        power[s] = (Power) { .synced = now };
    }
    for (unsigned i = 0; on && i < traffic.nr_cores; i++) {
        TrafficCore *c = traffic.cores[i];

        if (c) {
            c->c_state = TRAFFIC_C0;
            c->asleep = qemu_get_cpu(i)->halted ? now : -1;
            power[c->socket].in[TRAFFIC_C0]++;
        }
    }
}

void traffic_power_init(void)
{
    events[0] = traffic_event(UNCORE_PCU, "POWER_STATE_OCCUPANCY");
    for (unsigned i = 1; i < ARRAY_SIZE(events); i++) {
        g_autofree char *name = g_strdup_printf("FREQ_BAND%u_CYCLES", i - 1);

        events[i] = traffic_event(UNCORE_PCU, name);
    }
}
