/* SPDX-License-Identifier: GPL-2.0-only */
/* Boxes in PCI configuration space */
#ifndef SNBEP_PCI_H
#define SNBEP_PCI_H

#include <linux/types.h>

struct pci_dev;
struct perf_event;

bool snbep_pci_answers(struct pci_dev *pdev, void __iomem *map);

/* Without memory-mapped configuration space */
bool snbep_samples_anywhere(struct perf_event *event);
bool snbep_port_read_nests(struct perf_event *event);
u32 snbep_port_read(struct pci_dev *pdev, u16 addr);
u64 snbep_port_read_ctr(struct pci_dev *pdev, u16 addr, u32 hi, u32 bits);
void snbep_port_write(struct pci_dev *pdev, u16 addr, u32 val);
int snbep_pci_init(void);
void snbep_pci_exit(void);

#endif /* SNBEP_PCI_H */
