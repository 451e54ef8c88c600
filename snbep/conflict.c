// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutual exclusion with intel_uncore. Both drivers program the same registers,
 * and neither would notice that the other one overwrote its events.
 */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "snbep_uncore.h"

/*
 * "snbep_uncore" is the name of intel_uncore's PCI driver, as a module or built
 * in. driver_find() takes no reference: only compare its result with NULL.
 */
static bool snbep_find_intel_uncore(void)
{
	return driver_find("snbep_uncore", &pci_bus_type);
}

/* Return whether intel_uncore is active, and log how to unload it. */
bool snbep_intel_uncore_active(void)
{
	if (!snbep_find_intel_uncore())
		return false;
	pr_err("intel_uncore is active: unload it (modprobe -r intel_uncore), or keep it from loading with \"blacklist intel_uncore\" in /etc/modprobe.d; if it is built in, boot with initcall_blacklist=intel_uncore_init\n");
	return true;
}

static int snbep_module_event(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "intel_uncore"))
		return NOTIFY_DONE;
	if (action == MODULE_STATE_COMING) {
		pr_warn("intel_uncore not loaded: the uncore is in use; unload snbep_uncore first\n");
		return notifier_from_errno(-EBUSY);
	}
	/* It was COMING before our notifier was registered. */
	if (action == MODULE_STATE_LIVE && snbep_find_intel_uncore()) {
		pr_err("intel_uncore was loaded at the same time: no new events here; unload both modules and load one of them\n");
		snbep_close();
	}
	return NOTIFY_DONE;
}

static struct notifier_block snbep_module_nb = {
	.notifier_call = snbep_module_event,
};

/*
 * Refuse to load intel_uncore from now on. If it was loading already,
 * snbep_open_pmus() or the notifier finds it.
 */
int snbep_conflict_init(void)
{
	int ret = register_module_notifier(&snbep_module_nb);

	if (ret)
		return ret;
	if (!snbep_intel_uncore_active())
		return 0;
	unregister_module_notifier(&snbep_module_nb);
	return -EBUSY;
}

void snbep_conflict_exit(void)
{
	unregister_module_notifier(&snbep_module_nb);
}
