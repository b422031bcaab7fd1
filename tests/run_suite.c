/* SPDX-License-Identifier: MIT */
#include "tests/run_suite.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__aarch64__)
enum { IS_SLOW = true };
#else
enum { IS_SLOW = false };
#endif

bool suite_is_full(void)
{
	return getenv("KTRACE_FULL");
}

bool suite_is_brief(void)
{
	return !suite_is_full() && (IS_SLOW || getenv("KTRACE_QUICK"));
}

bool suite_skips_long_test(void)
{
	if (!suite_is_brief())
		return false;
	printf("skipped: too long for the quick tier, sanitizers and QEMU "
	       "without KTRACE_FULL\n");
	return true;
}

int suite_repeats(int times)
{
	return suite_is_brief() ? times / 10 : times;
}

enum { PLACES = 1 << 14 };

/* check calls this for each assertion that holds, to locate a crash, and would
 * write the location to a file each time, which took most of the suites' time.
 * The linker redirects those calls to this wrapper: only locations that a test
 * has not reached yet are written.
 */
void __real__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line);
void __wrap__mark_point(const char *file, int line)
{
	static bool seen[PLACES];
	size_t place = ((uintptr_t)file * 31 + (size_t)line) % PLACES;

	if (seen[place])
		return;
	seen[place] = true;
	__real__mark_point(file, line);
}

struct test_suite {
	Suite *suite;
	/* The case that the next tests belong to, NULL before the first. */
	TCase *tcase;
	const char *name;
	bool is_apart;
};

void suite_begin_case(struct test_suite *suite, const char *name)
{
	suite->tcase = tcase_create(name);
	suite_add_tcase(suite->suite, suite->tcase);
}

TCase *suite_case(struct test_suite *suite)
{
	if (!suite->tcase)
		suite_begin_case(suite, suite->name);
	return suite->tcase;
}

void suite_add(struct test_suite *suite, const TTest *test, int begin, int end)
{
	tcase_add_loop_test(suite_case(suite), test, begin, end);
}

void suite_set_apart(struct test_suite *suite)
{
	suite->is_apart = true;
}

enum { SUITE_LIMIT_S = 600 };

/* A process for each test took most of the time under sanitizers and QEMU: its
 * shadow memory, or its translated code, is set up again each time. Without
 * processes check has no timeouts, and a crash ends the suite: the sanitizer's
 * report, or the limit's signal, is then the last output.
 */
static enum fork_status fork_status(const struct test_suite *suite)
{
	if (!IS_SLOW || suite->is_apart || getenv("CK_FORK"))
		return CK_FORK_GETENV;
	alarm(SUITE_LIMIT_S);
	return CK_NOFORK;
}

int run_suite(const char *name, void (*list_tests)(struct test_suite *suite))
{
	struct test_suite suite = { suite_create(name), .name = name };

	list_tests(&suite);

	SRunner *runner = srunner_create(suite.suite);

	srunner_set_fork_status(runner, fork_status(&suite));
	srunner_run_all(runner, CK_ENV);

	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
