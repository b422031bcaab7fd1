/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SYSTEM_CALLS_H
#define KT_ATTRIBUTION_SYSTEM_CALLS_H

#include "attribution/time_span.h"
#include "report/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct event_record;
struct sideband_record;
struct arch;
struct function_table;
struct work_kinds;

enum { SYSTEM_CALL_ARGUMENTS = 6 };

/* How a system call came to an end, as far as the recording tells. */
enum system_call_end {
	CALL_RETURNED,
	CALL_NO_RETURN,	/* the task ended in it: exit, exit_group, execve */
	CALL_CUT,	/* its begin, its end or a part of it is missing */
	CALL_ENDS,
};

/* One system call of one task. */
struct system_call {
	const struct task *task;
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t depth;		/* of its entry in the task's call stack */
	uint32_t function;	/* that implements it, as __x64_sys_read;
				 * FUNCTION_UNKNOWN if none was entered */
	uint8_t end;		/* enum system_call_end */
	bool has_enter;		/* number and arguments were recorded */
	bool has_exit;		/* result was recorded */
	int64_t number;
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	int64_t result;
	uint64_t class_ns[TIME_CLASSES];	/* they add up to its time */
	uint64_t faults;	/* page faults in it */
	uint64_t fault_ns;	/* wall time of these */
};

/* Follows the tasks through their system calls. */
struct system_calls;

/* Borrows all.  Returns NULL when out of memory. */
struct system_calls *system_calls_new(const struct function_table *functions,
				      const struct arch *arch,
				      const struct work_kinds *kinds);
void system_calls_free(struct system_calls *calls);

/* What a step changed. */
enum system_call_change {
	CALL_NOTHING,
	CALL_BEGAN,
	CALL_ENDED,	/* look at it now: the next step may reuse it */
};

/* Applies a step; its task's spans must have been taken up to it.
 *
 * Returns an enum system_call_change of step->task, or -ERROR_MEMORY.
 */
int system_calls_step(struct system_calls *calls,
		      const struct call_step *step);

/* Takes sys_enter and sys_exit, and a record of a task's end; @task is the
 * event's or record's.
 */
void system_calls_event(struct system_calls *calls, const struct task *task,
			const struct event_record *event);
void system_calls_exit(struct system_calls *calls, const struct task *task);

/* Takes a stretch of a task's time. */
void system_calls_span(struct system_calls *calls,
		       const struct time_span *span);

/* Returns the call that task @index is in, or right after CALL_ENDED was in;
 * NULL if it is in none.
 */
const struct system_call *system_calls_of(const struct system_calls *calls,
					  uint32_t index);

/* Returns the name of the system call that @function implements, as "read";
 * "?" if it is none.
 */
const char *system_call_name(const struct function_table *functions,
			     const struct arch *arch, uint32_t function);

/* Returns how a call ended: "returned", "no_return", "cut". */
const char *system_call_end_text(uint8_t end);

/* Returns how much of @class_ns was on a CPU for the call itself: without
 * interrupts.
 */
uint64_t system_call_on_cpu(const uint64_t class_ns[TIME_CLASSES]);

/* Returns whether @result is an error that user space sees. */
bool system_call_is_error(int64_t result);

/* Returns whether @result says that the call is to be made again, by the
 * kernel itself (ERESTARTSYS and its like).
 */
bool system_call_is_restart(int64_t result);

#endif
