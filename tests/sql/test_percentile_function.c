/* SPDX-License-Identifier: MIT */
/* percentile() is the nearest rank, whichever part of the values is in a file. */
#include "sql/sqlite/percentile_function.h"
#include "sql/sqlite/ranked_values_internal.h"
#include "tests/assert_each.h"
#include "tests/fixtures/log.h"
#include "tests/run_suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdlib.h>

static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };
static sqlite3 *db;

static void open_db(void)
{
	ck_assert_int_eq(sqlite3_open(":memory:", &db), SQLITE_OK);
	ck_assert_int_eq(percentile_function_register(db, &log_said),
			 SQLITE_OK);
}

static void close_db(void)
{
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* By SQLite's own sorting: P percent of n values do not exceed the one at
 * ceil(P * n / 100).
 */
static int64_t sorted_value(const char *values, const char *percent)
{
	char *query = sqlite3_mprintf(
		"WITH v(x) AS (%s) SELECT x FROM v ORDER BY x LIMIT 1 OFFSET "
		"(SELECT CAST(ceil(%s * count(*) / 100.0) AS INTEGER) - 1 "
		"FROM v)",
		values, percent);
	sqlite3_stmt *statement = NULL;
	int64_t value;

	ck_assert_int_eq(sqlite3_prepare_v2(db, query, -1, &statement, NULL),
			 SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(statement), SQLITE_ROW);
	value = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_free(query);
	return value;
}

static sqlite3_stmt *ask(const char *values, const char *percent, int status)
{
	char *query = sqlite3_mprintf(
		"WITH v(x) AS (%s) SELECT percentile(%s, x) FROM v", values,
		percent);
	sqlite3_stmt *statement = NULL;

	ck_assert_int_eq(sqlite3_prepare_v2(db, query, -1, &statement, NULL),
			 SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(statement), status);
	sqlite3_free(query);
	return statement;
}

static const char *const value_lists[] = {
	"SELECT 7",
	"VALUES (3), (1), (2)",
	"VALUES (-9223372036854775807 - 1), (9223372036854775807)",
	"SELECT 5 UNION ALL SELECT 5 UNION ALL SELECT -5",
};

static const char *const percents[] = { "0.1", "25", "50", "66.7", "99", "100" };

START_TEST(it_is_the_nearest_rank)
{
	for (size_t i = 0; i < sizeof(percents) / sizeof(*percents); i++) {
		sqlite3_stmt *statement =
			ask(value_lists[_i], percents[i], SQLITE_ROW);

		ck_assert_int_eq(sqlite3_column_int64(statement, 0),
				 sorted_value(value_lists[_i], percents[i]));
		sqlite3_finalize(statement);
	}
}
END_TEST

START_TEST(null_is_no_value)
{
	sqlite3_stmt *statement =
		ask("VALUES (3), (1), (NULL), (2)", "50", SQLITE_ROW);

	ck_assert_int_eq(sqlite3_column_int64(statement, 0), 2);
	sqlite3_finalize(statement);
	statement = ask("SELECT NULL", "50", SQLITE_ROW);
	ck_assert_int_eq(sqlite3_column_type(statement, 0), SQLITE_NULL);
	sqlite3_finalize(statement);
}
END_TEST

static const char *const wrong[] = { "0", "-1", "100.5" };

START_TEST(other_percents_are_refused)
{
	sqlite3_finalize(ask("SELECT 7", wrong[_i], SQLITE_ERROR));
}
END_TEST

/* Unordered values whose n-th is known: all numbers below a prime, multiplied.
 */
enum { PRIME = 2500009, FACTOR = 1234577 };

START_TEST(those_in_files_are_counted_too)
{
	struct ranked_values values;
	int64_t value;

	ranked_values_open(&values, &log_said);
	for (uint64_t i = 0; i < PRIME; i++)
		assert_each(!ranked_values_add(
			&values, (int64_t)(i * FACTOR % PRIME) - 1000));
	ck_assert_uint_eq(values.runs, PRIME / RANKED_RUN);
	ck_assert_uint_eq(ranked_values_count(&values), PRIME);
	for (uint64_t place = 0; place < PRIME; place += 131071) {
		assert_each(ranked_values_at(&values, place, &value) == 0);
		assert_each(value == (int64_t)place - 1000);
	}
	ranked_values_close(&values);
}
END_TEST

SUITE("percentile_function")
{
	FIXTURE(open_db, close_db);
	TEST_EACH(it_is_the_nearest_rank, value_lists);
	TEST(null_is_no_value);
	TEST_EACH(other_percents_are_refused, wrong);
	TEST(those_in_files_are_counted_too);
}
