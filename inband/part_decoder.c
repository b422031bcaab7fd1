/* SPDX-License-Identifier: MIT */
#include "attribution/calls/system_calls.h"
#include "attribution/events/step_join.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/memory.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "execution/stream/execution_stream.h"
#include "inband/own_recording_internal.h"
#include "inband/own_records_internal.h"
#include "inband/part_decoder_internal.h"
#include "report/text/task_names.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"
#include "tables/calls/call_record.h"
#include "tables/calls/call_records_table.h"
#include "tables/table.h"
#include "tables/text/stack_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decodes the parts of own_recording, one for each bracket. Reuses as much as
 * possible from part to part: the block graph, the tables of functions, the
 * trackers (attribution/), which forget their tasks, and the memory of the
 * part's recording and of the iterators over its records.
 *
 *	part ─► execution_stream (restarted) ─► task_stacks ─► step_join with the
 *	part's records ─► task_tracker ─► struct record_maker: the record
 *
 * The trace of a thread is one stream. A bracket is read from an earlier sync
 * point only if its trace does not follow that of the part decoded last.
 *
 * The system calls that switch the trace on and off are not in the record:
 * skip_earlier() skips events of the first, is_wanted() excludes the second. If
 * opening the stream fails, it is discarded, and the next part opens a new one.
 */

/* Builds the library's record from the results of attribution. */
struct record_maker {
	struct arena *arena; /* owns the record; NULL before the first */
	struct array calls;  /* struct ktrace_hw_call */
	struct ktrace_hw_record record;
};

#define RECORD_MAKER_EMPTY \
	((struct record_maker){ .calls = ARRAY_OF(struct ktrace_hw_call) })

static void maker_free(struct record_maker *maker)
{
	arena_free(maker->arena);
	array_free(&maker->calls);
}

/* Discards the previous record and starts one for the time from @begin_ns to
 * @end_ns. Returns 0 or -ERROR_MEMORY.
 */
static int maker_begin(struct record_maker *maker, uint64_t begin_ns,
		       uint64_t end_ns)
{
	if (maker->arena)
		arena_clear(maker->arena);
	else
		maker->arena = arena_new();
	maker->calls.count = 0;
	maker->record = (struct ktrace_hw_record){
		.begin_ns = begin_ns,
		.wall_ns = end_ns - begin_ns,
		.gap_reason = "",
	};
	return maker->arena ? 0 : -ERROR_MEMORY;
}

static const char *name_of(const struct call_record_context *context,
			   uint32_t function)
{
	if (function == FUNCTION_UNKNOWN || function == FUNCTION_NONE)
		return NULL;
	return function_at(context->functions, function)->name;
}

static enum ktrace_hw_call_end end_of(const struct system_call *call)
{
	switch ((enum system_call_end)call->end) {
	case CALL_RETURNED:
		return KTRACE_HW_RETURNED;
	case CALL_NO_RETURN:
		return KTRACE_HW_NO_RETURN;
	case CALL_CUT:
	case CALL_ENDS:
		return KTRACE_HW_CUT;
	}
	return KTRACE_HW_CUT;
}

static struct ktrace_hw_call call_of(const struct call_record_context *context,
				     const struct system_call *call)
{
	return (struct ktrace_hw_call){
		.name = system_call_name(context->functions, context->arch,
					 call->function),
		.function = name_of(context, call->function),
		.end = end_of(call),
		.begin_ns = call->begin_ns,
		.wall_ns = call->end_ns - call->begin_ns,
		.on_cpu_ns = system_call_on_cpu(call->class_ns),
		.asleep_ns = call->class_ns[TIME_ASLEEP],
		.runnable_ns = call->class_ns[TIME_RUNNABLE],
		.stolen_ns = call->class_ns[TIME_INTERRUPT],
		.tracer_ns = call->class_ns[TIME_TRACER],
		.unknown_ns = call->class_ns[TIME_UNKNOWN],
		.faults = call->faults,
		.fault_ns = call->fault_ns,
	};
}

static int add_wakers(const struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct sleep_place *place,
		      struct ktrace_hw_sleep *sleep)
{
	size_t count = place->wakers.items.count;
	struct ktrace_hw_waker *wakers =
		arena_alloc(maker->arena, count * sizeof(*wakers));

	if (!wakers)
		return -ERROR_MEMORY;
	for (size_t i = 0; i < count; i++) {
		const struct place_waker *chain =
			array_at(&place->wakers.items, i);
		const struct waker *waker;

		if (chain->waker == WAKER_NONE)
			continue;
		waker = wakers_at(context->wakers, chain->waker);
		wakers[sleep->waker_count++] = (struct ktrace_hw_waker){
			.count = chain->count,
			.pid = waker->pid,
			.tid = waker->tid,
			.comm = task_names_last(context->names, waker->tid),
			.function = name_of(context, waker->function),
			.interrupt = name_of(context, waker->interrupt),
		};
	}
	sleep->wakers = wakers;
	return 0;
}

static int add_stack(const struct record_maker *maker,
		     const struct call_record_context *context, uint32_t stack,
		     struct ktrace_hw_sleep *sleep)
{
	char *text = stack_text(context->stacks, stack, context->functions);

	if (text)
		sleep->stack = arena_text(maker->arena, text, strlen(text));
	free(text);
	return sleep->stack ? 0 : -ERROR_MEMORY;
}

static int add_line(const struct record_maker *maker,
		    const struct call_record_context *context,
		    const struct sleep_place *place,
		    struct ktrace_hw_sleep *sleep)
{
	struct source_line line;

	if (!sleep_find_line(context->lines, context->functions, place->label,
			     place->address, &line))
		return 0;
	sleep->blocking_file =
		arena_text(maker->arena, line.file, strlen(line.file));
	sleep->blocking_line = line.line;
	return sleep->blocking_file ? 0 : -ERROR_MEMORY;
}

static int add_sleeps(const struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct sleep_places *places,
		      struct ktrace_hw_call *call)
{
	struct ktrace_hw_sleep *sleeps = arena_alloc(
		maker->arena, places->all.items.count * sizeof(*sleeps));
	int error = sleeps ? 0 : -ERROR_MEMORY;

	for (size_t i = 0; i < places->all.items.count && !error; i++) {
		const struct sleep_place *place = sleep_places_at(places, i);
		struct ktrace_hw_sleep *sleep = &sleeps[i];

		sleep->channel = name_of(context, place->label);
		sleep->function = name_of(context, place->function);
		sleep->count = place->count;
		sleep->asleep_ns = place->asleep_ns;
		sleep->max_ns = place->max_ns;
		sleep->runnable_ns = place->runnable_ns;
		error = add_wakers(maker, context, place, sleep);
		if (!error)
			error = add_stack(maker, context, place->stack, sleep);
		if (!error)
			error = add_line(maker, context, place, sleep);
	}
	call->sleeps = sleeps;
	call->sleep_count = places->all.items.count;
	return error;
}

static int add_functions(const struct record_maker *maker,
			 const struct call_record_context *context,
			 const struct call_trace *trace,
			 struct ktrace_hw_call *call)
{
	struct ktrace_hw_function *functions = arena_alloc_unset(
		maker->arena, trace->functions.count * sizeof(*functions));
	struct ktrace_hw_function *next = functions;

	if (!functions)
		return -ERROR_MEMORY;
	for (uint32_t i = call_trace_first(trace); i != TRACED_NONE;
	     i = call_trace_next(trace, i)) {
		const struct traced_function *function =
			call_trace_at(trace, i);

		*next++ = (struct ktrace_hw_function){
			.name = function_at(context->functions,
					    function->function)
					->name,
			.depth = function->depth,
			.is_interrupt = function->is_interrupt,
			.calls = function->calls,
			.wall_ns = function->wall_ns,
			.on_cpu_ns = function->on_cpu_ns,
		};
	}
	call->functions = functions;
	call->function_count = (size_t)(next - functions);
	return 0;
}

/* Adds a call; its names are borrowed from @context. Returns 0 or
 * -ERROR_MEMORY.
 */
static int maker_call(struct record_maker *maker,
		      const struct call_record_context *context,
		      const struct call_record *record)
{
	struct ktrace_hw_call *call = array_add(&maker->calls);
	int error = call ? 0 : -ERROR_MEMORY;

	if (error)
		return error;
	*call = call_of(context, record->call);
	error = add_sleeps(maker, context, record->places, call);
	return error ? error :
		       add_functions(maker, context, record->trace, call);
}

/* Counts a gap; ignores other call events. */
static void maker_step(struct record_maker *maker, const struct call_step *step)
{
	if (step->kind != STEP_GAP)
		return;
	if (!maker->record.gaps++)
		maker->record.gap_reason = flow_gap_text(step->detail);
	maker->record.lost_bytes += step->value;
}

/* Returns the record, valid until the next maker_begin(). */
static const struct ktrace_hw_record *maker_end(struct record_maker *maker,
						uint64_t lost_records)
{
	maker->record.calls = maker->calls.items;
	maker->record.call_count = maker->calls.count;
	maker->record.lost_records = lost_records;
	return &maker->record;
}

struct part_decoder {
	struct event_handler gaps;
	const struct own_recording *own;
	pid_t pid;
	pid_t tid;
	struct recording *part; /* the last one; NULL: none yet */
	/* NULL: the next part opens it */
	struct execution_stream *execution;
	struct step_join *join;	    /* NULL: no part yet */
	struct task_stacks *stacks; /* NULL: no part yet */
	struct attribution_input input;
	struct trackers *trackers;
	const struct task_tracker *tracker;
	struct call_recorder recorder;
	struct call_record_context context;
	struct record_maker maker;
	struct bracket_times times;
	/* position in the kernel's count up to which execution has read the
	 * trace; 0: unknown
	 */
	uint64_t read_until;
	/* the events so far belong to the call that switches the trace on */
	bool is_before;
};

static struct part_decoder *decoder_of(struct event_handler *gaps)
{
	return container_of(gaps, struct part_decoder, gaps);
}

/* Returns whether @call is part of the bracket, unlike the calls that switch
 * the trace on and off.
 */
static bool is_wanted(const struct part_decoder *decoder,
		      const struct system_call *call)
{
	return call->begin_ns >= decoder->times.begin_ns &&
	       call->begin_ns < decoder->times.end_ns;
}

static int end(struct call_recorder *recorder, const struct system_call *call,
	       const struct call_record *record)
{
	struct part_decoder *decoder =
		container_of(recorder, struct part_decoder, recorder);

	if (!record || !is_wanted(decoder, call))
		return 0;
	return maker_call(&decoder->maker, &decoder->context, record);
}

static void watch_gaps(struct event_handler *gaps, const struct call_step *step)
{
	maker_step(&decoder_of(gaps)->maker, step);
}

static void open_tracker(struct part_decoder *decoder)
{
	const struct own_recording *own = decoder->own;

	decoder->input = (struct attribution_input){
		.recording = own->base,
		.symbols = own->symbols,
		.lines = own->lines,
		.names = own->names,
		.events = own->events,
		.kinds = own->kinds,
		.window = TIME_WINDOW_ALL,
	};
	decoder->trackers = trackers_new(&decoder->input);
	if (decoder->trackers)
		decoder->tracker = trackers_tasks(decoder->trackers,
						  &decoder->recorder.listener);
}

struct part_decoder *part_decoder_new(const struct own_recording *own,
				      pid_t pid, pid_t tid)
{
	struct part_decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
	decoder->gaps.step = watch_gaps;
	decoder->gaps.needs = event_handler_needs_no_calls;
	decoder->own = own;
	decoder->pid = pid;
	decoder->tid = tid;
	decoder->recorder.consume = end;
	call_recorder_open(&decoder->recorder);
	decoder->maker = RECORD_MAKER_EMPTY;
	open_tracker(decoder);
	if (decoder->tracker &&
	    !trackers_follow(decoder->trackers, &decoder->gaps))
		return decoder;
	part_decoder_free(decoder);
	return NULL;
}

void part_decoder_free(struct part_decoder *decoder)
{
	if (!decoder)
		return;
	part_decoder_forget_code(decoder);
	task_stacks_free(decoder->stacks);
	step_join_free(decoder->join);
	trackers_free(decoder->trackers);
	call_recorder_free(&decoder->recorder);
	maker_free(&decoder->maker);
	recording_part_close(decoder->part);
	free(decoder);
}

void part_decoder_forget_code(struct part_decoder *decoder)
{
	execution_stream_close(decoder->execution);
	decoder->execution = NULL;
}

/* Returns which part of the trace in @bytes to read and follow. If the part
 * decoded last ended where the bracket's own trace starts, that is only the
 * bracket's own trace.
 */
static struct stream_part bracket_of(const struct part_decoder *decoder,
				     const struct part_bytes *bytes)
{
	uint64_t start = bytes->trace_start + bytes->before_size;
	bool goes_on = decoder->read_until == start;
	bool follows_before = bytes->needs_before && !goes_on;

	return (struct stream_part){
		.from = follows_before ? 0 : bytes->before_size,
		.read_bytes = goes_on ? bytes->before_size : 0,
		.until_ns = decoder->times.end_ns,
		.starts_in_call = bytes->before_size && !follows_before,
	};
}

/* Opens the stream, or restarts it on @part; discards it if that fails. */
static int open_stream(struct part_decoder *decoder,
		       const struct recording *part,
		       const struct part_bytes *bytes)
{
	const struct flow_input input = {
		.recording = part,
		.stream = recording_stream(part, 0),
		.image = decoder->own->image,
		.log = decoder->own->log,
	};
	int error;

	if (!decoder->execution)
		return execution_stream_open(&input, decoder->own->symbols,
					     decoder->pid, decoder->tid, NULL,
					     NULL, &decoder->execution);
	error = execution_stream_restart(decoder->execution, &input,
					 bracket_of(decoder, bytes),
					 decoder->pid, decoder->tid);
	if (error)
		part_decoder_forget_code(decoder);
	return error;
}

static int begin_records(struct part_decoder *decoder,
			 const struct recording *part)
{
	const struct off_cpu_evidence evidence =
		off_cpu_evidence_of(part, decoder->own->events);

	trackers_reset(decoder->trackers, &evidence);
	decoder->context =
		call_record_context_of(&decoder->input, decoder->tracker);
	return maker_begin(&decoder->maker, decoder->times.begin_ns,
			   decoder->times.end_ns);
}

/* Returns whether @event ends the call that switched the trace on, or shows
 * that its end is missing.
 */
static bool is_end_of_begin(const struct function_event *event)
{
	return (event->kind == FUNCTION_TRACE_STOP &&
		event->detail == FLOW_STOP_LEVEL) ||
	       event->kind == FUNCTION_GAP || event->kind == FUNCTION_END;
}

/* Skips events of the call that switched the trace on, and of earlier brackets.
 */
static void skip_earlier(struct part_decoder *decoder,
			 const struct function_event **events, int *count)
{
	while (*count && decoder->is_before) {
		bool is_earlier = (*events)->time_ns < decoder->times.on_ns;

		decoder->is_before = is_earlier || !is_end_of_begin(*events);
		if (!decoder->is_before &&
		    (*events)->kind != FUNCTION_TRACE_STOP)
			return;
		++*events;
		--*count;
	}
}

static int consume_all(struct part_decoder *decoder)
{
	struct task_stacks *stacks = decoder->stacks;
	const struct function_event *events;
	int count;

	while ((count = execution_stream_next(decoder->execution, &events)) >
	       0) {
		skip_earlier(decoder, &events, &count);
		if (!count)
			continue;
		count = task_stacks_consume(stacks, 0, events, (uint32_t)count);
		if (count < 0)
			break;
	}
	if (!count)
		task_stacks_close(stacks);
	return count;
}

/* Decodes the part: trace -> function events -> call events -> system calls. */
static int follow(struct part_decoder *decoder)
{
	int error = task_stacks_add_cpu(decoder->stacks, -1, decoder->pid,
					decoder->tid);

	if (error >= 0)
		error = consume_all(decoder);
	if (!error)
		error = step_join_end(decoder->join);
	return error ? error : trackers_end(decoder->trackers);
}

/* Opens the join for the records of @part and the stacks before it, or resets
 * both.
 */
static int open_join(struct part_decoder *decoder, const struct recording *part)
{
	struct event_handler *const *handlers;
	size_t count;

	if (decoder->stacks) {
		step_join_reset_to(decoder->join, part);
		task_stacks_reset(decoder->stacks);
		return 0;
	}
	handlers = trackers_handlers(decoder->trackers, &count);
	step_join_free(decoder->join);
	decoder->join =
		step_join_new(part, decoder->own->events, handlers, count);
	if (decoder->join)
		decoder->stacks = task_stacks_new(
			TIME_WINDOW_ALL, step_join_callback(decoder->join));
	return decoder->stacks ? 0 : -ERROR_MEMORY;
}

static int decode(struct part_decoder *decoder, const struct recording *part,
		  const struct part_bytes *bytes)
{
	int error = begin_records(decoder, part);

	if (!error)
		error = open_stream(decoder, part, bytes);
	decoder->read_until = 0;
	if (!error)
		error = open_join(decoder, part);
	if (!error)
		error = follow(decoder);
	if (!error)
		decoder->read_until = bytes->trace_start + bytes->trace_size;
	return error;
}

/* Opens the part, in place of the last one. */
static int open_part(struct part_decoder *decoder,
		     const struct part_bytes *bytes)
{
	const struct recording *whole = decoder->own->base;
	int error;

	if (!decoder->part)
		return recording_part_open(whole, bytes->bytes, bytes->size,
					   &decoder->part);
	error = recording_part_reopen(whole, bytes->bytes, bytes->size,
				      decoder->part);
	if (!error)
		return 0;
	recording_part_close(decoder->part);
	decoder->part = NULL;
	return error;
}

int part_decoder_run(struct part_decoder *decoder,
		     const struct part_bytes *bytes,
		     const struct bracket_times *times, uint64_t lost_records,
		     const struct ktrace_hw_record **record)
{
	const struct recording *part;
	int error = open_part(decoder, bytes);

	if (error)
		return error;
	part = decoder->part;
	decoder->times = *times;
	decoder->is_before = true;
	error = recording_stream_count(part) ? decode(decoder, part, bytes) :
					       -ERROR_NOT_FOUND;
	if (!error)
		*record = maker_end(&decoder->maker,
				    recording_counts(part)->lost_records +
					    lost_records);
	return error;
}
