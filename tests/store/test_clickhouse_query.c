/* SPDX-License-Identifier: MIT */
/* percentile() is replaced by ClickHouse's function, and the rest of a query is
 * unchanged.
 */
#include "store/clickhouse/clickhouse_query_internal.h"
#include "tests/run_suite.h"

#include <check.h>
#include <sqlite3.h>

static const struct {
	const char *query;
	const char *wanted;
} cases[] = {
	{ "SELECT percentile(99, x) FROM t",
	  "SELECT quantileExact(0.989999999999000)( x) FROM t" },
	{ "SELECT 'percentile(9, x)'", "SELECT 'percentile(9, x)'" },
	{ "my_percentile(50, x)", "my_percentile(50, x)" },
	{ "percentile(0, x)", "percentile(0, x)" },
	{ "percentile(nan, x)", "percentile(nan, x)" },
	{ "'it''s'", "'it''s'" },
	{ "'open", "'open" },
	{ "", "" },
};

START_TEST(percentiles_are_rewritten)
{
	char *text = clickhouse_query_of(cases[_i].query);

	ck_assert_str_eq(text ? text : "", cases[_i].wanted);
	sqlite3_free(text);
}
END_TEST

SUITE("clickhouse_query")
{
	TEST_EACH(percentiles_are_rewritten, cases);
}
