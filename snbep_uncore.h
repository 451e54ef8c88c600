/* SPDX-License-Identifier: GPL-2.0-only */
/* Box lookup for the PMU callbacks */
#ifndef SNBEP_UNCORE_H
#define SNBEP_UNCORE_H

#include <linux/topology.h>

#include "snbep/box.h"
#include "snbep/pmus.h"
#include "snbep/sockets.h"

/* Return the box of @pmu in this CPU's socket, or NULL. */
static inline struct snbep_box *snbep_this_box(struct pmu *pmu)
{
	struct snbep_socket *socket =
		snbep_socket_get(topology_physical_package_id(smp_processor_id()));

	return socket ? READ_ONCE(to_snbep_pmu(pmu)->box[socket->pkg]) : NULL;
}

#endif /* SNBEP_UNCORE_H */
