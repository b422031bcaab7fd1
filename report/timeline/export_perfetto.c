/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "report/text/line_buffer.h"
#include "report/text/name_text.h"
#include "report/timeline/protobuf.h"
#include "report/timeline/span_export.h"
#include "symbolize/function_table.h"

#include <stdlib.h>
#include <string.h>

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
enum name_field { NAME_IID = 1, NAME_STRING = 2 };

enum { SEQUENCE_ID = 1 };

struct perfetto_writer {
	struct span_writer writer;
	struct line_buffer out;
	struct array named;	/* bool by function: its name was written */
	bool has_packets;
};

static void write_packet(struct perfetto_writer *perfetto,
			 struct protobuf *packet)
{
	uint8_t *head;

	protobuf_number(packet, PACKET_SEQUENCE_ID, SEQUENCE_ID);
	protobuf_number(packet, PACKET_SEQUENCE_FLAGS,
			perfetto->has_packets ? SEQUENCE_NEEDS_STATE :
						SEQUENCE_CLEARED);
	perfetto->has_packets = true;
	head = (uint8_t *)line_buffer_room(&perfetto->out,
					   PROTOBUF_HEAD_MOST);
	perfetto->out.size += protobuf_head(head, TRACE_PACKET, packet->size);
	line_buffer_put(&perfetto->out, packet->bytes, packet->size);
}

/* Names must be UTF-8. */
static void put_name(struct protobuf *message, uint32_t field,
		     const char *name)
{
	char text[SPAN_NAME_BYTES * NAME_GROWTH];

	protobuf_bytes(message, field, text,
		       name_text(text, NAME_UTF8, name,
				 strnlen(name, SPAN_NAME_BYTES)));
}

static void announce(struct span_writer *writer, const struct span_track *track)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct protobuf thread;
	struct protobuf descriptor;
	struct protobuf packet;

	protobuf_start(&thread);
	protobuf_start(&descriptor);
	protobuf_start(&packet);
	protobuf_number(&descriptor, TRACK_UUID, track->number);
	put_name(&descriptor, TRACK_NAME, track->name);
	if (track->task && track->task->tid > 0) {
		int32_t pid = track->task->pid;

		protobuf_number(&thread, THREAD_PID,
				(uint64_t)(pid > 0 ? pid : track->task->tid));
		protobuf_number(&thread, THREAD_TID,
				(uint64_t)track->task->tid);
		put_name(&thread, THREAD_NAME, track->name);
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
	bool *items = perfetto->named.items;
	bool *named = function < perfetto->named.count ?
			      items + function :
			      array_reach(&perfetto->named, function);
	bool before;

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
	struct protobuf entry;
	struct protobuf interned;

	if (name) {
		put_name(event, EVENT_NAME, name);
		return;
	}
	protobuf_number(event, EVENT_NAME_IID, (uint64_t)function + 1);
	if (was_named(perfetto, function))
		return;
	protobuf_start(&entry);
	protobuf_start(&interned);
	protobuf_number(&entry, NAME_IID, (uint64_t)function + 1);
	put_name(&entry, NAME_STRING, span_name(&perfetto->writer, function));
	protobuf_message(&interned, INTERNED_NAMES, &entry);
	protobuf_message(packet, PACKET_INTERNED_DATA, &interned);
}

static void begin(struct span_writer *writer, const struct span_track *track,
		  uint64_t time_ns, uint32_t function, const char *name,
		  const char *category)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
	struct protobuf event;
	struct protobuf packet;

	protobuf_start(&event);
	protobuf_start(&packet);
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
	struct protobuf event;
	struct protobuf packet;

	protobuf_start(&event);
	protobuf_start(&packet);
	protobuf_number(&packet, PACKET_TIMESTAMP, time_ns);
	protobuf_number(&event, EVENT_TYPE, EVENT_END);
	protobuf_number(&event, EVENT_TRACK, track->number);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	write_packet(perfetto, &packet);
}

static void finish(struct span_writer *writer)
{
	struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;

	line_buffer_flush(&perfetto->out);
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
	line_buffer_start(&perfetto->out, context->out);
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
