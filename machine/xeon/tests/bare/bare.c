// SPDX-License-Identifier: GPL-2.0-or-later
/* Runtime of a test that is the machine's only program */

#include <stdarg.h>

#include "bare.h"

#define COM1		0x3f8
#define DEBUG_EXIT	0xf4
#define MMCONFIG	0xb0000000u	/* where SeaBIOS puts it on q35 */
#define APIC_ICR	0xfee00300u
#define TSC		0x10

/* Code of the second vCPU, its stack, and the words that pass requests to it */
#define AP_CODE		0x8000
#define AP_STACK	0x6ff0
#define AP_MAIL		0x7000
/* Indices of the words */
#define AP_REQUEST	0
#define AP_MSR		1
#define AP_LOW		2
#define AP_HIGH		3
#define AP_GP		4
/* Requests; 0: none */
#define AP_RDMSR	1
#define AP_WRMSR	2

#define TEXT_(x)	#x
#define TEXT(x)		TEXT_(x)
#define WORD(n)		TEXT((n) * 4 + AP_MAIL)

/* Multiboot's header: magic, no flags, and what makes their sum 0 */
asm(".section .multiboot,\"a\"\n"
    ".align 4\n"
    ".long 0x1badb002, 0, -0x1badb002\n"
    ".text\n"
    ".globl _start\n"
    "_start:\n"
    "	mov $stack_top, %esp\n"
    "	push %ebx\n"
    "	call start\n"
    "1:	hlt\n"
    "	jmp 1b\n"
    /* #GP: record it and skip the rdmsr or wrmsr, which have two bytes. */
    "gp_entry:\n"
    "	movl $1, gp_seen\n"
    "	addl $4, %esp\n"
    "	addl $2, (%esp)\n"
    "	iret\n"
    ".code16\n"
    "ap_code:\n"
    "	cli\n"
    "	xor %ax, %ax\n"
    "	mov %ax, %ds\n"
    "	mov %ax, %ss\n"
    "	mov $" TEXT(AP_STACK) ", %sp\n"
    "ap_wait:\n"
    "	pause\n"
    "	movl " WORD(AP_REQUEST) ", %eax\n"
    "	test %eax, %eax\n"
    "	jz ap_wait\n"
    "	movl " WORD(AP_MSR) ", %ecx\n"
    "	cmp $" TEXT(AP_WRMSR) ", %eax\n"
    "	je 2f\n"
    "	rdmsr\n"
    "	movl %eax, " WORD(AP_LOW) "\n"
    "	movl %edx, " WORD(AP_HIGH) "\n"
    "	jmp 3f\n"
    "2:	movl " WORD(AP_LOW) ", %eax\n"
    "	movl " WORD(AP_HIGH) ", %edx\n"
    "	wrmsr\n"
    "3:	movl $0, " WORD(AP_REQUEST) "\n"
    "	jmp ap_wait\n"
    "ap_gp:\n"
    "	movl $1, " WORD(AP_GP) "\n"
    "	add $6, %sp\n"
    "	jmp 3b\n"
    "ap_code_end:\n"
    ".code32\n"
    ".bss\n"
    ".align 16\n"
    ".space 65536\n"
    "stack_top:\n"
    ".text\n");

extern char gp_entry[], ap_code[], ap_code_end[], ap_gp[];
volatile uint32_t gp_seen;
char cmd_answer[65536];
static unsigned int tests, failed;

#define PORT(suffix, type)						\
static inline void out##suffix(uint16_t port, type v)			\
{									\
	asm volatile("out" #suffix " %0, %1" : : "a"(v), "Nd"(port));	\
}									\
									\
static inline type in##suffix(uint16_t port)				\
{									\
	type v;								\
									\
	asm volatile("in" #suffix " %1, %0" : "=a"(v) : "Nd"(port));	\
	return v;							\
}

PORT(b, uint8_t)
PORT(l, uint32_t)

void *memset(void *p, int c, size_t n)
{
	for (char *d = p; n--; d++)
		*d = c;
	return p;
}

void *memcpy(void *p, const void *q, size_t n)
{
	const char *s = q;

	for (char *d = p; n--; d++)
		*d = *s++;
	return p;
}

static size_t strlen_(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static char *put_number(char *d, uint64_t v, unsigned int base, unsigned int digits)
{
	char tmp[24];
	unsigned int n = 0;

	do {
		/* without a library there is no 64-bit division: decimal numbers have 32 bits */
		unsigned int digit = base == 16 ? v & 15 : (uint32_t)v % 10;

		tmp[n++] = "0123456789abcdef"[digit];
		v = base == 16 ? v >> 4 : (uint32_t)v / 10;
	} while (v);
	while (n < digits)
		tmp[n++] = '0';
	while (n)
		*d++ = tmp[--n];
	return d;
}

/* %s, %u, %d, %x, %llx, and a width of zeros (%08x) */
static void format(char *d, const char *fmt, va_list ap)
{
	for (; *fmt; fmt++) {
		unsigned int digits = 0, longs = 0;

		if (*fmt != '%') {
			*d++ = *fmt;
			continue;
		}
		for (fmt++; *fmt >= '0' && *fmt <= '9'; fmt++)
			digits = 10 * digits + *fmt - '0';
		for (; *fmt == 'l'; fmt++)
			longs++;
		if (*fmt == 's') {
			for (const char *s = va_arg(ap, const char *); *s; s++)
				*d++ = *s;
		} else {
			uint64_t v = longs == 2 ? va_arg(ap, uint64_t) : va_arg(ap, uint32_t);

			d = put_number(d, v, *fmt == 'x' ? 16 : 10, digits);
		}
	}
	*d = 0;
}

static void print(const char *fmt, va_list ap)
{
	char text[512];

	format(text, fmt, ap);
	for (const char *s = text; *s; s++) {
		while (!(inb(COM1 + 5) & 0x20))
			;
		outb(COM1, *s);
	}
}

static void printf_(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(fmt, ap);
	va_end(ap);
}

void ok(bool passed, const char *fmt, ...)
{
	va_list ap;

	failed += !passed;
	printf_("%s %u - ", passed ? "ok" : "not ok", ++tests);
	va_start(ap, fmt);
	print(fmt, ap);
	va_end(ap);
	printf_("\n");
}

void note(const char *fmt, ...)
{
	va_list ap;

	printf_("# ");
	va_start(ap, fmt);
	print(fmt, ap);
	va_end(ap);
	printf_("\n");
}

void spin(unsigned int rounds)
{
	while (rounds--)
		asm volatile("pause");
}

static uint64_t ap_ask(uint32_t what, uint32_t msr, uint64_t value, bool *fault)
{
	volatile uint32_t *mail = (volatile uint32_t *)AP_MAIL;

	mail[AP_MSR] = msr;
	mail[AP_LOW] = value;
	mail[AP_HIGH] = value >> 32;
	mail[AP_GP] = 0;
	mail[AP_REQUEST] = what;
	while (mail[AP_REQUEST])
		asm volatile("pause");
	if (fault)
		*fault = mail[AP_GP];
	return (uint64_t)mail[AP_HIGH] << 32 | mail[AP_LOW];
}

uint64_t msr_read_on(unsigned int cpu, uint32_t msr, bool *fault)
{
	uint32_t lo = 0, hi = 0;

	if (cpu)
		return ap_ask(AP_RDMSR, msr, 0, fault);
	gp_seen = 0;
	asm volatile("rdmsr" : "+a"(lo), "+d"(hi) : "c"(msr) : "memory");
	if (fault)
		*fault = gp_seen;
	return (uint64_t)hi << 32 | lo;
}

void msr_write_on(unsigned int cpu, uint32_t msr, uint64_t value, bool *fault)
{
	if (cpu) {
		ap_ask(AP_WRMSR, msr, value, fault);
		return;
	}
	gp_seen = 0;
	asm volatile("wrmsr" : : "c"(msr), "A"(value) : "memory");
	if (fault)
		*fault = gp_seen;
}

bool ap_start(void)
{
	volatile uint32_t *mail = (volatile uint32_t *)AP_MAIL;
	volatile uint32_t *icr = (volatile uint32_t *)APIC_ICR;
	/* hide from the compiler that real mode's table is at address 0 */
	volatile uint32_t *vectors;

	asm volatile("xor %0, %0" : "=r"(vectors));
	memcpy((void *)AP_CODE, ap_code, ap_code_end - ap_code);
	vectors[13] = AP_CODE >> 4 << 16 | (ap_gp - ap_code);
	mail[AP_REQUEST] = AP_RDMSR;	/* read the time stamp as a sign of life */
	mail[AP_MSR] = TSC;
	*icr = 0x000c4500;		/* INIT to all others */
	spin(1000);
	*icr = 0x000c4600 | AP_CODE >> 12;
	for (unsigned int i = 0; i < 100000 && mail[AP_REQUEST]; i++)
		spin(100);
	return !mail[AP_REQUEST];
}

static volatile void *pci_addr(unsigned int bus, unsigned int dev, unsigned int fn,
			       unsigned int reg)
{
	return (volatile void *)(MMCONFIG + (bus << 20 | dev << 15 | fn << 12 | reg));
}

/* Use ports below 0x100 and MMCONFIG above, as Linux does. */
uint32_t pci_read(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg)
{
	if (reg >= 0x100)
		return *(volatile uint32_t *)pci_addr(bus, dev, fn, reg);
	outl(0xcf8, 0x80000000 | bus << 16 | dev << 11 | fn << 8 | (reg & 0xfc));
	return inl(0xcfc);
}

void pci_write(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg,
	       uint32_t value)
{
	if (reg >= 0x100) {
		*(volatile uint32_t *)pci_addr(bus, dev, fn, reg) = value;
		return;
	}
	outl(0xcf8, 0x80000000 | bus << 16 | dev << 11 | fn << 8 | (reg & 0xfc));
	outl(0xcfc, value);
}

/* Any register, memory-mapped */
uint32_t mmio_read(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg)
{
	return *(volatile uint32_t *)pci_addr(bus, dev, fn, reg);
}

void pci_write8(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg,
		uint8_t value)
{
	*(volatile uint8_t *)pci_addr(bus, dev, fn, reg) = value;
}

int cmd(const char *fmt, ...)
{
	char line[1024];
	unsigned int left;
	va_list ap;

	va_start(ap, fmt);
	format(line, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < strlen_(line); i++)
		outb(MODEL_PORT_BASE + MODEL_PORT_DATA, line[i]);
	outb(MODEL_PORT_BASE + MODEL_PORT_DATA, '\n');
	left = inl(MODEL_PORT_BASE + MODEL_PORT_LEFT);
	if (left > sizeof(cmd_answer) - 32)
		left = sizeof(cmd_answer) - 32;
	for (unsigned int i = 0; i < left; i++)
		cmd_answer[i] = inb(MODEL_PORT_BASE + MODEL_PORT_DATA);
	cmd_answer[left] = 0;
	return inl(MODEL_PORT_BASE + MODEL_PORT_STATUS);
}

bool answered(const char *what)
{
	size_t n = strlen_(what);

	for (const char *s = cmd_answer; *s; s++) {
		size_t i = 0;

		while (i < n && s[i] == what[i])
			i++;
		if (i == n)
			return true;
	}
	return false;
}

static void set_tables(void)
{
	static uint64_t gdt[3] = { 0, 0x00cf9b000000ffff, 0x00cf93000000ffff };
	static uint64_t idt[32];
	static struct {
		uint16_t limit;
		uint32_t base;
	} __attribute__((packed)) ptr;
	uint32_t gp = (uint32_t)gp_entry;

	idt[13] = (uint64_t)(gp >> 16) << 48 | 0x8e0000000000 | 0x8 << 16 | (gp & 0xffff);
	ptr.limit = sizeof(gdt) - 1;
	ptr.base = (uint32_t)gdt;
	asm volatile("lgdt %0\nljmp $8, $1f\n1: mov %1, %%ds\nmov %1, %%es\nmov %1, %%ss\n" : :
		     "m"(ptr), "r"(0x10) : "memory");
	ptr.limit = sizeof(idt) - 1;
	ptr.base = (uint32_t)idt;
	asm volatile("lidt %0" : : "m"(ptr) : "memory");
}

/* @info: from the boot loader; flag 2: word 4 is a command line */
void start(const uint32_t *info)
{
	const char *args = info[0] & 4 ? (const char *)info[4] : "";

	set_tables();
	/* QEMU puts the file name first */
	while (*args && *args != ' ')
		args++;
	while (*args == ' ')
		args++;
	printf_("TAP version 13\n");
	if (inl(MODEL_PORT_BASE + MODEL_PORT_MAGIC) != MODEL_MAGIC) {
		printf_("Bail out! no model in this machine\n");
		outb(DEBUG_EXIT, 1);
	}
	test_main(args);
	printf_("1..%u\n", tests);
	/* QEMU exits with 2 * status + 1 */
	outb(DEBUG_EXIT, failed ? 1 : 0);
}
