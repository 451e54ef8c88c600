/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_EXEC_MEMOPIDX_H
#define SHIM_EXEC_MEMOPIDX_H

typedef unsigned int MemOpIdx;
typedef struct CPUArchState CPUArchState;
typedef struct CPUState CPUState;

#endif
