// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stand-in for a built-in intel_uncore, which no kernel of the machine has: a PCI driver of the
 * same name without a module. It drives nothing.
 */
#include <linux/module.h>
#include <linux/pci.h>

static const struct pci_device_id builtin_ids[] = {
	{ }
};

static struct pci_driver builtin_driver = {
	.name = "snbep_uncore",
	.id_table = builtin_ids,
};

static int __init builtin_init(void)
{
	return __pci_register_driver(&builtin_driver, NULL, "intel_uncore");
}
module_init(builtin_init);

static void __exit builtin_exit(void)
{
	pci_unregister_driver(&builtin_driver);
}
module_exit(builtin_exit);

MODULE_DESCRIPTION("Stands in for a built-in intel_uncore");
MODULE_LICENSE("GPL");
