/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/x86_registers.h"

_Static_assert((int)GUEST_REGISTERS <= (int)GUEST_REGISTERS_MOST,
	       "no room for a handle");

static const char *const names[GUEST_REGISTERS] = {
	"rax", "rbx", "rcx", "rdx", "cr2", "cr3", "eflags", "cs",  "rip",
	"rsp", "rax", "rcx", "rdx", "rbx", "rsp", "rbp",    "rsi", "rdi",
	"r8",  "r9",  "r10", "r11", "r12", "r13", "r14",    "r15",
};

bool x86_registers_init(struct guest *guest)
{
	return guest_init(guest, names, GUEST_REGISTERS);
}

uint64_t guest_read_edx_eax(struct guest *guest)
{
	return guest_read(guest, GUEST_RDX) << 32 |
	       (guest_read(guest, GUEST_RAX) & 0xffffffff);
}

void guest_write_edx_eax(struct guest *guest, uint64_t value)
{
	guest_write(guest, GUEST_RAX, value & 0xffffffff);
	guest_write(guest, GUEST_RDX, value >> 32);
}
