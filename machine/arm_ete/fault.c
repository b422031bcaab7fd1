/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/arm_ete/fault.h"

static const struct unit_fault_kind kinds[ETE_FAULT_COUNT] = {
	[ETE_FAULT_NONE] = { "none", 1 },
	[ETE_FAULT_ATOM_LOST] = { "atom-lost", 5000 },
	[ETE_FAULT_ATOM_WRONG] = { "atom-wrong", 5000 },
	[ETE_FAULT_FAST_CLOCK] = { "fast-clock", 1 },
	[ETE_FAULT_TIME_WRONG] = { "time-wrong", 64 },
	[ETE_FAULT_SYNC_LOST] = { "sync-lost", 3 },
	[ETE_FAULT_CYCLES_WRONG] = { "cycles-wrong", 64 },
	[ETE_FAULT_ADDRESS_OFF] = { "address-off", 1000 },
	[ETE_FAULT_OVERFLOW_LOST] = { "overflow-lost", 1 },
	[ETE_FAULT_RETURN_WRONG] = { "return-wrong", 100 },
	[ETE_FAULT_EXCEPTION_LOST] = { "exception-lost", 4 },
	[ETE_FAULT_BYTES_ZERO] = { "bytes-zero", 50 },
};

bool ete_fault_parse(struct unit_fault *fault, const char *name)
{
	return unit_fault_parse(fault, kinds, ETE_FAULT_COUNT, name);
}
