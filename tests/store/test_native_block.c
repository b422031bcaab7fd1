/* SPDX-License-Identifier: MIT */
/* Blocks are as a server of ClickHouse writes them itself, in FORMAT Native. */
#include "common/bytes.h"
#include "store/clickhouse/native_block_internal.h"
#include "store/entry/store_entry.h"
#include "tests/fixtures/store_rows.h"
#include "tests/run_suite.h"

#include <check.h>
#include <string.h>

enum { DAY = 0x5005 };

static const struct store_entry entry = {
	.number = 0x0102030405060708,
	.recorded_s = (int64_t)DAY * 86400,
};

/* Two rows of gap: begin_ns and end_ns, which are never NULL, cpu, pid, tid,
 * reason, lost_bytes, offset.
 */
#define NUMBER(byte) byte "\0\0\0\0\0\0\0"
#define NOTHING NUMBER("\0")
static const char gap_bytes[] =
	"\x0a\x02"
	"\x03"
	"day"
	"\x04"
	"Date"
	"\x05\x50\x05\x50"
	"\x09"
	"recording"
	"\x05"
	"Int64"
	"\x08\x07\x06\x05\x04\x03\x02\x01\x08\x07\x06\x05\x04\x03\x02\x01"
	"\x08"
	"begin_ns"
	"\x05"
	"Int64" NUMBER("\x10") NUMBER(
		"\x11") "\x06"
			"end_ns"
			"\x05"
			"Int64" NUMBER("\x20") NUMBER(
				"\x21") "\x03"
					"cpu"
					"\x0f"
					"Nullable(Int64)"
					"\0\x01"
					"\xff\xff\xff\xff\xff\xff\xff\xff" NOTHING
					"\x03"
					"pid"
					"\x0f"
					"Nullable(Int64)"
					"\x01\x01" NOTHING NOTHING "\x03"
					"tid"
					"\x0f"
					"Nullable(Int64)"
					"\x01\x01" NOTHING NOTHING "\x06"
					"reason"
					"\x10"
					"Nullable(String)"
					"\0\x01"
					"\x04"
					"lost"
					"\0"
					"\x0a"
					"lost_bytes"
					"\x0f"
					"Nullable(Int64)"
					"\x01\x01" NOTHING NOTHING "\x06"
					"offset"
					"\x0f"
					"Nullable(Int64)"
					"\0\0" NUMBER("\x07") NUMBER("\x08");

START_TEST(a_block_is_its_columns)
{
	struct row_chunk *rows = store_rows_new(TABLE_GAP);
	struct native_block block = { 0 };
	struct byte_buffer bytes = { 0 };

	store_rows_add(rows);
	store_rows_number(rows, "begin_ns", 16);
	store_rows_number(rows, "end_ns", 32);
	store_rows_number(rows, "cpu", -1);
	store_rows_text(rows, "reason", "lost");
	store_rows_number(rows, "offset", 7);
	store_rows_add(rows);
	store_rows_number(rows, "begin_ns", 17);
	store_rows_number(rows, "end_ns", 33);
	store_rows_number(rows, "offset", 8);
	for (int round = 0; round < 2; round++) {
		bytes.size = 0;
		native_block_add(&block, rows);
		native_block_write(&block, &entry, &bytes);
		ck_assert_uint_eq(bytes.size, sizeof(gap_bytes) - 1);
		ck_assert_mem_eq(bytes.bytes, gap_bytes, bytes.size);
	}
	native_block_free(&block);
	byte_buffer_free(&bytes);
	row_chunk_free(rows);
}
END_TEST

/* If a block has two chunks, each column has the rows of both: only counts and
 * the columns' sizes differ.
 */
START_TEST(chunks_become_one_block)
{
	struct row_chunk *rows = store_rows_new(TABLE_GAP);
	struct native_block block = { 0 };
	struct byte_buffer one = { 0 };
	struct byte_buffer two = { 0 };

	store_rows_add(rows);
	store_rows_number(rows, "begin_ns", 16);
	native_block_add(&block, rows);
	native_block_write(&block, &entry, &one);
	native_block_add(&block, rows);
	native_block_add(&block, rows);
	native_block_write(&block, &entry, &two);
	ck_assert_uint_eq(one.bytes[1], 1);
	ck_assert_uint_eq(two.bytes[1], 2);
	/* The day, ten columns' values and which of them are NULL. */
	ck_assert_uint_eq(two.size - one.size, 2 + 8 * 8 + 1 + 6);
	native_block_free(&block);
	byte_buffer_free(&one);
	byte_buffer_free(&two);
	row_chunk_free(rows);
}
END_TEST

START_TEST(a_text_is_utf8)
{
	struct byte_buffer bytes = { 0 };

	native_put_text(&bytes, "\xc3\xbc\xff");
	ck_assert_uint_eq(bytes.size, 7);
	ck_assert_mem_eq(bytes.bytes, "\6\xc3\xbc\\xff", 7);
	byte_buffer_free(&bytes);
}
END_TEST

START_TEST(without_rows_there_is_none)
{
	struct row_chunk *rows = store_rows_new(TABLE_GAP);
	struct native_block block = { 0 };
	struct byte_buffer bytes = { 0 };

	native_block_add(&block, rows);
	native_block_write(&block, &entry, &bytes);
	ck_assert_uint_eq(bytes.size, 0);
	native_block_free(&block);
	row_chunk_free(rows);
}
END_TEST

/* How a block of one row has a text, or eight bytes. */
static void put_text(struct byte_buffer *bytes, const char *name,
		     const char *type, const char *value)
{
	native_put_text(bytes, name);
	native_put_text(bytes, type);
	native_put_text(bytes, value);
}

static void put_number(struct byte_buffer *bytes, const char *name,
		       uint64_t value)
{
	native_put_text(bytes, name);
	native_put_text(bytes, "Int64");
	byte_buffer_u64(bytes, value);
}

/* Appends all columns of a store before the recording's own columns. */
static void put_expected(struct byte_buffer *bytes,
			 const struct store_entry *of)
{
	static const uint8_t day[] = { 5, 0x50 };

	put_number(bytes, "recording", (uint64_t)of->number);
	native_put_text(bytes, "day");
	native_put_text(bytes, "Date");
	byte_buffer_add(bytes, day, sizeof(day));
	put_text(bytes, "id", "String", of->id);
	put_number(bytes, "recorded_s", (uint64_t)of->recorded_s);
	put_number(bytes, "added_s", 7);
	put_text(bytes, "added_on", "String", "here");
	put_text(bytes, "tables", "String", ",call,gap,");
	put_number(bytes, "min_duration_ns", 1000);
	native_put_text(bytes, "path");
	native_put_text(bytes, "Nullable(String)");
}

START_TEST(a_recording_is_one_row_of_all_columns)
{
	struct row_chunk *row = store_rows_new(TABLE_RECORDING);
	struct store_entry of = entry;
	struct native_block block = { 0 };
	struct byte_buffer expected = { 0 };
	struct byte_buffer bytes = { 0 };

	strcpy(of.id, "abc");
	strcpy(of.added_on, "here");
	of.added_s = 7;
	of.min_duration_ns = 1000;
	of.wanted[TABLE_CALL] = of.wanted[TABLE_GAP] = true;
	store_rows_add(row);
	native_put_number(&expected, ENTRY_COLUMNS + row->table->column_count);
	native_put_number(&expected, 1);
	put_expected(&expected, &of);
	native_block_add(&block, row);
	native_block_write_recording(&block, &of, &bytes);
	ck_assert_uint_gt(bytes.size, expected.size);
	ck_assert_mem_eq(bytes.bytes, expected.bytes, expected.size);
	byte_buffer_free(&bytes);
	byte_buffer_free(&expected);
	native_block_free(&block);
	row_chunk_free(row);
}
END_TEST

static const struct {
	uint64_t number;
	const char *bytes;
	size_t size;
} numbers[] = {
	{ 0, "\0", 1 },
	{ 127, "\x7f", 1 },
	{ 128, "\x80\x01", 2 },
	{ 300, "\xac\x02", 2 },
	{ 16384, "\x80\x80\x01", 3 },
};

START_TEST(a_number_is_in_groups_of_seven_bits)
{
	struct byte_buffer bytes = { 0 };

	native_put_number(&bytes, numbers[_i].number);
	ck_assert_uint_eq(bytes.size, numbers[_i].size);
	ck_assert_mem_eq(bytes.bytes, numbers[_i].bytes, bytes.size);
	byte_buffer_free(&bytes);
}
END_TEST

START_TEST(a_text_follows_its_length)
{
	static char text[301];
	struct byte_buffer bytes = { 0 };

	memset(text, 'x', sizeof(text) - 1);
	native_put_text(&bytes, text);
	ck_assert_uint_eq(bytes.size, 2 + 300);
	ck_assert_mem_eq(bytes.bytes, "\xac\x02", 2);
	ck_assert_mem_eq(bytes.bytes + 2, text, 300);
	byte_buffer_free(&bytes);
}
END_TEST

static const struct {
	int64_t recorded_s;
	uint16_t day;
} days[] = {
	{ 0, 0 },     { 86399, 0 },
	{ 86400, 1 }, { 1769817600, 20484 }, /* 2026-01-31 */
	{ -1, 0 },    { INT64_MAX, 0 },
};

START_TEST(a_day_is_counted_from_1970)
{
	const struct store_entry recorded = { .recorded_s =
						      days[_i].recorded_s };

	ck_assert_uint_eq(native_day(&recorded), days[_i].day);
}
END_TEST

SUITE("native_block")
{
	TEST(a_block_is_its_columns);
	TEST(chunks_become_one_block);
	TEST(a_text_is_utf8);
	TEST(without_rows_there_is_none);
	TEST(a_recording_is_one_row_of_all_columns);
	TEST_EACH(a_number_is_in_groups_of_seven_bits, numbers);
	TEST(a_text_follows_its_length);
	TEST_EACH(a_day_is_counted_from_1970, days);
}
