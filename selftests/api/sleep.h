/* SPDX-License-Identifier: GPL-2.0-only */
/* Suspend and resume, hibernation */
#ifndef API_SLEEP_H
#define API_SLEEP_H

#include <stdbool.h>

/*
 * Suspend to RAM: registers are lost, and the model wakes the machine at once. Returns false with
 * errno set
 */
bool sleep_in_memory(void);

/* Hibernate: the machine is switched off, and the host starts it again. Returns as above. */
bool sleep_on_disk(void);

#endif
