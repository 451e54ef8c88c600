// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>

#include "fuzzing/fuzz.h"

bool fuzzing;

/* libFuzzer keeps the input of a run that aborts. */
void fuzz_found(void)
{
	fflush(NULL);
	abort();
}

/*
 * Restore the driver's variables to what they are in a module that is loaded again. They
 * are in sections of their own: see mock-kernel/driver.mk.
 */
extern char __start_driver_data[] __attribute__((weak));
extern char __stop_driver_data[] __attribute__((weak));
extern char __start_driver_bss[] __attribute__((weak));
extern char __stop_driver_bss[] __attribute__((weak));

/* Byte by byte: AddressSanitizer keeps memcpy() from the gaps between variables. */
__attribute__((no_sanitize("address")))
static void copy(volatile char *to, const volatile char *from, size_t size)
{
	while (size--)
		*to++ = *from++;
}

static void keep_or_restore(char *start, size_t size, char **kept)
{
	if (!size)
		return;
	if (*kept) {
		copy(start, *kept, size);
		return;
	}
	*kept = malloc(size);
	copy(*kept, start, size);
}

static void load_anew(void)
{
	static char *data, *bss;

	keep_or_restore(__start_driver_data,
			__stop_driver_data - __start_driver_data, &data);
	keep_or_restore(__start_driver_bss, __stop_driver_bss - __start_driver_bss,
			&bss);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzzing = true;
	load_anew();
	noise_seed(1);
	draw_from(bytes, size);
	fuzz_input();
	draw_from(NULL, 0);
	return 0;
}
