// SPDX-License-Identifier: GPL-2.0-only
/*
 * io.c: device addresses: I/O ports, which are memory with four ports in each page, so that
 * programs can get them one by one; ACPI's power management; and the processors' interrupt block
 */
#include <string.h>

#include "platform.h"

/* The upper byte of PM1 control: sleep type and sleep enable */
#define CONTROL_TYPE(value)	((value) >> 2 & 7)
#define CONTROL_SLEEP		(1 << 5)

/* ACPI mode is always on. Fixed hardware has no events, which can be enabled nevertheless. */
static uint8_t pm_read(const struct platform *platform, unsigned int port)
{
	if (port - PM1_ENABLE < sizeof(platform->pm_enable))
		return platform->pm_enable[port - PM1_ENABLE];
	return port == PM1_CONTROL;
}

static void pm_write(struct platform *platform, unsigned int port, uint8_t value)
{
	if (port - PM1_ENABLE < sizeof(platform->pm_enable))
		platform->pm_enable[port - PM1_ENABLE] = value;
	else if (port == PM1_CONTROL + 1 && value & CONTROL_SLEEP &&
		 CONTROL_TYPE(value) == SLEEP_TYPE_OFF)
		machine_stop(&platform->machine, STOP_POWER_OFF);
}

/* A page has four ports; bits 11:2 of the address repeat those of the port number. */
static unsigned int port_of(uint64_t offset)
{
	return (offset >> 12 << 2 | (offset & 3)) & 0xffff;
}

static uint64_t ports_read(void *opaque, uint64_t offset, unsigned int size)
{
	unsigned int port = port_of(offset), i;
	uint64_t value = 0;

	for (i = 0; i < size; i++, port++) {
		struct uart *uart = uart_at(opaque, port);
		uint8_t byte = 0xff;

		if (uart)
			byte = uart_read(opaque, uart, port % UART_PORTS);
		else if (port - PM_PORT < PM_PORTS)
			byte = pm_read(opaque, port);
		value |= (uint64_t)byte << 8 * i;
	}
	return value;
}

static void ports_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size)
{
	unsigned int port = port_of(offset), i;

	for (i = 0; i < size; i++, port++, value >>= 8) {
		struct uart *uart = uart_at(opaque, port);

		if (uart)
			uart_write(opaque, uart, port % UART_PORTS, value);
		else if (port - PM_PORT < PM_PORTS)
			pm_write(opaque, port, value);
	}
}

static uint64_t ipi_read(void *opaque, uint64_t offset, unsigned int size)
{
	return 0;
}

/*
 * The address has the processor's id (19:12) and eid (11:4), the data the vector and in bits 10:8
 * the delivery mode, of which only 0, an external interrupt, is used here. Bit 3 of the address
 * allows another processor to get it, which this machine does not make use of.
 */
static void ipi_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size)
{
	struct platform *platform = opaque;

	if (size == 8 && !(offset & 7) && !(offset >> 20) && !(value >> 8 & 7))
		platform_raise(platform, offset >> 4, value & 0xff);
}

void io_init(struct platform *platform)
{
	const struct mmio ranges[] = {
		{ IOSAPIC_BASE, IOSAPIC_SIZE, iosapic_read, iosapic_write, platform },
		{ PORTS_BASE, PORTS_SIZE, ports_read, ports_write, platform },
		{ IPI_BASE, IPI_SIZE, ipi_read, ipi_write, platform },
	};

	memcpy(platform->machine.mmio, ranges, sizeof(ranges));
	platform->machine.mmio_count = ARRAY_SIZE(ranges);
	iosapic_init(platform);
}
