/*
 * Traffic mode: the guest's loads, stores, instruction fetches and DMA cause
 * uncore events. Off by default, when QEMU generates no code for it.
 *
 *   -device xeon-uncore,traffic=on    fail if the machine does not support it
 *   uncore-stim traffic on|off         in the guest
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qapi/error.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/translate-all.h"
#include "exec/address-spaces.h"
#include "hw/boards.h"
#include "sysemu/hostmem.h"
#include "sysemu/numa.h"
#include "sysemu/sysemu.h"
#include "tcg/tcg-op.h"
#include "exec/helper-gen.h"
#include "model-console.h"
#include "traffic.h"

/* Always false in a QEMU without traffic mode */
#undef traffic_on

Traffic traffic;
bool traffic_on;
__thread bool traffic_stream;

static bool add_node(unsigned socket, MemoryRegion *mr, Error **errp)
{
    TrafficNode *node = &traffic.node[socket];
    uint64_t size = memory_region_size(mr);

    if (size > TRAFFIC_MEMORY) {
        error_setg(errp, "traffic: a socket has at most %" PRIu64 " GiB, not "
                   "%" PRIu64, TRAFFIC_MEMORY / GiB, size / GiB);
        return false;
    }
    node->lines = size / TRAFFIC_LINE;
    node->host_first = (uintptr_t)memory_region_get_ram_ptr(mr) / TRAFFIC_LINE;
    if (socket) {
        node->first = traffic.node[0].first + traffic.node[0].lines;
    }
    return true;
}

/* Return the NUMA node of a socket's CPUs, or -1. */
static int node_of(MachineState *ms, unsigned package)
{
    const CPUArchIdList *list;

    list = MACHINE_GET_CLASS(ms)->possible_cpu_arch_ids(ms);
    for (int i = 0; i < list->len; i++) {
        const CpuInstanceProperties *p = &list->cpus[i].props;

        if (p->has_socket_id && p->socket_id == package) {
            return p->has_node_id ? p->node_id : -1;
        }
    }
    return -1;
}

/* Set up the memory of each socket from the machine's NUMA configuration. */
static bool find_memory(MachineState *ms, Error **errp)
{
    NumaState *numa = ms->numa_state;

    if (traffic.sockets == 1 && (!numa || numa->num_nodes < 2)) {
        bool backend = numa && numa->num_nodes &&
                       numa->nodes[0].node_memdev;

        return add_node(0, backend ? host_memory_backend_get_memory(
                                         numa->nodes[0].node_memdev)
                                   : ms->ram, errp);
    }
    if (!numa || numa->num_nodes != traffic.sockets) {
        error_setg(errp, "traffic: a machine with %u sockets has %u memory "
                   "nodes, not %d", traffic.sockets, traffic.sockets,
                   numa ? numa->num_nodes : 0);
        return false;
    }
    for (unsigned s = 0; s < traffic.sockets; s++) {
        int node = node_of(ms, traffic.uncore->package[s]);

        if (node != s || !numa->nodes[s].node_memdev) {
            error_setg(errp, "traffic: socket %u needs memory node %u with a "
                       "memdev of its own", s, s);
            return false;
        }
        if (!add_node(s, host_memory_backend_get_memory(
                             numa->nodes[s].node_memdev), errp)) {
            return false;
        }
    }
    return true;
}

static bool find_cores(Error **errp)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        traffic.nr_cores = MAX(traffic.nr_cores, cs->cpu_index + 1);
    }
    traffic.cores = g_new0(TrafficCore *, traffic.nr_cores);
    CPU_FOREACH(cs) {
        X86CPU *cpu = X86_CPU(cs);
        UncoreSocket *s = uncore_socket_of_package(traffic.uncore,
                                                   cpu->socket_id);
        TrafficCore *c;

        if (!s || cpu->core_id < 0 || cpu->core_id >= UNCORE_MAX_CORES) {
            error_setg(errp, "traffic: CPU %d is in no socket of the model",
                       cs->cpu_index);
            return false;
        }
        if (traffic.core[s->id][cpu->core_id]) {
            error_setg(errp, "traffic: a core has one thread (threads=1)");
            return false;
        }
        c = g_new0(TrafficCore, 1);
        c->socket = s->id;
        c->id = cpu->core_id;
        c->asleep = -1;
        cs->opaque = c;
        traffic.cores[cs->cpu_index] = c;
        traffic.core[s->id][cpu->core_id] = c;
    }
    return true;
}

static int64_t inject(UncoreBox *box, int64_t now)
{
    traffic_drain();
    return box->type->kind == UNCORE_PCU ?
           traffic_power_drain(box->socket->id, now) : now;
}

/*
 * Check the requirements of the cache model and allocate its memory, on first
 * use.
 */
static bool make_ready(Error **errp)
{
    UncoreModel *u = traffic.uncore;

    if (traffic.cores) {
        return true;
    }
    if (u->generation > 1) {
        error_setg(errp, "traffic: no mode of generation %u, only of the "
                   "first", u->generation);
        return false;
    }
    if (u->sockets > TRAFFIC_SOCKETS) {
        error_setg(errp, "traffic: at most %d sockets, not %u: the model has "
                   "no routes between more", TRAFFIC_SOCKETS, u->sockets);
        return false;
    }
    traffic.sockets = u->sockets;
    traffic.slices = u->cbos;
    memset(traffic.core, 0, sizeof(traffic.core));
    if (!find_memory(MACHINE(qdev_get_machine()), errp) || !find_cores(errp)) {
        g_clear_pointer(&traffic.cores, g_free);
        return false;
    }
    u->pending = inject;
    traffic_flows_init();
    traffic_power_init();
    traffic_llc_reset();
    return true;
}

/* Called with vCPUs stopped. Caches keep their contents while it is off. */
static void switch_now(CPUState *cs, run_on_cpu_data data)
{
    if (traffic_on != data.host_int) {
        traffic_drain();
        traffic_power_switch(data.host_int);
        traffic_on = data.host_int;
        tb_flush(cs);
    }
}

/* Called with vCPUs stopped. Drops modified lines, too. */
static void empty_now(CPUState *cs, run_on_cpu_data data)
{
    traffic_drain();
    traffic_llc_reset();
    for (unsigned i = 0; i < traffic.nr_cores; i++) {
        if (traffic.cores[i]) {
            traffic_core_reset(traffic.cores[i]);
        }
    }
}

void traffic_gen_fetch(const struct TranslationBlock *tb, uint64_t pc_first,
                       uint64_t pc, uint64_t *last)
{
    bool second = (pc ^ pc_first) & TARGET_PAGE_MASK;
    tb_page_addr_t page = second ? tb_page_addr1(tb) : tb_page_addr0(tb);
    uint64_t line = pc / TRAFFIC_LINE;
    uint64_t host;
    TCGLabel *done;
    TCGv_ptr core;
    TCGv_i64 again;

    if (line == *last || page == -1) {
        return;
    }
    *last = line;
    host = (uintptr_t)qemu_map_ram_ptr(NULL, (page & TARGET_PAGE_MASK) |
                                             (pc & ~TARGET_PAGE_MASK));
    host /= TRAFFIC_LINE;
    done = gen_new_label();
    core = tcg_temp_new_ptr();
    again = tcg_temp_new_i64();
    tcg_gen_ld_ptr(core, cpu_env, TRAFFIC_OF_ENV);
    tcg_gen_ld_i64(again, core,
                   offsetof(TrafficCore,
                            l1i.last[host % TRAFFIC_L1_SETS].host[0]));
    tcg_gen_brcondi_i64(TCG_COND_EQ, again, host * TRAFFIC_LINE, done);
    gen_helper_traffic_fetch(cpu_env, tcg_constant_i64(host));
    gen_set_label(done);
    tcg_temp_free_ptr(core);
    tcg_temp_free_i64(again);
}

void traffic_dma(const void *host, uint64_t len, bool write)
{
    uint64_t at = (uintptr_t)host;
    uint64_t end = at + len;

    qemu_mutex_lock(&traffic.lock);
    while (at < end) {
        uint64_t next = MIN((at | (TRAFFIC_LINE - 1)) + 1, end);
        uint64_t line;

        if (traffic_line(at / TRAFFIC_LINE, &line)) {
            traffic_llc_dma(line, write, next - at == TRAFFIC_LINE);
        }
        at = next;
    }
    qemu_mutex_unlock(&traffic.lock);
}

/* traffic [on|off|empty] */
static ModelStatus traffic_command(void *opaque, const char *args, GString *out,
                                   Error **errp)
{
    bool on = !strcmp(args, "on"), empty = !strcmp(args, "empty");

    if ((on || empty) && !make_ready(errp)) {
        return MODEL_STATUS_ERROR;
    }
    if (!*args) {
        g_string_append_printf(out, "traffic=%s\n", traffic_on ? "on" : "off");
    } else if (on || !strcmp(args, "off")) {
        async_safe_run_on_cpu(first_cpu, switch_now, RUN_ON_CPU_HOST_INT(on));
    } else if (empty) {
        async_safe_run_on_cpu(first_cpu, empty_now, RUN_ON_CPU_NULL);
    } else {
        error_setg(errp, "traffic: on, off or empty, not '%s'", args);
        return MODEL_STATUS_ERROR;
    }
    return MODEL_STATUS_OK;
}

static void machine_done(Notifier *n, void *unused)
{
    Error *err = NULL;

    if (traffic.uncore->traffic && !make_ready(&err)) {
        error_report_err(err);
        exit(1);
    }
}

void traffic_init(UncoreModel *u)
{
    static Notifier done = { .notify = machine_done };

    traffic.uncore = u;
    qemu_mutex_init(&traffic.lock);
    model_console_register("traffic", traffic_command, u);
    qemu_add_machine_init_done_notifier(&done);
}
