// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU switches the BARs of one function off and on, as PCI enumeration does, while another CPU
 * reads a register of another function. Each read has to reach that register, and QEMU must not
 * crash.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"

#define SWITCHED	"/sys/bus/pci/devices/0000:00:1d.0/"	/* Montecito's monitors */
#define READ		"/sys/bus/pci/devices/0000:00:1f.2/"	/* AHCI, without a driver */
#define AHCI_VS		(0x10 / 4)
#define PCI_COMMAND	4
#define COMMAND_MEMORY	2
#define ROUNDS		1000

static const uint32_t *ahci;
static atomic_bool done;
static unsigned long reads, wrong;

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		ksft_exit_fail_msg("CPU %d: no such CPU\n", cpu);
}

static uint32_t ahci_version(void)
{
	return __atomic_load_n(ahci + AHCI_VS, __ATOMIC_RELAXED);
}

static void *reader(void *version)
{
	run_on(1);
	while (!done) {
		reads++;
		wrong += ahci_version() != *(uint32_t *)version;
	}
	return NULL;
}

static void decode(int config, bool on)
{
	uint16_t command;

	if (pread(config, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		ksft_exit_fail_msg("no command register\n");
	command = on ? command | COMMAND_MEMORY : command & ~COMMAND_MEMORY;
	if (pwrite(config, &command, sizeof(command), PCI_COMMAND) != sizeof(command))
		ksft_exit_fail_msg("the command register takes no value\n");
}

int main(void)
{
	int switched = open(SWITCHED "config", O_RDWR), other = open(READ "config", O_RDWR);
	uint32_t version;
	pthread_t thread;
	unsigned int i;

	ksft_print_header();
	if (switched < 0 || other < 0)
		ksft_exit_skip("no function 1d.0 or 1f.2\n");
	ksft_set_plan(1);
	decode(other, true);
	ahci = mmap(NULL, 4096, PROT_READ, MAP_SHARED, open(READ "resource5", O_RDWR | O_SYNC), 0);
	if (ahci == MAP_FAILED)
		ksft_exit_fail_msg("no registers of the AHCI controller\n");
	version = ahci_version();
	if (pthread_create(&thread, NULL, reader, &version))
		ksft_exit_fail_msg("no thread\n");
	run_on(0);
	for (i = 0; i < ROUNDS; i++) {
		decode(switched, false);
		decode(switched, true);
	}
	done = true;
	pthread_join(thread, NULL);
	decode(other, false);
	ksft_print_msg("%lu of %lu reads do not reach their device\n", wrong, reads);
	ksft_test_result(reads && version == 0x10000 && !wrong,
			 "reads reach their device while another device's BARs change\n");
	ksft_finished();
}
