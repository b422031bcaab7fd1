/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/flow/branch_source.h"
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
	struct loss_cursor losses; /* at the end of the interval */
	size_t stretch;		   /* the current one */
	size_t stretch_end;
	size_t first_psb;		 /* in the interval */
	struct intel_branches *branches; /* of the interval, or NULL */
	struct trace_branch made;	 /* a gap between intervals */
	/* the gap at the interval's start was emitted */
	bool has_head;
	bool at_end;
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

static void take_interval(struct intel_source *source)
{
	source->stretch = source->next_interval;
	source->stretch_end =
		loss_cursor_next(&source->losses, source->stretch);
	source->next_interval = source->stretch_end;
	source->has_head = false;
}

/* Makes bytes of the interval readable. */
static const uint8_t *reach(void *ctx, size_t from, size_t to)
{
	struct intel_source *source = ctx;

	return stream_window_reach(&source->bytes, source->stretch + from,
				   source->stretch + to) +
	       source->stretch;
}

/* Reads the interval from @from on, counted in it. */
static int read_stretch(struct intel_source *source, size_t from)
{
	source->branches = intel_branches_new(
		source->bytes.bytes + source->stretch,
		source->stretch_end - source->stretch, from, &source->setup);
	if (!source->branches)
		return -ERROR_MEMORY;
	intel_branches_set_reach(source->branches, reach, source);
	return 0;
}

/* Returns the first sync point of the interval, counted in it. */
static size_t first_psb(struct intel_source *source)
{
	return intel_psb_reach(source->bytes.bytes + source->stretch,
			       source->stretch_end - source->stretch, 0, reach,
			       source);
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
static bool take_head(struct intel_source *source,
		      struct trace_branch_batch *batch)
{
	size_t size = source->stretch_end - source->stretch;
	size_t psb = source->first_psb;

	source->has_head = true;
	if (psb != size && intel_is_idle(reach(source, 0, psb), psb))
		return false;
	source->made = (struct trace_branch){
		.payload = psb,
		.high = intel_branches_first_high(source->branches),
	};
	return hand_out(source, TRACE_GAP, FLOW_GAP_UNSYNCED, source->stretch,
			batch);
}

static int end_stretch(struct intel_source *source,
		       struct trace_branch_batch *batch)
{
	const struct aux_stream *stream = source->input.stream;
	bool is_last = source->next_interval == source->bytes.size;
	bool is_lost = !is_last || loss_cursor_is_at_loss(&source->losses);
	uint8_t kind = is_lost || stream->cut ? TRACE_BREAK : TRACE_END;

	intel_branches_free(source->branches);
	source->branches = NULL;
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
		take_interval(source);
		source->first_psb = first_psb(source);
		status = read_stretch(source, source->first_psb);
		if (status < 0)
			return status;
	}
	if (!source->has_head && take_head(source, batch))
		return 1;
	status = intel_branches_next(source->branches, batch);
	if (!status)
		return end_stretch(source, batch);
	batch->position += source->stretch;
	stream_window_release(&source->bytes, batch->position);
	return status;
}

/* Returns the position where reading starts so that the time is known at the
 * sync point @position: an earlier sync point, the nearest one or a little
 * before it.
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
static void find_stretch(struct intel_source *source, size_t position)
{
	if (position < source->stretch) {
		source->losses = (struct loss_cursor){
			.stream = source->input.stream,
		};
		source->next_interval = 0;
		take_interval(source);
	}
	while (position >= source->stretch_end &&
	       source->next_interval < source->bytes.size)
		take_interval(source);
}

static int seek(struct branch_source *base, uint64_t position)
{
	struct intel_source *source = (struct intel_source *)base;
	size_t from;

	intel_branches_free(source->branches);
	source->branches = NULL;
	source->at_end = false;
	find_stretch(source, position);
	source->has_head = true;
	from = find_before(source, position - source->stretch);
	return read_stretch(source, from);
}

static const uint8_t *reach_any(void *ctx, size_t from, size_t to)
{
	struct intel_source *source = ctx;

	return stream_window_reach(&source->bytes, from, to);
}

/* Later sync points are left for the next call. */
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
	};
	struct sync_point last;
	struct sync_point point;

	if (!sync_search_before(&search,
				time_conversion_ticks(conversion, time_ns),
				&last) ||
	    last.position < distance ||
	    !sync_search_next(&search, last.position - distance, &point))
		return NO_SYNC;
	*at_ns = time_conversion_ns(conversion, point.ticks);
	return point.position;
}

const struct branch_source_ops intel_branch_source = {
	.name = "intel_pt",
	.open = open_source,
	.next = next_batch,
	.seek = seek,
	.next_sync = next_sync,
	.sync_before = sync_before,
	.close = close_source,
};
