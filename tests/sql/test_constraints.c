/* SPDX-License-Identifier: MIT */
#include "sql/sqlite/query_plan_internal.h"

#include "sql/tables/sql_tables.h"
#include "tests/run_suite.h"

#include <check.h>
#include <sqlite3.h>

/* The rows of the table "call" that are left by a constraint. */
static const struct {
	const char *plan;
	const char *values; /* in SQL */
	uint64_t begin_since;
	uint64_t begin_until;
	uint64_t end_since;
	uint64_t end_until;
} cases[] = {
	{ "begin_ns>=?", "5", 5, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns>?", "5", 6, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns>?", "5.5", 6, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns>=?", "5.5", 6, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns<?", "9", 0, 9, 0, UINT64_MAX },
	{ "begin_ns<?", "8.5", 0, 9, 0, UINT64_MAX },
	{ "begin_ns<=?", "9", 0, 10, 0, UINT64_MAX },
	{ "begin_ns=?", "7", 7, 8, 0, UINT64_MAX },
	{ "end_ns<?", "9", 0, UINT64_MAX, 0, 9 },
	{ "end_ns>?", "9", 0, UINT64_MAX, 10, UINT64_MAX },
	{ "begin_ns<? end_ns>=?", "20, 10", 0, 20, 10, UINT64_MAX },
	{ "begin_ns>=? end_ns<? begin_ns<?", "3, 20, 10", 3, 10, 0, 20 },
	{ "begin_ns>=? begin_ns>=?", "3, 2", 3, UINT64_MAX, 0, UINT64_MAX },
	/* Comparisons with special rules, done by SQLite itself. */
	{ "begin_ns>=?", "NULL", 0, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns<?", "'9'", 0, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns>=?", "-1", 0, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns<?", "1e300", 0, UINT64_MAX, 0, UINT64_MAX },
	{ "begin_ns<?", "9e999", 0, UINT64_MAX, 0, UINT64_MAX },
};

enum { CASE_COUNT = sizeof(cases) / sizeof(*cases) };

/* Applies @plan to all rows, with @values of SQL. */
static struct row_choice choice_of(const char *plan, const char *values)
{
	struct row_choice choice = ROW_CHOICE_ALL;
	sqlite3_value *read[8];
	sqlite3_stmt *statement;
	sqlite3 *db;
	char *text = sqlite3_mprintf("SELECT %s", values);
	int count;

	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	ck_assert_int_eq(sqlite3_prepare_v2(db, text, -1, &statement, NULL),
			 SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
	count = sqlite3_column_count(statement);
	for (int i = 0; i < count; i++)
		read[i] = sqlite3_value_dup(sqlite3_column_value(statement, i));
	constraints_apply(sql_table_at(TABLE_CALL), plan, read, count, &choice);
	for (int i = 0; i < count; i++)
		sqlite3_value_free(read[i]);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	sqlite3_free(text);
	return choice;
}

START_TEST(times)
{
	const struct row_choice choice =
		choice_of(cases[_i].plan, cases[_i].values);

	ck_assert_uint_eq(choice.begin.since_ns, cases[_i].begin_since);
	ck_assert_uint_eq(choice.begin.until_ns, cases[_i].begin_until);
	ck_assert_uint_eq(choice.end.until_ns, cases[_i].end_until);
	ck_assert_uint_eq(choice.end.since_ns, cases[_i].end_since);
}
END_TEST

START_TEST(identities)
{
	const struct row_choice choice = choice_of(
		"tid=? function=? cpu=?", "-1, 'vfs_read', 'no number'");

	ck_assert(choice.is_limited && choice.tid.is_chosen);
	ck_assert_int_eq(choice.tid.number, -1);
	ck_assert_str_eq(choice.function, "vfs_read");
	ck_assert(!choice.cpu.is_chosen && !choice.pid.is_chosen);
}
END_TEST

/* It may be the escaped form of another name. */
START_TEST(a_name_with_a_backslash_is_compared_by_sqlite)
{
	struct row_choice choice = choice_of("function=?", "'f\\xff'");

	ck_assert_str_eq(choice.function, "");
}
END_TEST

START_TEST(what_helps)
{
	const struct sql_table *table = sql_table_at(TABLE_CALL);
	const char *text;

	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct column *column = &table->columns[i];
		bool is_lower_helpful = constraint_helps(
			column, SQLITE_INDEX_CONSTRAINT_GE, &text);

		ck_assert_int_eq(is_lower_helpful,
				 column->role == ROLE_BEGIN ||
					 column->role == ROLE_END);
		ck_assert(!constraint_helps(column, SQLITE_INDEX_CONSTRAINT_NE,
					    &text));
	}
}
END_TEST

SUITE("constraints")
{
	TEST_TIMES(times, CASE_COUNT);
	TEST(identities);
	TEST(a_name_with_a_backslash_is_compared_by_sqlite);
	TEST(what_helps);
}
