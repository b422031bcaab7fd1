/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_RUN_SUITE_H
#define KT_TESTS_RUN_SUITE_H

#include <check.h>
#include <stdbool.h>

/* A row of a suite's table: @test runs with each _i from @begin to before @end. */
struct suite_test {
	const TTest *test;
	int begin, end;
};

#define TEST_RANGE(name, begin, end) \
	{ \
		name, begin, end \
	}
#define TEST_TIMES(name, times) TEST_RANGE(name, 0, times)
#define TEST(name) TEST_TIMES(name, 1)
/* Once for each element of the array @cases. */
#define TEST_EACH(name, cases) \
	TEST_TIMES(name, (int)(sizeof(cases) / sizeof(*(cases))))

/* Every tests/MODULE/test_FILE.c is a program of its own, whose main() has a table
 * of its tests:
 *
 *	const struct suite_test tests[] = {
 *		TEST(an_empty_file_has_no_rows),
 *		TEST_EACH(names_are_escaped, names),
 *	};
 *
 *	return RUN_TESTS("csv_reader", tests);
 *
 * Runs the @count tests of the suite @name, each between @set_up and @tear_down,
 * which may be NULL. Returns like run_suite().
 */
int run_tests(const char *name, const struct suite_test *tests, size_t count,
	      SFun set_up, SFun tear_down);
#define RUN_TESTS(name, tests) RUN_TESTS_WITH(name, tests, NULL, NULL)
#define RUN_TESTS_WITH(name, tests, set_up, tear_down) \
	run_tests(name, tests, sizeof(tests) / sizeof(*(tests)), set_up, \
		  tear_down)

/* Adds @count tests to @suite, which owns the case @name that is returned: for
 * suites with a timeout, or with several fixtures.
 */
TCase *add_tests(Suite *suite, const char *name, const struct suite_test *tests,
		 size_t count);
#define ADD_TESTS(suite, name, tests) \
	add_tests(suite, name, tests, sizeof(tests) / sizeof(*(tests)))

/* Runs @suite, honouring check's CK_* environment variables, and frees it.
 *
 * Returns EXIT_SUCCESS when every test passed, EXIT_FAILURE otherwise.
 */
int run_suite(Suite *suite);

/* Like run_suite(), but always runs each test in a process of its own, under
 * sanitizers and in QEMU too: for tests that change their process's limits,
 * sockets or signals, which would break the next test.
 */
int run_suite_apart(Suite *suite);

/* Returns whether this is the full tier (environment variable KTRACE_FULL):
 * suites then try all cases instead of a part of them.
 */
bool suite_is_full(void);

/* Returns whether suites should do the least that covers each of their cases:
 * in the quick tier (environment variable KTRACE_QUICK), and under sanitizers
 * and in QEMU, which are much slower. The full tier is never brief.
 */
bool suite_is_brief(void);

/* Returns whether a test that takes many seconds is to be skipped because
 * suites are brief, and prints that it is.
 */
bool suite_skips_long_test(void);

/* Returns the number of repetitions of something that is repeated @times in the
 * full tier and on fast builds: a tenth of that where suites are brief.
 */
int suite_repeats(int times);

#endif
