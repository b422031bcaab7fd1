/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_CRASHES_TABLE_H
#define KT_TABLES_CALLS_CRASHES_TABLE_H

/* Processes that a signal ended: at which functions, and after which system
 * calls.
 *
 *	call events ─► struct crash_stack: open functions, last calls
 *	                    │ do_group_exit() below a handler of signals
 *	                    ▼
 *	               struct crash ─► a row
 *
 * 1. The stack of a crash is that of the interrupted code, without the kernel's
 *    own functions that handle the crash.
 * 2. No event reports the signal. It is known if the program entered the kernel
 *    by an exception that sent one, if seccomp sent it, or if memory was short:
 *    then the next process that a signal of no known reason ends is the victim
 *    (mm/oom_kill.c). Who sent another signal is known if the thread slept: the
 *    sender's kill() woke it, and it has made no call since.
 * 3. A crash owns its texts, and does not change when it is found.
 *
 * One thread. Errors: -ERROR_MEMORY.
 */

#include "attribution/time/wait_channels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct event_handler;
struct function_table;
struct pack;

/* Both are borrowed. */
struct crash_names {
	const struct function_table *functions;
	const struct arch *arch;
};

enum { CRASH_CALLS = 8 }; /* number of last system calls to report */

enum crash_pipe {
	PIPE_NONE,
	PIPE_SIGNAL,  /* the current system call has sent SIGPIPE */
	PIPE_HANDLER, /* then only calls of a signal handler */
};

/* The open functions of a task, and its last system calls. */
struct crash_stack {
	const struct path_frame *frames; /* borrowed; the current stack */
	size_t count;
	uint32_t calls[CRASH_CALLS]; /* functions, a ring buffer */
	uint64_t call_count;
	int64_t number;	 /* of the last finished call, or -1 */
	bool is_forced;	 /* the kernel has sent a signal since the last call */
	bool is_seccomp; /* seccomp has sent SIGSYS for the current call */
	bool is_number_new; /* recorded after seccomp's SIGSYS */
	enum crash_pipe pipe;
	/* process whose signal woke the task since its last call; 0: none */
	int32_t sender_pid;
};

/* A process ended by a signal; texts are owned. */
struct crash {
	int32_t pid;
	int32_t tid;
	uint64_t time_ns;
	int32_t sender_pid; /* process that sent the signal; 0: unknown */
	char *signal;	    /* if the trace shows it */
	char *stack;	    /* "_start;main;poke": outermost first */
	char *calls;	    /* "openat;read", oldest first */
};

/* Returns whether @function ends a process: do_group_exit(). */
bool crash_names_is_end(const struct crash_names *names, uint32_t function);
void crash_free(struct crash *crash);

/* Writes @crash, or reads it into a zeroed one. The caller must free @crash
 * either way.
 */
void crash_pack(struct pack *pack, struct crash *crash);

/* Applies the end of the system call with @number. */
void crash_stack_exit_call(struct crash_stack *stack, int64_t number);

/* Applies that a thread of process @sender_pid, whose @count open functions are
 * @frames, outermost first, woke the task.
 */
void crash_stack_wake(struct crash_stack *stack,
		      const struct crash_names *names,
		      const struct path_frame *frames, size_t count,
		      int32_t sender_pid);

/* Returns whether the process ended because of SIGPIPE: it wrote to a pipe or
 * socket without a reader, which is usual in pipelines.
 */
bool crash_is_of_pipe(const struct crash *crash);

/* Returns whether a signal that a process sent ended the process, and no fault
 * of its own.
 */
bool crash_is_sent(const struct crash *crash);

/* Applies the entry of @function, the innermost of @stack->frames. */
void crash_stack_enter(struct crash_stack *stack,
		       const struct crash_names *names, uint32_t function);

/* Returns whether the innermost function was called to handle a signal. */
bool crash_stack_is_in_signal(const struct crash_stack *stack,
			      const struct crash_names *names);

/* Returns the crashes that the pass of @table, an open crashes_table, has
 * found, and sets *@count; valid until @table is closed.
 */
const struct crash *crashes_table_found(const struct event_handler *table,
					size_t *count);

/* Returns whether @function chooses a process to kill because memory is short. */
bool crash_names_is_oom(const struct crash_names *names, uint32_t function);

/* Fills in @crash at the call event @step; with @is_oom, the kernel has killed a
 * process because memory was short, and sets *@is_oom to false if it was this
 * one. Returns 0 or -ERROR_MEMORY.
 */
int crash_stack_describe(const struct crash_stack *stack,
			 const struct crash_names *names,
			 const struct call_step *step, bool *is_oom,
			 struct crash *crash);

#endif
