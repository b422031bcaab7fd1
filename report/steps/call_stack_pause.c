/* SPDX-License-Identifier: MIT */
/* Changes of a call stack because of pauses in the trace. */
#include "report/steps/call_stack.h"

#include "common/error.h"
#include "decoder/flow/flow.h"
#include "report/steps/call_frames.h"
#include "report/steps/stack_switch.h"

void call_stack_pause(struct call_stack *stack)
{
	stack_pool_pause(stack->pool);
	for (size_t i = 0; i < stack->count; i++) {
		frames_at(stack, i)->unseen |= UNSEEN_INSIDE;
		frames_at(stack, i)->may_have_ended = true;
		frames_at(stack, i)->is_confirmed = false;
	}
}

static int take_start(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output)
{
	size_t same;

	/* The events that follow report the open functions. */
	if (event->detail == 2)
		return 0;
	/* No host code ran meanwhile. */
	if (event->detail == FUNCTION_START_AFTER_GUEST)
		return stack->count ? 0 :
				      frames_push_unseen(stack, event, output);
	if (event->detail) {
		frames_pop_to(stack, 0, false, output);
		return frames_push_unseen(stack, event, output);
	}
	/* The pause may have started while another task ran. */
	call_stack_pause(stack);
	same = frames_find(stack, 0, event->function);
	if (same == NO_FRAME)
		return frames_push_unseen(stack, event, output);
	frames_pop_to(stack, same + 1, false, output);
	frames_top(stack)->is_confirmed = true;
	return 0;
}

/* Exits all functions; those entered since the start of the chosen call end
 * with it.
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

static void take_stop(struct call_stack *stack,
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
	       (frame->returns_anywhere ||
		frame->return_address == event->address);
}

static int take_open(struct call_stack *stack,
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
	*frame = (struct call_frame){
		.function = event->function,
		.return_address = event->address,
		.how = HOW_INFERRED,
		.unseen = UNSEEN_BEGIN,
		.is_exception = event->kind == FUNCTION_OPEN_EXCEPTION,
		.returns_anywhere = !event->address,
	};
	frames_begin(stack, frame->how, frame->unseen, output);
	return 0;
}

int call_stack_take(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output)
{
	if (event->kind == FUNCTION_TRACE_START)
		return take_start(stack, event, output);
	if (event->kind == FUNCTION_OPEN ||
	    event->kind == FUNCTION_OPEN_EXCEPTION)
		return take_open(stack, event, output);
	if (event->kind == FUNCTION_OPEN_END)
		frames_pop_to(stack, event->detail, false, output);
	if (event->kind == FUNCTION_TRACE_STOP)
		take_stop(stack, event, output);
	else if (event->kind == FUNCTION_GAP)
		call_stack_pause(stack);
	else if (event->kind == FUNCTION_NEW_PROGRAM)
		stack->has_new_program = true;
	return 0;
}
