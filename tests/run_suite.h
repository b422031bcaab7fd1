/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_RUN_SUITE_H
#define KT_TESTS_RUN_SUITE_H

#include <check.h>
#include <stdbool.h>

/* A suite while its tests are listed. */
struct test_suite;

/* Every tests/MODULE/test_FILE.c is a program of its own. The list of its tests
 * is its last function, and SUITE() defines main(), which runs them:
 *
 *	SUITE("csv_reader")
 *	{
 *		FIXTURE(set_up, tear_down);
 *		TEST(an_empty_file_has_no_rows);
 *		TEST_EACH(names_are_escaped, names);
 *	}
 *
 * The program exits with EXIT_SUCCESS if every test passed, else with
 * EXIT_FAILURE; it honours check's CK_* environment variables.
 */
#define SUITE(name) \
	static void list_tests(struct test_suite *suite); \
	int main(void) \
	{ \
		return run_suite(name, list_tests); \
	} \
	static void list_tests(struct test_suite *suite)

/* Runs @test with each _i from @begin to before @end. */
#define TEST_RANGE(test, begin, end) suite_add(suite, test, begin, end)
#define TEST_TIMES(test, times) TEST_RANGE(test, 0, times)
#define TEST(test) TEST_TIMES(test, 1)
/* Once for each element of the array @cases. */
#define TEST_EACH(test, cases) \
	TEST_TIMES(test, (int)(sizeof(cases) / sizeof(*(cases))))

/* Each test of the case runs between @set_up and @tear_down, which may be NULL. */
#define FIXTURE(set_up, tear_down) \
	tcase_add_checked_fixture(suite_case(suite), set_up, tear_down)
/* Around all tests of the case together, in the process that runs them. */
#define FIXTURE_ONCE(set_up, tear_down) \
	tcase_add_unchecked_fixture(suite_case(suite), set_up, tear_down)
#define LIMIT_S(seconds) tcase_set_timeout(suite_case(suite), seconds)
/* Starts another case @name, with a fixture and a limit of its own: the tests
 * listed before stay in theirs. The first case has the suite's name, unless CASE
 * comes before all tests.
 */
#define CASE(name) suite_begin_case(suite, name)
/* Each test runs in a process of its own, under sanitizers and in QEMU too: for
 * tests that change their process's limits, sockets or signals, which would
 * break the next test.
 */
#define APART() suite_set_apart(suite)

/* The macros above call these. */
int run_suite(const char *name, void (*list_tests)(struct test_suite *suite));
void suite_add(struct test_suite *suite, const TTest *test, int begin, int end);
void suite_begin_case(struct test_suite *suite, const char *name);
TCase *suite_case(struct test_suite *suite);
void suite_set_apart(struct test_suite *suite);

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
