/* SPDX-License-Identifier: MIT */
#include "cmd/console_log.h"
#include "cmd/dump_stages.h"
#include "cmd/session.h"
#include "common/error.h"
#include "decoder/flow_source.h"
#include "decoder/recording.h"
#include "report/first_task.h"
#include "symbolize/function_events.h"
#include "symbolize/symbols.h"

#include <inttypes.h>

/* Writes all that one stream's source yields. */
typedef int dump_source(const struct session *session,
			const struct aux_stream *stream,
			struct flow_source *source);

static int dump_streams(const struct session *session, dump_source *dump)
{
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

		status = flow_source_open(&input, &source);
		if (status < 0)
			break;
		fprintf(session->out, "stream %" PRIu32 " cpu %d\n",
			input.stream->index, input.stream->cpu);
		status = dump(session, input.stream, source);
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

static int dump_flow(const struct session *session,
		     const struct aux_stream *stream,
		     struct flow_source *source)
{
	const struct flow_item *items;
	int count;

	(void)stream;
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++)
			write_item(session->out, &items[i]);
	return count;
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

static int dump_functions(const struct session *session,
			  const struct aux_stream *stream,
			  struct flow_source *source)
{
	const struct function_event *batch;
	struct function_events *events;
	int32_t pid;
	int32_t tid;
	int count = first_task(session->recording, stream, &pid, &tid);

	if (count < 0)
		return count;
	events = function_events_new(source, session->symbols, pid, tid);
	if (!events)
		return -ERROR_MEMORY;
	while ((count = function_events_next(events, &batch)) > 0)
		for (int i = 0; i < count; i++)
			write_event(session, &batch[i]);
	function_events_free(events);
	return count;
}

int dump_blocks(const struct session *session)
{
	return dump_streams(session, dump_flow);
}

int dump_events(const struct session *session)
{
	return dump_streams(session, dump_functions);
}
