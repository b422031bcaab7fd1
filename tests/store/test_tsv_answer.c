/* SPDX-License-Identifier: MIT */
/* A server's rows are parsed, and malformed ones refused. */
#include "common/error.h"
#include "store/answer/answer.h"
#include "store/clickhouse/clickhouse_query_internal.h"
#include "tests/run_suite.h"

#include <check.h>
#include <string.h>

static int read_text(struct answer *answer, const char *text)
{
	char copy[256];

	ck_assert_int_eq(answer_open(answer), 0);
	ck_assert_uint_lt(strlen(text), sizeof(copy));
	strcpy(copy, text);
	return tsv_answer_read(answer, copy);
}

START_TEST(rows_have_numbers_texts_and_null)
{
	struct answer answer;

	ck_assert_int_eq(read_text(&answer,
				   "a\tb\tc\nInt64\tNullable(String)\tFloat64\n"
				   "-5\tx\\ty\\\\\t0.5\n7\t\\N\t1\n"),
			 0);
	ck_assert_uint_eq(answer_rows(&answer), 2);
	ck_assert_int_eq(answer_number(&answer, 0, 0), -5);
	ck_assert_str_eq(answer_text(&answer, 0, 1), "x\ty\\");
	ck_assert_double_eq(answer_real(&answer, 0, 2), 0.5);
	ck_assert(answer_at(&answer, 1, 1)->is_null);
	answer_free(&answer);
}
END_TEST

/* UInt64's largest value, and text that is not a number, do not fit in int64_t.
 */
START_TEST(numbers_that_are_too_large_are_the_largest)
{
	struct answer answer;

	ck_assert_int_eq(read_text(&answer,
				   "a\tb\tc\nUInt64\tFloat64\tFloat64\n"
				   "18446744073709551615\t-1e300\tnan\n"),
			 0);
	ck_assert_int_eq(answer_number(&answer, 0, 0), INT64_MAX);
	ck_assert_double_eq(answer_real(&answer, 0, 0), 0x1p64);
	ck_assert_int_eq(answer_number(&answer, 0, 1), INT64_MIN);
	ck_assert_int_eq(answer_number(&answer, 0, 2), 0);
	answer_free(&answer);
}
END_TEST

static const char *const broken[] = {
	"a",
	"a\tb\nInt64\n",
	"a\nInt64\nx\n",
	"a\tb\nInt64\tInt64\n1\n",
	"a\nInt64\n1\t2\n",
	"<html>\n",
};

START_TEST(malformed_answers_are_refused)
{
	struct answer answer;

	ck_assert_int_eq(read_text(&answer, broken[_i]), -ERROR_FORMAT);
	answer_free(&answer);
}
END_TEST

SUITE("tsv_answer")
{
	TEST(rows_have_numbers_texts_and_null);
	TEST(numbers_that_are_too_large_are_the_largest);
	TEST_EACH(malformed_answers_are_refused, broken);
}
