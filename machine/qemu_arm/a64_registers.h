/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_A64_REGISTERS_H
#define KT_MACHINE_QEMU_ARM_A64_REGISTERS_H

#include "machine/qemu/guest.h"

/* The registers of an arm64 guest. */
enum guest_register {
	GUEST_X0, /* … GUEST_X0 + 30 */
	GUEST_PC = 31,
	GUEST_CONTEXTIDR,
	GUEST_ESR,
	GUEST_REGISTERS,
};

/* Like guest_init(), for these registers. */
bool a64_registers_init(struct guest *guest);

/* Access Xt of MRS and MSR. 31 is XZR, which is always zero and not among the
 * registers above.
 */
uint64_t guest_read_operand(struct guest *guest, unsigned number);
void guest_write_operand(struct guest *guest, unsigned number, uint64_t value);

#endif
