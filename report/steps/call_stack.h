/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_STACK_H
#define KT_REPORT_CALL_STACK_H

#include "report/steps/call_step.h"
#include "report/steps/time_window.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

/* One open function. */
struct call_frame {
	uint64_t return_address; /* for an exception: where it came from */
	uint64_t start_ns;
	uint64_t start_clock_ns; /* of the task's clock */
	uint32_t function;
	uint8_t how;	       /* enum call_how */
	uint8_t unseen;	       /* enum call_unseen bits so far */
	bool is_exception;     /* returns below do not reach past it */
	bool returns_anywhere; /* its return address is unknown */
	bool may_have_ended;   /* tracing paused: it may have ended */
	bool is_confirmed;     /* its function was running since */
	bool is_signal;	       /* a signal's handler: is_exception, too; it
					 * goes back to return_address, or
					 * where that is 0 to the function
					 * below it */
};

/* Of several suspended stacks that wait for one address the running one is known
 * only in part (stack_switch.h).
 */
struct partial_stack {
	uint64_t waits_for; /* the address */
	uint32_t gone;	    /* frames of theirs, from the top, that have ended
			     * when this part has; 0: the stack is known */
};

struct stack_pool;
struct switch_roles;

/* The open functions of one task, outermost first.  Interrupts lie on top of
 * what they interrupted: a stack of stacks, each begun by a frame that
 * is_exception.
 */
struct call_stack {
	struct call_frame *frames;
	uint32_t count;
	uint32_t room;
	bool has_new_program; /* below the system call: all is gone */
	bool is_doubtful; /* suspended, and code of its process ran unseen */
	bool is_unwound;  /* suspended by a jump to a function below it, which
			   * has ended it unless code shows that it goes on */
	uint32_t base;	  /* is_unwound: how many frames were below it */
	uint32_t owner;	  /* is_unwound: the index of its task */
	struct partial_stack partial;
	struct stack_pool *pool; /* the suspended stacks of its process; NULL:
				  * user code is taken to have one stack */
	const struct switch_roles *roles; /* NULL: no function has one */
};

/* A zeroed stack is empty. */
void call_stack_free(struct call_stack *stack);

/* Where the steps go that an event leads to.  @step says when, where and in
 * which task; the stack fills in the rest.
 */
struct call_stack_output {
	struct call_step step;
	struct step_callback *callback;
};

/* Where the times of a task's steps come from, as its CPU's events pass. */
struct call_times {
	struct time_window window; /* in which its clock goes */
	uint64_t clock_ns;	   /* at from_ns; time spent traced */
	uint64_t from_ns;	   /* of the CPU, clipped to the window */
	uint64_t whole_ns;	   /* its other clock, at event_ns */
	uint64_t event_ns;	   /* of the CPU */
	uint64_t last_ns;	   /* of the task's newest step */
	bool is_running;	   /* else its clock stands */
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

/* Returns its other clock, which no window stops. */
static inline uint64_t call_times_whole(const struct call_times *times,
					const struct function_event *event)
{
	return times->is_running ?
		       times->whole_ns + event->time_ns - times->event_ns :
		       times->whole_ns;
}

/* Returns when @event was for the task, whose time never goes back. */
static inline uint64_t call_times_ns(const struct call_times *times,
				     const struct function_event *event)
{
	return event->time_ns > times->last_ns ? event->time_ns :
						 times->last_ns;
}

/* Returns whether the times from @first to @last, events of its CPU, are the
 * task's just as they are: it runs, within its window, and its newest step is
 * before them.  Its clock is then ahead of them by call_times_ahead().
 */
static inline bool call_times_are_plain(const struct call_times *times,
					const struct function_event *first,
					const struct function_event *last)
{
	return times->is_running && first->time_ns >= times->last_ns &&
	       time_window_has(times->window, first->time_ns) &&
	       time_window_has(times->window, last->time_ns);
}

/* Modulo 2^64, as it may be behind. */
static inline uint64_t call_times_ahead(const struct call_times *times)
{
	return times->clock_ns - times->from_ns;
}

/* Applies the first of @count events of the stack's own task, up to one that
 * is not function_event_is_call(), hands the steps to @output, and leaves in
 * @times the last step's.
 *
 * Returns how many it applied, or -ERROR_MEMORY.
 */
int call_stack_take_calls(struct call_stack *stack,
			  const struct function_event *events, uint32_t count,
			  struct call_times *times,
			  struct call_stack_output *output);

/* Applies an event of another kind, but for FUNCTION_SWITCH and FUNCTION_END;
 * output->step has its times.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int call_stack_take(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output);

/* The task ran, or may have, while it was not traced: what is open may have
 * ended, called and begun unseen.
 */
void call_stack_pause(struct call_stack *stack);

/* Ends every open function, as at the end of the recording. */
void call_stack_close(struct call_stack *stack,
		      struct call_stack_output *output);

#endif
