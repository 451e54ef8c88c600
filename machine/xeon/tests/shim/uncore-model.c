// SPDX-License-Identifier: GPL-2.0-or-later
/* Stands in for what the model has of QEMU, its processors and buses */
#include "qemu/osdep.h"
#include "uncore-model.h"

SnbepUncore uncore = {
	.sockets = 2, .cbos = 8, .generation = 1,
	.mhz = { [SNBEP_UCLK] = 2000, [SNBEP_DCLK] = 800, [SNBEP_PCLK] = 800 },
	.qpi_mhz = { 1000, 1000 },
};

void traffic_drain(void)
{
}

void traffic_power_drain(unsigned int socket, int64_t until)
{
}

SnbepBox *snbep_box_of_kind(SnbepSocket *s, SnbepKind kind, unsigned int instance)
{
	int b;

	for (b = 0; s->box[b].type->kind != kind || s->box[b].instance != instance; b++)
		;
	return &s->box[b];
}

SnbepBox *snbep_box_at(SnbepSocket *s, uint8_t devfn, bool *filter_fn)
{
	int b;

	for (b = 0; b < SNBEP_BOXES; b++) {
		const SnbepBoxType *t = s->box[b].type;
		int i = s->box[b].instance;

		*filter_fn = !t->msr && t->filter_devfn[i] == devfn;
		if (!t->msr && (*filter_fn || t->devfn[i] == devfn))
			return &s->box[b];
	}
	return NULL;
}

void snbep_socket_reset(SnbepSocket *s)
{
	int b;

	for (b = 0; b < SNBEP_BOXES; b++)
		snbep_pmon_reset(&s->box[b]);
}

void uncore_make_sockets(void)
{
	unsigned int s;
	int b, i, kind;

	for (s = 0; s < uncore.sockets; s++) {
		SnbepSocket *socket = &uncore.socket[s];

		socket->uncore = &uncore;
		socket->id = s;
		socket->functions = ~0u;
		for (kind = 0, b = 0; kind < SNBEP_KINDS; kind++) {
			const SnbepBoxType *t = &snbep_box_types[kind];

			for (i = 0; i < t->instances; i++, b++) {
				SnbepBox *box = &socket->box[b];

				box->type = t;
				box->socket = socket;
				box->instance = i;
				box->present = true;
				snprintf(box->name, sizeof(box->name),
					 t->numbered ? "%s_%d" : "%s", t->name, i);
			}
		}
		snbep_socket_reset(socket);
	}
}
