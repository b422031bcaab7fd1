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

/* How a system call ended, as far as the recording shows. */
enum system_call_end {
	CALL_RETURNED,
	CALL_NO_RETURN, /* the task ended in it: exit, exit_group, execve */
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
	uint32_t depth; /* of its entry in the task's call stack */
	/* implementation, as __x64_sys_read; FUNCTION_UNKNOWN if none was
	 * entered and the number has none
	 */
	uint32_t function;
	uint8_t end;	 /* enum system_call_end */
	uint8_t refusal; /* enum call_refusal */
	bool is_compat;	 /* made through a 32-bit entry */
	bool has_number;
	bool has_enter; /* number and arguments were recorded */
	bool has_exit;	/* result was recorded */
	int64_t number; /* from sys_enter, else from sys_exit */
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	int64_t result;
	/* the sum is the duration of the call */
	uint64_t class_ns[TIME_CLASSES];
	/* number of page faults during the call */
	uint64_t faults;
	uint64_t fault_ns; /* wall time of the page faults */
};

/* Set the fields of @call that sys_enter (@entry, may be NULL) and the event
 * sys_exit contain.
 */
void system_call_take_entry(struct system_call *call,
			    const struct call_entry *entry);
void system_call_take_exit(struct system_call *call,
			   const struct event_record *event);

/* Returns the name of the system call that @function implements, as "read"; "?"
 * if it implements none.
 */
const char *system_call_name(const struct function_table *functions,
			     const struct arch *arch, uint32_t function);

/* Looks up the implementing function of @call by its number, if none was
 * entered. It stays FUNCTION_UNKNOWN if the kernel has no function of that
 * name.
 */
void system_call_find_function(struct system_call *call,
			       const struct function_table *functions,
			       const struct arch *arch);

/* Writes the name of @call to @text of @size bytes and returns @text. The name
 * is derived from the function, else from the number: "syscall_5000" for a
 * number that no table contains, "?" if both are unknown.
 */
const char *system_call_text(const struct system_call *call,
			     const struct function_table *functions,
			     const struct arch *arch, char *text, size_t size);

/* Returns "seccomp", "ptrace" or NULL. */
const char *system_call_refusal_text(uint8_t refusal);

/* Returns how a call ended: "returned", "no_return" or "cut". */
const char *system_call_end_text(uint8_t end);

/* Returns the part of @class_ns that was on a CPU for the call itself, without
 * interrupts.
 */
uint64_t system_call_on_cpu(const uint64_t class_ns[TIME_CLASSES]);

/* Returns whether @result is an error that user space receives. */
bool system_call_is_error(int64_t result);

/* Returns whether @result makes the kernel restart the call (ERESTARTSYS and
 * similar codes).
 */
bool system_call_is_restart(int64_t result);

#endif
