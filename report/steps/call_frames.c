/* SPDX-License-Identifier: MIT */
#include "report/steps/call_frames.h"

#include "common/error.h"

void call_stack_free(struct call_stack *stack)
{
	array_free(&stack->frames);
}

struct call_frame *frames_at(const struct call_stack *stack, size_t index)
{
	return (struct call_frame *)stack->frames.items + index;
}

struct call_frame *frames_top(const struct call_stack *stack)
{
	return stack->frames.count ?
		       frames_at(stack, stack->frames.count - 1) :
		       NULL;
}

int frames_push(struct call_stack *stack, const struct call_frame *like,
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
	step->place = frame->return_address;
	step->wall_ns = 0;
	step->on_cpu_ns = 0;
	output->sink->take(output->sink, step);
	return 0;
}

void frames_pop(struct call_stack *stack, uint8_t doubt,
		struct call_stack_output *output)
{
	const struct call_frame *frame = frames_top(stack);
	struct call_step *step = &output->step;

	step->kind = STEP_EXIT;
	step->how = frame->how;
	step->doubt = frame->doubt | doubt;
	step->function = frame->function;
	step->depth = (uint32_t)stack->frames.count - 1;
	step->place = 0;
	step->wall_ns = step->time_ns - frame->start_ns;
	step->on_cpu_ns = step->clock_ns - frame->start_clock_ns;
	stack->frames.count--;
	output->sink->take(output->sink, step);
}

int frames_replace(struct call_stack *stack, const struct call_frame *like,
		   struct call_stack_output *output)
{
	output->step.detail = 1;
	frames_pop(stack, 0, output);
	output->step.detail = 0;
	return frames_push(stack, like, output);
}

/* Pops until @count frames are left.  Only the last of them was seen to end;
 * that it is, @seen says.
 */
void frames_pop_to(struct call_stack *stack, size_t count, bool seen,
		   struct call_stack_output *output)
{
	while (stack->frames.count > count)
		frames_pop(stack,
		    seen && stack->frames.count == count + 1 ? 0 : DOUBT_END,
		    output);
}

/* Begins the function that @event leads to without a call that was seen: it
 * must have been running for longer, unless it is entered at its start.
 */
int frames_push_unseen(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	const struct call_frame frame = {
		.function = event->function,
		.how = event->detail ? HOW_START : HOW_INFERRED,
		.doubt = event->detail ? 0 : DOUBT_BEGIN,
		.returns_anywhere = true,
	};

	return frames_push(stack, &frame, output);
}

/* Returns the first frame that an ordinary return from the top may end. */
size_t frames_floor(const struct call_stack *stack)
{
	size_t index = stack->frames.count;

	while (index && !frames_at(stack, index - 1)->is_break)
		index--;
	return index;
}

size_t frames_find_return(const struct call_stack *stack, size_t floor,
				  uint64_t address)
{
	for (size_t i = stack->frames.count; i-- > floor;) {
		const struct call_frame *frame = frames_at(stack, i);

		if (frame->return_address == address &&
		    !frame->returns_anywhere)
			return i;
	}
	return NO_FRAME;
}

size_t frames_find(const struct call_stack *stack, size_t floor,
			    uint32_t function)
{
	for (size_t i = stack->frames.count; i-- > floor;)
		if (frames_at(stack, i)->function == function)
			return i;
	return NO_FRAME;
}
