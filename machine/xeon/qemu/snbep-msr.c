/*
 * MSRs of UBox, CBo and PCU; a vCPU accesses those of its socket.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "snbep.h"
#include "x86-msr-hook.h"

/*
 * Table 1-2: accesses to missing registers in these ranges fault. 0x3fc and
 * 0x3fd are in snbep-cstate.c. SBoxes of v3, 0x720 to 0x74f, read as 0 in QEMU.
 */
static const uint32_t ranges[][2][2] = {
    { { 0xc00, 0xc3f }, { 0xd00, 0xdff } },
    { { 0xc00, 0xc3f }, { 0xd00, 0xdff } },
    { { 0x700, 0x71f }, { 0xe00, 0xe7f } },
};

bool snbep_write_faults(const SnbepBox *box, SnbepReg reg, uint64_t value)
{
    return box->type->kind == SNBEP_PCU && reg.kind == SNBEP_R_CTL &&
           (value & R_PMON_CTL_EXT_MASK) &&
           box->socket->uncore->trait[SNBEP_T_PCU_EXT] == SNBEP_EXT_FAULT;
}

/*
 * Result of a lookup. PASS is an MSR that reads as 0 and ignores writes; not
 * passed to QEMU, which has other registers at some of these numbers.
 */
static X86MSRResult find(SnbepUncore *u, X86CPU *cpu, uint32_t msr,
                         SnbepBox **box, SnbepReg *reg)
{
    SnbepSocket *s = snbep_socket_of_package(u, cpu->socket_id);

    if (u->trait[SNBEP_T_MSRS]) {
        return X86_MSR_PASS;
    }
    if (!s || !snbep_find_msr(s, msr, box, reg)) {
        return X86_MSR_FAULT;
    }
    if ((*box)->present) {
        return X86_MSR_DONE;
    }
    return u->trait[SNBEP_T_MISSING_CBOS] ? X86_MSR_PASS : X86_MSR_FAULT;
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    SnbepBox *box;
    SnbepReg reg;
    X86MSRResult r = find(opaque, cpu, msr, &box, &reg);

    if (r == X86_MSR_DONE) {
        box->reads[SNBEP_MSR]++;
        *value = snbep_reg_read(box, reg);
    } else if (r == X86_MSR_PASS) {
        *value = 0;
        r = X86_MSR_DONE;
    }
    return r;
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    SnbepBox *box;
    SnbepReg reg;
    X86MSRResult r = find(opaque, cpu, msr, &box, &reg);

    if (r != X86_MSR_DONE) {
        return r == X86_MSR_PASS ? X86_MSR_DONE : r;
    }
    box->writes[SNBEP_MSR]++;
    if (snbep_write_faults(box, reg, value)) {
        return X86_MSR_FAULT;
    }
    snbep_reg_write(box, reg, value);
    return X86_MSR_DONE;
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

void snbep_msr_init(SnbepUncore *u)
{
    for (int i = 0; i < ARRAY_SIZE(ranges[0]); i++) {
        const uint32_t *r = ranges[u->generation - 1][i];

        x86_msr_hook_register(r[0], r[1], &msr_ops, u);
    }
}
