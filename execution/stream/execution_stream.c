/* SPDX-License-Identifier: MIT */
#include "execution/stream/execution_stream.h"

#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/segment_feed_internal.h"
#include "execution/stream/stream_checkpoint.h"
#include "symbolize/events/stream_tasks.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A reading position in a run of records and marks. A zeroed cursor is at the
 * end of an empty run.
 */
struct run_cursor {
	struct record_run run;
	size_t at; /* the next record */
	size_t next_mark;
};

/* Merges the records of one stream with the kernel's switch records.
 *
 * In a list, a switch record is an item, inserted by its time. For events, a
 * switch record announces the next task, and the task changes at the switch
 * point (MARK_SWITCH_POINT) that belongs to the record: stream_tasks.h. Where
 * execution is not traced, it changes at the record's time.
 *
 * 1. With Intel PT, an announced switch waits for its switch point: meanwhile
 *    no other switch record is consumed by its time, because the times of the
 *    records around it are estimates. The switch point, or the pause
 *    (MARK_PAUSE) that comes instead, then consumes the switch records before
 *    its lower bound. Only the last of them counts: the switch points of the
 *    others were not traced.
 * 2. A switch record within the bounds of a stop is after the stop, if tasks
 *    may be switched there: flow_stop_ends_run(), flow_stop_low_ns().
 * 3. Times never decrease: a switch record that is placed after a later record
 *    gets the time of that record.
 */
struct record_join {
	bool lists_blocks; /* records are flow items, not events */
	struct segment_feed *feed;
	struct run_cursor cursor;
	bool is_fed; /* the run in cursor is the feed's last one */
	bool at_end;
	/* switch points have time bounds, see struct event_mark */
	bool has_bounds;
	bool is_gated; /* recording_is_gated() */
	/* the end of the loss that the stream ends with, 0 if none */
	uint64_t lost_until_ns;
	/* the start of a loss that is all of the stream; 0 if none, or if its
	 * gap was provided
	 */
	uint64_t lost_from_ns;

	struct stream_tasks tasks; /* the running task */
	/* the last record provided; only its times are valid */
	union timed_record last;
	/* space for a record that is not the feed's */
	union timed_record made;

	/* If keeps is set: the last sync point and the number of records since,
	 * without events of interrupts, which only some passes request.
	 */
	bool keeps;
	bool has_interrupts; /* there are FUNCTION_INTERRUPTS events */
	struct stream_checkpoint kept;
};

/* Returns the next mark, or NULL. */
static inline const struct event_mark *
run_cursor_mark(const struct run_cursor *cursor)
{
	return cursor->next_mark < cursor->run.mark_count ?
		       &cursor->run.marks[cursor->next_mark] :
		       NULL;
}

/* Returns the next record, or NULL. */
static inline const union timed_record *
run_cursor_record(const struct run_cursor *cursor)
{
	return cursor->at < cursor->run.count ?
		       &cursor->run.records[cursor->at] :
		       NULL;
}

/* Consumes and returns the next @count records, which must exist. */
static inline const union timed_record *
run_cursor_consume(struct run_cursor *cursor, size_t count)
{
	cursor->at += count;
	return cursor->run.records + cursor->at - count;
}

/* Returns the index of the first record from cursor->at on, before @end, that
 * is later than @time_ns; @end if none is.
 */
static size_t first_after(const struct run_cursor *cursor, size_t end,
			  uint64_t time_ns)
{
	const union timed_record *records = cursor->run.records;
	size_t low = cursor->at;
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

/* Returns the number of records before the next mark that are not later than
 * @until_ns (UINT64_MAX: any time).
 */
static size_t run_cursor_left(const struct run_cursor *cursor,
			      uint64_t until_ns)
{
	const struct event_mark *mark = run_cursor_mark(cursor);
	size_t end = cursor->run.count;

	if (mark && mark->index < end)
		end = mark->index;
	if (until_ns != UINT64_MAX)
		end = first_after(cursor, end, until_ns);
	return end > cursor->at ? end - cursor->at : 0;
}

/* Opens the switch records, unless the trace has no times in nanoseconds: they
 * are placed by its times or time bounds.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
static int open_switches(struct record_join *join,
			 const struct flow_input *input)
{
	if (recording_time(input->recording) != RECORDING_TIME_NANOSECONDS)
		return 0;
	join->is_gated = recording_is_gated(input->recording);
	join->has_bounds = recording_trace(input->recording) ==
			   RECORDING_TRACE_INTEL_PT;
	/* CoreSight's driver also reports losses that did not happen. */
	if (recording_trace(input->recording) == RECORDING_TRACE_INTEL_PT)
		join->lost_until_ns = loss_at_end_ns(input->stream);
	return stream_tasks_open(&join->tasks, input);
}

static void note_untraced(struct record_join *join,
			  const struct aux_stream *stream)
{
	join->lost_from_ns = stream->untraced_from_ns;
	if (stream->untraced_from_ns)
		join->lost_until_ns = stream->untraced_until_ns;
}

static void join_close(struct record_join *join)
{
	segment_feed_close(join->feed);
	stream_tasks_close(&join->tasks);
}

/* Opens a join at @state, NULL: at the start of the stream. The running task is
 * unknown. Borrows like segment_feed_open(). Returns 0, or a negative enum
 * error with nothing left open.
 */
static int join_open(struct record_join *join, const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct jobs *jobs, const struct execution_state *state)
{
	int error;

	*join = (struct record_join){ .lists_blocks = lists_blocks };
	stream_tasks_set(&join->tasks, -1, -1, false);
	error = open_switches(join, input);
	note_untraced(join, input->stream);
	if (!error)
		error = segment_feed_open(input, symbols, lists_blocks, jobs,
					  state, &join->feed);
	if (error)
		join_close(join);
	return error;
}

/* Restarts with @part of another stream, like segment_feed_restart(). Records
 * are events; the running task is unknown.
 */
static int join_restart(struct record_join *join,
			const struct flow_input *input, struct stream_part part)
{
	struct segment_feed *feed = join->feed;
	int error;

	*join = (struct record_join){
		.feed = feed,
		.tasks.feed = join->tasks.feed,
	};
	error = open_switches(join, input);
	note_untraced(join, input->stream);
	return error ? error : segment_feed_restart(feed, input, part);
}

/* Restores the running task and times from @from, at whose state the join was
 * opened. Returns 0 or -ERROR_MEMORY.
 */
static int join_go_to(struct record_join *join,
		      const struct stream_checkpoint *from)
{
	if (!from->has_state)
		return 0;
	join->last.time_ns = from->last_ns;
	join->last.early_ns = from->last_early_ns;
	join->last.late_ns = from->last_late_ns;
	return stream_tasks_go_to(&join->tasks, &from->tasks, from->is_running,
				  from->switches);
}

/* Saves the sync point of @state. Requires that all records before it were
 * provided, and none after it.
 */
static void keep(struct record_join *join, const struct execution_state *state)
{
	join->kept = (struct stream_checkpoint){
		.has_state = true,
		.state = *state,
		.tasks = join->tasks.state,
		.is_running = join->tasks.is_running,
		.last_ns = join->last.time_ns,
		.last_early_ns = join->last.early_ns,
		.last_late_ns = join->last.late_ns,
		.switches = join->tasks.count,
	};
}

static int read_run(struct record_join *join)
{
	const struct execution_state *state;
	struct record_run run = { 0 };
	int status = segment_feed_next(join->feed, &run);

	if (status <= 0) {
		run = (struct record_run){ 0 };
		join->is_fed = true;
	}
	join->cursor = (struct run_cursor){ .run = run };
	state = segment_feed_first_state(join->feed);
	if (status > 0 && join->keeps && state)
		keep(join, state);
	return status < 0 ? status : 0;
}

/* Makes the record of the switch to the running task, at the time of @like.
 * Returns 1: the number of records.
 */
static int make_switch(struct record_join *join, const union timed_record *like)
{
	struct task_id task = stream_tasks_shown(&join->tasks);

	join->made = (union timed_record){
		.event = {
			.time_ns = like->time_ns,
			.early_ns = like->early_ns,
			.late_ns = like->late_ns,
			.kind = FUNCTION_SWITCH,
			.detail = join->tasks.state.preempted,
			.address = (uint64_t)(uint32_t)task.pid << 32 |
				   (uint32_t)task.tid,
		},
	};
	return 1;
}

/* Returns whether the switch record @item is later than the end of the trace,
 * when the unit was off.
 */
static bool is_beyond(const struct record_join *join,
		      const struct flow_item *item)
{
	return !join->is_gated && join->is_fed &&
	       segment_feed_is_off(join->feed) &&
	       item->time_ns > segment_feed_end_ns(join->feed) &&
	       item->detail != FLOW_SWITCH_AWAY;
}

/* Consumes the next switch record. Returns the number of records that it makes,
 * or -ERROR_MEMORY.
 */
static int consume_switch(struct record_join *join)
{
	const struct flow_item item = *stream_tasks_next(&join->tasks);

	if (stream_tasks_advance(&join->tasks) < 0)
		return -ERROR_MEMORY;
	if (is_beyond(join, &item))
		return 0;
	join->made.item = item;
	if (item.time_ns > join->last.time_ns) {
		join->last.time_ns = item.time_ns;
		join->last.early_ns = 0;
		join->last.late_ns = 0;
	} else {
		flow_item_keep_order(&join->made.item, join->last.time_ns,
				     join->last.late_ns);
	}
	if (join->lists_blocks)
		return 1;
	if (!stream_tasks_record(&join->tasks, &item))
		return 0;
	return make_switch(join, &join->made);
}

/* Consumes the next record, a switch reported by the trace itself. */
static int consume_named_task(struct record_join *join)
{
	const union timed_record record = *run_cursor_consume(&join->cursor, 1);

	if (!stream_tasks_record(&join->tasks, &record.item))
		return 0;
	return make_switch(join, &record);
}

/* Consumes a switch point, whose mark was consumed. Returns like
 * consume_switch().
 */
static int consume_point(struct record_join *join,
			 const struct event_mark *mark)
{
	const union timed_record *record = run_cursor_record(&join->cursor);
	int status;

	if (mark->high_ns)
		status = stream_tasks_point(&join->tasks, mark->low_ns,
					    mark->high_ns, record->time_ns);
	else
		status = task_switch_point(&join->tasks.state, record->time_ns,
					   stream_tasks_next(&join->tasks));
	return status > 0 ? make_switch(join, record) : status;
}

/* Consumes the mark of an entry into user space. Returns like consume_switch(). */
static int consume_user_task(struct record_join *join,
			     const struct event_mark *mark)
{
	const struct task_id user = { .pid = mark->pid, .tid = mark->tid };

	if (!stream_tasks_enter(&join->tasks, user))
		return 0;
	return make_switch(join, run_cursor_record(&join->cursor));
}

/* Returns whether an announced switch waits for its switch point: invariant 1.
 * After the last record there is none.
 */
static bool waits_for_point(const struct record_join *join)
{
	return join->has_bounds && !join->lists_blocks && !join->is_fed &&
	       join->tasks.is_running && join->tasks.state.has_next;
}

/* Consumes a pause, after the last record. An announced task runs from here on;
 * if it waited for its switch point, that was not traced, and a later switch
 * record before the pause replaces the task. Returns like consume_switch().
 */
static int consume_pause(struct record_join *join)
{
	struct stream_tasks *tasks = &join->tasks;
	uint64_t low_ns =
		flow_stop_low_ns(join->last.time_ns, join->last.early_ns);

	if (waits_for_point(join) && stream_tasks_pass(tasks, low_ns) < 0)
		return -ERROR_MEMORY;
	if (!stream_tasks_leave(tasks, join->last.time_ns))
		return 0;
	return make_switch(join, &join->last);
}

/* Consumes @mark, the next one. Returns like consume_switch(). */
static int consume_mark(struct record_join *join, const struct event_mark *mark)
{
	join->cursor.next_mark++;
	switch ((enum event_mark_kind)mark->kind) {
	case MARK_RUNS:
		join->tasks.is_running = true;
		return 0;
	case MARK_PAUSE:
		return consume_pause(join);
	case MARK_SYNC:
		keep(join, segment_feed_pass(join->feed));
		return 0;
	case MARK_TASK:
		return consume_named_task(join);
	case MARK_SWITCH_POINT:
		return consume_point(join, mark);
	case MARK_USER_TASK:
		return consume_user_task(join, mark);
	}
	return 0;
}

/* Makes the gap of a stream without trace. */
static int make_gap(struct record_join *join)
{
	memset(&join->made, 0, sizeof(join->made));
	join->made.time_ns = join->lost_from_ns;
	if (join->lists_blocks) {
		join->made.item.kind = FLOW_GAP;
		join->made.item.detail = FLOW_GAP_LOST;
	} else {
		join->made.event.kind = FUNCTION_GAP;
		join->made.event.detail = FLOW_GAP_LOST;
	}
	join->last = join->made;
	join->lost_from_ns = 0;
	return 1;
}

/* Makes the last record. If the stream ends with a loss, the record's time is
 * the end of the loss.
 */
static int make_end(struct record_join *join)
{
	join->at_end = true;
	memset(&join->made, 0, sizeof(join->made));
	join->made.time_ns = join->last.time_ns;
	join->made.early_ns = join->last.early_ns;
	join->made.late_ns = FLOW_NO_BOUND;
	if (join->lost_until_ns > join->last.time_ns) {
		join->made.time_ns = join->lost_until_ns;
		join->made.early_ns = 0;
	}
	if (join->lists_blocks)
		join->made.item.kind = FLOW_END;
	else
		join->made.event.kind = FUNCTION_END;
	return 1;
}

/* Returns the next switch record that is consumed by its time; NULL if there is
 * none, or if an earlier one waits for its switch point.
 */
static const struct flow_item *next_change(const struct record_join *join)
{
	return waits_for_point(join) ? NULL : stream_tasks_next(&join->tasks);
}

/* Returns the time from which on switch records are after @record. */
static uint64_t from_ns(const struct record_join *join,
			const union timed_record *record)
{
	bool is_stop = join->lists_blocks ?
			       record->item.kind == FLOW_STOP :
			       record->event.kind == FUNCTION_TRACE_STOP;
	uint8_t detail = join->lists_blocks ? record->item.detail :
					      record->event.detail;

	return is_stop ? flow_stop_from_ns(detail, record->time_ns,
					   record->early_ns) :
			 record->time_ns;
}

/* Returns the number of records before the next mark and before @change. */
static size_t count_before(const struct record_join *join,
			   const struct flow_item *change)
{
	const union timed_record *record = run_cursor_record(&join->cursor);
	size_t count = run_cursor_left(&join->cursor,
				       change ? change->time_ns : UINT64_MAX);

	if (count || !record || !change ||
	    from_ns(join, record) > change->time_ns)
		return count;
	return run_cursor_left(&join->cursor, UINT64_MAX) ? 1 : 0;
}

/* Consumes whatever is next at the current record: a mark, a switch record, or
 * a new run. Returns the number of records that it makes, or a negative enum
 * error.
 */
static int consume_place(struct record_join *join)
{
	const struct event_mark *mark = run_cursor_mark(&join->cursor);
	const union timed_record *record = run_cursor_record(&join->cursor);
	const struct flow_item *change = next_change(join);
	bool has_mark = mark && mark->index == join->cursor.at;
	bool has_change;

	if (has_mark && mark->kind != MARK_SWITCH_POINT &&
	    mark->kind != MARK_TASK && mark->kind != MARK_USER_TASK)
		return consume_mark(join, mark);
	if (record)
		has_change = change && change->time_ns < from_ns(join, record);
	else
		has_change = change && join->is_fed;
	if (has_change)
		return consume_switch(join);
	if (has_mark && record)
		return consume_mark(join, mark);
	if (!join->is_fed)
		return read_run(join);
	return join->lost_from_ns ? make_gap(join) : make_end(join);
}

static int next_records(struct record_join *join,
			const union timed_record **records)
{
	while (!join->at_end) {
		const struct flow_item *change = next_change(join);
		size_t count = count_before(join, change);
		int status;

		if (count && (join->lists_blocks ||
			      !stream_tasks_come_back(&join->tasks))) {
			*records = run_cursor_consume(&join->cursor, count);
			join->last = (*records)[count - 1];
			return (int)count;
		}
		*records = &join->made;
		status = count ? make_switch(join,
					     run_cursor_record(&join->cursor)) :
				 consume_place(join);
		if (status)
			return status;
	}
	return 0;
}

/* Returns how many of @records a checkpoint counts. */
static uint64_t count_kept(const struct record_join *join,
			   const union timed_record *records, uint64_t count)
{
	uint64_t kept = count;

	for (uint64_t i = 0; join->has_interrupts && i < count; i++)
		kept -= records[i].event.kind == FUNCTION_INTERRUPTS;
	return kept;
}

/* Provides the next records, 1 or more, valid until the next call. Returns
 * their count, 0 after FUNCTION_END or FLOW_END, or the negative enum error of
 * segment_feed_next().
 */
static int join_next(struct record_join *join,
		     const union timed_record **records)
{
	int count = next_records(join, records);

	if (count > 0)
		join->kept.events +=
			count_kept(join, *records, (uint64_t)count);
	return count;
}

/* Makes the join save sync points. Must be called before the first record. */
static void join_keep(struct record_join *join)
{
	join->keeps = true;
	segment_feed_report_states(join->feed);
}

struct block_source {
	struct flow_source base;
	struct record_join join;
};

static int open_blocks(const struct flow_input *input,
		       struct flow_source **opened)
{
	struct block_source *source = calloc(1, sizeof(*source));
	int error;

	if (!source)
		return -ERROR_MEMORY;
	source->base.ops = &execution_blocks;
	error = join_open(&source->join, input, NULL, true, NULL, NULL);
	if (error)
		free(source);
	else
		*opened = &source->base;
	return error;
}

static int next_blocks(struct flow_source *source,
		       const struct flow_item **items)
{
	struct block_source *blocks = (struct block_source *)source;
	const union timed_record *records = NULL;
	int count = join_next(&blocks->join, &records);

	*items = (const struct flow_item *)records;
	return count;
}

static void close_blocks(struct flow_source *source)
{
	join_close(&((struct block_source *)source)->join);
	free(source);
}

const struct flow_source_ops execution_blocks = {
	.name = "graph",
	.open = open_blocks,
	.next = next_blocks,
	.close = close_blocks,
};

struct execution_stream {
	struct record_join join;
	/* number of events still to be skipped at the start */
	uint64_t skipped;
	const union timed_record *end; /* of the last batch */
};

int execution_stream_open(const struct flow_input *input,
			  const struct symbols *symbols, int32_t pid,
			  int32_t tid, struct jobs *jobs,
			  const struct stream_checkpoint *from,
			  struct execution_stream **opened)
{
	const struct execution_state *state =
		from && from->has_state ? &from->state : NULL;
	struct execution_stream *stream = calloc(1, sizeof(*stream));
	int error;

	if (!stream)
		return -ERROR_MEMORY;
	error = join_open(&stream->join, input, symbols, false, jobs, state);
	if (error) {
		free(stream);
		return error;
	}
	stream_tasks_set(&stream->join.tasks, pid, tid, input->stream->cpu < 0);
	stream->join.has_interrupts = input->with_interrupts;
	if (from) {
		/* Checkpoints do not count events of interrupts. */
		assert(!input->with_interrupts || !from->events);
		stream->skipped = from->events;
		error = join_go_to(&stream->join, from);
	}
	if (error)
		execution_stream_close(stream);
	else
		*opened = stream;
	return error;
}

int execution_stream_restart(struct execution_stream *stream,
			     const struct flow_input *input,
			     struct stream_part part, int32_t pid, int32_t tid)
{
	int error = join_restart(&stream->join, input, part);

	stream->skipped = 0;
	stream_tasks_set(&stream->join.tasks, pid, tid, input->stream->cpu < 0);
	return error;
}

void execution_stream_close(struct execution_stream *stream)
{
	if (!stream)
		return;
	join_close(&stream->join);
	free(stream);
}

int execution_stream_next(void *ctx, const struct function_event **batch)
{
	struct execution_stream *stream = ctx;
	const union timed_record *records = NULL;
	int count = join_next(&stream->join, &records);

	while (count > 0 && stream->skipped >= (uint64_t)count) {
		stream->skipped -= (uint64_t)count;
		count = join_next(&stream->join, &records);
	}
	if (count > 0) {
		records += stream->skipped;
		count -= (int)stream->skipped;
		stream->skipped = 0;
		stream->end = records + count;
	}
	*batch = (const struct function_event *)records;
	return count;
}

void execution_stream_keep(struct execution_stream *stream)
{
	join_keep(&stream->join);
}

uint64_t execution_stream_position(const struct execution_stream *stream)
{
	return stream->join.kept.state.position;
}

void execution_stream_checkpoint(const struct execution_stream *stream,
				 uint64_t left,
				 struct stream_checkpoint *checkpoint)
{
	*checkpoint = stream->join.kept;
	checkpoint->events -=
		count_kept(&stream->join, stream->end - left, left);
}
