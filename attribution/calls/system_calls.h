/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_CALLS_SYSTEM_CALLS_H
#define KT_ATTRIBUTION_CALLS_SYSTEM_CALLS_H

/* The system calls of all tasks.
 *
 * Call events (struct call_step, "steps") show when a call starts and ends, and
 * the functions in it; sys_enter and sys_exit give its number, arguments and
 * result; spans give the time in it by class. The caller (task_tracker.c)
 * passes all three and reads the call with system_calls_of() when a step or
 * event has ended it.
 *
 *   no call --CALL_BEGAN--> open --CALL_ENDED--> no call
 *                            |                      ^
 *                            +--> awaits sys_exit --+
 *                                 (results_are_behind)
 *
 * Invariants:
 * 1. A task has at most one open call.
 * 2. The sum of class_ns is the duration of the call.
 * 3. A call whose start, end or middle is missing is CALL_CUT; has_number,
 *    has_enter and has_exit show which facts were recorded.
 *
 * Functions return -ERROR_MEMORY; nothing else fails.
 */

#include "attribution/events/known_events.h"
#include "attribution/time/time_span.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct call_entries;
struct call_items;
struct context_kinds;
struct function_table;
struct open_context;
struct pack;
struct skip_limits;

/* How a system call ended, as far as the recording shows. */
enum system_call_end {
	CALL_RETURNED,
	CALL_NO_RETURN, /* the task ended in it, by exit() or by a signal */
	CALL_CUT,	/* its start, its end or a part of it is missing */
	CALL_ENDS,
};

/* The mechanism that answered a call before its implementing function ran,
 * derived from the functions entered during the call.
 */
enum call_refusal {
	CALL_NOT_REFUSED,
	CALL_BY_SECCOMP,
	CALL_BY_PTRACE,
};

/* One system call of one task. */
struct system_call {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t end_ns;
	/* depth of its entry function in the task's call stack */
	uint32_t depth;
	/* implementing function, such as __x64_sys_read; FUNCTION_UNKNOWN if
	 * none was entered and the number implies none
	 */
	uint32_t function;
	uint8_t end;	 /* enum system_call_end */
	uint8_t refusal; /* enum call_refusal */
	bool is_compat;	 /* made through a 32-bit entry */
	bool has_number;
	bool has_enter; /* number and arguments were recorded */
	bool has_exit;	/* result was recorded */
	/* valid if has_number: from sys_enter, else from sys_exit */
	int64_t number;
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	int64_t result;
	/* data that the arguments refer to (call_items.h), valid as long as the
	 * call; NULL: not recorded
	 */
	const struct call_items *items;
	/* the sum is the duration of the call */
	uint64_t class_ns[TIME_CLASSES];
	/* number of page faults during the call */
	uint64_t faults;
	uint64_t fault_ns; /* wall time of the page faults */
};

/* Writes @call, or reads it into the zeroed @call, whose task is then @task.
 * Not written: depth, refusal, items, is_compat, has_number, and the number
 * unless it is from sys_enter. @functions: number of functions.
 */
void system_call_pack(struct pack *pack, struct system_call *call,
		      struct task *task, uint32_t functions);

/* Returns the name of the system call that @function implements, as in manual
 * pages: "read", and "fstat" of __x64_sys_newfstat; "?" if it implements none.
 */
const char *system_call_name(const struct function_table *functions,
			     const struct arch *arch, uint32_t function);

/* Writes the name of @call to @text of @size bytes and returns @text. The name
 * is that of its number in manual pages (fstat, whose function is newfstat). If
 * the number is not known, the name is derived from the function. It is
 * "syscall_5000" for a number that no table contains, and "?" if number and
 * function are unknown.
 */
const char *system_call_text(const struct system_call *call,
			     const struct function_table *functions,
			     const struct arch *arch, char *text, size_t size);

/* Returns "seccomp", "ptrace" or NULL. */
const char *system_call_refusal_text(uint8_t refusal);

/* Returns how a call ended: "returned", "no_return" or "cut". */
const char *system_call_end_text(uint8_t end);

/* Returns the part of @class_ns in which the task was on a CPU, without
 * interrupts.
 */
uint64_t system_call_on_cpu(const uint64_t class_ns[TIME_CLASSES]);

/* Returns whether @result is an error that user space receives. */
bool system_call_is_error(int64_t result);

/* Returns whether @result makes the kernel restart the call (ERESTARTSYS and
 * similar codes).
 */
bool system_call_is_restart(int64_t result);

/* Tracks the system calls of all tasks. */
struct system_calls;

/* Creates a tracker, which borrows all arguments. Set @results_are_behind if
 * the trace contains only chosen calls: the sys_exit of a call then follows the
 * end of the call in the trace, and the call has ended only when sys_exit has
 * arrived or system_calls_give_up() was called. Returns NULL when out of
 * memory.
 */
struct system_calls *system_calls_new(const struct function_table *functions,
				      const struct arch *arch,
				      const struct context_kinds *kinds,
				      const struct call_entries *entries,
				      bool results_are_behind);
void system_calls_free(struct system_calls *calls);

/* Removes all calls, and keeps the memory of the table. */
void system_calls_clear(struct system_calls *calls);

/* The effect of a step or event on the task's system call. */
enum system_call_change {
	CALL_NOTHING,
	CALL_BEGAN,
	/* read the call now: the next step or event may overwrite it */
	CALL_ENDED,
};

/* Updates the page faults of the open call of @step->task. @open: the task's
 * @count kernel contexts after @step. Must be called for each step that starts
 * or ends a context, before system_calls_step().
 */
void system_calls_contexts(struct system_calls *calls,
			   const struct call_step *step,
			   const struct open_context *open, size_t count);

/* Applies a step. The task's spans up to @step must have been passed to
 * system_calls_span() before.
 *
 * Returns an enum system_call_change of step->task, or -ERROR_MEMORY.
 */
int system_calls_step(struct system_calls *calls, const struct call_step *step);

/* Implement needs(), limit() and skip() of struct event_handler, for task
 * @index.
 */
uint8_t system_calls_needs(const struct system_calls *calls, uint32_t function);
void system_calls_limit(const struct system_calls *calls, uint32_t index,
			struct skip_limits *limits);
void system_calls_skip(struct system_calls *calls, uint32_t index);

/* Applies sys_enter, sys_exit, or the data of record --syscall-data. The call
 * entries must have consumed a sys_enter before. @task: the task of the event.
 * Returns CALL_NOTHING, CALL_ENDED or -ERROR_MEMORY.
 */
int system_calls_event(struct system_calls *calls, const struct task *task,
		       const struct event_record *event);

/* Stops waiting for the result of the last call of task @index. Returns
 * CALL_ENDED if the tracker was waiting for it.
 */
int system_calls_give_up(struct system_calls *calls, uint32_t index);

/* Returns a number that is above the indexes of all tasks with a step or event.
 */
uint32_t system_calls_tasks(const struct system_calls *calls);

/* Marks @task as exiting: its open call ends when it leaves its CPU next. */
void system_calls_exit(struct system_calls *calls, const struct task *task);

/* Adds an interval of a task's time to its open call. */
void system_calls_span(struct system_calls *calls,
		       const struct time_span *span);

/* Returns the open call of task @index or, right after CALL_ENDED, the call
 * that ended. NULL if there is none.
 */
const struct system_call *system_calls_of(const struct system_calls *calls,
					  uint32_t index);

#endif
