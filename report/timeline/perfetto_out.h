/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TIMELINE_PERFETTO_OUT_H
#define KT_REPORT_TIMELINE_PERFETTO_OUT_H

/* Perfetto's trace format as bytes: messages of protocol buffers, the numbers
 * of the fields that are used (Perfetto's protos/perfetto/trace), the two
 * packets that are nearly all of a trace, and the file with the packets,
 * compressed if memory suffices. export_perfetto.c chooses the packets.
 *
 * Invariants:
 * 1. A struct protobuf that is full leaves out fields as a whole, so that it
 *    stays a valid message.
 * 2. perfetto_event_write() writes the bytes that the same fields would have as
 *    a struct protobuf.
 */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct perfetto_packer;
struct task_names;

/* One protocol buffers message being written, of limited size.  Source: the
 * encoding page of the Protocol Buffers documentation.
 */
struct protobuf {
	size_t size;
	bool is_full; /* a field did not fit and was left out */
	uint8_t bytes[4096];
};

/* Maximum size that protobuf_varint() writes. */
enum { PROTOBUF_VARINT_MOST = 10 };

/* Starts a message, without clearing the bytes that will be overwritten. */
static inline void protobuf_start(struct protobuf *message)
{
	message->size = 0;
	message->is_full = false;
}

/* Writes @value to @bytes and returns its size. */
static inline size_t protobuf_varint(uint8_t *bytes, uint64_t value)
{
	size_t size = 0;

	while (value >= 0x80) {
		bytes[size++] = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	bytes[size++] = (uint8_t)value;
	return size;
}

enum protobuf_wire {
	PROTOBUF_VARINT = 0,
	PROTOBUF_FIXED64 = 1,
	PROTOBUF_BYTES = 2,
};

static inline size_t protobuf_key(uint8_t *bytes, uint32_t field,
				  enum protobuf_wire type)
{
	return protobuf_varint(bytes, (uint64_t)field << 3 | type);
}

/* Writes the header of a text or message field of @size bytes: at most
 * PROTOBUF_HEAD_MOST bytes. Returns its size.
 */
static inline size_t protobuf_head(uint8_t *bytes, uint32_t field, size_t size)
{
	size_t head = protobuf_key(bytes, field, PROTOBUF_BYTES);

	return head + protobuf_varint(bytes + head, size);
}

enum { PROTOBUF_HEAD_MOST = 2 * PROTOBUF_VARINT_MOST };

/* Returns whether a whole field of @size bytes plus its header fits; if not,
 * the field must be left out, since a partial one would corrupt the rest.
 */
static inline bool protobuf_has_room(struct protobuf *message, size_t size)
{
	if (size <= sizeof(message->bytes) - PROTOBUF_HEAD_MOST &&
	    message->size <= sizeof(message->bytes) - PROTOBUF_HEAD_MOST - size)
		return true;
	message->is_full = true;
	return false;
}

static inline void protobuf_number(struct protobuf *message, uint32_t field,
				   uint64_t value)
{
	uint8_t *end = message->bytes + message->size;

	if (!protobuf_has_room(message, 0))
		return;
	end += protobuf_key(end, field, PROTOBUF_VARINT);
	end += protobuf_varint(end, value);
	message->size = (size_t)(end - message->bytes);
}

static inline void protobuf_fixed64(struct protobuf *message, uint32_t field,
				    uint64_t value)
{
	uint8_t *end = message->bytes + message->size;

	if (!protobuf_has_room(message, sizeof(value)))
		return;
	end += protobuf_key(end, field, PROTOBUF_FIXED64);
	for (size_t i = 0; i < sizeof(value); i++)
		*end++ = (uint8_t)(value >> 8 * i);
	message->size = (size_t)(end - message->bytes);
}

static inline void protobuf_bytes(struct protobuf *message, uint32_t field,
				  const void *bytes, size_t size)
{
	if (!protobuf_has_room(message, size))
		return;
	message->size +=
		protobuf_head(message->bytes + message->size, field, size);
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

static inline void protobuf_text(struct protobuf *message, uint32_t field,
				 const char *text)
{
	protobuf_bytes(message, field, text, strlen(text));
}

static inline void protobuf_message(struct protobuf *message, uint32_t field,
				    const struct protobuf *inner)
{
	protobuf_bytes(message, field, inner->bytes, inner->size);
}

/* Field numbers of protos/perfetto/trace/ of Perfetto: trace_packet.proto,
 * trace_packet_defaults.proto, clock_snapshot.proto,
 * track_event/{track_event,track_descriptor,process_descriptor,
 * thread_descriptor,debug_annotation}.proto, interned_data/interned_data.proto,
 * track_event/counter_descriptor.proto, ps/process_tree.proto,
 * ftrace/{ftrace_event_bundle,ftrace_event,sched,power}.proto.
 */
enum packet_field {
	PACKET_FTRACE_EVENTS = 1,
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_CLOCK_ID = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum sequence_flag { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS_STATE = 2 };

enum defaults_field {
	DEFAULTS_TRACK_EVENT = 11,
	DEFAULTS_CLOCK_ID = 58,
};
enum event_defaults_field { EVENT_DEFAULTS_TRACK = 11 };

enum snapshot_field { SNAPSHOT_CLOCKS = 1 };
enum clock_field {
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	CLOCK_IS_INCREMENTAL = 3,
};

/* BUILTIN_CLOCK_BOOTTIME, and the first sequence-scoped clock id. */
enum clock_id { CLOCK_ID_BOOTTIME = 6, CLOCK_ID_OWN = 64 };

enum event_field {
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_NAME = 23,
	EVENT_COUNTER_VALUE = 30,
	EVENT_FLOWS = 47,
	EVENT_LAST_FLOWS = 48,
};
enum event_type {
	EVENT_BEGIN = 1,
	EVENT_END = 2,
	EVENT_INSTANT = 3,
	EVENT_COUNTER = 4,
};

enum annotation_field {
	ANNOTATION_NAME_IID = 1,
	ANNOTATION_UINT = 3,
	ANNOTATION_STRING = 6,
};

enum track_field {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum counter_field { COUNTER_UNIT = 3 };
enum counter_unit { UNIT_COUNT = 2, UNIT_SIZE_BYTES = 3 };
enum process_field { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum tree_field { TREE_PROCESSES = 1, TREE_THREADS = 2 };
enum tree_process_field {
	TREE_PROCESS_PID = 1,
	TREE_PROCESS_PARENT = 2,
	TREE_PROCESS_COMMAND = 3,
};
enum tree_thread_field {
	TREE_THREAD_TID = 1,
	TREE_THREAD_NAME = 2,
	TREE_THREAD_PID = 3,
};
enum thread_field { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum interned_field {
	INTERNED_NAMES = 2,
	INTERNED_ANNOTATIONS = 3,
	INTERNED_SYMBOLS = 26,
};
enum name_field { NAME_IID = 1, NAME_STRING = 2 };

enum bundle_field { BUNDLE_CPU = 1, BUNDLE_EVENT = 2 };
enum ftrace_field {
	FTRACE_TIMESTAMP = 1,
	FTRACE_PID = 2,
	FTRACE_SWITCH = 4,
	FTRACE_FLAGS = 5,
	FTRACE_FREQUENCY = 11,
	FTRACE_BLOCKED_REASON = 18,
	FTRACE_WAKING = 20,
	FTRACE_WAKEUP_NEW = 114,
};
enum switch_field {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_PRIO = 3,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	SWITCH_NEXT_PRIO = 7,
};
enum waking_field {
	WAKING_COMM = 1,
	WAKING_PID = 2,
	WAKING_PRIO = 3,
	WAKING_SUCCESS = 4,
};
enum frequency_field { FREQUENCY_KHZ = 1, FREQUENCY_CPU = 2 };
enum blocked_field { BLOCKED_PID = 1, BLOCKED_CALLER = 2 };

/* Priority in sched_switch and similar events: it is not recorded. */
enum { USUAL_PRIORITY = 120 };

/* Sequences of tracks have smaller numbers. */
enum own_sequence {
	SEQUENCE_COUNTERS = 0x7ffffffd,
	SEQUENCE_BLOCKED = 0x7ffffffe,
	SEQUENCE_SCHED = 0x7fffffff,
};

/* Writes Perfetto's packets to a file, many of them compressed into one
 * (TracePacket.compressed_packets, zlib's format), since most of their contents
 * repeat from packet to packet. A thread of its own compresses one buffer while
 * the next is filled, if wanted and if there is more than one.
 */
struct perfetto_out {
	struct perfetto_packer *packer;
	uint8_t *raw;
	size_t size; /* used bytes of raw */
	/* set by perfetto_out_end(): number of bytes written to the file */
	uint64_t bytes;
	/* set by perfetto_out_end(): 0; -ERROR_MEMORY: packets are missing */
	int status;
};

/* protos/perfetto/trace/trace.proto; and the size of the buffer of uncompressed
 * packets.
 */
enum { TRACE_PACKET = 1, PERFETTO_RAW_BYTES = 1 << 18 };

/* Returns a writer to @out, which it borrows; @may_start_thread: see above. */
struct perfetto_out perfetto_out_of(FILE *out, bool may_start_thread);

/* Writes the buffered packets and frees all except the FILE. */
void perfetto_out_end(struct perfetto_out *out);

void perfetto_out_packet(struct perfetto_out *out,
			 const struct protobuf *packet);

/* Passes all packets so far on to the compressor, as the buffer is full. */
void perfetto_out_flush(struct perfetto_out *out);

/* Returns a buffer for a packet of up to @most bytes, including TRACE_PACKET's
 * key and size, or NULL. The caller writes the packet and then calls
 * perfetto_out_took().
 */
static inline uint8_t *perfetto_out_room(struct perfetto_out *out, size_t most)
{
	if (!out->raw)
		return NULL;
	if (out->size + most > PERFETTO_RAW_BYTES)
		perfetto_out_flush(out);
	return out->raw + out->size;
}

static inline void perfetto_out_took(struct perfetto_out *out,
				     const uint8_t *end)
{
	out->size = (size_t)(end - out->raw);
}

/* Fast path for the two most frequent packets: a TrackEvent that begins a slice
 * with an interned name, and one that ends it. They are written directly to the
 * compressor's input; export_perfetto.c makes all others, field by field.
 */

/* The last fields of all packets of a track's sequence. */
struct perfetto_tail {
	uint8_t bytes[16];
	uint8_t size;
};

static inline struct perfetto_tail perfetto_tail_of(uint64_t sequence)
{
	struct protobuf fields;
	struct perfetto_tail tail;

	protobuf_start(&fields);
	protobuf_number(&fields, PACKET_SEQUENCE_ID, sequence);
	protobuf_number(&fields, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	static_assert(sizeof(tail.bytes) >= 2 * 2 + PROTOBUF_VARINT_MOST,
		      "two keys of up to two bytes, a number, and a flag");
	tail.size = (uint8_t)fields.size;
	memcpy(tail.bytes, fields.bytes, sizeof(tail.bytes));
	return tail;
}

/* Maximum number of bytes that perfetto_event_write() touches. */
enum { PERFETTO_EVENT_MOST = 64 };

/* Writes a packet to @at; @name is the number of an interned name, 0 for none.
 * It is far shorter than 128 bytes, so that sizes take one byte. Returns its
 * end.
 */
static inline uint8_t *perfetto_event_write(uint8_t *at, uint64_t passed_ns,
					    enum event_type type, uint64_t name,
					    const struct perfetto_tail *tail)
{
	uint8_t *packet_size = at + 1;
	uint8_t *event_size;

	at[0] = TRACE_PACKET << 3 | PROTOBUF_BYTES;
	at[2] = PACKET_TIMESTAMP << 3 | PROTOBUF_VARINT;
	at += 3;
	at += protobuf_varint(at, passed_ns);
	event_size = at + 1;
	at[0] = PACKET_TRACK_EVENT << 3 | PROTOBUF_BYTES;
	at[2] = EVENT_TYPE << 3 | PROTOBUF_VARINT;
	at[3] = (uint8_t)type;
	at += 4;
	if (name) {
		*at++ = EVENT_NAME_IID << 3 | PROTOBUF_VARINT;
		at += protobuf_varint(at, name);
	}
	*event_size = (uint8_t)(at - event_size - 1);
	memcpy(at, tail->bytes, sizeof(tail->bytes));
	at += tail->size;
	*packet_size = (uint8_t)(at - packet_size - 1);
	return at;
}

/* A thread at a time; if tid is 0, the idle task of @cpu. */
struct perfetto_comm {
	int32_t tid;
	uint32_t cpu;
	uint64_t time_ns;
};

/* Writes the thread's name as field @field. */
void perfetto_put_comm(struct protobuf *message, uint32_t field,
		       const struct task_names *names,
		       struct perfetto_comm comm);

#endif
