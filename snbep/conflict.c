// SPDX-License-Identifier: GPL-2.0-only
/*
 * intel_uncore programs the same registers without asking; whoever comes second
 * would count what the other one set up.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "snbep/conflict.h"
#include "snbep/pmus.h"

/*
 * Its PCI driver has this name, whether it is a module or built in. What
 * driver_find() returns has no reference, so only compare it with NULL.
 */
static bool snbep_intel_uncore(void)
{
	return driver_find("snbep_uncore", &pci_bus_type);
}

/* Whether intel_uncore has the uncore, after a line in the log */
bool snbep_uncore_is_taken(void)
{
	if (!snbep_intel_uncore())
		return false;
	pr_err("snbep_uncore: intel_uncore holds the uncore: unload it first (modprobe -r intel_uncore); \"blacklist intel_uncore\" in a file of /etc/modprobe.d keeps it away at boot, and initcall_blacklist=intel_uncore_init on the kernel command line where it is built in\n");
	return true;
}

static int snbep_module_event(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "intel_uncore"))
		return NOTIFY_DONE;
	if (action == MODULE_STATE_COMING) {
		pr_warn("snbep_uncore: intel_uncore not loaded: the uncore is in use; unload snbep_uncore first\n");
		return notifier_from_errno(-EBUSY);
	}
	/* It was on its way before we could keep it out. */
	if (action == MODULE_STATE_LIVE && snbep_intel_uncore()) {
		pr_err("snbep_uncore: intel_uncore came at the same time and holds the uncore; no events here until this one is loaded anew without it\n");
		snbep_close();
	}
	return NOTIFY_DONE;
}

static struct notifier_block snbep_module_nb = {
	.notifier_call = snbep_module_event,
};

/*
 * Keep intel_uncore out. It may still come if it was on its way:
 * snbep_register_pmus() looks again before it lets the first event in.
 */
int snbep_conflict_init(void)
{
	int ret = register_module_notifier(&snbep_module_nb);

	if (ret)
		return ret;
	if (!snbep_uncore_is_taken())
		return 0;
	unregister_module_notifier(&snbep_module_nb);
	return -EBUSY;
}

void snbep_conflict_exit(void)
{
	unregister_module_notifier(&snbep_module_nb);
}
