/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_GUEST_H
#define KT_MACHINE_TRUTH_GUEST_H

#include "machine/qemu/plugin_api.h"

/* Registers of every architecture; those from GUEST_OWN on are specific to one.
 */
enum guest_register {
	GUEST_SP,
	GUEST_PC,
	GUEST_NEXT_TASK, /* the second argument of __switch_to() */
	GUEST_FLAGS,	 /* contains the flag that lets interrupts through */
	GUEST_OWN,
	GUEST_REGISTERS_MAX = 40,
};

/* One vCPU's registers and memory. May be read only on its own thread. */
struct guest {
	struct qemu_plugin_register *registers[GUEST_REGISTERS_MAX];
	GByteArray *buffer;
};

/* Finds the registers. Returns false, after a message to stderr, if one is
 * missing.
 */
bool guest_init(struct guest *guest);
void guest_fini(struct guest *guest);

uint64_t guest_register(struct guest *guest, unsigned which);

/* Reads @size bytes (at most 8) of guest memory, zero-extended.
 *
 * Returns false if the address is not mapped.
 */
bool guest_memory(struct guest *guest, uint64_t address, size_t size,
		  uint64_t *value);

#endif
