/* SPDX-License-Identifier: GPL-2.0-only */
/* PMUs and their registration */
#ifndef SNBEP_PMUS_H
#define SNBEP_PMUS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include "common/refuse.h"
#include "snbep/box.h"
#include "snbep/sockets.h"
#include "snbep/types.h"

/* One PMU: the same box in all sockets */
struct snbep_pmu {
	struct pmu pmu;
	struct list_head node;
	const struct snbep_box_type *type;
	u8 instance;		/* index within its type */
	bool no_ext;		/* ev_sel_ext is not writable */
	bool registered;	/* perf_pmu_register() was called */
	int err;		/* its result */
	char name[32];
	struct snbep_box *box[SNBEP_MAX_SOCKETS];
};

static inline struct snbep_pmu *to_snbep_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct snbep_pmu, pmu);
}

/* Return the box of @pmu in a socket, or NULL if it has none that responds. */
static inline struct snbep_box *snbep_live_box(struct snbep_pmu *pmu, int pkg)
{
	struct snbep_box *box = READ_ONCE(pmu->box[pkg]);

	return box && !READ_ONCE(box->dead) ? box : NULL;
}

/* Log why an event is refused; evaluates to @err. */
#define snbep_refuse(p, err, fmt, ...)					\
	refuse((p)->name, err, fmt, ##__VA_ARGS__)

extern struct mutex snbep_lock;

extern bool snbep_uncore_names;
extern bool snbep_open;
/* Template of all PMUs, in snbep_uncore.c */
extern const struct pmu snbep_pmu_ops;

struct snbep_box *snbep_box_create(enum snbep_type_id id, unsigned int instance,
				   struct snbep_socket *socket,
				   struct pci_dev *pdev, void __iomem *map,
				   void __iomem *filter_map);
void snbep_box_remove(struct snbep_box *box);
void snbep_pmu_register(struct snbep_pmu *pmu);
int snbep_open_pmus(void);
void snbep_close(void);
void snbep_free_pmus(void);

#endif /* SNBEP_PMUS_H */
