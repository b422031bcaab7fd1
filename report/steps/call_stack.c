/* SPDX-License-Identifier: MIT */
#include "report/steps/call_stack.h"

#include "common/error.h"
#include "decoder/flow/flow.h"
#include "report/steps/call_frames.h"
#include "report/steps/plain_call.h"
#include "report/steps/stack_switch.h"
#include "report/steps/user_return.h"

#include <stdbool.h>

/* Continues in @event's function although no call of it was traced: some open
 * functions may have ended in a pause. If a return leads to the function's
 * start, as to ftrace's return_to_handler(), the function is entered anew.
 */
static int go_on_in(struct call_stack *stack, size_t floor,
		    const struct function_event *event,
		    struct call_stack_output *output)
{
	size_t same = event->detail ?
			      NO_FRAME :
			      frames_find(stack, floor, event->function);

	if (same == NO_FRAME)
		return frames_push_unseen(stack, event, output);
	frames_pop_to(stack, same + 1, false, output);
	frames_top(stack)->is_confirmed = true;
	return 0;
}

/* Like go_on_in(), but exits the top, whose own call was not traced either. */
static int resume_in(struct call_stack *stack, size_t floor,
		     const struct function_event *event,
		     struct call_stack_output *output)
{
	/* The end of a local call. */
	if (frames_top(stack)->function == event->function)
		return 0;
	frames_pop(stack, 0, output);
	return go_on_in(stack, floor, event, output);
}

/* Applies a return to an address from which no open call of this context came.
 */
static int take_odd_return(struct call_stack *stack, size_t floor,
			   const struct function_event *event,
			   struct call_stack_output *output)
{
	const struct call_frame *top = frames_top(stack);

	if (event->is_user) {
		int status = 0;

		if (user_return_unwind(stack, event, output))
			return 0;
		status = stack_switch_into(stack, event, output);
		if (status)
			return status < 0 ? status : 0;
	}
	if (stack->count == floor && !(floor && top->is_signal))
		return frames_push_unseen(stack, event, output);
	if (top->returns_anywhere || top->may_have_ended)
		return resume_in(stack, floor, event, output);
	/* The end of a local call. */
	if (top->function == event->function)
		return 0;
	/* A return address that was replaced on the stack, as by kretprobes, or
	 * pushed, as for signal handlers: the rest of the call runs elsewhere.
	 */
	frames_replace(stack, event->function, top->unseen, output);
	return 0;
}

/* Continues in the new top, which made the call that has ended, unless the call
 * was made on another task's stack: arm64's cpu_switch_to() is entered on one
 * stack and left on the next, which may have any functions open from before a
 * pause.
 */
static int return_to_top(struct call_stack *stack,
			 const struct function_event *event,
			 struct call_stack_output *output)
{
	struct call_frame *top = frames_top(stack);

	if (!top)
		return frames_push_unseen(stack, event, output);
	if (!call_frame_goes_on(top, event))
		return go_on_in(stack, frames_floor(stack), event, output);
	top->is_confirmed = true;
	return 0;
}

/* Applies a return to frame @at's return address, past the open frames above
 * it. In user code, frame @at may be the bottom of a stack of its own, if a
 * jump entered it.
 */
static int return_past(struct call_stack *stack, size_t at,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	if (event->is_user && frames_at(stack, at)->how == HOW_TAIL &&
	    stack_switch_split(stack, at, output) < 0)
		return -ERROR_MEMORY;
	frames_pop_to(stack, at, true, output);
	return return_to_top(stack, event, output);
}

/* Applies a return that is not the top frame's. Returns 0 or -ERROR_MEMORY. */
static int take_other_return(struct call_stack *stack, size_t floor,
			     const struct function_event *event,
			     struct call_stack_output *output)
{
	int status = 0;

	if (event->is_user)
		status = stack_switch_rewind(stack, event, output);
	if (event->is_user && !status)
		status = stack_switch_resume(stack, event, output);
	if (event->is_user && !status)
		status = stack_switch_begin(stack, event, output);
	if (status)
		return status < 0 ? status : 0;
	return take_odd_return(stack, floor, event, output);
}

static int take_return(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	const struct call_frame *top = frames_top(stack);
	size_t floor;
	size_t at;

	if (top && call_frame_is_left_by(top, event)) {
		frames_pop(stack, 0, output);
		return return_to_top(stack, event, output);
	}
	floor = frames_floor(stack);
	at = frames_find_return(stack, floor, event->address);
	return at == NO_FRAME ? take_other_return(stack, floor, event, output) :
				return_past(stack, at, event, output);
}

static int take_tail_call(struct call_stack *stack,
			  const struct function_event *event,
			  struct call_stack_output *output)
{
	const struct call_frame *top = frames_top(stack);
	struct call_frame *frame;

	if (top && switch_role(stack->roles, top->function) == ROLE_GOGO &&
	    switch_role(stack->roles, event->function) != ROLE_GOGO) {
		int status = stack_switch_go(stack, event, output);

		if (status)
			return status < 0 ? status : 0;
		top = frames_top(stack);
	}
	if (top && call_frame_is_open(top)) {
		frames_replace(stack, event->function, 0, output);
		return 0;
	}
	/* After a pause that ended in a task switch, the start of the jumping
	 * function was not traced.
	 */
	frame = frames_next(stack);
	if (!frame)
		return -ERROR_MEMORY;
	*frame = (struct call_frame){
		.function = event->function,
		.how = HOW_TAIL,
		.returns_anywhere = true,
	};
	frames_begin(stack, HOW_TAIL, 0, output);
	return 0;
}

/* Applies a jump of user code into the middle of a function: to another stack,
 * to the return address of an open function, or to an open function (longjmp(),
 * exceptions).
 */
static int take_far_jump(struct call_stack *stack,
			 const struct function_event *event,
			 struct call_stack_output *output)
{
	int status = stack_switch_go(stack, event, output);
	size_t at;

	if (status)
		return status < 0 ? status : 0;
	at = frames_find_return(stack, frames_floor(stack), event->address);
	if (at != NO_FRAME)
		return return_past(stack, at, event, output);
	status = stack_switch_resume(stack, event, output);
	if (!status)
		status = stack_switch_unwind(stack, event, output);
	if (!status)
		status = stack_switch_into(stack, event, output);
	/* Not an open function: in unnamed code (detail is 1), assume that a
	 * function starts there.
	 */
	if (!status && event->detail)
		return take_tail_call(stack, event, output);
	return status < 0 ? status : 0;
}

/* Returns the exception that a return to @address ends: the innermost one that
 * interrupted @address, or else the innermost, since fixups return to other
 * addresses.
 */
static size_t find_exception(const struct call_stack *stack, uint64_t address)
{
	size_t nearest = NO_FRAME;

	for (size_t i = stack->count; i-- > 0;) {
		const struct call_frame *frame = frames_at(stack, i);

		if (!frame->is_exception)
			continue;
		if (frame->return_address == address)
			return i;
		if (nearest == NO_FRAME)
			nearest = i;
	}
	return nearest;
}

static int take_exception_return(struct call_stack *stack,
				 const struct function_event *event,
				 struct call_stack_output *output)
{
	size_t at;
	bool is_elsewhere;

	if (event->is_user)
		return user_return_take(stack, event, output);
	at = find_exception(stack, event->address);
	is_elsewhere = at != NO_FRAME && frames_at(stack, at)->return_address &&
		       frames_at(stack, at)->return_address != event->address;
	if (at == NO_FRAME)
		at = 0;
	frames_pop_to(stack, at, true, output);
	if (!stack->count ||
	    (is_elsewhere && frames_top(stack)->function != event->function))
		return frames_push_unseen(stack, event, output);
	frames_top(stack)->is_confirmed = true;
	return 0;
}

static void count_local(const struct function_event *event, uint8_t how,
			struct call_stack_output *output)
{
	output->step.place = 0;
	output->step.wall_ns = 0;
	output->step.on_cpu_ns = 0;
	frames_say(output, STEP_COUNT, how, 0, event->function, 0);
}

static inline int take_call(struct call_stack *stack,
			    const struct function_event *event, uint8_t how,
			    struct call_stack_output *output)
{
	struct call_frame *frame = frames_next(stack);

	if (!frame)
		return -ERROR_MEMORY;
	call_frame_begin(frame, event, how);
	frames_begin(stack, how, 0, output);
	return 0;
}

static int take_exception(struct call_stack *stack,
			  const struct function_event *event,
			  struct call_stack_output *output)
{
	if (event->detail == FUNCTION_EXCEPTION_SYSTEM_CALL)
		return take_call(stack, event, HOW_SYSTEM_CALL, output);
	return take_call(stack, event, HOW_EXCEPTION, output);
}

static int take_call_event(struct call_stack *stack,
			   const struct function_event *event,
			   struct call_stack_output *output)
{
	switch ((enum function_event_kind)event->kind) {
	case FUNCTION_CALL:
		return take_call(stack, event, HOW_CALL, output);
	case FUNCTION_EXCEPTION:
		return take_exception(stack, event, output);
	case FUNCTION_RETURN:
		return take_return(stack, event, output);
	case FUNCTION_TAIL_CALL:
		return take_tail_call(stack, event, output);
	case FUNCTION_LOCAL_CALL:
		if (event->detail)
			count_local(event, HOW_CALL, output);
		return 0;
	case FUNCTION_LOCAL_EXCEPTION:
		count_local(event, HOW_EXCEPTION, output);
		return 0;
	case FUNCTION_FAR_JUMP:
		return take_far_jump(stack, event, output);
	case FUNCTION_EXCEPTION_RETURN:
		return take_exception_return(stack, event, output);
	case FUNCTION_TRACE_START:
	case FUNCTION_OPEN:
	case FUNCTION_OPEN_EXCEPTION:
	case FUNCTION_OPEN_END:
	case FUNCTION_TRACE_STOP:
	case FUNCTION_GAP:
	case FUNCTION_NEW_PROGRAM:
	case FUNCTION_SWITCH:
	case FUNCTION_END:
		return 0;
	}
	return 0;
}

static inline void set_times(struct call_step *step,
			     const struct function_event *event,
			     struct call_times *times)
{
	times->last_ns = call_times_ns(times, event);
	step->time_ns = times->last_ns;
	step->early_ns = event->early_ns;
	step->late_ns = event->late_ns;
	step->clock_ns = call_times_clock(times, event);
	step->whole_ns = call_times_whole(times, event);
}

/* Applies the events that the callback's fast path accepts. Returns their
 * number.
 */
static inline uint32_t take_plain(struct call_stack *stack,
				  const struct function_event *events,
				  uint32_t count, struct call_times *times,
				  struct call_stack_output *output)
{
	struct step_callback *callback = output->callback;

	if (!callback->take_plain)
		return 0;
	return callback->take_plain(callback, &output->step, stack, events,
				    count, times);
}

int call_stack_take_calls(struct call_stack *stack,
			  const struct function_event *events, uint32_t count,
			  struct call_times *times,
			  struct call_stack_output *output)
{
	uint32_t i = take_plain(stack, events, count, times, output);

	while (i < count && function_event_is_call(&events[i])) {
		set_times(&output->step, &events[i], times);
		if (take_call_event(stack, &events[i], output) < 0)
			return -ERROR_MEMORY;
		i++;
		i += take_plain(stack, events + i, count - i, times, output);
	}
	return (int)i;
}

void call_stack_close(struct call_stack *stack,
		      struct call_stack_output *output)
{
	frames_pop_to(stack, 0, false, output);
}
