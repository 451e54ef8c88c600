/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMUs: one for the box of the same place in all sockets */
#ifndef SNBEP_PMUS_H
#define SNBEP_PMUS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#include "common/refuse.h"
#include "snbep/sockets.h"
#include "snbep/types.h"

struct pci_dev;
struct snbep_box;

/* The boxes of the same place in all sockets */
struct snbep_pmu {
	struct pmu pmu;
	struct list_head node;
	enum snbep_type_id id;
	const struct snbep_box_type *type;
	u8 instance;		/* which of its kind */
	bool no_ext;		/* extended events cannot be selected */
	bool claimed;		/* somebody registers it with perf, or has */
	int err;		/* of that */
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

extern struct mutex snbep_lock;

/* Whether the PMUs have intel_uncore's names: parameter uncore_names */
extern bool snbep_uncore_names;

extern bool snbep_open;
/* Callbacks and capabilities of all PMUs: snbep_uncore.c */
extern const struct pmu snbep_pmu_ops;

struct snbep_box *snbep_box_found(enum snbep_type_id id, unsigned int instance,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev, void __iomem *map,
				  void __iomem *filter_map);
void snbep_pmu_register(struct snbep_pmu *pmu);
int snbep_open_pmus(void);
void snbep_close(void);
void snbep_free_pmus(void);

#endif /* SNBEP_PMUS_H */
