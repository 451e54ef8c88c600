// SPDX-License-Identifier: GPL-2.0-only
/*
 * The test program on ia64, without a C library. As init it mounts what the tests need, and powers
 * the machine off; in a shell it is an ordinary program with the module's path as its argument.
 */
#include <asm/unistd.h>
#include <linux/auxvec.h>
#include <linux/fcntl.h>
#include <linux/reboot.h>
#include <stddef.h>

#include "port.h"

const int samples_of_kernel = 1;
unsigned long page_size;

/* The compiler generates calls of these. */
void *memcpy(void *to, const void *from, size_t n)
{
	const char *f = from;
	char *t = to;

	while (n--)
		*t++ = *f++;
	return to;
}

void *memset(void *to, int c, size_t n)
{
	char *t = to;

	while (n--)
		*t++ = c;
	return to;
}

int in_work(unsigned long ip)
{
	return ip - (unsigned long)work_start < WORK_BYTES;
}

/* Opening a file of /proc takes time, and many function calls. */
void kernel_work(unsigned int times)
{
	char text[256];
	long fd;

	while (times--) {
		fd = sys(__NR_openat, AT_FDCWD, "/proc/self/status", O_RDONLY, 0);
		sys(__NR_read, fd, text, sizeof(text));
		sys(__NR_close, fd);
	}
}

static void mounts(void)
{
	sys(__NR_mkdirat, AT_FDCWD, "/proc", 0755);
	sys(__NR_mkdirat, AT_FDCWD, "/sys", 0755);
	sys(__NR_mount, "proc", "/proc", "proc", 0, NULL);
	sys(__NR_mount, "sysfs", "/sys", "sysfs", 0, NULL);
}

/* @stack: argc, arguments, 0, environment, 0, auxiliary vector */
void boot_main(long *stack)
{
	long argc = stack[0];
	const char **argv = (const char **)(stack + 1);
	long *p = stack + 1 + argc + 1;
	int init, code;

	while (*p++)
		;
	for (; p[0] != AT_NULL; p += 2)
		if (p[0] == AT_PAGESZ)
			page_size = p[1];

	init = sys(__NR_getpid) == 1;
	if (init)
		mounts();
	code = boot_tests(!init && argc > 1 ? argv[1] : "/itanium_pmu.ko");
	if (init) {
		sys(__NR_sync);
		sys(__NR_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		    LINUX_REBOOT_CMD_POWER_OFF, NULL);
		/* init must not return: the kernel would panic. */
	}
	for (;;)
		sys(__NR_exit_group, code);
}
