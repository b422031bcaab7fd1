/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_FRAMES_H
#define KT_REPORT_CALL_FRAMES_H

#include "report/steps/call_stack.h"

#include <stddef.h>

/* This is what can be done with a call stack's frames: inside call_stack only.
 */

/* This is what a search of a stack may not find. */
#define NO_FRAME SIZE_MAX

static inline struct call_frame *frames_at(const struct call_stack *stack,
					   size_t index)
{
	return stack->frames + index;
}

/* Returns the innermost frame, or NULL. */
static inline struct call_frame *frames_top(const struct call_stack *stack)
{
	return stack->count ? stack->frames + stack->count - 1 : NULL;
}

/* Makes room for another frame.  Returns 0 or -ERROR_MEMORY. */
int frames_grow(struct call_stack *stack);

/* Hands on that @function begins or ends, at @depth. */
static inline void frames_say(struct call_stack_output *output, uint8_t kind,
			      uint8_t how, uint8_t unseen, uint32_t function,
			      uint32_t depth)
{
	struct call_step *step = &output->step;

	step->kind = kind;
	step->how = how;
	step->unseen = unseen;
	step->function = function;
	step->depth = depth;
	output->callback->take(output->callback, step);
}

/* Returns where the next frame will lie: to be filled in, but for the times,
 * and begun with frames_begin(); NULL when out of memory.
 */
static inline struct call_frame *frames_next(struct call_stack *stack)
{
	if (stack->count == stack->room && frames_grow(stack) < 0)
		return NULL;
	return stack->frames + stack->count;
}

/* Begins the function of the frame that frames_next() returned.  How and unseen
 * come from the caller, who has just written them: a CPU waits for small writes
 * that are read back together.
 */
static inline void frames_begin(struct call_stack *stack, uint8_t how,
				uint8_t unseen,
				struct call_stack_output *output)
{
	struct call_step *step = &output->step;
	struct call_frame *frame = stack->frames + stack->count++;

	frame->start_ns = step->time_ns;
	frame->start_clock_ns = step->clock_ns;
	step->place = frame->return_address;
	step->wall_ns = 0;
	step->on_cpu_ns = 0;
	frames_say(output, STEP_ENTER, how, unseen, frame->function,
		   stack->count - 1);
}

/* Ends the innermost function; @unseen are enum call_unseen bits to add. */
static inline void frames_pop(struct call_stack *stack, uint8_t unseen,
			      struct call_stack_output *output)
{
	struct call_step *step = &output->step;
	const struct call_frame *frame = stack->frames + --stack->count;

	step->place = 0;
	step->wall_ns = step->time_ns - frame->start_ns;
	step->on_cpu_ns = step->clock_ns - frame->start_clock_ns;
	frames_say(output, STEP_EXIT, frame->how, frame->unseen | unseen,
		   frame->function, stack->count);
}

/* Ends the innermost function in a jump to @function, which takes its place
 * with the times of now, and @unseen.
 */
static inline void frames_replace(struct call_stack *stack, uint32_t function,
				  uint8_t unseen,
				  struct call_stack_output *output)
{
	struct call_frame *frame = frames_top(stack);

	output->step.detail = 1;
	frames_pop(stack, 0, output);
	output->step.detail = 0;
	frame->function = function;
	frame->how = HOW_TAIL;
	frame->unseen = unseen;
	frames_begin(stack, HOW_TAIL, unseen, output);
}

/* Pops until @count frames are left.  Only the last of them was seen to end;
 * that it is, @seen says.
 */
void frames_pop_to(struct call_stack *stack, size_t count, bool seen,
		   struct call_stack_output *output);

/* Begins the function that @event leads to without a call that was seen: it
 * must have been running for longer, unless it is entered at its start.
 */
int frames_push_unseen(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* Returns the first frame that an ordinary return from the top may end. */
size_t frames_floor(const struct call_stack *stack);

/* Returns the innermost frame from @floor on that returns to @address, or
 * NO_FRAME.
 */
size_t frames_find_return(const struct call_stack *stack, size_t floor,
			  uint64_t address);

/* Returns the innermost frame from @floor on of @function, or NO_FRAME. */
size_t frames_find(const struct call_stack *stack, size_t floor,
		   uint32_t function);

#endif
