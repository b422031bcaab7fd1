/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_source_parts.h"
#include "decoder/flow/point_search.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/time_conversion.h"

enum {
	/* By then a time stamp has come that belongs to a synchronisation
	 * point, unless packets wait to be committed.
	 */
	MOST_BATCHES = 16,
	/* Points without a time, one after the other: then there are none. */
	MOST_WITHOUT = 1 << 10,
};

static void go_to(struct coresight_source *source, uint64_t position)
{
	coresight_feed_seek(&source->feed, position);
	coresight_branches_restart(&source->branches);
	source->at_end = false;
}

int coresight_source_seek(struct branch_source *base, uint64_t position)
{
	struct coresight_source *source = (struct coresight_source *)base;

	go_to(source, coresight_scan_before(&source->scan, position));
	return 0;
}

uint64_t coresight_source_next_sync(struct branch_source *base, uint64_t from)
{
	struct coresight_source *source = (struct coresight_source *)base;
	struct coresight_sync sync;

	return coresight_scan_next(&source->scan, from, UINT64_MAX, &sync) ?
		       sync.end :
		       NO_SYNC;
}

/* Looks for a synchronisation point at or behind @end, and then for its time.
 * Returns 1 at that, 0 to go on, -1 if it has none.
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

uint64_t coresight_source_sync_before(struct branch_source *base,
				      uint64_t time_ns, uint64_t distance,
				      uint64_t *at_ns)
{
	struct coresight_source *source = (struct coresight_source *)base;
	const struct time_conversion *conversion =
		recording_time_conversion(source->input.recording);
	const struct point_search search = {
		.size = source->input.stream->size_bytes,
		.next = next_timed,
		.ctx = source,
	};
	struct sync_point last;
	struct sync_point point;

	if (!point_search_before(&search,
				 time_conversion_ticks(conversion, time_ns),
				 &last) ||
	    last.position < distance ||
	    !next_timed(source, search.size, last.position - distance, &point))
		return NO_SYNC;
	*at_ns = time_conversion_ns(conversion, point.ticks);
	return point.position;
}
