/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_STACK_SWITCH_INTERNAL_H
#define KT_REPORT_STEPS_STACK_SWITCH_INTERNAL_H

#include "common/array.h"
#include "common/maps.h"
#include "report/steps/call_frames.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Follows user code that switches stacks: coroutines, fibers, goroutines,
 * effects.
 *
 * A call stack is one stack of user space at a time. The other stacks of the
 * process are suspended in its pool, since a goroutine may continue in another
 * thread:
 *
 *         running --- return or jump to the address that another stack waits for,
 *            ^        or return to a function's entry
 *            |            |
 *         resumed         v
 *            |        suspended, top frame = the routine that switches
 *            +--- return or jump to that frame's return address
 *
 * The top frame of a suspended stack is the function that switched
 * (swapcontext(), mcall()); the stack continues at this frame's return address.
 * Suspended frames leave the timeline (STEP_EXIT with UNSEEN_END) and enter it
 * again with HOW_RESUMED, which is not a call.
 *
 * Several stacks may wait for the same address: parked goroutines all wait in
 * runtime.gopark. The frames that all of them share, counted from the top, are
 * entered as HOW_INFERRED. The other frames follow when a return leaves the
 * shared ones to an address that only one of the stacks has.
 *
 * A jump to an outer open function, by longjmp() or an exception, ends the
 * frames above. Their copy stays in the pool as unwound: a later jump into one
 * of these frames shows that they have a stack of their own; a return to one of
 * them shows that the first jump was a tail call into code without names.
 *
 * Stacks other than a thread's own are fibers, numbered within their process
 * (fiber in struct call_step). A goroutine's number is used again after it
 * ended, as Go does with its stack. If several stacks wait for one address,
 * which of them continues is not known: the one that waits the longest is
 * assumed to, as HOW_INFERRED. With the ids of goroutines (goroutine_ids.h)
 * runtime.gogo shows which goroutine continues: its number is its id, and its
 * stack is the one that was suspended with this id. Where the id is unknown,
 * because two switches are within the time bounds or trace is lost, a goroutine
 * has a number above FIBER_WITHOUT_ID until its id is recorded again.
 *
 * In Go, a thread's own stack is g0, on which goroutines are scheduled: mcall()
 * ends a goroutine's time on the CPU, so that a sleep of the thread after it
 * does not count for the goroutine.
 *
 * Invariants:
 * 1. No suspended stack has a frame of the kernel.
 * 2. stack_pool_count() <= STACK_POOL_STACKS, and all stacks have at most
 *    STACK_POOL_FRAMES frames: the oldest is forgotten first.
 * 3. At most STACK_POOL_UNWOUND of them are unwound.
 *
 * Private to call_stack*.c and its helpers, except for creating and freeing a
 * pool.
 */
enum {
	STACK_POOL_STACKS = 4096,
	STACK_POOL_FRAMES = 1 << 18,
	STACK_POOL_UNWOUND = 64,
	/* number of frames by which a stack is found, from the top */
	STACK_POOL_KEYED = 9,
};

struct suspended_stack {
	struct call_stack *stack; /* owned */
	/* see stack_pool_shape(); 0: not computed yet, or unwound */
	uint64_t shape;
};

/* The suspended stacks of one process. */
struct stack_pool {
	struct array stacks; /* struct suspended_stack, oldest first */
	/* by frame number with return address or function: the number of
	 * suspended stacks with such a frame; see stack_pool_may_fit()
	 */
	struct number_map keys;
	bool lacks_keys;    /* there was no memory for some */
	size_t frames;	    /* sum over all stacks */
	uint32_t fibers;    /* number of the newest fiber without an id */
	struct array ended; /* uint32_t: fibers whose numbers are free */
};
struct pack;

/* Returns NULL when out of memory. */
struct stack_pool *stack_pool_new(void);
void stack_pool_free(struct stack_pool *pool);

/* Empties the pool. Must be called when the process executes another program.
 */
void stack_pool_clear(struct stack_pool *pool);

/* Marks all stacks of @pool, which may be NULL, as doubtful. Must be called
 * when untraced code of the process ran, which may have changed any of them.
 */
void stack_pool_pause(struct stack_pool *pool);

uint32_t stack_pool_count(const struct stack_pool *pool);

/* Returns suspended stack @index. */
struct call_stack *stack_pool_at(const struct stack_pool *pool, uint32_t index);

/* For reading a checkpoint. stack_pool_add() adds an empty stack, and returns
 * NULL when out of memory; stack_pool_added() then counts the frames that were
 * read into it.
 */
struct call_stack *stack_pool_add(struct stack_pool *pool);
void stack_pool_added(struct stack_pool *pool);

/* Writes or reads the numbers of the pool's fibers. */
void stack_pool_pack_fibers(struct stack_pool *pool, struct pack *pack);

/* Returns the number of a new fiber. */
uint32_t stack_pool_next_fiber(struct stack_pool *pool);

/* Returns whether any suspended stack may have, as its frame @above counted
 * from the top, one that returns to @address, or one of @function if @address
 * is 0. A search through thousands of stacks that cannot succeed then costs one
 * look-up. @above must be below STACK_POOL_KEYED.
 */
bool stack_pool_may_fit(struct stack_pool *pool, size_t above, uint64_t address,
			uint32_t function);

/* Returns a number that only stacks with equal frames share: the functions,
 * return addresses and kinds of return; except by accident, at odds of 1 in
 * 2^40 for a full pool. Returns 0 for a stack that must be compared frame by
 * frame: it is unwound, or was added since the last search, or the pool is
 * small.
 */
uint64_t stack_pool_shape(const struct stack_pool *pool, uint32_t index);

/* Makes suspended stack @index the newest one. */
void stack_pool_renew(struct stack_pool *pool, uint32_t index);

/* Frees suspended stack @index. */
void stack_pool_forget(struct stack_pool *pool, uint32_t index);

/* Drops the oldest stacks until the pool is within its bounds
 * (stack_switch_internal.h, invariant 2). Must follow each suspension; after a
 * switch, once the other stack is resumed, because that one may be the oldest.
 */
void stack_pool_drop_oldest(struct stack_pool *pool);

/* Must be called when the frames of @stack have ended, and were not suspended:
 * if it was partial, the stack in the pool that it was assumed to be waits
 * again. Does nothing otherwise.
 */
void stack_switch_end_guess(struct call_stack *stack);

/* Returns frame @index of @stack, counted from the top. */
const struct call_frame *stack_from_top(const struct call_stack *stack,
					size_t index);

/* Returns the number of equal frames of both stacks below the top @gone ones.
 * The return address of the outermost equal frame may differ.
 */
uint32_t stack_common_frames(const struct call_stack *a,
			     const struct call_stack *b, size_t gone);

/* Copies the frames of @stack from @at to @end to the pool, with room for
 * another one, even if the pool is then beyond its bounds. Returns the copy, or
 * NULL when out of memory.
 */
struct call_stack *stack_keep_frames(struct call_stack *stack, size_t at,
				     size_t end);

/* Copies the frames of @stack from @at on to the pool. If @stack is partial,
 * its unknown frames are below frame 0, so only a copy of that one is partial,
 * too. Returns the copy, or NULL when out of memory.
 */
struct call_stack *stack_keep_from(struct call_stack *stack, size_t at);

/* Suspends the frames of @stack from @at on, and exits them in the timeline. If
 * @at is not 0, they become a fiber of their own. stack_pool_drop_oldest() must
 * follow.
 */
int stack_move_to_pool(struct call_stack *stack, size_t at,
		       struct call_stack_output *output);

/* Calls stack_move_to_pool(), then drops the oldest stacks, if there are too
 * many.
 */
int stack_suspend_from(struct call_stack *stack, size_t at,
		       struct call_stack_output *output);

/* The functions below apply an event of user code that leads away from the top
 * of @stack without being its return. Each returns 1 if the event was a switch
 * of stacks and is done, 0 if not, having changed nothing unless stated
 * otherwise, or -ERROR_MEMORY.
 */

/* Handles a return, or a jump, to the address that a suspended stack waits for:
 * switches to that stack.
 */
int stack_switch_resume(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

/* Like stack_switch_resume(), to the middle of the current function of a
 * suspended stack whose address is unknown: an inline switch, or longjmp() to
 * another stack.
 */
int stack_switch_into(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output);

/* Sets how @frame, the new top of @stack, returns if its function switches
 * stacks.
 */
void stack_switch_watch(const struct call_stack *stack,
			struct call_frame *frame);

/* Handles a return or jump of frame @at to its return address. If it is the
 * top, its function switches stacks, and others wait for the same address, any
 * of these may continue: as above, the one that waits the longest is assumed
 * to, and only what all share is known.
 */
int stack_switch_choose(struct call_stack *stack, size_t at,
			const struct function_event *event,
			struct call_stack_output *output);

/* Handles a jump of a SWITCH_ROLE_ONTOP function: suspends the running stack,
 * resumes one that waits for the same address, and enters the function on it.
 */
int stack_switch_ontop(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* Handles a return to a function's entry: it starts a new stack, as prepared by
 * makecontext().
 */
int stack_switch_begin(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* Handles a jump to a function's entry by a routine that is known to switch
 * stacks: starts a new stack, as boost.context does.
 */
int stack_switch_enter(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* Handles a jump to the return address of frame @at, by the function that
 * entered this frame by a jump: that function switches stacks. Each frame that
 * it jumped to is the outermost of a stack of its own: splits @stack there, and
 * resumes the one that continues.
 */
int stack_switch_part(struct call_stack *stack, size_t at,
		      const struct function_event *event,
		      struct call_stack_output *output);

/* Handles a call of a function with a role: mcall() suspends the goroutine and
 * continues on g0, goexit0() on g0 ends the goroutine, and schedule() suspends
 * one that was preempted where it needed more stack. Returns 0, even after a
 * change, if the event must also be applied as an ordinary call.
 */
int stack_switch_call(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output);

/* Handles a jump of runtime.gogo, to a goroutine's entry or to the address
 * where it continues.
 */
int stack_switch_go(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output);

/* Returns whether the thread of @stack, a goroutine's whose id was recorded,
 * switched to another goroutine while it was not traced.
 */
bool stack_switch_was_unseen(const struct call_stack *stack,
			     const struct call_stack_output *output);

/* Handles a jump to the middle of a function that is open in @stack: exits the
 * frames above it, and adds a copy of them to the pool as unwound.
 */
int stack_switch_unwind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

/* Handles a return to an unwound frame of the running stack: the frame has not
 * ended after all, and is entered again.
 */
int stack_switch_rewind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

/* Suspends the frames from @at on: control returns to the caller of frame @at,
 * a function that was entered by a jump, and the frames are a stack of their
 * own if they continue later. Returns 0 or -ERROR_MEMORY.
 */
int stack_switch_split(struct call_stack *stack, size_t at,
		       struct call_stack_output *output);

#endif
