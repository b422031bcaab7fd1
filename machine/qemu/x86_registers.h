/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_X86_REGISTERS_H
#define KT_MACHINE_QEMU_X86_REGISTERS_H

#include "machine/qemu/guest.h"

/* The registers of an x86-64 guest. */
enum guest_register {
	GUEST_RAX,
	GUEST_RBX,
	GUEST_RCX,
	GUEST_RDX,
	GUEST_CR2,
	GUEST_CR3,
	GUEST_EFLAGS,
	GUEST_CS,
	GUEST_RIP,
	GUEST_RSP,
	GUEST_GENERAL, /* rax, rcx, … r15 in encoding order: + 0..15 */
	GUEST_REGISTERS = GUEST_GENERAL + 16,
};

/* Like guest_init(), for these registers. */
bool x86_registers_init(struct guest *guest);

/* EDX:EAX, as rdtsc, rdmsr and wrmsr use it. */
uint64_t guest_read_edx_eax(struct guest *guest);
void guest_write_edx_eax(struct guest *guest, uint64_t value);

#endif
