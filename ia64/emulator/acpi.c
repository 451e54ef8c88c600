// SPDX-License-Identifier: GPL-2.0-only
/*
 * acpi.c: the tables of ACPI 2.0 that an operating system needs to find the processors, the
 * interrupt controller, the serial ports and the way to switch the machine off.
 */
#include <string.h>

#include "platform.h"

/* The header of all tables except the first, the RSDP */
struct header {
	char signature[4];
	uint32_t length;
	uint8_t revision, checksum;
	char oem[6], oem_table[8];
	uint32_t oem_revision;
	char creator[4];
	uint32_t creator_revision;
} __attribute__((packed));

enum { SPACE_MEMORY, SPACE_PORT };

struct address {
	uint8_t space, bits, offset, access;
	uint64_t address;
} __attribute__((packed));

struct rsdp {
	char signature[8];
	uint8_t checksum;
	char oem[6];
	uint8_t revision;
	uint32_t rsdt, length;
	uint64_t xsdt;
	uint8_t extended_checksum, reserved[3];
} __attribute__((packed));

#define XSDT_TABLES	2

struct xsdt {
	struct header head;
	uint64_t table[XSDT_TABLES];
} __attribute__((packed));

/* Fixed hardware: power management of ports, and neither SMI nor GPEs */
struct fadt {
	struct header head;
	uint32_t facs, dsdt;
	uint8_t model, profile;
	uint16_t sci;
	uint32_t smi;
	uint8_t smi_commands[4];
	uint32_t pm1a_event, pm1b_event, pm1a_control, pm1b_control, pm2_control, pm_timer;
	uint32_t gpe[2];
	uint8_t pm1_event_length, pm1_control_length, pm2_control_length, pm_timer_length;
	uint8_t gpe_length[2], gpe1_base, cst_command;
	uint16_t c2_latency, c3_latency, flush_size, flush_stride;
	uint8_t duty[2], rtc[3];
	uint16_t boot;
	uint8_t reserved;
	uint32_t flags;
	struct address reset;
	uint8_t reset_value, reserved2[3];
	uint64_t x_facs, x_dsdt;
	struct address x_pm1a_event, x_pm1b_event, x_pm1a_control, x_pm1b_control;
	struct address x_pm2_control, x_pm_timer, x_gpe[2];
} __attribute__((packed));

/* Flags of the FADT: caches can be flushed, C1 works, and there are no fixed buttons. */
#define FADT_WBINVD		(1 << 0)
#define FADT_C1			(1 << 2)
#define FADT_NO_POWER_BUTTON	(1 << 4)
#define FADT_NO_SLEEP_BUTTON	(1 << 5)
#define FADT_NO_RTC_WAKE	(1 << 6)

#define LATENCY_NONE		0xffff	/* too long: no such state */

struct madt {
	struct header head;
	uint32_t local, flags;
	struct {
		uint8_t type, length;		/* 6: IOSAPIC */
		uint8_t id, reserved;
		uint32_t gsi;
		uint64_t address;
	} __attribute__((packed)) iosapic;
	struct {
		uint8_t type, length;		/* 7: local SAPIC, the processor's */
		uint8_t processor, id, eid, reserved[3];
		uint32_t flags, uid;
		char text[4];
	} __attribute__((packed)) lsapic[];
} __attribute__((packed));

/* Opcodes of the ACPI Machine Language; a length, which counts its own two bytes, follows some. */
#define AML_NAME(a, b, c, d)	0x08, a, b, c, d
#define AML_BYTE		0x0a
#define AML_DWORD		0x0c
#define AML_SCOPE		0x10
#define AML_BUFFER		0x11
#define AML_PACKAGE		0x12
#define AML_DEVICE		0x5b, 0x82
#define AML_LENGTH(n)		0x40 | ((n) & 0xf), (n) >> 4

#define UART_AML	61

/* Serial port @n: its I/O ports and its edge-triggered global interrupt */
static void put_uart(uint8_t *at, unsigned int n)
{
	uint8_t low = uart_ports[n] & 0xff, high = uart_ports[n] >> 8;
	const uint8_t device[UART_AML] = {
		AML_DEVICE, AML_LENGTH(UART_AML - 2), 'C', 'O', 'M', '1' + n,
		AML_NAME('_', 'H', 'I', 'D'), AML_DWORD, 0x41, 0xd0, 0x05, 0x01, /* PNP0501 */
		AML_NAME('_', 'U', 'I', 'D'), AML_BYTE, n,
		AML_NAME('_', 'S', 'T', 'A'), AML_BYTE, 0x0f,
		AML_NAME('_', 'C', 'R', 'S'), AML_BUFFER, AML_LENGTH(23), AML_BYTE, 19,
		0x47, 0x01, low, high, low, high, 1, UART_PORTS,
		0x89, 0x06, 0x00, 0x03, 0x01, GSI_UART + n, 0, 0, 0,
		0x79, 0x00,
	};

	memcpy(at, device, sizeof(device));
}

/* Fill a table's header in; returns the table's address. */
static uint64_t finish(struct platform *platform, struct header *head, const char *signature,
		       unsigned int revision, size_t length)
{
	memcpy(head->signature, signature, 4);
	head->length = length;
	head->revision = revision;
	memcpy(head->oem, "SNBEP ", 6);
	memcpy(head->oem_table, "IA64MACH", 8);
	head->oem_revision = 1;
	memcpy(head->creator, "IA64", 4);
	head->creator_revision = 1;
	head->checksum = firmware_sum(head, length);
	return firmware_address(platform, head);
}

/* Name (\_S5, Package () { 5, 5, 0, 0 }); and in \_SB the serial ports */
static uint64_t build_dsdt(struct platform *platform)
{
	unsigned int uarts = platform->uarts, i;
	const uint8_t start[] = {
		AML_NAME('_', 'S', '5', '_'), AML_PACKAGE, AML_LENGTH(9), 4,
		AML_BYTE, SLEEP_TYPE_OFF, AML_BYTE, SLEEP_TYPE_OFF, 0, 0,
		AML_SCOPE, AML_LENGTH(7 + uarts * UART_AML), '\\', '_', 'S', 'B', '_',
	};
	size_t length = sizeof(struct header) + sizeof(start) + uarts * UART_AML;
	struct header *head = firmware_table(platform, length, 16);
	uint8_t *code = memcpy(head + 1, start, sizeof(start));

	for (i = 0; i < uarts; i++)
		put_uart(code + sizeof(start) + i * UART_AML, i);
	return finish(platform, head, "DSDT", 2, length);
}

static struct address port(uint16_t port, uint8_t bits)
{
	return (struct address){ .space = SPACE_PORT, .bits = bits, .address = port };
}

static uint64_t build_fadt(struct platform *platform)
{
	uint64_t dsdt = build_dsdt(platform);
	struct fadt *f = firmware_table(platform, sizeof(*f), 16);

	f->x_dsdt = dsdt;
	f->dsdt = dsdt;
	f->profile = 4;		/* an enterprise server */
	f->sci = GSI_SCI;
	f->pm1a_event = PM1_EVENT;
	f->pm1_event_length = 4;
	f->x_pm1a_event = port(PM1_EVENT, 32);
	f->pm1a_control = PM1_CONTROL;
	f->pm1_control_length = 2;
	f->x_pm1a_control = port(PM1_CONTROL, 16);
	f->c2_latency = LATENCY_NONE;
	f->c3_latency = LATENCY_NONE;
	f->flags = FADT_WBINVD | FADT_C1 | FADT_NO_POWER_BUTTON | FADT_NO_SLEEP_BUTTON |
		   FADT_NO_RTC_WAKE;
	return finish(platform, &f->head, "FACP", 3, sizeof(*f));
}

static uint64_t build_madt(struct platform *platform)
{
	const struct machine *machine = &platform->machine;
	size_t length = sizeof(struct madt) + machine->cpus * sizeof(((struct madt *)0)->lsapic[0]);
	struct madt *m = firmware_table(platform, length, 16);
	unsigned int nr;

	m->local = IPI_BASE;
	m->iosapic.type = 6;
	m->iosapic.length = sizeof(m->iosapic);
	m->iosapic.address = IOSAPIC_BASE;
	for (nr = 0; nr < machine->cpus; nr++) {
		m->lsapic[nr].type = 7;
		m->lsapic[nr].length = sizeof(m->lsapic[nr]);
		m->lsapic[nr].processor = nr;
		m->lsapic[nr].id = machine->cpu[nr].lid >> LID_ID_SHIFT;
		m->lsapic[nr].eid = machine->cpu[nr].lid >> 16;
		m->lsapic[nr].flags = 1;	/* it works */
		m->lsapic[nr].uid = nr;
		m->lsapic[nr].text[0] = '0' + nr;
	}
	return finish(platform, &m->head, "APIC", 1, length);
}

uint64_t acpi_build(struct platform *platform)
{
	struct xsdt *xsdt = firmware_table(platform, sizeof(*xsdt), 16);
	struct rsdp *rsdp;

	xsdt->table[0] = build_fadt(platform);
	xsdt->table[1] = build_madt(platform);

	rsdp = firmware_table(platform, sizeof(*rsdp), 16);
	memcpy(rsdp->signature, "RSD PTR ", 8);
	memcpy(rsdp->oem, "SNBEP ", 6);
	rsdp->revision = 2;
	rsdp->length = sizeof(*rsdp);
	rsdp->xsdt = finish(platform, &xsdt->head, "XSDT", 1, sizeof(*xsdt));
	rsdp->checksum = firmware_sum(rsdp, 20);		/* its length in ACPI 1.0 */
	rsdp->extended_checksum = firmware_sum(rsdp, sizeof(*rsdp));
	return firmware_address(platform, rsdp);
}
