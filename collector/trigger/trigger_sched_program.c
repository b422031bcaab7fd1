/* SPDX-License-Identifier: MIT */
#include "collector/trigger/program.h"

#include <stddef.h>

/* Ends the sleep of the task at PROGRAM_KEY, if a sleep was noted. */
static void end_sleep(struct bpf_code *code, const struct trigger_maps *maps)
{
	const int left = offsetof(struct trigger_begin, left_ns);
	const int longest = offsetof(struct trigger_begin, longest_ns);
	size_t none;
	size_t awake;
	size_t shorter;

	program_look_up(code, maps->begins, PROGRAM_KEY);
	none = bpf_jump_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_move(code, BPF_REG_7, BPF_REG_0);
	bpf_load(code, BPF_DW, BPF_REG_8, BPF_REG_7, left);
	awake = bpf_jump_if(code, BPF_JEQ, BPF_REG_8, 0);
	bpf_store_number(code, BPF_DW, BPF_REG_7, left, 0);
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	bpf_compute(code, BPF_SUB, BPF_REG_0, BPF_REG_8);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_7, longest);
	shorter = bpf_jump_if_register(code, BPF_JLE, BPF_REG_0, BPF_REG_1);
	bpf_store(code, BPF_DW, BPF_REG_7, longest, BPF_REG_0);
	bpf_land(code, none);
	bpf_land(code, awake);
	bpf_land(code, shorter);
}

/* sched_switch(preempt, prev, next, prev_state): the arguments in
 * include/trace/events/sched.h since Linux 5.19.
 */
enum { PREEMPT, PREV, NEXT, PREV_STATE };

/* If a task is woken before it has left its CPU, its wake-up precedes its
 * sleep.
 */
void trigger_program_sleep_switch(struct bpf_code *code,
				  const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_argument(code, NEXT);
	end_sleep(code, maps);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREEMPT * 8);
	bpf_leave_if(code, BPF_JNE, BPF_REG_1, 0);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREV_STATE * 8);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_1, 0);
	program_key_of_argument(code, PREV);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_move(code, BPF_REG_7, BPF_REG_0);
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	bpf_store(code, BPF_DW, BPF_REG_7,
		  offsetof(struct trigger_begin, left_ns), BPF_REG_0);
	bpf_finish(code, 0);
}

void trigger_program_sleep_waking(struct bpf_code *code,
				  const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_argument(code, 0);
	end_sleep(code, maps);
	bpf_finish(code, 0);
}

void trigger_program_wait_switch(struct bpf_code *code,
				 const struct trigger_maps *maps)
{
	size_t preempted;
	size_t sleeps;

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_argument(code, PREV);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREEMPT * 8);
	preempted = bpf_jump_if(code, BPF_JNE, BPF_REG_1, 0);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREV_STATE * 8);
	sleeps = bpf_jump_if(code, BPF_JNE, BPF_REG_1, 0);
	bpf_land(code, preempted);
	program_note_begin(code, maps->begins, -1);
	bpf_leave(code);
	bpf_land(code, sleeps);
	program_forget_key(code, maps->begins);
	bpf_finish(code, 0);
}

void trigger_program_wait_waking(struct bpf_code *code,
				 const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_argument(code, 0);
	program_note_begin(code, maps->begins, -1);
	bpf_finish(code, 0);
}

/* sched_process_fork(parent, child): the parent is the current task. */
void trigger_program_fork(struct bpf_code *code,
			  const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_argument(code, 0);
	bpf_call(code, BPF_FUNC_get_current_pid_tgid);
	program_leave_others(code, maps);
	program_key_of_argument(code, 1);
	program_note_begin(code, maps->members, -1);
	bpf_finish(code, 0);
}

void trigger_program_forget(struct bpf_code *code, int map)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_argument(code, 0);
	program_forget_key(code, map);
	bpf_finish(code, 0);
}
