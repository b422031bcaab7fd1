/* SPDX-License-Identifier: MIT */
#include "view/make/view_builder.h"

#include "attribution/events/event_handler.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/time_span.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/table.h"
#include "tables/waits/off_intervals.h"
#include "view/data/slice_store.h"
#include "view/data/summary.h"
#include "view/make/part_profile_internal.h"
#include "view/make/thread_numbers.h"

#include <stdlib.h>
#include <string.h>

/* Makes the page's summary in one pass over the recording, in this order:
 *
 *	spans of time ─► struct state_slices: slices of states, by thread and CPU
 *	intervals without interrupts or preemption ─► struct off_slices
 *	steps of calls ─► slices of calls
 *	     │
 *	     ├─► the overview's lists of the longest (consume_state(), consume_call())
 *	     └─► struct level_chain: levels with fewer and fewer slices, for zooming
 *
 * The pass runs while the page shows its first parts: data that it shares with
 * the page's threads are protected by summary->lock.
 */

/* Makes slices of threads' states, and of the running threads of CPUs, from
 * spans of threads' time.
 */
struct state_slices {
	struct span_callback callback;
	struct slice_callback *next;
	struct thread_numbers *numbers;
	const struct task_paths *paths; /* current paths of the tasks */
	const struct wait_channels *channels;
	const bool *is_call; /* by function: it implements a system call */
	struct array calls;  /* struct last_call by task index */
	/* struct view_slice by thread: a sleep whose waker may be known with
	 * the next span; or count 0
	 */
	struct array asleep;
	struct array running; /* struct view_slice by CPU; or count 0 */
	int status;
};

/* The last system call that a task entered. */
struct last_call {
	uint32_t function; /* function number + 1; 0: none */
	uint64_t time_ns;
};

static bool is_end(const char *call)
{
	return !strcmp(call, "exit") || !strcmp(call, "exit_group");
}

/* Marks, by number, the kernel functions that implement system calls: with
 * @ends_thread those that end the thread, and so never return; without it, all.
 *
 * Returns the marks, which the caller frees; NULL when out of memory.
 */
static bool *system_calls_mark(const struct symbols *symbols, bool ends_thread)
{
	const struct function_table *functions = symbols_functions(symbols);
	uint32_t count = function_count(functions);
	bool *marks = calloc(count + 1, sizeof(*marks));

	for (uint32_t i = 0; marks && i < count; i++) {
		const struct function *function = function_at(functions, i);
		const char *call = NULL;

		if (function->space == 'k')
			call = arch_system_call(symbols_arch(symbols),
						function->base);
		marks[i] = call && (!ends_thread || is_end(call));
	}
	return marks;
}

/* Returns the state to show; the tracer's own work is shown as the kernel's. */
static uint32_t state_of(const struct time_span *span)
{
	static const uint8_t states[TIME_CLASSES] = {
		[TIME_USER] = VIEW_USER,
		[TIME_SYSTEM_CALL] = VIEW_SYSTEM_CALL,
		[TIME_FAULT] = VIEW_FAULT,
		[TIME_RECLAIM] = VIEW_KERNEL,
		[TIME_KERNEL] = VIEW_KERNEL,
		[TIME_INTERRUPT] = VIEW_INTERRUPT,
		[TIME_TRACER] = VIEW_KERNEL,
		[TIME_GUEST] = VIEW_GUEST,
		[TIME_RUNNABLE] = VIEW_RUNNABLE,
		[TIME_ASLEEP] = VIEW_ASLEEP,
		[TIME_NOT_ASKED] = VIEW_NOT_ASKED,
		[TIME_UNKNOWN] = VIEW_UNKNOWN,
	};

	if (span->is_throttled)
		return VIEW_THROTTLED;
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
	    !wait_channels_find(states->channels, frames, count, &place))
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
static void consume_running(struct state_slices *states, uint32_t number,
			    const struct time_span *span)
{
	struct view_slice *slice;

	if (span->cpu < 0 || span->cpu >= TRACK_MOST / TRACK_KINDS)
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
			states->next->consume(states->next, slice);
		*slice = (struct view_slice){
			.begin_ns = span->begin_ns,
			.end_ns = span->end_ns,
			.track = track_of(TRACK_CPU, (uint32_t)span->cpu),
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
		states->next->consume(states->next, slice);
	slice->count = 0;
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct state_slices *states = (struct state_slices *)callback;
	uint32_t number = thread_numbers_find(states->numbers, span->task);
	struct view_slice *asleep;
	struct view_slice slice = {
		.begin_ns = span->begin_ns,
		.end_ns = span->end_ns,
		.busy_ns = span->end_ns - span->begin_ns,
		.track = track_of(TRACK_STATE, number),
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
		states->next->consume(states->next, &slice);
	if (is_running(span))
		consume_running(states, number, span);
}

/* Records that task @index enters a system call's function @function. Must be
 * called for each function in is_call.
 */
static void state_slices_enter_call(struct state_slices *states, uint32_t index,
				    uint32_t function, uint64_t time_ns)
{
	struct last_call *call = array_reach(&states->calls, index);

	if (call)
		*call = (struct last_call){ function + 1, time_ns };
	else
		states->status = -ERROR_MEMORY;
}

/* Initialises @states. The caller must then set the members from next to
 * is_call, which are borrowed.
 */
static void state_slices_init(struct state_slices *states)
{
	*states = (struct state_slices){
		.callback = { .consume = consume_span },
		.calls = ARRAY_OF(struct last_call),
		.asleep = ARRAY_OF(struct view_slice),
		.running = ARRAY_OF(struct view_slice),
	};
}

static void state_slices_free(struct state_slices *states)
{
	array_free(&states->calls);
	array_free(&states->asleep);
	array_free(&states->running);
}

/* Emits the unfinished slices. Returns 0, or -ERROR_MEMORY if slices were lost.
 */
static int state_slices_end(struct state_slices *states)
{
	for (size_t i = 0; i < states->asleep.count; i++)
		hand_on(states, array_at(&states->asleep, i));
	for (size_t i = 0; i < states->running.count; i++)
		hand_on(states, array_at(&states->running, i));
	return states->status;
}

/* Receives a level's slices. */
struct level {
	struct slice_callback callback;
	struct level_chain *chain;
	uint32_t number;
	/* reduces the slices for the next level; NULL: there is none */
	struct slice_thinner *next;
};

struct level_chain {
	struct view_summary *summary;
	/* reduces the slices of calls for level 0 */
	struct slice_thinner *calls;
	struct level levels[SLICE_LEVELS_MOST];
	int status;
};

static void note_status(struct level_chain *chain, int status)
{
	if (status < 0 && !chain->status)
		chain->status = status;
}

static void chain_consume(struct slice_callback *callback,
			  const struct view_slice *slice)
{
	struct level *level = (struct level *)callback;
	struct view_summary *summary = level->chain->summary;
	struct slice_callback *next;

	pthread_mutex_lock(&summary->lock);
	note_status(level->chain,
		    slice_store_add(summary->slices, level->number, slice));
	pthread_mutex_unlock(&summary->lock);
	if (!level->next)
		return;
	next = slice_thinner_callback(level->next);
	next->consume(next, slice);
}

struct level_chain *level_chain_new(struct view_summary *summary)
{
	struct level_chain *chain = calloc(1, sizeof(*chain));

	if (!chain)
		return NULL;
	chain->summary = summary;
	for (uint32_t i = 0; i < summary->levels; i++)
		chain->levels[i] = (struct level){
			.callback = { .consume = chain_consume },
			.chain = chain,
			.number = i,
		};
	chain->calls = slice_thinner_new(view_summary_resolution(summary, 0),
					 &chain->levels[0].callback);
	if (!chain->calls)
		note_status(chain, -ERROR_MEMORY);
	for (uint32_t i = 1; i < summary->levels; i++) {
		struct level *below = &chain->levels[i - 1];

		below->next =
			slice_thinner_new(view_summary_resolution(summary, i),
					  &chain->levels[i].callback);
		if (!below->next)
			note_status(chain, -ERROR_MEMORY);
	}
	if (!chain->status)
		return chain;
	level_chain_free(chain);
	return NULL;
}

void level_chain_free(struct level_chain *chain)
{
	if (!chain)
		return;
	slice_thinner_free(chain->calls);
	for (size_t i = 0; i < SLICE_LEVELS_MOST; i++)
		slice_thinner_free(chain->levels[i].next);
	free(chain);
}

void level_chain_consume_state(struct level_chain *chain,
			       const struct view_slice *slice)
{
	chain_consume(&chain->levels[0].callback, slice);
}

void level_chain_consume_call(struct level_chain *chain,
			      const struct view_slice *slice)
{
	struct slice_callback *callback = slice_thinner_callback(chain->calls);

	callback->consume(callback, slice);
}

int level_chain_end(struct level_chain *chain)
{
	note_status(chain, slice_thinner_end(chain->calls));
	for (uint32_t i = 0; i + 1 < chain->summary->levels; i++)
		note_status(chain, slice_thinner_end(chain->levels[i].next));
	return chain->status;
}

/* The slices of intervals without interrupts, or without preemption. */
struct off_slices {
	struct off_callback callback;
	struct off_tracker *tracker;
	enum track_kind kind;
	struct level_chain *levels;
};

static int consume_off(struct off_callback *callback,
		       const struct off_interval *interval)
{
	const struct off_slices *slices =
		container_of(callback, struct off_slices, callback);
	const struct view_slice slice = {
		.begin_ns = interval->begin_ns,
		.end_ns = interval->end_ns,
		.busy_ns = interval->end_ns - interval->begin_ns,
		.track = track_of(slices->kind, interval->cpu),
		.name = interval->count ? interval->path[0] : FUNCTION_UNKNOWN,
		.detail = VIEW_NO_FUNCTION,
		.waker_tid = interval->task->tid,
		.count = 1,
	};

	if (interval->cpu < TRACK_MOST / TRACK_KINDS)
		level_chain_consume_call(slices->levels, &slice);
	return 0;
}

enum { OFF_INTERRUPTS, OFF_PREEMPTION, OFF_SLICES };

struct view_builder {
	struct event_handler handler;
	/* receives the slices of states, and passes them to lists and levels */
	struct slice_callback states_out;
	struct view_summary *summary;
	const struct task_names *names;
	struct thread_numbers numbers;
	struct state_slices states;
	struct part_profile *profile;
	struct level_chain *levels;
	struct off_slices offs[OFF_SLICES];
	bool *is_call; /* by function: it implements a system call */
	/* by function: whether it implements a system call that ends the thread
	 */
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

static void consume_state(struct slice_callback *callback,
			  const struct view_slice *slice)
{
	struct view_builder *builder =
		container_of(callback, struct view_builder, states_out);
	struct view_summary *summary = builder->summary;
	struct view_thread *thread;
	int list;

	if (slice->track % TRACK_KINDS == TRACK_STATE) {
		thread =
			array_at(&summary->threads, slice->track / TRACK_KINDS);
		list = list_of(slice->name,
			       task_names_is_of_kernel(builder->names,
						       thread->pid));
		pthread_mutex_lock(&summary->lock);
		thread->state_ns[slice->name] += slice->busy_ns;
		thread->state_count[slice->name]++;
		if (list != LIST_COUNT)
			longest_consume(&summary->lists[list], slice);
		pthread_mutex_unlock(&summary->lock);
	}
	level_chain_consume_state(builder->levels, slice);
}

static void consume_call(struct view_builder *builder,
			 const struct view_slice *slice)
{
	struct view_summary *summary = builder->summary;

	if (builder->is_call[slice->name]) {
		pthread_mutex_lock(&summary->lock);
		/* A call that never returns is not slow. */
		if (builder->is_endless[slice->name])
			summary->lists[LIST_CALLS].count++;
		else
			longest_consume(&summary->lists[LIST_CALLS], slice);
		pthread_mutex_unlock(&summary->lock);
	}
	level_chain_consume_call(builder->levels, slice);
}

/* Repeats the call @slice, which @step ends, in the track of its fiber. */
static void consume_fiber(struct view_builder *builder,
			  const struct call_step *step,
			  const struct view_slice *slice)
{
	uint32_t fiber = thread_numbers_fiber(&builder->numbers, step);
	struct view_slice again = *slice;

	if (fiber == THREAD_NUMBER_NONE)
		return;
	again.track = track_of(TRACK_FIBER, fiber);
	level_chain_consume_call(builder->levels, &again);
}

/* Sets the start of the trace at its first step. Switches, which are also
 * recorded before tracing starts, do not count.
 */
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

/* Updates the decoding progress, at most once per resolution_ns. */
static void reach(struct view_summary *summary, uint64_t time_ns)
{
	if (time_ns < summary->reached_ns + summary->resolution_ns)
		return;
	pthread_mutex_lock(&summary->lock);
	summary->reached_ns = time_ns;
	pthread_mutex_unlock(&summary->lock);
}

static void consume_step(struct event_handler *handler,
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
	if (stack_slice_of(step, number, &slice)) {
		consume_call(builder, &slice);
		consume_fiber(builder, step, &slice);
	}
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
	builder->states.channels = trackers_wait_channels(trackers);
	builder->states.is_call = builder->is_call;
	return builder->states.paths && builder->states.channels &&
	       !thread_tracker_hand_spans(threads, &builder->states.callback,
					  TIME_WINDOW_ALL);
}

/* Follows the intervals without interrupts and without preemption. Returns
 * whether there was enough memory.
 */
static bool follow_off(struct view_builder *builder,
		       const struct attribution_input *input)
{
	for (int i = 0; i < OFF_SLICES; i++) {
		struct off_slices *slices = &builder->offs[i];

		slices->callback.consume = consume_off;
		slices->kind = i == OFF_INTERRUPTS ? TRACK_INTERRUPTS_OFF :
						     TRACK_PREEMPTION_OFF;
		slices->levels = builder->levels;
		slices->tracker = (i == OFF_INTERRUPTS ?
					   interrupts_off_tracker_new :
					   preemption_off_tracker_new)(
			input, &slices->callback);
		if (!slices->tracker)
			return false;
	}
	return true;
}

struct view_builder *view_builder_new(const struct attribution_input *input,
				      struct view_summary *summary,
				      uint64_t part_ns)
{
	struct view_builder *builder = calloc(1, sizeof(*builder));

	if (!builder)
		return NULL;
	builder->handler.step = consume_step;
	builder->states_out.consume = consume_state;
	builder->summary = summary;
	builder->names = input->names;
	state_slices_init(&builder->states);
	builder->status = thread_numbers_init(&builder->numbers, summary, true);
	builder->profile =
		part_profile_new(summary, part_ns, input->names, input->kinds,
				 recording_info(input->recording)->command);
	builder->levels = level_chain_new(summary);
	builder->is_call = system_calls_mark(input->symbols, false);
	builder->is_endless = system_calls_mark(input->symbols, true);
	if (!builder->status && builder->profile && builder->levels &&
	    builder->is_call && builder->is_endless &&
	    connect(builder, input->trackers) &&
	    !trackers_follow(input->trackers, &builder->handler) &&
	    follow_off(builder, input))
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
	for (int i = 0; i < OFF_SLICES; i++)
		off_tracker_free(builder->offs[i].tracker);
	part_profile_free(builder->profile);
	level_chain_free(builder->levels);
	free(builder->is_call);
	free(builder->is_endless);
	free(builder);
}

int view_builder_end(struct view_builder *builder)
{
	struct view_summary *summary = builder->summary;

	for (int i = 0; i < OFF_SLICES; i++)
		note(builder, off_tracker_end(builder->offs[i].tracker));
	note(builder, state_slices_end(&builder->states));
	note(builder, part_profile_end(builder->profile));
	note(builder, level_chain_end(builder->levels));
	pthread_mutex_lock(&summary->lock);
	summary->reached_ns = summary->last_ns;
	summary->is_complete = !builder->status;
	pthread_mutex_unlock(&summary->lock);
	return builder->status;
}
