/*
 * MSRs of devices: hooks of the rdmsr and wrmsr helpers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "x86-msr-hook.h"

#define MAX_HOOKS 64

typedef struct X86MSRHook {
    uint32_t first;
    uint32_t last;
    const X86MSRHookOps *ops;
    void *opaque;
} X86MSRHook;

/* Constant after machine creation */
static X86MSRHook hooks[MAX_HOOKS];
static unsigned nr_hooks;

void x86_msr_hook_register(uint32_t first, uint32_t last,
                           const X86MSRHookOps *ops, void *opaque)
{
    assert(nr_hooks < MAX_HOOKS && first <= last);
    hooks[nr_hooks++] = (X86MSRHook) { first, last, ops, opaque };
}

/* Call the hooks of @msr in the order of registration, until one handles it. */
static X86MSRResult ask(X86CPU *cpu, uint32_t msr, bool write, uint64_t *value)
{
    X86MSRResult r = X86_MSR_PASS;

    for (unsigned i = 0; i < nr_hooks && r == X86_MSR_PASS; i++) {
        X86MSRHook *h = &hooks[i];

        if (msr < h->first || msr > h->last) {
            continue;
        }
        /* No lock for MSRs without a hook, which are most. */
        qemu_mutex_lock_iothread();
        r = write ? h->ops->write(h->opaque, cpu, msr, *value) :
                    h->ops->read(h->opaque, cpu, msr, value);
        qemu_mutex_unlock_iothread();
    }
    return r;
}

X86MSRResult x86_msr_hook_read(X86CPU *cpu, uint32_t msr, uint64_t *value)
{
    return ask(cpu, msr, false, value);
}

X86MSRResult x86_msr_hook_write(X86CPU *cpu, uint32_t msr, uint64_t value)
{
    return ask(cpu, msr, true, &value);
}
