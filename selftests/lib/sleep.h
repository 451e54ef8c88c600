/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine sleeps and wakes up. */
#ifndef LIB_SLEEP_H
#define LIB_SLEEP_H

#include <stdbool.h>

/**
 * sleep_in_memory - ACPI's S3: memory stays, registers are lost
 * The model wakes it as soon as it sleeps. Needs model_init().
 *
 * Return: whether it slept; errno says why not.
 */
bool sleep_in_memory(void);

/**
 * sleep_on_disk - hibernate: memory goes to disk and the machine is switched off
 *
 * Who runs the machine switches it on again.
 *
 * Return: whether it slept; errno says why not.
 */
bool sleep_on_disk(void);

#endif
