// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "api/model.h"
#include "api/sleep.h"
#include "api/uncore.h"

/*
 * Registers that the machine's firmware does not restore after S3: the base of
 * memory-mapped configuration space, and the base of power management, without which
 * the machine cannot be switched off.
 */
static const char * const chipset[] = { "0000:00:00.0", "0000:00:1f.0" };

#define NR_CHIPSET	(sizeof(chipset) / sizeof(*chipset))
#define CONFIG_DWORDS	64
#define CONFIG_HEADER	16	/* Linux saves these itself */

typedef uint32_t config_t[CONFIG_DWORDS];

static int open_config(unsigned int i, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config", chipset[i]);
	return open(path, flags);
}

static bool read_config(unsigned int i, config_t config)
{
	int fd = open_config(i, O_RDONLY);
	bool good = fd >= 0 && read(fd, config, sizeof(config_t)) ==
			       sizeof(config_t);

	if (fd >= 0)
		close(fd);
	return good;
}

static bool restore_config(unsigned int i, const config_t config)
{
	int fd = open_config(i, O_RDWR);
	bool good = fd >= 0;
	unsigned int j;
	uint32_t now;

	for (j = CONFIG_HEADER; good && j < CONFIG_DWORDS; j++) {
		if (pread(fd, &now, 4, 4 * j) == 4 && now == config[j])
			continue;
		printf("# the firmware left %#x in register %#x of %s, which was %#x\n",
		       now, 4 * j, chipset[i], config[j]);
		good = pwrite(fd, &config[j], 4, 4 * j) == 4;
	}
	if (fd >= 0)
		close(fd);
	return good;
}

bool sleep_in_memory(void)
{
	config_t config[NR_CHIPSET];
	bool good = true;
	unsigned int i;
	int err;

	for (i = 0; i < NR_CHIPSET; i++)
		good &= read_config(i, config[i]);
	if (!good)
		return false;
	good = !model_try(NULL, "wake") && write_text("mem", "/sys/power/state");
	err = errno;
	for (i = 0; i < NR_CHIPSET; i++) {
		if (!restore_config(i, config[i])) {
			err = errno;
			good = false;
		}
	}
	errno = err;
	return good;
}

bool sleep_on_disk(void)
{
	return write_text("shutdown", "/sys/power/disk") && write_text("disk", "/sys/power/state");
}
