/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QEMU_THREAD_H
#define SHIM_QEMU_THREAD_H

typedef struct QemuMutex {
	int none;
} QemuMutex;

#endif
