/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/idt.h"

#define IDT_BASE 0xfffffe0000000000ull

/* SDM volume 3, "64-Bit Mode IDT". */
struct gate {
	uint16_t offset_low;
	uint16_t selector;
	uint8_t stack;
	uint8_t attributes;
	uint16_t offset_middle;
	uint32_t offset_high;
	uint32_t reserved;
};

static uint64_t handler_of(const struct gate *gate)
{
	return gate->offset_low | (uint64_t)gate->offset_middle << 16 |
	       (uint64_t)gate->offset_high << 32;
}

static bool search(const struct idt *idt, uint64_t handler, uint8_t *vector)
{
	for (unsigned i = 0; i < IDT_VECTORS; i++) {
		if (idt->handlers[i] != handler)
			continue;
		*vector = (uint8_t)i;
		return true;
	}
	return false;
}

static void read_table(struct idt *idt, struct guest *guest)
{
	struct gate gates[IDT_VECTORS];

	if (!guest_read_virtual(guest, IDT_BASE, gates, sizeof(gates)))
		return;
	for (unsigned i = 0; i < IDT_VECTORS; i++)
		idt->handlers[i] = handler_of(&gates[i]);
}

bool idt_find(struct idt *idt, struct guest *guest, uint64_t handler,
	      uint8_t *vector)
{
	if (search(idt, handler, vector))
		return true;
	read_table(idt, guest);
	return search(idt, handler, vector);
}
