/* SPDX-License-Identifier: MIT */
/* Every table of SQL is registered, with columns that have names and
 * descriptions.
 */
#include "sql/rows/sql_table.h"
#include "sql/tables/sql_tables.h"
#include "tests/run_suite.h"

#include <check.h>
#include <string.h>

static void check_column(const struct sql_table *table, uint32_t number)
{
	const struct column *column = &table->columns[number];

	ck_assert_msg(column->name && *column->name, "%s: column %u",
		      table->name, number);
	ck_assert_msg(column->meaning && *column->meaning, "%s.%s", table->name,
		      column->name);
	ck_assert_msg(column->unit != NULL, "%s.%s", table->name, column->name);
	/* A cell of Markdown's tables ends with a bar. */
	ck_assert_ptr_null(strchr(column->meaning, '|'));
	for (uint32_t i = 0; i < number; i++)
		ck_assert_str_ne(table->columns[i].name, column->name);
}

START_TEST(columns_have_names_and_meanings)
{
	const struct sql_table *table = sql_table_at((enum sql_table_id)_i);

	ck_assert_uint_ge(table->column_count, 1);
	ck_assert_uint_le(table->column_count, SQL_MOST_COLUMNS);
	ck_assert(*table->meaning);
	ck_assert_ptr_nonnull(table->source);
	for (uint32_t i = 0; i < table->column_count; i++)
		check_column(table, i);
}
END_TEST

START_TEST(names_of_times_have_a_unit)
{
	const struct sql_table *table = sql_table_at((enum sql_table_id)_i);

	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		size_t length = strlen(column->name);
		bool is_time = length > 3 &&
			       !strcmp(column->name + length - 3, "_ns");

		ck_assert_msg(is_time == !strcmp(column->unit, "ns"), "%s.%s",
			      table->name, column->name);
	}
}
END_TEST

START_TEST(a_table_is_found_by_its_name)
{
	for (int i = 0; i < SQL_TABLES; i++) {
		const struct sql_table *table =
			sql_table_at((enum sql_table_id)i);

		ck_assert_ptr_eq(sql_table_find(table->name), table);
		ck_assert_int_eq((int)table->id, i);
	}
	ck_assert_ptr_null(sql_table_find(""));
	ck_assert_ptr_null(sql_table_find("calls"));
}
END_TEST

SUITE("sql_tables")
{
	TEST_TIMES(columns_have_names_and_meanings, SQL_TABLES);
	TEST_TIMES(names_of_times_have_a_unit, SQL_TABLES);
	TEST(a_table_is_found_by_its_name);
}
