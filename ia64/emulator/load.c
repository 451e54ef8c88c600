// SPDX-License-Identifier: GPL-2.0-only
/*
 * load.c: the boot loader. Puts the segments of a kernel and an initramfs into memory, and starts
 * the kernel as elilo does: in physical mode, with the address of its struct ia64_boot_param in
 * r28.
 */
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform.h"

#define INITRD_ALIGN	0x10000ULL

/* struct ia64_boot_param of Linux; addresses are physical */
struct boot_param {
	uint64_t command_line;
	uint64_t efi_system_table;
	uint64_t efi_map, efi_map_size, efi_descriptor_size;
	uint32_t efi_descriptor_version;
	uint16_t columns, rows, x, y;
	uint64_t fpswa;
	uint64_t initrd, initrd_size;
};

/* Offsets from LOADER_BASE */
#define PARAM_OFFSET	0x0000
#define COMMAND_OFFSET	0x1000
#define COMMAND_SIZE	2048
#define MAP_OFFSET	0x2000

static const uint8_t *map_file(const char *path, int fd, size_t *size)
{
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st))
		die("%s: cannot be read", path);
	if (!st.st_size)
		die("%s: is empty", path);
	data = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		die("%s: cannot be read", path);
	close(fd);
	*size = st.st_size;
	return data;
}

/* Open the kernel, or a memory file that gzip has written it to. */
static int open_kernel(const char *path)
{
	int fd = open(path, O_RDONLY), plain, status;
	uint8_t magic[2];
	pid_t child;

	if (fd < 0 || pread(fd, magic, 2, 0) != 2 || magic[0] != 0x1f || magic[1] != 0x8b)
		return fd;
	plain = memfd_create("vmlinux", 0);
	if (plain < 0)
		die("%s: there is no memory for it", path);
	child = fork();
	if (!child) {
		if (dup2(fd, 0) == 0 && dup2(plain, 1) == 1)
			execlp("gzip", "gzip", "-dc", NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		die("%s: gzip cannot expand it", path);
	close(fd);
	return plain;
}

static void load_segment(struct platform *platform, const char *path, const uint8_t *file,
			 size_t size, const Elf64_Phdr *segment)
{
	uint64_t at = segment->p_paddr, end = at + segment->p_memsz;

	if (segment->p_filesz > segment->p_memsz || segment->p_offset > size ||
	    segment->p_filesz > size - segment->p_offset)
		die("%s: is cut off", path);
	if (end < at || at < LOADER_BASE + LOADER_SIZE || end > platform->machine.ram_size)
		die("%s: a segment from %#llx to %#llx is not in free memory", path,
		    (unsigned long long)at, (unsigned long long)end);
	memcpy(platform->machine.ram + at, file + segment->p_offset, segment->p_filesz);
	if (!platform->kernel_start || at < platform->kernel_start)
		platform->kernel_start = at;
	if (end > platform->kernel_end)
		platform->kernel_end = end;
}

void load_kernel(struct platform *platform, const char *path)
{
	size_t size;
	const uint8_t *file = map_file(path, open_kernel(path), &size);
	const Elf64_Ehdr *head = (const Elf64_Ehdr *)file;
	const Elf64_Phdr *segment;
	unsigned int i;

	if (size < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
	    head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_machine != EM_IA_64)
		die("%s: is no ELF program for ia64", path);
	if (head->e_phoff > size ||
	    head->e_phnum > (size - head->e_phoff) / sizeof(*segment))
		die("%s: is cut off", path);
	segment = (const Elf64_Phdr *)(file + head->e_phoff);
	for (i = 0; i < head->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD)
			load_segment(platform, path, file, size, &segment[i]);
	platform->machine.cpu->ip = head->e_entry;
	munmap((void *)file, size);
}

void load_initrd(struct platform *platform, const char *path)
{
	uint64_t at = (platform->kernel_end + INITRD_ALIGN - 1) & ~(INITRD_ALIGN - 1);
	const uint8_t *file;
	size_t size = 0;

	platform->initrd = at;
	if (!path)
		return;
	file = map_file(path, open(path, O_RDONLY), &size);
	if (size > platform->machine.ram_size - at)
		die("%s: there is not enough memory", path);
	memcpy(platform->machine.ram + at, file, size);
	platform->initrd_size = size;
	munmap((void *)file, size);
}

void load_start(struct platform *platform, const char *command_line)
{
	struct cpu *cpu = platform->machine.cpu;
	uint8_t *loader = platform->machine.ram + LOADER_BASE;
	struct boot_param *param = (void *)(loader + PARAM_OFFSET);

	if (strlen(command_line) >= COMMAND_SIZE)
		die("the command line is longer than %d characters", COMMAND_SIZE - 1);
	strcpy((char *)loader + COMMAND_OFFSET, command_line);
	*param = (struct boot_param){
		.command_line = LOADER_BASE + COMMAND_OFFSET,
		.efi_system_table = platform->system_table,
		.efi_map = LOADER_BASE + MAP_OFFSET,
		.efi_map_size = efi_memory_map(platform, loader + MAP_OFFSET),
		.efi_descriptor_size = EFI_DESCRIPTOR_SIZE,
		.efi_descriptor_version = EFI_DESCRIPTOR_VERSION,
		.columns = 80,
		.rows = 25,
		.initrd = platform->initrd_size ? platform->initrd : 0,
		.initrd_size = platform->initrd_size,
	};
	gr_set(cpu, 28, LOADER_BASE + PARAM_OFFSET);
	cpu->br[0] = firmware_entry(platform, CALL_RETURN, false);
	cpu->kr[0] = PORTS_BASE;
}
