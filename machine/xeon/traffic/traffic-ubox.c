/*
 * Interrupts: the UBox is "the intermediary for interrupt traffic" (guide,
 * 2.2.1). Interrupts of devices and CPUs are an EVENT_MSG in each target
 * socket, except self-interrupts, which stay in the core.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "traffic-tables.h"

/* Table 2-7 */
static const uint8_t umasks[TRAFFIC_MESSAGES] = {
    [TRAFFIC_VLW] = 0x01, [TRAFFIC_MSI] = 0x02, [TRAFFIC_IPI] = 0x04,
};

static const UncoreEvent *event_msg;

uint32_t traffic_sockets_of(CPUState *cs)
{
    return 1u << traffic.cores[cs->cpu_index]->socket;
}

void traffic_message(TrafficMessage what, uint32_t sockets)
{
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

void traffic_ubox_init(void)
{
    event_msg = traffic_event(UNCORE_UBOX, "EVENT_MSG");
}

void traffic_ubox_print(GString *out)
{
    static const char *const names[TRAFFIC_MESSAGES] = {
        [TRAFFIC_VLW] = "vlw", [TRAFFIC_MSI] = "msi", [TRAFFIC_IPI] = "ipi",
    };

    for (unsigned i = 0; i < TRAFFIC_MESSAGES; i++) {
        g_string_append_printf(out, "%s ubox event_msg umask=0x%02x "
                               "times=1\n", names[i], umasks[i]);
    }
}
