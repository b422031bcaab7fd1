/* SPDX-License-Identifier: MIT */
/* Pauses of the trace change a call stack. */
#include "report/steps/call_stack.h"

#include "decoder/flow/flow.h"
#include "report/steps/call_frames.h"

void call_stack_pause(struct call_stack *stack)
{
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

	if (event->detail) {
		frames_pop_to(stack, 0, false, output);
		return frames_push_unseen(stack, event, output);
	}
	/* The pause may have begun while another task ran. */
	call_stack_pause(stack);
	same = frames_find(stack, 0, event->function);
	if (same == NO_FRAME)
		return frames_push_unseen(stack, event, output);
	frames_pop_to(stack, same + 1, false, output);
	frames_top(stack)->is_confirmed = true;
	return 0;
}

static void take_stop(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output)
{
	if (event->detail != FLOW_STOP_LEVEL) {
		call_stack_pause(stack);
		return;
	}
	/* On the way to user space the kernel's stack is empty. */
	while (stack->count)
		frames_pop(stack, 0, output);
}

int call_stack_take(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output)
{
	if (event->kind == FUNCTION_TRACE_START)
		return take_start(stack, event, output);
	if (event->kind == FUNCTION_TRACE_STOP)
		take_stop(stack, event, output);
	else if (event->kind == FUNCTION_GAP)
		call_stack_pause(stack);
	else if (event->kind == FUNCTION_NEW_PROGRAM)
		stack->has_new_program = true;
	return 0;
}
