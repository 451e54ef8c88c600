// SPDX-License-Identifier: GPL-2.0-only
/* Traffic by loads and stores of this process, bound to a CPU and to a node's memory */
#include <errno.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <x86intrin.h>

#include "hwtest.h"

#define LINE 64
#define PAGE 4096

/* Memory of the last flow's node */
static char *memory;
static int memory_home = -1;
uint64_t flow_bytes = 256 << 20;
static char why[160];

static const char *failed(const char *what)
{
	snprintf(why, sizeof(why), "%s: %s", what, strerror(errno));
	return why;
}

/* Allocate memory of a socket's node, and write it once; returns NULL on failure. */
static char *allocate(unsigned int home, uint64_t bytes)
{
	int node = node_of_socket(home);
	unsigned long mask;
	char *at;

	if (node < 0 && machine.nr_sockets > 1) {
		snprintf(why, sizeof(why),
			 "socket %u has no NUMA node of its own: switch node interleaving off in the BIOS",
			 home);
		return NULL;
	}
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) {
		failed("no memory");
		return NULL;
	}
	/* Page walks are traffic, too. */
	madvise(at, bytes, MADV_HUGEPAGE);
	mask = node < 0 ? 0 : 1ul << node;
	if (mask && syscall(SYS_mbind, at, bytes, MPOL_BIND, &mask, sizeof(mask) * 8, 0)) {
		failed("mbind");
		munmap(at, bytes);
		return NULL;
	}
	memset(at, 1, bytes);
	return at;
}

static void read_lines(const char *at, uint64_t bytes)
{
	uint64_t i;

	for (i = 0; i < bytes; i += LINE)
		__atomic_load_n((const uint64_t *)(at + i), __ATOMIC_RELAXED);
}

static void write_lines(char *at, uint64_t bytes)
{
	uint64_t i;

	for (i = 0; i < bytes; i += LINE)
		__atomic_store_n((uint64_t *)(at + i), i, __ATOMIC_RELAXED);
}

static void stream_lines(char *at, uint64_t bytes)
{
	__m128i zero = _mm_setzero_si128();
	uint64_t i;

	for (i = 0; i < bytes; i += sizeof(zero))
		_mm_stream_si128((__m128i *)(at + i), zero);
	_mm_sfence();
}

const char *make_flow(enum flow_kind kind, unsigned int socket, unsigned int home, uint64_t *lines)
{
	int cpu = core_of_socket(socket, 0);

	if (cpu < 0) {
		snprintf(why, sizeof(why), "socket %u has no CPU that is online", socket);
		return why;
	}
	run_on(cpu);
	if (memory_home != (int)home) {
		if (memory)
			munmap(memory, flow_bytes);
		memory_home = -1;
		memory = allocate(home, flow_bytes);
		if (!memory)
			return why;
		memory_home = home;
	}
	*lines = flow_bytes / LINE;
	switch (kind) {
	case FLOW_READ:
		read_lines(memory, flow_bytes);
		break;
	case FLOW_WRITE:
		write_lines(memory, flow_bytes);
		break;
	case FLOW_STREAM:
		stream_lines(memory, flow_bytes);
		break;
	}
	return NULL;
}

/* Flush each line before the read, so that the Home Agent sees every read. */
const char *read_page(unsigned int socket, uint64_t *addr, uint64_t *times)
{
	static char *page;
	static unsigned int page_home;
	uint64_t entry, n, i;
	int fd;

	if (!page || page_home != socket) {
		if (page)
			munmap(page, PAGE);
		page = allocate(socket, PAGE);
		if (!page)
			return why;
		page_home = socket;
	}
	fd = open("/proc/self/pagemap", O_RDONLY);
	if (fd < 0 || pread(fd, &entry, 8, (uintptr_t)page / PAGE * 8) != 8) {
		failed("/proc/self/pagemap");
		if (fd >= 0)
			close(fd);
		return why;
	}
	close(fd);
	*addr = (entry & ((1ull << 55) - 1)) * PAGE;
	if (!*addr)
		return "/proc/self/pagemap keeps addresses back: run as root";
	run_on(core_of_socket(socket, 0));
	for (n = 0; n < *times; n += i / LINE) {
		for (i = 0; i < PAGE; i += LINE)
			_mm_clflush(page + i);
		_mm_mfence();
		read_lines(page, PAGE);
	}
	*times = n;
	return NULL;
}
