/* SPDX-License-Identifier: MIT */
#include "execution/record_feed.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/intel_pt/intel_branches.h"
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/recording/stream_bytes.h"
#include "execution/code_space.h"
#include "execution/follow.h"
#include "symbolize/arch.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* Finished records are handed out before they leave the cache. */
	ENOUGH = 2048,
	/* What one branch may need: 63 bits of a list with many blocks for
	 * each.
	 */
	SPARE = 4096,
};

/* Trace bytes are given back to the system in steps of this size. */
#define RELEASE_STEP ((size_t)16 << 20)

struct record_feed {
	struct flow_input input;
	struct stream_bytes bytes;
	struct intel_clock_setup setup;
	size_t next_segment;	/* where it begins */
	size_t next_loss;
	size_t segment;		/* the current one; it ends where bytes are
				 * known to be missing */
	size_t segment_end;
	size_t released;	/* bytes given back before this */
	struct intel_branches *branches;	/* of the segment, or NULL */
	struct trace_branch_batch batch;
	uint32_t at;		/* the next of the batch */
	bool at_end;
	bool is_off;		/* as it ended */
	uint64_t end_ns;
	struct execution execution;
};

static void init_execution(struct record_feed *feed,
			   const struct symbols *symbols, bool lists_blocks)
{
	struct execution *execution = &feed->execution;

	execution->blocks = block_graph_blocks(execution->graph);
	execution->symbols = symbols;
	execution->conversion = &feed->input.recording->conversion;
	execution->lists_blocks = lists_blocks;
	execution->set = INSTRUCTION_X86_64;
	execution->next_set = INSTRUCTION_X86_64;
	execution->listed_mode = UINT64_MAX;
	execution->nmi_return = NO_NMI;
	execution_forget_place(execution, EXIT_UNSEEN);
	event_times_init(&execution->times);
	follow_update_code(execution);
}

int record_feed_open(const struct flow_input *input,
		     const struct symbols *symbols, bool lists_blocks,
		     struct record_feed **opened)
{
	struct record_feed *feed = calloc(1, sizeof(*feed));
	const struct arch *arch = arch_for(recording_arch(input->recording));
	int error;

	if (!feed)
		return -ERROR_MEMORY;
	feed->input = *input;
	error = stream_bytes_open(&feed->bytes, input->stream, input->log);
	if (!error)
		error = code_space_open(input, arch->kernel_start,
					&feed->execution.code);
	if (error)
		goto fail;
	error = -ERROR_MEMORY;
	feed->execution.graph = block_graph_new(feed->execution.code, symbols);
	if (!feed->execution.graph)
		goto fail;
	feed->setup = intel_clock_setup_of(input->recording);
	init_execution(feed, symbols, lists_blocks);
	*opened = feed;
	return 0;
fail:
	record_feed_close(feed);
	return error;
}

void record_feed_close(struct record_feed *feed)
{
	if (!feed)
		return;
	intel_branches_free(feed->branches);
	block_graph_free(feed->execution.graph);
	code_space_close(feed->execution.code);
	stream_bytes_close(&feed->bytes);
	free(feed);
}

/* Returns where the segment from @from on ends: at the first loss behind. */
static size_t find_end(struct record_feed *feed, size_t from)
{
	const struct aux_stream *stream = feed->input.stream;
	size_t position = 0;

	for (size_t i = 0; i < stream->piece_count; i++) {
		const struct aux_piece *piece = &stream->pieces[i];

		while (feed->next_loss < stream->loss_count) {
			uint64_t lost = stream->losses[feed->next_loss].offset;

			if (lost > piece->offset + piece->size_bytes)
				break;

			size_t at = position;

			if (lost > piece->offset)
				at += lost - piece->offset;
			if (at > from)
				return at;
			feed->next_loss++;
		}
		position += piece->size_bytes;
	}
	return feed->bytes.size;
}

/* Whether the bytes up to @end hold nothing but whole packets that are no
 * branch: nothing that ran is lost with them.
 */
static bool is_idle(const uint8_t *bytes, size_t end)
{
	for (size_t at = 0; at < end;) {
		struct intel_packet packet;

		if (intel_packet_read(bytes + at, end - at, &packet) <= 0 ||
		    intel_packet_is_flow(&packet))
			return false;
		at += packet.size;
	}
	return true;
}

static int read_batch(struct record_feed *feed)
{
	feed->at = 0;
	return intel_branches_next(feed->branches, &feed->batch);
}

/* What comes before the first synchronisation point cannot be read. */
static void take_head(struct record_feed *feed)
{
	const uint8_t *bytes = feed->bytes.bytes + feed->segment;
	size_t size = feed->segment_end - feed->segment;
	size_t psb = intel_packet_find_psb(bytes, size, 0);
	struct execution *execution = &feed->execution;

	execution->before = (struct moment){ .high = UINT64_MAX };
	execution->next_high = feed->batch.count ?
				       feed->batch.branches[0].high :
				       UINT64_MAX;
	execution->at_branch = false;
	execution->has_bounds = false;
	execution->block = BLOCK_NONE;
	execution->is_lost = true;
	if (psb == size || !is_idle(bytes, psb))
		follow_gap(execution, &(struct trace_gap){
					      .reason = FLOW_GAP_UNSYNCED,
					      .position = feed->segment,
					      .lost_bytes = psb,
				      });
}

static int open_segment(struct record_feed *feed)
{
	int status;

	feed->segment = feed->next_segment;
	feed->segment_end = find_end(feed, feed->segment);
	feed->next_segment = feed->segment_end;
	feed->branches = intel_branches_new(feed->bytes.bytes + feed->segment,
					    feed->segment_end - feed->segment,
					    &feed->setup);
	if (!feed->branches)
		return -ERROR_MEMORY;
	status = read_batch(feed);
	if (status < 0)
		return status;
	take_head(feed);
	return 0;
}

/* The clock of a segment ends with it: the gap behind begins no earlier than
 * the last record.
 */
static void end_segment(struct record_feed *feed)
{
	const struct aux_stream *stream = feed->input.stream;
	struct event_times *times = &feed->execution.times;
	bool is_last = feed->next_segment == feed->bytes.size;
	bool is_lost = !is_last || feed->next_loss < stream->loss_count;

	intel_branches_free(feed->branches);
	feed->branches = NULL;
	event_times_settle(times);
	feed->is_off = feed->execution.is_off;
	feed->end_ns = times->last_ns;
	feed->at_end = is_last;
	if (!is_lost && !stream->cut)
		return;
	feed->is_off = false;
	follow_gap_at(&feed->execution,
		      event_times_add(times,
				      event_times_bound(times, times->last_ns,
							UINT64_MAX)),
		      &(struct trace_gap){
			      .reason = is_lost ? FLOW_GAP_LOST : FLOW_GAP_CUT,
			      .position = feed->next_segment,
		      });
	event_times_settle(times);
}

static void release_bytes(struct record_feed *feed)
{
	uint64_t position = feed->segment + feed->batch.position;

	if (position < feed->released + RELEASE_STEP)
		return;
	stream_bytes_release(&feed->bytes, feed->released, position);
	feed->released = position;
}

/* Follows branches until enough is finished.  Returns 1, 0 at the end of the
 * segment, or -ERROR_MEMORY.
 */
static int follow_segment(struct record_feed *feed)
{
	struct execution *execution = &feed->execution;
	struct event_times *times = &execution->times;

	while (times->finished < ENOUGH && event_times_has_room(times, SPARE)) {
		const struct trace_branch *branch;
		int status;

		if (feed->at == feed->batch.count) {
			status = read_batch(feed);
			if (status <= 0)
				return status;
			release_bytes(feed);
		}
		branch = &feed->batch.branches[feed->at++];
		status = follow_branch(
			execution, branch,
			feed->batch.branches + feed->batch.count,
			feed->segment + feed->batch.position +
				branch->position);
		if (status < 0)
			return status;
	}
	return 1;
}

static int fill(struct record_feed *feed)
{
	struct event_times *times = &feed->execution.times;
	int status = 0;

	if (!feed->branches)
		status = open_segment(feed);
	if (!status)
		status = follow_segment(feed);
	if (!status)
		end_segment(feed);
	else if (status > 0 && !times->finished)
		event_times_settle(times);
	return status < 0 ? status : 0;
}

/* Records and marks that were handed out go. */
static void drop_taken(struct record_feed *feed)
{
	struct execution *execution = &feed->execution;
	uint32_t gone = (uint32_t)execution->times.finished;
	size_t left = 0;

	if (!gone)
		return;
	for (size_t i = 0; i < execution->mark_count; i++) {
		struct event_mark mark = execution->marks[i];

		if (mark.index < gone)
			continue;
		mark.index -= gone;
		execution->marks[left++] = mark;
	}
	execution->mark_count = left;
	event_times_drop(&execution->times);
}

int record_feed_next(struct record_feed *feed, struct record_run *run)
{
	struct execution *execution = &feed->execution;

	drop_taken(feed);
	while (!execution->times.finished) {
		int status;

		if (feed->at_end || !feed->bytes.size)
			return 0;
		status = fill(feed);
		if (status < 0)
			return status;
	}
	event_times_write(&execution->times);
	*run = (struct record_run){
		.records = execution->times.records,
		.count = execution->times.finished,
		.marks = execution->marks,
		.mark_count = execution->mark_count,
	};
	return 1;
}

bool record_feed_is_off(const struct record_feed *feed)
{
	return feed->is_off;
}

uint64_t record_feed_end_ns(const struct record_feed *feed)
{
	return feed->end_ns;
}
