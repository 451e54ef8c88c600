// SPDX-License-Identifier: GPL-2.0-only
/*
 * iosapic.c: the devices' interrupt controller. A pin's redirection entry has its vector, its
 * trigger mode (level or edge), its mask, and the processor that gets it.
 */
#include "platform.h"

/* Memory-mapped registers, and indirect ones */
#define SELECT		0x00
#define WINDOW		0x10
#define EOI		0x40
#define INDEX_ID	0x00
#define INDEX_VERSION	0x01
#define INDEX_ENTRY	0x10

#define VERSION		(0x20 | (IOSAPIC_PINS - 1) << 16)

#define ENTRY_VECTOR	0xffULL
#define ENTRY_MODE	(7ULL << 8)		/* 0 and 1: an interrupt of that vector */
#define ENTRY_LOW	(1ULL << 13)		/* active low */
#define ENTRY_WAITING	(1ULL << 14)		/* for the end of a level-triggered interrupt */
#define ENTRY_LEVEL	(1ULL << 15)
#define ENTRY_MASK	(1ULL << 16)
#define ENTRY_DESTINATION	48		/* a processor's eid, and above it its id */
#define ENTRY_WRITABLE	(0xffffULL << 48 | 0x1a7ffULL)

static void deliver(struct platform *platform, uint64_t entry)
{
	/* No device of this machine uses PMI, NMI or INIT. */
	if (!(entry & ENTRY_MODE & ~(1ULL << 8)))
		platform_raise(platform, entry >> ENTRY_DESTINATION, entry & ENTRY_VECTOR);
}

/* iosapic.level[] is the asserted state, whatever the polarity. */
static void check_level(struct platform *platform, unsigned int pin)
{
	uint64_t *entry = &platform->iosapic.entry[pin];

	if (platform->iosapic.level[pin] &&
	    (*entry & (ENTRY_LEVEL | ENTRY_MASK | ENTRY_WAITING)) == ENTRY_LEVEL) {
		*entry |= ENTRY_WAITING;
		deliver(platform, *entry);
	}
}

void iosapic_set(struct platform *platform, unsigned int pin, bool level)
{
	bool before = platform->iosapic.level[pin];
	uint64_t entry = platform->iosapic.entry[pin];

	platform->iosapic.level[pin] = level;
	if (entry & ENTRY_LEVEL)
		check_level(platform, pin);
	else if (level && !before && !(entry & ENTRY_MASK))
		deliver(platform, entry);
}

uint64_t iosapic_read(void *opaque, uint64_t offset, unsigned int size)
{
	struct iosapic *iosapic = &((struct platform *)opaque)->iosapic;
	uint32_t index = iosapic->select;
	uint64_t entry;

	if (offset == SELECT)
		return index;
	if (offset != WINDOW)
		return 0;
	if (index == INDEX_VERSION)
		return VERSION;
	if (index < INDEX_ENTRY || index >= INDEX_ENTRY + 2 * IOSAPIC_PINS)
		return 0;
	entry = iosapic->entry[(index - INDEX_ENTRY) / 2];
	return index & 1 ? entry >> 32 : entry & 0xffffffff;
}

static void write_entry(struct platform *platform, uint32_t index, uint32_t value)
{
	unsigned int pin = (index - INDEX_ENTRY) / 2;
	uint64_t *entry = &platform->iosapic.entry[pin];
	uint64_t now = index & 1 ? (uint64_t)value << 32 | (*entry & 0xffffffff) :
				   (*entry & ~0xffffffffULL) | value;

	*entry = (now & ENTRY_WRITABLE) | (*entry & ENTRY_WAITING);
	if (!(*entry & ENTRY_LEVEL))
		*entry &= ~ENTRY_WAITING;
	check_level(platform, pin);
}

void iosapic_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size)
{
	struct platform *platform = opaque;
	struct iosapic *iosapic = &platform->iosapic;
	unsigned int pin;

	switch (offset) {
	case SELECT:
		iosapic->select = value & 0xff;
		break;
	case WINDOW:
		if (iosapic->select >= INDEX_ENTRY &&
		    iosapic->select < INDEX_ENTRY + 2 * IOSAPIC_PINS)
			write_entry(platform, iosapic->select, value);
		break;
	case EOI:
		for (pin = 0; pin < IOSAPIC_PINS; pin++) {
			if ((iosapic->entry[pin] & ENTRY_VECTOR) != (value & ENTRY_VECTOR))
				continue;
			iosapic->entry[pin] &= ~ENTRY_WAITING;
			check_level(platform, pin);
		}
		break;
	}
}

void iosapic_init(struct platform *platform)
{
	unsigned int pin;

	for (pin = 0; pin < IOSAPIC_PINS; pin++)
		platform->iosapic.entry[pin] = ENTRY_MASK;
}
