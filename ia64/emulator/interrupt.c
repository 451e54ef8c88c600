// SPDX-License-Identifier: GPL-2.0-only
/*
 * interrupt.c: delivery of interruptions, external interrupts and their priorities, the processor
 * status
 */
#include <inttypes.h>
#include <stdio.h>

#include "exec.h"

#define IFS_V	(1ULL << 63)

uint64_t cpu_itc(const struct cpu *cpu)
{
	return cpu->cycles + cpu->itc_offset;
}

static void swap_banks(struct cpu *cpu)
{
	int i;

	for (i = 0; i < 16; i++) {
		uint64_t value = cpu->gr[16 + i];
		uint8_t nat = cpu->nat[16 + i];

		cpu->gr[16 + i] = cpu->bank[i];
		cpu->nat[16 + i] = cpu->bank_nat[i];
		cpu->bank[i] = value;
		cpu->bank_nat[i] = nat;
	}
}

void psr_write(struct cpu *cpu, uint64_t psr)
{
	uint64_t changed = cpu->psr ^ psr;

	cpu->psr = psr;
	if (changed & PSR_BN)
		swap_banks(cpu);
	if (changed & (PSR_DT | PSR_IT | PSR_CPL))
		fast_modes(cpu);
	if (changed & PSR_DB)
		fast_flush(cpu);
	if (changed & psr & (PSR_I | PSR_IC | PSR_WATCH))
		cpu->next_check = 0;
}

/* Go to the handler at @vector. */
static void deliver(struct cpu *cpu, enum vector vector, uint64_t isr)
{
	uint64_t keep = PSR_UP | PSR_MFL | PSR_MFH | PSR_PK | PSR_DT | PSR_RT | PSR_MC | PSR_IT;
	uint64_t psr = cpu->psr & keep;

	if (vector != VECTOR_NESTED_TLB) {
		cpu->isr = isr | (uint64_t)cpu->slot << ISR_EI_SHIFT |
			   (cpu->psr & PSR_IC ? 0 : ISR_NI);
		if (cpu->psr & PSR_IC) {
			cpu->ipsr = (cpu->psr & ~PSR_RI) | (uint64_t)cpu->slot << PSR_RI_SHIFT;
			cpu->iip = cpu->ip;
			cpu->iipa = cpu->last_ip;
			cpu->ifs &= ~IFS_V;
		}
	}
	if (cpu->pmu_active)
		pmu_branch(cpu, vector == VECTOR_EXTERNAL ? BRANCH_INTERRUPT : BRANCH_EXCEPTION,
			   cpu->iva + vector, true);
	if (cpu->dcr & DCR_PP)
		psr |= PSR_PP;
	if (cpu->dcr & DCR_BE)
		psr |= PSR_BE;
	cpu->load_frame = false;
	psr_write(cpu, psr);
	cpu->ip = cpu->iva + vector;
	cpu->slot = 0;
}

void fault(struct cpu *cpu, enum vector vector, uint64_t isr)
{
	deliver(cpu, vector, isr);
	/* Let time pass even if each handler faults, too. */
	cpu->cycles++;
	longjmp(cpu->fault, 1);
}

void fault_address(struct cpu *cpu, enum vector vector, uint64_t isr, uint64_t address)
{
	if (cpu->psr & PSR_IC) {
		cpu->ifa = address;
		cpu->itir = cpu->rr[address >> 61] & 0xfffffffc;
	}
	fault(cpu, vector, isr);
}

void illegal_operation(struct cpu *cpu)
{
	fault(cpu, VECTOR_GENERAL, GENERAL_ILLEGAL);
}

void reserved_field(struct cpu *cpu)
{
	fault(cpu, VECTOR_GENERAL, GENERAL_RESERVED);
}

void nat_consumption(struct cpu *cpu, uint64_t isr)
{
	fault(cpu, VECTOR_NAT, isr | 0x10);
}

void cannot_go_on(struct cpu *cpu, const struct insn *insn, const char *why)
{
	cpu_print(cpu, insn, why);
	cpu->machine->stop = STOP_FAILURE;
	cpu->next_check = 0;
	longjmp(cpu->fault, 1);
}

void need_privilege(struct cpu *cpu)
{
	if (cpu_cpl(cpu))
		fault(cpu, VECTOR_GENERAL, GENERAL_PRIVILEGED_OP);
}

/* The vector is that of the trap with the highest priority; @code has all traps. */
void deliver_trap(struct cpu *cpu, unsigned int code, uint64_t ip, unsigned int slot)
{
	enum vector vector = code & TRAP_LOWER_PRIVILEGE ? VECTOR_LOWER_PRIVILEGE :
			     code & TRAP_TAKEN_BRANCH ? VECTOR_TAKEN_BRANCH : VECTOR_SINGLE_STEP;

	cpu->last_ip = ip;
	deliver(cpu, vector, code);
	cpu->isr = (cpu->isr & ~(3ULL << ISR_EI_SHIFT)) | (uint64_t)slot << ISR_EI_SHIFT;
}

/* External interrupts: no device of this machine uses vectors below 16, NMI and ExtINT. */

static int highest(const uint64_t *bits)
{
	int i;

	for (i = 3; i >= 0; i--)
		if (bits[i])
			return 64 * i + 63 - __builtin_clzll(bits[i]);
	return -1;
}

void cpu_raise(struct cpu *cpu, unsigned int vector)
{
	vector &= 0xff;
	cpu->irr[vector >> 6] |= 1ULL << (vector & 63);
	cpu->next_check = 0;
}

/* Return whether an interrupt is pending that neither cr.tpr nor one in service masks. */
bool external_pending(const struct cpu *cpu, unsigned int *vector)
{
	int pending = highest(cpu->irr);

	if (pending < 0 || pending <= highest(cpu->in_service) || cpu->tpr >> 16 & 1)
		return false;
	if ((unsigned int)pending >> 4 <= (cpu->tpr >> 4 & 15))
		return false;
	*vector = pending;
	return true;
}

void deliver_external(struct cpu *cpu)
{
	deliver(cpu, VECTOR_EXTERNAL, 0);
}

/* Read cr.ivr: take the pending interrupt, or return 15, the spurious vector. */
uint64_t interrupt_take(struct cpu *cpu)
{
	unsigned int vector;

	if (!external_pending(cpu, &vector))
		return 15;
	cpu->irr[vector >> 6] &= ~(1ULL << (vector & 63));
	cpu->in_service[vector >> 6] |= 1ULL << (vector & 63);
	return vector;
}

/* Write cr.eoi: end the interrupt in service. */
void interrupt_end(struct cpu *cpu)
{
	int vector = highest(cpu->in_service);

	if (vector < 0)
		return;
	cpu->in_service[vector >> 6] &= ~(1ULL << (vector & 63));
	cpu->next_check = 0;
}
