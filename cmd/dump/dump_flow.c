/* SPDX-License-Identifier: MIT */
#include "cmd/console/console_log.h"
#include "cmd/dump/dump_stages.h"
#include "cmd/events/event_text.h"
#include "cmd/events/item_text.h"
#include "cmd/pipeline/cpu_pipeline.h"
#include "cmd/pipeline/session.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "report/text/line_buffer.h"
#include "symbolize/events/function_event.h"

#include <inttypes.h>

/* Writes all of stream @index. */
typedef int dump_stream(struct dump *dump, size_t index);

static int dump_streams(struct dump *dump, dump_stream *dump_one)
{
	const struct session *session = dump->session;
	int status = 0;

	for (size_t i = 0;
	     status >= 0 && i < recording_stream_count(session->recording);
	     i++) {
		const struct aux_stream *stream =
			recording_stream(session->recording, i);

		if (!dump_wants_cpu(dump, stream->cpu))
			continue;
		fprintf(session->out, "stream %" PRIu32 " cpu %d\n",
			stream->index, stream->cpu);
		status = dump_one(dump, i);
	}
	return status;
}

static int dump_flow(struct dump *dump, size_t index)
{
	const struct session *session = dump->session;
	const struct flow_input input = {
		.recording = session->recording,
		.stream = recording_stream(session->recording, index),
		.image = session->image,
		.log = &console_log,
	};
	const struct flow_item *items;
	struct line_buffer lines;
	struct flow_source *source;
	uint64_t reached_ns = 0;
	int count = engine_open_blocks(session->engine, &input, &source);

	if (count < 0)
		return count;
	line_buffer_start(&lines, session->out);
	while (!dump_is_done(dump, reached_ns) &&
	       (count = flow_source_next(source, &items)) > 0) {
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, items[i].time_ns))
				item_text_write(&lines, &items[i]);
		reached_ns = items[count - 1].time_ns;
	}
	line_buffer_flush(&lines);
	flow_source_close(source);
	return count < 0 ? count : 0;
}

static int dump_functions(struct dump *dump, size_t index)
{
	const struct session *session = dump->session;
	const struct function_event *batch;
	struct cpu_pipeline pipeline = { 0 };
	uint64_t reached_ns = 0;
	int count = cpu_pipeline_open(&pipeline, session, index, NULL);

	while (count >= 0 && !dump_is_done(dump, reached_ns) &&
	       (count = cpu_pipeline_next(&pipeline, &batch)) > 0) {
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, batch[i].time_ns))
				event_write(session->out, session->symbols,
					    &batch[i]);
		reached_ns = batch[count - 1].time_ns;
	}
	cpu_pipeline_close(&pipeline);
	return count < 0 ? count : 0;
}

int dump_blocks(struct dump *dump)
{
	return dump_streams(dump, dump_flow);
}

int dump_events(struct dump *dump)
{
	return dump_streams(dump, dump_functions);
}
