/*
 * Hooks for the model of caches and memory, called by QEMU with traffic.patch.
 * While traffic_on is false, no code is generated for them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_TRAFFIC_HOOK_H
#define HW_I386_MODEL_TRAFFIC_HOOK_H

#include "exec/memopidx.h"

/* Kind of access; traffic_what() adds it to QEMU's MemOpIdx */
#define TRAFFIC_READ        (1u << 16)
#define TRAFFIC_WRITE       (1u << 17)
#define TRAFFIC_STREAM      (1u << 18)  /* a store with a non-temporal hint */

#ifdef CONFIG_USER_ONLY
#define traffic_on false
#else
/* Only changes while vCPUs and translation are stopped. */
extern bool traffic_on;
#endif

/*
 * Stores of the instruction that this thread translates have a non-temporal
 * hint. The translator clears it for each instruction.
 */
extern __thread bool traffic_stream;

static inline uint32_t traffic_what(MemOpIdx oi, bool read, bool write)
{
    return oi | (read ? TRAFFIC_READ : 0) |
           (write ? TRAFFIC_WRITE | (traffic_stream ? TRAFFIC_STREAM : 0) : 0);
}

/* A vCPU has accessed memory in a helper function. */
void traffic_helper_mem(CPUArchState *env, uint64_t addr, MemOpIdx oi,
                        bool read, bool write);
/* A device reads or writes guest memory; no lock needs to be held. */
void traffic_dma(const void *host, uint64_t len, bool write);

/*
 * A vCPU has halted, or has work again; called by its own thread, without a
 * lock.
 */
void traffic_idle(CPUState *cs, bool idle);

/* Interrupts, accounted in the socket of the target CPU */
typedef enum TrafficMessage {
    TRAFFIC_VLW,            /* legacy interrupt (virtual legacy wire) */
    TRAFFIC_MSI,            /* of devices, including the I/O APIC */
    TRAFFIC_IPI,
    TRAFFIC_MESSAGES
} TrafficMessage;

/* The mask of one socket: that of this vCPU */
uint32_t traffic_sockets_of(CPUState *cs);
/* QEMU's big lock is held. */
void traffic_message(TrafficMessage what, uint32_t sockets);

/*
 * The translator is at the instruction at @pc. @last is for its use: the line
 * that the block has fetched last, -1 at its start.
 */
struct TranslationBlock;
void traffic_gen_fetch(const struct TranslationBlock *tb, uint64_t pc_first,
                       uint64_t pc, uint64_t *last);

#endif
