// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for what the model has of QEMU, its processors and buses */
#include "qemu/osdep.h"
#include "machine/xeon/qemu/traffic.h"
#include "uncore-model.h"

SnbepUncore uncore = {
	.sockets = 2, .cbos = 8, .generation = 1,
	.mhz = { [SNBEP_UCLK] = 2000, [SNBEP_DCLK] = 800, [SNBEP_PCLK] = 800 },
	.qpi_mhz = { 1000, 1000 },
};

void traffic_drain(void)
{
}

int64_t traffic_power_drain(unsigned int socket, int64_t now)
{
	return now;
}

void uncore_make_sockets(void)
{
	unsigned int s;

	for (s = 0; s < uncore.sockets; s++) {
		SnbepSocket *socket = &uncore.socket[s];

		socket->uncore = &uncore;
		socket->id = s;
		socket->functions = ~0u;
		snbep_boxes_make(socket);
		snbep_socket_reset(socket);
	}
}
