/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TRUTH_GUEST_H
#define KT_MACHINE_TRUTH_GUEST_H

#include "machine/qemu/plugin_api.h"

enum guest_register {
	GUEST_RAX,
	GUEST_RBX,
	GUEST_RCX,
	GUEST_RDX,
	GUEST_RSI,
	GUEST_RSP,
	GUEST_RIP,
	GUEST_REGISTERS,
};

/* One vCPU's registers and memory, to be read on its own thread. */
struct guest {
	struct qemu_plugin_register *registers[GUEST_REGISTERS];
	GByteArray *buffer;
};

/* Finds the registers.  False, with a message to stderr, if one is missing. */
bool guest_init(struct guest *guest);
void guest_fini(struct guest *guest);

uint64_t guest_register(struct guest *guest, enum guest_register which);
/* EDX:EAX, as rdtsc and wrmsr use them. */
uint64_t guest_edx_eax(struct guest *guest);

/* @size bytes (at most 8) of guest memory, zero-extended.
 *
 * Returns false if the address is not mapped.
 */
bool guest_memory(struct guest *guest, uint64_t address, size_t size,
		  uint64_t *value);

/* The stack pointer before the interrupt or exception just delivered, from
 * the frame that the CPU pushed; 0 if the frame cannot be read.
 */
uint64_t guest_interrupted_sp(struct guest *guest);

#endif
