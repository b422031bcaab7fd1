/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/arch.h"

#include <x86intrin.h>

const char arch_target[] = "x86_64";
const bool arch_raises_first = true;

enum { RAX = GUEST_OWN, RBX, RCX, RDX, REGISTERS };

const char *const arch_register_names[] = {
	[GUEST_SP] = "rsp",
	[GUEST_PC] = "rip",
	[GUEST_NEXT_TASK] = "rsi",
	[RAX] = "rax",
	[RBX] = "rbx",
	[RCX] = "rcx",
	[RDX] = "rdx",
	[GUEST_FLAGS] = "eflags",
};
const unsigned arch_register_count = REGISTERS;

/* IA32_RTIT_CTL, Intel SDM volume 3, "Intel Processor Trace" */
enum {
	IA32_RTIT_CTL = 0x570,
	TRACE_EN = 1 << 0,
	OS = 1 << 2,
	USER = 1 << 3,
	BRANCH_EN = 1 << 13,
};

bool arch_lets_interrupts(struct guest *guest)
{
	return guest_register(guest, GUEST_FLAGS) & 1 << 9; /* IF */
}

bool control_traces(const struct control *control)
{
	return control->values[0] & TRACE_EN && control->values[0] & BRANCH_EN;
}

bool control_traces_level(const struct control *control, uint64_t address)
{
	return control->values[0] & (address >> 63 ? OS : USER);
}

/* The operands of rdtsc and wrmsr. */
static uint64_t edx_eax(struct guest *guest)
{
	return (guest_register(guest, RDX) << 32) |
	       (uint32_t)guest_register(guest, RAX);
}

bool control_write(struct control *control, struct guest *guest, uint32_t insn)
{
	(void)insn;
	if ((uint32_t)guest_register(guest, RCX) != IA32_RTIT_CTL)
		return false;
	control->values[0] = edx_eax(guest);
	return true;
}

uint64_t arch_clock_value(struct guest *guest, uint32_t insn)
{
	(void)insn;
	return edx_eax(guest);
}

uint64_t arch_host_clock(void)
{
	return __rdtsc();
}

/* The hand-over instruction is cpuid with a leaf that no CPU has. */
bool arch_hand_over(struct guest *guest, uint64_t *function, uint64_t *offsets)
{
	enum { LEAF = 0x4b545452 }; /* "KTTR" */

	if ((uint32_t)guest_register(guest, RAX) != LEAF)
		return false;
	*function = guest_register(guest, RBX);
	*offsets = guest_register(guest, RDX);
	return true;
}

/* Linux's code segments: kernel, user 32 bit, user 64 bit. No value of RFLAGS
 * equals one of them, because its bit 1 is set and bit 5 clear.
 */
static bool is_code_segment(uint64_t value)
{
	return value == 0x10 || value == 0x23 || value == 0x33;
}

uint64_t arch_interrupted_sp(struct guest *guest)
{
	uint64_t frame = guest_register(guest, GUEST_SP);
	uint64_t third, sp;

	/* [error code,] rip, cs, rflags, rsp, ss */
	if (!guest_memory(guest, frame + 16, 8, &third))
		return 0;
	if (is_code_segment(third))
		frame += 8;
	return guest_memory(guest, frame + 24, 8, &sp) ? sp : 0;
}
