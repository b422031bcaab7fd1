/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_program.h"

#include <asm/ptrace.h>
#include <stddef.h>

/* Offsets in struct pt_regs, the context of a probe's program. */
#ifdef __x86_64__
enum { STACK_POINTER = offsetof(struct pt_regs, rsp), LINK_REGISTER = -1 };
#else
enum {
	STACK_POINTER = offsetof(struct user_pt_regs, sp),
	LINK_REGISTER = offsetof(struct user_pt_regs, regs[30]),
};
#endif

static int field(size_t offset)
{
	return PROGRAM_VALUE + (int)offset;
}

void program_key_of_current(struct bpf_code *code)
{
	bpf_call(code, BPF_FUNC_get_current_task);
	bpf_store(code, BPF_DW, BPF_REG_10, PROGRAM_KEY, BPF_REG_0);
}

/* Emits: PROGRAM_KEY = argument @index of a raw tracepoint, whose context is in
 * r6.
 */
static void program_key_of_argument(struct bpf_code *code, int index)
{
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, index * 8);
	bpf_store(code, BPF_DW, BPF_REG_10, PROGRAM_KEY, BPF_REG_1);
}

/* Emits: register @to = the address of @position on the stack. */
static void program_point_at(struct bpf_code *code, int to, int position)
{
	bpf_move(code, to, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, to, position);
}

void program_look_up(struct bpf_code *code, int map, int position)
{
	bpf_move_map(code, BPF_REG_1, map);
	program_point_at(code, BPF_REG_2, position);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
}

void program_forget_key(struct bpf_code *code, int map)
{
	bpf_move_map(code, BPF_REG_1, map);
	program_point_at(code, BPF_REG_2, PROGRAM_KEY);
	bpf_call(code, BPF_FUNC_map_delete_elem);
}

void program_note_begin(struct bpf_code *code, int map, int stack)
{
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	for (int position = PROGRAM_VALUE; position < PROGRAM_KEY;
	     position += 8)
		bpf_store_number(code, BPF_DW, BPF_REG_10, position, 0);
	bpf_store(code, BPF_DW, BPF_REG_10,
		  field(offsetof(struct trigger_begin, begin_ns)), BPF_REG_0);
	if (stack >= 0)
		bpf_store(code, BPF_DW, BPF_REG_10,
			  field(offsetof(struct trigger_begin, stack)), stack);
	bpf_move_map(code, BPF_REG_1, map);
	program_point_at(code, BPF_REG_2, PROGRAM_KEY);
	program_point_at(code, BPF_REG_3, PROGRAM_VALUE);
	bpf_move_number(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
}

void program_load_stack_pointer(struct bpf_code *code, int to)
{
	bpf_load(code, BPF_DW, to, BPF_REG_6, STACK_POINTER);
}

bool program_has_link_register(void)
{
	return LINK_REGISTER >= 0;
}

void program_load_link_register(struct bpf_code *code, int to)
{
	if (LINK_REGISTER >= 0)
		bpf_load(code, BPF_DW, to, BPF_REG_6, LINK_REGISTER);
	else
		bpf_move_number(code, to, 0);
}

void program_output(struct bpf_code *code, const struct trigger_maps *maps,
		    size_t size)
{
	bpf_move(code, BPF_REG_1, BPF_REG_6);
	bpf_move_map(code, BPF_REG_2, maps->hits);
	bpf_move_wide(code, BPF_REG_3, BPF_F_CURRENT_CPU);
	program_point_at(code, BPF_REG_4, PROGRAM_REPORT);
	bpf_move_number(code, BPF_REG_5, (int32_t)size);
	bpf_call(code, BPF_FUNC_perf_event_output);
}

void program_leave_others(struct bpf_code *code,
			  const struct trigger_maps *maps)
{
	size_t counts;

	if (maps->seeds < 0)
		return;
	bpf_compute_number(code, BPF_RSH, BPF_REG_0, 32);
	bpf_store(code, BPF_W, BPF_REG_10, PROGRAM_PROCESS, BPF_REG_0);
	program_look_up(code, maps->seeds, PROGRAM_PROCESS);
	counts = bpf_jump_if(code, BPF_JNE, BPF_REG_0, 0);
	if (maps->members >= 0)
		program_look_up(code, maps->members, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_land(code, counts);
}

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

/* Ends the sleep of the next task and starts that of the previous one. A task
 * may be woken before it has left its CPU; its sleep then ends when it runs
 * again.
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
	bpf_current_task(code, PROGRAM_PROCESS);
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

/* Exits unless the current task's call or wait was noted and took longer than
 * the limit; sets r8 and r9 as for report().
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
	bpf_current_task(code, PROGRAM_PROCESS);
	/* The idle task does not wait for a CPU. */
	if (condition->test == TEST_WAIT)
		bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	program_leave_others(code, maps);
	report(code, maps);
	bpf_finish(code, 1);
}
