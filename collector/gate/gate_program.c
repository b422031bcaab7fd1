/* SPDX-License-Identifier: MIT */
#include "collector/gate/gate_program_internal.h"
#include "collector/trigger/trigger_program.h"
#include "common/formats/recording_events.h"

#include <stddef.h>

/* Kernel stacks are at most this large, and aligned to it (THREAD_SIZE). */
enum { STACK_BYTES = 16 << 10 };

enum { MARK_CALLER = PROGRAM_REPORT + (int)offsetof(struct gate_mark, caller) };
_Static_assert(sizeof(struct gate_mark) <= sizeof(struct trigger_report),
	       "a mark has a report's place on the stack");

/* Writes the mark @kind, with the probe's registers, and returns 1. A function
 * that has returned is not in the call chain, nor needed there.
 */
static void finish_with_mark(struct bpf_code *code,
			     const struct trigger_maps *maps,
			     enum gate_mark_kind kind)
{
	if (kind == GATE_END)
		bpf_move_number(code, BPF_REG_1, 0);
	else
		program_load_link_register(code, BPF_REG_1);
	bpf_store(code, BPF_DW, BPF_REG_10, MARK_CALLER, BPF_REG_1);
	bpf_store_number(code, BPF_DW, BPF_REG_10, PROGRAM_REPORT,
			 (int32_t)kind);
	program_output(code, maps, sizeof(struct gate_mark));
	bpf_finish(code, 1);
}

bool gate_program_reads_caller(void)
{
	return program_has_link_register();
}

/* Sets r2 to the distance of the current stack pointer, in r7, above that of
 * the noted call, at which r0 points. Positions below it, or on another stack,
 * such as an interrupt's, wrap around to a large number: they are inside of
 * that call.
 */
static void stack_above_noted(struct bpf_code *code)
{
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_0,
		 offsetof(struct trigger_begin, stack));
	bpf_move(code, BPF_REG_2, BPF_REG_7);
	bpf_compute(code, BPF_SUB, BPF_REG_2, BPF_REG_1);
}

/* An entry whose stack pointer is the same or lower belongs to a call whose
 * return the probe missed, and is replaced.
 */
void gate_program_begin(struct bpf_code *code, const struct trigger_maps *maps,
			int chosen, uint32_t number)
{
	size_t fresh;

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	bpf_store_number(code, BPF_W, BPF_REG_10, PROGRAM_PROCESS,
			 (int32_t)number);
	program_look_up(code, chosen, PROGRAM_PROCESS);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	program_key_of_current(code);
	bpf_call(code, BPF_FUNC_get_current_pid_tgid);
	program_leave_others(code, maps);
	program_load_stack_pointer(code, BPF_REG_7);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	fresh = bpf_jump_if(code, BPF_JEQ, BPF_REG_0, 0);
	stack_above_noted(code);
	bpf_leave_if(code, BPF_JGT, BPF_REG_2, STACK_BYTES);
	bpf_land(code, fresh);
	program_note_begin(code, maps->begins, BPF_REG_7);
	finish_with_mark(code, maps, GATE_BEGIN);
}

void gate_program_end(struct bpf_code *code, const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_current(code);
	program_load_stack_pointer(code, BPF_REG_7);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	stack_above_noted(code);
	bpf_leave_if(code, BPF_JGT, BPF_REG_2, STACK_BYTES);
	program_forget_key(code, maps->begins);
	finish_with_mark(code, maps, GATE_END);
}

static void mark_if_noted(struct bpf_code *code,
			  const struct trigger_maps *maps,
			  enum gate_mark_kind kind)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_current(code);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	finish_with_mark(code, maps, kind);
}

void gate_program_leave(struct bpf_code *code, const struct trigger_maps *maps)
{
	mark_if_noted(code, maps, GATE_LEAVE);
}

void gate_program_come(struct bpf_code *code, const struct trigger_maps *maps)
{
	mark_if_noted(code, maps, GATE_COME);
}
