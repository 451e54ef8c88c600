/*
 * MSRs of UBox, CBo, SBox and PCU; a vCPU accesses those of its socket.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "uncore.h"
#include "x86-msr-hook.h"

/* Table 1-2: accesses to missing registers in these ranges fault. */
static const uint32_t ranges[][2][2] = {
    { { 0xc00, 0xc3f }, { 0xd00, 0xdff } },
    { { 0xc00, 0xc3f }, { 0xd00, 0xedf } },
    { { 0x700, 0x74f }, { 0xe00, 0xf7f } },
    { { 0x700, 0x74f }, { 0xe00, 0xf7f } },
};

bool uncore_write_faults(const UncoreBox *box, UncoreReg reg, uint64_t value)
{
    return box->type->kind == UNCORE_PCU && reg.kind == UNCORE_R_CTL &&
           (value & R_PMON_CTL_EXT_MASK) &&
           box->socket->uncore->trait[UNCORE_T_PCU_EXT] == UNCORE_EXT_FAULT;
}

/*
 * Result of a lookup. PASS is an MSR that reads as 0 and ignores writes; not
 * passed to QEMU, which has other registers at some of these numbers.
 */
static X86MSRResult find(UncoreModel *u, X86CPU *cpu, uint32_t msr,
                         UncoreBox **box, UncoreReg *reg)
{
    UncoreSocket *s = uncore_socket_of_package(u, cpu->socket_id);

    if (!s || !uncore_find_msr(s, msr, box, reg)) {
        return X86_MSR_FAULT;
    }
    if ((*box)->present) {
        return X86_MSR_DONE;
    }
    return u->trait[UNCORE_T_MISSING_CBOS] ? X86_MSR_PASS : X86_MSR_FAULT;
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    UncoreBox *box;
    UncoreReg reg;
    X86MSRResult r = find(opaque, cpu, msr, &box, &reg);

    if (r == X86_MSR_DONE) {
        box->reads[UNCORE_MSR]++;
        *value = uncore_reg_read(box, reg);
    } else if (r == X86_MSR_PASS) {
        *value = 0;
        r = X86_MSR_DONE;
    }
    return r;
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    UncoreBox *box;
    UncoreReg reg;
    X86MSRResult r = find(opaque, cpu, msr, &box, &reg);

    if (r != X86_MSR_DONE) {
        return r == X86_MSR_PASS ? X86_MSR_DONE : r;
    }
    box->writes[UNCORE_MSR]++;
    if (uncore_write_faults(box, reg, value)) {
        return X86_MSR_FAULT;
    }
    uncore_reg_write(box, reg, value);
    return X86_MSR_DONE;
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

void uncore_msr_init(UncoreModel *u)
{
    for (int i = 0; i < ARRAY_SIZE(ranges[0]); i++) {
        const uint32_t *r = ranges[u->generation - 1][i];

        x86_msr_hook_register(r[0], r[1], &msr_ops, u);
    }
}
