/* SPDX-License-Identifier: MIT */
#include "collector/records/record_bytes.h"
#include "collector/records/record_watch.h"
#include "collector/rings/cpu_rings.h"
#include "common/bytes.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <string.h>

enum { ROOM = 256 };

static void add(struct byte_buffer *records, uint32_t type, uint64_t first,
		uint64_t second, uint64_t third)
{
	size_t place = record_begin(records, type, 0);

	byte_buffer_u64(records, first);
	byte_buffer_u64(records, second);
	byte_buffer_u64(records, third);
	record_end(records, place);
}

/* The same records are counted wherever they wrap at the end of the ring. */
START_TEST(test_counts)
{
	struct byte_buffer records = { 0 };
	struct record_counts counts = { 0 };
	uint8_t room[ROOM];
	uint64_t start = 8 * (uint64_t)_i;
	struct ring_bytes bytes;

	add(&records, PERF_RECORD_LOST, 1, 5, 0);
	add(&records, PERF_RECORD_AUX, 0, 100, PERF_AUX_FLAG_TRUNCATED);
	add(&records, PERF_RECORD_AUX, 100, 50, 0);
	add(&records, PERF_RECORD_LOST_SAMPLES, 2, 0, 0);
	add(&records, PERF_RECORD_AUX, 0, 1, PERF_AUX_FLAG_PARTIAL);
	add(&records, PERF_RECORD_AUX, 1, 1,
	    PERF_AUX_FLAG_COLLISION | PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	add(&records, PERF_RECORD_AUX, 2, 0, PERF_AUX_FLAG_OVERWRITE);
	for (size_t i = 0; i < records.size; i++)
		room[(start + i) % ROOM] = records.bytes[i];
	bytes = ring_split(room, ROOM, start, records.size);
	ck_assert_uint_eq(bytes.part[0].iov_len + bytes.part[1].iov_len,
			  records.size);
	record_watch(&bytes, &counts, NULL, NULL);
	ck_assert_uint_eq(counts.lost_records, 7);
	ck_assert_uint_eq(counts.truncated, 2);
	ck_assert_uint_eq(counts.full_parts, 1);
	byte_buffer_free(&records);
}
END_TEST

START_TEST(test_record_size)
{
	struct byte_buffer records = { 0 };
	size_t place = record_begin(&records, PERF_RECORD_COMM, 3);
	struct perf_event_header header;

	byte_buffer_text(&records, "abc");
	record_end_sample_id(&records, place);
	memcpy(&header, records.bytes, sizeof(header));
	ck_assert_uint_eq(header.type, PERF_RECORD_COMM);
	ck_assert_uint_eq(header.misc, 3);
	ck_assert_uint_eq(header.size, 8 + 8 + 32);
	ck_assert_uint_eq(records.size, header.size);
	byte_buffer_free(&records);
}
END_TEST

SUITE("record_watch")
{
	TEST_TIMES(test_counts, ROOM / 8);
	TEST(test_record_size);
}
