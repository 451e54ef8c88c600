// SPDX-License-Identifier: GPL-2.0-only
/* Suspend to RAM and hibernation, which lose the registers */
#include <linux/rculist.h>

#include "common/compat.h"
#include "snbep/box.h"
#include "snbep/sockets.h"
#include "snbep/suspend.h"

/* Boxes of other sockets have no events left: their CPUs are offline. */
static void snbep_for_all_boxes(void (*what)(struct snbep_box *box))
{
	struct snbep_box *box;
	unsigned int i;

	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		list_for_each_entry_rcu(box, &snbep_sockets[i].boxes, node, true)
			what(box);
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

SNBEP_DEFINE_SLEEP(snbep_sleep, snbep_on_suspend, snbep_on_resume);

void snbep_suspend_init(void)
{
	snbep_register_sleep(&snbep_sleep);
}

void snbep_suspend_exit(void)
{
	snbep_unregister_sleep(&snbep_sleep);
}
