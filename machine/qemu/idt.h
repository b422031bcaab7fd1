/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_IDT_H
#define KT_MACHINE_QEMU_IDT_H

#include "machine/qemu/guest.h"

/* Finds the vector of an interrupt from its handler, because QEMU reports only
 * the handler.
 *
 * Linux has a different handler for each vector (arch/x86/kernel/idt.c), and
 * the table of each CPU is at the same address (CPU_ENTRY_AREA_RO_IDT in
 * arch/x86/include/asm/pgtable_areas.h).
 */
enum { IDT_VECTORS = 256 };

struct idt {
	uint64_t handlers[IDT_VECTORS]; /* as last read; 0: no entry */
};

/* Sets @vector to the vector of @handler. Returns false if the guest's table
 * has no such entry.
 */
bool idt_find(struct idt *idt, struct guest *guest, uint64_t handler,
	      uint8_t *vector);

#endif
