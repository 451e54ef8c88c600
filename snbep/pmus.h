/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMUs: one for the box of the same place in all sockets */
#ifndef SNBEP_PMUS_H
#define SNBEP_PMUS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include "common/refuse.h"
#include "snbep/types.h"

#define SNBEP_MAX_SOCKETS	8

struct pci_dev;
struct snbep_box;
struct snbep_socket;

/**
 * struct snbep_pmu - a box of the same place in all sockets
 * @pmu: for perf
 * @node: in the list of all
 * @id: of @type
 * @type: kind of box
 * @instance: which of its kind
 * @no_ext: extended events cannot be selected
 * @claimed: somebody registers it with perf, or has
 * @registered: with perf, and may have events
 * @name: of the PMU
 * @box: by socket
 */
struct snbep_pmu {
	struct pmu pmu;
	struct list_head node;
	enum snbep_type_id id;
	const struct snbep_box_type *type;
	u8 instance;
	bool no_ext;
	bool claimed;
	bool registered;
	char name[32];
	struct snbep_box *box[SNBEP_MAX_SOCKETS];
};

static inline struct snbep_pmu *to_snbep_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct snbep_pmu, pmu);
}

/* Say why an event is refused; evaluates to @err. */
#define snbep_refuse(p, err, fmt, ...)					\
	refuse((p)->name, err, fmt, ##__VA_ARGS__)

/* For the list snbep_pmus, adding boxes, and choosing the CPU of a socket */
extern struct mutex snbep_lock;
extern struct list_head snbep_pmus;

bool snbep_pmu_takes_events(struct snbep_pmu *pmu);
struct snbep_box *snbep_box_found(enum snbep_type_id id, unsigned int instance,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev,
				  struct pci_dev *filter_pdev);
int snbep_register_pmus(void);
void snbep_close(void);
void snbep_clean_up_boxes(void);
void snbep_free_pmus(void);

#endif /* SNBEP_PMUS_H */
