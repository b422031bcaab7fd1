/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_FRAMES_H
#define KT_REPORT_CALL_FRAMES_H

#include "report/steps/call_stack.h"

#include <stddef.h>

/* Operations on the frames of a call stack. Private to call_stack*.c and its
 * helpers.
 */

/* Returned by searches that find no frame. */
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

/* Emits a STEP_ENTER or STEP_EXIT of @function at @depth. */
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

/* Returns the slot of the next frame. The caller fills it in, except for the
 * times, and then calls frames_begin(). NULL when out of memory.
 */
static inline struct call_frame *frames_next(struct call_stack *stack)
{
	if (stack->count == stack->room && frames_grow(stack) < 0)
		return NULL;
	return stack->frames + stack->count;
}

/* Enters the function of the frame that frames_next() returned. @how and
 * @unseen are passed although the caller has just written them to the frame:
 * reading small adjacent writes back together would stall the CPU.
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

/* Exits the innermost function; @unseen has enum call_unseen bits to add. */
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

/* Exits the innermost function by a jump to @function, which replaces it with
 * the current times and @unseen.
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

/* Pops until @count frames are left. The last popped frame's end was traced if
 * @seen; the ends of the others were not.
 */
void frames_pop_to(struct call_stack *stack, size_t count, bool seen,
		   struct call_stack_output *output);

/* Enters the function that @event leads to without a traced call: it must have
 * been running for longer, unless @event leads to its start.
 */
int frames_push_unseen(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* Returns the index of the outermost frame that an ordinary return from the top
 * may end.
 */
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
