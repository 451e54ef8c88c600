/*
 * Hooks for the model of caches and memory, called by QEMU with traffic.patch.
 * While traffic_on is false, no code is generated for them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_TRAFFIC_HOOK_H
#define HW_I386_MODEL_TRAFFIC_HOOK_H

#include "exec/memopidx.h"

/* A store with a non-temporal hint, as a bit of its MemOp and MemOpIdx */
#define TRAFFIC_MO_STREAM   0x1000
#define TRAFFIC_STREAM      make_memop_idx(TRAFFIC_MO_STREAM, 0)

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

#define TRAFFIC_LINE        64
#define TRAFFIC_L1_SETS     64      /* 32 KiB */

/*
 * The last accesses of a set of L1. Generated code compares the host address of
 * an access with that of the last one of its kind: 0, or that of a line in L1
 * that it may access again without a change but of which came last.
 */
typedef struct TrafficLast {
    uint64_t host[2];               /* of a read, a write */
    uint32_t write;                 /* which came last */
    uint32_t way[2];
    uint32_t aged;                  /* way of the last one known to LRU */
} TrafficLast;

/*
 * Offset of the pointer to the vCPU's TrafficCore, which begins with
 * TrafficLast[TRAFFIC_L1_SETS]
 */
#define TRAFFIC_OF_ENV \
    ((int)offsetof(CPUState, opaque) - (int)offsetof(ArchCPU, env))

/* An access that generated code does not do alone, after it is done */
void traffic_mem(CPUArchState *env, uint64_t addr, MemOpIdx oi, bool write);
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
