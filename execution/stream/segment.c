/* SPDX-License-Identifier: MIT */
#include "execution/stream/segment.h"
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "execution/follow/record_feed.h"

#include <string.h>

void segment_init(struct segment *segment)
{
	*segment = (struct segment){
		.marks = ARRAY_OF(struct event_mark),
	};
}

void segment_free(struct segment *segment)
{
	record_buffer_free(&segment->records);
	array_free(&segment->marks);
}

static int add_mark(struct segment *segment, const struct event_mark *from)
{
	struct event_mark *mark = array_add(&segment->marks);

	if (!mark)
		return -ERROR_MEMORY;
	*mark = *from;
	mark->index = (uint32_t)segment->records.count;
	return 0;
}

/* Consumes the state at a watched sync point. */
static void pass(struct segment *segment, const struct record_feed *feed)
{
	const struct execution_state *state =
		record_feed_state(feed, segment->passed++);

	segment->states[segment->has_begin] = *state;
	segment->has_end = segment->has_begin;
	segment->has_begin = true;
}

static int take_mark(struct segment *segment, const struct record_feed *feed,
		     const struct event_mark *mark)
{
	if (mark->kind == MARK_SYNC)
		pass(segment, feed);
	else if (segment->has_begin)
		return add_mark(segment, mark);
	return 0;
}

/* Appends @count records, which are at the end of the buffer already, or a
 * little after it.
 */
static void keep(struct segment *segment, const union timed_record *records,
		 size_t count)
{
	struct record_buffer *buffer = &segment->records;
	union timed_record *room = buffer->records + buffer->count;

	if (records != room)
		memmove(room, records, count * sizeof(*records));
	buffer->count += count;
}

/* Appends the part of @run that is between the two sync points. */
static int take(struct segment *segment, const struct record_feed *feed,
		const struct record_run *run)
{
	size_t at = 0;

	for (size_t i = 0; i <= run->mark_count && !segment->has_end; i++) {
		bool is_mark = i < run->mark_count;
		size_t next = is_mark ? run->marks[i].index : run->count;

		if (segment->has_begin)
			keep(segment, run->records + at, next - at);
		at = next;
		if (is_mark && take_mark(segment, feed, &run->marks[i]) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

/* Reads the next records of @feed, into the free room of the segment's buffer.
 */
static int next_records(struct segment *segment, struct record_feed *feed,
			struct record_run *run)
{
	union timed_record *room =
		record_buffer_room(&segment->records, EVENT_TIMES_ROOM);

	return room ? record_feed_next_in(feed, room, run) : -ERROR_MEMORY;
}

static int decode(struct segment *segment, struct record_feed *feed)
{
	struct record_run run;
	int status = 1;

	segment->records.count = 0;
	segment->marks.count = 0;
	segment->passed = segment->has_begin;
	segment->has_end = false;
	while (!segment->has_end &&
	       (status = next_records(segment, feed, &run)) > 0) {
		status = take(segment, feed, &run);
		if (status < 0)
			return status;
	}
	segment->is_off = record_feed_is_off(feed);
	segment->end_ns = record_feed_end_ns(feed);
	return status < 0 ? status : 0;
}

int segment_decode(struct segment *segment, struct record_feed *feed)
{
	int status = 0;

	segment->has_begin = !segment->begin;
	if (segment->begin)
		status = record_feed_begin(feed, segment->begin, segment->rate);
	if (status < 0)
		return status;
	if (segment->has_begin)
		record_feed_watch_end(feed, segment->end);
	else
		record_feed_watch(feed, segment->begin, segment->end);
	return decode(segment, feed);
}

int segment_decode_from(struct segment *segment, struct record_feed *feed,
			const struct execution_state *state)
{
	int status = record_feed_resume(feed, state);

	if (status < 0)
		return status;
	segment->states[0] = *state;
	segment->has_begin = true;
	record_feed_watch_end(feed, segment->end);
	return decode(segment, feed);
}
