/* SPDX-License-Identifier: MIT */
/* Rows below the requested duration are dropped, and gaps stay. */
#include "store/entry/store_entry.h"
#include "tests/fixtures/store_rows.h"
#include "tests/run_suite.h"

#include <check.h>

static const int64_t took_ns[] = { 99, 100, 5, 101, 0, 100000 };

static struct row_chunk *make_rows(enum sql_table_id id)
{
	struct row_chunk *rows = store_rows_new(id);

	for (int64_t i = 0; i < 6; i++) {
		store_rows_add(rows);
		store_rows_number(rows, "begin_ns", 1000 * i);
		store_rows_number(rows, "end_ns", 1000 * i + took_ns[i]);
		if (i % 2)
			store_rows_number(rows, "pid", i);
	}
	return rows;
}

START_TEST(short_rows_go)
{
	static const int64_t kept[] = { 1, 3, 5 };
	struct row_chunk *rows = make_rows(TABLE_CALL);

	row_threshold_apply(rows, 100);
	ck_assert_uint_eq(rows->count, 3);
	for (uint32_t i = 0; i < rows->count; i++) {
		ck_assert_int_eq(row_chunk_cells(rows, i)[0].number,
				 1000 * kept[i]);
		for (uint32_t column = 0; column < 2; column++)
			ck_assert(!row_chunk_is_null(rows, i, column));
		ck_assert(row_chunk_is_null(rows, i, 2));
	}
	row_chunk_free(rows);
}
END_TEST

START_TEST(without_a_threshold_all_stay)
{
	struct row_chunk *rows = make_rows(TABLE_CALL);

	row_threshold_apply(rows, 0);
	ck_assert_uint_eq(rows->count, 6);
	row_chunk_free(rows);
}
END_TEST

START_TEST(gaps_stay)
{
	struct row_chunk *rows = make_rows(TABLE_GAP);

	ck_assert(!row_threshold_applies(TABLE_GAP));
	row_threshold_apply(rows, 100);
	ck_assert_uint_eq(rows->count, 6);
	row_chunk_free(rows);
}
END_TEST

START_TEST(sums_have_no_duration)
{
	ck_assert(row_threshold_applies(TABLE_SYSCALL));
	ck_assert(!row_threshold_applies(TABLE_PROFILE));
	ck_assert(!row_threshold_applies(TABLE_WAKEUP));
	ck_assert(!row_threshold_applies(TABLE_RECORDING));
}
END_TEST

SUITE("row_threshold")
{
	TEST(short_rows_go);
	TEST(without_a_threshold_all_stay);
	TEST(gaps_stay);
	TEST(sums_have_no_duration);
}
