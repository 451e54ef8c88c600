// SPDX-License-Identifier: GPL-2.0-only
/*
 * ia64-machine: an Itanium with memory, firmware and a serial port, made to boot Linux.
 *
 * The first serial port is standard input and output; a terminal passes each key on as it is, but
 * for those that send signals, which it does with -r. Each -o adds a port that writes to a file
 * descriptor. The machine's clock goes as fast as its instructions are interpreted, and does not
 * wait for an idle processor; with -r it is at most as fast as the host's.
 *
 * Exit status: 0 when the machine has switched itself off, 1 when it cannot go on, 2 when it was
 * not started, 3 when it has reset itself (as Linux does after a panic, with panic=1 on its
 * command line), and 4 after so many seconds of the host (-s).
 *
 * -v draws the hardware variant and the noise of undefined registers from a seed.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform.h"

static const char usage[] =
"usage: ia64-machine -k VMLINUX [-i INITRAMFS] [-c 'COMMAND LINE'] [-m MIB] [-s SECONDS]\n"
"                    [-n CORES[xTHREADS]] [-o FD]... [-v SEED] [-r] [-t]\n";

void die(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("ia64-machine: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

static unsigned long parse_number(const char *text, unsigned long min, unsigned long max)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (errno || end == text || *end || n < min || n > max)
		die("'%s' is not a number from %lu to %lu", text, min, max);
	return n;
}

/* Cores, and threads of each: as many as Montecito has of both, or one */
static void parse_processors(struct machine *machine, const char *text)
{
	unsigned int cores, threads = 1;
	char end = 'x';
	int found = sscanf(text, "%1u%c%1u%c", &cores, &end, &threads, &end);

	/* sscanf() would skip blanks. */
	if (text[strspn(text, "12x")] || (found != 1 && found != 3) || end != 'x')
		die("'%s' is not 1, 2, 1x2 or 2x2, cores and threads of each", text);
	machine->cpus = cores * threads;
	machine->threads = threads;
}

static void add_port(struct platform *platform, const char *fd)
{
	FILE *out = fdopen(parse_number(fd, 0, 1000), "w");

	if (!out)
		die("file descriptor %s: %s", fd, strerror(errno));
	uart_add(platform, -1, out);
}

static int finish(struct machine *machine, enum stop stop)
{
	static const struct {
		int status;
		const char *text;
	} ends[] = {
		[STOP_POWER_OFF] = { 0, NULL },
		[STOP_FAILURE] = { 1, "the processor cannot go on" },
		[STOP_RESET] = { 3, "the machine has reset itself" },
		[STOP_LIMIT] = { 4, "the time is over" },
	};

	fflush(stdout);
	if (ends[stop].text)
		fprintf(stderr, "ia64-machine: %s\n", ends[stop].text);
	if (stop != STOP_POWER_OFF && stop != STOP_RESET)
		cpu_dump(machine->running);
	return ends[stop].status;
}

int main(int argc, char **argv)
{
	const char *kernel = NULL, *initrd = NULL, *command_line = "";
	unsigned long mib = 256, seconds = 0, seed = 0;
	static struct platform the_platform;
	struct platform *platform = &the_platform;
	struct machine *machine = &platform->machine;
	bool trace = false;
	enum stop stop;
	unsigned int nr;
	int option;

	machine->cpus = 1;
	machine->threads = 1;
	uart_add(platform, 0, stdout);
	while ((option = getopt(argc, argv, "k:i:c:m:s:n:o:v:rt")) != -1) {
		switch (option) {
		case 'k':
			kernel = optarg;
			break;
		case 'i':
			initrd = optarg;
			break;
		case 'c':
			command_line = optarg;
			break;
		case 'm':
			mib = parse_number(optarg, MIN_RAM_MIB, MAX_RAM_MIB);
			break;
		case 's':
			seconds = parse_number(optarg, 1, 1000000);
			break;
		case 'n':
			parse_processors(machine, optarg);
			break;
		case 'o':
			add_port(platform, optarg);
			break;
		case 'v':
			seed = parse_number(optarg, 0, 4294967295);
			break;
		case 'r':
			platform->paced = true;
			break;
		case 't':
			trace = true;
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!kernel || optind != argc) {
		fputs(usage, stderr);
		return 2;
	}

	platform_build(platform, mib, seed);
	load_kernel(platform, kernel);
	load_initrd(platform, initrd);
	load_start(platform, command_line);
	for (nr = 0; nr < machine->cpus; nr++)
		machine->cpu[nr].trace = trace;
	stop = platform_run(platform, seconds);
	return finish(machine, stop);
}
