/* SPDX-License-Identifier: MIT */
/* Rows are as ClickHouse's documentation of RowBinary has them. */
#include "common/byte_buffer.h"
#include "store/clickhouse/row_binary.h"
#include "tests/run_suite.h"
#include "tests/store_rows_fixture.h"

#include <check.h>
#include <string.h>

enum { DAY = 0x5005 };

static const struct store_entry entry = {
	.number = 0x0102030405060708,
	.recorded_s = (int64_t)DAY * 86400 + 86399,
};

/* gap: begin_ns, end_ns, which are never NULL, cpu, pid, tid, reason, lost_bytes,
 * offset.
 */
static const char gap_bytes[] = "\x05\x50"
				"\x08\x07\x06\x05\x04\x03\x02\x01"
				"\x10\0\0\0\0\0\0\0"
				"\x20\0\0\0\0\0\0\0"
				"\0\xff\xff\xff\xff\xff\xff\xff\xff"
				"\x01"
				"\x01"
				"\0\x04lost"
				"\x01"
				"\0\x07\0\0\0\0\0\0\0";

START_TEST(a_row_is_its_columns_in_order)
{
	struct row_chunk *rows = store_rows_new(TABLE_GAP);
	struct byte_buffer bytes = { 0 };

	store_rows_add(rows);
	store_rows_number(rows, "begin_ns", 16);
	store_rows_number(rows, "end_ns", 32);
	store_rows_number(rows, "cpu", -1);
	store_rows_text(rows, "reason", "lost");
	store_rows_number(rows, "offset", 7);
	row_binary_put(&bytes, rows, 0, &entry);
	ck_assert_uint_eq(bytes.size, sizeof(gap_bytes) - 1);
	ck_assert_mem_eq(bytes.bytes, gap_bytes, bytes.size);
	byte_buffer_free(&bytes);
	row_chunk_free(rows);
}
END_TEST

/* A length is in groups of seven bits (LEB128). */
static const struct {
	size_t length;
	const char *prefix;
	size_t prefix_size;
} texts[] = {
	{ 0, "\0", 1 },
	{ 127, "\x7f", 1 },
	{ 128, "\x80\x01", 2 },
	{ 300, "\xac\x02", 2 },
	{ 16384, "\x80\x80\x01", 3 },
};

START_TEST(a_text_is_behind_its_length)
{
	enum { BEFORE = 2 + 8 + 2 * 8 + 3 + 1 };
	static char text[16385];
	struct row_chunk *rows = store_rows_new(TABLE_GAP);
	struct byte_buffer bytes = { 0 };

	memset(text, 'x', texts[_i].length);
	text[texts[_i].length] = '\0';
	store_rows_add(rows);
	store_rows_number(rows, "begin_ns", 0);
	store_rows_number(rows, "end_ns", 0);
	store_rows_text(rows, "reason", text);
	row_binary_put(&bytes, rows, 0, &entry);
	ck_assert_uint_eq(bytes.size, BEFORE + texts[_i].prefix_size +
					      texts[_i].length + 2);
	ck_assert_mem_eq(bytes.bytes + BEFORE, texts[_i].prefix,
			 texts[_i].prefix_size);
	byte_buffer_free(&bytes);
	row_chunk_free(rows);
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

	ck_assert_uint_eq(row_binary_day(&recorded), days[_i].day);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_binary");
	TCase *tcase = tcase_create("row_binary");

	tcase_add_test(tcase, a_row_is_its_columns_in_order);
	tcase_add_loop_test(tcase, a_text_is_behind_its_length, 0,
			    sizeof(texts) / sizeof(*texts));
	tcase_add_loop_test(tcase, a_day_is_counted_from_1970, 0,
			    sizeof(days) / sizeof(*days));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
