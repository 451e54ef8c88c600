// SPDX-License-Identifier: GPL-2.0-only
/* Suspend and hibernation, which may clear the registers */
#include <linux/rculist.h>

#include "common/compat.h"
#include "snbep/box.h"
#include "snbep/sockets.h"
#include "snbep/suspend.h"

/* Boxes of other sockets have no scheduled events: their CPUs are offline. */
static void snbep_for_all_boxes(void (*fn)(struct snbep_box *box))
{
	struct snbep_box *box;
	unsigned int i;

	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		list_for_each_entry_rcu(box, &snbep_sockets[i].boxes, node, true)
			fn(box);
	}
}

static void snbep_on_suspend(void)
{
	snbep_for_all_boxes(snbep_box_suspend);
}

static void snbep_on_resume(void)
{
	snbep_for_all_boxes(snbep_box_resume);
}

COMPAT_DEFINE_SYSCORE(snbep_syscore, snbep_on_suspend, snbep_on_resume);

void snbep_suspend_init(void)
{
	compat_register_syscore(&snbep_syscore);
}

void snbep_suspend_exit(void)
{
	compat_unregister_syscore(&snbep_syscore);
}
