/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_TRIGGER_PROGRAM_H
#define KT_COLLECTOR_TRIGGER_TRIGGER_PROGRAM_H

#include "collector/trigger/bpf_program.h"

#include <stdbool.h>
#include <stdint.h>

/* The BPF programs that decide in the kernel whether a trigger hits.
 *
 *	start of a call, a sleep or a wait ─► the map begins, by task
 *	its end ─► trigger_program_hit(): longer than the limit? ─► a record through
 *	           the map hits, and 1, which makes the probe's perf event overflow
 *
 * A task is identified by its task_struct's address, which requires no
 * knowledge of the struct's fields. Programs are made here (bpf_program.h), not
 * compiled: each function appends the instructions of one program to @code, and
 * is called once per program. Registers are used as the comments in
 * trigger_program.c state. trigger_set.h loads the programs and attaches them.
 */

/* The state of a task's call or wait: a value of the map `begins`, whose keys
 * are tasks.
 */
struct trigger_begin {
	uint64_t begin_ns;   /* CLOCK_MONOTONIC, as all times here */
	uint64_t stack;	     /* the stack pointer at the start */
	uint64_t longest_ns; /* the longest sleep since the start */
	uint64_t left_ns;    /* start of the current sleep; 0: it is awake */
};

/* The content of a hit's record. */
struct trigger_report {
	uint64_t latency_ns; /* the measured latency; 0: none */
	uint64_t length_ns;  /* from the start to the hit */
};

/* The maps; -1: not created. */
struct trigger_maps {
	int begins;
	int hits;    /* CPU to the event that receives struct trigger_report */
	int seeds;   /* the processes whose hits count, uint32_t, ... */
	int members; /* ... and their child tasks; none: all count */
};

/* The condition for a hit. */
enum trigger_test {
	TEST_CALL,     /* the call took longer than the limit */
	TEST_SLEEP,    /* a sleep inside the call took longer */
	TEST_WAIT,     /* a wait took longer */
	TEST_NOTHING,  /* always true */
	TEST_ARGUMENT, /* the function's first argument is not 0 */
	TEST_SIGNAL,   /* a raw tracepoint's first argument is in a set */
};

struct trigger_condition {
	enum trigger_test test;
	uint64_t limit_ns;
	uint64_t signals; /* bit N: signal N */
};

/* Appends the program for a probe at the start of a call: it records the call.
 */
void trigger_program_begin(struct bpf_code *code,
			   const struct trigger_maps *maps);

/* Appends the program for a probe, or TEST_SIGNAL's tracepoint. If the
 * condition holds, it reports a hit and returns 1, so that the probe's perf
 * event overflows only then.
 */
void trigger_program_hit(struct bpf_code *code, const struct trigger_maps *maps,
			 const struct trigger_condition *condition);

/* Append the programs for the raw tracepoints sched_switch and sched_waking:
 * they measure sleeps.
 */
void trigger_program_sleep_switch(struct bpf_code *code,
				  const struct trigger_maps *maps);

void trigger_program_sleep_waking(struct bpf_code *code,
				  const struct trigger_maps *maps);

/* Append the programs for sched_switch, and for sched_waking and
 * sched_wakeup_new: they record since when a task is runnable.
 */
void trigger_program_wait_switch(struct bpf_code *code,
				 const struct trigger_maps *maps);

void trigger_program_wait_waking(struct bpf_code *code,
				 const struct trigger_maps *maps);

/* Appends the program for sched_process_fork: if the parent's hits count, those
 * of the child count, too.
 */
void trigger_program_fork(struct bpf_code *code,
			  const struct trigger_maps *maps);

/* Appends the program for sched_process_free: it removes the task from @map. */
void trigger_program_forget(struct bpf_code *code, int map);

/* Instruction sequences shared by the triggers' programs. All of them use r0 to
 * r5.
 */

/* Offsets on the stack of each program, below r10. */
enum {
	PROGRAM_KEY = -8, /* a task */
	PROGRAM_VALUE = PROGRAM_KEY - (int)sizeof(struct trigger_begin),
	PROGRAM_REPORT = PROGRAM_VALUE - (int)sizeof(struct trigger_report),
	PROGRAM_PROCESS = PROGRAM_REPORT - 8,
};

/* Emits: PROGRAM_KEY = the current task. */
void program_key_of_current(struct bpf_code *code);

/* Emits: r0 = the address of the value of the key at @position, or 0. */
void program_look_up(struct bpf_code *code, int map, int position);

/* Emits: removes PROGRAM_KEY from @map. */
void program_forget_key(struct bpf_code *code, int map);

/* Emits: sets PROGRAM_VALUE to a start at the current time, and stores it in
 * @map for PROGRAM_KEY. @stack is the register with the stack pointer; if it is
 * negative, the stack pointer is stored as 0.
 */
void program_note_begin(struct bpf_code *code, int map, int stack);

/* @to = the stack pointer at the probe, whose context is in r6 */
void program_load_stack_pointer(struct bpf_code *code, int to);

/* Returns whether calls on this architecture pass the return address in a
 * register.
 */
bool program_has_link_register(void);

/* @to = the register with the return address at the probe, whose context is in
 * r6; 0 if the architecture has none
 */
void program_load_link_register(struct bpf_code *code, int to);

/* Emits: writes @size bytes at PROGRAM_REPORT to the ring of this CPU's event
 * in maps->hits. r6 must have the context.
 */
void program_output(struct bpf_code *code, const struct trigger_maps *maps,
		    size_t size);

/* Emits: exit, unless hits of the current task count. r0 must have the
 * bpf_current_task(), PROGRAM_KEY the task.
 */
void program_leave_others(struct bpf_code *code,
			  const struct trigger_maps *maps);

#endif
