/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "decoder/coresight/coresight_source_parts.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>

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

bool coresight_source_forgets(const struct recording *recording,
			      const struct aux_stream *stream)
{
	const struct array *units = recording_coresight_units(recording);

	for (size_t i = 0; i < stream->piece_count; i++) {
		uint32_t unit = stream->pieces[i].unit;

		if (coresight_unit_counts_cycles(array_at(units, unit)))
			return false;
	}
	return true;
}

static size_t put(void *ctx, uint64_t index, const uint8_t *bytes, size_t size)
{
	struct coresight_source *source = ctx;

	return coresight_branches_take(&source->branches, index, bytes, size);
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
		coresight_branches_add(&source->branches, kind, position);

	source->branches.committed = source->branches.count;
	return branch;
}

/* TRCCONFIGR.RS; TRCIDR2.WFXMODE. */
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

	source->branches.count = source->branches.committed;
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

/* When the CPU was traced no more is when its last bytes were recorded, or
 * later.
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
	struct coresight_branches *branches = &source->branches;

	coresight_branches_drop(branches);
	while (!branches->committed) {
		int error = 0;

		if (source->at_end)
			return 0;
		if (coresight_feed_is_done(&source->feed))
			end_stream(source);
		else
			error = coresight_feed_some(&source->feed);
		if (error || branches->has_failed)
			return -ERROR_MEMORY;
	}
	*batch = (struct trace_branch_batch){
		.branches = branches->branches,
		.count = (uint32_t)branches->committed,
		.position = branches->base,
	};
	return 1;
}

const struct branch_source_ops coresight_branch_source = {
	.name = "coresight",
	.open = open_source,
	.next = next_batch,
	.seek = coresight_source_seek,
	.next_sync = coresight_source_next_sync,
	.sync_before = coresight_source_sync_before,
	.close = close_source,
};
