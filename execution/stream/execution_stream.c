/* SPDX-License-Identifier: MIT */
#include "execution/stream/execution_stream.h"
#include "common/error.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/loss_cursor.h"
#include "decoder/recording/recording.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/segment_feed.h"
#include "execution/stream/stream_checkpoint.h"
#include "symbolize/events/task_switch.h"

#include <stdlib.h>
#include <string.h>

struct execution_stream {
	struct flow_source base; /* as a list of blocks */
	bool lists_blocks;
	struct segment_feed *feed;
	struct record_run run;
	size_t at; /* the next of its records */
	size_t next_mark;
	bool is_fed; /* no run comes behind this one */
	bool at_end;
	bool is_gated;		/* recording_is_gated() */
	uint64_t lost_until_ns; /* 0: it does not end with a loss */

	struct switch_feed *switches; /* NULL: they cannot be placed */
	struct task_switch tasks;
	struct task_id own;	 /* whose trace it is alone; tid -1: a CPU's */
	bool is_running;	 /* the CPU is being traced */
	union timed_record last; /* handed out: its times */
	union timed_record made; /* one that is not the feed's */
	uint64_t switch_count;	 /* taken */

	bool keeps;		       /* the last synchronisation point: */
	struct stream_checkpoint kept; /* there, and events since then */
	uint64_t skipped;	       /* still to be: before the first */
};

/* The next record of a switch, or NULL. */
static const struct flow_item *
next_change(const struct execution_stream *stream)
{
	return stream->switches ? switch_feed_peek(stream->switches) : NULL;
}

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
	stream->switches = switch_feed_new(input->recording, input->stream);
	return stream->switches ? 0 : -ERROR_MEMORY;
}

static void close_stream(struct execution_stream *stream)
{
	segment_feed_close(stream->feed);
	switch_feed_free(stream->switches);
	free(stream);
}

static int take_switches(struct execution_stream *stream, uint64_t count)
{
	while (stream->switch_count < count &&
	       switch_feed_peek(stream->switches)) {
		if (switch_feed_advance(stream->switches) < 0)
			return -ERROR_MEMORY;
		stream->switch_count++;
	}
	return 0;
}

/* Makes @stream go on from @from. */
static int go_to(struct execution_stream *stream,
		 const struct stream_checkpoint *from)
{
	stream->skipped = from->events;
	if (!from->has_state)
		return 0;
	stream->tasks = from->tasks;
	stream->is_running = from->is_running;
	stream->last.time_ns = from->last_ns;
	stream->last.early_ns = from->last_early_ns;
	stream->last.late_ns = from->last_late_ns;
	return take_switches(stream, from->switches);
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
	stream->base.ops = &execution_blocks;
	stream->lists_blocks = lists_blocks;
	stream->own.tid = -1;
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

/* Sets who runs when @stream begins; a thread's own stream has no other. */
static void set_task(struct execution_stream *stream,
		     const struct aux_stream *trace, int32_t pid, int32_t tid)
{
	stream->tasks.current = (struct task_id){ .pid = pid, .tid = tid };
	stream->own = stream->tasks.current;
	if (trace->cpu >= 0)
		stream->own.tid = -1;
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
	set_task(stream, input->stream, pid, tid);
	if (from)
		error = go_to(stream, from);
	if (error)
		close_stream(stream);
	else
		*opened = stream;
	return error;
}

int execution_stream_renew(struct execution_stream *stream,
			   const struct flow_input *input,
			   struct stream_part part, int32_t pid, int32_t tid)
{
	struct segment_feed *feed = stream->feed;
	int error;

	switch_feed_free(stream->switches);
	*stream = (struct execution_stream){
		.base.ops = &execution_blocks,
		.feed = feed,
	};
	set_task(stream, input->stream, pid, tid);
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
		.tasks = stream->tasks,
		.is_running = stream->is_running,
		.last_ns = stream->last.time_ns,
		.last_early_ns = stream->last.early_ns,
		.last_late_ns = stream->last.late_ns,
		.switches = stream->switch_count,
	};
}

static int read_run(struct execution_stream *stream)
{
	const struct execution_state *state;
	int status = segment_feed_next(stream->feed, &stream->run);

	stream->at = 0;
	stream->next_mark = 0;
	if (status <= 0) {
		stream->run = (struct record_run){ 0 };
		stream->is_fed = true;
	}
	state = segment_feed_first_state(stream->feed);
	if (status > 0 && stream->keeps && state)
		keep(stream, state);
	return status < 0 ? status : 0;
}

/* The record that switches the task, at the time of @like. */
static int make_switch(struct execution_stream *stream,
		       const union timed_record *like)
{
	const struct task_id *task = &stream->tasks.current;

	stream->made = (union timed_record){
		.event = {
			.time_ns = like->time_ns,
			.early_ns = like->early_ns,
			.late_ns = like->late_ns,
			.kind = FUNCTION_SWITCH,
			.detail = stream->tasks.preempted,
			.address = (uint64_t)(uint32_t)task->pid << 32 |
				   (uint32_t)task->tid,
		},
	};
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
	const struct flow_item item = *next_change(stream);

	stream->switch_count++;
	if (switch_feed_advance(stream->switches) < 0)
		return -ERROR_MEMORY;
	if (is_beyond(stream, &item))
		return 0;
	if (item.time_ns > stream->last.time_ns)
		stream->last.time_ns = item.time_ns;
	stream->made.item = item;
	if (stream->lists_blocks)
		return 1;
	if (!task_switch_record(&stream->tasks, &item, stream->is_running))
		return 0;
	return make_switch(stream, &stream->made);
}

/* The trace of one thread goes on, wherever that has been.  Returns whether it
 * was away.
 */
static bool is_back(struct execution_stream *stream)
{
	return stream->own.tid >= 0 && !stream->lists_blocks &&
	       task_switch_back(&stream->tasks, &stream->own);
}

/* Takes the switch that the trace itself tells of at record @stream->at. */
static int take_named_task(struct execution_stream *stream)
{
	const union timed_record record = stream->run.records[stream->at++];

	if (!task_switch_record(&stream->tasks, &record.item,
				stream->is_running))
		return 0;
	return make_switch(stream, &record);
}

/* Takes a mark of record @stream->at.  Returns as take_switch(). */
static int take_mark(struct execution_stream *stream, uint8_t kind)
{
	const union timed_record *record = &stream->run.records[stream->at];

	stream->next_mark++;
	switch ((enum event_mark_kind)kind) {
	case MARK_RUNS:
		stream->is_running = true;
		return 0;
	case MARK_PAUSE:
		stream->is_running = false;
		return task_switch_lost(&stream->tasks, stream->last.time_ns) ?
			       make_switch(stream, &stream->last) :
			       0;
	case MARK_SYNC:
		keep(stream, segment_feed_pass(stream->feed));
		return 0;
	case MARK_TASK:
		return take_named_task(stream);
	case MARK_SWITCH_POINT:
		return task_switch_point(&stream->tasks, record->time_ns,
					 next_change(stream)) ?
			       make_switch(stream, record) :
			       0;
	}
	return 0;
}

/* Returns the index of the first record from stream->at on, before @end, that
 * is later than @time_ns; @end if none is.
 */
static size_t first_after(const struct execution_stream *stream, size_t end,
			  uint64_t time_ns)
{
	const union timed_record *records = stream->run.records;
	size_t low = stream->at;
	size_t high = end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (records[middle].time_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static const struct event_mark *next_mark(const struct execution_stream *stream)
{
	if (stream->next_mark == stream->run.mark_count)
		return NULL;
	return &stream->run.marks[stream->next_mark];
}

/* Hands out the run's records before @end. */
static int take_records(struct execution_stream *stream, size_t end,
			const union timed_record **records)
{
	size_t count = end - stream->at;

	*records = stream->run.records + stream->at;
	stream->at = end;
	stream->last = stream->run.records[end - 1];
	return (int)count;
}

/* What comes next at the place reached: a mark, a switch, or the next run.
 * Returns how many records that makes, or -ERROR_MEMORY.
 */
static int take_place(struct execution_stream *stream)
{
	const struct event_mark *mark = next_mark(stream);
	const struct flow_item *change = next_change(stream);
	bool has_mark = mark && mark->index == stream->at;
	bool has_change;

	if (has_mark && mark->kind != MARK_SWITCH_POINT &&
	    mark->kind != MARK_TASK)
		return take_mark(stream, mark->kind);
	if (stream->at < stream->run.count)
		has_change = change &&
			     change->time_ns <
				     stream->run.records[stream->at].time_ns;
	else
		has_change = change && stream->is_fed;
	if (has_change)
		return take_switch(stream);
	if (has_mark && stream->at < stream->run.count)
		return take_mark(stream, mark->kind);
	if (!stream->is_fed)
		return read_run(stream);
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

static int next_records(struct execution_stream *stream,
			const union timed_record **records)
{
	while (!stream->at_end) {
		const struct event_mark *mark = next_mark(stream);
		const struct flow_item *change = next_change(stream);
		size_t end = stream->run.count;
		int status;

		if (mark && mark->index < end)
			end = mark->index;
		if (change)
			end = first_after(stream, end, change->time_ns);
		if (end > stream->at && is_back(stream)) {
			*records = &stream->made;
			return make_switch(stream,
					   &stream->run.records[stream->at]);
		}
		if (end > stream->at)
			return take_records(stream, end, records);
		status = take_place(stream);
		*records = &stream->made;
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

static int open_blocks(const struct flow_input *input,
		       struct flow_source **source)
{
	struct execution_stream *stream;
	int error = open_stream(input, NULL, true, NULL, NULL, &stream);

	if (!error)
		*source = &stream->base;
	return error;
}

static int next_blocks(struct flow_source *source,
		       const struct flow_item **items)
{
	const union timed_record *records;
	int count = next_records((struct execution_stream *)source, &records);

	*items = (const struct flow_item *)records;
	return count;
}

static void close_blocks(struct flow_source *source)
{
	close_stream((struct execution_stream *)source);
}

const struct flow_source_ops execution_blocks = {
	.name = "graph",
	.open = open_blocks,
	.next = next_blocks,
	.close = close_blocks,
};
