/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_UNIT_FAULT_H
#define KT_MACHINE_UNIT_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* Faults of a trace unit on demand, which `ktrace-hw selftest` must find. A
 * unit has at most one kind, which damages one in interval of its packets
 * without a mark in the trace. Each unit has a table of its kinds, by their
 * number; number 0 is not a fault.
 */
struct unit_fault_kind {
	const char *name;
	uint64_t interval; /* packets */
};

struct unit_fault {
	unsigned kind; /* 0: no fault */
	uint64_t interval;
	uint64_t until_next; /* packets of this kind until the next damage */
};

/* Sets *@fault to the kind in @kinds that is called @name, the value of the
 * option fault=NAME. Returns false if there is none of that name.
 */
bool unit_fault_parse(struct unit_fault *fault,
		      const struct unit_fault_kind *kinds, unsigned count,
		      const char *name);

/* Counts a packet that a fault of this @kind would damage. Returns whether this
 * one is damaged.
 */
bool unit_fault_strikes(struct unit_fault *fault, unsigned kind);

#endif
