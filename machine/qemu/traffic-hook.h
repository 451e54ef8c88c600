/*
 * Where QEMU tells the model of caches and memory what the guest does. The
 * patch traffic.patch has the calls; while traffic_on is false no code is
 * generated for any of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_TRAFFIC_HOOK_H
#define HW_I386_MODEL_TRAFFIC_HOOK_H

#include "exec/memopidx.h"

/* What an access is, as traffic_what() puts it beside QEMU's MemOpIdx */
#define TRAFFIC_READ        (1u << 16)
#define TRAFFIC_WRITE       (1u << 17)
#define TRAFFIC_STREAM      (1u << 18)  /* a store with a non-temporal hint */

#ifdef CONFIG_USER_ONLY
#define traffic_on false
#else
/* It changes only while no vCPU runs and no code is translated. */
extern bool traffic_on;
#endif

/*
 * Of the instruction that this thread translates: its stores have a
 * non-temporal hint. The translator clears it for each instruction.
 */
extern __thread bool traffic_stream;

static inline uint32_t traffic_what(MemOpIdx oi, bool read, bool write)
{
    return oi | (read ? TRAFFIC_READ : 0) |
           (write ? TRAFFIC_WRITE | (traffic_stream ? TRAFFIC_STREAM : 0) : 0);
}

/* A vCPU has accessed memory through a helper of QEMU's, which is in C. */
void traffic_helper_mem(CPUArchState *env, uint64_t addr, MemOpIdx oi,
                        bool read, bool write);
/* A device reads or writes guest memory; no lock needs to be held. */
void traffic_dma(const void *host, uint64_t len, bool write);

/*
 * The translator is at the instruction at @pc. @last is for its use: the line
 * that the block has fetched last, -1 at its start.
 */
struct TranslationBlock;
void traffic_gen_fetch(const struct TranslationBlock *tb, uint64_t pc_first,
                       uint64_t pc, uint64_t *last);

#endif
