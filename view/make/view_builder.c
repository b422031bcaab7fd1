/* SPDX-License-Identifier: MIT */
#include "view/make/view_builder.h"

#include "attribution/events/event_handler.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "view/data/slice_store.h"
#include "view/data/summary.h"
#include "view/make/level_chain.h"
#include "view/make/part_profile.h"
#include "view/make/stack_slice.h"
#include "view/make/state_slices.h"
#include "view/make/system_calls.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>

struct view_builder {
	struct event_handler handler;
	struct slice_callback states_out; /* of states: to lists and levels */
	struct view_summary *summary;
	const struct task_names *names;
	struct thread_numbers numbers;
	struct state_slices states;
	struct part_profile *profile;
	struct level_chain *levels;
	bool *is_call; /* by function: is a system call */
	/* by function: is a system call that ends the thread */
	bool *is_endless;
	int status;
};

/* Bytes of trace that the engine decodes at once while the user waits, a page's
 * width in pixels, and the granularity of call sums, which limits how much a
 * selection must decode again.
 */
enum {
	WINDOW_BYTES = 2 << 20,
	PAGE_PIXELS = 1500,
	PART_BYTES = 1 << 20,
	LEAST_PARTS = 16,
	LEAST_WINDOWS = 128,
};

uint64_t view_builder_measure(struct view_summary *summary, uint64_t first_ns,
			      uint64_t last_ns, uint64_t trace_bytes)
{
	uint64_t length_ns = last_ns > first_ns ? last_ns - first_ns : 1;
	uint64_t windows = trace_bytes / WINDOW_BYTES + LEAST_WINDOWS;
	uint64_t parts = trace_bytes / PART_BYTES + LEAST_PARTS;

	summary->first_ns = first_ns;
	summary->last_ns = last_ns;
	summary->reached_ns = first_ns;
	summary->resolution_ns = length_ns / windows / PAGE_PIXELS + 1;
	for (summary->levels = 1; summary->levels < SLICE_LEVELS_MOST;
	     summary->levels++)
		if (view_summary_resolution(summary, summary->levels) *
			    PAGE_PIXELS >
		    length_ns)
			break;
	return length_ns / parts + 1;
}

static struct view_builder *builder_of(struct event_handler *handler)
{
	return (struct view_builder *)handler;
}

static void note(struct view_builder *builder, int status)
{
	if (status < 0 && !builder->status)
		builder->status = status;
}

/* Returns the overview's list for a state of a thread. Kernel threads mostly
 * sleep because they have no work.
 */
static int list_of(uint32_t state, bool is_kernel_thread)
{
	switch (state) {
	case VIEW_ASLEEP:
		return is_kernel_thread ? LIST_COUNT : LIST_SLEEPS;
	case VIEW_INTERRUPT:
		return LIST_INTERRUPTS;
	case VIEW_UNKNOWN + UNKNOWN_GAP:
		return LIST_GAPS;
	default:
		return LIST_COUNT;
	}
}

static void take_state(struct slice_callback *callback,
		       const struct view_slice *slice)
{
	struct view_builder *builder =
		container_of(callback, struct view_builder, states_out);
	struct view_summary *summary = builder->summary;
	struct view_thread *thread;
	int list;

	if (slice->lane % LANE_KINDS == LANE_STATE) {
		thread = array_at(&summary->threads, slice->lane / LANE_KINDS);
		list = list_of(slice->name,
			       task_names_is_of_kernel(builder->names,
						       thread->pid));
		pthread_mutex_lock(&summary->lock);
		thread->state_ns[slice->name] += slice->busy_ns;
		thread->state_count[slice->name]++;
		if (list != LIST_COUNT)
			longest_take(&summary->lists[list], slice);
		pthread_mutex_unlock(&summary->lock);
	}
	level_chain_take_state(builder->levels, slice);
}

static void take_call(struct view_builder *builder,
		      const struct view_slice *slice)
{
	struct view_summary *summary = builder->summary;

	if (builder->is_call[slice->name]) {
		pthread_mutex_lock(&summary->lock);
		/* A call that never returns is not slow. */
		if (builder->is_endless[slice->name])
			summary->lists[LIST_CALLS].count++;
		else
			longest_take(&summary->lists[LIST_CALLS], slice);
		pthread_mutex_unlock(&summary->lock);
	}
	level_chain_take_call(builder->levels, slice);
}

/* Switches are also recorded before tracing starts. */
static void note_begin(struct view_summary *summary,
		       const struct call_step *step)
{
	if (summary->begin_ns || step->kind == STEP_SWITCH ||
	    step->kind == STEP_LEAVE)
		return;
	pthread_mutex_lock(&summary->lock);
	summary->begin_ns = step->time_ns;
	pthread_mutex_unlock(&summary->lock);
}

/* Updates the decoding progress now and then. */
static void reach(struct view_summary *summary, uint64_t time_ns)
{
	if (time_ns < summary->reached_ns + summary->resolution_ns)
		return;
	pthread_mutex_lock(&summary->lock);
	summary->reached_ns = time_ns;
	pthread_mutex_unlock(&summary->lock);
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct view_builder *builder = builder_of(handler);
	uint32_t number = thread_numbers_find(&builder->numbers, step->task);
	struct view_slice slice;

	if (number == THREAD_NUMBER_NONE) {
		note(builder, -ERROR_MEMORY);
		return;
	}
	if (!step->time_ns)
		return;
	if (step->kind == STEP_ENTER && builder->is_call[step->function])
		state_slices_enter_call(&builder->states, step->task->index,
					step->function, step->time_ns);
	if (stack_slice_of(step, number, &slice))
		take_call(builder, &slice);
	part_profile_step(builder->profile, step, number);
	note_begin(builder->summary, step);
	reach(builder->summary, step->time_ns);
}

/* Returns whether everything that states are made from is available. */
static bool connect(struct view_builder *builder, struct trackers *trackers)
{
	struct thread_tracker *threads = trackers_threads(trackers);

	builder->states.next = &builder->states_out;
	builder->states.numbers = &builder->numbers;
	builder->states.paths = thread_tracker_paths(threads);
	builder->states.places = trackers_wait_channels(trackers);
	builder->states.is_call = builder->is_call;
	return builder->states.paths && builder->states.places &&
	       !thread_tracker_hand_spans(threads, &builder->states.callback,
					  TIME_WINDOW_ALL);
}

struct view_builder *view_builder_new(const struct attribution_input *input,
				      struct view_summary *summary,
				      uint64_t part_ns)
{
	struct view_builder *builder = calloc(1, sizeof(*builder));

	if (!builder)
		return NULL;
	builder->handler.step = take_step;
	builder->states_out.take = take_state;
	builder->summary = summary;
	builder->names = input->names;
	state_slices_init(&builder->states);
	builder->status = thread_numbers_init(&builder->numbers, summary, true);
	builder->profile =
		part_profile_new(summary, part_ns, input->names,
				 recording_info(input->recording)->command);
	builder->levels = level_chain_new(summary);
	builder->is_call = system_calls_mark(input->symbols, false);
	builder->is_endless = system_calls_mark(input->symbols, true);
	if (!builder->status && builder->profile && builder->levels &&
	    builder->is_call && builder->is_endless &&
	    connect(builder, input->trackers) &&
	    !trackers_follow(input->trackers, &builder->handler))
		return builder;
	view_builder_free(builder);
	return NULL;
}

void view_builder_free(struct view_builder *builder)
{
	if (!builder)
		return;
	state_slices_free(&builder->states);
	thread_numbers_free(&builder->numbers);
	part_profile_free(builder->profile);
	level_chain_free(builder->levels);
	free(builder->is_call);
	free(builder->is_endless);
	free(builder);
}

int view_builder_end(struct view_builder *builder)
{
	struct view_summary *summary = builder->summary;

	note(builder, state_slices_end(&builder->states));
	note(builder, part_profile_end(builder->profile));
	note(builder, level_chain_end(builder->levels));
	pthread_mutex_lock(&summary->lock);
	summary->reached_ns = summary->last_ns;
	summary->is_complete = !builder->status;
	pthread_mutex_unlock(&summary->lock);
	return builder->status;
}
