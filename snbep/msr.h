/* SPDX-License-Identifier: GPL-2.0-only */
/* Detection of the boxes in MSR space */
#ifndef SNBEP_MSR_H
#define SNBEP_MSR_H

struct snbep_socket;

void snbep_msr_probe(struct snbep_socket *socket);

#endif /* SNBEP_MSR_H */
