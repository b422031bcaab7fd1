/* SPDX-License-Identifier: MIT */
#include "attribution/events/call_skips_internal.h"

#include "attribution/events/event_handler.h"
#include "report/steps/call_frames.h"
#include "report/steps/call_stack.h"
#include "symbolize/events/function_event.h"

#include <assert.h>

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

	return !(needs >> mark & 1) &&
	       (mark != MARK_UNKNOWN ||
		!(needs >> find_mark(skips, function) & 1));
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

/* The frames of a run of skipped calls. */
struct skip_run {
	struct plain_frames open;
	/* end of the frames whose entries and exits are needed; these are open
	 * throughout
	 */
	const struct call_frame *limit;
	/* end of the frames that stayed open throughout */
	const struct call_frame *unchanged;
};

/* Returns whether a handler needs the end of the innermost frame. Skipped calls
 * added the frames from run->unchanged on, so no handler needs the ends of
 * these.
 */
static inline bool end_is_needed(struct call_skips *skips,
				 const struct skip_run *run, uint32_t needs)
{
	const struct call_frame *next = run->open.next;

	return next <= run->limit ||
	       (next <= run->unchanged &&
		is_needed(skips, needs, next[-1].function));
}

/* Returns whether the return @event leads to the function of the caller's
 * frame, or is in the kernel. Handlers rely on getting other returns in user
 * space.
 */
static inline bool leads_to_caller(const struct plain_frames *open,
				   const struct function_event *event)
{
	return open->next - open->first >= 2 &&
	       (!event->is_user || open->next[-2].function == event->function);
}

/* Returns the task's clock at @event, at which time is ahead by @ahead_ns if it
 * is known to be plain (call_times_are_plain()).
 */
static inline uint64_t clock_at(const struct call_times *times, bool are_plain,
				uint64_t ahead_ns,
				const struct function_event *event)
{
	return are_plain ? event->time_ns + ahead_ns :
			   call_times_clock(times, event);
}

/* Applies @events to the frames of @run, up to the first one that a handler
 * needs, that is not plain (call_frames.h), or whose time is not before
 * @until_ns. Returns the number of applied events. @are_plain:
 * call_times_are_plain() holds. @has_roles: functions may have roles.
 */
__attribute__((always_inline)) static inline uint32_t
skip_events(struct call_skips *skips, struct skip_run *run, uint32_t needs,
	    uint64_t until_ns, const struct function_event *events,
	    uint32_t count, const struct call_times *times, bool are_plain,
	    bool has_roles)
{
	const uint64_t ahead_ns = call_times_ahead(times);
	const struct function_event *event = events;
	/* a copy, which stays in registers */
	struct skip_run copy = *run;
	struct plain_frames *open = &copy.open;
	const struct call_frame *left;

	if (!has_roles)
		open->roles.count = 0; /* a constant: nothing is looked up */
	for (; event < events + count && event->time_ns < until_ns; event++) {
		if (event->kind == FUNCTION_CALL) {
			if (is_needed(skips, needs, event->function) ||
			    !plain_call_push(open, event, event->time_ns,
					     clock_at(times, are_plain,
						      ahead_ns, event)))
				break;
			continue;
		}
		if (end_is_needed(skips, &copy, needs))
			break;
		left = open->next - 1;
		if (event->kind == FUNCTION_RETURN) {
			if (!leads_to_caller(open, event) ||
			    !plain_call_return(open, event))
				break;
		} else if (event->kind != FUNCTION_TAIL_CALL ||
			   is_needed(skips, needs, event->function) ||
			   !plain_call_replace(open, event, event->time_ns,
					       clock_at(times, are_plain,
							ahead_ns, event))) {
			break;
		}
		if (left < copy.unchanged)
			copy.unchanged = left;
	}
	*run = copy;
	return (uint32_t)(event - events);
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
	struct skip_run run;
	bool are_plain;

	if (!count || events->time_ns >= until_ns || !times->is_running ||
	    events->time_ns < times->last_ns)
		return 0;
	limits = limits_of(skips, step);
	if (limits.frames > stack->count)
		return 0;
	assert(!(limits.needs >> MARK_UNKNOWN & 1));
	run.open = plain_frames_of(stack);
	run.limit = run.open.first + limits.frames;
	run.unchanged = run.open.next;
	are_plain = call_times_are_plain(times, events, &events[count - 1]);
	skipped.event_count =
		are_plain && !run.open.roles.count ?
			skip_events(skips, &run, limits.needs, until_ns, events,
				    count, times, true, false) :
			skip_events(skips, &run, limits.needs, until_ns, events,
				    count, times, are_plain, true);
	if (!skipped.event_count)
		return 0;
	plain_frames_put_back(&run.open, stack);
	skipped.unchanged = (uint32_t)(run.unchanged - run.open.first);
	skipped.frames = stack->frames;
	skipped.frame_count = stack->count;
	note_last(skips, step, times, &events[skipped.event_count - 1]);
	times->last_ns = skips->last.time_ns;
	hand_skipped(skips, &skipped);
	return skipped.event_count;
}
