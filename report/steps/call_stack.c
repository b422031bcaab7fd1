/* SPDX-License-Identifier: MIT */
#include "report/steps/call_stack.h"

#include "common/error.h"
#include "decoder/flow/flow.h"
#include "report/steps/call_frames.h"
#include "report/steps/stack_switch_internal.h"
#include "symbolize/functions/function_table.h"

#include <stdbool.h>

/* One function for each kind of event. Calls and jumps push or replace the top.
 * A return is matched in this order: the top's return address; a frame above
 * the floor (frames_floor()) with that address; a resumed stack
 * (stack_switch.c); a function that must be open although its call was not
 * traced (go_on_in()).
 *
 * Returns of the kernel to user space (return_to_user()) have more outcomes:
 * the interrupted address, a signal handler or back from one, a new program
 * after exec, another address as after ptrace(), or the start of a new thread.
 */

void call_stack_pause(struct call_stack *stack)
{
	stack_pool_pause(stack->pool);
	for (size_t i = 0; i < stack->count; i++) {
		frames_at(stack, i)->unseen |= UNSEEN_INSIDE;
		frames_at(stack, i)->may_have_ended = true;
		frames_at(stack, i)->is_confirmed = false;
	}
}

/* Calls frames_push_unseen(). If no frame is left, the stack is another one. */
static int push_unseen(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	if (!stack->count)
		stack_switch_end_guess(stack);
	return frames_push_unseen(stack, event, output);
}

static int consume_start(struct call_stack *stack,
			 const struct function_event *event,
			 struct call_stack_output *output)
{
	size_t same;

	/* The events that follow report the open functions. */
	if (event->detail == 2)
		return 0;
	/* No host code ran meanwhile. */
	if (event->detail == FUNCTION_START_AFTER_GUEST)
		return stack->count ? 0 : push_unseen(stack, event, output);
	if (event->detail) {
		frames_pop_to(stack, 0, false, output);
		return push_unseen(stack, event, output);
	}
	/* The pause may have started while another task ran. */
	call_stack_pause(stack);
	if (stack_switch_was_unseen(stack, output)) {
		frames_pop_to(stack, 0, false, output);
		stack->fiber = 0;
	}
	same = frames_find(stack, 0, event->function);
	if (same == NO_FRAME)
		return push_unseen(stack, event, output);
	frames_pop_to(stack, same + 1, false, output);
	frames_top(stack)->is_confirmed = true;
	return 0;
}

/* Exits all functions at the end of a chosen call. Functions that began before
 * it was traced have an untraced end (UNSEEN_END).
 */
static void end_chosen(struct call_stack *stack,
		       struct call_stack_output *output)
{
	while (stack->count)
		frames_pop(stack,
			   frames_top(stack)->unseen & UNSEEN_BEGIN ?
				   UNSEEN_END :
				   0,
			   output);
}

static void consume_stop(struct call_stack *stack,
			 const struct function_event *event,
			 struct call_stack_output *output)
{
	/* Open functions stay open, and are reported when the task continues.
	 */
	if (event->detail == FLOW_STOP_ASIDE ||
	    event->detail == FLOW_STOP_GUEST)
		return;
	if (event->detail == FLOW_STOP_NOT_ASKED) {
		end_chosen(stack, output);
		return;
	}
	if (event->detail != FLOW_STOP_LEVEL) {
		call_stack_pause(stack);
		return;
	}
	/* At a return to user space, the kernel's stack is empty. */
	while (stack->count)
		frames_pop(stack, 0, output);
}

static bool is_same(const struct call_frame *frame,
		    const struct function_event *event)
{
	return frame->function == event->function &&
	       (frame->returns == RETURNS_ANYWHERE ||
		frame->return_address == event->address);
}

static int consume_open(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output)
{
	struct call_frame *frame;

	if (event->detail < stack->count &&
	    is_same(frames_at(stack, event->detail), event)) {
		frames_at(stack, event->detail)->is_confirmed = true;
		return 0;
	}
	frames_pop_to(stack, event->detail, false, output);
	frame = frames_next(stack);
	if (!frame)
		return -ERROR_MEMORY;
	if (!stack->count)
		stack_switch_end_guess(stack);
	*frame = (struct call_frame){
		.function = event->function,
		.return_address = event->address,
		.how = HOW_INFERRED,
		.unseen = UNSEEN_BEGIN,
		.is_exception = event->kind == FUNCTION_OPEN_EXCEPTION,
		.returns = event->address ? RETURNS_TO_ADDRESS :
					    RETURNS_ANYWHERE,
	};
	frames_begin(stack, frame->how, frame->unseen, output);
	return 0;
}

int call_stack_consume(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	if (event->kind == FUNCTION_TRACE_START)
		return consume_start(stack, event, output);
	if (event->kind == FUNCTION_OPEN ||
	    event->kind == FUNCTION_OPEN_EXCEPTION)
		return consume_open(stack, event, output);
	if (event->kind == FUNCTION_OPEN_END)
		frames_pop_to(stack, event->detail, false, output);
	if (event->kind == FUNCTION_TRACE_STOP)
		consume_stop(stack, event, output);
	else if (event->kind == FUNCTION_GAP)
		call_stack_pause(stack);
	else if (event->kind == FUNCTION_NEW_PROGRAM)
		stack->has_new_program = true;
	return 0;
}

/* Applies a jump of user code to an outer open function: longjmp(), or an
 * exception caught there.
 *
 * Returns whether that function is open; changes nothing if not.
 */
static bool unwind_to_open(struct call_stack *stack,
			   const struct function_event *event,
			   struct call_stack_output *output)
{
	size_t same = event->function == FUNCTION_UNKNOWN ?
			      NO_FRAME :
			      frames_find(stack, 0, event->function);

	if (same == NO_FRAME)
		return false;
	while (stack->count > same + 1)
		frames_pop(stack, 0, output);
	frames_top(stack)->is_confirmed = true;
	return true;
}

/* Returns the frame with which the kernel was entered: the outermost exception
 * above the innermost signal handler.
 */
static size_t find_entry(const struct call_stack *stack)
{
	size_t entry = NO_FRAME;

	for (size_t i = stack->count; i-- > 0;) {
		const struct call_frame *frame = frames_at(stack, i);

		if (frame->is_signal)
			break;
		if (frame->is_exception)
			entry = i;
	}
	return entry;
}

/* Returns the signal handler from which @event returns. */
static size_t find_handler(const struct call_stack *stack,
			   const struct function_event *event)
{
	for (size_t i = stack->count; i-- > 1;) {
		const struct call_frame *frame = frames_at(stack, i);

		if (!frame->is_signal)
			continue;
		/* A restarted system call returns to before its instruction, so
		 * also compare the function.
		 */
		if (frame->return_address == event->address ||
		    (frames_at(stack, i - 1)->function == event->function &&
		     !event->detail))
			return i;
	}
	return NO_FRAME;
}

/* Enters a signal handler, which returns to @return_address. */
static int begin_handler(struct call_stack *stack,
			 const struct function_event *event,
			 uint64_t return_address,
			 struct call_stack_output *output)
{
	struct call_frame *frame = frames_next(stack);

	if (!frame)
		return -ERROR_MEMORY;
	*frame = (struct call_frame){
		.function = event->function,
		.return_address = return_address,
		.how = HOW_EXCEPTION,
		.is_exception = true,
		.is_signal = true,
	};
	frames_begin(stack, HOW_EXCEPTION, 0, output);
	return 0;
}

/* Applies a return of the kernel to the function to which the interrupted
 * runtime.gogo jumps: for the probe of record --goroutines, the kernel emulates
 * the jump. A signal may be handled after the emulation and before the return.
 * Returns 1, 0 if @event is no such return, or -ERROR_MEMORY.
 */
static int jump_by_kernel(struct call_stack *stack,
			  const struct function_event *event,
			  struct call_stack_output *output)
{
	size_t at = stack->count;
	struct call_frame *frame;

	if (switch_role(stack->roles, event->function) != SWITCH_ROLE_GOGO)
		return 0;
	while (at &&
	       switch_role(stack->roles, frames_at(stack, at - 1)->function) !=
		       SWITCH_ROLE_GOGO)
		at--;
	if (!at || frames_at(stack, at - 1)->function == event->function ||
	    (at < stack->count && !frames_at(stack, at)->is_signal))
		return 0;
	frames_pop_to(stack, at, true, output);
	frame = frames_next(stack);
	if (!frame)
		return -ERROR_MEMORY;
	*frame = (struct call_frame){
		.function = event->function,
		.how = HOW_TAIL,
		.jumped_from = frames_top(stack)->function,
		.returns = RETURNS_ANYWHERE,
	};
	frames_begin(stack, HOW_TAIL, 0, output);
	return 1;
}

/* Applies a return from a kernel entry to an address other than
 * @return_address, which was interrupted.
 */
static int go_elsewhere(struct call_stack *stack,
			const struct function_event *event,
			uint64_t return_address,
			struct call_stack_output *output)
{
	size_t handler = find_handler(stack, event);
	int status = jump_by_kernel(stack, event, output);

	if (status)
		return status < 0 ? status : 0;
	if (handler != NO_FRAME) {
		frames_pop_to(stack, handler, true, output);
		return 0;
	}
	if (!event->detail && frames_top(stack)->may_have_ended)
		return unwind_to_open(stack, event, output) ?
			       0 :
			       push_unseen(stack, event, output);
	return begin_handler(stack, event, return_address, output);
}

/* Starts a new program: exits the old one, and the system call that ended it.
 */
static int begin_program(struct call_stack *stack,
			 const struct function_event *event,
			 struct call_stack_output *output)
{
	stack->has_new_program = false;
	stack->partial = (struct partial_stack){ 0 };
	if (stack->pool)
		stack_pool_clear(stack->pool);
	while (stack->count)
		frames_pop(stack, 0, output);
	stack->fiber = 0;
	return push_unseen(stack, event, output);
}

/* Applies a return of the kernel to traced user code: to the interrupted
 * address, to a signal handler, back from one, to a new program, or to the
 * start of a new thread. Returns 0 or -ERROR_MEMORY.
 */
static int return_to_user(struct call_stack *stack,
			  const struct function_event *event,
			  struct call_stack_output *output)
{
	size_t entry = find_entry(stack);
	uint64_t return_address = 0;

	if (stack->has_new_program)
		return begin_program(stack, event, output);
	if (entry == NO_FRAME)
		entry = 0;
	else
		return_address = frames_at(stack, entry)->return_address;
	frames_pop_to(stack, entry, true, output);
	if (!stack->count)
		return push_unseen(stack, event, output);
	frames_top(stack)->is_confirmed = true;
	if (return_address && return_address == event->address)
		return 0;
	if (frames_top(stack)->function == event->function && !event->detail)
		return 0;
	return go_elsewhere(stack, event, return_address, output);
}

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
		return push_unseen(stack, event, output);
	frames_pop_to(stack, same + 1, false, output);
	frames_top(stack)->is_confirmed = true;
	return 0;
}

/* Like go_on_in(), but first exits the top, whose own call was not traced
 * either. Does nothing if the top's function is @event's.
 */
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

/* Applies a return to an address to which no open call of this context returns.
 * @floor is frames_floor().
 */
static int consume_odd_return(struct call_stack *stack, size_t floor,
			      const struct function_event *event,
			      struct call_stack_output *output)
{
	const struct call_frame *top = frames_top(stack);

	if (event->is_user) {
		int status = 0;

		if (unwind_to_open(stack, event, output))
			return 0;
		status = stack_switch_into(stack, event, output);
		if (status)
			return status < 0 ? status : 0;
	}
	if (stack->count == floor && !(floor && top->is_signal))
		return push_unseen(stack, event, output);
	if (top->returns == RETURNS_ANYWHERE || top->may_have_ended)
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
		return push_unseen(stack, event, output);
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
static int consume_other_return(struct call_stack *stack, size_t floor,
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
	return consume_odd_return(stack, floor, event, output);
}

static int consume_return(struct call_stack *stack,
			  const struct function_event *event,
			  struct call_stack_output *output)
{
	const struct call_frame *top = frames_top(stack);
	size_t floor;
	size_t at;
	int status;

	if (top && call_frame_is_left_by(top, event)) {
		frames_pop(stack, 0, output);
		return return_to_top(stack, event, output);
	}
	floor = frames_floor(stack);
	at = frames_find_return(stack, floor, event->address);
	if (at == NO_FRAME)
		return consume_other_return(stack, floor, event, output);
	status = stack_switch_choose(stack, at, event, output);
	return status ? status < 0 ? status : 0 :
			return_past(stack, at, event, output);
}

static int consume_tail_call(struct call_stack *stack,
			     const struct function_event *event,
			     struct call_stack_output *output)
{
	const struct call_frame *top = frames_top(stack);
	struct call_frame *frame;

	if (top &&
	    switch_role(stack->roles, top->function) == SWITCH_ROLE_GOGO &&
	    switch_role(stack->roles, event->function) != SWITCH_ROLE_GOGO) {
		int status = stack_switch_go(stack, event, output);

		if (status)
			return status < 0 ? status : 0;
		top = frames_top(stack);
	}
	if (top && event->is_user &&
	    switch_role(stack->roles, top->function) == SWITCH_ROLE_ONTOP) {
		int status = stack_switch_ontop(stack, event, output);

		if (status)
			return status < 0 ? status : 0;
	}
	if (top && event->is_user &&
	    switch_role(stack->roles, top->function) == SWITCH_ROLE_JUMPS) {
		int status = stack_switch_enter(stack, event, output);

		if (status)
			return status < 0 ? status : 0;
	}
	if (top && call_frame_is_open(top)) {
		frames_replace(stack, event->function, 0, output);
		stack_switch_watch(stack, frames_top(stack));
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
		.returns = RETURNS_ANYWHERE,
	};
	frames_begin(stack, HOW_TAIL, 0, output);
	return 0;
}

/* Applies a jump of user code into the middle of a function: to another stack,
 * to the return address of an open function, or to an open function (longjmp(),
 * exceptions).
 */
static int consume_far_jump(struct call_stack *stack,
			    const struct function_event *event,
			    struct call_stack_output *output)
{
	int status = stack_switch_go(stack, event, output);
	size_t at;

	if (status)
		return status < 0 ? status : 0;
	at = frames_find_return(stack, frames_floor(stack), event->address);
	if (at != NO_FRAME)
		status = stack_switch_choose(stack, at, event, output);
	if (!status && at != NO_FRAME)
		status = stack_switch_part(stack, at, event, output);
	if (status)
		return status < 0 ? status : 0;
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
		return consume_tail_call(stack, event, output);
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

static int consume_exception_return(struct call_stack *stack,
				    const struct function_event *event,
				    struct call_stack_output *output)
{
	size_t at;
	bool is_elsewhere;

	if (event->is_user)
		return return_to_user(stack, event, output);
	at = find_exception(stack, event->address);
	is_elsewhere = at != NO_FRAME && frames_at(stack, at)->return_address &&
		       frames_at(stack, at)->return_address != event->address;
	if (at == NO_FRAME)
		at = 0;
	frames_pop_to(stack, at, true, output);
	if (!stack->count)
		return push_unseen(stack, event, output);
	if (is_elsewhere && frames_top(stack)->function != event->function)
		return go_on_in(stack, frames_floor(stack), event, output);
	frames_top(stack)->is_confirmed = true;
	return 0;
}

static void count_local(const struct function_event *event, uint8_t how,
			struct call_stack_output *output)
{
	output->step.place = 0;
	output->step.wall_ns = 0;
	output->step.on_cpu_ns = 0;
	frames_emit(output, STEP_COUNT, how, 0, event->function, 0);
}

static inline int consume_call(struct call_stack *stack,
			       const struct function_event *event, uint8_t how,
			       struct call_stack_output *output)
{
	struct call_frame *frame;
	int status = 0;

	if (switch_role(stack->roles, event->function) != SWITCH_ROLE_NONE)
		status = stack_switch_call(stack, event, output);
	if (status)
		return status < 0 ? status : 0;
	frame = frames_next(stack);
	if (!frame)
		return -ERROR_MEMORY;
	call_frame_begin(frame, event, how);
	stack_switch_watch(stack, frame);
	frames_begin(stack, how, 0, output);
	return 0;
}

static int consume_exception(struct call_stack *stack,
			     const struct function_event *event,
			     struct call_stack_output *output)
{
	if (event->detail == FUNCTION_EXCEPTION_SYSTEM_CALL)
		return consume_call(stack, event, HOW_SYSTEM_CALL, output);
	return consume_call(stack, event, HOW_EXCEPTION, output);
}

static int consume_call_event(struct call_stack *stack,
			      const struct function_event *event,
			      struct call_stack_output *output)
{
	switch ((enum function_event_kind)event->kind) {
	case FUNCTION_CALL:
		return consume_call(stack, event, HOW_CALL, output);
	case FUNCTION_EXCEPTION:
		return consume_exception(stack, event, output);
	case FUNCTION_RETURN:
		return consume_return(stack, event, output);
	case FUNCTION_TAIL_CALL:
		return consume_tail_call(stack, event, output);
	case FUNCTION_LOCAL_CALL:
		if (event->detail)
			count_local(event, HOW_CALL, output);
		return 0;
	case FUNCTION_LOCAL_EXCEPTION:
		count_local(event, HOW_EXCEPTION, output);
		return 0;
	case FUNCTION_FAR_JUMP:
		return consume_far_jump(stack, event, output);
	case FUNCTION_INLINED:
		return frames_set_inlined(stack, event, output);
	case FUNCTION_EXCEPTION_RETURN:
		return consume_exception_return(stack, event, output);
	case FUNCTION_TRACE_START:
	case FUNCTION_OPEN:
	case FUNCTION_OPEN_EXCEPTION:
	case FUNCTION_OPEN_END:
	case FUNCTION_TRACE_STOP:
	case FUNCTION_GAP:
	case FUNCTION_NEW_PROGRAM:
	case FUNCTION_SWITCH:
	case FUNCTION_INTERRUPTS:
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
static inline uint32_t consume_plain(struct call_stack *stack,
				     const struct function_event *events,
				     uint32_t count, struct call_times *times,
				     struct call_stack_output *output)
{
	struct step_callback *callback = output->callback;

	if (!callback->consume_plain || stack->inlined_room)
		return 0;
	return callback->consume_plain(callback, &output->step, stack, events,
				       count, times);
}

int call_stack_consume_calls(struct call_stack *stack,
			     const struct function_event *events,
			     uint32_t count, struct call_times *times,
			     struct call_stack_output *output)
{
	uint32_t i = consume_plain(stack, events, count, times, output);

	while (i < count && function_event_is_call(&events[i])) {
		set_times(&output->step, &events[i], times);
		if (consume_call_event(stack, &events[i], output) < 0)
			return -ERROR_MEMORY;
		i++;
		i += consume_plain(stack, events + i, count - i, times, output);
	}
	return (int)i;
}

void call_stack_close(struct call_stack *stack,
		      struct call_stack_output *output)
{
	frames_pop_to(stack, 0, false, output);
}
