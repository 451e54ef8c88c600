/*
 * MSRs of devices: hooks of the rdmsr and wrmsr helpers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_X86_MSR_HOOK_H
#define HW_I386_MODEL_X86_MSR_HOOK_H

#include "cpu.h"

typedef enum X86MSRResult {
    X86_MSR_DONE,       /* the hook handled the access */
    X86_MSR_PASS,       /* not handled: next hook, or QEMU */
    X86_MSR_FAULT,      /* the access raises #GP(0) */
} X86MSRResult;

/* Both run on the accessing vCPU's thread, with the iothread lock held. */
typedef struct X86MSRHookOps {
    X86MSRResult (*read)(void *opaque, X86CPU *cpu, uint32_t msr,
                         uint64_t *value);
    X86MSRResult (*write)(void *opaque, X86CPU *cpu, uint32_t msr,
                          uint64_t value);
} X86MSRHookOps;

/*
 * Ranges may overlap: hooks are called in the order of registration, until one
 * does not return X86_MSR_PASS.
 */
void x86_msr_hook_register(uint32_t first, uint32_t last,
                           const X86MSRHookOps *ops, void *opaque);

X86MSRResult x86_msr_hook_read(X86CPU *cpu, uint32_t msr, uint64_t *value);
X86MSRResult x86_msr_hook_write(X86CPU *cpu, uint32_t msr, uint64_t value);

#endif
