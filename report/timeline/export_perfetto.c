/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/timeline/protobuf.h"
#include "report/timeline/span_export.h"
#include "symbolize/function_table.h"

#include <stdlib.h>

/* Field numbers: protos/perfetto/trace/ of Perfetto: trace_packet.proto,
 * track_event/{track_event,track_descriptor,thread_descriptor}.proto,
 * interned_data/interned_data.proto.
 */
enum trace_field { TRACE_PACKET = 1 };

enum packet_field {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum sequence_flag { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };

enum event_field {
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
};

enum event_type { EVENT_BEGIN = 1, EVENT_END = 2 };

enum track_field { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_THREAD = 4 };
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum interned_field { INTERNED_NAMES = 2 };
enum name_field { NAME_IID = 1, NAME_TEXT = 2 };

enum { SEQUENCE_ID = 1 };

struct perfetto_writer {
	struct span_writer writer;
	FILE *out;
	struct array named;	/* bool by function: its name was written */
	bool has_packets;
};

static void write_packet(struct perfetto_writer *perfetto,
			 struct protobuf *packet)
{
	struct protobuf trace = { .size = 0 };

	protobuf_number(packet, PACKET_SEQUENCE_ID, SEQUENCE_ID);
	protobuf_number(packet, PACKET_SEQUENCE_FLAGS,
			perfetto->has_packets ? SEQUENCE_NEEDS_STATE :
						SEQUENCE_CLEARED);
	perfetto->has_packets = true;
	protobuf_message(&trace, TRACE_PACKET, packet);
	fwrite(trace.bytes, 1, trace.size, perfetto->out);
}

static void announce(struct span_writer *writer, const struct span_track *track)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct protobuf thread = { .size = 0 };
	struct protobuf descriptor = { .size = 0 };
	struct protobuf packet = { .size = 0 };

	protobuf_number(&descriptor, TRACK_UUID, track->number);
	protobuf_text(&descriptor, TRACK_NAME, track->name);
	if (track->task && track->task->tid > 0) {
		int32_t pid = track->task->pid;

		protobuf_number(&thread, THREAD_PID,
				(uint64_t)(pid > 0 ? pid : track->task->tid));
		protobuf_number(&thread, THREAD_TID,
				(uint64_t)track->task->tid);
		protobuf_text(&thread, THREAD_NAME, track->name);
		protobuf_message(&descriptor, TRACK_THREAD, &thread);
	}
	protobuf_message(&packet, PACKET_TRACK_DESCRIPTOR, &descriptor);
	write_packet(perfetto, &packet);
}

/* Returns whether @function's name is known to the reader, noting that it
 * will be.
 */
static bool was_named(struct perfetto_writer *perfetto, uint32_t function)
{
	bool *named;
	bool before;

	named = array_reach(&perfetto->named, function);
	if (!named)
		return false;
	before = *named;
	*named = true;
	return before;
}

/* A function's name is written once and then referred to by its number. */
static void add_name(struct perfetto_writer *perfetto, struct protobuf *packet,
		     struct protobuf *event, uint32_t function,
		     const char *name)
{
	struct protobuf entry = { .size = 0 };
	struct protobuf interned = { .size = 0 };

	if (function == FUNCTION_NONE) {
		protobuf_text(event, EVENT_NAME, name);
		return;
	}
	protobuf_number(event, EVENT_NAME_IID, (uint64_t)function + 1);
	if (was_named(perfetto, function))
		return;
	protobuf_number(&entry, NAME_IID, (uint64_t)function + 1);
	protobuf_text(&entry, NAME_TEXT, name);
	protobuf_message(&interned, INTERNED_NAMES, &entry);
	protobuf_message(packet, PACKET_INTERNED_DATA, &interned);
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  uint64_t time_ns, uint32_t function, const char *name,
		  const char *category)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct protobuf event = { .size = 0 };
	struct protobuf packet = { .size = 0 };

	protobuf_number(&packet, PACKET_TIMESTAMP, time_ns);
	protobuf_number(&event, EVENT_TYPE, EVENT_BEGIN);
	protobuf_number(&event, EVENT_TRACK, track->number);
	protobuf_text(&event, EVENT_CATEGORY, category);
	add_name(perfetto, &packet, &event, function, name);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(perfetto, &packet);
}

static void end(struct span_writer *writer, const struct span_track *track,
		uint64_t time_ns)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct protobuf event = { .size = 0 };
	struct protobuf packet = { .size = 0 };

	protobuf_number(&packet, PACKET_TIMESTAMP, time_ns);
	protobuf_number(&event, EVENT_TYPE, EVENT_END);
	protobuf_number(&event, EVENT_TRACK, track->number);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(perfetto, &packet);
}

static void finish(struct span_writer *writer)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;

	array_free(&perfetto->named);
	free(perfetto);
}

static struct step_sink *open_perfetto(const struct timeline_context *context)
{
	struct perfetto_writer *perfetto = calloc(1, sizeof(*perfetto));

	if (!perfetto)
		return NULL;
	perfetto->writer = (struct span_writer){
		.announce = announce,
		.begin = begin,
		.end = end,
		.finish = finish,
	};
	perfetto->out = context->out;
	perfetto->named = ARRAY_OF(bool);
	return span_export_open(context, &perfetto->writer);
}

const struct timeline_renderer export_perfetto = {
	.command = "export",
	.format = "perfetto",
	.needs_time = true,
	.open = open_perfetto,
	.close = span_export_close,
};
