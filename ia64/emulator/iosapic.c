// SPDX-License-Identifier: GPL-2.0-only
/*
 * iosapic.c: the devices' interrupt controller. A pin's redirection entry has its vector, its mask,
 * and the processor that gets it. All devices of this machine have edges: the only level, ACPI's,
 * never comes.
 */
#include "platform.h"

/* Memory-mapped registers, and indirect ones */
#define SELECT		0x00
#define WINDOW		0x10
#define INDEX_VERSION	0x01
#define INDEX_ENTRY	0x10

#define VERSION		(0x20 | (IOSAPIC_PINS - 1) << 16)

/* The lower word of an entry */
#define ENTRY_VECTOR	0xff
#define ENTRY_MODE	(7 << 8)		/* 0 and 1: an interrupt of that vector */
#define ENTRY_MASK	(1 << 16)

void iosapic_set(struct platform *platform, unsigned int pin, bool level)
{
	const uint32_t *entry = &platform->iosapic.word[2 * pin];
	bool before = platform->iosapic.level[pin];

	platform->iosapic.level[pin] = level;
	/* No device of this machine uses PMI, NMI or INIT. */
	if (level && !before && !(*entry & (ENTRY_MASK | (ENTRY_MODE & ~(1 << 8)))))
		platform_raise(platform, entry[1] >> 16, *entry & ENTRY_VECTOR);
}

uint64_t iosapic_read(void *opaque, uint64_t offset, unsigned int size)
{
	const struct iosapic *iosapic = &((struct platform *)opaque)->iosapic;
	uint32_t index = iosapic->select;

	if (offset == SELECT)
		return index;
	if (offset == WINDOW && index == INDEX_VERSION)
		return VERSION;
	if (offset == WINDOW && index - INDEX_ENTRY < ARRAY_SIZE(iosapic->word))
		return iosapic->word[index - INDEX_ENTRY];
	return 0;
}

void iosapic_write(void *opaque, uint64_t offset, uint64_t value, unsigned int size)
{
	struct iosapic *iosapic = &((struct platform *)opaque)->iosapic;

	if (offset == SELECT)
		iosapic->select = value & 0xff;
	else if (offset == WINDOW && iosapic->select - INDEX_ENTRY < ARRAY_SIZE(iosapic->word))
		iosapic->word[iosapic->select - INDEX_ENTRY] = value;
}

void iosapic_init(struct platform *platform)
{
	unsigned int pin;

	for (pin = 0; pin < IOSAPIC_PINS; pin++)
		platform->iosapic.word[2 * pin] = ENTRY_MASK;
}
