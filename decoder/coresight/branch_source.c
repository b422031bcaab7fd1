/* SPDX-License-Identifier: MIT */
#include "decoder/flow/branch_source.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/coresight/branches_internal.h"
#include "decoder/coresight/feed_internal.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
	/* Maximum number of batches in which to search for a sync point's time
	 * stamp: fewer are enough, unless packets wait to be committed.
	 */
	MOST_BATCHES = 16,
	/* Maximum of consecutive sync points without a time; then none is
	 * assumed to have one.
	 */
	MOST_WITHOUT = 1 << 10,
};

/* One stream of ETMv4 or ETE trace: the feed removes frames and speculation,
 * and detects its start and end.
 */
struct coresight_source {
	struct branch_source base;
	struct flow_input input;
	struct coresight_feed feed;
	struct coresight_branches branches;
	struct coresight_scan scan;
	bool at_end;
};

/* TRCCONFIGR: loads and stores as elements, conditional instructions, Q
 * elements, data.
 */
#define CONFIG_OTHER (3u << 1 | 7u << 8 | 3u << 13 | 3u << 16)

static bool fits_unit(const struct coresight_unit *unit)
{
	return !coresight_unit_is_old(unit) && !(unit->config & CONFIG_OTHER);
}

bool coresight_source_fits(const struct recording *recording,
			   const struct aux_stream *stream)
{
	const struct array *units = recording_coresight_units(recording);

	for (size_t i = 0; i < stream->piece_count; i++) {
		uint32_t unit = stream->pieces[i].unit;

		if (!fits_unit(array_at(units, unit)))
			return false;
	}
	return true;
}

static size_t put(void *ctx, uint64_t index, const uint8_t *bytes, size_t size)
{
	struct coresight_source *source = ctx;

	return coresight_branches_consume(&source->branches, index, bytes,
					  size);
}

static void reset(void *ctx)
{
	struct coresight_source *source = ctx;

	coresight_branches_reset(&source->branches);
}

static struct trace_branch *add(struct coresight_source *source, uint8_t kind,
				uint64_t position)
{
	struct trace_branch *branch =
		branch_list_add(&source->branches.list, kind, position);

	branch_list_commit(&source->branches.list);
	return branch;
}

/* Starts a session with the settings of the unit: TRCCONFIGR.RS, cycle counts,
 * TRCIDR2.WFXMODE.
 */
static void begin(void *ctx)
{
	struct coresight_source *source = ctx;
	const struct coresight_unit *unit = source->feed.unit;
	uint8_t flags = 0;

	if (unit->config >> 12 & 1)
		flags |= TRACE_SESSION_RETURNS;
	if (coresight_unit_counts_cycles(unit))
		flags |= TRACE_SESSION_CYCLES;
	if (unit->idr2 >> 31)
		flags |= TRACE_SESSION_WAITS;
	source->branches.is_new = true;
	add(source, TRACE_SESSION, source->feed.session_start)->count = flags;
}

static void end(void *ctx, bool is_lost)
{
	struct coresight_source *source = ctx;

	coresight_branches_finish(&source->branches);
	add(source, TRACE_SESSION_END, coresight_feed_position(&source->feed))
		->count = is_lost;
}

static void skip(void *ctx, uint64_t position)
{
	add(ctx, TRACE_GAP, position)->count = FLOW_GAP_UNSYNCED;
}

static void fail(void *ctx, uint64_t position)
{
	struct coresight_source *source = ctx;

	source->branches.list.count = source->branches.list.committed;
	add(source, TRACE_GAP, position)->count = FLOW_GAP_BAD_TRACE;
}

static const struct coresight_feed_events events = {
	.put = put,
	.reset = reset,
	.begin = begin,
	.end = end,
	.skip = skip,
	.fail = fail,
};

static void close_source(struct branch_source *base)
{
	struct coresight_source *source = (struct coresight_source *)base;

	coresight_feed_close(&source->feed);
	coresight_branches_free(&source->branches);
	free(source);
}

static int open_source(const struct flow_input *input,
		       struct branch_source **opened)
{
	struct coresight_source *source;

	if (!coresight_source_fits(input->recording, input->stream))
		return -ERROR_UNSUPPORTED;
	source = calloc(1, sizeof(*source));
	if (!source)
		return -ERROR_MEMORY;
	source->base.ops = &coresight_branch_source;
	source->input = *input;
	source->feed = (struct coresight_feed){
		.recording = input->recording,
		.stream = input->stream,
		.depth = CORESIGHT_EXECUTION,
		.events = &events,
		.ctx = source,
	};
	source->scan.recording = input->recording;
	source->scan.stream = input->stream;
	coresight_branches_init(&source->branches, &source->feed);
	*opened = &source->base;
	return 0;
}

/* Ends the stream. Its end time is the time when the last bytes of its trace
 * were recorded, which may be after tracing ended.
 */
static void end_stream(struct coresight_source *source)
{
	const struct aux_stream *stream = source->input.stream;
	uint64_t position = coresight_feed_position(&source->feed);

	if (stream->cut)
		add(source, TRACE_GAP, position)->count = FLOW_GAP_CUT;
	add(source, TRACE_END, position)->payload =
		stream->cut || !stream->end_ns ? UINT64_MAX : stream->end_ns;
	source->at_end = true;
}

static int next_batch(struct branch_source *base,
		      struct trace_branch_batch *batch)
{
	struct coresight_source *source = (struct coresight_source *)base;
	const struct branch_list *list = &source->branches.list;

	coresight_branches_drop(&source->branches);
	while (!list->committed) {
		int error = 0;

		if (source->at_end)
			return 0;
		if (coresight_feed_is_done(&source->feed))
			end_stream(source);
		else
			error = coresight_feed_some(&source->feed);
		if (error || list->has_failed)
			return -ERROR_MEMORY;
	}
	*batch = (struct trace_branch_batch){
		.branches = list->branches,
		.count = (uint32_t)list->committed,
		.position = list->base,
	};
	return 1;
}

static void go_to(struct coresight_source *source, uint64_t position)
{
	coresight_feed_seek(&source->feed, position);
	coresight_branches_restart(&source->branches);
	source->at_end = false;
}

static int seek(struct branch_source *base, uint64_t position)
{
	struct coresight_source *source = (struct coresight_source *)base;

	go_to(source, coresight_scan_before(&source->scan, position));
	return 0;
}

static uint64_t next_sync(struct branch_source *base, uint64_t from)
{
	struct coresight_source *source = (struct coresight_source *)base;
	struct coresight_sync sync;

	return coresight_scan_next(&source->scan, from, UINT64_MAX, &sync) ?
		       sync.end :
		       NO_SYNC;
}

/* Examines the next branch in the search for the first sync point at or after
 * @end, and for its time. Sets @point. Returns 1 if both are found, 0 to
 * continue, -1 if the sync point has no time.
 */
static int look_at(const struct trace_branch *branch, uint64_t position,
		   uint64_t end, struct sync_point *point)
{
	bool is_behind = point->position >= end;

	if (branch->kind == TRACE_SYNC) {
		if (is_behind)
			return -1;
		point->position = position;
	} else if (branch->kind == TRACE_TIME && is_behind) {
		point->ticks = branch->payload;
		return point->ticks ? 1 : -1;
	}
	return 0;
}

static bool read_time(struct coresight_source *source,
		      const struct coresight_sync *sync,
		      struct sync_point *point)
{
	struct trace_branch_batch batch;
	int status = 0;

	*point = (struct sync_point){ 0 };
	go_to(source, sync->from);
	for (int i = 0; i < MOST_BATCHES && !status; i++) {
		if (branch_source_next(&source->base, &batch) <= 0)
			return false;
		for (uint32_t at = 0; at < batch.count && !status; at++)
			status = look_at(&batch.branches[at],
					 batch.position +
						 batch.branches[at].position,
					 sync->end, point);
	}
	return status > 0;
}

static bool next_timed(void *ctx, size_t size, size_t from,
		       struct sync_point *point)
{
	struct coresight_source *source = ctx;
	struct coresight_sync sync = {
		.end = from > CORESIGHT_SYNC_OWN ? from - CORESIGHT_SYNC_OWN :
						   0,
	};

	for (int i = 0; i < MOST_WITHOUT; i++) {
		if (!coresight_scan_next(&source->scan, sync.end, size, &sync))
			return false;
		if (read_time(source, &sync, point) && point->position >= from)
			return point->position < size;
	}
	return false;
}

static uint64_t sync_before(struct branch_source *base, uint64_t time_ns,
			    uint64_t distance, uint64_t *at_ns)
{
	struct coresight_source *source = (struct coresight_source *)base;
	const struct point_search points = {
		.size = source->input.stream->size_bytes,
		.next = next_timed,
		.ctx = source,
	};

	return sync_position_before(
		&points, recording_time_conversion(source->input.recording),
		time_ns, distance, at_ns);
}

const struct branch_source_ops coresight_branch_source = {
	.name = "coresight",
	.open = open_source,
	.next = next_batch,
	.seek = seek,
	.next_sync = next_sync,
	.sync_before = sync_before,
	.close = close_source,
};
