/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_H
#define KT_EXECUTION_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction, seen by what it does to the flow of control.  It is decoded
 * when a block of the graph is first met, never again.
 */
enum instruction_set {
	INSTRUCTION_X86_16,
	INSTRUCTION_X86_32,
	INSTRUCTION_X86_64,
	INSTRUCTION_A64,
	INSTRUCTION_A32,
	INSTRUCTION_T32,
	INSTRUCTION_SETS,
};

/* In A32, and in T32 within an IT block, each of them may be conditional: an
 * N atom says that it was not executed, and the next one follows.
 */
enum instruction_kind {
	INSTRUCTION_PLAIN,	   /* the next one follows */
	INSTRUCTION_CONDITIONAL,   /* to target, or the next one follows */
	INSTRUCTION_JUMP,	   /* to target; an isb, for which Arm's trace
				 * units give an atom, jumps to the next one */
	INSTRUCTION_INDIRECT_JUMP, /* also jmpabs, whose target is known
					 * but traced as if it were not */
	INSTRUCTION_CALL,	   /* to target */
	INSTRUCTION_INDIRECT_CALL,
	INSTRUCTION_RETURN,
	INSTRUCTION_FAR_CALL,	/* syscall, sysenter, int n, vmcall, svc, ...;
				 * Arm's have no atom: the exception's own
				 * element follows */
	INSTRUCTION_FAR_RETURN, /* iret, sysret, sysexit, eretu, eret, ... */
	INSTRUCTION_FAR_JUMP,
};

struct instruction {
	uint64_t target;	/* of a direct branch, else 0; of A32 and T32,
				 * bit 0 says that T32 is there */
	uint8_t length;		/* bytes, 1 to 15 */
	uint8_t kind;		/* enum instruction_kind */
	bool may_take_long;	/* it repeats itself (rep movs) or waits (hlt,
				 * mwait, wfi); on Arm only wfi and wfe, for
				 * which some trace units give an atom
				 * (TRCIDR2.WFXMODE) */
	bool is_barrier;	/* isb, a jump to the next one */
	bool switches_trace;	/* wrmsr: it may switch the trace unit off */
	bool writes_page_table; /* mov to cr3 */
	bool writes_trace;	/* ptwrite */
};

/* Decodes the instruction at @address, whose bytes begin at @bytes; @size of
 * them are known.
 *
 * Returns 1 and *@instruction, 0 if the bytes end before it does,
 * -ERROR_UNSUPPORTED if they are no instruction that is known: what it does to
 * the flow cannot be told.
 */
int instruction_read(enum instruction_set set, uint64_t address,
		     const uint8_t *bytes, size_t size,
		     struct instruction *instruction);

#endif
