/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/intel_pt/intel_branches_internal.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>

/* One stream of Intel PT: intervals of bytes with losses between them, each
 * read on its own.
 */
struct intel_source {
	struct branch_source base;
	struct flow_input input;
	struct stream_window bytes;
	struct intel_setup setup;
	size_t next_interval;	   /* start of the next interval */
	struct loss_cursor losses; /* its next loss ends the interval */
	size_t interval;	   /* start of the current interval */
	size_t interval_end;
	/* offset of the first sync point in the interval */
	size_t first_psb;
	struct intel_branches *branches; /* the interval's; NULL: not read */
	/* a gap at an interval's start or end, or the stream's end */
	struct trace_branch made;
	/* the interval's start was checked for a gap */
	bool has_head;
	bool at_end;
	/* position, counted like aux_piece.offset, from which on the stream was
	 * left unread; 0: it was read to the end
	 */
	uint64_t unread_from;
};

static void close_source(struct branch_source *base)
{
	struct intel_source *source = (struct intel_source *)base;

	intel_branches_free(source->branches);
	stream_window_close(&source->bytes);
	free(source);
}

static int open_source(const struct flow_input *input,
		       struct branch_source **opened)
{
	struct intel_source *source = calloc(1, sizeof(*source));
	int error;

	if (!source)
		return -ERROR_MEMORY;
	source->base.ops = &intel_branch_source;
	source->input = *input;
	source->losses.stream = input->stream;
	error = stream_window_open(&source->bytes, input->stream,
				   recording_data_file(input->recording));
	if (error) {
		close_source(&source->base);
		return error;
	}
	source->setup = intel_setup_of(input->recording);
	source->at_end = !source->bytes.size;
	*opened = &source->base;
	return 0;
}

static void consume_interval(struct intel_source *source)
{
	source->interval = source->next_interval;
	source->interval_end =
		loss_cursor_next(&source->losses, source->interval);
	source->next_interval = source->interval_end;
	source->has_head = false;
}

/* Makes bytes of the interval readable. */
static const uint8_t *reach(void *ctx, size_t from, size_t to)
{
	struct intel_source *source = ctx;

	return stream_window_reach(&source->bytes, source->interval + from,
				   source->interval + to) +
	       source->interval;
}

/* Starts to read the interval at its byte @from. */
static int read_interval(struct intel_source *source, size_t from)
{
	source->branches = intel_branches_new(
		source->bytes.bytes + source->interval,
		source->interval_end - source->interval, from, &source->setup);
	if (!source->branches)
		return -ERROR_MEMORY;
	intel_branches_set_reach(source->branches, reach, source);
	return 0;
}

/* Returns the offset of the first sync point in the interval; the interval's
 * size if there is none.
 */
static size_t first_psb(struct intel_source *source)
{
	return intel_psb_reach(source->bytes.bytes + source->interval,
			       source->interval_end - source->interval, 0,
			       reach, source);
}

static int hand_out(struct intel_source *source, uint8_t kind, uint8_t reason,
		    uint64_t position, struct trace_branch_batch *batch)
{
	source->made.kind = kind;
	source->made.count = reason;
	source->made.is_timed = true;
	*batch = (struct trace_branch_batch){
		.branches = &source->made,
		.count = 1,
		.position = position,
	};
	return 1;
}

/* Emits a gap for the trace before the first sync point, which cannot be read.
 * Returns whether there is any.
 */
static bool consume_head(struct intel_source *source,
			 struct trace_branch_batch *batch)
{
	size_t size = source->interval_end - source->interval;
	size_t psb = source->first_psb;

	source->has_head = true;
	if (psb != size && intel_is_idle(reach(source, 0, psb), psb))
		return false;
	source->made = (struct trace_branch){
		.payload = psb,
		.high = intel_branches_first_high(source->branches),
	};
	return hand_out(source, TRACE_GAP, FLOW_GAP_UNSYNCED, source->interval,
			batch);
}

static int end_interval(struct intel_source *source,
			struct trace_branch_batch *batch)
{
	const struct aux_stream *stream = source->input.stream;
	bool is_last = source->next_interval == source->bytes.size;
	bool is_lost = !is_last || loss_cursor_is_at_loss(&source->losses);
	uint8_t kind = is_lost || stream->cut ? TRACE_BREAK : TRACE_END;

	/* The last interval's state is needed if the source goes on. */
	if (!is_last) {
		intel_branches_free(source->branches);
		source->branches = NULL;
	}
	source->at_end = is_last;
	source->made = (struct trace_branch){ .high = UINT64_MAX };
	return hand_out(source, kind, is_lost ? FLOW_GAP_LOST : FLOW_GAP_CUT,
			source->next_interval, batch);
}

static int next_batch(struct branch_source *base,
		      struct trace_branch_batch *batch)
{
	struct intel_source *source = (struct intel_source *)base;
	int status;

	if (source->at_end)
		return 0;
	if (!source->branches) {
		consume_interval(source);
		source->first_psb = first_psb(source);
		status = read_interval(source, source->first_psb);
		if (status < 0)
			return status;
	}
	if (!source->has_head && consume_head(source, batch))
		return 1;
	status = intel_branches_next(source->branches, batch);
	if (!status)
		return end_interval(source, batch);
	batch->position += source->interval;
	stream_window_release(&source->bytes, batch->position);
	return status;
}

/* Returns the position where reading must start so that the time is known at
 * the sync point @position: that of an earlier sync point nearby, or else of
 * the interval's first one. Positions count from the start of the interval.
 */
static size_t find_before(struct intel_source *source, size_t position)
{
	size_t distance = 1 << 12;

	for (; distance < position; distance *= 2) {
		size_t from = position - distance;
		size_t psb;

		psb = intel_psb_find(reach(source, from, position), position,
				     from);
		if (psb < position)
			return psb;
	}
	return first_psb(source);
}

/* Moves to the interval that contains @position. */
static void find_interval(struct intel_source *source, size_t position)
{
	if (position < source->interval) {
		source->losses = (struct loss_cursor){
			.stream = source->input.stream,
		};
		source->next_interval = 0;
		consume_interval(source);
	}
	while (position >= source->interval_end &&
	       source->next_interval < source->bytes.size)
		consume_interval(source);
}

static int seek(struct branch_source *base, uint64_t position)
{
	struct intel_source *source = (struct intel_source *)base;
	size_t from;

	intel_branches_free(source->branches);
	source->branches = NULL;
	source->at_end = false;
	find_interval(source, position);
	source->has_head = true;
	from = find_before(source, position - source->interval);
	return read_interval(source, from);
}

static void pause_at(struct branch_source *base, uint64_t time)
{
	struct intel_source *source = (struct intel_source *)base;

	if (source->branches)
		intel_branches_pause_at(source->branches, time);
}

static bool stop(struct branch_source *base)
{
	struct intel_source *source = (struct intel_source *)base;
	const struct aux_stream *stream = source->input.stream;
	size_t at;

	if (!source->branches || stream->piece_count != 1 ||
	    stream->loss_count || !intel_branches_stop(source->branches, &at))
		return false;
	source->unread_from = stream->pieces->offset + at;
	source->at_end = true;
	return true;
}

/* Sets *@rest to the number of unread bytes that the stream of @input has again
 * before its byte @position. Returns false if these are not known.
 */
static bool find_rest(const struct intel_source *source,
		      const struct flow_input *input, uint64_t position,
		      size_t *rest)
{
	const struct aux_stream *stream = input->stream;
	uint64_t end;

	*rest = 0;
	if (!source->unread_from)
		return true;
	if (stream->piece_count != 1)
		return false;
	end = stream->pieces->offset + position;
	*rest = (size_t)(end - source->unread_from);
	return source->unread_from <= end;
}

static bool go_on(struct branch_source *base, const struct flow_input *input,
		  uint64_t position)
{
	struct intel_source *source = (struct intel_source *)base;
	struct intel_branches *b = source->branches;
	struct stream_window bytes;
	size_t rest;

	if (!source->at_end || !b ||
	    !find_rest(source, input, position, &rest) ||
	    stream_window_open(&bytes, input->stream,
			       recording_data_file(input->recording)))
		return false;
	stream_window_close(&source->bytes);
	source->bytes = bytes;
	source->input = *input;
	source->losses = (struct loss_cursor){ .stream = input->stream };
	source->next_interval = 0;
	consume_interval(source);
	source->has_head = true;
	source->at_end = false;
	source->unread_from = 0;
	/* Of a stream with losses, the state is that of another interval. */
	return intel_branches_go_on(b, bytes.bytes, bytes.size, position,
				    rest) &&
	       source->interval_end == bytes.size;
}

static const uint8_t *reach_any(void *ctx, size_t from, size_t to)
{
	struct intel_source *source = ctx;

	return stream_window_reach(&source->bytes, from, to);
}

/* Releases the bytes before the result: the caller searches only forwards. */
static uint64_t next_sync(struct branch_source *base, uint64_t from)
{
	struct intel_source *source = (struct intel_source *)base;
	size_t size = source->bytes.size;
	size_t psb;

	psb = intel_psb_reach(source->bytes.bytes, size, from, reach_any,
			      source);
	stream_window_release(&source->bytes, psb);
	return psb < size ? psb : NO_SYNC;
}

static uint64_t sync_before(struct branch_source *base, uint64_t time_ns,
			    uint64_t distance, uint64_t *at_ns)
{
	struct intel_source *source = (struct intel_source *)base;
	const struct time_conversion *conversion =
		recording_time_conversion(source->input.recording);
	struct sync_search search = {
		.bytes = source->bytes.bytes,
		.size = source->bytes.size,
		.reach = reach_any,
		.ctx = source,
		.origin = conversion->origin,
		.span = recording_tick_span(source->input.recording),
	};
	const struct point_search points = sync_search_points(&search);

	return sync_position_before(&points, conversion, time_ns, distance,
				    at_ns);
}

const struct branch_source_ops intel_branch_source = {
	.name = "intel_pt",
	.open = open_source,
	.next = next_batch,
	.seek = seek,
	.go_on = go_on,
	.pause_at = pause_at,
	.stop = stop,
	.next_sync = next_sync,
	.sync_before = sync_before,
	.close = close_source,
};
