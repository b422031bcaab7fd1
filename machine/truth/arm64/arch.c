/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/truth/arch.h"

#include <time.h>

const char arch_target[] = "aarch64";
const bool arch_raises_first = false;

enum { X0 = GUEST_OWN, SP_EL0 = X0 + 31, REGISTERS };

const char *const arch_register_names[] = {
	"sp",  "pc",  "x1",  "cpsr", /* all have */
	"x0",  "x1",  "x2",  "x3",   "x4",  "x5",  "x6",  "x7",
	"x8",  "x9",  "x10", "x11",  "x12", "x13", "x14", "x15",
	"x16", "x17", "x18", "x19",  "x20", "x21", "x22", "x23",
	"x24", "x25", "x26", "x27",  "x28", "x29", "x30", "SP_EL0",
};
const unsigned arch_register_count = REGISTERS;

/* Which of the trace unit's registers a struct control has. */
enum { PRGCTLR, VICTLR, LIMITR, TRFCR, CONTROLS };

/* Op0 to op2 of MSR, Arm ARM, "System register encodings". */
static const uint16_t encodings[CONTROLS] = {
	[PRGCTLR] = 2 << 14 | 1 << 11 | 1 << 3,
	[VICTLR] = 2 << 14 | 1 << 11 | 2,
	[LIMITR] = 3 << 14 | 9 << 7 | 11 << 3,
	[TRFCR] = 3 << 14 | 1 << 7 | 2 << 3 | 1,
};

enum {
	PRGCTLR_EN = 1,
	LIMITR_E = 1,
	TRFCR_E0TRE = 1,
	TRFCR_E1TRE = 2,
	VICTLR_NOT_EL0 = 1 << 20,
	VICTLR_NOT_EL1 = 1 << 21,
};

bool arch_lets_interrupts(struct guest *guest)
{
	return !(guest_register(guest, GUEST_FLAGS) & 1 << 7); /* DAIF.I */
}

bool control_traces(const struct control *control)
{
	return control->values[PRGCTLR] & PRGCTLR_EN &&
	       control->values[LIMITR] & LIMITR_E &&
	       control->values[TRFCR] & (TRFCR_E0TRE | TRFCR_E1TRE);
}

bool control_traces_level(const struct control *control, uint64_t address)
{
	if (address >> 63)
		return control->values[TRFCR] & TRFCR_E1TRE &&
		       !(control->values[VICTLR] & VICTLR_NOT_EL1);
	return control->values[TRFCR] & TRFCR_E0TRE &&
	       !(control->values[VICTLR] & VICTLR_NOT_EL0);
}

/* Xt of MRS and MSR; 31 is the register that is always zero. */
static uint64_t operand(struct guest *guest, uint32_t insn)
{
	unsigned number = insn & 31;

	return number == 31 ? 0 : guest_register(guest, X0 + number);
}

bool control_write(struct control *control, struct guest *guest, uint32_t insn)
{
	uint64_t value = operand(guest, insn);

	for (unsigned i = 0; i < CONTROLS; i++) {
		if ((insn >> 5 & 0xffff) != encodings[i])
			continue;
		control->values[i] = value;
		return true;
	}
	return false;
}

uint64_t arch_clock_value(struct guest *guest, uint32_t insn)
{
	return operand(guest, insn);
}

/* The generic timer counts nanoseconds. */
uint64_t arch_host_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool arch_hand_over(struct guest *guest, uint64_t *function, uint64_t *offsets)
{
	*function = guest_register(guest, X0);
	*offsets = guest_register(guest, X0 + 1);
	return true;
}

/* In the kernel SP_EL0 is the current task, but at its entry still the user's
 * stack; the kernel's own stack pointer is the one in use by then.
 */
uint64_t arch_interrupted_sp(struct guest *guest)
{
	uint64_t user = guest_register(guest, SP_EL0);

	return user >> 63 ? guest_register(guest, GUEST_SP) : user;
}
