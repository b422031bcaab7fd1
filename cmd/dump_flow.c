/* SPDX-License-Identifier: MIT */
#include "cmd/console_log.h"
#include "cmd/dump_stages.h"
#include "cmd/session.h"
#include "common/error.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "report/steps/first_task.h"
#include "symbolize/function_events.h"
#include "symbolize/symbols.h"

#include <inttypes.h>

/* Writes all that one stream's source yields. */
typedef int dump_source(struct dump *dump, const struct aux_stream *stream,
			struct flow_source *source);

static int dump_streams(struct dump *dump, dump_source *dump_one)
{
	const struct session *session = dump->session;
	int status = 0;

	for (size_t i = 0;
	     status >= 0 && i < recording_stream_count(session->recording);
	     i++) {
		const struct flow_input input = {
			.recording = session->recording,
			.stream = recording_stream(session->recording, i),
			.image = session->image,
			.log = &console_log,
		};
		struct flow_source *source;

		if (!dump_wants_cpu(dump, input.stream->cpu))
			continue;
		status = flow_source_open(&input, &source);
		if (status < 0)
			break;
		fprintf(session->out, "stream %" PRIu32 " cpu %d\n",
			input.stream->index, input.stream->cpu);
		status = dump_one(dump, input.stream, source);
		flow_source_close(source);
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

static int dump_flow(struct dump *dump, const struct aux_stream *stream,
		     struct flow_source *source)
{
	const struct flow_item *items;
	uint64_t reached_ns = 0;
	int count = 0;

	(void)stream;
	while (!dump_is_done(dump, reached_ns) &&
	       (count = flow_source_next(source, &items)) > 0) {
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, items[i].time_ns))
				write_item(dump->session->out, &items[i]);
		reached_ns = items[count - 1].time_ns;
	}
	return count < 0 ? count : 0;
}

static void write_event(const struct session *session,
			const struct function_event *event)
{
	FILE *out = session->out;

	fprintf(out, "%" PRIu64 " -%" PRIu32 " +%" PRIu32 " %s ",
		event->time_ns, event->early_ns, event->late_ns,
		function_event_text(event->kind));
	switch ((enum function_event_kind)event->kind) {
	case FUNCTION_SWITCH:
		fprintf(out, "to %d/%d\n", function_event_pid(event),
			function_event_tid(event));
		break;
	case FUNCTION_TRACE_STOP:
		fprintf(out, "%s\n", flow_stop_text(event->detail));
		break;
	case FUNCTION_GAP:
		fprintf(out, "%s\n", flow_gap_text(event->detail));
		break;
	case FUNCTION_CALL:
	case FUNCTION_LOCAL_CALL:
	case FUNCTION_TAIL_CALL:
	case FUNCTION_FAR_JUMP:
	case FUNCTION_NEW_PROGRAM:
	case FUNCTION_RETURN:
	case FUNCTION_BREAK:
	case FUNCTION_LOCAL_BREAK:
	case FUNCTION_BREAK_RETURN:
	case FUNCTION_TRACE_START:
	case FUNCTION_END:
		fprintf(out, "%" PRIx64 " %s\n", event->address,
			function_at(symbols_functions(session->symbols),
				    event->function)
				->name);
		break;
	}
}

static int dump_functions(struct dump *dump, const struct aux_stream *stream,
			  struct flow_source *source)
{
	const struct session *session = dump->session;
	const struct function_event *batch;
	struct function_events *events;
	int32_t pid;
	int32_t tid;
	uint64_t reached_ns = 0;
	int count = first_task(session->recording, stream, &pid, &tid);

	if (count < 0)
		return count;
	events = function_events_new(source, session->symbols, pid, tid);
	if (!events)
		return -ERROR_MEMORY;
	while (!dump_is_done(dump, reached_ns) &&
	       (count = function_events_next(events, &batch)) > 0) {
		for (int i = 0; i < count; i++)
			if (dump_wants(dump, batch[i].time_ns))
				write_event(session, &batch[i]);
		reached_ns = batch[count - 1].time_ns;
	}
	function_events_free(events);
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
