// SPDX-License-Identifier: GPL-2.0-only
/*
 * uart.c: 16550A serial ports. Output goes to a host file at once, so the transmitter is always
 * ready; input comes from another one.
 */
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "platform.h"

enum { REG_DATA, REG_IER, REG_IIR, REG_LCR, REG_MCR, REG_LSR, REG_MSR, REG_SCRATCH };

#define REG_FCR		REG_IIR
#define IER_RECEIVE	(1 << 0)
#define IER_TRANSMIT	(1 << 1)
#define IIR_NONE	0x01
#define IIR_TRANSMIT	0x02
#define IIR_RECEIVE	0x04
#define IIR_FIFO	0xc0
#define LCR_DIVISOR	(1 << 7)
#define MCR_LOOP	(1 << 4)
#define LSR_RECEIVED	(1 << 0)
#define LSR_READY	0x60	/* transmitter holding and shift registers are empty */
#define MSR_CTS		(1 << 4)
#define MSR_DSR		(1 << 5)
#define MSR_CD		(1 << 7)

/* In Linux's order, as in a PC */
const uint16_t uart_ports[UART_COUNT] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };

void uart_add(struct platform *platform, int in, FILE *out)
{
	struct uart *uart = &platform->uart[platform->uarts];

	if (platform->uarts == UART_COUNT)
		die("the machine has at most %d serial ports", UART_COUNT);
	uart->in = in;
	uart->out = out;
	uart->gsi = GSI_UART + platform->uarts++;
}

struct uart *uart_at(struct platform *platform, unsigned int port)
{
	unsigned int i;

	for (i = 0; i < platform->uarts; i++)
		if (port - uart_ports[i] < UART_PORTS)
			return &platform->uart[i];
	return NULL;
}

static bool received(const struct uart *uart)
{
	return uart->input_head != uart->input_tail;
}

static uint8_t cause(const struct uart *uart)
{
	if ((uart->reg[REG_IER] & IER_RECEIVE) && received(uart))
		return IIR_RECEIVE;
	if ((uart->reg[REG_IER] & IER_TRANSMIT) && uart->thr_pending)
		return IIR_TRANSMIT;
	return IIR_NONE;
}

static void update(struct platform *platform, const struct uart *uart)
{
	iosapic_set(platform, uart->gsi, cause(uart) != IIR_NONE);
}

/* In loopback mode the modem control outputs are its inputs. */
static uint8_t modem_status(const struct uart *uart)
{
	uint8_t mcr = uart->reg[REG_MCR];

	if (!(mcr & MCR_LOOP))
		return MSR_CTS | MSR_DSR | MSR_CD;
	return (mcr & 1) << 5 | (mcr & 2) << 3 | (mcr & 0xc) << 4;
}

static bool is_divisor(const struct uart *uart, unsigned int reg)
{
	return reg <= REG_IER && uart->reg[REG_LCR] & LCR_DIVISOR;
}

uint8_t uart_read(struct platform *platform, struct uart *uart, unsigned int reg)
{
	uint8_t value = uart->reg[reg];

	if (is_divisor(uart, reg))
		return uart->divisor[reg];
	switch (reg) {
	case REG_DATA:
		if (received(uart))
			value = uart->input[uart->input_tail++ % sizeof(uart->input)];
		update(platform, uart);
		break;
	case REG_IIR:
		value = cause(uart);
		/* Reading IIR clears the transmitter's interrupt. */
		if (value == IIR_TRANSMIT) {
			uart->thr_pending = false;
			update(platform, uart);
		}
		return value | (uart->fifo ? IIR_FIFO : 0);
	case REG_LSR:
		return LSR_READY | (received(uart) ? LSR_RECEIVED : 0);
	case REG_MSR:
		return modem_status(uart);
	}
	return value;
}

void uart_write(struct platform *platform, struct uart *uart, unsigned int reg, uint8_t value)
{
	/* Bits that a write changes; the others stay 0. */
	static const uint8_t kept[UART_PORTS] = {
		[REG_IER] = 0x0f, [REG_LCR] = 0xff, [REG_MCR] = 0x1f, [REG_SCRATCH] = 0xff,
	};

	if (is_divisor(uart, reg)) {
		uart->divisor[reg] = value;
		return;
	}
	switch (reg) {
	case REG_DATA:
		if (!(uart->reg[REG_MCR] & MCR_LOOP)) {
			putc(value, uart->out);
			if (value == '\n')
				fflush(uart->out);
		}
		/* Lower and raise the line, so that each character is an edge. */
		uart->thr_pending = false;
		update(platform, uart);
		uart->thr_pending = true;
		break;
	case REG_IER:
		if (~uart->reg[REG_IER] & value & IER_TRANSMIT)
			uart->thr_pending = true;
		break;
	case REG_FCR:
		uart->fifo = value & 1;
		if (value & 2)
			uart->input_tail = uart->input_head;
		break;
	}
	uart->reg[reg] = value & kept[reg];
	update(platform, uart);
}

static void poll_input(struct uart *uart)
{
	struct pollfd in = { .fd = uart->in, .events = POLLIN };
	uint8_t c;

	/* Leave input in the host's file until the guest enables interrupts. */
	while ((uart->reg[REG_IER] & IER_RECEIVE) &&
	       uart->input_head - uart->input_tail < sizeof(uart->input) &&
	       poll(&in, 1, 0) == 1 && (in.revents & POLLIN) && read(uart->in, &c, 1) == 1)
		uart->input[uart->input_head++ % sizeof(uart->input)] = c;
}

void uart_poll(struct platform *platform)
{
	unsigned int i;

	for (i = 0; i < platform->uarts; i++) {
		fflush(platform->uart[i].out);
		if (platform->uart[i].in >= 0)
			poll_input(&platform->uart[i]);
		update(platform, &platform->uart[i]);
	}
}
