/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_QEMU_ARM_A64_H
#define KT_MACHINE_QEMU_ARM_A64_H

#include "machine/arm_ete/unit.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the kind of branch of an A64 instruction.
 *
 * Source: Arm ARM, "A64 instruction set encoding: branches, exception
 * generating and system instructions"; "Embedded Trace Extension: P0
 * instructions".
 */
enum ete_branch a64_branch(uint32_t insn);

/* Instructions that the trace unit has to observe or emulate. */
enum a64_special {
	A64_ORDINARY,
	A64_TRACE_REGISTER, /* TRC*, TRB*, TRFCR_EL1: read or written */
	A64_DEBUG_FEATURES, /* ID_AA64DFR0_EL1 is read */
	A64_CONTEXT_ID,	    /* CONTEXTIDR_EL1 is written */
	A64_COUNTER,	    /* the generic timer's count is read */
	A64_WAIT,	    /* WFI, WFE and their forms with a timeout */
	A64_TRACE_SYNC,	    /* TSB CSYNC */
};

enum a64_special a64_special(uint32_t insn);

/* Returns whether the instruction is a 16-bit store to a register's address, as
 * in Linux's iowrite16() (arch/arm64/include/asm/io.h), which may ring a
 * device's doorbell.
 */
static inline bool a64_may_ring(uint32_t insn)
{
	return (insn & 0xfffffc00) == 0x79000000;
}

/* Returns op0, op1, CRn, CRm, op2 of MRS or MSR, as in the instruction's bits
 * 20 to 5.
 */
static inline unsigned a64_system_register(uint32_t insn)
{
	return insn >> 5 & 0xffff;
}

static inline bool a64_is_read(uint32_t insn)
{
	return insn >> 21 & 1;
}

static inline unsigned a64_target(uint32_t insn)
{
	return insn & 31;
}

#define A64_REGISTER(op0, op1, crn, crm, op2) \
	((unsigned)(op0) << 14 | (op1) << 11 | (crn) << 7 | (crm) << 3 | (op2))

#endif
