/* SPDX-License-Identifier: GPL-2.0-only */
/* Boxes in PCI configuration space */
#ifndef SNBEP_PCI_H
#define SNBEP_PCI_H

#include <linux/types.h>

struct pci_dev;
struct snbep_box;

extern struct pci_driver snbep_pci_driver;

bool snbep_pci_answers(struct pci_dev *pdev, void __iomem *map);
int snbep_pci_map_box(struct snbep_box *box, struct pci_dev *pdev);
int snbep_pci_again(const struct snbep_box *box, struct pci_dev *pdev);

/* Without memory-mapped configuration space */
u32 snbep_port_read(struct pci_dev *pdev, u16 addr);
void snbep_port_write(struct pci_dev *pdev, u16 addr, u32 val);

#endif /* SNBEP_PCI_H */
