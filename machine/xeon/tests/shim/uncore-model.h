/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The uncore's model without QEMU, for host-side unit tests: registers, counters, checker */
#ifndef UNCORE_MODEL_H
#define UNCORE_MODEL_H

#include "machine/xeon/uncore/uncore.h"

extern UncoreModel uncore;	/* two permissive sockets */

/* Boxes as uncore.generation has them, after a hardware reset */
void uncore_make_sockets(void);

#endif
