/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_PLAIN_CALL_H
#define KT_REPORT_PLAIN_CALL_H

#include "report/steps/call_stack.h"
#include "report/steps/switch_roles.h"

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
	const struct switch_roles *roles;
};

static inline struct plain_frames
plain_frames_of(const struct call_stack *stack)
{
	return (struct plain_frames){
		.first = stack->frames,
		.next = stack->frames + stack->count,
		.end = stack->frames + stack->room,
		.roles = stack->roles,
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
	       !top->returns_anywhere;
}

/* Returns whether @frame is certainly open: it did not end in a pause. */
static inline bool call_frame_is_open(const struct call_frame *frame)
{
	return !frame->may_have_ended || frame->is_confirmed;
}

/* Returns whether @event may continue in @frame, the top after it. */
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

	if (frame == frames->end)
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
	    switch_role(frames->roles, top->function) != ROLE_NONE)
		return false;
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
static inline bool plain_call_take(struct plain_frames *frames,
				   const struct function_event *event,
				   uint64_t time_ns, uint64_t clock_ns)
{
	if (event->kind == FUNCTION_CALL)
		return plain_call_push(frames, event, time_ns, clock_ns);
	if (event->kind == FUNCTION_RETURN)
		return plain_call_return(frames, event);
	return event->kind == FUNCTION_TAIL_CALL &&
	       plain_call_replace(frames, event, time_ns, clock_ns);
}

#endif
