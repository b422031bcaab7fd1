/* SPDX-License-Identifier: MIT */
/* Values are as ClickHouse's documentation of RowBinary has them. */
#include "common/byte_buffer.h"
#include "store/clickhouse/row_binary.h"
#include "tests/run_suite.h"

#include <check.h>
#include <string.h>

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

	row_binary_put_number(&bytes, numbers[_i].number);
	ck_assert_uint_eq(bytes.size, numbers[_i].size);
	ck_assert_mem_eq(bytes.bytes, numbers[_i].bytes, bytes.size);
	byte_buffer_free(&bytes);
}
END_TEST

START_TEST(a_text_is_behind_its_length)
{
	static char text[301];
	struct byte_buffer bytes = { 0 };

	memset(text, 'x', sizeof(text) - 1);
	row_binary_put_text(&bytes, text);
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

	ck_assert_uint_eq(row_binary_day(&recorded), days[_i].day);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("row_binary");
	TCase *tcase = tcase_create("row_binary");

	tcase_add_loop_test(tcase, a_number_is_in_groups_of_seven_bits, 0,
			    sizeof(numbers) / sizeof(*numbers));
	tcase_add_test(tcase, a_text_is_behind_its_length);
	tcase_add_loop_test(tcase, a_day_is_counted_from_1970, 0,
			    sizeof(days) / sizeof(*days));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
