/* SPDX-License-Identifier: MIT */
#include "execution/stream/execution_stream.h"

#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/loss_cursor.h"
#include "decoder/recording/recording.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/run_cursor.h"
#include "execution/stream/segment_feed.h"
#include "execution/stream/stream_checkpoint.h"
#include "execution/stream/stream_tasks.h"

#include <stdlib.h>
#include <string.h>

struct execution_stream {
	bool lists_blocks;
	struct segment_feed *feed;
	struct run_cursor cursor;
	bool is_fed; /* no run comes behind this one */
	bool at_end;
	bool is_gated;		/* recording_is_gated() */
	uint64_t lost_until_ns; /* 0: it does not end with a loss */

	struct stream_tasks tasks; /* who runs */
	union timed_record last;   /* handed out: its times */
	union timed_record made;   /* one that is not the feed's */

	bool keeps;		       /* the last synchronisation point: */
	struct stream_checkpoint kept; /* there, and events since then */
	uint64_t skipped;	       /* still to be: before the first */
};

/* Records have times of their own: without any in the trace nobody knows where
 * they belong.
 */
static int open_switches(struct execution_stream *stream,
			 const struct flow_input *input)
{
	if (recording_time(input->recording) != RECORDING_TIME_NANOSECONDS)
		return 0;
	stream->is_gated = recording_is_gated(input->recording);
	/* CoreSight's driver marks losses where there are none, too. */
	if (recording_trace(input->recording) == RECORDING_TRACE_INTEL_PT)
		stream->lost_until_ns = loss_at_end_ns(input->stream);
	return stream_tasks_open(&stream->tasks, input);
}

static void close_stream(struct execution_stream *stream)
{
	segment_feed_close(stream->feed);
	stream_tasks_close(&stream->tasks);
	free(stream);
}

/* Makes @stream go on from @from. */
static int go_to(struct execution_stream *stream,
		 const struct stream_checkpoint *from)
{
	stream->skipped = from->events;
	if (!from->has_state)
		return 0;
	stream->last.time_ns = from->last_ns;
	stream->last.early_ns = from->last_early_ns;
	stream->last.late_ns = from->last_late_ns;
	return stream_tasks_go_to(&stream->tasks, &from->tasks,
				  from->is_running, from->switches);
}

static int open_stream(const struct flow_input *input,
		       const struct symbols *symbols, bool lists_blocks,
		       struct jobs *jobs, const struct stream_checkpoint *from,
		       struct execution_stream **opened)
{
	const struct execution_state *state =
		from && from->has_state ? &from->state : NULL;
	struct execution_stream *stream = calloc(1, sizeof(*stream));
	int error;

	if (!stream)
		return -ERROR_MEMORY;
	stream->lists_blocks = lists_blocks;
	stream_tasks_set(&stream->tasks, -1, -1, false);
	error = open_switches(stream, input);
	if (!error)
		error = segment_feed_open(input, symbols, lists_blocks, jobs,
					  state, &stream->feed);
	if (error) {
		close_stream(stream);
		return error;
	}
	*opened = stream;
	return 0;
}

int execution_stream_open(const struct flow_input *input,
			  const struct symbols *symbols, int32_t pid,
			  int32_t tid, struct jobs *jobs,
			  const struct stream_checkpoint *from,
			  struct execution_stream **opened)
{
	struct execution_stream *stream;
	int error = open_stream(input, symbols, false, jobs, from, &stream);

	if (error)
		return error;
	stream_tasks_set(&stream->tasks, pid, tid, input->stream->cpu < 0);
	if (from)
		error = go_to(stream, from);
	if (error)
		close_stream(stream);
	else
		*opened = stream;
	return error;
}

int execution_stream_open_blocks(const struct flow_input *input,
				 struct execution_stream **stream)
{
	return open_stream(input, NULL, true, NULL, NULL, stream);
}

int execution_stream_renew(struct execution_stream *stream,
			   const struct flow_input *input,
			   struct stream_part part, int32_t pid, int32_t tid)
{
	struct segment_feed *feed = stream->feed;
	int error;

	stream_tasks_close(&stream->tasks);
	*stream = (struct execution_stream){
		.feed = feed,
	};
	stream_tasks_set(&stream->tasks, pid, tid, input->stream->cpu < 0);
	error = open_switches(stream, input);
	return error ? error : segment_feed_renew(feed, input, part);
}

void execution_stream_close(struct execution_stream *stream)
{
	if (stream)
		close_stream(stream);
}

/* All before the synchronisation point of @state is handed out, nothing behind
 * it.
 */
static void keep(struct execution_stream *stream,
		 const struct execution_state *state)
{
	stream->kept = (struct stream_checkpoint){
		.has_state = true,
		.state = *state,
		.tasks = stream->tasks.state,
		.is_running = stream->tasks.is_running,
		.last_ns = stream->last.time_ns,
		.last_early_ns = stream->last.early_ns,
		.last_late_ns = stream->last.late_ns,
		.switches = stream->tasks.count,
	};
}

static int read_run(struct execution_stream *stream)
{
	const struct execution_state *state;
	struct record_run run = { 0 };
	int status = segment_feed_next(stream->feed, &run);

	if (status <= 0) {
		run = (struct record_run){ 0 };
		stream->is_fed = true;
	}
	stream->cursor = (struct run_cursor){ .run = run };
	state = segment_feed_first_state(stream->feed);
	if (status > 0 && stream->keeps && state)
		keep(stream, state);
	return status < 0 ? status : 0;
}

/* The record that switches the task, at the time of @like. */
static int make_switch(struct execution_stream *stream,
		       const union timed_record *like)
{
	stream->made = stream_tasks_record_at(&stream->tasks, like);
	return 1;
}

/* Returns whether the switch that @item tells happened after the trace was
 * over.
 */
static bool is_beyond(const struct execution_stream *stream,
		      const struct flow_item *item)
{
	return !stream->is_gated && stream->is_fed &&
	       segment_feed_is_off(stream->feed) &&
	       item->time_ns > segment_feed_end_ns(stream->feed) &&
	       item->detail != FLOW_SWITCH_AWAY;
}

/* Takes the next record of a switch.  Returns how many records that makes, or
 * -ERROR_MEMORY.
 */
static int take_switch(struct execution_stream *stream)
{
	const struct flow_item item = *stream_tasks_next(&stream->tasks);

	if (stream_tasks_advance(&stream->tasks) < 0)
		return -ERROR_MEMORY;
	if (is_beyond(stream, &item))
		return 0;
	if (item.time_ns > stream->last.time_ns)
		stream->last.time_ns = item.time_ns;
	stream->made.item = item;
	if (stream->lists_blocks)
		return 1;
	if (!stream_tasks_record(&stream->tasks, &item))
		return 0;
	return make_switch(stream, &stream->made);
}

/* Takes the switch that the trace itself tells of at the next record. */
static int take_named_task(struct execution_stream *stream)
{
	const union timed_record record = *run_cursor_take(&stream->cursor, 1);

	if (!stream_tasks_record(&stream->tasks, &record.item))
		return 0;
	return make_switch(stream, &record);
}

/* Takes a mark of the next record.  Returns as take_switch(). */
static int take_mark(struct execution_stream *stream, uint8_t kind)
{
	const union timed_record *record = run_cursor_record(&stream->cursor);

	stream->cursor.next_mark++;
	switch ((enum event_mark_kind)kind) {
	case MARK_RUNS:
		stream->tasks.is_running = true;
		return 0;
	case MARK_PAUSE:
		stream->tasks.is_running = false;
		return task_switch_lost(&stream->tasks.state,
					stream->last.time_ns) ?
			       make_switch(stream, &stream->last) :
			       0;
	case MARK_SYNC:
		keep(stream, segment_feed_pass(stream->feed));
		return 0;
	case MARK_TASK:
		return take_named_task(stream);
	case MARK_SWITCH_POINT:
		return task_switch_point(&stream->tasks.state, record->time_ns,
					 stream_tasks_next(&stream->tasks)) ?
			       make_switch(stream, record) :
			       0;
	}
	return 0;
}

/* The last record of all: how long the trace was lost then is known. */
static int make_end(struct execution_stream *stream)
{
	stream->at_end = true;
	memset(&stream->made, 0, sizeof(stream->made));
	stream->made.time_ns = stream->last.time_ns;
	stream->made.early_ns = stream->last.early_ns;
	stream->made.late_ns = FLOW_NO_BOUND;
	if (stream->lost_until_ns > stream->last.time_ns) {
		stream->made.time_ns = stream->lost_until_ns;
		stream->made.early_ns = 0;
	}
	if (stream->lists_blocks)
		stream->made.item.kind = FLOW_END;
	else
		stream->made.event.kind = FUNCTION_END;
	return 1;
}

/* What comes next at the place reached: a mark, a switch, or the next run.
 * Returns how many records that makes, or -ERROR_MEMORY.
 */
static int take_place(struct execution_stream *stream)
{
	const struct event_mark *mark = run_cursor_mark(&stream->cursor);
	const union timed_record *record = run_cursor_record(&stream->cursor);
	const struct flow_item *change = stream_tasks_next(&stream->tasks);
	bool has_mark = mark && mark->index == stream->cursor.at;
	bool has_change;

	if (has_mark && mark->kind != MARK_SWITCH_POINT &&
	    mark->kind != MARK_TASK)
		return take_mark(stream, mark->kind);
	if (record)
		has_change = change && change->time_ns < record->time_ns;
	else
		has_change = change && stream->is_fed;
	if (has_change)
		return take_switch(stream);
	if (has_mark && record)
		return take_mark(stream, mark->kind);
	if (!stream->is_fed)
		return read_run(stream);
	return make_end(stream);
}

static int next_records(struct execution_stream *stream,
			const union timed_record **records)
{
	while (!stream->at_end) {
		const struct flow_item *change =
			stream_tasks_next(&stream->tasks);
		size_t count = run_cursor_left(
			&stream->cursor, change ? change->time_ns : UINT64_MAX);
		int status;

		if (count && (stream->lists_blocks ||
			      !stream_tasks_come_back(&stream->tasks))) {
			*records = run_cursor_take(&stream->cursor, count);
			stream->last = (*records)[count - 1];
			return (int)count;
		}
		*records = &stream->made;
		status = count ? make_switch(stream, run_cursor_record(
							     &stream->cursor)) :
				 take_place(stream);
		if (status)
			return status;
	}
	return 0;
}

int execution_stream_next(struct execution_stream *stream,
			  const struct function_event **batch)
{
	const union timed_record *records;
	int count = next_records(stream, &records);

	while (count > 0 && stream->skipped >= (uint64_t)count) {
		stream->skipped -= (uint64_t)count;
		count = next_records(stream, &records);
	}
	if (count > 0) {
		records += stream->skipped;
		count -= (int)stream->skipped;
		stream->skipped = 0;
		stream->kept.events += (uint64_t)count;
	}
	*batch = (const struct function_event *)records;
	return count;
}

int execution_stream_next_blocks(struct execution_stream *stream,
				 const struct flow_item **items)
{
	const union timed_record *records;
	int count = next_records(stream, &records);

	*items = (const struct flow_item *)records;
	return count;
}

void execution_stream_keep(struct execution_stream *stream)
{
	stream->keeps = true;
	segment_feed_say_states(stream->feed);
}

uint64_t execution_stream_position(const struct execution_stream *stream)
{
	return stream->kept.state.position;
}

void execution_stream_checkpoint(const struct execution_stream *stream,
				 uint64_t left,
				 struct stream_checkpoint *checkpoint)
{
	*checkpoint = stream->kept;
	checkpoint->events -= left;
}
