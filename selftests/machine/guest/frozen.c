// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's monitors in the machine, without a driver: what becomes of events
 * that come while PMC0.fr is set. Those that an overflow has held up go on after
 * its interrupt, because on the processor the program stands still that long. All
 * others are lost (3.3.1 of the manual 308065-001).
 */
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"

#define DEVICE		"/sys/bus/pci/devices/*/"

/* A page of registers for each processor: machine/xeon/qemu/montecito.h */
#define PMC(n)		(n)
#define PMD(n)		(0x200 / 8 + (n))
#define PMV		(0x480 / 8)

#define FR		1
#define PMC0_BIT(n)	(1u << (n))
/* CPU_OP_CYCLES at every level, privileged, with an interrupt; .ism is IA-64 */
#define CYCLES		0x2001269
#define WIDTH		47

static uint64_t *reg;

static uint64_t get(unsigned int n)
{
	return __atomic_load_n(&reg[n], __ATOMIC_SEQ_CST);
}

static void set(unsigned int n, uint64_t val)
{
	__atomic_store_n(&reg[n], val, __ATOMIC_RELEASE);
}

static uint64_t *map_device(void)
{
	void *map = NULL;
	glob_t found;
	size_t i;

	if (glob(DEVICE "resource0", 0, NULL, &found))
		return NULL;
	for (i = 0; i < found.gl_pathc && !map; i++) {
		char path[256], id[32] = "";
		FILE *f;
		int fd;

		snprintf(path, sizeof(path), "%.*s/uevent",
			 (int)(strrchr(found.gl_pathv[i], '/') - found.gl_pathv[i]),
			 found.gl_pathv[i]);
		f = fopen(path, "r");
		while (f && fgets(path, sizeof(path), f))
			sscanf(path, "PCI_ID=%31s", id);
		if (f)
			fclose(f);
		if (strcmp(id, "1234:4D43"))
			continue;
		fd = open(found.gl_pathv[i], O_RDWR | O_SYNC);
		map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED)
			map = NULL;
		close(fd);
	}
	globfree(&found);
	return map;
}

/* Four events before counter 4 overflows, and nobody has a vector for that */
static void begin(void)
{
	set(PMC(0), FR);
	set(PMC(4), CYCLES);
	set(PMD(4), (1ull << WIDTH) - 4);
	set(PMV, 0);
	set(PMC(0), 0);
}

static uint64_t count(void)
{
	return get(PMD(4)) & ((1ull << WIDTH) - 1);
}

static void happen(unsigned int n)
{
	model("montecito cpu=0 event event=0x12,count=%u", n);
}

int main(void)
{
	ksft_print_header();
	model_init();
	reg = map_device();
	if (!reg)
		ksft_exit_fail_msg("the machine has no monitors of Montecito, or a driver has them\n");
	ksft_set_plan(5);

	begin();
	happen(3);
	ksft_test_result(count() == (1ull << WIDTH) - 1 && !get(PMC(0)),
			 "three events count\n");
	set(PMC(0), FR);
	happen(5);
	set(PMC(0), 0);
	ksft_test_result(count() == (1ull << WIDTH) - 1,
			 "those that come while software has frozen do not\n");

	begin();
	happen(10);
	ksft_test_result(get(PMC(0)) == (FR | PMC0_BIT(4)) && !count(),
			 "the fourth of ten freezes\n");
	set(PMC(0), 0);
	ksft_test_result(count() == 6 && !get(PMC(0)),
			 "the others come after the interrupt\n");

	/* As a driver does when the program's time is over before the interrupt */
	begin();
	happen(4);
	set(PMC(0), FR);
	happen(7);
	set(PMC(0), 0);
	ksft_test_result(count() == 0,
			 "once software has seen to an overflow that holds nothing up, what comes is lost\n");

	set(PMC(0), FR);
	set(PMC(4), CYCLES & ~0xfu);
	set(PMV, 1 << 16);
	set(PMC(0), 0);
	ksft_finished();
}
