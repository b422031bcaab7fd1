/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FUNCTION_EVENT_H
#define KT_SYMBOLIZE_FUNCTION_EVENT_H

#include <stdbool.h>
#include <stdint.h>

/* This is what one CPU did, in functions instead of instructions.  Thunks are
 * gone: they are part of the call, jump or return that they stand for.
 */
enum function_event_kind {
	/* A call of function; address is where it will return to. */
	FUNCTION_CALL,
	/* A call that lands inside the function it comes from: control, not
	 * a new activation (return stack stuffing, position-independent code);
	 * or, if detail is 1, any call where the code has no names.
	 */
	FUNCTION_LOCAL_CALL,
	/* A jump to the start of another function. */
	FUNCTION_TAIL_CALL,
	/* A jump of user code to address, in the middle of function, another
	 * than the one that jumps: longjmp, exceptions.
	 */
	FUNCTION_FAR_JUMP,
	/* A return to address, in function; detail is 1 if that is an entry of
	 * it, as when a new task begins.
	 */
	FUNCTION_RETURN,
	/* An interrupt, an exception or a system call.  detail is an enum
	 * function_exception; address is where it will go back to, 0 if
	 * unknown.
	 */
	FUNCTION_EXCEPTION,
	/* An exception without a handler of its own: it lands inside the
	 * function that it interrupted.
	 */
	FUNCTION_LOCAL_EXCEPTION,
	/* The way back from an exception; the rest as FUNCTION_RETURN.  A way to the
	 * next instruction is none.
	 */
	FUNCTION_EXCEPTION_RETURN,
	/* Tracing starts at address, in function; detail is 1 if that is an
	 * entry of the function, as from user space, 0 after a gap, 2 if
	 * what is open then follows, as FUNCTION_OPEN, and
	 * FUNCTION_START_AFTER_GUEST if a virtual machine ran: the function that
	 * entered it continues, also where the address has another name.
	 */
	FUNCTION_TRACE_START,
	/* This function is open, as number detail of those that are, the
	 * outermost being 0; address is where it will return to, 0 if unknown.
	 * What was open there and is something else has ended unseen.
	 */
	FUNCTION_OPEN,
	/* The same of one that an exception entered. */
	FUNCTION_OPEN_EXCEPTION,
	/* No more than detail functions are open. */
	FUNCTION_OPEN_END,
	/* Tracing stops; detail is an enum flow_stop, address what ip is of
	 * FLOW_STOP_GUEST.
	 */
	FUNCTION_TRACE_STOP,
	/* Unseen execution; detail is an enum flow_gap_reason, address the
	 * byte offset in the stream, lost_bytes the trace lost (0: unknown).
	 */
	FUNCTION_GAP,
	/* The task's program is gone; the next way back to user space begins
	 * another one.
	 */
	FUNCTION_NEW_PROGRAM,
	/* From here on another task runs on this CPU: address holds its tid
	 * and pid, see function_event_tid(); detail is 1 if the one before
	 * still wanted to run.
	 */
	FUNCTION_SWITCH,
	/* The stream ended. */
	FUNCTION_END,
};

enum { FUNCTION_START_AFTER_GUEST = 3 };

enum function_exception {
	FUNCTION_EXCEPTION_INTERRUPT,	/* or exception */
	FUNCTION_EXCEPTION_SYSTEM_CALL, /* by instruction, from user code */
};

/* One event; the times are those of enum flow_item: time_ns never decreases,
 * and the true time lies within [time_ns - early_ns, time_ns + late_ns].
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
	uint8_t is_user; /* what it leads to is user code */
};

_Static_assert(sizeof(struct function_event) == 32, "events are hot");

/* Returns whether @event is one of calls and returns, for which nothing but
 * the stack changes.
 */
static inline bool function_event_is_call(const struct function_event *event)
{
	return event->kind <= FUNCTION_EXCEPTION_RETURN;
}

/* The task that a FUNCTION_SWITCH names: 0 is the idle task, -1 unknown. */
static inline int32_t function_event_tid(const struct function_event *event)
{
	return (int32_t)(uint32_t)event->address;
}

/* Returns its process, or -1. */
static inline int32_t function_event_pid(const struct function_event *event)
{
	return (int32_t)(uint32_t)(event->address >> 32);
}

/* Returns a name for dumps; never NULL. */
const char *function_event_text(uint8_t kind);

#endif
