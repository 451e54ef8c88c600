/*
 * MSRs of devices: a registry that the helpers of rdmsr and wrmsr ask first.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "x86-msr-hook.h"

#define MAX_HOOKS 32

typedef struct X86MSRHook {
    uint32_t first;
    uint32_t last;
    const X86MSRHookOps *ops;
    void *opaque;
} X86MSRHook;

/* Filled while the machine is built and constant once a vCPU runs. */
static X86MSRHook hooks[MAX_HOOKS];
static unsigned nr_hooks;

void x86_msr_hook_register(uint32_t first, uint32_t last,
                           const X86MSRHookOps *ops, void *opaque)
{
    assert(nr_hooks < MAX_HOOKS && first <= last);
    hooks[nr_hooks++] = (X86MSRHook) { first, last, ops, opaque };
}

static X86MSRHook *find(uint32_t msr, unsigned *next)
{
    while (*next < nr_hooks) {
        X86MSRHook *h = &hooks[(*next)++];

        if (msr >= h->first && msr <= h->last) {
            return h;
        }
    }
    return NULL;
}

X86MSRResult x86_msr_hook_read(X86CPU *cpu, uint32_t msr, uint64_t *value)
{
    X86MSRResult r = X86_MSR_PASS;
    unsigned next = 0;
    X86MSRHook *h = find(msr, &next);

    if (!h) {
        return X86_MSR_PASS;
    }
    qemu_mutex_lock_iothread();
    for (; h && r == X86_MSR_PASS; h = find(msr, &next)) {
        r = h->ops->read(h->opaque, cpu, msr, value);
    }
    qemu_mutex_unlock_iothread();
    return r;
}

X86MSRResult x86_msr_hook_write(X86CPU *cpu, uint32_t msr, uint64_t value)
{
    X86MSRResult r = X86_MSR_PASS;
    unsigned next = 0;
    X86MSRHook *h = find(msr, &next);

    if (!h) {
        return X86_MSR_PASS;
    }
    qemu_mutex_lock_iothread();
    for (; h && r == X86_MSR_PASS; h = find(msr, &next)) {
        r = h->ops->write(h->opaque, cpu, msr, value);
    }
    qemu_mutex_unlock_iothread();
    return r;
}
