/* SPDX-License-Identifier: MIT */
#include "attribution/events/call_skips_internal.h"

#include "attribution/events/event_handler.h"
#include "report/steps/call_frames.h"
#include "report/steps/call_stack.h"
#include "symbolize/events/function_event.h"

/* The mark of a function: which of its calls a handler needs, as the enum
 * function_need that covers needs() of all handlers; MARK_UNKNOWN until needs()
 * was called.
 */
enum { MARK_UNKNOWN = 31 };

/* Returns the need that covers the needs @a and @b of two handlers. */
static uint8_t need_join(uint8_t a, uint8_t b)
{
	if (a == b || b == NEED_NEVER)
		return a;
	return a == NEED_NEVER ? b : (uint8_t)NEED_ALWAYS;
}

static uint8_t find_mark(struct call_skips *skips, uint32_t function)
{
	uint8_t unknown = MARK_UNKNOWN;
	uint8_t *mark = array_reach_like(&skips->marks, function, &unknown);

	if (!mark)
		return NEED_ALWAYS;
	if (*mark != MARK_UNKNOWN)
		return *mark;
	*mark = NEED_NEVER;
	for (size_t i = 0; i < skips->handler_count; i++) {
		const struct event_handler *handler = skips->handlers[i];

		if (handler->needs)
			*mark = need_join(*mark,
					  handler->needs(handler, function));
	}
	return *mark;
}

/* Returns whether a handler needs the calls of @function, for @needs as in
 * struct skip_limits.
 */
static inline bool is_needed(struct call_skips *skips, uint32_t needs,
			     uint32_t function)
{
	const uint8_t *marks = skips->marks.items;
	uint8_t mark = function < skips->marks.count ? marks[function] :
						       MARK_UNKNOWN;

	if (__builtin_expect(mark == MARK_UNKNOWN, 0))
		mark = find_mark(skips, function);
	return !(needs >> mark & 1);
}

static struct skip_limits limits_of(const struct call_skips *skips,
				    const struct call_step *step)
{
	struct skip_limits limits = { .needs = 1 << NEED_NEVER };

	for (uint64_t left = skips->limiting; left; left &= left - 1) {
		struct event_handler *handler =
			skips->handlers[__builtin_ctzll(left)];

		handler->limit(handler, step, &limits);
	}
	return limits;
}

/* Returns whether a handler needs the return or tail call @event, which is
 * plain (call_frames.h), from the innermost of @depth frames. Skipped calls
 * added the frames with index @unchanged and above, so no handler needs the
 * ends of these.
 */
static inline bool end_is_needed(struct call_skips *skips,
				 const struct plain_frames *open,
				 uint32_t depth, uint32_t unchanged,
				 const struct skip_limits *limits,
				 const struct function_event *event)
{
	if (depth <= limits->frames ||
	    (depth <= unchanged &&
	     is_needed(skips, limits->needs, open->next[-1].function)))
		return true;
	if (event->kind == FUNCTION_TAIL_CALL)
		return is_needed(skips, limits->needs, event->function);
	/* Handlers rely on a return in user space leading to the function of
	 * the caller's frame. If it leads elsewhere, they must get the event.
	 */
	return event->is_user &&
	       (depth < 2 || open->next[-2].function != event->function);
}

/* Applies @events to @open, up to the first one that a handler needs, that is
 * not plain, or whose time is not before @until_ns. Returns the number of
 * applied events, and sets *@unchanged to the number of frames that stayed open
 * throughout. @are_plain: call_times_are_plain() holds. @limits is a copy,
 * which stays in registers.
 */
__attribute__((always_inline)) static inline uint32_t
skip_events(struct call_skips *skips, struct plain_frames *open,
	    const struct skip_limits limits, uint64_t until_ns,
	    const struct function_event *events, uint32_t count,
	    const struct call_times *times, bool are_plain, uint32_t *unchanged)
{
	uint64_t ahead_ns = call_times_ahead(times);
	uint32_t depth = (uint32_t)(open->next - open->first);
	uint32_t least = depth;
	uint32_t i;

	for (i = 0; i < count; i++) {
		const struct function_event *event = &events[i];
		bool is_call = event->kind == FUNCTION_CALL;

		if (event->time_ns >= until_ns ||
		    (is_call ? depth < limits.frames ||
				       is_needed(skips, limits.needs,
						 event->function) :
			       end_is_needed(skips, open, depth, least, &limits,
					     event)) ||
		    !plain_call_consume(open, event, event->time_ns,
					are_plain ?
						event->time_ns + ahead_ns :
						call_times_clock(times, event)))
			break;
		if (!is_call && depth - 1 < least)
			least = depth - 1;
		depth = (uint32_t)(open->next - open->first);
	}
	*unchanged = least;
	return i;
}

/* Sets skips->last to the times of @last, the last skipped event, and to the
 * task and CPU of @step.
 */
static void note_last(struct call_skips *skips, const struct call_step *step,
		      const struct call_times *times,
		      const struct function_event *last)
{
	skips->last.time_ns = last->time_ns;
	skips->last.early_ns = last->early_ns;
	skips->last.late_ns = last->late_ns;
	skips->last.cpu = step->cpu;
	skips->last.task = step->task;
	skips->last.clock_ns = call_times_clock(times, last);
	skips->last.whole_ns = call_times_whole(times, last);
}

static void hand_skipped(const struct call_skips *skips,
			 const struct skipped_calls *skipped)
{
	for (uint64_t left = skips->skipping; left; left &= left - 1) {
		struct event_handler *handler =
			skips->handlers[__builtin_ctzll(left)];

		handler->skip(handler, skipped);
	}
}

void event_handler_limits_nothing(const struct event_handler *handler,
				  const struct call_step *step,
				  struct skip_limits *limits)
{
	(void)handler;
	(void)step;
	(void)limits;
}

struct call_skips call_skips_of(struct event_handler *const *handlers,
				size_t count)
{
	struct call_skips skips = {
		.handlers = handlers,
		.handler_count = count,
		.marks = ARRAY_OF(uint8_t),
	};

	for (size_t i = 0; i < count; i++) {
		const struct event_handler *handler = handlers[i];

		if (handler->limit &&
		    handler->limit != event_handler_limits_nothing)
			skips.limiting |= (uint64_t)1 << i;
		if (handler->skip)
			skips.skipping |= (uint64_t)1 << i;
	}
	return skips;
}

void call_skips_free(struct call_skips *skips)
{
	array_free(&skips->marks);
}

bool call_skips_are_possible(const struct call_skips *skips)
{
	for (size_t i = 0; i < skips->handler_count; i++) {
		const struct event_handler *handler = skips->handlers[i];

		if (handler->step && !handler->needs && !handler->limit)
			return false;
	}
	return true;
}

uint32_t call_skips_consume(struct call_skips *skips,
			    const struct call_step *step,
			    struct call_stack *stack,
			    const struct function_event *events, uint32_t count,
			    uint64_t until_ns, struct call_times *times)
{
	struct skipped_calls skipped = { .last = &skips->last,
					 .events = events };
	struct skip_limits limits;
	struct plain_frames open;

	if (!count || events->time_ns >= until_ns || !times->is_running ||
	    events->time_ns < times->last_ns)
		return 0;
	limits = limits_of(skips, step);
	if (limits.frames == UINT32_MAX)
		return 0;
	open = plain_frames_of(stack);
	skipped.event_count =
		call_times_are_plain(times, events, &events[count - 1]) ?
			skip_events(skips, &open, limits, until_ns, events,
				    count, times, true, &skipped.unchanged) :
			skip_events(skips, &open, limits, until_ns, events,
				    count, times, false, &skipped.unchanged);
	if (!skipped.event_count)
		return 0;
	plain_frames_put_back(&open, stack);
	skipped.frames = stack->frames;
	skipped.frame_count = stack->count;
	note_last(skips, step, times, &events[skipped.event_count - 1]);
	times->last_ns = skips->last.time_ns;
	hand_skipped(skips, &skipped);
	return skipped.event_count;
}
