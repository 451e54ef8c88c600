/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * platform.h: memory, firmware and devices around the processor
 *
 * Physical addresses:
 *
 *	0               memory
 *	TABLES_BASE     tables of EFI, SAL and ACPI, which firmware keeps for itself
 *	CODE_BASE       entries of EFI's runtime services, of SAL and of PAL
 *	LOADER_BASE     the boot loader's parameters for the kernel
 *	(kernel)        the addresses of its segments, 64 MB for Linux, followed by the initramfs
 *	IOSAPIC_BASE    interrupt controller
 *	IPI_BASE        interprocessor interrupts
 *	PORTS_BASE      I/O ports, four of them in each page of 4 KB
 */
#ifndef IA64_MACHINE_PLATFORM_H
#define IA64_MACHINE_PLATFORM_H

#include <stdio.h>

#include "cpu.h"
#include "pmu.h"

#define MIB		(1ULL << 20)
#define TABLES_BASE	0x00e00000ULL
#define TABLES_SIZE	0x00100000ULL
#define CODE_BASE	0x00f00000ULL
#define PAL_BASE	0x00f40000ULL	/* PAL's code is aligned to its size */
#define PAL_SIZE	0x00040000ULL
#define LOADER_BASE	0x01000000ULL
#define LOADER_SIZE	0x00100000ULL
#define IOSAPIC_BASE	0xfec00000ULL
#define IOSAPIC_SIZE	0x00001000ULL
#define IPI_BASE	0xfee00000ULL
#define IPI_SIZE	0x00200000ULL
#define PORTS_BASE	0xffffc000000ULL
#define PORTS_SIZE	0x4000000ULL

#define MIN_RAM_MIB	128
#define MAX_RAM_MIB	3072

/* Clock of platform, processor and ar.itc; each bundle takes a cycle. */
#define CLOCK_HZ	100000000ULL

/* Pins of the IOSAPIC, the global system interrupts of ACPI */
#define GSI_UART	4	/* first serial port; the others follow */
#define GSI_SCI		9

/* I/O ports */
#define UART_COUNT	4	/* at most */
#define UART_PORTS	8
#define PM_PORT		0x600
#define PM_PORTS	8
#define PM1_EVENT	(PM_PORT + 0)
#define PM1_ENABLE	(PM_PORT + 2)	/* upper half of the events */
#define PM1_CONTROL	(PM_PORT + 4)
#define SLEEP_TYPE_OFF	5		/* in PM1_CONTROL, as \_S5_ in the DSDT says */

#define IOSAPIC_PINS	24

struct iosapic {
	uint32_t select;
	uint32_t word[2 * IOSAPIC_PINS];	/* two for each pin; id and eid on top */
	bool level[IOSAPIC_PINS];
};

/**
 * struct uart - a 16550A, whose transmitter is always ready
 * @out: stream for transmitted characters
 * @in: file descriptor of received characters, or -1
 * @gsi: its interrupt
 */
struct uart {
	FILE *out;
	int in;
	unsigned int gsi;
	uint8_t reg[UART_PORTS], divisor[2];
	bool fifo, thr_pending;
	uint8_t input[64];
	unsigned int input_head, input_tail;
};

/**
 * struct platform - the machine and its platform
 * @machine: first, so that its address is the platform's
 * @tables_next: address of the next firmware table
 * @code_next: address of the next firmware entry
 * @system_table: address of EFI's system table
 * @runtime: address of its table of runtime services
 * @rendezvous: where a processor starts, and its r1, as SAL_SET_VECTORS has said
 * @kernel_start: first byte of the kernel's segments, up to @kernel_end
 * @initrd: address of the initramfs, whose size is 0 without one
 * @deadline: host_time() at which the machine is stopped, or 0
 * @start_time: host_time() when it started
 * @start_date: host's time of day when it started, in seconds since the epoch
 * @paced: the clock must not run faster than the host's
 * @uart: serial ports; the first is the console
 * @uarts: number of serial ports
 * @pm_enable: ACPI events that are enabled
 */
struct platform {
	struct machine machine;
	uint64_t tables_next, code_next;
	uint64_t system_table, runtime;
	uint64_t rendezvous[2];
	uint64_t kernel_start, kernel_end;
	uint64_t initrd, initrd_size;
	uint64_t deadline, start_time;
	int64_t start_date;
	bool paced;
	struct iosapic iosapic;
	struct uart uart[UART_COUNT];
	unsigned int uarts;
	uint8_t pm_enable[2];
	struct pmu pmu[MAX_CPUS];
};

static inline struct platform *platform_of(struct machine *machine)
{
	return (struct platform *)machine;
}

/* main.c: print an error, and exit */
void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/*
 * platform.c: create memory, devices, firmware and, as machine.cpus and threads say, processors;
 * load_kernel() comes next
 */
void platform_build(struct platform *platform, unsigned long mib, uint64_t seed);
/* Run until the machine stops, or for @seconds of the host unless 0; returns why it stopped. */
enum stop platform_run(struct platform *platform, unsigned long seconds);
/* Request an interrupt of the processor whose cr.lid has @id, if there is one. */
void platform_raise(struct platform *platform, unsigned int id, unsigned int vector);
/* End the machine at the next bundle. */
void machine_stop(struct machine *machine, enum stop stop);
/* A processor stops for good. If no other one runs, nothing starts it again: power off. */
void machine_stop_cpu(struct cpu *cpu);

/*
 * load.c: load kernel, initramfs and boot parameters, and set the processor to the kernel's entry
 */
void load_kernel(struct platform *platform, const char *path);
void load_initrd(struct platform *platform, const char *path);
void load_start(struct platform *platform, const char *command_line);

/* firmware.c: set up the tables, and handle calls of their entries */
void firmware_build(struct platform *platform);
/* Address of the entry of call @nr, in PAL's area or else in that of EFI and SAL */
uint64_t firmware_entry(struct platform *platform, unsigned int nr, bool pal);
/* Allocate @size zeroed bytes for a table, aligned to @align */
void *firmware_table(struct platform *platform, size_t size, size_t align);

/* The checksum byte that makes the sum of @n bytes 0 */
uint8_t firmware_sum(const void *data, size_t n);

/* Physical address of a table, or of something in it */
static inline uint64_t firmware_address(const struct platform *platform, const void *table)
{
	return (const uint8_t *)table - platform->machine.ram;
}

/* Host address of memory that a caller of firmware passes, or NULL */
void *firmware_pointer(struct cpu *cpu, uint64_t address, size_t size);
void firmware_return(struct cpu *cpu, int64_t status, uint64_t v0, uint64_t v1, uint64_t v2);

/* Numbers of FIRMWARE_BREAK */
enum { CALL_PAL, CALL_SAL, CALL_RETURN, CALL_RENDEZVOUS, CALL_EFI = 0x10 };

/* efi.c: efi_call() handles runtime service @nr, numbered in the order of EFI's table */
void efi_build(struct platform *platform, uint64_t sal_table, uint64_t acpi_table);
void efi_call(struct cpu *cpu, unsigned int nr);
/* Write the memory map to @map; returns its size in bytes */
size_t efi_memory_map(struct platform *platform, void *map);
#define EFI_DESCRIPTOR_SIZE	40
#define EFI_DESCRIPTOR_VERSION	1

/*
 * sal.c, pal.c: handle a call; number and arguments are in the registers that SAL and PAL specify
 */
uint64_t sal_build(struct platform *platform);
void sal_call(struct cpu *cpu);
/* Wait, in physical mode, for the interrupt that starts a processor. */
void sal_rendezvous(struct cpu *cpu);
void pal_call(struct cpu *cpu);

/* acpi.c: make the tables; returns the address of the root pointer */
uint64_t acpi_build(struct platform *platform);

/* io.c: set up the address ranges of devices, the ports, and power management */
void io_init(struct platform *platform);

/* uart.c, iosapic.c */
extern const uint16_t uart_ports[UART_COUNT];	/* first I/O port of each */
/* Add a serial port */
void uart_add(struct platform *platform, int in, FILE *out);
/* The serial port at I/O port @port, or NULL */
struct uart *uart_at(struct platform *platform, unsigned int port);
uint8_t uart_read(struct platform *platform, struct uart *uart, unsigned int reg);
void uart_write(struct platform *platform, struct uart *uart, unsigned int reg, uint8_t value);
/* Poll input, and flush output. */
void uart_poll(struct platform *platform);
void iosapic_init(struct platform *platform);
uint64_t iosapic_read(void *opaque, uint64_t offset, unsigned int size);
void iosapic_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size);
/* Set the level of a pin, which may request an interrupt */
void iosapic_set(struct platform *platform, unsigned int pin, bool level);

/* pmu.c: reset the monitors; @seed: noise of undefined registers, hardware variant */
void pmu_init(struct cpu *cpu, uint64_t seed);
/* The processor halts: cycles up to its next instruction count as halted. */
void pmu_halt(struct cpu *cpu);

#endif
