/* SPDX-License-Identifier: MIT */
#include "decoder/flow/branch_source.h"

#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"

_Static_assert(sizeof(struct trace_branch) == 40, "branches are hot");

int branch_source_open(const struct flow_input *input,
		       struct branch_source **source)
{
	switch (recording_trace(input->recording)) {
	case RECORDING_TRACE_INTEL_PT:
		return intel_branch_source.open(input, source);
	case RECORDING_TRACE_CORESIGHT:
		return coresight_branch_source.open(input, source);
	case RECORDING_TRACE_NONE:
	case RECORDING_TRACE_FUNCTION_GRAPH:
	case RECORDING_TRACE_OTHER:
		break;
	}
	return -ERROR_UNSUPPORTED;
}

bool branch_source_fits(const struct recording *recording,
			const struct aux_stream *stream)
{
	switch (recording_trace(recording)) {
	case RECORDING_TRACE_INTEL_PT:
		return true;
	case RECORDING_TRACE_CORESIGHT:
		return coresight_source_fits(recording, stream);
	case RECORDING_TRACE_NONE:
	case RECORDING_TRACE_FUNCTION_GRAPH:
	case RECORDING_TRACE_OTHER:
		break;
	}
	return false;
}

void branch_source_close(struct branch_source *source)
{
	if (source)
		source->ops->close(source);
}

enum {
	/* Range that is not bisected any more: it contains few sync points. */
	NEAR_BYTES = 1 << 14,
};

static bool find_next(const struct point_search *search, size_t from,
		      struct sync_point *point)
{
	return search->next(search->ctx, search->size, from, point);
}

/* Advances @point to the last one that is not later than @ticks, which is near.
 */
static void go_near(const struct point_search *search, uint64_t ticks,
		    struct sync_point *point)
{
	struct sync_point next;

	while (find_next(search, point->position + 1, &next) &&
	       next.ticks <= ticks)
		*point = next;
}

bool point_search_before(const struct point_search *search, uint64_t ticks,
			 struct sync_point *point)
{
	/* The second half is not searched again if sync points are rare. */
	struct point_search left = *search;
	struct sync_point middle;

	if (!find_next(search, 0, point) || point->ticks > ticks)
		return false;
	while (left.size - point->position > NEAR_BYTES) {
		size_t half =
			point->position + (left.size - point->position) / 2;

		if (find_next(&left, half, &middle) && middle.ticks <= ticks)
			*point = middle;
		else
			left.size = half;
	}
	go_near(search, ticks, point);
	return true;
}
