/* SPDX-License-Identifier: MIT */
#include "report/steps/user_return.h"

#include "common/error.h"
#include "report/steps/call_frames.h"
#include "report/steps/stack_switch.h"
#include "symbolize/functions/function_table.h"

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

/* Applies a return from the kernel entry @entry to an address other than the
 * interrupted one.
 */
static int go_elsewhere(struct call_stack *stack,
			const struct function_event *event,
			uint64_t return_address,
			struct call_stack_output *output)
{
	size_t handler = find_handler(stack, event);

	if (handler != NO_FRAME) {
		frames_pop_to(stack, handler, true, output);
		return 0;
	}
	if (!event->detail && frames_top(stack)->may_have_ended)
		return user_return_unwind(stack, event, output) ?
			       0 :
			       frames_push_unseen(stack, event, output);
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
	return frames_push_unseen(stack, event, output);
}

int user_return_take(struct call_stack *stack,
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
		return frames_push_unseen(stack, event, output);
	frames_top(stack)->is_confirmed = true;
	if (return_address && return_address == event->address)
		return 0;
	if (frames_top(stack)->function == event->function && !event->detail)
		return 0;
	return go_elsewhere(stack, event, return_address, output);
}

bool user_return_unwind(struct call_stack *stack,
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
