// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for what the model has of QEMU, its processors and buses */
#include "qemu/osdep.h"
#include "uncore-model.h"

UncoreModel uncore = {
	.sockets = 2, .cbos = 8, .generation = 1,
	.mhz = { [UNCORE_UCLK] = 2000, [UNCORE_DCLK] = 800, [UNCORE_PCLK] = 800 },
	.qpi_mhz = { 1000, 900 },
};

void uncore_make_sockets(void)
{
	unsigned int s;

	for (s = 0; s < uncore.sockets; s++) {
		UncoreSocket *socket = &uncore.socket[s];

		socket->uncore = &uncore;
		socket->id = s;
		socket->functions = ~0u;
		uncore_boxes_make(socket);
		uncore_socket_reset(socket);
	}
}

/* What depends on QEMU's processors and the machine's seed, in programs that do not have it */
__attribute__((weak))
bool uncore_write_faults(const UncoreBox *box, UncoreReg reg, uint64_t value)
{
	return false;
}

/* tests/drivers/uncore has noise. */
__attribute__((weak))
uint64_t uncore_noisy(UncoreModel *u, uint64_t value, uint64_t defined)
{
	return value & defined;
}

__attribute__((weak))
uint64_t uncore_write_only(UncoreModel *u, uint64_t held, uint64_t wo)
{
	return held;
}
