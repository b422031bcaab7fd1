/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SYSTEM_CALL_H
#define KT_ATTRIBUTION_SYSTEM_CALL_H

#include "attribution/events/known_events.h"
#include "attribution/time/time_span.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch;
struct call_entry;
struct function_table;

/* How a system call came to an end, as far as the recording tells. */
enum system_call_end {
	CALL_RETURNED,
	CALL_NO_RETURN, /* the task ended in it: exit, exit_group, execve */
	CALL_CUT,	/* its begin, its end or a part of it is missing */
	CALL_ENDS,
};

/* Who answered a call before the function that implements it, as the functions
 * entered in it show.
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
	uint32_t depth;	   /* of its entry in the task's call stack */
	uint32_t function; /* that implements it, as __x64_sys_read;
				 * FUNCTION_UNKNOWN if none was entered and
				 * none has the number */
	uint8_t end;	   /* enum system_call_end */
	uint8_t refusal;   /* enum call_refusal */
	bool is_compat;	   /* made through a 32-bit entry */
	bool has_number;
	bool has_enter; /* number and arguments were recorded */
	bool has_exit;	/* result was recorded */
	int64_t number; /* of sys_enter, else of sys_exit */
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	int64_t result;
	uint64_t class_ns[TIME_CLASSES]; /* they add up to its time */
	uint64_t faults;		 /* page faults in it */
	uint64_t fault_ns;		 /* wall time of these */
};

/* Sets what sys_enter told, @entry, of which there may be none, and what the event
 * sys_exit does.
 */
void system_call_take_entry(struct system_call *call,
			    const struct call_entry *entry);
void system_call_take_exit(struct system_call *call,
			   const struct event_record *event);

/* Returns the name of the system call that @function implements, as "read";
 * "?" if it is none.
 */
const char *system_call_name(const struct function_table *functions,
			     const struct arch *arch, uint32_t function);

/* Finds which function implements @call by its number, if none was entered.  It
 * stays unknown if the kernel has none of that name.
 */
void system_call_find_function(struct system_call *call,
			       const struct function_table *functions,
			       const struct arch *arch);

/* Writes the name of @call to @text of @size bytes, and returns it: that of its
 * function, else that of its number, "syscall_5000" where no table has that; "?"
 * if neither is known.
 */
const char *system_call_text(const struct system_call *call,
			     const struct function_table *functions,
			     const struct arch *arch, char *text, size_t size);

/* Returns "seccomp", "ptrace" or NULL. */
const char *system_call_refusal_text(uint8_t refusal);

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
