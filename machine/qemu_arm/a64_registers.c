/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu_arm/a64_registers.h"

enum { OPERAND_ZERO = 31 };

_Static_assert((int)GUEST_REGISTERS <= (int)GUEST_REGISTERS_MOST,
	       "no room for a handle");

static const char *const names[GUEST_REGISTERS] = {
	"x0",	   "x1",  "x2",
	"x3",	   "x4",  "x5",
	"x6",	   "x7",  "x8",
	"x9",	   "x10", "x11",
	"x12",	   "x13", "x14",
	"x15",	   "x16", "x17",
	"x18",	   "x19", "x20",
	"x21",	   "x22", "x23",
	"x24",	   "x25", "x26",
	"x27",	   "x28", "x29",
	"x30",	   "pc",  "CONTEXTIDR_EL1",
	"ESR_EL1",
};

bool a64_registers_init(struct guest *guest)
{
	return guest_init(guest, names, GUEST_REGISTERS);
}

uint64_t guest_read_operand(struct guest *guest, unsigned number)
{
	return number == OPERAND_ZERO ? 0 : guest_read(guest, number);
}

void guest_write_operand(struct guest *guest, unsigned number, uint64_t value)
{
	if (number != OPERAND_ZERO)
		guest_write(guest, number, value);
}
