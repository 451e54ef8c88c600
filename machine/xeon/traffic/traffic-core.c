/*
 * Caches of a core: L1 for data and code, and L2. Accesses that hit in L1
 * without a change of state take no lock. Changes by other threads hold the
 * lock and use atomic exchanges; so does the core's own thread for E to M.
 *
 * L2 is neither inclusive nor exclusive of L1. L1 lines have host addresses,
 * as in QEMU's TLB; others have numbers of guest memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "exec/helper-proto.h"
#include "traffic.h"

static TrafficState word_state(uint64_t word)
{
    return word & WORD_STATE;
}

static uint64_t word_line(uint64_t word)
{
    return word >> 3;
}

static bool word_is(uint64_t word, uint64_t line)
{
    /* The line's number above a state other than I, in one comparison */
    return word - WORD(line, LINE_I + 1) < WORD_STATE;
}

/*
 * Age the way of the set's last access, which generated code has made without
 * a call.
 */
static void l1_settle(TrafficL1 *l1, unsigned set)
{
    TrafficLast *last = &l1->last[set];
    unsigned w = last->way[last->write];

    if (w != last->aged) {
        last->aged = w;
        l1->age[set][w] = ++l1->now;
    }
}

/*
 * The set's last read, or write, is now of way @w. Generated code may repeat it
 * and the last one of the other kind as long as both ways are the two that were
 * used last.
 */
static void l1_touch(TrafficL1 *l1, uint64_t line, unsigned w, bool write)
{
    TrafficLast *last = &l1->last[line % TRAFFIC_L1_SETS];
    unsigned before, other = last->way[!write];

    l1_settle(l1, line % TRAFFIC_L1_SETS);
    before = last->aged;
    last->way[write] = w;
    last->write = write;
    l1_settle(l1, line % TRAFFIC_L1_SETS);
    if (w != before && other != before && other != w) {
        last->host[!write] = 0;
    }
    qatomic_set(&last->host[write], line * TRAFFIC_LINE);
}

/*
 * Whether the state of the line in a way allows the access; a write makes E an
 * M.
 */
static bool word_allows(uint64_t *p, uint64_t line, bool write)
{
    uint64_t word = qatomic_read(p);

    if (!write) {
        return word_is(word, line);
    }
    return word == WORD(line, LINE_M) ||
           (word == WORD(line, LINE_E) &&
            qatomic_cmpxchg(p, word, WORD(line, LINE_M)) == word);
}

static bool l1_hit(TrafficL1 *l1, uint64_t line, bool write)
{
    unsigned set = line % TRAFFIC_L1_SETS;

    for (unsigned w = 0; w < CORE_WAYS; w++) {
        uint64_t *p = &l1->word[set][w];

        if (word_is(qatomic_read(p), line)) {
            l1_touch(l1, line, w, write);
            /* Pairs with l1_snoop(), which changes the word first. */
            smp_mb();
            if (word_allows(p, line, write)) {
                return true;
            }
            l1->last[set].host[write] = 0;
            return false;
        }
    }
    return false;
}

static unsigned victim(const uint64_t word[CORE_WAYS],
                       const uint32_t age[CORE_WAYS])
{
    unsigned oldest = 0;
    uint32_t oldest_age = UINT32_MAX;

    /* Without branches, as none of them could be predicted */
    for (unsigned w = 0; w < CORE_WAYS; w++) {
        uint32_t its = word[w] ? age[w] : 0;

        oldest = its < oldest_age ? w : oldest;
        oldest_age = MIN(its, oldest_age);
    }
    return oldest;
}

/* Find a line in L2. A snoop does not use it. */
static uint64_t *l2_find(TrafficCore *c, uint64_t line, bool use)
{
    unsigned set = line % L2_SETS;
    unsigned found = CORE_WAYS;

    for (unsigned w = 0; w < CORE_WAYS; w++) {
        found = word_is(c->l2.word[set][w], line) ? w : found;
    }
    if (found == CORE_WAYS) {
        return NULL;
    }
    if (use) {
        c->l2.age[set][found] = ++c->l2.now;
    }
    return &c->l2.word[set][found];
}

static void l2_fill(TrafficCore *c, uint64_t line, TrafficState state)
{
    unsigned set = line % L2_SETS;
    unsigned w = victim(c->l2.word[set], c->l2.age[set]);
    uint64_t old = c->l2.word[set][w];

    c->l2.word[set][w] = WORD(line, state);
    c->l2.age[set][w] = ++c->l2.now;
    if (word_state(old) == LINE_M) {
        traffic_llc_writeback(c, word_line(old));
    }
}

/* Evict a modified line from L1. */
static void l2_take(TrafficCore *c, uint64_t line)
{
    uint64_t *word = l2_find(c, line, true);

    if (word) {
        *word = WORD(line, LINE_M);
    } else {
        l2_fill(c, line, LINE_M);
    }
}

static void l1_fill(TrafficCore *c, TrafficL1 *l1, uint64_t host_line,
                    TrafficState state)
{
    unsigned set = host_line % TRAFFIC_L1_SETS;
    unsigned w = CORE_WAYS;
    uint64_t old, line;

    /* Reuse the way of a line in another state. */
    for (unsigned i = 0; i < CORE_WAYS; i++) {
        if (word_is(l1->word[set][i], host_line)) {
            w = i;
        }
    }
    if (w == CORE_WAYS) {
        l1_settle(l1, set);
        w = victim(l1->word[set], l1->age[set]);
    }
    old = qatomic_xchg(&l1->word[set][w], WORD(host_line, state));
    l1_touch(l1, host_line, w, state == LINE_M);
    l1->age[set][w] = ++l1->now;
    if (word_state(old) == LINE_M && word_line(old) != host_line &&
        traffic_line(word_line(old), &line)) {
        l2_take(c, line);
    }
}

/* Handle an L1 miss or change of state. */
static void l1_miss(TrafficCore *c, TrafficL1 *l1, uint64_t host_line,
                    TrafficRequest req)
{
    TrafficState state;
    uint64_t line, *l2;

    if (!traffic_line(host_line, &line)) {
        return;
    }
    qemu_mutex_lock(&traffic.lock);
    l2 = l2_find(c, line, true);
    state = l2 ? word_state(*l2) : LINE_I;
    if (state == LINE_I || (req == REQ_OWN && state == LINE_S)) {
        state = traffic_llc_get(c, line, req);
        /* The request may have invalidated lines of this core. */
        l2 = l2 ? l2_find(c, line, true) : NULL;
        if (l2) {
            *l2 = WORD(line, state);
        } else {
            l2_fill(c, line, state);
        }
    }
    if (req == REQ_CODE) {
        state = LINE_S;
    } else if (req == REQ_OWN) {
        state = LINE_M;
    } else if (state == LINE_M) {
        state = LINE_E;             /* L2 has the modified data */
    }
    l1_fill(c, l1, host_line, state);
    qemu_mutex_unlock(&traffic.lock);
}

static TrafficState l1_snoop(TrafficL1 *l1, uint64_t host_line,
                             TrafficState to)
{
    unsigned set = host_line % TRAFFIC_L1_SETS;

    for (unsigned w = 0; w < CORE_WAYS; w++) {
        uint64_t *p = &l1->word[set][w];

        if (word_is(qatomic_read(p), host_line)) {
            uint64_t had = qatomic_xchg(p, to ? WORD(host_line, to) : 0);

            qatomic_set(&l1->last[set].host[0], 0);
            qatomic_set(&l1->last[set].host[1], 0);
            return word_state(had);
        }
    }
    return LINE_I;
}

TrafficState traffic_core_snoop(TrafficCore *c, uint64_t line, TrafficState to)
{
    uint64_t host_line = traffic_host_line(line);
    uint64_t *l2 = l2_find(c, line, false);
    TrafficState had = l1_snoop(&c->l1d, host_line, to);

    if (to == LINE_I) {
        had = MAX(had, l1_snoop(&c->l1i, host_line, to));
    }
    if (l2) {
        had = MAX(had, word_state(*l2));
        *l2 = to ? WORD(line, to) : 0;
    }
    return had;
}

/*
 * Streaming stores are combined in a buffer per line, and bypass the caches
 * when the line is complete or the buffer is needed for another line.
 */
static void wc_flush(TrafficCore *c, TrafficWc *wc)
{
    uint64_t line;

    if (traffic_line(wc->host_line, &line)) {
        qemu_mutex_lock(&traffic.lock);
        traffic_llc_stream(c, line, wc->bytes == UINT64_MAX);
        qemu_mutex_unlock(&traffic.lock);
    }
    *wc = (TrafficWc) { 0 };
}

static void wc_store(TrafficCore *c, uint64_t host, unsigned size)
{
    uint64_t host_line = host / TRAFFIC_LINE;
    uint64_t bytes = MAKE_64BIT_MASK(host % TRAFFIC_LINE, size);
    TrafficWc *wc = c->last_wc;

    if (!wc || wc->host_line != host_line) {
        wc = NULL;
        for (unsigned i = 0; i < WC_BUFFERS; i++) {
            if (c->wc[i].host_line == host_line) {
                wc = &c->wc[i];
            }
        }
    }
    if (!wc) {
        wc = &c->wc[c->next_wc];
        c->next_wc = (c->next_wc + 1) % WC_BUFFERS;
        if (wc->host_line) {
            wc_flush(c, wc);
        }
        wc->host_line = host_line;
    }
    c->last_wc = wc;
    wc->bytes |= bytes;
    if (wc->bytes == UINT64_MAX) {
        wc_flush(c, wc);
    }
}

/* An access of @size bytes at @host, within one line */
static void access_line(TrafficCore *c, uint64_t host, unsigned size,
                        MemOpIdx oi, bool write)
{
    uint64_t host_line = host / TRAFFIC_LINE;

    if (unlikely(oi & TRAFFIC_STREAM)) {
        wc_store(c, host, size);
    } else if (!l1_hit(&c->l1d, host_line, write)) {
        l1_miss(c, &c->l1d, host_line, write ? REQ_OWN : REQ_READ);
    }
}

/* An access within one page, whose mapping is still in the TLB */
static void access_page(CPUArchState *env, TrafficCore *c, target_ulong addr,
                        unsigned size, MemOpIdx oi, bool write)
{
    CPUTLBEntry *e = tlb_entry(env, get_mmuidx(oi), addr);
    target_ulong in_tlb = write ? tlb_addr_write(e) : e->addr_read;
    uint64_t host = addr + e->addend;
    unsigned left = TRAFFIC_LINE - host % TRAFFIC_LINE;

    /* The TLB may have lost the page meanwhile. */
    if (unlikely((in_tlb & TARGET_PAGE_MASK) != (addr & TARGET_PAGE_MASK)) ||
        unlikely(in_tlb & (TLB_MMIO | TLB_DISCARD_WRITE))) {
        return;
    }
    if (unlikely(size > left)) {
        access_line(c, host, left, oi, write);
        access_line(c, host + left, size - left, oi, write);
    } else {
        access_line(c, host, size, oi, write);
    }
}

void traffic_mem(CPUArchState *env, uint64_t addr, MemOpIdx oi, bool write)
{
    TrafficCore *c = env_cpu(env)->opaque;
    unsigned size = memop_size(get_memop(oi));
    unsigned left = -(addr | TARGET_PAGE_MASK);

    if (unlikely(size > left)) {
        access_page(env, c, addr, left, oi, write);
        access_page(env, c, addr + left, size - left, oi, write);
    } else {
        access_page(env, c, addr, size, oi, write);
    }
}

void HELPER(traffic_fetch)(CPUArchState *env, uint64_t host_line)
{
    TrafficCore *c = env_cpu(env)->opaque;

    if (!l1_hit(&c->l1i, host_line, false)) {
        l1_miss(c, &c->l1i, host_line, REQ_CODE);
    }
}

void traffic_core_reset(TrafficCore *c)
{
    memset(&c->l1d, 0, sizeof(c->l1d));
    memset(&c->l1i, 0, sizeof(c->l1i));
    memset(&c->l2, 0, sizeof(c->l2));
    memset(c->wc, 0, sizeof(c->wc));
    c->last_wc = NULL;
}
