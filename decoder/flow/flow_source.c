/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow_source.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/recording.h"

static const struct flow_source_ops *
find_source(const struct recording *recording)
{
	switch (recording_trace(recording)) {
	case RECORDING_TRACE_INTEL_PT:
		return &libipt_source;
	case RECORDING_TRACE_CORESIGHT:
		return &coresight_source;
	case RECORDING_TRACE_NONE:
	case RECORDING_TRACE_FUNCTION_GRAPH:
	case RECORDING_TRACE_OTHER:
		return NULL;
	}
	return NULL;
}

int flow_source_open(const struct flow_input *input,
		     struct flow_source **source)
{
	const struct flow_source_ops *ops = find_source(input->recording);

	if (ops)
		return ops->open(input, source);
	log_message(input->log, LOG_ERROR,
		    recording_data_path(input->recording), LOG_NO_OFFSET,
		    "no decoder for this kind of trace");
	return -ERROR_UNSUPPORTED;
}

int flow_source_next(struct flow_source *source, const struct flow_item **items)
{
	return source->ops->next(source, items);
}

const struct flow_item *
flow_source_next_switch(const struct flow_source *source)
{
	return source->ops->next_switch ? source->ops->next_switch(source) :
					  NULL;
}

void flow_source_close(struct flow_source *source)
{
	if (source)
		source->ops->close(source);
}
