/* SPDX-License-Identifier: MIT */
#include "collector/events/event_list.h"
#include "collector/records/record_bytes.h"
#include "common/bytes.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

/* The form of PERF_RECORD_AUX in linux/perf_event.h, with the fields that
 * sample_id_all adds for EVENT_SAMPLE_TYPE.
 */
START_TEST(is_a_truncated_aux_record)
{
	const struct event event = { .cpu = 3, .id = 77 };
	struct byte_buffer bytes = { 0 };
	struct byte_reader reader;

	loss_record_add(&bytes, &event, 4096, 123456);
	ck_assert(!bytes.failed);
	reader = byte_reader_of(bytes.bytes, bytes.size);
	ck_assert_uint_eq(byte_reader_u32(&reader), PERF_RECORD_AUX);
	ck_assert_uint_eq(byte_reader_u16(&reader), 0);
	ck_assert_uint_eq(byte_reader_u16(&reader), bytes.size);
	ck_assert_uint_eq(byte_reader_u64(&reader), 4096);
	ck_assert_uint_eq(byte_reader_u64(&reader), 0);
	ck_assert_uint_eq(byte_reader_u64(&reader), PERF_AUX_FLAG_TRUNCATED);
	byte_reader_u64(&reader); /* pid, tid */
	ck_assert_uint_eq(byte_reader_u64(&reader), 123456);
	ck_assert_uint_eq(byte_reader_u32(&reader), 3);
	byte_reader_u32(&reader);
	ck_assert_uint_eq(byte_reader_u64(&reader), 77);
	ck_assert(!reader.failed);
	byte_buffer_free(&bytes);
}
END_TEST

START_TEST(is_a_lost_record)
{
	const struct event event = { .cpu = 3, .id = 77 };
	struct byte_buffer bytes = { 0 };
	struct byte_reader reader;

	loss_record_add_records(&bytes, &event, 5, 123456);
	ck_assert(!bytes.failed);
	reader = byte_reader_of(bytes.bytes, bytes.size);
	ck_assert_uint_eq(byte_reader_u32(&reader), PERF_RECORD_LOST);
	ck_assert_uint_eq(byte_reader_u16(&reader), 0);
	ck_assert_uint_eq(byte_reader_u16(&reader), bytes.size);
	ck_assert_uint_eq(byte_reader_u64(&reader), 77);
	ck_assert_uint_eq(byte_reader_u64(&reader), 5);
	byte_reader_u64(&reader); /* pid, tid */
	ck_assert_uint_eq(byte_reader_u64(&reader), 123456);
	ck_assert_uint_eq(byte_reader_u32(&reader), 3);
	byte_reader_u32(&reader);
	ck_assert_uint_eq(byte_reader_u64(&reader), 77);
	ck_assert(!reader.failed);
	byte_buffer_free(&bytes);
}
END_TEST

SUITE("loss_record")
{
	TEST(is_a_truncated_aux_record);
	TEST(is_a_lost_record);
}
