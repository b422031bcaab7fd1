/* SPDX-License-Identifier: MIT */
#ifndef KT_MACHINE_TRUTH_FORMAT_H
#define KT_MACHINE_TRUTH_FORMAT_H

#include <stdint.h>

/* The ground truth of one virtual CPU, in the file that the machine writes on
 * the host.
 *
 * File truth.<cpu>: a struct truth_header, then records, one after the other:
 *
 *	u8	tag		enum truth_kind | TRUTH_HAS_SP
 *	varint	tsc		delta to the previous record's TSC
 *	varint	from		zigzag(from - previous record's to)
 *	varint	to		zigzag(to - from)
 *	varint	pid		TRUTH_SWITCH only, in place of from and to
 *	varint	on		TRUTH_INTERRUPTS only, in place of from and to
 *	varint	tgid		TRUTH_SWITCH only
 *	varint	sp		zigzag(sp - previous sp), with TRUTH_HAS_SP only
 *
 * All "previous" values start at 0.  A varint is LEB128; zigzag(x) is
 * (x << 1) ^ (x >> 63) on 64 bits.  Records are in the order of execution.
 *
 * Records are written while the trace unit is enabled (IA32_RTIT_CTL has
 * TraceEn and BranchEn set; TRCPRGCTLR, TRBLIMITR_EL1 and TRFCR_EL1 are
 * enabled), if one of their two addresses belongs to a traced privilege level
 * (OS, User); TRUTH_TRACE_ON, _OFF, _SWITCH and _INTERRUPTS always.  Address
 * and CR3 filters are not applied.  The TSC is the value that rdtsc would return in place of
 * the instruction at "from"; for an interrupt, the value just before it.
 */
#define TRUTH_MAGIC "KTTRUTH1"

struct truth_header {
	char magic[8];
	uint32_t cpu;
	uint32_t reserved;
};

enum truth_kind {
	TRUTH_CONDITIONAL = 1, /* to is the target or the next instruction */
	TRUTH_JUMP = 2,
	TRUTH_CALL = 3,
	TRUTH_INDIRECT_JUMP = 4,
	TRUTH_INDIRECT_CALL = 5,
	TRUTH_RETURN = 6,
	TRUTH_FAR_CALL = 7,   /* syscall, sysenter, far call, far jump, svc */
	TRUTH_FAR_RETURN = 8, /* iret, sysret, sysexit, far ret, eret */
	TRUTH_INTERRUPT = 9,  /* from: the instruction that did not run */
	TRUTH_EXCEPTION = 10, /* from: the instruction that faulted, or
			       * int3, int n, int1
			       */
	TRUTH_TRACE_ON = 11,  /* from = to: the first instruction traced */
	TRUTH_TRACE_OFF = 12, /* from = to: wrmsr or msr that ends it */
	TRUTH_SWITCH = 13,    /* __switch_to, on arm64 cpu_switch_to, was
			       * entered for this task
			       */
	/* from here on the CPU lets interrupts through, or blocks them: written
	 * at the start of the first of QEMU's blocks that runs in the new state
	 */
	TRUTH_INTERRUPTS = 14,
	TRUTH_KIND_MASK = 0x0f,
	/* All except conditional branches and jumps have the stack pointer
	 * before the instruction; a switch has the next task's (arm64: still
	 * the previous task's).
	 */
	TRUTH_HAS_SP = 0x10,
};

#endif
