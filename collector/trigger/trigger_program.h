/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_PROGRAM_H
#define KT_COLLECTOR_TRIGGER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_code;

/* The BPF programs that decide in the kernel whether a trigger hits. A task is
 * identified by its task_struct's address, which requires no knowledge of the
 * struct's fields.
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

/* At a probe at the start of a call: records the call. */
void trigger_program_begin(struct bpf_code *code,
			   const struct trigger_maps *maps);

/* At a probe, or TEST_SIGNAL's tracepoint: if the condition holds, reports a
 * hit and returns 1, so that the probe's perf event overflows only then.
 */
void trigger_program_hit(struct bpf_code *code, const struct trigger_maps *maps,
			 const struct trigger_condition *condition);

/* At the raw tracepoints sched_switch and sched_waking: measure sleeps. */
void trigger_program_sleep_switch(struct bpf_code *code,
				  const struct trigger_maps *maps);
void trigger_program_sleep_waking(struct bpf_code *code,
				  const struct trigger_maps *maps);

/* At sched_switch, and at sched_waking and sched_wakeup_new: record since when
 * a task is runnable.
 */
void trigger_program_wait_switch(struct bpf_code *code,
				 const struct trigger_maps *maps);
void trigger_program_wait_waking(struct bpf_code *code,
				 const struct trigger_maps *maps);

/* At sched_process_fork: a child of a task that counts counts, too. */
void trigger_program_fork(struct bpf_code *code,
			  const struct trigger_maps *maps);

/* At sched_process_free: removes the task from @map. */
void trigger_program_forget(struct bpf_code *code, int map);

#endif
