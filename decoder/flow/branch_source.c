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

uint64_t sync_position_before(const struct point_search *points,
			      const struct time_conversion *conversion,
			      uint64_t time_ns, uint64_t distance,
			      uint64_t *at_ns)
{
	uint64_t ticks = time_conversion_ticks(conversion, time_ns);
	struct sync_point last;
	struct sync_point point;

	if (!point_search_before(points, ticks, &last) ||
	    last.position < distance ||
	    !points->next(points->ctx, points->size, last.position - distance,
			  &point))
		return NO_SYNC;
	*at_ns = time_conversion_ns(conversion, point.ticks);
	return point.position;
}

void branch_source_close(struct branch_source *source)
{
	if (source)
		source->ops->close(source);
}
