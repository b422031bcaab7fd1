/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_FAULT_H
#define KT_MACHINE_INTEL_PT_FAULT_H

#include "machine/unit/fault.h"

/* Intel PT's faults on demand. */
enum pt_fault_kind {
	PT_FAULT_NONE,
	PT_FAULT_TNT_LOST,     /* a branch without its TNT bit */
	PT_FAULT_TNT_WRONG,    /* an inverted TNT bit */
	PT_FAULT_FAST_CLOCK,   /* TSC and crystal run 1 % too fast */
	PT_FAULT_PSB_LOST,     /* a PSB+ without its PSB */
	PT_FAULT_CYC_WRONG,    /* a cycle count that is 4096 too large */
	PT_FAULT_IP_OFF,       /* a TIP's address that is one too large */
	PT_FAULT_OVF_LOST,     /* lost packets without their OVF */
	PT_FAULT_RETURN_WRONG, /* a return to another call's target */
	PT_FAULT_FUP_LOST,     /* an interrupt without its FUP */
	PT_FAULT_MTC_WRONG,    /* an MTC of a much later period */
	PT_FAULT_BYTES_ZERO,   /* bytes that reach memory as zeros */
	PT_FAULT_COUNT,
};

/* Makes a fault from its @name in the option fault=NAME. Returns false if there
 * is none of that name.
 */
bool pt_fault_parse(struct unit_fault *fault, const char *name);

#endif
