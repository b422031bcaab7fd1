/* SPDX-License-Identifier: MIT */
#include "decoder/flow/packet_dump.h"

#include "common/error.h"
#include "decoder/recording/recording.h"

#include <stddef.h>

static const struct packet_dump_ops *find_ops(const struct recording *recording)
{
	switch (recording_trace(recording)) {
	case RECORDING_TRACE_INTEL_PT:
		return &intel_packet_dump;
	case RECORDING_TRACE_CORESIGHT:
		return &coresight_packet_dump;
	case RECORDING_TRACE_NONE:
	case RECORDING_TRACE_FUNCTION_GRAPH:
	case RECORDING_TRACE_OTHER:
		return NULL;
	}
	return NULL;
}

int packet_dump_open(const struct recording *recording,
		     const struct aux_stream *stream, struct packet_dump **dump)
{
	const struct packet_dump_ops *ops = find_ops(recording);
	int error = ops ? ops->open(recording, stream, dump) :
			  -ERROR_UNSUPPORTED;

	if (!error)
		(*dump)->ops = ops;
	return error;
}

int packet_dump_next(struct packet_dump *dump, struct packet_line *line)
{
	return dump->ops->next(dump, line);
}

void packet_dump_close(struct packet_dump *dump)
{
	if (dump)
		dump->ops->close(dump);
}
