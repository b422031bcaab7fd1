/* SPDX-License-Identifier: MIT */
#include "inband/part_decoder.h"
#include "attribution/calls/system_calls.h"
#include "attribution/events/step_join.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "execution/stream/execution_stream.h"
#include "inband/own_recording.h"
#include "inband/part_bytes.h"
#include "inband/record_maker.h"
#include "tables/calls/call_records_table.h"
#include "tables/table.h"

#include <stdlib.h>

struct part_decoder {
	struct event_handler gaps;
	const struct own_recording *own;
	pid_t pid;
	pid_t tid;
	struct execution_stream *execution; /* NULL: no code yet */
	struct attribution_input input;
	struct trackers *trackers;
	const struct task_tracker *tracker;
	struct call_recorder recorder;
	struct call_record_context context;
	struct record_maker maker;
	struct bracket_times times;
	/* the call that switches the trace on has not returned */
	bool is_before;
};

static struct part_decoder *decoder_of(struct event_handler *gaps)
{
	return container_of(gaps, struct part_decoder, gaps);
}

/* Excludes the calls that switch the trace on and off. */
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
	return record_maker_call(&decoder->maker, &decoder->context, record);
}

static void watch_gaps(struct event_handler *gaps, const struct call_step *step)
{
	record_maker_step(&decoder_of(gaps)->maker, step);
}

static void open_tracker(struct part_decoder *decoder)
{
	const struct own_recording *own = decoder->own;

	decoder->input = (struct attribution_input){
		.recording = own->base,
		.symbols = own->symbols,
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
	decoder->own = own;
	decoder->pid = pid;
	decoder->tid = tid;
	decoder->recorder.take = end;
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
	trackers_free(decoder->trackers);
	call_recorder_free(&decoder->recorder);
	record_maker_free(&decoder->maker);
	free(decoder);
}

void part_decoder_forget_code(struct part_decoder *decoder)
{
	execution_stream_close(decoder->execution);
	decoder->execution = NULL;
}

/* Opens the stream, or resets the present one, which is discarded if that
 * fails. @from is the start of the bracket's own trace.
 */
static int open_stream(struct part_decoder *decoder,
		       const struct recording *part, uint64_t from)
{
	const struct stream_part bracket = { from, decoder->times.end_ns };
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
	error = execution_stream_restart(decoder->execution, &input, bracket,
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
	int error = trackers_reset(decoder->trackers, &evidence);

	decoder->context =
		call_record_context_of(&decoder->input, decoder->tracker);
	return error ? error :
		       record_maker_begin(&decoder->maker,
					  decoder->times.begin_ns,
					  decoder->times.end_ns);
}

/* Returns whether the call that switched the trace on ends, or its end is
 * missing.
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

static int take_all(struct part_decoder *decoder, struct task_stacks *stacks)
{
	const struct function_event *events;
	int count;

	while ((count = execution_stream_next(decoder->execution, &events)) >
	       0) {
		skip_earlier(decoder, &events, &count);
		if (!count)
			continue;
		count = task_stacks_take(stacks, 0, events, (uint32_t)count);
		if (count < 0)
			break;
	}
	if (!count)
		task_stacks_close(stacks);
	return count;
}

/* Trace -> function events -> steps -> calls. */
static int follow(struct part_decoder *decoder, struct step_join *join)
{
	struct task_stacks *stacks =
		task_stacks_new(TIME_WINDOW_ALL, step_join_callback(join));
	int error;

	if (!stacks)
		return -ERROR_MEMORY;
	error = task_stacks_add_cpu(stacks, -1, decoder->pid, decoder->tid);
	if (error >= 0)
		error = take_all(decoder, stacks);
	if (!error)
		error = step_join_end(join);
	if (!error)
		error = trackers_end(decoder->trackers);
	task_stacks_free(stacks);
	return error;
}

static int decode(struct part_decoder *decoder, const struct recording *part,
		  uint64_t from)
{
	struct event_handler *const *handlers;
	size_t count;
	struct step_join *join;
	int error = begin_records(decoder, part);

	if (!error)
		error = open_stream(decoder, part, from);
	if (error)
		return error;
	handlers = trackers_handlers(decoder->trackers, &count);
	join = step_join_new(part, decoder->own->events, handlers, count);
	if (!join)
		return -ERROR_MEMORY;
	error = follow(decoder, join);
	step_join_free(join);
	return error;
}

int part_decoder_run(struct part_decoder *decoder,
		     const struct part_bytes *bytes,
		     const struct bracket_times *times,
		     const struct ktrace_hw_record **record)
{
	struct recording *part;
	int error = recording_part_open(decoder->own->base, bytes->bytes,
					bytes->size, &part);

	if (error)
		return error;
	decoder->times = *times;
	decoder->is_before = true;
	error = recording_stream_count(part) ?
			decode(decoder, part, bytes->before_size) :
			-ERROR_NOT_FOUND;
	if (!error)
		*record = record_maker_end(
			&decoder->maker, recording_counts(part)->lost_records);
	recording_part_close(part);
	return error;
}
