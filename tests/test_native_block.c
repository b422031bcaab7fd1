/* SPDX-License-Identifier: MIT */
/* Blocks are as a server of ClickHouse writes them itself, in FORMAT Native. */
#include "common/byte_buffer.h"
#include "store/clickhouse/native_block.h"
#include "store/entry/store_entry.h"
#include "tests/run_suite.h"
#include "tests/store_rows_fixture.h"

#include <check.h>

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
	native_block_put(&bytes, rows, &entry);
	ck_assert_uint_eq(bytes.size, sizeof(gap_bytes) - 1);
	ck_assert_mem_eq(bytes.bytes, gap_bytes, bytes.size);
	byte_buffer_free(&bytes);
	row_chunk_free(rows);
}
END_TEST

START_TEST(without_rows_there_is_none)
{
	struct row_chunk *rows = store_rows_new(TABLE_GAP);
	struct byte_buffer bytes = { 0 };

	native_block_put(&bytes, rows, &entry);
	ck_assert_uint_eq(bytes.size, 0);
	row_chunk_free(rows);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("native_block");
	TCase *tcase = tcase_create("native_block");

	tcase_add_test(tcase, a_block_is_its_columns);
	tcase_add_test(tcase, without_rows_there_is_none);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
