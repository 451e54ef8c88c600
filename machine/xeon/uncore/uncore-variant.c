/*
 * Hardware variants: traits for undefined behaviour, selected by args.sh from a
 * seed; noise in undefined bits; and stale register values from firmware
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hw/boards.h"
#include "cpu.h"
#include "uncore.h"
#include "model-console.h"

/* Property and values of each trait */
static const struct {
    const char *name;
    const char *values;
} traits[UNCORE_TRAITS] = {
#define UNCORE_TRAIT(id, name, values, drawn, help) { name, values }
#include "uncore-traits.def"
#undef UNCORE_TRAIT
};

/* xorshift64*: reproducible from the seed */
static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

static uint64_t generator(const UncoreModel *u, uint64_t salt)
{
    return (u->seed + 1) * 0x9e3779b97f4a7c15ull ^ salt;
}

uint64_t uncore_noisy(UncoreModel *u, uint64_t value, uint64_t defined)
{
    if (u->trait[UNCORE_T_NOISE]) {
        value |= next(&u->noise) & ~defined;
    }
    return value;
}

uint64_t uncore_write_only(UncoreModel *u, uint64_t held, uint64_t wo)
{
    switch (u->trait[UNCORE_T_WO]) {
    case UNCORE_WO_BACK:
        return held;
    case UNCORE_WO_ZERO:
        return 0;
    }
    return next(&u->noise) & wo;
}

UncoreSocket *uncore_socket_of_package(UncoreModel *u, int package)
{
    for (unsigned s = 0; s < u->sockets; s++) {
        if (u->package[s] == package) {
            return &u->socket[s];
        }
    }
    return NULL;
}

static bool parse_traits(UncoreModel *u, Error **errp)
{
    for (int t = 0; t < UNCORE_TRAITS; t++) {
        const char *name = u->trait_name[t];
        g_auto(GStrv) words = g_strsplit(traits[t].values, " ", -1);
        g_autofree char *all = g_strjoinv(", ", words);
        int w = 0;

        while (name && words[w] && strcmp(words[w], name)) {
            w++;
        }
        if (!words[w]) {
            error_setg(errp, "%s is one of %s, not '%s'", traits[t].name, all,
                       name);
            return false;
        }
        u->trait[t] = w;
    }
    return true;
}

/* Parse "0:2:3": one unique number, 0 to 7, per socket. */
static bool parse_list(UncoreModel *u, const char *what, const char *text,
                       unsigned number[UNCORE_MAX_SOCKETS], Error **errp)
{
    g_auto(GStrv) words = g_strsplit(text, ":", -1);
    unsigned seen = 0;

    for (unsigned i = 0; words[i] && i < UNCORE_MAX_SOCKETS; i++) {
        if (model_strtoui(words[i], NULL, 10, &number[i]) || number[i] > 7 ||
            (seen & 1u << number[i])) {
            error_setg(errp, "%s: '%s' is not a number of its own, 0 to 7",
                       what, words[i]);
            return false;
        }
        seen |= 1u << number[i];
    }
    if (g_strv_length(words) != u->sockets) {
        error_setg(errp, "%s: one for each of %u sockets", what, u->sockets);
        return false;
    }
    return true;
}

/*
 * Map of the UBox: node ID of each package, 0 for absent packages unless node
 * IDs are package numbers.
 */
static bool parse_nodes(UncoreModel *u, Error **errp)
{
    bool plain = true;

    for (unsigned s = 0; s < u->sockets; s++) {
        u->package[s] = s;
    }
    if (u->packages_name &&
        !parse_list(u, "packages", u->packages_name, u->package, errp)) {
        return false;
    }
    memcpy(u->node, u->package, sizeof(u->node));
    if (u->nodes_name &&
        !parse_list(u, "nodes", u->nodes_name, u->node, errp)) {
        return false;
    }
    for (unsigned s = 0; s < u->sockets; s++) {
        u->node_map |= u->node[s] << 3 * u->package[s];
        plain &= u->node[s] == u->package[s];
    }
    for (unsigned p = 0; plain && p < UNCORE_MAX_SOCKETS; p++) {
        u->node_map |= p << 3 * p;
    }
    return true;
}

/* Table 2-93. Parse "5", or "5:3s" for each port; s: slow_mode */
static bool parse_qpi(UncoreModel *u, Error **errp)
{
    const char *text = u->qpi_rate_name ?: "5";
    g_auto(GStrv) words = g_strsplit(text, ":", -1);
    unsigned n = g_strv_length(words);

    for (unsigned p = 0; p < UNCORE_QPI_PORTS; p++) {
        const char *word = n ? words[p < n ? p : 0] : "", *end;
        unsigned rate;

        if (n > UNCORE_QPI_PORTS || model_strtoui(word, &end, 10, &rate) ||
            rate < 2 || rate > 7 || (*end && strcmp(end, "s"))) {
            error_setg(errp, "qpi-rate is 2 (5.6 GT/s) to 7 (9.6 GT/s), with "
                       "s behind it in slow mode, for one or two ports");
            return false;
        }
        u->qpi_status[p] = rate | (*end ? 1 << 4 : 0);
        /* 2.7.7: an eighth of the GT/s */
        u->qpi_mhz[p] = (4000 + 800 * rate) / 8;
    }
    return true;
}

static void firmware_box(UncoreBox *box, uint64_t *random)
{
    static const uint32_t freezes[] = {
        0, R_BOX_CTL_FRZ_EN_MASK, R_BOX_CTL_FRZ_MASK,
        R_BOX_CTL_FRZ_EN_MASK | R_BOX_CTL_FRZ_MASK,
    };
    const UncoreEvent *events = box->events;
    UncoreReg regs[UNCORE_MAX_REGS];
    unsigned n = uncore_box_regs(box, regs), nr_events = 0;

    while (events[nr_events].name) {
        nr_events++;
    }
    for (unsigned i = 0; i < n; i++) {
        /* Prefer the first event, a clock in most boxes, which then counts. */
        unsigned n_event = next(random) % (nr_events + nr_events / 4);
        const UncoreEvent *e = &events[n_event < nr_events ? n_event : 0];
        uint64_t r = next(random), v = r;

        switch (regs[i].kind) {
        case UNCORE_R_BOX_CTL:
            v = freezes[r % ARRAY_SIZE(freezes)];
            break;
        case UNCORE_R_CTL:
            /* A PCU without an idle counter cannot be asked for bit 21. */
            v = r & 0x10000 && !(box->type->kind == UNCORE_PCU &&
                                 regs[i].index == 3) ? R_PMON_CTL_EN_MASK : 0;
            if (regs[i].index == UNCORE_FIXED) {
                break;
            }
            v |= e->code | (r & e->umask_bits) << 8;
            if (e->ext &&
                !box->socket->uncore->trait[UNCORE_T_PCU_EXT]) {
                v |= R_PMON_CTL_EXT_MASK;
            }
            break;
        default:
            break;
        }
        uncore_reg_poke(box, regs[i], v);
    }
}

/* Separate random state per box, independent of the order of accesses. */
void uncore_variant_boot(UncoreModel *u)
{
    uint64_t random = generator(u, 0x6669726d77617265);

    u->noise = generator(u, 0x6e6f697365);
    for (unsigned s = 0; s < u->sockets; s++) {
        u->socket[s].mhz = u->mhz[UNCORE_UCLK];
        for (int b = 0; b < u->socket[s].boxes; b++) {
            if (u->trait[UNCORE_T_FIRMWARE] && u->socket[s].box[b].present) {
                firmware_box(&u->socket[s].box[b], &random);
            }
        }
    }
}

static void print_list(GString *out, const char *name, unsigned n,
                       const unsigned *number)
{
    g_string_append_printf(out, "%s=", name);
    for (unsigned i = 0; i < n; i++) {
        g_string_append_printf(out, "%s%u", i ? "," : "", number[i]);
    }
    g_string_append_c(out, '\n');
}

/* Root bus of each socket */
static void print_buses(const UncoreModel *u, GString *out)
{
    g_string_append(out, "buses=");
    for (unsigned s = 0; s < u->sockets; s++) {
        g_string_append_printf(out, "%s%x", s ? "," : "", u->socket[s].bus);
    }
    g_string_append_c(out, '\n');
}

/* Core IDs of the first socket's CPUs */
static void print_cores(const UncoreModel *u, GString *out)
{
    unsigned cores = current_machine->smp.cores, n = 0;
    g_autofree unsigned *id = g_new(unsigned, cores);
    CPUState *cs;

    CPU_FOREACH(cs) {
        X86CPU *cpu = X86_CPU(cs);

        if (cpu->socket_id == u->package[0] && !cpu->thread_id &&
            n < cores) {
            id[n++] = cpu->core_id;
        }
    }
    print_list(out, "core-ids", n, id);
}

/* variant: print the variant as options of args.sh, one per line */
static ModelStatus variant_command(void *opaque, const char *args, GString *out,
                                   Error **errp)
{
    UncoreModel *u = opaque;

    if (*args) {
        error_setg(errp, "variant takes nothing");
        return MODEL_STATUS_ERROR;
    }
    g_string_append_printf(out, "seed=%" PRIu64 "\n", u->seed);
    g_string_append_printf(out, "generation=%u\ncores=%u\ncbos=%u\n",
                           u->generation, current_machine->smp.cores,
                           u->cbos);
    print_cores(u, out);
    print_list(out, "packages", u->sockets, u->package);
    print_list(out, "nodes", u->sockets, u->node);
    print_buses(u, out);
    g_string_append(out, "hide=");
    uncore_print_hidden(u, out);
    g_string_append_printf(out, "\nqpi-rate=%u%s,%u%s\n",
                           u->qpi_status[0] & 7,
                           u->qpi_status[0] & 1 << 4 ? "s" : "",
                           u->qpi_status[1] & 7,
                           u->qpi_status[1] & 1 << 4 ? "s" : "");
    g_string_append_printf(out, "uclk=%u\ndclk=%u\n", u->mhz[UNCORE_UCLK],
                           u->mhz[UNCORE_DCLK]);
    for (int t = 0; t < UNCORE_TRAITS; t++) {
        g_auto(GStrv) words = g_strsplit(traits[t].values, " ", -1);

        g_string_append_printf(out, "%s=%s\n", traits[t].name,
                               words[u->trait[t]]);
    }
    return MODEL_STATUS_OK;
}

bool uncore_variant_realize(UncoreModel *u, Error **errp)
{
    if (!parse_traits(u, errp) || !parse_nodes(u, errp) ||
        !parse_qpi(u, errp)) {
        return false;
    }
    model_console_register("variant", variant_command, u);
    return true;
}
