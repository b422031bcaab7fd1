/* SPDX-License-Identifier: MIT */
#include "report/steps/call_frames.h"

#include "common/error.h"

#include <stdlib.h>

void call_stack_free(struct call_stack *stack)
{
	free(stack->frames);
	*stack = (struct call_stack){ 0 };
}

int frames_grow(struct call_stack *stack)
{
	uint32_t room = stack->room ? stack->room * 2 : 32;
	struct call_frame *frames =
		reallocarray(stack->frames, room, sizeof(*frames));

	if (!frames)
		return -ERROR_MEMORY;
	stack->frames = frames;
	stack->room = room;
	return 0;
}

void frames_pop_to(struct call_stack *stack, size_t count, bool seen,
		   struct call_stack_output *output)
{
	while (stack->count > count)
		frames_pop(stack,
			   seen && stack->count == count + 1 ? 0 : UNSEEN_END,
			   output);
}

int frames_push_unseen(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	struct call_frame *frame = frames_next(stack);

	if (!frame)
		return -ERROR_MEMORY;
	*frame = (struct call_frame){
		.function = event->function,
		.how = event->detail ? HOW_START : HOW_INFERRED,
		.unseen = event->detail ? 0 : UNSEEN_BEGIN,
		.returns_anywhere = true,
	};
	frames_begin(stack, frame->how, frame->unseen, output);
	return 0;
}

size_t frames_floor(const struct call_stack *stack)
{
	size_t index = stack->count;

	while (index && !frames_at(stack, index - 1)->is_exception)
		index--;
	return index;
}

size_t frames_find_return(const struct call_stack *stack, size_t floor,
			  uint64_t address)
{
	for (size_t i = stack->count; i-- > floor;) {
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
	for (size_t i = stack->count; i-- > floor;)
		if (frames_at(stack, i)->function == function)
			return i;
	return NO_FRAME;
}
