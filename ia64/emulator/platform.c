// SPDX-License-Identifier: GPL-2.0-only
/* The platform as a whole: building it, its time and the host's, and the host's terminal */
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "platform.h"

/* Interval of polling the host: fifty times per second of the machine */
#define POLL_CYCLES	(CLOCK_HZ / 50)

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
	machine->running->next_check = 0;
}

void machine_stop_cpu(struct cpu *cpu)
{
	struct machine *machine = cpu->machine;
	unsigned int nr;

	cpu->stopped = true;
	cpu->halted = true;
	cpu->next_check = 0;
	for (nr = 0; nr < machine->cpus && machine->cpu[nr].stopped; nr++)
		;
	if (nr == machine->cpus)
		machine_stop(machine, STOP_POWER_OFF);
}

void platform_raise(struct platform *platform, unsigned int id, unsigned int vector)
{
	struct machine *machine = &platform->machine;
	unsigned int nr;

	for (nr = 0; nr < machine->cpus; nr++)
		if ((machine->cpu[nr].lid >> 16 & 0xffff) == id)
			cpu_raise(&machine->cpu[nr], vector);
}

void platform_event(struct machine *machine)
{
	struct platform *platform = platform_of(machine);

	machine->next_event = machine->cpu->cycles + POLL_CYCLES;
	uart_poll(platform);
	if (platform->deadline && host_time() > platform->deadline)
		machine_stop(machine, STOP_LIMIT);
	if (platform->paced) {
		uint64_t now = host_time() - platform->start_time;
		uint64_t due = machine->cpu->cycles * (1000000000 / CLOCK_HZ);

		if (due > now)
			usleep((due - now) / 1000);
	}
}

static void make_memory(struct machine *machine, unsigned long mib)
{
	machine->ram_size = mib * MIB;
	machine->ram = mmap(NULL, machine->ram_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (machine->ram == MAP_FAILED)
		die("there is no memory for the machine");
}

void platform_build(struct platform *platform, unsigned long mib, uint64_t seed)
{
	struct machine *machine = &platform->machine;
	unsigned int nr;

	make_memory(machine, mib);
	cpu_init(machine);
	for (nr = 0; nr < machine->cpus; nr++)
		pmu_init(&machine->cpu[nr], seed);
	io_init(platform);
	firmware_build(platform);
}

enum stop platform_run(struct platform *platform, unsigned long seconds)
{
	platform->start_date = time(NULL);
	platform->start_time = host_time();
	platform->deadline = seconds ? platform->start_time + seconds * 1000000000ULL : 0;
	platform->machine.next_event = POLL_CYCLES;
	take_terminal(platform);
	return cpu_run(&platform->machine, ~0ULL);
}
