/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STACK_SWITCH_H
#define KT_REPORT_STACK_SWITCH_H

#include "report/steps/call_stack.h"
#include "report/steps/switch_roles.h"

#include <stddef.h>
#include <stdint.h>

/* User code that changes stacks: coroutines, fibers, goroutines, effects.
 *
 * A call stack is one stack of user space at a time.  The others that the process
 * has are suspended in its pool, since a goroutine may go on in another thread:
 *
 *	running --- return or jump to the address that another stack waits for,
 *	   ^	    or return to a function's entry
 *	   |		|
 *	resumed		v
 *	   |	    suspended, top frame = the routine that switches
 *	   +--- return or jump to that frame's return address
 *
 * A suspended stack ends in the function that switched (swapcontext(), mcall()),
 * whose return address is where the stack goes on.  Its frames leave the
 * timeline (STEP_EXIT with UNSEEN_END) and enter it again with HOW_RESUMED, which
 * is no call.
 *
 * Several stacks may wait for the address: parked goroutines all wait in
 * runtime.gopark.  The frames that all of them have, from the top, are entered as
 * HOW_INFERRED; the rest follows when a return leaves these, to an address that
 * only one of them has.
 *
 * A jump to a function that is open further out, longjmp() or an exception, ends
 * the frames above.  Their copy stays in the pool as unwound: a later jump into one
 * of them shows that they have a stack of their own, a return to one of them that
 * the jump was a tail call into code without names.
 *
 * Invariants:
 * 1. No suspended stack has a frame of the kernel.
 * 2. stack_pool_count() <= STACK_POOL_STACKS, and all stacks have at most
 *    STACK_POOL_FRAMES frames: the oldest is forgotten first.
 * 3. At most STACK_POOL_UNWOUND of them are unwound.
 *
 * Inside call_stack only, except for the life of a pool.
 */
enum {
	STACK_POOL_STACKS = 4096,
	STACK_POOL_FRAMES = 1 << 18,
	STACK_POOL_UNWOUND = 64,
};

/* The suspended stacks of one process, the oldest first. */
struct stack_pool;

/* Returns NULL when out of memory. */
struct stack_pool *stack_pool_new(void);
void stack_pool_free(struct stack_pool *pool);

/* The process has another program. */
void stack_pool_clear(struct stack_pool *pool);

/* Code of the process ran unseen: any stack may be another now.  NULL is allowed. */
void stack_pool_pause(struct stack_pool *pool);

uint32_t stack_pool_count(const struct stack_pool *pool);

/* Returns suspended stack @index, to be written to a checkpoint. */
struct call_stack *stack_pool_at(const struct stack_pool *pool, uint32_t index);

/* Adds an empty stack, to be read from a checkpoint (NULL when out of memory), and
 * counts the frames that it has got then.
 */
struct call_stack *stack_pool_add(struct stack_pool *pool);
void stack_pool_added(struct stack_pool *pool);

/* All of these take an event of user code that leads away from the top of @stack
 * without being its return.  Each returns 1 if it was a switch of stacks and is
 * done, 0 if not, then having changed nothing, or -ERROR_MEMORY.
 */

/* A return, or a jump, to the address that a suspended stack waits for. */
int stack_switch_resume(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

/* The same to the middle of the function that a suspended stack is in, where no
 * address is known: an inline switch, longjmp() to another stack.
 */
int stack_switch_into(struct call_stack *stack,
		      const struct function_event *event,
		      struct call_stack_output *output);

/* A return to a function's entry: a new stack begins with it, as makecontext()
 * prepares one.
 */
int stack_switch_begin(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* A jump of runtime.gogo, to a goroutine's entry or to where it goes on. */
int stack_switch_go(struct call_stack *stack,
		    const struct function_event *event,
		    struct call_stack_output *output);

/* A jump to the middle of a function that is open in @stack: ends the frames above
 * it, and keeps a copy of them as unwound.
 */
int stack_switch_unwind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

/* A return to an unwound frame of the running stack: it has not ended. */
int stack_switch_rewind(struct call_stack *stack,
			const struct function_event *event,
			struct call_stack_output *output);

/* Control goes back to the caller of frame @at, a function that was entered by a
 * jump: the frames from there on are a stack of their own if they go on later.
 * Suspends these.  Returns 0 or -ERROR_MEMORY.
 */
int stack_switch_split(struct call_stack *stack, size_t at,
		       struct call_stack_output *output);

#endif
