/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_LIVES_INTERNAL_H
#define KT_EXPLAIN_LIVES_INTERNAL_H

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The lives of all threads of a recording, as rows in order of time. The
 * critical path (critical_path_internal.h) is made from them.
 *
 *	thread 7   | runs | asleep        | ready | runs   | runs |
 *	thread 9          | runs          | runs           |
 *	                                  ^ 9 wakes 7
 *
 * Invariants:
 * 1. The rows of a thread are in order of time and do not overlap. Between two
 *    of them is a hole only if the thread ended and its id was used again.
 * 2. A row of a running thread ends where the thread wakes or creates another
 *    one, so that a path that enters the thread there starts at the end of a
 *    row.
 * 3. The parts of a row of a running thread add up to its length.
 *
 * Memory: a row of 32 bytes for each time that a thread leaves a CPU, waits,
 * wakes or creates another thread; in each row of a running thread one part of
 * 16 bytes for each function or system call that had time in it; 48 bytes for a
 * sleep and 16 for a switch of a CPU. It does not grow with the number of
 * calls.
 */

#define LIFE_NONE UINT32_MAX

enum life_kind {
	LIFE_RUNS,
	LIFE_READY,	/* could run and had no CPU */
	LIFE_THROTTLED, /* had no CPU because of its cgroup's quota */
	LIFE_RECORDER,	/* had no CPU because the recorder had it */
	LIFE_SLEEPS,
	LIFE_UNKNOWN, /* not in the trace */
};

/* The work of a running thread. */
enum work_kind {
	WORK_USER,	/* in user space: the function, if it is known */
	WORK_CALL,	/* in a system call: its number in lives.calls */
	WORK_FAULT,	/* in a page fault: its entry */
	WORK_INTERRUPT, /* interrupted: the interrupt's entry */
	/* elsewhere in the kernel, such as a kernel thread or a breakpoint: the
	 * function that names the work (do_coredump, asm_exc_int3), if one is
	 * known
	 */
	WORK_KERNEL,
	WORK_TRACER, /* in functions of the tracer */
	WORK_GUEST,  /* in a virtual machine */
	WORK_KINDS,
};

struct life_part {
	uint32_t kind : 4;   /* enum work_kind */
	uint32_t count : 28; /* WORK_FAULT: number of faults that began */
	uint32_t function;   /* FUNCTION_NONE: unknown */
	uint64_t ns;
};

/* A system call, with the file that it was about. */
struct life_call {
	uint32_t function; /* function that implements it */
	uint32_t file;	   /* its number in lives.files + 1; 0: unknown */
};

struct life_row {
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t first_part; /* LIFE_RUNS: index in lives.parts */
	uint32_t part_count;
	/* LIFE_READY: its CPU; LIFE_SLEEPS: index in lives.sleeps */
	uint32_t detail;
	uint8_t kind;	/* enum life_kind */
	uint8_t reason; /* LIFE_UNKNOWN: enum unknown_reason */
};

/* How a sleep ended. */
enum life_wake {
	/* the wake-up was not recorded, or the sleep did not end */
	WAKE_UNKNOWN,
	WAKE_BY_THREAD,
	WAKE_BY_INTERRUPT,
};

/* The meaning of a futex, by the program's functions that wait for it. */
enum life_futex {
	FUTEX_UNKNOWN,
	FUTEX_LOCK,
	FUTEX_SIGNAL, /* a condition variable, the end of a thread */
};

struct life_sleep {
	uint32_t wake;	/* enum life_wake */
	uint32_t waker; /* WAKE_BY_THREAD: a thread; else LIFE_NONE */
	/* wake_function: the function that decided to wake; interrupt: the
	 * handler of the interrupt around it. FUNCTION_NONE: unknown or none.
	 */
	uint32_t wake_function;
	uint32_t interrupt;
	uint32_t call; /* system call that slept, as in WORK_CALL */
	/* system call, as in WORK_CALL, shortly before this sleep, that failed
	 * because something that it needed was in use: a program that polls
	 * sleeps before it tries again. FUNCTION_NONE: none
	 */
	uint32_t refused;
	/* outside system calls: entry of the fault, or else the function as in
	 * WORK_KERNEL
	 */
	uint32_t inside;
	uint32_t label; /* the function that decided to sleep */
	uint32_t inner; /* the function that label called in order to sleep */
	/* the innermost function of the program, not of a library, in the
	 * user's stack, and the offset of its call; 0: unknown
	 */
	uint32_t user;
	uint32_t user_offset;
	uint8_t futex; /* enum life_futex */
	bool is_io;    /* it waited for a device in io_schedule() */
	bool is_exit;  /* the waker was exiting */
	bool is_guessed; /* the kernel's functions around the wake-up are unknown */
};

/* The creation of a thread. */
struct life_birth {
	uint64_t time_ns;
	uint32_t parent; /* LIFE_NONE: unknown */
};

/* The calls epoll_wait(), poll() and select() of a thread, and the longest time
 * from the end of one of them to the start of the next.
 */
struct life_loop {
	uint32_t returns; /* number of such calls that ended */
	uint32_t call;	  /* the last call, as in WORK_CALL */
	uint64_t last_ns; /* end of the last call */
	uint64_t held_begin_ns;
	uint64_t held_end_ns;
};

struct life {
	int32_t tid;
	int32_t pid;
	/* kernel priority at its last wake-up: the lower, the sooner it runs;
	 * below 100: real-time; -1: unknown
	 */
	int32_t priority;
	struct array rows;   /* struct life_row, in order of time */
	struct array births; /* struct life_birth, in order of time */
	struct life_loop loop;
	uint64_t exec_ns; /* time of its first exec; 0: none */
	bool has_exited;  /* it has exited since its last creation */
};

/* From time_ns on, the thread had the CPU. */
struct life_switch {
	uint64_t time_ns;
	uint32_t thread; /* LIFE_NONE: unknown */
	bool is_idle;
};

struct allowed_cpus;
struct string_pool;

struct lives {
	struct array threads; /* struct life, by task_time_thread() */
	struct array parts;   /* struct life_part */
	struct array sleeps;  /* struct life_sleep */
	struct array cpus;    /* struct array of struct life_switch, by CPU */
	struct keyed_array calls;	    /* struct life_call */
	struct string_pool *files;	    /* NULL: none */
	const struct allowed_cpus *allowed; /* borrowed; NULL: unknown */
};

#define LIVES_NONE \
	((struct lives){ \
		.threads = ARRAY_OF(struct life), \
		.parts = ARRAY_OF(struct life_part), \
		.sleeps = ARRAY_OF(struct life_sleep), \
		.cpus = ARRAY_OF(struct array), \
		.calls = KEYED_ARRAY_OF(struct life_call, file), \
	})

void lives_free(struct lives *lives);

/* Returns thread @thread, adding it if it is new, valid until the next is
 * added; NULL for LIFE_NONE, and when out of memory.
 */
struct life *lives_reach(struct lives *lives, uint32_t thread);

/* Sets the priority of @thread, if memory suffices. */
void lives_set_priority(struct lives *lives, uint32_t thread, int64_t priority);

/* Sets the time of the last birth of @thread to @time_ns, when its creator made it
 * runnable.
 */
void lives_start(struct lives *lives, uint32_t thread, uint64_t time_ns);

/* Returns the number of a system call by its function and its file's name,
 * which may be NULL; LIFE_NONE when out of memory.
 */
uint32_t lives_add_call(struct lives *lives, uint32_t function,
			const char *file);

/* Return the function of a system call by its number, or FUNCTION_NONE; its
 * file, or NULL.
 */
uint32_t lives_call_function(const struct lives *lives, uint32_t call);
const char *lives_call_file(const struct lives *lives, uint32_t call);

/* Returns thread @thread, or NULL. */
const struct life *lives_at(const struct lives *lives, uint32_t thread);

/* Returns the last row of @life that begins before @time_ns, or NULL. */
const struct life_row *life_before(const struct life *life, uint64_t time_ns);

/* Returns the last creation of @life up to @time_ns, or NULL. */
const struct life_birth *life_birth_by(const struct life *life,
				       uint64_t time_ns);

/* Returns the sleep of @row, a LIFE_SLEEPS, or NULL. */
const struct life_sleep *lives_sleep(const struct lives *lives,
				     const struct life_row *row);

/* Appends a switch of @cpu; ignores CPUs that no kernel has. Returns 0 or
 * -ERROR_MEMORY.
 */
int lives_switch(struct lives *lives, uint32_t cpu,
		 const struct life_switch *change);

/* Returns the switches of @cpu, or NULL, and sets *@first to the index of the
 * switch in effect at @time_ns: the last one up to then, or 0.
 */
const struct array *lives_switches(const struct lives *lives, uint32_t cpu,
				   uint64_t time_ns, size_t *first);

/* Appends to @parts (struct time_window) when CPUs were idle in @window, on none
 * of which @thread was allowed to run. Returns 0 or -ERROR_MEMORY.
 */
int lives_forbidden(const struct lives *lives, uint32_t thread,
		    struct time_window window, struct array *parts);

/* Applies a call of the event loop of @thread, from @begin_ns to @end_ns, if
 * memory suffices; @call: as in WORK_CALL.
 */
void lives_loop_returns(struct lives *lives, uint32_t thread, uint32_t call,
			uint64_t begin_ns, uint64_t end_ns);

#endif
