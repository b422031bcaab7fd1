/* SPDX-License-Identifier: MIT */
#include "report/timeline/perfetto_out.h"
#include "tests/run_suite.h"

/* From the encoding page of the Protocol Buffers documentation, and edges. */
static const struct {
	uint64_t value;
	size_t size;
	uint8_t bytes[PROTOBUF_VARINT_MOST];
} varints[] = {
	{ 0, 1, { 0 } },
	{ 1, 1, { 1 } },
	{ 127, 1, { 0x7f } },
	{ 128, 2, { 0x80, 1 } },
	{ 150, 2, { 0x96, 1 } },
	{ 16383, 2, { 0xff, 0x7f } },
	{ 16384, 3, { 0x80, 0x80, 1 } },
	{ UINT64_MAX,
	  10,
	  { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1 } },
};

START_TEST(varints_are_as_documented)
{
	uint8_t bytes[PROTOBUF_VARINT_MOST];

	ck_assert_uint_eq(protobuf_varint(bytes, varints[_i].value),
			  varints[_i].size);
	ck_assert_mem_eq(bytes, varints[_i].bytes, varints[_i].size);
}
END_TEST

START_TEST(messages_nest)
{
	static const uint8_t expected[] = {
		0x1a, 3,   0x08, 0x96, 1,   0xe2, 3,   7,
		't',  'e', 's',	 't',  'i', 'n',  'g',
	};
	struct protobuf inner;
	struct protobuf outer;

	protobuf_start(&inner);
	protobuf_start(&outer);
	protobuf_number(&inner, 1, 150);
	protobuf_message(&outer, 3, &inner);
	protobuf_text(&outer, 60, "testing");
	ck_assert(!outer.is_full);
	ck_assert_uint_eq(outer.size, sizeof(expected));
	ck_assert_mem_eq(outer.bytes, expected, sizeof(expected));
}
END_TEST

/* A field is written whole or not at all. */
START_TEST(a_full_message_leaves_fields_out)
{
	static char text[sizeof(((struct protobuf *)0)->bytes) + 1];
	struct protobuf message;
	size_t before;

	memset(text, 'a', sizeof(text) - 1);
	protobuf_start(&message);
	protobuf_text(&message, 1, text);
	ck_assert(message.is_full);
	ck_assert_uint_eq(message.size, 0);
	protobuf_start(&message);
	protobuf_bytes(&message, 1, text,
		       sizeof(message.bytes) - PROTOBUF_HEAD_MOST);
	ck_assert(!message.is_full);
	before = message.size;
	ck_assert_uint_gt(before, sizeof(message.bytes) - PROTOBUF_HEAD_MOST);
	protobuf_number(&message, 2, UINT64_MAX);
	ck_assert(message.is_full);
	ck_assert_uint_eq(message.size, before);
	protobuf_start(&message);
	ck_assert(!message.is_full);
}
END_TEST

SUITE("protobuf")
{
	TEST_EACH(varints_are_as_documented, varints);
	TEST(messages_nest);
	TEST(a_full_message_leaves_fields_out);
}
