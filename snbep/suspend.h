/* SPDX-License-Identifier: GPL-2.0-only */
/* Suspend and hibernation, which may clear the registers */
#ifndef SNBEP_SUSPEND_H
#define SNBEP_SUSPEND_H

void snbep_suspend_init(void);
void snbep_suspend_exit(void);

#endif /* SNBEP_SUSPEND_H */
