/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_CALL_FRAMES_H
#define KT_REPORT_STEPS_CALL_FRAMES_H

/* Operations on the frames of a call stack, in three layers:
 * - roles of functions that switch stacks (struct switch_roles),
 * - changes of frames that emit call events (frames_*), for call_stack.c,
 *   stack_switch.c, stack_suspend.c and task_state.c,
 * - the fast path (plain_call_consume()) for callbacks with consume_plain, which
 *   consume events without call events.
 *
 * Invariants:
 * 1. Only frames_begin(), frames_pop() and frames_replace() emit STEP_ENTER and
 *    STEP_EXIT while events are applied: one for each frame that is added or
 *    removed; and frames_set_inlined() and frames_pop_inlined() one for each
 *    inlined call.
 * 2. plain_call_consume() changes a stack exactly as call_stack_consume_calls()
 *    would, or not at all. Stacks that had inlined calls do not use it.
 */

#include "report/steps/call_step.h"
#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_table;
struct pack;
struct stack_pool;

/* Roles of functions that switch stacks: of Go's runtime (runtime/asm_*.s,
 * proc.go), and of others.
 */
enum switch_role {
	SWITCH_ROLE_NONE,
	SWITCH_ROLE_GOGO, /* jumps to a goroutine: runtime.gogo, gogo */
	/* switches from a goroutine's stack to the thread's, g0, and calls a
	 * function that never returns
	 */
	SWITCH_ROLE_MCALL,
	SWITCH_ROLE_MORESTACK, /* like SWITCH_ROLE_MCALL, but calls newstack */
	SWITCH_ROLE_NEWSTACK, /* returns to its own goroutine, or schedules others */
	SWITCH_ROLE_LAST, /* ends the goroutine: goexit0 */
	SWITCH_ROLE_SCHEDULE, /* on g0: continues with a goroutine, and never returns */
	/* of any program: it was seen to jump or return to another stack */
	SWITCH_ROLE_JUMPS,
	/* Boost.Context's: jumps to a function that runs on the other stack,
	 * and returns to where that stack waits
	 */
	SWITCH_ROLE_ONTOP,
};

/* Roles by function number. */
struct switch_roles {
	uint8_t *of; /* NULL: no function has a role */
	/* only the count functions from number first on may have one */
	uint32_t first;
	uint32_t count;
	uint32_t functions; /* number of all functions */
};

/* Returns the roles of @functions; none when out of memory, so that goroutines
 * are then followed like other coroutines.
 */
struct switch_roles switch_roles_of(const struct function_table *functions);
void switch_roles_free(struct switch_roles *roles);

/* Sets the role of @function. Does nothing if @function is not in the table of
 * functions, or when out of memory.
 */
void switch_roles_set(struct switch_roles *roles, uint32_t function,
		      uint8_t role);

/* Writes or reads the roles that were found in the trace. */
void switch_roles_pack(struct switch_roles *roles, struct pack *pack);

static inline uint8_t switch_role(const struct switch_roles *roles,
				  uint32_t function)
{
	return roles && function - roles->first < roles->count ?
		       roles->of[function] :
		       SWITCH_ROLE_NONE;
}

enum frame_returns {
	RETURNS_TO_ADDRESS,
	RETURNS_ANYWHERE, /* its return address is unknown */
	/* SWITCH_ROLE_JUMPS: to its return address, or to another stack that
	 * waits for the same address
	 */
	RETURNS_TO_ANY_STACK,
};

/* One open function. */
struct call_frame {
	uint64_t return_address; /* of an exception: the interrupted address */
	uint64_t start_ns;
	uint64_t start_clock_ns; /* the task's clock at start_ns */
	uint32_t function;
	uint8_t how;	/* enum call_how */
	uint8_t unseen; /* enum call_unseen bits so far */
	/* not an ordinary call: returns from functions above this frame end
	 * none below it
	 */
	bool is_exception;
	uint8_t returns; /* enum frame_returns */
	/* not known to be open since a pause in tracing */
	bool may_have_ended;
	/* its function has been running since the pause */
	bool is_confirmed;
	/* a signal handler (is_exception is set, too); it returns to
	 * return_address or, if that is 0, to the function below it
	 */
	bool is_signal;
	uint32_t jumped_from; /* HOW_TAIL: the function that jumped here */
};

/* An open inlined call. */
struct inlined_frame {
	uint64_t start_ns;
	uint64_t start_clock_ns;
	uint32_t site;	/* see function_table.h */
	uint32_t frame; /* index of the frame whose code it is part of */
	uint8_t how;	/* enum call_how */
};

/* Set if several suspended stacks waited for the address where the running
 * stack continued: then only the frames that they share are known
 * (stack_switch_internal.h).
 */
struct partial_stack {
	uint64_t waits_for; /* the address where they waited */
	/* number of frames of each of these suspended stacks from its top down
	 * to the last shared one; 0: the whole stack is known
	 */
	uint32_t gone;
	/* the outermost frame is the function from which all stacks called the
	 * last shared one, by different calls: it is part of no other frame
	 */
	bool has_caller;
};

/* The open functions of one task, outermost first. Interrupts are on top of the
 * functions that they interrupted: a stack of stacks, each started by a frame
 * with is_exception.
 */
struct call_stack {
	struct call_frame *frames;
	uint32_t count;
	uint32_t room;
	/* the open inlined calls, outermost first. Suspended stacks have none:
	 * those of a frame begin again when control returns to it
	 */
	struct inlined_frame *inlined;
	uint32_t inlined_count;
	uint32_t inlined_room;
	/* exec: the frames below the system call are obsolete */
	bool has_new_program;
	bool is_doubtful; /* suspended while untraced code of its process ran */
	/* suspended because a function below it was jumped to, which ends it
	 * unless later code shows that it continues
	 */
	bool is_unwound;
	uint32_t base; /* is_unwound: number of frames that were below it */
	/* suspended: the index of the task that ran it */
	uint32_t owner;
	uint32_t fiber; /* see struct call_step */
	/* suspended: a partial stack with the same fiber number is assumed to
	 * be this stack
	 */
	bool is_guessed;
	/* suspended: its pool has counted its frames (stack_pool.keys) */
	bool is_keyed;
	struct partial_stack partial;
	/* the suspended stacks of its process; NULL: assume one stack of user
	 * space
	 */
	struct stack_pool *pool;
	struct switch_roles *roles; /* NULL: no function has a role */
};

/* Frees the frames of @stack, which is then zeroed: a valid empty stack. */
void call_stack_free(struct call_stack *stack);

/* Empties @stack, and keeps the memory of its frames, its pool and roles. */
void call_stack_clear(struct call_stack *stack);

/* The receiver of an event's call events. The caller sets time, CPU and task in
 * "step"; the stack fills in the rest.
 */
struct call_stack_output {
	struct call_step step;
	struct step_callback *callback;
	const struct function_table *functions; /* NULL: without inlined calls */
	const struct goroutine_ids *goroutines; /* NULL: not recorded */
};

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
static inline void frames_emit(struct call_stack_output *output, uint8_t kind,
			       uint8_t how, uint8_t unseen, uint32_t function,
			       uint32_t depth)
{
	struct call_step *step = &output->step;

	step->kind = kind;
	step->how = how;
	step->unseen = unseen;
	step->function = function;
	step->depth = depth;
	output->callback->consume(output->callback, step);
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

	step->fiber = stack->fiber;
	frame->start_ns = step->time_ns;
	frame->start_clock_ns = step->clock_ns;
	step->place = frame->return_address;
	step->wall_ns = 0;
	step->on_cpu_ns = 0;
	frames_emit(output, STEP_ENTER, how, unseen, frame->function,
		    stack->count - 1 + stack->inlined_count);
}

/* Exits the inlined calls above the first @count ones. */
void frames_pop_inlined(struct call_stack *stack, uint32_t count,
			struct call_stack_output *output);

/* Returns the number of inlined calls that are open in frames below @frame. */
uint32_t frames_inlined_below(const struct call_stack *stack, uint32_t frame);

/* Applies FUNCTION_INLINED: exits and enters inlined calls of the innermost
 * function, until exactly those of @event are open there. Returns 0 or
 * -ERROR_MEMORY.
 */
int frames_set_inlined(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output);

/* Exits the innermost function; @unseen has enum call_unseen bits to add. */
static inline void frames_pop(struct call_stack *stack, uint8_t unseen,
			      struct call_stack_output *output)
{
	struct call_step *step = &output->step;
	const struct call_frame *frame = stack->frames + --stack->count;

	if (stack->inlined_count)
		frames_pop_inlined(stack,
				   frames_inlined_below(stack, stack->count),
				   output);

	step->place = 0;
	step->fiber = stack->fiber;
	step->wall_ns = step->time_ns - frame->start_ns;
	step->on_cpu_ns = step->clock_ns - frame->start_clock_ns;
	frames_emit(output, STEP_EXIT, frame->how, frame->unseen | unseen,
		    frame->function, stack->count + stack->inlined_count);
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
	frame->jumped_from = frame->function;
	frame->function = function;
	frame->how = HOW_TAIL;
	frame->unseen = unseen;
	frames_begin(stack, HOW_TAIL, unseen, output);
}

/* Pops until @count frames are left. The end of the frame popped last was
 * traced if @seen; those of the other frames were not.
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

/* Fast path for nearly all events: calls, the returns from them, and tail
 * calls, of functions that were seen to begin. They need neither a search of
 * the stack nor assumptions. call_stack.c has the general code, which does the
 * same.
 */

/* The frames of a stack while plain events are applied to it. */
struct plain_frames {
	struct call_frame *first;
	struct call_frame *next; /* slot of the next frame */
	struct call_frame *end;	 /* end of the allocated frames */
	struct switch_roles roles;
};

static inline struct plain_frames
plain_frames_of(const struct call_stack *stack)
{
	return (struct plain_frames){
		.first = stack->frames,
		.next = stack->frames + stack->count,
		.end = stack->frames + stack->room,
		.roles = stack->roles ? *stack->roles :
					(struct switch_roles){ 0 },
	};
}

static inline void plain_frames_put_back(const struct plain_frames *frames,
					 struct call_stack *stack)
{
	stack->count = (uint32_t)(frames->next - frames->first);
}

/* Fills @frame for the function that @event calls, except its times. In place,
 * since reading small adjacent writes back together would stall the CPU.
 */
static inline void call_frame_begin(struct call_frame *frame,
				    const struct function_event *event,
				    uint8_t how)
{
	*frame = (struct call_frame){
		.function = event->function,
		.return_address = event->address,
		.how = how,
		.is_exception = how != HOW_CALL,
	};
}

/* Returns whether the return @event leaves @top. */
static inline bool call_frame_is_left_by(const struct call_frame *top,
					 const struct function_event *event)
{
	return top->return_address == event->address && !top->is_exception &&
	       top->returns == RETURNS_TO_ADDRESS;
}

/* Returns whether @frame is certainly open: it did not end in a pause. */
static inline bool call_frame_is_open(const struct call_frame *frame)
{
	return !frame->may_have_ended || frame->is_confirmed;
}

/* Returns whether the return @event may lead to @frame, which is the top after
 * it.
 */
static inline bool call_frame_goes_on(const struct call_frame *frame,
				      const struct function_event *event)
{
	return call_frame_is_open(frame) || frame->function == event->function;
}

static inline bool plain_call_push(struct plain_frames *frames,
				   const struct function_event *event,
				   uint64_t time_ns, uint64_t clock_ns)
{
	struct call_frame *frame = frames->next;

	if (frame == frames->end ||
	    switch_role(&frames->roles, event->function) != SWITCH_ROLE_NONE)
		return false;
	call_frame_begin(frame, event, HOW_CALL);
	frame->start_ns = time_ns;
	frame->start_clock_ns = clock_ns;
	frames->next++;
	return true;
}

static inline bool plain_call_return(struct plain_frames *frames,
				     const struct function_event *event)
{
	struct call_frame *top;

	if (frames->next - frames->first < 2)
		return false;
	top = frames->next - 1;
	if (!call_frame_is_left_by(top, event) ||
	    !call_frame_goes_on(top - 1, event))
		return false;
	top[-1].is_confirmed = true;
	frames->next = top;
	return true;
}

static inline bool plain_call_replace(struct plain_frames *frames,
				      const struct function_event *event,
				      uint64_t time_ns, uint64_t clock_ns)
{
	struct call_frame *top;

	if (frames->next == frames->first)
		return false;
	top = frames->next - 1;
	if (!call_frame_is_open(top) ||
	    switch_role(&frames->roles, top->function) != SWITCH_ROLE_NONE ||
	    switch_role(&frames->roles, event->function) != SWITCH_ROLE_NONE)
		return false;
	top->jumped_from = top->function;
	top->function = event->function;
	top->how = HOW_TAIL;
	top->unseen = 0;
	top->start_ns = time_ns;
	top->start_clock_ns = clock_ns;
	return true;
}

/* Applies @event to @frames, with the task's time and clock, if it is plain.
 * Returns whether it is; if not, @frames are unchanged.
 *
 * The call event of FUNCTION_CALL is STEP_ENTER with HOW_CALL, of
 * FUNCTION_RETURN STEP_EXIT, of FUNCTION_TAIL_CALL STEP_EXIT and then
 * STEP_ENTER with HOW_TAIL.
 */
__attribute__((always_inline)) static inline bool
plain_call_consume(struct plain_frames *frames,
		   const struct function_event *event, uint64_t time_ns,
		   uint64_t clock_ns)
{
	if (event->kind == FUNCTION_CALL)
		return plain_call_push(frames, event, time_ns, clock_ns);
	if (event->kind == FUNCTION_RETURN)
		return plain_call_return(frames, event);
	return event->kind == FUNCTION_TAIL_CALL &&
	       plain_call_replace(frames, event, time_ns, clock_ns);
}

#endif
