// SPDX-License-Identifier: GPL-2.0-only
/*
 * acpi.c: the tables of ACPI 2.0 that an operating system needs to find the processor, the
 * interrupt controller, the serial ports and the way to switch the machine off; and the table of
 * consoles (DIG64 Primary Console and Debug Port table, revision 3).
 */
#include <string.h>

#include "platform.h"

/* The header of all tables except the first, the RSDP; the table of consoles has it, too */
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

struct facs {
	char signature[4];
	uint32_t length, hardware, waking_vector, lock, flags;
	uint64_t waking_vector64;
	uint8_t version, reserved[31];
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
#define FADT_TIMER_32		(1 << 8)

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
	} __attribute__((packed)) lsapic;
} __attribute__((packed));

struct consoles {
	struct header head;
	uint32_t uarts;
	struct {
		uint8_t type, bits, parity, stop_bits, segment, bus, device, function;
		uint64_t baud;
		struct address address;
		uint16_t device_id, vendor_id;
		uint32_t gsi, clock;
		uint8_t interface, flags;
		uint16_t conout;
		uint32_t reserved;
	} __attribute__((packed)) uart;
} __attribute__((packed));

#define CONSOLE_PRIMARY		(1 << 2)

/* Opcodes of the ACPI Machine Language */
#define AML_ZERO		0x00
#define AML_NAME		0x08
#define AML_BYTE		0x0a
#define AML_DWORD		0x0c
#define AML_SCOPE		0x10
#define AML_BUFFER		0x11
#define AML_PACKAGE		0x12
#define AML_EXTENDED		0x5b
#define AML_DEVICE		0x82	/* extended */
#define AML_ROOT		'\\'

#define AML_MAX			512

struct aml {
	uint8_t code[AML_MAX];
	size_t length;
};

static void aml_put(struct aml *aml, const void *data, size_t n)
{
	if (aml->length + n > AML_MAX)
		die("ACPI's program is too large");
	memcpy(aml->code + aml->length, data, n);
	aml->length += n;
}

#define AML(aml, ...) do {						\
	const uint8_t bytes_[] = { __VA_ARGS__ };			\
	aml_put(aml, bytes_, sizeof(bytes_));				\
} while (0)

static void aml_name(struct aml *aml, const char *name)
{
	AML(aml, AML_NAME);
	aml_put(aml, name, 4);
}

/* Reserve the two bytes of a package length, which aml_end() writes. */
static size_t aml_begin(struct aml *aml)
{
	AML(aml, 0, 0);
	return aml->length - 2;
}

static void aml_end(struct aml *aml, size_t start)
{
	size_t length = aml->length - start;

	aml->code[start] = 0x40 | (length & 0xf);
	aml->code[start + 1] = length >> 4;
}

/* Serial port @n: its I/O ports and its edge-triggered global interrupt */
static void aml_uart(struct aml *aml, unsigned int n)
{
	uint8_t low = uart_ports[n] & 0xff, high = uart_ports[n] >> 8;
	const uint8_t resources[] = {
		0x47, 0x01, low, high, low, high, 1, UART_PORTS,
		0x89, 0x06, 0x00, 0x03, 0x01, GSI_UART + n, 0, 0, 0,
		0x79, 0x00,
	};
	size_t device, buffer;

	AML(aml, AML_EXTENDED, AML_DEVICE);
	device = aml_begin(aml);
	AML(aml, 'C', 'O', 'M', '1' + n);
	aml_name(aml, "_HID");
	AML(aml, AML_DWORD, 0x41, 0xd0, 0x05, 0x01);	/* PNP0501, a 16550A */
	aml_name(aml, "_UID");
	AML(aml, AML_BYTE, n);
	aml_name(aml, "_STA");
	AML(aml, AML_BYTE, 0x0f);
	aml_name(aml, "_CRS");
	AML(aml, AML_BUFFER);
	buffer = aml_begin(aml);
	AML(aml, AML_BYTE, sizeof(resources));
	aml_put(aml, resources, sizeof(resources));
	aml_end(aml, buffer);
	aml_end(aml, device);
}

/* Name (\_S5, Package () { 5, 5, 0, 0 }); and in \_SB the serial ports */
static void dsdt_program(struct aml *aml, unsigned int uarts)
{
	size_t package, scope;
	unsigned int i;

	aml_name(aml, "_S5_");
	AML(aml, AML_PACKAGE);
	package = aml_begin(aml);
	AML(aml, 4, AML_BYTE, SLEEP_TYPE_OFF, AML_BYTE, SLEEP_TYPE_OFF, AML_ZERO, AML_ZERO);
	aml_end(aml, package);

	AML(aml, AML_SCOPE);
	scope = aml_begin(aml);
	AML(aml, AML_ROOT, '_', 'S', 'B', '_');
	for (i = 0; i < uarts; i++)
		aml_uart(aml, i);
	aml_end(aml, scope);
}

static uint8_t sum(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint8_t sum = 0;

	while (n--)
		sum += *p++;
	return -sum;
}

static void finish(struct header *head, const char *signature, unsigned int revision, size_t length)
{
	memcpy(head->signature, signature, 4);
	head->length = length;
	head->revision = revision;
	memcpy(head->oem, "SNBEP ", 6);
	memcpy(head->oem_table, "IA64MACH", 8);
	head->oem_revision = 1;
	memcpy(head->creator, "IA64", 4);
	head->creator_revision = 1;
	head->checksum = 0;
	head->checksum = sum(head, length);
}

static uint64_t build_dsdt(struct platform *platform)
{
	struct aml aml = { .length = 0 };
	struct header *head;
	uint64_t address;

	dsdt_program(&aml, platform->uarts);
	head = firmware_table(platform, sizeof(*head) + aml.length, 16, &address);
	memcpy(head + 1, aml.code, aml.length);
	finish(head, "DSDT", 2, sizeof(*head) + aml.length);
	return address;
}

static uint64_t build_facs(struct platform *platform)
{
	uint64_t address;
	struct facs *facs = firmware_table(platform, sizeof(*facs), 64, &address);

	memcpy(facs->signature, "FACS", 4);
	facs->length = sizeof(*facs);
	facs->version = 1;
	return address;
}

static struct address port(uint16_t port, uint8_t bits)
{
	return (struct address){ .space = SPACE_PORT, .bits = bits, .address = port };
}

static uint64_t build_fadt(struct platform *platform)
{
	uint64_t dsdt = build_dsdt(platform), facs = build_facs(platform), address;
	struct fadt *f = firmware_table(platform, sizeof(*f), 16, &address);

	f->x_facs = facs;
	f->facs = facs;
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
	f->pm_timer = PM_TIMER;
	f->pm_timer_length = 4;
	f->x_pm_timer = port(PM_TIMER, 32);
	f->c2_latency = LATENCY_NONE;
	f->c3_latency = LATENCY_NONE;
	f->flags = FADT_WBINVD | FADT_C1 | FADT_NO_POWER_BUTTON | FADT_NO_SLEEP_BUTTON |
		   FADT_NO_RTC_WAKE | FADT_TIMER_32;
	finish(&f->head, "FACP", 3, sizeof(*f));
	return address;
}

static uint64_t build_madt(struct platform *platform)
{
	uint64_t address;
	struct madt *m = firmware_table(platform, sizeof(*m), 16, &address);

	m->local = IPI_BASE;
	m->iosapic.type = 6;
	m->iosapic.length = sizeof(m->iosapic);
	m->iosapic.address = IOSAPIC_BASE;
	m->lsapic.type = 7;
	m->lsapic.length = sizeof(m->lsapic);
	m->lsapic.flags = 1;	/* it works */
	strcpy(m->lsapic.text, "0");
	finish(&m->head, "APIC", 1, sizeof(*m));
	return address;
}

uint64_t acpi_build(struct platform *platform)
{
	uint64_t address, xsdt_address;
	struct xsdt *xsdt;
	struct rsdp *rsdp;

	xsdt = firmware_table(platform, sizeof(*xsdt), 16, &xsdt_address);
	xsdt->table[0] = build_fadt(platform);
	xsdt->table[1] = build_madt(platform);
	finish(&xsdt->head, "XSDT", 1, sizeof(*xsdt));

	rsdp = firmware_table(platform, sizeof(*rsdp), 16, &address);
	memcpy(rsdp->signature, "RSD PTR ", 8);
	memcpy(rsdp->oem, "SNBEP ", 6);
	rsdp->revision = 2;
	rsdp->length = sizeof(*rsdp);
	rsdp->xsdt = xsdt_address;
	rsdp->checksum = sum(rsdp, 20);		/* its length in ACPI 1.0 */
	rsdp->extended_checksum = sum(rsdp, sizeof(*rsdp));
	return address;
}

uint64_t acpi_console_table(struct platform *platform)
{
	uint64_t address;
	struct consoles *c = firmware_table(platform, sizeof(*c), 16, &address);

	c->uarts = 1;
	c->uart.bits = 8;
	c->uart.parity = 1;	/* none */
	c->uart.stop_bits = 1;
	c->uart.baud = 115200;
	c->uart.address = port(uart_ports[0], 8);
	c->uart.gsi = GSI_UART;
	c->uart.flags = CONSOLE_PRIMARY;
	finish(&c->head, "HCDP", 3, sizeof(*c));
	return address;
}
