/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_IDT_H
#define KT_MACHINE_QEMU_IDT_H

#include "machine/qemu/guest.h"

/* Which vector an interrupt had, from where it went: QEMU tells that only.
 *
 * Linux's handlers differ from vector to vector (arch/x86/kernel/idt.c), and
 * each CPU has its table at the same address (CPU_ENTRY_AREA_RO_IDT in
 * arch/x86/include/asm/pgtable_areas.h).
 */
enum { IDT_VECTORS = 256 };

struct idt {
	uint64_t handlers[IDT_VECTORS]; /* as last read; 0: none */
};

/* Sets @vector to that of @handler.  Returns false if the guest's table has
 * no such entry.
 */
bool idt_find(struct idt *idt, struct guest *guest, uint64_t handler,
	      uint8_t *vector);

#endif
