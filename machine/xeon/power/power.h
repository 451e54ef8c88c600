/*
 * Power and thermal management of processor packages
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_POWER_H
#define HW_I386_MODEL_POWER_H

/* CPUID leaf 6, which the machine's device extends, if there is one */
void power_cpuid(uint32_t *eax, uint32_t *ebx, uint32_t *ecx);

#endif
