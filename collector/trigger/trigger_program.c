/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_program.h"
#include "collector/trigger/program.h"

#include <asm/ptrace.h>
#include <stddef.h>

/* A function's first argument in struct pt_regs, the context of a probe's
 * program.
 */
#ifdef __x86_64__
enum { FIRST_ARGUMENT = offsetof(struct pt_regs, rdi) };
#else
enum { FIRST_ARGUMENT = offsetof(struct user_pt_regs, regs) };
#endif

/* If a call noted higher up on the stack is still in progress, this call is
 * nested in it, and its time belongs to that call. An entry noted at the same
 * stack address or below belongs to a call whose return was missed.
 */
void trigger_program_begin(struct bpf_code *code,
			   const struct trigger_maps *maps)
{
	size_t fresh;

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_current(code);
	program_load_stack_pointer(code, BPF_REG_7);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	fresh = bpf_jump_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_0,
		 offsetof(struct trigger_begin, stack));
	bpf_leave_if_register(code, BPF_JGT, BPF_REG_1, BPF_REG_7);
	bpf_land(code, fresh);
	program_note_begin(code, maps->begins, BPF_REG_7);
	bpf_finish(code, 0);
}

/* Reports r8, the measured latency, and r9, the time since the start. */
static void report(struct bpf_code *code, const struct trigger_maps *maps)
{
	bpf_store(code, BPF_DW, BPF_REG_10,
		  PROGRAM_REPORT +
			  (int)offsetof(struct trigger_report, latency_ns),
		  BPF_REG_8);
	bpf_store(code, BPF_DW, BPF_REG_10,
		  PROGRAM_REPORT +
			  (int)offsetof(struct trigger_report, length_ns),
		  BPF_REG_9);
	program_output(code, maps, sizeof(struct trigger_report));
}

/* Exits unless the current task's call or wait was noted and took longer; sets
 * r8 and r9 as for report().
 */
static void measure(struct bpf_code *code, const struct trigger_maps *maps,
		    const struct trigger_condition *condition)
{
	program_look_up(code, maps->begins, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	if (condition->test != TEST_WAIT) {
		/* Exit if the returning call is nested in the noted one. */
		program_load_stack_pointer(code, BPF_REG_1);
		bpf_load(code, BPF_DW, BPF_REG_2, BPF_REG_0,
			 offsetof(struct trigger_begin, stack));
		bpf_leave_if_register(code, BPF_JLT, BPF_REG_1, BPF_REG_2);
	}
	bpf_load(code, BPF_DW, BPF_REG_9, BPF_REG_0,
		 offsetof(struct trigger_begin, begin_ns));
	bpf_load(code, BPF_DW, BPF_REG_8, BPF_REG_0,
		 offsetof(struct trigger_begin, longest_ns));
	program_forget_key(code, maps->begins);
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	bpf_compute(code, BPF_SUB, BPF_REG_0, BPF_REG_9);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	if (condition->test != TEST_SLEEP)
		bpf_move(code, BPF_REG_8, BPF_REG_9);
	bpf_move_wide(code, BPF_REG_1, condition->limit_ns);
	bpf_leave_if_register(code, BPF_JLE, BPF_REG_8, BPF_REG_1);
}

/* Exits unless the first argument meets the condition. */
static void look_at_argument(struct bpf_code *code,
			     const struct trigger_condition *condition)
{
	if (condition->test == TEST_ARGUMENT) {
		bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, FIRST_ARGUMENT);
		bpf_compute_number(code, BPF_LSH, BPF_REG_1, 32);
		bpf_leave_if(code, BPF_JEQ, BPF_REG_1, 0);
	} else if (condition->test == TEST_SIGNAL) {
		bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, 0);
		bpf_leave_if(code, BPF_JGT, BPF_REG_1, 63);
		bpf_move_wide(code, BPF_REG_2, condition->signals);
		bpf_compute(code, BPF_RSH, BPF_REG_2, BPF_REG_1);
		bpf_compute_number(code, BPF_AND, BPF_REG_2, 1);
		bpf_leave_if(code, BPF_JEQ, BPF_REG_2, 0);
	}
	bpf_move_number(code, BPF_REG_8, 0);
	bpf_move_number(code, BPF_REG_9, 0);
}

void trigger_program_hit(struct bpf_code *code, const struct trigger_maps *maps,
			 const struct trigger_condition *condition)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_current(code);
	if (maps->begins >= 0)
		measure(code, maps, condition);
	else
		look_at_argument(code, condition);
	bpf_call(code, BPF_FUNC_get_current_pid_tgid);
	/* The idle task does not wait for a CPU. */
	if (condition->test == TEST_WAIT)
		bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	program_leave_others(code, maps);
	report(code, maps);
	bpf_finish(code, 1);
}
