/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs: offcore_rsp/registers */
#ifndef OFFCORE_DEBUGFS_H
#define OFFCORE_DEBUGFS_H

void offcore_debugfs_init(void);
void offcore_debugfs_exit(void);

#endif /* OFFCORE_DEBUGFS_H */
