/* SPDX-License-Identifier: MIT */
#include "cmd/console_log.h"
#include "cmd/cpu_pipeline.h"
#include "cmd/dump_stages.h"
#include "cmd/event_text.h"
#include "cmd/session.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "symbolize/function_event.h"

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

static const char *item_detail(const struct flow_item *item)
{
	if (item->kind == FLOW_BLOCK)
		return flow_exit_text(item->detail);
	if (item->kind == FLOW_STOP)
		return flow_stop_text(item->detail);
	if (item->kind == FLOW_GAP)
		return flow_gap_text(item->detail);
	return "";
}

static void write_item(FILE *out, const struct flow_item *item)
{
	fprintf(out, "%" PRIu64 " -%" PRIu32 " +%" PRIu32 " %s %s ",
		item->time_ns, item->early_ns, item->late_ns,
		flow_kind_text(item->kind), item_detail(item));
	if (item->kind == FLOW_SWITCH)
		fprintf(out, "to %d/%d\n", flow_switch_pid(item),
			flow_switch_tid(item));
	else if (item->kind == FLOW_BLOCK)
		fprintf(out, "%" PRIx64 "-%" PRIx64 " %u instructions\n",
			item->ip, item->ip + item->last, item->instructions);
	else if (item->kind == FLOW_GAP)
		fprintf(out, "at byte %" PRIu64 ", %" PRIu32 " bytes\n",
			item->ip, item->last);
	else
		fprintf(out, "%" PRIx64 "\n", item->ip);
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
	struct flow_source *source;
	int count = engine_open_blocks(session->engine, &input, &source);

	if (count < 0)
		return count;
	while (dump->left && (count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, items[i].time_ns))
				write_item(session->out, &items[i]);
	flow_source_close(source);
	return dump->left ? count : 0;
}

static int dump_functions(struct dump *dump, size_t index)
{
	const struct session *session = dump->session;
	const struct function_event *batch;
	struct cpu_pipeline pipeline = { 0 };
	int count = cpu_pipeline_open(&pipeline, session, index);

	while (count >= 0 && dump->left &&
	       (count = cpu_pipeline_next(&pipeline, &batch)) > 0)
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, batch[i].time_ns))
				event_write(session->out, session->symbols,
					    &batch[i]);
	cpu_pipeline_close(&pipeline);
	return dump->left ? count : 0;
}

int dump_blocks(struct dump *dump)
{
	return dump_streams(dump, dump_flow);
}

int dump_events(struct dump *dump)
{
	return dump_streams(dump, dump_functions);
}
