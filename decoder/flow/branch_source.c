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
