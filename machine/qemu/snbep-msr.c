/*
 * The MSRs of UBox, CBo and PCU, of the socket whose vCPU accesses them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "snbep.h"
#include "x86-msr-hook.h"

/*
 * Table 1-2: what lies in these and is no register of the socket, faults. The
 * table's 3fc and 3fd are in snbep-cstate.c.
 */
static const uint32_t ranges[][2] = {
    { 0xc00, 0xc3f },
    { 0xd00, 0xdff },
};

bool snbep_write_faults(const SnbepBox *box, SnbepReg reg, uint64_t value)
{
    return box->type->kind == SNBEP_PCU && reg.kind == SNBEP_R_CTL &&
           (value & SNBEP_CTL_EXT) &&
           box->socket->uncore->pcu_ext == SNBEP_EXT_FAULT;
}

static bool find(void *opaque, X86CPU *cpu, uint32_t msr, SnbepBox **box,
                 SnbepReg *reg)
{
    SnbepUncore *u = opaque;

    return cpu->socket_id >= 0 && cpu->socket_id < u->sockets &&
           snbep_find_msr(&u->socket[cpu->socket_id], msr, box, reg);
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    SnbepUncore *u = opaque;
    SnbepBox *box;
    SnbepReg reg;

    if (u->msrs_drop) {
        *value = 0;
        return X86_MSR_DONE;
    }
    if (!find(opaque, cpu, msr, &box, &reg)) {
        return X86_MSR_FAULT;
    }
    box->reads[SNBEP_MSR]++;
    *value = snbep_reg_read(box, reg);
    snbep_poke_accessed(box, reg, false);
    return X86_MSR_DONE;
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    SnbepUncore *u = opaque;
    SnbepBox *box;
    SnbepReg reg;

    if (u->msrs_drop) {
        return X86_MSR_DONE;
    }
    if (!find(opaque, cpu, msr, &box, &reg)) {
        return X86_MSR_FAULT;
    }
    box->writes[SNBEP_MSR]++;
    if (snbep_write_faults(box, reg, value)) {
        return X86_MSR_FAULT;
    }
    snbep_reg_write(box, reg, value, 64);
    snbep_poke_accessed(box, reg, true);
    return X86_MSR_DONE;
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

void snbep_msr_init(SnbepUncore *u)
{
    for (int i = 0; i < ARRAY_SIZE(ranges); i++) {
        x86_msr_hook_register(ranges[i][0], ranges[i][1], &msr_ops, u);
    }
}
