/* SPDX-License-Identifier: GPL-2.0-only */
/* Boxes in PCI configuration space */
#ifndef SNBEP_PCI_H
#define SNBEP_PCI_H

#include <linux/types.h>

struct pci_dev;

bool snbep_pci_answers(struct pci_dev *pdev, void __iomem *map);
u64 snbep_pci_read(void __iomem *reg, u32 hi, u32 bits);
int snbep_pci_init(void);
void snbep_pci_exit(void);

#endif /* SNBEP_PCI_H */
