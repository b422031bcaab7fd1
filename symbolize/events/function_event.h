/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_EVENTS_FUNCTION_EVENT_H
#define KT_SYMBOLIZE_EVENTS_FUNCTION_EVENT_H

#include "symbolize/functions/address_map.h"

#include <stdbool.h>
#include <stdint.h>

/* The execution of one CPU, as function calls instead of instructions. Thunks
 * do not appear: they are part of the call, jump or return that goes through
 * them.
 */
enum function_event_kind {
	/* A call of function; address is its return address. */
	FUNCTION_CALL,
	/* A call into the calling function itself that is not a new activation
	 * (return stack stuffing, position-independent code). If detail is 1,
	 * the code has no name, and the call may also be one of another
	 * function.
	 */
	FUNCTION_LOCAL_CALL,
	/* A jump to the start of another function. */
	FUNCTION_TAIL_CALL,
	/* A jump of user code to address, in the middle of another function:
	 * longjmp, exceptions. detail is 1 if the target is unnamed code of
	 * another file, where it may also be the start of a function.
	 */
	FUNCTION_FAR_JUMP,
	/* A return to address, in function; detail is 1 if address is an entry
	 * of function, as when a new task starts.
	 */
	FUNCTION_RETURN,
	/* An interrupt, an exception or a system call. detail is an enum
	 * function_exception; address is its return address, 0 if unknown.
	 */
	FUNCTION_EXCEPTION,
	/* An exception without a handler of its own: execution continues in the
	 * middle of the function that it interrupted.
	 */
	FUNCTION_LOCAL_EXCEPTION,
	/* The calls inlined into function that are open from now on: address
	 * contains the innermost of them, and those that begin here
	 * (function_event_site()). All other calls inlined into function have
	 * ended.
	 */
	FUNCTION_INLINED,
	/* A return from an exception; fields as for FUNCTION_RETURN. Not
	 * emitted if it leads to the instruction right after the returning one,
	 * as in the kernel's sync_core().
	 */
	FUNCTION_EXCEPTION_RETURN,
	/* Tracing starts at address, in function. detail is:
	 *
	 * - 0 after a gap;
	 * - 1 if address is an entry of function, as from user space;
	 * - 2 if FUNCTION_OPEN events for the open functions follow;
	 * - FUNCTION_START_AFTER_GUEST if a virtual machine ran: the function
	 *   that entered it continues, even if the address has another name.
	 */
	FUNCTION_TRACE_START,
	/* Function is open, at index detail of the call stack; the outermost
	 * function has index 0. address is its return address, 0 if unknown. If
	 * another function was open at that index, it has ended untraced.
	 */
	FUNCTION_OPEN,
	/* Like FUNCTION_OPEN, for a function that an exception entered. */
	FUNCTION_OPEN_EXCEPTION,
	/* Ends FUNCTION_OPEN events: exactly detail functions are open. */
	FUNCTION_OPEN_END,
	/* Tracing stops; detail is an enum flow_stop. If it is FLOW_STOP_GUEST,
	 * address is the ip of that flow item; else 0.
	 */
	FUNCTION_TRACE_STOP,
	/* Untraced execution; detail is an enum flow_gap_reason, address the
	 * position in the stream's bytes, lost_bytes the number of bytes of
	 * trace that were lost (0: unknown).
	 */
	FUNCTION_GAP,
	/* The task replaces its program (exec): its next return to user space
	 * starts the new one.
	 */
	FUNCTION_NEW_PROGRAM,
	/* Another task runs on this CPU from here on: address contains its tid
	 * and pid, see function_event_tid(); detail is 1 if the previous task
	 * was still runnable (preempted).
	 */
	FUNCTION_SWITCH,
	/* The kernel enabled or disabled interrupts: detail is an enum
	 * instruction_interrupts (execution/instruction/instruction.h). Only in
	 * streams opened with_interrupts (struct flow_input).
	 */
	FUNCTION_INTERRUPTS,
	/* The stream ended. */
	FUNCTION_END,
};

enum { FUNCTION_START_AFTER_GUEST = 3 };

enum function_exception {
	FUNCTION_EXCEPTION_INTERRUPT,	/* an interrupt or exception */
	FUNCTION_EXCEPTION_SYSTEM_CALL, /* by an instruction of user code */
};

/* One event. Times are as in struct flow_item: time_ns never decreases, and the
 * true time lies within [time_ns - early_ns, time_ns + late_ns].
 */
struct function_event {
	uint64_t time_ns;
	uint32_t early_ns;
	uint32_t late_ns;
	uint64_t address;
	union {
		uint32_t function; /* see function_table.h */
		uint32_t lost_bytes;
	};
	uint8_t kind; /* enum function_event_kind */
	uint8_t detail;
	uint8_t is_user; /* the target is user code */
};

/* Returns whether @event only changes the call stack. */
static inline bool function_event_is_call(const struct function_event *event)
{
	return event->kind <= FUNCTION_EXCEPTION_RETURN;
}

/* Returns the number of the innermost inlined call (function_table.h) of
 * @event, a FUNCTION_INLINED; 0: none.
 */
static inline uint32_t function_event_site(const struct function_event *event)
{
	return (uint32_t)event->address;
}

/* Returns which inlined calls begin at @event, a FUNCTION_INLINED: bit N is set
 * if the call of depth N + 1 does. The other open calls began earlier.
 */
static inline uint32_t
function_event_entries(const struct function_event *event)
{
	return (uint32_t)(event->address >> 32);
}

/* Returns the tid of the task that a FUNCTION_SWITCH switches to: 0 is the idle
 * task, -1 unknown.
 */
static inline int32_t function_event_tid(const struct function_event *event)
{
	return (int32_t)(uint32_t)event->address;
}

/* Returns the pid of that task's process; -1: unknown. */
static inline int32_t function_event_pid(const struct function_event *event)
{
	return (int32_t)(uint32_t)(event->address >> 32);
}

/* Returns a name for dumps; never NULL. */
const char *function_event_text(uint8_t kind);

/* Execution inside thunks, while it lasts. It counts as one transfer of control
 * (a fold): the call, jump or return that entered the thunks. In the same way,
 * execution inside exception vectors counts as the exception. A thunk is
 * recognized by its address, whatever its code does, so every variant of the
 * kernel's mitigations is covered.
 */
struct thunk_fold {
	bool active;
	/* the transfer that the thunks count as: enum flow_exit, or for a
	 * vector an EXIT_ value of the engine
	 */
	uint8_t exit;
	uint32_t from;		 /* function that entered the thunks */
	uint64_t return_address; /* if exit is FLOW_EXIT_CALL */
};

/* Folds that exceptions interrupted. They continue when the exceptions return.
 * address is where the fold was interrupted.
 */
struct thunk_fold_stack {
	struct {
		struct thunk_fold fold;
		uint64_t address;
	} saved[8];
	unsigned int count;
};

/* Returns whether @symbol is a thunk or vector. */
bool thunk_fold_covers(const struct symbol *symbol);

/* Starts a fold: control left function @from by @exit (with @return_address if
 * that is a call) and arrived in thunk @symbol.
 */
void thunk_fold_begin(struct thunk_fold *fold, const struct symbol *symbol,
		      uint8_t exit, uint32_t from, uint64_t return_address);

/* Saves an active @fold, which an exception interrupts at @address, and makes
 * it inactive. If there are too many, drops the oldest.
 */
void thunk_fold_suspend(struct thunk_fold_stack *stack, struct thunk_fold *fold,
			uint64_t address);

/* Restores the fold that was interrupted at @address to *@fold. Returns false
 * if there is none.
 */
bool thunk_fold_resume(struct thunk_fold_stack *stack, struct thunk_fold *fold,
		       uint64_t address);

#endif
