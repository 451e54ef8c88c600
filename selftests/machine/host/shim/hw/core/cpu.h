/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_HW_CORE_CPU_H
#define SHIM_HW_CORE_CPU_H

typedef struct CPUState CPUState;

#endif
