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
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "platform.h"

/* Interval of polling the host: fifty times per second of the machine */
#define POLL_CYCLES	(CLOCK_HZ / 50)

static const char usage[] =
"usage: ia64-machine -k VMLINUX [-i INITRAMFS] [-c 'COMMAND LINE'] [-m MIB] [-s SECONDS]\n"
"                    [-o FD]... [-v SEED] [-r] [-t]\n";

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

static struct termios terminal;

static void restore_terminal(void)
{
	tcsetattr(0, TCSANOW, &terminal);
}

/* Restore the terminal before a signal ends the program. */
static void end_by_signal(int signal)
{
	restore_terminal();
	_exit(128 + signal);
}

static void take_terminal(const struct platform *platform)
{
	struct termios raw;

	if (tcgetattr(0, &terminal))
		return;
	/* In the background a read of the terminal would stop the process. */
	signal(SIGTTIN, SIG_IGN);
	if (tcgetpgrp(0) != getpgrp())
		return;
	raw = terminal;
	raw.c_lflag &= ~(ICANON | ECHO);
	raw.c_iflag &= ~ICRNL;
	if (platform->paced) {
		raw.c_lflag &= ~ISIG;
		raw.c_iflag &= ~IXON;
	}
	atexit(restore_terminal);
	signal(SIGINT, end_by_signal);
	signal(SIGTERM, end_by_signal);
	signal(SIGHUP, end_by_signal);
	tcsetattr(0, TCSANOW, &raw);
}

static uint64_t host_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

void machine_stop(struct machine *machine, enum stop stop)
{
	machine->stop = stop;
	machine->cpu.next_check = 0;
}

void platform_event(struct machine *machine)
{
	struct platform *platform = platform_of(machine);

	machine->next_event = machine->cpu.cycles + POLL_CYCLES;
	machine->cpu.next_check = 0;
	uart_poll(platform);
	if (platform->deadline && host_time() > platform->deadline)
		machine_stop(machine, STOP_LIMIT);
	if (platform->paced) {
		uint64_t now = host_time() - platform->began;
		uint64_t due = machine->cpu.cycles * (1000000000 / CLOCK_HZ);

		if (due > now)
			usleep((due - now) / 1000);
	}
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

static void make_memory(struct machine *machine, unsigned long mib)
{
	machine->ram_size = mib * MIB;
	machine->ram = mmap(NULL, machine->ram_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (machine->ram == MAP_FAILED)
		die("there is no memory for the machine");
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
		cpu_dump(&machine->cpu);
	return ends[stop].status;
}

/* Parse the options, build the machine, load kernel and initrd, and run until the machine stops. */
int main(int argc, char **argv)
{
	const char *kernel = NULL, *initrd = NULL, *command_line = "";
	unsigned long mib = 256, seconds = 0, seed = 0;
	static struct platform the_platform;
	struct platform *platform = &the_platform;
	struct machine *machine = &platform->machine;
	bool trace = false;
	enum stop stop;
	int option;

	uart_add(platform, 0, stdout);
	while ((option = getopt(argc, argv, "k:i:c:m:s:o:v:rt")) != -1) {
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

	make_memory(machine, mib);
	cpu_init(machine);
	pmu_init(&machine->cpu, seed);
	io_init(platform);
	firmware_build(platform);
	load_kernel(platform, kernel);
	load_initrd(platform, initrd);
	load_start(platform, command_line);
	platform->started = time(NULL);
	platform->began = host_time();
	platform->deadline = seconds ? platform->began + seconds * 1000000000ULL : 0;
	machine->next_event = POLL_CYCLES;
	machine->cpu.trace = trace;
	take_terminal(platform);

	stop = cpu_run(machine, ~0ULL);
	return finish(machine, stop);
}
