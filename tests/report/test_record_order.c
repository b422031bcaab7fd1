/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/text/record_writer.h"
#include "tests/run_suite.h"

#include <stdlib.h>

struct row {
	const char *name;
	uint64_t size;
	int64_t change;
	bool is_known;
};

static const struct row rows[] = {
	{ "cat", 5, -3, true },
	{ "ant", UINT64_MAX, 0, false },
	{ "bee", 5, 12, true },
	{ "cat", UINT64_MAX - 1, -3, true },
};

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct row *row = (const struct row *)ctx + index;

	record_text(writer, "name", row->name);
	record_number(writer, "size", row->size);
	record_signed(writer, "change", row->change);
	if (row->is_known)
		record_real(writer, "share", (double)row->change / 2, 1);
	else
		record_absent(writer, "share");
}

static const struct {
	const char *column;
	uint64_t order[4];
} cases[] = {
	{ "name", { 1, 2, 0, 3 } },
	{ "size", { 1, 3, 0, 2 } },
	{ "change", { 2, 1, 0, 3 } },
	{ "share", { 2, 1, 0, 3 } },
};

START_TEST(records_are_sorted)
{
	uint64_t *order;

	ck_assert_int_eq(
		record_order(write_row, rows, 4, cases[_i].column, &order), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq(order[i], cases[_i].order[i]);
	free(order);
}
END_TEST

START_TEST(unknown_column_is_refused)
{
	uint64_t *order;

	ck_assert_int_eq(record_order(write_row, rows, 4, "nam", &order),
			 -ERROR_NOT_FOUND);
	ck_assert_ptr_null(order);
}
END_TEST

SUITE("record_order")
{
	TEST_EACH(records_are_sorted, cases);
	TEST(unknown_column_is_refused);
}
