/* SPDX-License-Identifier: MIT */
#include "attribution/attribution_input.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/cpu_frequency.h"
#include "decoder/recording/recording.h"
#include "decoder/ring_fill.h"
#include "report/steps/task_choice.h"
#include "report/timeline/span_export.h"
#include "tables/side_tracks.h"
#include "tables/text/table_rows.h"

/* A change of the number of threads that wait for a CPU: 1 or -1. */
struct runnable_change {
	/* must be the first member: the key of number_sort() */
	uint64_t time_ns;
	int64_t change;
};

static void add_change(struct counter_tracks *tracks, uint64_t time_ns,
		       int64_t change)
{
	const struct runnable_change added = { time_ns, change };

	if (array_append(&tracks->changes, &added) < 0)
		tracks->status = -ERROR_MEMORY;
}

static void put_throttled(struct counter_tracks *tracks,
			  const struct time_span *span)
{
	const struct side_track track = { .kind = SPAN_THROTTLED,
					  .task = span->task };
	const struct span throttled = {
		.time_ns = span->begin_ns,
		.number = SPAN_NUMBER_NONE,
		.name = "throttled",
		.category = "throttled",
	};

	if (span->end_ns - span->begin_ns < tracks->options.min_ns ||
	    !table_wants(tracks->options.input, span->task, span->begin_ns))
		return;
	tracks->callback->begin(tracks->callback, &track, &throttled);
	tracks->callback->end(tracks->callback, &track, span->end_ns);
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct counter_tracks *tracks =
		container_of(callback, struct counter_tracks, spans);

	if (span->time_class != TIME_RUNNABLE)
		return;
	add_change(tracks, span->begin_ns, 1);
	add_change(tracks, span->end_ns, -1);
	if (span->is_throttled)
		put_throttled(tracks, span);
}

int counter_tracks_open(struct counter_tracks *tracks,
			const struct side_tracks_options *options,
			struct track_callback *callback)
{
	struct thread_tracker *threads;

	*tracks = (struct counter_tracks){
		.spans = { .consume = consume_span },
		.options = *options,
		.callback = callback,
		.changes = ARRAY_OF(struct runnable_change),
	};
	threads = trackers_threads(options->input->trackers);
	return threads ? thread_tracker_hand_spans(threads, &tracks->spans,
						   options->input->window) :
			 -ERROR_MEMORY;
}

void counter_tracks_free(struct counter_tracks *tracks)
{
	array_free(&tracks->changes);
}

/* Emits how many threads wait for a CPU, once for each time at which the number
 * changes.
 */
static void put_runnable(struct counter_tracks *tracks)
{
	const struct runnable_change *list = tracks->changes.items;
	int64_t value = 0;

	for (size_t i = 0; i < tracks->changes.count; i++) {
		value += list[i].change;
		if (i + 1 < tracks->changes.count &&
		    list[i + 1].time_ns == list[i].time_ns)
			continue;
		tracks->callback->count(
			tracks->callback,
			&(struct track_count){ .time_ns = list[i].time_ns,
					       .value = (uint64_t)value,
					       .counter = COUNTER_RUNNABLE });
	}
}

/* Emits the frequencies of the CPU of @stream that its trace contains. Returns
 * 0, even if the trace contains none, or a negative enum error.
 */
static int put_frequency(struct counter_tracks *tracks,
			 const struct aux_stream *stream)
{
	const struct attribution_input *input = tracks->options.input;
	struct track_count count = { .cpu = (uint32_t)stream->cpu,
				     .counter = COUNTER_FREQUENCY };
	struct cpu_frequency *frequency;
	int status = cpu_frequency_open(input->recording, stream, &frequency);

	if (status)
		return status == -ERROR_UNSUPPORTED ? 0 : status;
	while (cpu_frequency_next(frequency, &count.time_ns, &count.value))
		if (time_window_has(input->window, count.time_ns))
			tracks->callback->count(tracks->callback, &count);
	cpu_frequency_close(frequency);
	return 0;
}

/* Like put_frequency(), for how much trace the CPU's ring held. */
static int put_ring(struct counter_tracks *tracks,
		    const struct aux_stream *stream)
{
	const struct attribution_input *input = tracks->options.input;
	struct track_count count = { .cpu = (uint32_t)stream->cpu,
				     .counter = COUNTER_RING };
	struct ring_fill fill;
	int status = ring_fill_open(&fill, input->recording, stream);

	if (status)
		return status == -ERROR_UNSUPPORTED ? 0 : status;
	while (ring_fill_next(&fill, &count.time_ns, &count.value))
		if (time_window_has(input->window, count.time_ns))
			tracks->callback->count(tracks->callback, &count);
	ring_fill_close(&fill);
	return 0;
}

int counter_tracks_end(struct counter_tracks *tracks)
{
	const struct attribution_input *input = tracks->options.input;
	/* Tests have no recording, and so no trace. */
	size_t streams =
		input->recording ? recording_stream_count(input->recording) : 0;

	if (!tracks->status)
		tracks->status = number_sort(&tracks->changes);
	if (!tracks->status)
		put_runnable(tracks);
	for (size_t i = 0; i < streams && !tracks->status; i++) {
		const struct aux_stream *stream =
			recording_stream(input->recording, i);

		if (stream->cpu < 0 ||
		    !step_filter_cpu(input->filter, (uint32_t)stream->cpu))
			continue;
		tracks->status = put_frequency(tracks, stream);
		if (!tracks->status)
			tracks->status = put_ring(tracks, stream);
	}
	return tracks->status;
}
