/*
 * Power states for the PCU: number of cores in C0, C3 and C6, and the frequency
 * of the socket.
 *
 * A halted core is first in C1, which the PCU counts as C0, then in deeper
 * states after some time. The guide has neither times nor frequencies; the
 * tables below are typical of a Xeon E5-2670.
 *
 * vCPUs halt and wake up without QEMU's lock, so they only accumulate cycles
 * per number of cores in each state. The PCU's counters are updated on access.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "sysemu/cpu-timers.h"
#include "cpu.h"
#include "traffic-tables.h"

/* In the order of occ_sel (2.6.3.2), less one */
static const struct {
    int64_t after;          /* ns of sleep */
    uint32_t wake;          /* cycles of the PCU to leave it again */
} states[TRAFFIC_C_STATES] = {
    [TRAFFIC_C3] = { 20000, 8000 },
    [TRAFFIC_C6] = { 200000, 16000 },
};

/* MHz with so many cores in C0 */
static const uint16_t mhz_by_cores[UNCORE_MAX_CORES + 1] = {
    1200, 3300, 3300, 3200, 3200, 3100, 3100, 3000, 3000
};

#define COUNTS      (UNCORE_MAX_CORES + 1)

typedef struct Power {
    int64_t synced;                         /* virtual time of what follows */
    unsigned in[TRAFFIC_C_STATES];          /* cores in each state now */
    /* Not yet counted: cycles by the cores in C3 and in C6, */
    uint64_t cycles[COUNTS][COUNTS];
    /* changes of a state from so many cores to one more, and back to them, */
    uint64_t more[TRAFFIC_C_STATES][COUNTS];
    uint64_t less[TRAFFIC_C_STATES][COUNTS];
    /* and cycles in which a core left C3 or C6 */
    uint64_t waking[UNCORE_MAX_CORES];
    bool new;
} Power;

static Power power[TRAFFIC_SOCKETS];
static const UncoreEvent *occupancy, *total_transition;
static const UncoreEvent *bands[4], *transition[UNCORE_MAX_CORES];

static UncoreBox *pcu_of(unsigned socket)
{
    return uncore_box_of_kind(&traffic.uncore->socket[socket], UNCORE_PCU, 0);
}

static void pass_time(unsigned socket, int64_t to)
{
    Power *p = &power[socket];
    UncoreBox *pcu = pcu_of(socket);

    if (to > p->synced) {
        p->cycles[p->in[TRAFFIC_C3]][p->in[TRAFFIC_C6]] +=
            uncore_clock_cycles(pcu, UNCORE_PCLK, to) -
            uncore_clock_cycles(pcu, UNCORE_PCLK, p->synced);
        p->synced = to;
        p->new = true;
    }
}

static void change_state(TrafficCore *c, TrafficCState to)
{
    Power *p = &power[c->socket];

    p->less[c->c_state][--p->in[c->c_state]]++;
    p->more[to][p->in[to]++]++;
    c->c_state = to;
}

/* Return the time of a sleeping core's next state change, or never. */
static int64_t deeper_at(const TrafficCore *c)
{
    if (!c || c->asleep < 0 || c->c_state == TRAFFIC_C6) {
        return INT64_MAX;
    }
    return c->asleep + states[c->c_state + 1].after;
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

/* Add a core's time in C3 and C6, in time stamp counter ticks. */
static void residency(TrafficCore *c, int64_t now)
{
    int64_t slept = now - c->asleep;
    int64_t ticks = cpus_get_elapsed_ticks() - c->asleep_ticks;
    int64_t c6 = MAX(slept - states[TRAFFIC_C6].after, 0);
    int64_t c3 = MAX(slept - states[TRAFFIC_C3].after, 0) - c6;

    if (slept > 0 && ticks > 0) {
        c->slept[UNCORE_C3] += ticks * ((double)c3 / slept);
        c->slept[UNCORE_C6] += ticks * ((double)c6 / slept);
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
    if (idle) {
        c->asleep = now;
        c->asleep_ticks = cpus_get_elapsed_ticks();
    } else {
        residency(c, now);
        c->asleep = -1;
        if (c->c_state != TRAFFIC_C0) {
            power[c->socket].waking[c->id] += states[c->c_state].wake;
            change_state(c, TRAFFIC_C0);
        }
    }
    qemu_mutex_unlock(&traffic.lock);
}

/* Inject @count cycles or changes. */
static void count_cycles(unsigned socket, const UncoreEvent *event,
                         UncoreStim stim, unsigned c0)
{
    stim.event = event;
    stim.inc = 1;
    stim.mhz = mhz_by_cores[c0];
    if (stim.count) {
        uncore_pmon_happen(pcu_of(socket), &stim);
    }
}

static void drain_cycles(unsigned socket, unsigned cores)
{
    Power *p = &power[socket];

    for (unsigned c3 = 0; c3 <= cores; c3++) {
        for (unsigned c6 = 0; c3 + c6 <= cores; c6++) {
            unsigned c0 = cores - c3 - c6;
            UncoreStim stim = {
                .count = p->cycles[c3][c6], .lasts = true,
                .occ = { 0, c0, c3, c6 },
            };

            count_cycles(socket, occupancy, stim, c0);
            for (unsigned b = 0; b < ARRAY_SIZE(bands); b++) {
                count_cycles(socket, bands[b], stim, c0);
            }
        }
    }
}

static void drain_changes(unsigned socket, TrafficCState state)
{
    Power *p = &power[socket];
    unsigned c0 = p->in[TRAFFIC_C0];

    for (unsigned n = 0; n < UNCORE_MAX_CORES; n++) {
        UncoreStim more = { .count = p->more[state][n], .changes = true };
        UncoreStim less = { .count = p->less[state][n], .changes = true };

        more.occ_before[state + 1] = less.occ[state + 1] = n;
        more.occ[state + 1] = less.occ_before[state + 1] = n + 1;
        count_cycles(socket, occupancy, more, c0);
        count_cycles(socket, occupancy, less, c0);
    }
}

static void drain_waking(unsigned socket, unsigned core)
{
    UncoreStim stim = {
        .count = power[socket].waking[core], .lasts = true,
    };

    count_cycles(socket, transition[core], stim, power[socket].in[TRAFFIC_C0]);
    count_cycles(socket, total_transition, stim,
                 power[socket].in[TRAFFIC_C0]);
}

static void drain_residency(unsigned socket, unsigned core)
{
    TrafficCore *c = traffic.core[socket][core];

    for (UncoreCState i = 0; c && i < UNCORE_C_STATES; i++) {
        uncore_cstate_slept(&traffic.uncore->socket[socket], core, i,
                            c->slept[i]);
        c->slept[i] = 0;
    }
}

static void drain_socket(unsigned socket)
{
    Power *p = &power[socket];
    unsigned cores = p->in[TRAFFIC_C0] + p->in[TRAFFIC_C3] +
                     p->in[TRAFFIC_C6];

    drain_cycles(socket, cores);
    for (TrafficCState s = 0; s < TRAFFIC_C_STATES; s++) {
        drain_changes(socket, s);
    }
    for (unsigned i = 0; i < UNCORE_MAX_CORES; i++) {
        drain_waking(socket, i);
        drain_residency(socket, i);
    }
    memset(p->cycles, 0, sizeof(p->cycles));
    memset(p->more, 0, sizeof(p->more));
    memset(p->less, 0, sizeof(p->less));
    memset(p->waking, 0, sizeof(p->waking));
    p->new = false;
}

int64_t traffic_power_drain(unsigned socket, int64_t now)
{
    if (!traffic_on) {
        return now;
    }
    qemu_mutex_lock(&traffic.lock);
    advance(socket, now);
    now = MAX(now, power[socket].synced);
    if (power[socket].new) {
        drain_socket(socket);
    }
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
            c->asleep_ticks = cpus_get_elapsed_ticks();
            power[c->socket].in[TRAFFIC_C0]++;
        }
    }
}

void traffic_power_init(void)
{
    occupancy = traffic_event(UNCORE_PCU, "POWER_STATE_OCCUPANCY");
    total_transition = traffic_event(UNCORE_PCU, "TOTAL_TRANSITION_CYCLES");
    for (unsigned i = 0; i < ARRAY_SIZE(bands); i++) {
        g_autofree char *name = g_strdup_printf("FREQ_BAND%u_CYCLES", i);

        bands[i] = traffic_event(UNCORE_PCU, name);
    }
    for (unsigned i = 0; i < UNCORE_MAX_CORES; i++) {
        g_autofree char *name = g_strdup_printf("CORE%u_TRANSITION_CYCLES", i);

        transition[i] = traffic_event(UNCORE_PCU, name);
    }
}

/* Lines of traffic_print_table() for power states */
void traffic_power_print(GString *out)
{
    g_string_append(out, "idle pcu power_state_occupancy umask=0xc0 times=1\n");
    for (unsigned i = 0; i < ARRAY_SIZE(bands); i++) {
        g_string_append_printf(out, "idle pcu freq_band%u_cycles umask=0x00 "
                               "times=1\n", i);
    }
    for (unsigned i = 0; i < UNCORE_MAX_CORES; i++) {
        g_string_append_printf(out, "idle pcu core%u_transition_cycles "
                               "umask=0x00 times=1\n", i);
    }
    g_string_append(out, "idle pcu total_transition_cycles umask=0x00 "
                    "times=1\n");
}
