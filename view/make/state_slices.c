/* SPDX-License-Identifier: MIT */
#include "view/make/state_slices.h"

#include "attribution/time/task_contexts.h"
#include "attribution/time/task_paths.h"
#include "attribution/time/wait_channels.h"
#include "common/error.h"
#include "symbolize/functions/context_kinds.h"
#include "view/make/thread_numbers.h"

/* Returns the state to show; the tracer's own work is shown as the kernel's. */
static uint32_t state_of(const struct time_span *span)
{
	static const uint8_t states[TIME_CLASSES] = {
		[TIME_USER] = VIEW_USER,
		[TIME_SYSTEM_CALL] = VIEW_SYSTEM_CALL,
		[TIME_FAULT] = VIEW_FAULT,
		[TIME_KERNEL] = VIEW_KERNEL,
		[TIME_INTERRUPT] = VIEW_INTERRUPT,
		[TIME_TRACER] = VIEW_KERNEL,
		[TIME_GUEST] = VIEW_GUEST,
		[TIME_RUNNABLE] = VIEW_RUNNABLE,
		[TIME_THROTTLED] = VIEW_RUNNABLE,
		[TIME_ASLEEP] = VIEW_ASLEEP,
		[TIME_NOT_ASKED] = VIEW_NOT_ASKED,
		[TIME_UNKNOWN] = VIEW_UNKNOWN,
	};

	return states[span->time_class] +
	       (span->time_class == TIME_UNKNOWN ? span->reason : 0u);
}

/* Returns whether the thread is known to be on a CPU. */
static bool is_running(const struct time_span *span)
{
	return span->time_class < TIME_RUNNABLE;
}

/* Returns the function that decided to wait. */
static uint32_t wait_function(const struct state_slices *states,
			      const struct time_span *span)
{
	struct wait_channel place;
	size_t count;
	const struct path_frame *frames =
		task_paths_of(states->paths, span->task->index, &count);

	if (!count ||
	    !wait_channels_find(states->places, frames, count, &place))
		return VIEW_NO_FUNCTION;
	return frames[place.label].function;
}

/* Returns the function shown as detail. For a system call, it is the function
 * that implements it, which runs inside the entry code and ends before it.
 */
static uint32_t detail_of(const struct state_slices *states,
			  const struct time_span *span)
{
	const struct open_context *work;
	const struct last_call *call = NULL;

	if (span->time_class == TIME_ASLEEP)
		return wait_function(states, span);
	if (!span->context_count || !is_running(span))
		return VIEW_NO_FUNCTION;
	work = &span->contexts[span->context_count - 1];
	if (work->kind == CONTEXT_SYSTEM_CALL &&
	    span->task->index < states->calls.count)
		call = array_at(&states->calls, span->task->index);
	if (call && call->function && call->time_ns >= work->begin_ns)
		return call->function - 1;
	return work->function;
}

/* Extends the CPU's slice while the same thread runs. */
static void take_running(struct state_slices *states, uint32_t number,
			 const struct time_span *span)
{
	struct view_slice *slice;

	if (span->cpu < 0 || span->cpu >= LANE_MOST / LANE_KINDS)
		return;
	slice = array_reach(&states->running, (size_t)span->cpu);
	if (!slice) {
		states->status = -ERROR_MEMORY;
		return;
	}
	if (slice->count && slice->name == number &&
	    slice->end_ns == span->begin_ns) {
		slice->end_ns = span->end_ns;
	} else {
		if (slice->count)
			states->next->take(states->next, slice);
		*slice = (struct view_slice){
			.begin_ns = span->begin_ns,
			.end_ns = span->end_ns,
			.lane = lane_of(LANE_CPU, (uint32_t)span->cpu),
			.name = number,
			.detail = VIEW_NO_FUNCTION,
			.waker_tid = -1,
			.count = 1,
		};
	}
	slice->busy_ns = slice->end_ns - slice->begin_ns;
}

static void hand_on(struct state_slices *states, struct view_slice *slice)
{
	if (slice->count)
		states->next->take(states->next, slice);
	slice->count = 0;
}

static void take(struct span_callback *callback, const struct time_span *span)
{
	struct state_slices *states = (struct state_slices *)callback;
	uint32_t number = thread_numbers_find(states->numbers, span->task);
	struct view_slice *asleep;
	struct view_slice slice = {
		.begin_ns = span->begin_ns,
		.end_ns = span->end_ns,
		.busy_ns = span->end_ns - span->begin_ns,
		.lane = lane_of(LANE_STATE, number),
		.name = state_of(span),
		.waker_tid = -1,
		.count = 1,
	};

	if (number == THREAD_NUMBER_NONE)
		return;
	slice.detail = detail_of(states, span);
	asleep = array_reach(&states->asleep, number);
	if (!asleep) {
		states->status = -ERROR_MEMORY;
		return;
	}
	if (span->time_class == TIME_RUNNABLE)
		asleep->waker_tid = span->waker_tid;
	hand_on(states, asleep);
	if (span->time_class == TIME_ASLEEP)
		*asleep = slice;
	else
		states->next->take(states->next, &slice);
	if (is_running(span))
		take_running(states, number, span);
}

void state_slices_enter_call(struct state_slices *states, uint32_t index,
			     uint32_t function, uint64_t time_ns)
{
	struct last_call *call = array_reach(&states->calls, index);

	if (call)
		*call = (struct last_call){ function + 1, time_ns };
	else
		states->status = -ERROR_MEMORY;
}

void state_slices_init(struct state_slices *states)
{
	*states = (struct state_slices){
		.callback = { .take = take },
		.calls = ARRAY_OF(struct last_call),
		.asleep = ARRAY_OF(struct view_slice),
		.running = ARRAY_OF(struct view_slice),
	};
}

void state_slices_free(struct state_slices *states)
{
	array_free(&states->calls);
	array_free(&states->asleep);
	array_free(&states->running);
}

int state_slices_end(struct state_slices *states)
{
	for (size_t i = 0; i < states->asleep.count; i++)
		hand_on(states, array_at(&states->asleep, i));
	for (size_t i = 0; i < states->running.count; i++)
		hand_on(states, array_at(&states->running, i));
	return states->status;
}
