/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_out.h"
#include "tests/run_suite.h"

static const struct {
	uint64_t passed_ns;
	enum event_type type;
	uint64_t name;
	uint64_t sequence;
} events[] = {
	{ 0, EVENT_END, 0, 1 },
	{ 127, EVENT_END, 0, 127 },
	{ 128, EVENT_BEGIN, 1, 128 },
	{ 5, EVENT_BEGIN, 127, 3 },
	{ 5, EVENT_BEGIN, 128, 3 },
	{ 16384, EVENT_BEGIN, 16384, 16384 },
	{ UINT64_MAX, EVENT_BEGIN, UINT32_MAX + UINT64_C(1), UINT64_MAX },
};

/* Writes the same packet by struct protobuf, field by field. */
static size_t write_by_fields(uint8_t *at, int i)
{
	struct protobuf event;
	struct protobuf packet;
	size_t head;

	protobuf_start(&event);
	protobuf_start(&packet);
	protobuf_number(&packet, PACKET_TIMESTAMP, events[i].passed_ns);
	protobuf_number(&event, EVENT_TYPE, events[i].type);
	if (events[i].name)
		protobuf_number(&event, EVENT_NAME_IID, events[i].name);
	protobuf_message(&packet, PACKET_TRACK_EVENT, &event);
	protobuf_number(&packet, PACKET_SEQUENCE_ID, events[i].sequence);
	protobuf_number(&packet, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	head = protobuf_head(at, TRACE_PACKET, packet.size);
	memcpy(at + head, packet.bytes, packet.size);
	return head + packet.size;
}

START_TEST(packets_are_those_that_fields_make)
{
	struct perfetto_tail tail = perfetto_tail_of(events[_i].sequence);
	uint8_t expected[2 * PERFETTO_EVENT_MOST];
	size_t size = write_by_fields(expected, _i);
	uint8_t bytes[PERFETTO_EVENT_MOST];
	const uint8_t *end = perfetto_event_write(bytes, events[_i].passed_ns,
						  events[_i].type,
						  events[_i].name, &tail);

	ck_assert_uint_eq((size_t)(end - bytes), size);
	ck_assert_mem_eq(bytes, expected, size);
}
END_TEST

SUITE("perfetto_event")
{
	TEST_EACH(packets_are_those_that_fields_make, events);
}
