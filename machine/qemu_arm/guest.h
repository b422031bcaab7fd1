/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_GUEST_H
#define KT_MACHINE_QEMU_ARM_GUEST_H

#include "machine/qemu/plugin_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers and physical memory of the guest, as one vCPU sees them. */
enum guest_register {
	GUEST_X0, /* … GUEST_X0 + 30 */
	GUEST_PC = 31,
	GUEST_CONTEXTIDR,
	GUEST_ESR,
	GUEST_REGISTERS,
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

/* Call them only where the callback's flags allow it.  Register 31 of an
 * instruction's operand, which is always zero, is none of these.
 */
uint64_t guest_read(struct guest *guest, enum guest_register which);
void guest_write(struct guest *guest, enum guest_register which,
		 uint64_t value);

/* Xt of MRS and MSR, XZR included. */
uint64_t guest_read_operand(struct guest *guest, unsigned number);
void guest_write_operand(struct guest *guest, unsigned number, uint64_t value);

/* Physical memory and devices; false if there is nothing at @address. */
bool guest_read_physical(struct guest *guest, uint64_t address, void *bytes,
			 size_t size);
bool guest_write_physical(struct guest *guest, uint64_t address,
			  const void *bytes, size_t size);

#endif
