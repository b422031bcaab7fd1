/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_CALL_STACK_H
#define KT_REPORT_STEPS_CALL_STACK_H

/* The open functions of one task, and how an event changes them.
 *
 * call_stack_take_calls() applies calls, returns and jumps; nearly all are
 * plain (call_frames.h). The others need a search of the stack, an assumption,
 * or another stack (stack_switch_internal.h). call_stack_take() applies starts
 * and stops of the trace, gaps, and functions that were open at the start.
 *
 * Invariants:
 * 1. An ordinary return ends frames of its own context only: those above the
 *    innermost exception or signal handler (frames_floor()).
 * 2. After a pause (call_stack_pause()), a frame may have ended until code of
 *    its function runs again or a return leads to it (is_confirmed).
 * 3. A stack never refuses an event: what it cannot match makes inferred
 *    frames.
 *
 * A struct call_stack belongs to one task and thread. Errors: -ERROR_MEMORY.
 */

#include "report/steps/call_step.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

struct function_table;
struct stack_pool;
struct switch_roles;

/* One open function. */
struct call_frame {
	uint64_t return_address; /* of an exception: the interrupted address */
	uint64_t start_ns;
	uint64_t start_clock_ns; /* the task's clock at start_ns */
	uint32_t function;
	uint8_t how;	       /* enum call_how */
	uint8_t unseen;	       /* enum call_unseen bits so far */
	bool is_exception;     /* returns above it do not reach below it */
	bool returns_anywhere; /* its return address is unknown */
	/* not known to be open since a pause in tracing */
	bool may_have_ended;
	/* its function has been running since the pause */
	bool is_confirmed;
	/* a signal handler (is_exception is set, too); it returns to
	 * return_address or, if that is 0, to the function below it
	 */
	bool is_signal;
	uint32_t jumped_from; /* HOW_TAIL: the function that jumped here */
};

/* An open inlined call. */
struct inlined_frame {
	uint64_t start_ns;
	uint64_t start_clock_ns;
	uint32_t site;	/* see function_table.h */
	uint32_t frame; /* index of the frame whose code it is part of */
	uint8_t how;	/* enum call_how */
};

/* Set if several suspended stacks wait for one address, so that only the frames
 * that they share are known of the running stack (stack_switch_internal.h).
 */
struct partial_stack {
	uint64_t waits_for; /* the address */
	/* number of the stacks' top frames that end with the known part; 0: the
	 * whole stack is known
	 */
	uint32_t gone;
};

/* The open functions of one task, outermost first. Interrupts are on top of the
 * functions that they interrupted: a stack of stacks, each started by a frame
 * with is_exception.
 */
struct call_stack {
	struct call_frame *frames;
	uint32_t count;
	uint32_t room;
	/* the open inlined calls, outermost first. Suspended stacks have none:
	 * those of a frame begin again when control returns to it
	 */
	struct inlined_frame *inlined;
	uint32_t inlined_count;
	uint32_t inlined_room;
	/* exec: the frames below the system call are obsolete */
	bool has_new_program;
	bool is_doubtful; /* suspended while untraced code of its process ran */
	/* suspended by a jump to a function below it, which has ended it unless
	 * later code shows that it continues
	 */
	bool is_unwound;
	uint32_t base; /* is_unwound: number of frames that were below it */
	/* suspended: the index of the task that ran it */
	uint32_t owner;
	uint32_t fiber; /* see struct call_step */
	/* suspended: its fiber's number is that of a partial stack, which is
	 * taken for this one
	 */
	bool is_guessed;
	struct partial_stack partial;
	/* the suspended stacks of its process; NULL: assume one stack of user
	 * space
	 */
	struct stack_pool *pool;
	struct switch_roles *roles; /* NULL: no function has a role */
};

/* A zeroed stack is empty. */
void call_stack_free(struct call_stack *stack);

/* The receiver of an event's call events. The caller sets time, CPU and task in
 * @step; the stack fills in the rest.
 */
struct call_stack_output {
	struct call_step step;
	struct step_callback *callback;
	const struct function_table *functions; /* NULL: without inlined calls */
};

/* State to compute the times of a task's call events from its CPU's events. */
struct call_times {
	struct time_window window; /* the clock stops outside of it */
	uint64_t clock_ns;	   /* the clock at from_ns: time spent traced */
	uint64_t from_ns;	   /* time of the CPU, clipped to the window */
	uint64_t whole_ns;	   /* the clock without a window, at event_ns */
	uint64_t event_ns;	   /* time of the CPU */
	uint64_t last_ns;	   /* time of the task's last call event */
	bool is_running;	   /* if false, the clock is stopped */
};

/* Returns the task's clock at @event. */
static inline uint64_t call_times_clock(const struct call_times *times,
					const struct function_event *event)
{
	if (!times->is_running)
		return times->clock_ns;
	return times->clock_ns +
	       time_window_clip(times->window, event->time_ns) - times->from_ns;
}

/* Returns the time of @event for the task, whose time never goes back. */
static inline uint64_t call_times_ns(const struct call_times *times,
				     const struct function_event *event)
{
	return event->time_ns > times->last_ns ? event->time_ns :
						 times->last_ns;
}

/* Returns whether the times from @first to @last, events of its CPU, are valid
 * for the task without changes: it runs, within its window, and its last call
 * event is before them. Its clock is then their time plus call_times_ahead().
 */
static inline bool call_times_are_plain(const struct call_times *times,
					const struct function_event *first,
					const struct function_event *last)
{
	return times->is_running && first->time_ns >= times->last_ns &&
	       time_window_has(times->window, first->time_ns) &&
	       time_window_has(times->window, last->time_ns);
}

/* Returns by how much the clock is ahead of @times->from_ns, modulo 2^64, as
 * the difference may be negative.
 */
static inline uint64_t call_times_ahead(const struct call_times *times)
{
	return times->clock_ns - times->from_ns;
}

/* Applies the first of @count events of the stack's own task, up to one that is
 * not function_event_is_call(), emits their call events to @output, and sets
 * @times to the last one's.
 *
 * Returns the number of events applied, or -ERROR_MEMORY.
 */
int call_stack_take_calls(struct call_stack *stack,
			  const struct function_event *events, uint32_t count,
			  struct call_times *times,
			  struct call_stack_output *output);

/* Applies an event of another kind, except FUNCTION_SWITCH and FUNCTION_END;
 * output->step must have its times.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int call_stack_take(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output);

/* Must be called when the task ran, or may have run, untraced: open functions
 * may have ended and others begun.
 */
void call_stack_pause(struct call_stack *stack);

/* Exits all open functions, as at the end of the recording. */
void call_stack_close(struct call_stack *stack,
		      struct call_stack_output *output);

#endif
