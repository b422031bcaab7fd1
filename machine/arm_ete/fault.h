/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ARM_ETE_FAULT_H
#define KT_MACHINE_ARM_ETE_FAULT_H

#include "machine/unit/fault.h"

/* The Embedded Trace Extension's faults on demand. */
enum ete_fault_kind {
	ETE_FAULT_NONE,
	ETE_FAULT_ATOM_LOST,	  /* a branch without its atom */
	ETE_FAULT_ATOM_WRONG,	  /* an inverted atom */
	ETE_FAULT_FAST_CLOCK,	  /* timestamps run 1 % too fast */
	ETE_FAULT_TIME_WRONG,	  /* a timestamp that is 100 us too late */
	ETE_FAULT_SYNC_LOST,	  /* a trace info without its A-sync */
	ETE_FAULT_CYCLES_WRONG,	  /* a cycle count that is 2^18 too large */
	ETE_FAULT_ADDRESS_OFF,	  /* an address one instruction too high */
	ETE_FAULT_OVERFLOW_LOST,  /* lost packets without their Overflow */
	ETE_FAULT_RETURN_WRONG,	  /* a return without its address, although not
				   * to the top of the return stack
				   */
	ETE_FAULT_EXCEPTION_LOST, /* an exception without its packet */
	ETE_FAULT_BYTES_ZERO,	  /* bytes that reach memory as zeros */
	ETE_FAULT_COUNT,
};

/* Makes a fault from its @name in the option fault=NAME. Returns false if there
 * is none of that name.
 */
bool ete_fault_parse(struct unit_fault *fault, const char *name);

#endif
