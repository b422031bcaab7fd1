/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_PROGRAM_H
#define KT_COLLECTOR_TRIGGER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

struct bpf_code;

/* The BPF programs that know in the kernel whether a trigger hits.  A task is
 * its task_struct's address: a number that needs no knowledge of its fields.
 */

/* What is known of a task's call or wait: a value of the map `begins`, whose
 * keys are tasks.
 */
struct trigger_begin {
	uint64_t begin_ns;   /* CLOCK_MONOTONIC, as all here */
	uint64_t stack;	     /* the stack pointer at the begin */
	uint64_t longest_ns; /* of the sleeps since */
	uint64_t left_ns;    /* since when it sleeps; 0: it does not */
};

/* What a hit says in the ring. */
struct trigger_report {
	uint64_t latency_ns; /* what was measured; 0: nothing */
	uint64_t length_ns;  /* from the begin to the hit */
};

/* The maps; -1: there is none. */
struct trigger_maps {
	int begins;
	int hits;    /* CPU to the event that struct trigger_report goes to */
	int seeds;   /* the processes whose hits count, uint32_t, ... */
	int members; /* ... and the tasks that they made; none: all count */
};

/* What a hit takes. */
enum trigger_test {
	TEST_CALL,     /* longer than the limit since the call began */
	TEST_SLEEP,    /* a longer sleep inside of it */
	TEST_WAIT,     /* longer since somebody began to wait */
	TEST_NOTHING,  /* being there */
	TEST_ARGUMENT, /* that the function's first argument is not 0 */
	TEST_SIGNAL,   /* a raw tracepoint's first argument is in a set */
};

struct trigger_condition {
	enum trigger_test test;
	uint64_t limit_ns;
	uint64_t signals; /* bit N: signal N */
};

/* At a probe where a call begins: notes it. */
void trigger_program_begin(struct bpf_code *code,
			   const struct trigger_maps *maps);

/* At a probe, or TEST_SIGNAL's tracepoint: reports a hit and returns 1 if it is
 * one, so that the probe's perf event overflows only then.
 */
void trigger_program_hit(struct bpf_code *code, const struct trigger_maps *maps,
			 const struct trigger_condition *condition);

/* At the raw tracepoints sched_switch and sched_waking: measure sleeps. */
void trigger_program_sleep_switch(struct bpf_code *code,
				  const struct trigger_maps *maps);
void trigger_program_sleep_waking(struct bpf_code *code,
				  const struct trigger_maps *maps);

/* At sched_switch, and at sched_waking and sched_wakeup_new: note since when a
 * task is runnable.
 */
void trigger_program_wait_switch(struct bpf_code *code,
				 const struct trigger_maps *maps);
void trigger_program_wait_waking(struct bpf_code *code,
				 const struct trigger_maps *maps);

/* At sched_process_fork: who is made by a task that counts counts, too. */
void trigger_program_fork(struct bpf_code *code,
			  const struct trigger_maps *maps);

/* At sched_process_free: takes the task out of @map. */
void trigger_program_forget(struct bpf_code *code, int map);

#endif
