/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_INSTRUCTION_H
#define KT_EXECUTION_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instructions, reduced to their effect on control flow. This is a pure
 * function from bytes to struct instruction, without state: threads may use it.
 * An instruction is decoded once, when its block is first seen.
 *
 *	instruction_read ─► x86_instruction (frequent ones, else Zydis)
 *	                         ─► x86_encoding (what Zydis does not know)
 *	                 ─► arm_instruction (A64, A32, T32)
 *
 * Bytes whose effect on control flow is unknown are not an instruction: the
 * block ends before them, and execution that arrives there is a gap.
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

/* In A32, and in T32 within an IT block, each kind may be conditional: an N
 * atom reports that the instruction was not executed, and the next one follows.
 */
enum instruction_kind {
	INSTRUCTION_PLAIN,	 /* the next one follows */
	INSTRUCTION_CONDITIONAL, /* to target, or the next one follows */
	/* to target; also isb, for which Arm's trace units emit an atom, as a
	 * jump to the next one
	 */
	INSTRUCTION_JUMP,
	/* also jmpabs, whose target is known but is traced as an indirect one
	 */
	INSTRUCTION_INDIRECT_JUMP,
	INSTRUCTION_CALL, /* to target */
	INSTRUCTION_INDIRECT_CALL,
	INSTRUCTION_RETURN,
	/* syscall, sysenter, int n, vmcall, svc, ...; Arm's have no atom: the
	 * exception's own element follows
	 */
	INSTRUCTION_FAR_CALL,
	INSTRUCTION_FAR_RETURN, /* iret, sysret, sysexit, eretu, eret, ... */
	INSTRUCTION_FAR_JUMP,
};

/* The effect of an instruction of the kernel on the flag that lets interrupts
 * through: IF of x86, I of Arm's DAIF.
 */
enum instruction_interrupts {
	INTERRUPTS_UNTOUCHED,
	INTERRUPTS_OFF,	     /* cli, msr daifset */
	INTERRUPTS_ON,	     /* sti, msr daifclr */
	INTERRUPTS_SAVED,    /* pushf, mrs daif */
	INTERRUPTS_RESTORED, /* popf, msr daif: the trace lacks the value */
	/* Values from here on, of x86 only: the instruction changes the CPU's
	 * preemption counter (include/linux/preempt.h); preempt_change_of()
	 * returns by how much.
	 */
	PREEMPT_CHANGED,
};

/* A change of the counter that is not a constant in the instruction. */
#define PREEMPT_CHANGE_UNKNOWN INT32_MIN

/* Returns the change of the counter by an instruction with @interrupts from
 * PREEMPT_CHANGED on; PREEMPT_CHANGE_UNKNOWN if it is not a constant, or none
 * that Linux uses.
 */
int32_t preempt_change_of(uint8_t interrupts);

struct instruction {
	/* of a direct branch, else 0; for A32 and T32, bit 0 is set if the
	 * target is T32 code
	 */
	uint64_t target;
	uint8_t length; /* bytes, 1 to 15 */
	uint8_t kind;	/* enum instruction_kind */
	/* it repeats itself (rep movs) or waits (hlt, mwait, wfi); on Arm only
	 * wfi and wfe, for which some trace units emit an atom
	 * (TRCIDR2.WFXMODE)
	 */
	bool may_take_long;
	bool is_barrier;	/* isb, a jump to the next one */
	bool writes_page_table; /* mov to cr3 */
	/* enum instruction_interrupts; values from PREEMPT_CHANGED on only
	 * apply if counter is the preemption counter
	 */
	uint8_t interrupts;
	/* address of the changed counter, relative to gs; 0: none */
	uint64_t counter;
};

#endif
