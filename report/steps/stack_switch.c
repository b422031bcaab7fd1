/* SPDX-License-Identifier: MIT */
#include "report/steps/stack_switch_internal.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/goroutine_ids.h"
#include "report/steps/call_frames.h"
#include "symbolize/functions/function_table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Decides, at a jump or return that no open call explains, whether another
 * stack was resumed:
 *
 *	the address is where a suspended stack waits ─► resume it
 *	several wait there ─► a partial stack: the frames they share are known,
 *	                      the rest when later code decides (complete())
 *	the function switches stacks by its role ─► suspend, begin a new one
 *	otherwise ─► not a switch: call_stack.c continues
 *
 * Suspended frames leave the timeline by exits, and come back by entries, so
 * that each fiber is a track of its own.
 */

/* Maximum number of frames that end when a stack is resumed: the routine that
 * switches and its wrappers.
 */
enum { MOST_ABOVE = STACK_POOL_KEYED - 1 };

/* Returns whether @stack is a stack of user space, which can be suspended. */
static bool is_of_user(const struct call_stack *stack)
{
	if (!stack->pool || !stack->count)
		return false;
	for (size_t i = 0; i < stack->count; i++)
		if (frames_at(stack, i)->is_exception &&
		    !frames_at(stack, i)->is_signal)
			return false;
	return true;
}

/* A search for a suspended stack. Its frame number "above", counted from the
 * top, returns to the address, in the function; without an address, it is a
 * frame of the function.
 */
struct wanted {
	uint64_t address;
	uint32_t function;
	size_t above;
	/* If not 0, the stack must wait for this address. */
	uint64_t waits_for;
	/* the fiber of the goroutine that continues; 0: its id is unknown */
	uint32_t goroutine;
	bool has_goroutine; /* the stack must be this fiber's */
};

/* Returns whether @stack may be the one that continues according to the ids of
 * goroutines: the goroutine's own or, unless wanted->has_goroutine, one without
 * an id.
 */
static bool may_be_of(const struct call_stack *stack,
		      const struct wanted *wanted)
{
	if (wanted->has_goroutine)
		return stack->fiber == wanted->goroutine;
	return !wanted->goroutine || !fiber_is_goroutine(stack->fiber);
}

/* Returns whether @stack matches except for its goroutine. */
static bool fits(const struct call_stack *stack, const struct wanted *wanted)
{
	const struct call_frame *frame;

	if (stack->count <= wanted->above + (wanted->address != 0))
		return false;
	if (stack->is_unwound && (wanted->address || stack->is_doubtful))
		return false;
	if (wanted->waits_for &&
	    stack_from_top(stack, 0)->return_address != wanted->waits_for)
		return false;
	frame = stack_from_top(stack, wanted->above);
	if (!wanted->address)
		return frame->function == wanted->function && !frame->is_signal;
	return frame->return_address == wanted->address &&
	       frame->returns != RETURNS_ANYWHERE &&
	       stack_from_top(stack, wanted->above + 1)->function ==
		       wanted->function;
}

/* Shapes that a search has met, each in a slot that later ones may take: a
 * stack like an earlier one need not be compared.
 */
struct met_shape {
	uint64_t shape; /* 0: none */
	bool is_found;	/* stacks of this shape fit, and one was found */
};

enum { MET_SHAPES = 64 };

/* The result of a comparison of a suspended stack with the wanted one. */
enum search_result {
	SEARCH_UNFIT,
	SEARCH_LIKE_EARLIER, /* fits, and a stack that was found is equal */
	SEARCH_NEW,	     /* fits */
};

static enum search_result search(const struct stack_pool *pool, uint32_t index,
				 const struct wanted *wanted,
				 struct met_shape met[MET_SHAPES])
{
	const struct call_stack *stack = stack_pool_at(pool, index);
	uint64_t shape = stack_pool_shape(pool, index);
	struct met_shape *earlier = &met[shape % MET_SHAPES];
	bool is_found;

	if (!may_be_of(stack, wanted))
		return SEARCH_UNFIT;
	if (shape && earlier->shape == shape)
		return earlier->is_found ? SEARCH_LIKE_EARLIER : SEARCH_UNFIT;
	is_found = fits(stack, wanted);
	*earlier = (struct met_shape){ shape, is_found };
	return is_found ? SEARCH_NEW : SEARCH_UNFIT;
}

/* The suspended stacks that match. */
struct candidates {
	uint32_t count;
	uint32_t first;
	uint32_t last;
	/* the oldest one without is_guessed; UINT32_MAX: none */
	uint32_t guess;
	uint32_t common; /* number of frames that all share, from the top */
	bool are_equal;	 /* the stacks are identical */
};

static struct candidates find_candidates(struct stack_pool *pool,
					 const struct wanted *wanted,
					 size_t gone)
{
	struct candidates found = { .guess = UINT32_MAX, .are_equal = true };
	const struct call_stack *first = NULL;
	struct met_shape met[MET_SHAPES];

	if (wanted->above < STACK_POOL_KEYED &&
	    !stack_pool_may_fit(pool, wanted->above, wanted->address,
				wanted->function))
		return found;
	memset(met, 0, sizeof(met));
	for (uint32_t i = 0; i < stack_pool_count(pool); i++) {
		enum search_result result = search(pool, i, wanted, met);
		const struct call_stack *stack;
		uint32_t common;

		if (result == SEARCH_UNFIT)
			continue;
		found.last = i;
		stack = stack_pool_at(pool, i);
		if (found.guess == UINT32_MAX && !stack->is_guessed)
			found.guess = i;
		if (!found.count++) {
			found.first = i;
			found.common = stack->count - (uint32_t)gone;
			first = stack;
			continue;
		}
		if (result == SEARCH_LIKE_EARLIER)
			continue;
		common = stack_common_frames(first, stack, gone);
		if (common < found.common)
			found.common = common;
		found.are_equal &= stack->count == first->count &&
				   common == stack->count - gone;
	}
	return found;
}

/* Enters a copy of the resumed frame @from. */
static int enter_again(struct call_stack *stack, const struct call_frame *from,
		       uint8_t how, bool is_doubtful,
		       struct call_stack_output *output)
{
	struct call_frame *frame = frames_next(stack);

	if (!frame)
		return -ERROR_MEMORY;
	*frame = *from;
	frame->how = how;
	frame->unseen |= UNSEEN_BEGIN;
	if (is_doubtful) {
		frame->unseen |= UNSEEN_INSIDE;
		frame->may_have_ended = true;
		frame->is_confirmed = false;
	}
	frames_begin(stack, how, frame->unseen, output);
	return 0;
}

/* Copies the @count frames of @from below its top @gone ones to the running
 * stack.
 */
static int enter_all(struct call_stack *stack, const struct call_stack *from,
		     size_t gone, uint32_t count, uint8_t how,
		     struct call_stack_output *output)
{
	size_t end = from->count - gone;

	assert(!stack->count && count && count <= end);
	for (size_t i = end - count; i < end; i++)
		if (enter_again(stack, frames_at(from, i), how,
				from->is_doubtful, output) < 0)
			return -ERROR_MEMORY;
	frames_top(stack)->is_confirmed = true;
	return 0;
}

/* Returns the fiber of the running stack that continues @from. A goroutine that
 * continues by other than its id may be another one. Another thread's own stack
 * is a fiber in this one.
 */
static uint32_t fiber_of(struct stack_pool *pool, const struct call_stack *from,
			 const struct wanted *wanted,
			 const struct call_stack_output *output)
{
	if (wanted->goroutine)
		return wanted->goroutine;
	if (from->is_unwound || fiber_is_goroutine(from->fiber) ||
	    (!from->fiber && from->owner != output->step.task->index))
		return stack_pool_next_fiber(pool);
	return from->fiber;
}

/* Resumes suspended stack @index, whose top @gone frames have ended. */
static int resume_at(struct call_stack *stack, uint32_t index,
		     const struct wanted *wanted, size_t gone, uint8_t how,
		     struct call_stack_output *output)
{
	struct stack_pool *pool = stack->pool;
	const struct call_stack *from = stack_pool_at(pool, index);
	uint32_t count = from->count - (uint32_t)gone;

	/* Untraced code may have changed any stack. */
	if (from->is_doubtful)
		how = HOW_INFERRED;
	stack->fiber = fiber_of(pool, from, wanted, output);
	stack->partial = from->partial;
	if (enter_all(stack, from, gone, count, how, output) < 0)
		return -ERROR_MEMORY;
	stack_pool_forget(pool, index);
	return 1;
}

/* Returns the fiber of a partial stack that is assumed to be stack @index: a
 * new one if that is a goroutine's, whose id is never assumed.
 */
static uint32_t guess_fiber(struct stack_pool *pool, uint32_t index)
{
	struct call_stack *guess = stack_pool_at(pool, index);

	if (fiber_is_goroutine(guess->fiber))
		return stack_pool_next_fiber(pool);
	guess->is_guessed = true;
	return guess->fiber;
}

/* Returns whether the last frame that all of @found share was called from the
 * same function in each.
 */
static bool have_same_caller(const struct stack_pool *pool,
			     const struct candidates *found,
			     const struct wanted *wanted, size_t gone)
{
	const struct call_stack *first = stack_pool_at(pool, found->first);
	size_t at = gone + found->common;
	struct met_shape met[MET_SHAPES] = { 0 };

	for (uint32_t i = found->first; i <= found->last; i++) {
		const struct call_stack *stack = stack_pool_at(pool, i);

		if (search(pool, i, wanted, met) == SEARCH_NEW &&
		    (stack->count <= at ||
		     stack_from_top(stack, at)->function !=
			     stack_from_top(first, at)->function))
			return false;
	}
	return true;
}

static void forget_return(struct call_frame *frame)
{
	frame->return_address = 0;
	frame->returns = RETURNS_ANYWHERE;
}

/* Resumes the frames that all of @found share, as the goroutine whose id is
 * known or else as the fiber that waits the longest: queues are mostly fair.
 */
static int resume_part(struct call_stack *stack, const struct candidates *found,
		       const struct wanted *wanted, size_t gone,
		       struct call_stack_output *output)
{
	const struct call_stack *from =
		stack_pool_at(stack->pool, found->first);
	uint32_t count;

	stack->partial = (struct partial_stack){
		.waits_for = stack_from_top(from, 0)->return_address,
		.gone = (uint32_t)gone + found->common,
		.has_caller =
			have_same_caller(stack->pool, found, wanted, gone),
	};
	count = found->common + stack->partial.has_caller;
	stack->fiber = wanted->goroutine;
	if (!wanted->goroutine && found->guess != UINT32_MAX)
		stack->fiber = guess_fiber(stack->pool, found->guess);
	if (enter_all(stack, from, gone, count, HOW_INFERRED, output) < 0)
		return -ERROR_MEMORY;
	for (uint32_t i = 0; i <= stack->partial.has_caller; i++)
		forget_return(frames_at(stack, i));
	return 1;
}

/* Resumes one of the stacks @found, whose top @gone frames have ended. */
static int resume(struct call_stack *stack, const struct candidates *found,
		  const struct wanted *wanted, size_t gone,
		  struct call_stack_output *output)
{
	if (found->count == 1)
		return resume_at(stack, found->first, wanted, gone, HOW_RESUMED,
				 output);
	if (found->are_equal)
		return resume_at(stack, found->first, wanted, gone,
				 HOW_INFERRED, output);
	if (wanted->address)
		return resume_part(stack, found, wanted, gone, output);
	/* Choose the newest: usually two stacks switch to each other in turn.
	 */
	return resume_at(stack, found->last, wanted, gone, HOW_INFERRED,
			 output);
}

/* Suspends the running @stack, unless it is empty, and resumes one of the
 * stacks @found. Returns 1 or -ERROR_MEMORY.
 */
static int exchange(struct call_stack *stack, struct candidates *found,
		    const struct wanted *wanted, size_t gone,
		    struct call_stack_output *output)
{
	struct stack_pool *pool = stack->pool;
	uint32_t before = stack_pool_count(pool);
	int status;

	if (stack->count && stack_move_to_pool(stack, 0, output) < 0)
		return -ERROR_MEMORY;
	/* Instead of adding the stack, stack_move_to_pool() may have ended a
	 * guess, which changes the order of the stacks.
	 */
	if (stack_pool_count(pool) == before)
		*found = find_candidates(pool, wanted, gone);
	status = resume(stack, found, wanted, gone, output);
	stack_pool_drop_oldest(pool);
	return status;
}

/* Switches from @stack, unless it is empty, to a suspended stack that matches
 * @wanted. If @stack is partial, the stack that it is assumed to be may match,
 * too: a goroutine may be scheduled again at once. Returns 1; 0 if no stack
 * matches; or -ERROR_MEMORY.
 */
static int switch_to_any(struct call_stack *stack, struct wanted *wanted,
			 struct call_stack_output *output)
{
	for (wanted->above = 0; wanted->above <= MOST_ABOVE; wanted->above++) {
		size_t gone = wanted->above + (wanted->address != 0);
		struct candidates found =
			find_candidates(stack->pool, wanted, gone);

		if (found.count)
			return exchange(stack, &found, wanted, gone, output);
	}
	return 0;
}

/* Like switch_to_any(), but a stack of the wanted goroutine goes before those
 * without an id.
 */
static int switch_to(struct call_stack *stack, struct wanted *wanted,
		     struct call_stack_output *output)
{
	int status = 0;

	wanted->has_goroutine = wanted->goroutine;
	if (wanted->has_goroutine)
		status = switch_to_any(stack, wanted, output);
	wanted->has_goroutine = false;
	return status ? status : switch_to_any(stack, wanted, output);
}

/* Applies a return from the outermost known frame when only a part of the stack
 * is known.
 */
static int complete(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output)
{
	struct wanted wanted = {
		.address = event->address,
		.function = event->function,
		.above = stack->partial.gone - 1,
		.waits_for = stack->partial.waits_for,
		.goroutine = fiber_is_goroutine(stack->fiber) ? stack->fiber :
								0,
	};
	struct candidates found =
		find_candidates(stack->pool, &wanted, stack->partial.gone);
	size_t gone = stack->partial.gone;

	if (!found.count)
		return 0;
	frames_pop(stack, 0, output);
	if (stack->count)
		frames_pop(stack, UNSEEN_END, output);
	/* The stack that it was assumed to be may be the one that goes on. */
	stack_switch_end_guess(stack);
	found = find_candidates(stack->pool, &wanted, gone);
	return resume(stack, &found, &wanted, gone, output);
}

int stack_switch_resume(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output)
{
	struct wanted wanted = {
		.address = event->address,
		.function = event->function,
	};

	if (!is_of_user(stack) || !stack_pool_count(stack->pool))
		return 0;
	if (stack->partial.gone &&
	    stack->count == 1U + stack->partial.has_caller &&
	    event->kind == FUNCTION_RETURN && event->address) {
		int status = complete(stack, event, output);

		if (status)
			return status;
	}
	/* Only runtime.gogo leads to another goroutine. */
	return fiber_is_goroutine(stack->fiber) ?
		       0 :
		       switch_to(stack, &wanted, output);
}

int stack_switch_into(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output)
{
	struct wanted wanted = { .function = event->function };

	if (!is_of_user(stack) || !stack_pool_count(stack->pool) ||
	    fiber_is_goroutine(stack->fiber) ||
	    (event->kind == FUNCTION_RETURN && event->detail) ||
	    event->function == FUNCTION_UNKNOWN)
		return 0;
	return switch_to(stack, &wanted, output);
}

/* Starts a new stack with @event's function, entered by a jump: that of
 * @goroutine unless it is 0.
 */
static int begin(struct call_stack *stack, const struct function_event *event,
		 uint32_t goroutine, struct call_stack_output *output)
{
	struct call_frame *frame = frames_next(stack);

	if (!frame)
		return -ERROR_MEMORY;
	*frame = (struct call_frame){
		.function = event->function,
		.how = HOW_TAIL,
		.returns = RETURNS_ANYWHERE,
	};
	stack->fiber = goroutine ? goroutine :
				   stack_pool_next_fiber(stack->pool);
	frames_begin(stack, HOW_TAIL, 0, output);
	return 1;
}

static void set_jumps(const struct call_stack *stack, uint32_t function)
{
	if (stack->roles &&
	    switch_role(stack->roles, function) == SWITCH_ROLE_NONE)
		switch_roles_set(stack->roles, function, SWITCH_ROLE_JUMPS);
}

void stack_switch_watch(const struct call_stack *stack,
			struct call_frame *frame)
{
	if (stack->pool && frame->returns == RETURNS_TO_ADDRESS &&
	    switch_role(stack->roles, frame->function) == SWITCH_ROLE_JUMPS)
		frame->returns = RETURNS_TO_ANY_STACK;
}

/* Suspends @stack, which waits where others do, and resumes one of these; it
 * may be the same. Returns 1, 0 if no other waits there, or -ERROR_MEMORY.
 */
static int take_turns(struct call_stack *stack, const struct wanted *wanted,
		      struct call_stack_output *output)
{
	struct candidates found;
	int status;

	/* Without an address, a stack would fit whose only frame has ended. */
	if (!wanted->address || !find_candidates(stack->pool, wanted, 1).count)
		return 0;
	if (stack_move_to_pool(stack, 0, output) < 0)
		return -ERROR_MEMORY;
	found = find_candidates(stack->pool, wanted, 1);
	status = resume(stack, &found, wanted, 1, output);
	stack_pool_drop_oldest(stack->pool);
	return status;
}

int stack_switch_choose(struct call_stack *stack, size_t at,
			const struct function_event *event,
			struct call_stack_output *output)
{
	const struct wanted wanted = {
		.address = event->address,
		.function = event->function,
	};

	if (at + 1 != stack->count || !is_of_user(stack) ||
	    fiber_is_goroutine(stack->fiber) ||
	    frames_top(stack)->returns != RETURNS_TO_ANY_STACK)
		return 0;
	return take_turns(stack, &wanted, output);
}

int stack_switch_ontop(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	struct wanted wanted = { 0 };
	struct call_frame *frame;
	int status;

	if (!is_of_user(stack) || stack->count < 2 ||
	    frames_top(stack)->returns == RETURNS_ANYWHERE)
		return 0;
	wanted.address = frames_top(stack)->return_address;
	wanted.function = stack_from_top(stack, 1)->function;
	status = take_turns(stack, &wanted, output);
	if (status <= 0)
		return status;
	frame = frames_next(stack);
	if (!frame)
		return -ERROR_MEMORY;
	*frame = (struct call_frame){
		.function = event->function,
		.return_address = wanted.address,
		.how = HOW_TAIL,
	};
	frames_begin(stack, HOW_TAIL, 0, output);
	return 1;
}

/* Requires two open frames. With fewer, the return does not switch stacks: the
 * bottom function of a stack returns to the function that ends the stack, such
 * as __start_context(), on the same stack.
 */
int stack_switch_begin(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	if (!event->detail || stack->count < 2 || !is_of_user(stack) ||
	    frames_top(stack)->returns == RETURNS_ANYWHERE ||
	    frames_top(stack)->is_signal ||
	    !call_frame_is_open(frames_top(stack)))
		return 0;
	set_jumps(stack, frames_top(stack)->function);
	if (stack_suspend_from(stack, 0, output) < 0)
		return -ERROR_MEMORY;
	return begin(stack, event, 0, output);
}

/* Continues from an empty @stack where @event leads to: on the stack that waits
 * there, or on one that was not seen before; on that of @goroutine unless it is
 * 0. Returns 1 or -ERROR_MEMORY.
 */
static int continue_at(struct call_stack *stack,
		       const struct function_event *event, uint32_t goroutine,
		       struct call_stack_output *output)
{
	struct wanted wanted = {
		.address = event->address,
		.function = event->function,
		.goroutine = goroutine,
	};
	int status = switch_to(stack, &wanted, output);

	if (status)
		return status;
	stack->fiber = goroutine ? goroutine :
				   stack_pool_next_fiber(stack->pool);
	return frames_push_unseen(stack, event, output) < 0 ? -ERROR_MEMORY : 1;
}

int stack_switch_enter(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	if (!is_of_user(stack) || frames_floor(stack) ||
	    frames_top(stack)->function == event->function)
		return 0;
	if (stack_suspend_from(stack, 0, output) < 0)
		return -ERROR_MEMORY;
	return begin(stack, event, 0, output);
}

/* Returns the first frame of @stack after @at that was entered by a jump of
 * @function, or the number of frames.
 */
static size_t next_part(const struct call_stack *stack, size_t at,
			uint32_t function)
{
	for (at++; at < stack->count; at++)
		if (frames_at(stack, at)->how == HOW_TAIL &&
		    frames_at(stack, at)->jumped_from == function)
			break;
	return at;
}

/* Suspends the part of @stack from @at to @end, which is a stack of its own; it
 * ends in @function, which switched to the frame at @end.
 */
static int suspend_part(struct call_stack *stack, size_t at, size_t end,
			uint32_t function, uint32_t owner)
{
	struct call_stack *kept = stack_keep_frames(stack, at, end);

	if (!kept)
		return -ERROR_MEMORY;
	kept->owner = owner;
	if (at) {
		kept->fiber = stack_pool_next_fiber(stack->pool);
		kept->frames[0].returns = RETURNS_ANYWHERE;
	} else {
		kept->partial = stack->partial;
	}
	if (end == stack->count)
		return 0;
	kept->frames[kept->count++] = (struct call_frame){
		.function = function,
		.return_address = frames_at(stack, end)->return_address,
		.how = HOW_CALL,
	};
	stack->pool->frames++;
	return 0;
}

int stack_switch_part(struct call_stack *stack, size_t at,
		      const struct function_event *event,
		      struct call_stack_output *output)
{
	uint32_t function = frames_top(stack)->function;
	int status;

	if (!is_of_user(stack) || frames_floor(stack) ||
	    frames_at(stack, at)->how != HOW_TAIL ||
	    frames_at(stack, at)->jumped_from != function ||
	    function == FUNCTION_UNKNOWN)
		return 0;
	set_jumps(stack, function);
	for (size_t begin = 0, end; begin < stack->count; begin = end) {
		end = next_part(stack, begin, function);
		if (suspend_part(stack, begin, end, function,
				 output->step.task->index) < 0)
			return -ERROR_MEMORY;
	}
	stack->partial = (struct partial_stack){ 0 };
	frames_pop_to(stack, 0, false, output);
	status = continue_at(stack, event, 0, output);
	stack_pool_drop_oldest(stack->pool);
	return status;
}

static size_t find_role(const struct call_stack *stack, uint8_t role)
{
	for (size_t i = stack->count; i-- > 0;)
		if (switch_role(stack->roles, frames_at(stack, i)->function) ==
		    role)
			return i;
	return NO_FRAME;
}

static uint8_t role_at(const struct call_stack *stack, size_t index)
{
	return index < stack->count ?
		       switch_role(stack->roles,
				   frames_at(stack, index)->function) :
		       SWITCH_ROLE_NONE;
}

static void end_from(struct call_stack *stack, size_t at,
		     struct call_stack_output *output)
{
	while (stack->count > at)
		frames_pop(stack, 0, output);
}

/* Forgets the goroutine that mcall() suspended in @task, which has ended. */
static void end_goroutine(const struct call_stack *stack, uint32_t task)
{
	struct stack_pool *pool = stack->pool;

	for (uint32_t i = stack_pool_count(pool); i-- > 0;) {
		const struct call_stack *kept = stack_pool_at(pool, i);

		if (kept->owner != task || kept->is_unwound ||
		    role_at(kept, kept->count - 1) != SWITCH_ROLE_MCALL)
			continue;
		/* Without memory, the number is not used again. */
		if (kept->fiber && !fiber_is_goroutine(kept->fiber))
			array_append(&pool->ended, &kept->fiber);
		stack_pool_forget(pool, i);
		return;
	}
}

/* Suspends the goroutine, and enters mcall() on g0, which starts anew each
 * time. In the pool, mcall() is the goroutine's innermost frame.
 */
static int leave_goroutine(struct call_stack *stack,
			   const struct function_event *event,
			   struct call_stack_output *output)
{
	struct call_frame *frame = frames_next(stack);
	struct call_stack *kept;

	if (!frame)
		return -ERROR_MEMORY;
	call_frame_begin(frame, event, HOW_CALL);
	stack->count++;
	kept = stack_keep_from(stack, 0);
	stack->count--;
	if (!kept)
		return -ERROR_MEMORY;
	kept->owner = output->step.task->index;
	frames_pop_to(stack, 0, false, output);
	stack->partial = (struct partial_stack){ 0 };
	stack->fiber = 0;
	call_frame_begin(frames_next(stack), event, HOW_CALL);
	frames_begin(stack, HOW_CALL, 0, output);
	stack_pool_drop_oldest(stack->pool);
	return 1;
}

/* Exits the frames of g0, above @to_g0, and suspends the goroutine below. */
static int leave_morestack(struct call_stack *stack, size_t to_g0,
			   struct call_stack_output *output)
{
	int status;

	end_from(stack, to_g0 + 1, output);
	status = stack_suspend_from(stack, 0, output);
	stack->fiber = 0;
	return status;
}

int stack_switch_call(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output)
{
	uint8_t role = switch_role(stack->roles, event->function);
	bool is_on_g0 = role_at(stack, stack->count - 1) == SWITCH_ROLE_MCALL;
	size_t to_g0 = find_role(stack, SWITCH_ROLE_MORESTACK);

	if (!is_of_user(stack))
		return 0;
	if (role == SWITCH_ROLE_MCALL && !is_on_g0)
		return leave_goroutine(stack, event, output);
	if (role == SWITCH_ROLE_LAST && is_on_g0)
		end_goroutine(stack, output->step.task->index);
	if (role == SWITCH_ROLE_SCHEDULE && to_g0 != NO_FRAME)
		return leave_morestack(stack, to_g0, output);
	return 0;
}

/* Returns whether runtime.newstack returns to the function that needed more
 * stack, without scheduling.
 */
static bool is_own_return(const struct call_stack *stack, size_t to_g0,
			  const struct function_event *event)
{
	size_t above = to_g0 + 1;

	return role_at(stack, above) == SWITCH_ROLE_NEWSTACK &&
	       role_at(stack, above + 1) == SWITCH_ROLE_GOGO &&
	       frames_at(stack, to_g0)->return_address == event->address;
}

/* Returns the fiber of the goroutine that starts or continues when the open
 * runtime.gogo jumps; 0 if its id is unknown. The probe's record was written
 * since the call of runtime.gogo.
 */
static uint32_t next_goroutine(const struct call_stack *stack,
			       const struct call_stack_output *output)
{
	const struct call_step *step = &output->step;
	size_t at = 0;
	uint64_t from_ns;
	uint32_t id;

	if (!output->goroutines)
		return 0;
	while (role_at(stack, at) != SWITCH_ROLE_GOGO)
		at++;
	from_ns = frames_at(stack, at)->start_ns;
	id = goroutine_ids_between(
		output->goroutines, step->task->tid,
		from_ns > step->early_ns ? from_ns - step->early_ns : 0,
		step->time_ns + step->late_ns);
	if (!id)
		return 0;
	if (stack->pool->fibers < FIBER_WITHOUT_ID) {
		stack->pool->fibers = FIBER_WITHOUT_ID;
		stack->pool->ended.count = 0;
	}
	return id | FIBER_GOROUTINE;
}

bool stack_switch_was_unseen(const struct call_stack *stack,
			     const struct call_stack_output *output)
{
	const struct call_step *step = &output->step;

	return output->goroutines && fiber_is_goroutine(stack->fiber) &&
	       goroutine_ids_until(output->goroutines, step->task->tid,
				   step->time_ns + step->late_ns) !=
		       fiber_number(stack->fiber);
}

int stack_switch_go(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output)
{
	size_t to_g0 = find_role(stack, SWITCH_ROLE_MORESTACK);
	uint32_t goroutine;
	int status = 0;

	if (!is_of_user(stack) ||
	    role_at(stack, stack->count - 1) != SWITCH_ROLE_GOGO)
		return 0;
	if (to_g0 != NO_FRAME && is_own_return(stack, to_g0, event)) {
		end_from(stack, to_g0, output);
		return 1;
	}
	goroutine = next_goroutine(stack, output);
	if (to_g0 != NO_FRAME)
		status = leave_morestack(stack, to_g0, output);
	else
		end_from(stack, 0, output);
	stack_switch_end_guess(stack);
	if (status < 0)
		return status;
	if (event->kind == FUNCTION_TAIL_CALL)
		return begin(stack, event, goroutine, output);
	return continue_at(stack, event, goroutine, output);
}

/* Drops an unwound stack if needed, so that another can be added
 * (stack_switch_internal.h, invariant 3).
 */
static void forget_unwound(struct stack_pool *pool)
{
	uint32_t count = 0;

	for (uint32_t i = stack_pool_count(pool); i-- > 0;) {
		if (!stack_pool_at(pool, i)->is_unwound ||
		    ++count < STACK_POOL_UNWOUND)
			continue;
		stack_pool_forget(pool, i);
		return;
	}
}

int stack_switch_unwind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output)
{
	size_t same = event->function == FUNCTION_UNKNOWN ?
			      NO_FRAME :
			      frames_find(stack, 0, event->function);
	struct call_stack *kept;

	if (same == NO_FRAME)
		return 0;
	if (is_of_user(stack) && stack->count > same + 1) {
		forget_unwound(stack->pool);
		kept = stack_keep_from(stack, same + 1);
		if (!kept)
			return -ERROR_MEMORY;
		kept->is_unwound = true;
		kept->base = (uint32_t)same + 1;
		kept->owner = output->step.task->index;
		stack_pool_drop_oldest(stack->pool);
	}
	end_from(stack, same + 1, output);
	frames_top(stack)->is_confirmed = true;
	return 1;
}

/* Returns the newest stack that was unwound from the running one, or NO_FRAME.
 */
static size_t find_unwound(const struct call_stack *stack, uint32_t owner)
{
	for (uint32_t i = stack_pool_count(stack->pool); i-- > 0;) {
		const struct call_stack *kept = stack_pool_at(stack->pool, i);

		if (kept->is_unwound && kept->owner == owner)
			return kept->base == stack->count &&
					       !kept->is_doubtful ?
				       i :
				       NO_FRAME;
	}
	return NO_FRAME;
}

int stack_switch_rewind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output)
{
	const struct call_stack *kept;
	size_t index;
	size_t at;

	if (!is_of_user(stack))
		return 0;
	index = find_unwound(stack, output->step.task->index);
	if (index == NO_FRAME)
		return 0;
	kept = stack_pool_at(stack->pool, (uint32_t)index);
	at = frames_find_return(kept, 1, event->address);
	if (at == NO_FRAME)
		return 0;
	for (size_t i = 0; i < at; i++)
		if (enter_again(stack, frames_at(kept, i), HOW_RESUMED, false,
				output) < 0)
			return -ERROR_MEMORY;
	stack_pool_forget(stack->pool, (uint32_t)index);
	return 1;
}

int stack_switch_split(struct call_stack *stack, size_t at,
		       struct call_stack_output *output)
{
	return is_of_user(stack) && at < stack->count ?
		       stack_suspend_from(stack, at, output) :
		       0;
}
