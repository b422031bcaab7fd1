/* SPDX-License-Identifier: MIT */
#include "report/call_stack.h"

#include "common/error.h"
#include "decoder/flow.h"

#include <stdbool.h>

/* What a search of a stack may not find. */
#define NO_FRAME SIZE_MAX

void call_stack_free(struct call_stack *stack)
{
	array_free(&stack->frames);
}

static struct call_frame *frame_at(const struct call_stack *stack, size_t index)
{
	return (struct call_frame *)stack->frames.items + index;
}

static struct call_frame *top_of(const struct call_stack *stack)
{
	return stack->frames.count ?
		       frame_at(stack, stack->frames.count - 1) :
		       NULL;
}

static int push(struct call_stack *stack, const struct call_frame *like,
		struct call_stack_output *output)
{
	struct call_frame *frame = array_add(&stack->frames);
	struct call_step *step = &output->step;

	if (!frame)
		return -ERROR_MEMORY;
	*frame = *like;
	frame->start_ns = step->time_ns;
	frame->start_clock_ns = step->clock_ns;
	step->kind = STEP_ENTER;
	step->how = frame->how;
	step->doubt = frame->doubt;
	step->function = frame->function;
	step->depth = (uint32_t)stack->frames.count - 1;
	step->wall_ns = 0;
	step->on_cpu_ns = 0;
	output->sink->take(output->sink, step);
	return 0;
}

static void pop(struct call_stack *stack, uint8_t doubt,
		struct call_stack_output *output)
{
	const struct call_frame *frame = top_of(stack);
	struct call_step *step = &output->step;

	step->kind = STEP_EXIT;
	step->how = frame->how;
	step->doubt = frame->doubt | doubt;
	step->function = frame->function;
	step->depth = (uint32_t)stack->frames.count - 1;
	step->wall_ns = step->time_ns - frame->start_ns;
	step->on_cpu_ns = step->clock_ns - frame->start_clock_ns;
	stack->frames.count--;
	output->sink->take(output->sink, step);
}

/* Pops until @count frames are left.  Only the last of them was seen to end;
 * that it is, @seen says.
 */
static void pop_to(struct call_stack *stack, size_t count, bool seen,
		   struct call_stack_output *output)
{
	while (stack->frames.count > count)
		pop(stack,
		    seen && stack->frames.count == count + 1 ? 0 : DOUBT_END,
		    output);
}

/* Begins the function that @event leads to without a call that was seen: it
 * must have been running for longer, unless it is entered at its start.
 */
static int push_unseen(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	const struct call_frame frame = {
		.function = event->function,
		.how = event->detail ? HOW_START : HOW_INFERRED,
		.doubt = event->detail ? 0 : DOUBT_BEGIN,
		.returns_anywhere = true,
	};

	return push(stack, &frame, output);
}

/* Returns the first frame that an ordinary return from the top may end. */
static size_t floor_of(const struct call_stack *stack)
{
	size_t index = stack->frames.count;

	while (index && !frame_at(stack, index - 1)->is_break)
		index--;
	return index;
}

static size_t find_return_address(const struct call_stack *stack, size_t floor,
				  uint64_t address)
{
	for (size_t i = stack->frames.count; i-- > floor;) {
		const struct call_frame *frame = frame_at(stack, i);

		if (frame->return_address == address &&
		    !frame->returns_anywhere)
			return i;
	}
	return NO_FRAME;
}

static size_t find_function(const struct call_stack *stack, size_t floor,
			    uint32_t function)
{
	for (size_t i = stack->frames.count; i-- > floor;)
		if (frame_at(stack, i)->function == function)
			return i;
	return NO_FRAME;
}

/* Goes on in @event's function although nothing was seen to call it: the top,
 * whose own call was not seen either, ends; of what lies below, some may have
 * ended in a pause.
 */
static int resume_in(struct call_stack *stack, size_t floor,
		     const struct function_event *event,
		     struct call_stack_output *output)
{
	size_t same;

	/* The end of a local call. */
	if (top_of(stack)->function == event->function)
		return 0;
	pop(stack, 0, output);
	same = find_function(stack, floor, event->function);
	if (same == NO_FRAME)
		return push_unseen(stack, event, output);
	pop_to(stack, same + 1, false, output);
	top_of(stack)->is_confirmed = true;
	return 0;
}

/* A return to a place that no open call of this context comes from. */
static int take_odd_return(struct call_stack *stack, size_t floor,
			   const struct function_event *event,
			   struct call_stack_output *output)
{
	struct call_frame frame;

	if (stack->frames.count == floor)
		return push_unseen(stack, event, output);
	frame = *top_of(stack);
	if (frame.returns_anywhere || frame.may_be_stale)
		return resume_in(stack, floor, event, output);
	/* The end of a local call. */
	if (frame.function == event->function)
		return 0;
	/* A return address that was replaced on the stack, as kretprobes do:
	 * the rest of the call runs elsewhere.
	 */
	frame.function = event->function;
	frame.how = HOW_TAIL;
	pop(stack, 0, output);
	return push(stack, &frame, output);
}

static int take_return(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	const struct call_frame *top = top_of(stack);
	size_t floor;
	size_t at;

	if (top && top->return_address == event->address && !top->is_break &&
	    !top->returns_anywhere) {
		pop(stack, 0, output);
	} else {
		floor = floor_of(stack);
		at = find_return_address(stack, floor, event->address);
		if (at == NO_FRAME)
			return take_odd_return(stack, floor, event, output);
		pop_to(stack, at, true, output);
	}
	if (!stack->frames.count)
		return push_unseen(stack, event, output);
	top_of(stack)->is_confirmed = true;
	return 0;
}

/* Returns the break-in that a way back to @address ends: the nearest one from
 * there, or simply the nearest: fixups return elsewhere.
 */
static size_t find_break(const struct call_stack *stack, uint64_t address)
{
	size_t nearest = NO_FRAME;

	for (size_t i = stack->frames.count; i-- > 0;) {
		const struct call_frame *frame = frame_at(stack, i);

		if (!frame->is_break)
			continue;
		if (frame->return_address == address)
			return i;
		if (nearest == NO_FRAME)
			nearest = i;
	}
	return nearest;
}

static int take_break_return(struct call_stack *stack,
			     const struct function_event *event,
			     struct call_stack_output *output)
{
	size_t at = find_break(stack, event->address);
	bool is_elsewhere = false;

	if (at == NO_FRAME)
		at = 0;
	else
		is_elsewhere = frame_at(stack, at)->return_address &&
			       frame_at(stack, at)->return_address !=
				       event->address;
	pop_to(stack, at, true, output);
	if (!stack->frames.count ||
	    (is_elsewhere && top_of(stack)->function != event->function))
		return push_unseen(stack, event, output);
	return 0;
}

static int take_tail_call(struct call_stack *stack,
			  const struct function_event *event,
			  struct call_stack_output *output)
{
	const struct call_frame *top = top_of(stack);
	struct call_frame frame = { .returns_anywhere = true };

	/* After a pause that ended in a switch of tasks, the one that jumps
	 * was not seen to begin.
	 */
	if (top && (!top->may_be_stale || top->is_confirmed)) {
		frame = *top;
		pop(stack, 0, output);
	}
	frame.function = event->function;
	frame.how = HOW_TAIL;
	frame.doubt = 0;
	return push(stack, &frame, output);
}

/* Tracing pauses: what is open may end, call and begin unseen. */
static void doubt_all(struct call_stack *stack)
{
	for (size_t i = 0; i < stack->frames.count; i++) {
		frame_at(stack, i)->doubt |= DOUBT_INSIDE;
		frame_at(stack, i)->may_be_stale = true;
		frame_at(stack, i)->is_confirmed = false;
	}
}

static int take_start(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output)
{
	size_t same;

	if (event->detail) {
		pop_to(stack, 0, false, output);
		return push_unseen(stack, event, output);
	}
	/* The pause may have begun while another task ran. */
	doubt_all(stack);
	same = find_function(stack, 0, event->function);
	if (same == NO_FRAME)
		return push_unseen(stack, event, output);
	pop_to(stack, same + 1, false, output);
	top_of(stack)->is_confirmed = true;
	return 0;
}

static void take_stop(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output)
{
	if (event->detail != FLOW_STOP_LEVEL) {
		doubt_all(stack);
		return;
	}
	/* On the way to user space the kernel's stack is empty. */
	while (stack->frames.count)
		pop(stack, 0, output);
}

static void count_local(const struct function_event *event, uint8_t how,
			struct call_stack_output *output)
{
	output->step.kind = STEP_COUNT;
	output->step.how = how;
	output->step.function = event->function;
	output->sink->take(output->sink, &output->step);
}

static int take_call(struct call_stack *stack,
		     const struct function_event *event, uint8_t how,
		     struct call_stack_output *output)
{
	const struct call_frame frame = {
		.function = event->function,
		.return_address = event->address,
		.how = how,
		.is_break = how != HOW_CALL,
	};

	return push(stack, &frame, output);
}

int call_stack_take(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output)
{
	switch ((enum function_event_kind)event->kind) {
	case FUNCTION_CALL:
		return take_call(stack, event, HOW_CALL, output);
	case FUNCTION_RETURN:
		return take_return(stack, event, output);
	case FUNCTION_TAIL_CALL:
		return take_tail_call(stack, event, output);
	case FUNCTION_LOCAL_CALL:
		count_local(event, HOW_CALL, output);
		return 0;
	case FUNCTION_BREAK:
		return take_call(stack, event,
				 event->detail == FUNCTION_BREAK_SYSTEM_CALL ?
					 HOW_SYSTEM_CALL :
					 HOW_BREAK,
				 output);
	case FUNCTION_LOCAL_BREAK:
		count_local(event, HOW_BREAK, output);
		return 0;
	case FUNCTION_BREAK_RETURN:
		return take_break_return(stack, event, output);
	case FUNCTION_TRACE_START:
		return take_start(stack, event, output);
	case FUNCTION_TRACE_STOP:
		take_stop(stack, event, output);
		return 0;
	case FUNCTION_GAP:
		doubt_all(stack);
		return 0;
	case FUNCTION_SWITCH:
	case FUNCTION_END:
		return 0;
	}
	return 0;
}

void call_stack_close(struct call_stack *stack,
		      struct call_stack_output *output)
{
	pop_to(stack, 0, false, output);
}
