/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine sleeps and wakes up. */
#ifndef LIB_SLEEP_H
#define LIB_SLEEP_H

#include <stdbool.h>

/* ACPI's S3: registers are lost; the model wakes it as soon as it sleeps. False with errno */
bool sleep_in_memory(void);

/* Hibernate: the machine is switched off, until who runs it switches it on. False with errno */
bool sleep_on_disk(void);

#endif
