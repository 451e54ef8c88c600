// SPDX-License-Identifier: GPL-2.0-only
/*
 * suspend [kernel|direct [disk]]: suspend the machine to RAM, or to disk, while an event counts;
 * registers are lost. For hibernation, the host starts the machine again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/model.h"
#include "api/offcore.h"
#include "api/sleep.h"
#include "api/test.h"

int main(int argc, char **argv)
{
	bool to_disk = argc == 3 && !strcmp(argv[2], "disk");
	uint64_t first, asleep, after, rsp = 0;
	int fd, other;
	char *how;

	test_begin("offcore_rsp", "core-pmu checker");
	test_needs_model();
	offcore_init(argc - to_disk, argv);
	how = read_text("/sys/power/mem_sleep");
	if (!to_disk && (!how || !strstr(how, "[deep]")))
		ksft_exit_skip("no S3 in this machine: %s\n", how ? how : "nothing");
	if (!offcore_direct)
		ksft_exit_skip("Linux's core PMU does not restore its registers\n");
	test_plan(3);
	uncore_pin(0);
	fd = offcore_open("dmnd_data_rd,any_response", 0, -1);
	other = offcore_open("dmnd_rfo,any_response", 1, -1);
	offcore_inject_any(0, "dmnd_data_rd", 100, false);
	first = uncore_read(fd);
	if (!(to_disk ? sleep_on_disk() : sleep_in_memory()))
		ksft_exit_fail_msg("the machine does not sleep: %s\n", strerror(errno));
	asleep = uncore_read(fd);
	offcore_inject_any(0, "dmnd_data_rd", 50, false);
	after = uncore_read(fd);
	test_result(first == 100 && asleep == 100 && after == 150,
		    "an event counts on after the machine slept | %llu, %llu, %llu of 100, 100, 150\n",
		    (unsigned long long)first, (unsigned long long)asleep,
		    (unsigned long long)after);
	model_value(model("core-pmu get cpu=0"), "OFFCORE_RSP_0", &rsp);
	test_result(rsp == offcore_value("dmnd_data_rd"),
		    "its register has its value again | %#llx\n",
		    (unsigned long long)rsp);
	close(other);
	close(fd);
	fd = offcore_open("dmnd_rfo,any_response", 1, -1);
	offcore_inject_any(1, "dmnd_rfo", 77, false);
	ksft_test_result(uncore_read(fd) == 77, "the other CPU, which went and came, counts\n");
	close(fd);
	test_end();
}
