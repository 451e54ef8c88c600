// SPDX-License-Identifier: GPL-2.0-only
/*
 * kexec KERNEL INITRD [WORD...]: start another kernel in place of this one, with
 * its command line and more words. Nothing is stopped, closed or written back
 * before, and no firmware resets the machine.
 */
#include <fcntl.h>
#include <linux/kexec.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	char line[2048];
	size_t len = 0;
	int kernel, initrd, cmdline, i;

	if (argc < 3) {
		fprintf(stderr, "usage: kexec KERNEL INITRD [WORD...]\n");
		return 2;
	}
	kernel = open(argv[1], O_RDONLY);
	initrd = open(argv[2], O_RDONLY);
	cmdline = open("/proc/cmdline", O_RDONLY);
	if (cmdline >= 0)
		len = read(cmdline, line, sizeof(line));
	if (kernel < 0 || initrd < 0 || !len || len >= sizeof(line)) {
		perror("kexec: its files");
		return 1;
	}
	len -= line[len - 1] == '\n';
	for (i = 3; i < argc && len < sizeof(line); i++)
		len += snprintf(line + len, sizeof(line) - len, " %s", argv[i]);
	if (len >= sizeof(line)) {
		fprintf(stderr, "kexec: the command line is too long\n");
		return 1;
	}
	line[len] = '\0';
	if (syscall(SYS_kexec_file_load, kernel, initrd, len + 1, line, 0ul))
		perror("kexec: kexec_file_load");
	else if (syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
			 LINUX_REBOOT_CMD_KEXEC, NULL))
		perror("kexec: reboot");
	return 1;
}
