// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine sleeps (S3) and loses the registers: events of the last socket
 * that is awake go on from the counts that they had, with no leap.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

/*
 * What the firmware of this machine does not set up again after a sleep: where
 * the chipset has memory-mapped configuration space, and power management.
 */
static const char * const chipset[] = { "0000:00:00.0", "0000:00:1f.0" };

#define NR_CHIPSET	(sizeof(chipset) / sizeof(*chipset))
#define CONFIG_DWORDS	64
#define CONFIG_HEADER	16	/* Linux keeps these itself */

static int open_config(unsigned int i, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/config",
		 chipset[i]);
	return open(path, flags);
}

static bool sleep_and_wake(void)
{
	uint32_t config[NR_CHIPSET][CONFIG_DWORDS], now;
	bool slept;
	unsigned int i, j;
	int fd;

	for (i = 0; i < NR_CHIPSET; i++) {
		fd = open_config(i, O_RDONLY);
		if (read(fd, config[i], sizeof(config[i])) !=
		    sizeof(config[i]))
			ksft_exit_fail_msg("%s cannot be read\n", chipset[i]);
		close(fd);
	}
	slept = write_text("0", "/sys/class/rtc/rtc0/wakealarm") &&
		write_text("+3", "/sys/class/rtc/rtc0/wakealarm") &&
		write_text("mem", "/sys/power/state");
	for (i = 0; i < NR_CHIPSET; i++) {
		fd = open_config(i, O_RDWR);
		for (j = CONFIG_HEADER; j < CONFIG_DWORDS; j++) {
			if (pread(fd, &now, 4, 4 * j) == 4 &&
			    now != config[i][j] &&
			    pwrite(fd, &config[i][j], 4, 4 * j) != 4)
				ksft_exit_fail_msg("%s cannot be written\n",
						   chipset[i]);
		}
		close(fd);
	}
	return slept;
}

int main(void)
{
	uint64_t count[UNCORE_MAX_PMUS];
	int fd[UNCORE_MAX_PMUS];
	unsigned int i;

	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	ksft_set_plan(1 + 3 * uncore_nr_pmus);
	for (i = 0; i < uncore_nr_pmus; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[i];
		const char *event = uncore_kind(pmu)->event;

		fd[i] = uncore_open(pmu, event, 0, -1);
		model("stim 0 %s %s,count=%u", pmu->box, event, 100 + i);
	}
	ksft_test_result(sleep_and_wake(), "it slept and woke up\n");
	for (i = 0; i < uncore_nr_pmus; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[i];
		const char *event = uncore_kind(pmu)->event;

		count[i] = uncore_read(fd[i]);
		ksft_test_result(count[i] == 100 + i,
				 "%s: %llu until it slept\n", pmu->name,
				 (unsigned long long)count[i]);
		model("stim 0 %s %s,count=7", pmu->box, event);
		ksft_test_result(uncore_read(fd[i]) == count[i] + 7,
				 "%s: goes on counting\n", pmu->name);
		close(fd[i]);
		fd[i] = uncore_open(pmu, event, 0, -1);
		model("stim 0 %s %s,count=9", pmu->box, event);
		ksft_test_result(uncore_read(fd[i]) == 9,
				 "%s: counts for those who come later\n",
				 pmu->name);
		close(fd[i]);
	}
	ksft_finished();
}
