/* SPDX-License-Identifier: MIT */
#include "collector/trigger/trigger_program.h"
#include "collector/trigger/bpf_code.h"

#include <asm/ptrace.h>
#include <stddef.h>

/* The stack of each program, below r10. */
enum {
	KEY = -8, /* a task */
	VALUE = KEY - (int)sizeof(struct trigger_begin),
	REPORT = VALUE - (int)sizeof(struct trigger_report),
	PROCESS = REPORT - 8,
};

/* Registers in struct pt_regs, the context of a probe's program: the stack
 * pointer and a function's first argument.
 */
#ifdef __x86_64__
enum {
	STACK_POINTER = offsetof(struct pt_regs, rsp),
	FIRST_ARGUMENT = offsetof(struct pt_regs, rdi),
};
#else
enum {
	STACK_POINTER = offsetof(struct user_pt_regs, sp),
	FIRST_ARGUMENT = offsetof(struct user_pt_regs, regs),
};
#endif

static int field(size_t offset)
{
	return VALUE + (int)offset;
}

static void key_of_current(struct bpf_code *code)
{
	bpf_call(code, BPF_FUNC_get_current_task);
	bpf_store(code, BPF_DW, BPF_REG_10, KEY, BPF_REG_0);
}

/* Argument @index of a raw tracepoint, whose context is in r6. */
static void key_of_argument(struct bpf_code *code, int index)
{
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, index * 8);
	bpf_store(code, BPF_DW, BPF_REG_10, KEY, BPF_REG_1);
}

static void point_at(struct bpf_code *code, int to, int place)
{
	bpf_move(code, to, BPF_REG_10);
	bpf_compute_number(code, BPF_ADD, to, place);
}

/* r0 = where the value of the key at @place is, or 0 */
static void look_up(struct bpf_code *code, int map, int place)
{
	bpf_move_map(code, BPF_REG_1, map);
	point_at(code, BPF_REG_2, place);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
}

static void forget_key(struct bpf_code *code, int map)
{
	bpf_move_map(code, BPF_REG_1, map);
	point_at(code, BPF_REG_2, KEY);
	bpf_call(code, BPF_FUNC_map_delete_elem);
}

/* Makes VALUE begin now, with the stack pointer @stack, or 0 if that is < 0, and
 * puts it at KEY.
 */
static void note_begin(struct bpf_code *code, int map, int stack)
{
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	for (int place = VALUE; place < KEY; place += 8)
		bpf_store_number(code, BPF_DW, BPF_REG_10, place, 0);
	bpf_store(code, BPF_DW, BPF_REG_10,
		  field(offsetof(struct trigger_begin, begin_ns)), BPF_REG_0);
	if (stack >= 0)
		bpf_store(code, BPF_DW, BPF_REG_10,
			  field(offsetof(struct trigger_begin, stack)), stack);
	bpf_move_map(code, BPF_REG_1, map);
	point_at(code, BPF_REG_2, KEY);
	point_at(code, BPF_REG_3, VALUE);
	bpf_move_number(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
}

/* A call that began further up on the stack still runs: this one is inside of
 * it, and its time is that one's.  What was noted further down, or at the same
 * place, is of a call whose return no probe saw.
 */
void trigger_program_begin(struct bpf_code *code,
			   const struct trigger_maps *maps)
{
	size_t fresh;

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	key_of_current(code);
	bpf_load(code, BPF_DW, BPF_REG_7, BPF_REG_6, STACK_POINTER);
	look_up(code, maps->begins, KEY);
	fresh = bpf_jump_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_0,
		 offsetof(struct trigger_begin, stack));
	bpf_leave_if_register(code, BPF_JGT, BPF_REG_1, BPF_REG_7);
	bpf_land(code, fresh);
	note_begin(code, maps->begins, BPF_REG_7);
	bpf_finish(code, 0);
}

/* Leaves unless the current task, whose process and thread are in r0, counts;
 * its key is at KEY.
 */
static void leave_others(struct bpf_code *code, const struct trigger_maps *maps)
{
	size_t counts;

	if (maps->seeds < 0)
		return;
	bpf_compute_number(code, BPF_RSH, BPF_REG_0, 32);
	bpf_store(code, BPF_W, BPF_REG_10, PROCESS, BPF_REG_0);
	look_up(code, maps->seeds, PROCESS);
	counts = bpf_jump_if(code, BPF_JNE, BPF_REG_0, 0);
	if (maps->members >= 0)
		look_up(code, maps->members, KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	bpf_land(code, counts);
}

/* Reports r8, what was measured, and r9, since the begin. */
static void report(struct bpf_code *code, const struct trigger_maps *maps)
{
	bpf_store(code, BPF_DW, BPF_REG_10,
		  REPORT + (int)offsetof(struct trigger_report, latency_ns),
		  BPF_REG_8);
	bpf_store(code, BPF_DW, BPF_REG_10,
		  REPORT + (int)offsetof(struct trigger_report, length_ns),
		  BPF_REG_9);
	bpf_move(code, BPF_REG_1, BPF_REG_6);
	bpf_move_map(code, BPF_REG_2, maps->hits);
	bpf_move_wide(code, BPF_REG_3, BPF_F_CURRENT_CPU);
	point_at(code, BPF_REG_4, REPORT);
	bpf_move_number(code, BPF_REG_5, sizeof(struct trigger_report));
	bpf_call(code, BPF_FUNC_perf_event_output);
}

/* Leaves unless the current task's call or wait was noted and took longer; r8
 * and r9 as for report().
 */
static void measure(struct bpf_code *code, const struct trigger_maps *maps,
		    const struct trigger_condition *condition)
{
	look_up(code, maps->begins, KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	if (condition->test != TEST_WAIT) {
		/* A call inside of the one that was noted returns. */
		bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, STACK_POINTER);
		bpf_load(code, BPF_DW, BPF_REG_2, BPF_REG_0,
			 offsetof(struct trigger_begin, stack));
		bpf_leave_if_register(code, BPF_JLT, BPF_REG_1, BPF_REG_2);
	}
	bpf_load(code, BPF_DW, BPF_REG_9, BPF_REG_0,
		 offsetof(struct trigger_begin, begin_ns));
	bpf_load(code, BPF_DW, BPF_REG_8, BPF_REG_0,
		 offsetof(struct trigger_begin, longest_ns));
	forget_key(code, maps->begins);
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	bpf_compute(code, BPF_SUB, BPF_REG_0, BPF_REG_9);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	if (condition->test != TEST_SLEEP)
		bpf_move(code, BPF_REG_8, BPF_REG_9);
	bpf_move_wide(code, BPF_REG_1, condition->limit_ns);
	bpf_leave_if_register(code, BPF_JLE, BPF_REG_8, BPF_REG_1);
}

/* Leaves unless the first argument is as it is to be. */
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
	key_of_current(code);
	if (maps->begins >= 0)
		measure(code, maps, condition);
	else
		look_at_argument(code, condition);
	bpf_call(code, BPF_FUNC_get_current_pid_tgid);
	/* An idle CPU is not somebody who waits for it. */
	if (condition->test == TEST_WAIT)
		bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	leave_others(code, maps);
	report(code, maps);
	bpf_finish(code, 1);
}

/* Ends the sleep of the task at KEY, if it is in one that was noted. */
static void end_sleep(struct bpf_code *code, const struct trigger_maps *maps)
{
	const int left = offsetof(struct trigger_begin, left_ns);
	const int longest = offsetof(struct trigger_begin, longest_ns);
	size_t none;
	size_t awake;
	size_t shorter;

	look_up(code, maps->begins, KEY);
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

/* sched_switch(preempt, prev, next, prev_state): include/trace/events/sched.h,
 * as it is since Linux 5.19.
 */
enum { PREEMPT, PREV, NEXT, PREV_STATE };

/* Who is woken before it has left its CPU has its wake-up before its sleep. */
void trigger_program_sleep_switch(struct bpf_code *code,
				  const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	key_of_argument(code, NEXT);
	end_sleep(code, maps);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREEMPT * 8);
	bpf_leave_if(code, BPF_JNE, BPF_REG_1, 0);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREV_STATE * 8);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_1, 0);
	key_of_argument(code, PREV);
	look_up(code, maps->begins, KEY);
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
	key_of_argument(code, 0);
	end_sleep(code, maps);
	bpf_finish(code, 0);
}

void trigger_program_wait_switch(struct bpf_code *code,
				 const struct trigger_maps *maps)
{
	size_t preempted;
	size_t sleeps;

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	key_of_argument(code, PREV);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREEMPT * 8);
	preempted = bpf_jump_if(code, BPF_JNE, BPF_REG_1, 0);
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_6, PREV_STATE * 8);
	sleeps = bpf_jump_if(code, BPF_JNE, BPF_REG_1, 0);
	bpf_land(code, preempted);
	note_begin(code, maps->begins, -1);
	bpf_leave(code);
	bpf_land(code, sleeps);
	forget_key(code, maps->begins);
	bpf_finish(code, 0);
}

void trigger_program_wait_waking(struct bpf_code *code,
				 const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	key_of_argument(code, 0);
	note_begin(code, maps->begins, -1);
	bpf_finish(code, 0);
}

/* sched_process_fork(parent, child): the parent is the one that runs. */
void trigger_program_fork(struct bpf_code *code,
			  const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	key_of_argument(code, 0);
	bpf_call(code, BPF_FUNC_get_current_pid_tgid);
	leave_others(code, maps);
	key_of_argument(code, 1);
	note_begin(code, maps->members, -1);
	bpf_finish(code, 0);
}

void trigger_program_forget(struct bpf_code *code, int map)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	key_of_argument(code, 0);
	forget_key(code, map);
	bpf_finish(code, 0);
}
