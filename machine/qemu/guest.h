/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_GUEST_H
#define KT_MACHINE_QEMU_GUEST_H

#include "machine/qemu/plugin_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers and physical memory of the guest, as one vCPU sees them. */
enum guest_register {
	GUEST_RAX,
	GUEST_RBX,
	GUEST_RCX,
	GUEST_RDX,
	GUEST_CR3,
	GUEST_CS,
	GUEST_RIP,
	GUEST_GENERAL, /* rax, rcx, … r15 in encoding order: + 0..15 */
	GUEST_REGISTERS = GUEST_GENERAL + 16,
};

struct guest {
	struct qemu_plugin_register *handles[GUEST_REGISTERS];
	GByteArray *scratch;
};

/* Looks up the registers; call it when the vCPU has been initialised.
 *
 * Returns false, with a message to stderr, when QEMU does not show one.
 */
bool guest_init(struct guest *guest);
void guest_free(struct guest *guest);

/* Zero-extended; call them only where the callback's flags allow it. */
uint64_t guest_read(struct guest *guest, enum guest_register which);
void guest_write(struct guest *guest, enum guest_register which,
		 uint64_t value);

/* EDX:EAX, as rdtsc, rdmsr and wrmsr use it. */
uint64_t guest_read_edx_eax(struct guest *guest);
void guest_write_edx_eax(struct guest *guest, uint64_t value);

/* Physical memory and devices; false if there is nothing at @address. */
bool guest_read_physical(struct guest *guest, uint64_t address, void *bytes,
			 size_t size);
bool guest_write_physical(struct guest *guest, uint64_t address,
			  const void *bytes, size_t size);

#endif
