// SPDX-License-Identifier: GPL-2.0-only
/*
 * efi.c: EFI after a boot loader has left its boot services: the system table, the memory map,
 * and the runtime services (Extensible Firmware Interface Specification 1.10).
 */
#include <string.h>
#include <time.h>

#include "platform.h"

#define EFI_ERROR(n)		((int64_t)(1ULL << 63 | (n)))
#define EFI_INVALID_PARAMETER	EFI_ERROR(2)
#define EFI_UNSUPPORTED		EFI_ERROR(3)
#define EFI_NOT_FOUND		EFI_ERROR(14)

#define EFI_REVISION		(1 << 16 | 10)
#define EFI_PAGE		4096

/* Attributes of memory */
#define EFI_UC			(1ULL << 0)
#define EFI_WB			(1ULL << 3)
#define EFI_RUNTIME		(1ULL << 63)

enum memory_type {
	EFI_LOADER_CODE = 1,
	EFI_LOADER_DATA,
	EFI_RUNTIME_CODE = 5,
	EFI_RUNTIME_DATA,
	EFI_CONVENTIONAL,
	EFI_IO_PORTS = 12,
	EFI_PAL_CODE,
};

/* The runtime services, in the order of their table */
enum {
	GET_TIME,
	SET_TIME,
	GET_WAKEUP_TIME,
	SET_WAKEUP_TIME,
	SET_VIRTUAL_ADDRESS_MAP,
	CONVERT_POINTER,
	GET_VARIABLE,
	GET_NEXT_VARIABLE,
	SET_VARIABLE,
	GET_NEXT_HIGH_MONOTONIC_COUNT,
	RESET_SYSTEM,
	SERVICES,
};

struct efi_header {
	uint64_t signature;
	uint32_t revision, size, crc, reserved;	/* Linux does not look at the checksum */
};

/* A function descriptor: address of the code, and global pointer */
struct descriptor {
	uint64_t entry, gp;
};

struct efi_runtime {
	struct efi_header head;
	uint64_t service[SERVICES];		/* addresses of descriptors */
	struct descriptor descriptor[SERVICES];
};

struct efi_table {
	uint8_t guid[16];
	uint64_t address;
};

struct efi_system {
	struct efi_header head;
	uint64_t vendor;			/* UTF-16 */
	uint32_t vendor_revision, reserved;
	uint64_t console[6];			/* gone with the boot services */
	uint64_t runtime, boot;
	uint64_t table_count, tables;
	struct efi_table table[2];
	uint16_t vendor_text[16];
};

struct efi_memory {
	uint32_t type, reserved;
	uint64_t physical, virtual, pages, attributes;
};

struct efi_time {
	uint16_t year;
	uint8_t month, day, hour, minute, second, reserved;
	uint32_t nanosecond;
	int16_t zone;
	uint8_t daylight, reserved2;
};

static uint64_t runtime_build(struct platform *platform)
{
	struct efi_runtime *t = firmware_table(platform, sizeof(*t), 16);
	unsigned int i;

	t->head.signature = 0x56524553544e5552;		/* RUNTSERV */
	t->head.revision = EFI_REVISION;
	t->head.size = offsetof(struct efi_runtime, descriptor);
	for (i = 0; i < SERVICES; i++) {
		t->service[i] = firmware_address(platform, &t->descriptor[i]);
		t->descriptor[i].entry = firmware_entry(platform, CALL_EFI + i, false);
	}
	return firmware_address(platform, t);
}

void efi_build(struct platform *platform, uint64_t sal_table, uint64_t acpi_table)
{
	static const char vendor[] = "ia64-machine";
	/* ACPI 2.0, SAL */
	const struct efi_table tables[] = {
		{ { 0x71, 0xe8, 0x68, 0x88, 0xf1, 0xe4, 0xd3, 0x11,
		    0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 }, acpi_table },
		{ { 0x32, 0x2d, 0x9d, 0xeb, 0x88, 0x2d, 0xd3, 0x11,
		    0x9a, 0x16, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d }, sal_table },
	};
	struct efi_system *t = firmware_table(platform, sizeof(*t), 16);
	unsigned int i;

	platform->system_table = firmware_address(platform, t);
	t->head.signature = 0x5453595320494249;		/* IBI SYST */
	t->head.revision = EFI_REVISION;
	t->head.size = offsetof(struct efi_system, table);
	for (i = 0; i < sizeof(vendor); i++)
		t->vendor_text[i] = vendor[i];
	t->vendor = firmware_address(platform, t->vendor_text);
	platform->runtime = runtime_build(platform);
	t->runtime = platform->runtime;
	t->table_count = ARRAY_SIZE(tables);
	t->tables = firmware_address(platform, t->table);
	memcpy(t->table, tables, sizeof(tables));
}

size_t efi_memory_map(struct platform *platform, void *map)
{
	uint64_t initrd_end = platform->initrd + platform->initrd_size;
	uint64_t end = platform->machine.ram_size;
	struct {
		uint64_t start, end;
		enum memory_type type;
		uint64_t attributes;
	} range[] = {
		{ 0, TABLES_BASE, EFI_CONVENTIONAL, EFI_WB },
		{ TABLES_BASE, CODE_BASE, EFI_RUNTIME_DATA, EFI_WB | EFI_RUNTIME },
		{ CODE_BASE, PAL_BASE, EFI_RUNTIME_CODE, EFI_WB | EFI_RUNTIME },
		{ PAL_BASE, PAL_BASE + PAL_SIZE, EFI_PAL_CODE, EFI_WB | EFI_RUNTIME },
		{ PAL_BASE + PAL_SIZE, LOADER_BASE, EFI_CONVENTIONAL, EFI_WB },
		{ LOADER_BASE, LOADER_BASE + LOADER_SIZE, EFI_LOADER_DATA, EFI_WB },
		{ LOADER_BASE + LOADER_SIZE, platform->kernel_start, EFI_CONVENTIONAL, EFI_WB },
		{ platform->kernel_start, platform->kernel_end, EFI_LOADER_CODE, EFI_WB },
		{ platform->kernel_end, platform->initrd, EFI_CONVENTIONAL, EFI_WB },
		{ platform->initrd, initrd_end, EFI_LOADER_DATA, EFI_WB },
		{ initrd_end, end, EFI_CONVENTIONAL, EFI_WB },
		{ PORTS_BASE, PORTS_BASE + PORTS_SIZE, EFI_IO_PORTS, EFI_UC },
	};
	struct efi_memory *memory = map;
	uint64_t done = 0;
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(range); i++) {
		uint64_t last = (range[i].end + EFI_PAGE - 1) & ~(uint64_t)(EFI_PAGE - 1);

		/* Each range begins where the previous one ends, rounded up to a page. */
		if (range[i].start > done)
			done = range[i].start & ~(uint64_t)(EFI_PAGE - 1);
		if (last <= done)
			continue;
		memory[n++] = (struct efi_memory){
			.type = range[i].type,
			.physical = done,
			.pages = (last - done) / EFI_PAGE,
			.attributes = range[i].attributes,
		};
		done = last;
	}
	return n * EFI_DESCRIPTOR_SIZE;
}

/*
 * The host's time at the start of the machine, plus the machine's own time since; the clock's
 * capabilities stay as they are
 */
static int64_t get_time(struct cpu *cpu)
{
	struct efi_time *t = firmware_pointer(cpu, gr_get(cpu, 32), sizeof(*t));
	time_t now = platform_of(cpu->machine)->start_date + cpu->cycles / CLOCK_HZ;
	struct tm tm;

	if (!t || !gmtime_r(&now, &tm))
		return EFI_INVALID_PARAMETER;
	*t = (struct efi_time){
		.year = tm.tm_year + 1900,
		.month = tm.tm_mon + 1,
		.day = tm.tm_mday,
		.hour = tm.tm_hour,
		.minute = tm.tm_min,
		.second = tm.tm_sec,
		.nanosecond = cpu->cycles % CLOCK_HZ * (1000000000 / CLOCK_HZ),
	};
	return 0;
}

/*
 * From now on the services are called by virtual addresses. Their table stays; the descriptors get
 * the entries' addresses in the new map.
 */
static int64_t set_virtual_address_map(struct cpu *cpu)
{
	uint64_t size = gr_get(cpu, 32), each = gr_get(cpu, 33), i, at;
	const uint8_t *map = firmware_pointer(cpu, gr_get(cpu, 35), size);
	struct efi_runtime *runtime;
	struct efi_memory memory;

	if (!map || each < sizeof(memory) || gr_get(cpu, 34) != EFI_DESCRIPTOR_VERSION)
		return EFI_INVALID_PARAMETER;
	runtime = phys_memory(cpu->machine, platform_of(cpu->machine)->runtime, sizeof(*runtime));
	for (at = 0; at + each <= size; at += each) {
		memcpy(&memory, map + at, sizeof(memory));
		if (!(memory.attributes & EFI_RUNTIME))
			continue;
		for (i = 0; i < SERVICES; i++) {
			uint64_t entry = runtime->descriptor[i].entry;

			if (entry - memory.physical < memory.pages * EFI_PAGE)
				runtime->descriptor[i].entry =
					entry - memory.physical + memory.virtual;
		}
	}
	return 0;
}

void efi_call(struct cpu *cpu, unsigned int nr)
{
	int64_t status = EFI_UNSUPPORTED;

	switch (nr) {
	case GET_TIME:
		status = get_time(cpu);
		break;
	case SET_VIRTUAL_ADDRESS_MAP:
		status = set_virtual_address_map(cpu);
		break;
	case GET_VARIABLE:
	case GET_NEXT_VARIABLE:
		/* There are none. */
		status = EFI_NOT_FOUND;
		break;
	case RESET_SYSTEM:
		/* Cold reset, warm reset, shutdown */
		machine_stop(cpu->machine, gr_get(cpu, 32) == 2 ? STOP_POWER_OFF : STOP_RESET);
		break;
	}
	firmware_return(cpu, status, 0, 0, 0);
}
