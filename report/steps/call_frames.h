/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_CALL_FRAMES_H
#define KT_REPORT_CALL_FRAMES_H

#include "report/steps/call_stack.h"

/* What can be done with a call stack's frames: inside call_stack only. */

/* What a search of a stack may not find. */
#define NO_FRAME SIZE_MAX

struct call_frame *frames_at(const struct call_stack *stack, size_t index);

/* Returns the innermost frame, or NULL. */
struct call_frame *frames_top(const struct call_stack *stack);

/* Begins a function; of @like the times are filled in.  Returns 0 or
 * -ERROR_MEMORY.
 */
int frames_push(struct call_stack *stack, const struct call_frame *like,
		struct call_stack_output *output);

/* Ends the innermost function; @doubt are enum call_doubt bits to add. */
void frames_pop(struct call_stack *stack, uint8_t doubt,
		struct call_stack_output *output);

/* Ends the innermost function in a jump to another, which takes its place with
 * the times of now.  Returns 0 or -ERROR_MEMORY.
 */
int frames_replace(struct call_stack *stack, const struct call_frame *like,
		   struct call_stack_output *output);

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
