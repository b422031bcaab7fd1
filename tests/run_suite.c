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

enum { SUITE_LIMIT_S = 600 };

static int run_as(Suite *suite, enum fork_status fork_status)
{
	SRunner *runner = srunner_create(suite);

	srunner_set_fork_status(runner, fork_status);
	srunner_run_all(runner, CK_ENV);

	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* A process for each test took most of the time under sanitizers and QEMU: its
 * shadow memory, or its translated code, is set up again each time. Without
 * processes check has no timeouts, and a crash ends the suite: the sanitizer's
 * report, or the limit's signal, is then the last output.
 */
int run_suite(Suite *suite)
{
	if (!IS_SLOW || getenv("CK_FORK"))
		return run_suite_apart(suite);
	alarm(SUITE_LIMIT_S);
	return run_as(suite, CK_NOFORK);
}

int run_suite_apart(Suite *suite)
{
	return run_as(suite, CK_FORK_GETENV);
}

TCase *add_tests(Suite *suite, const char *name, const struct suite_test *tests,
		 size_t count)
{
	TCase *tcase = tcase_create(name);

	for (size_t i = 0; i < count; i++)
		tcase_add_loop_test(tcase, tests[i].test, tests[i].begin,
				    tests[i].end);
	suite_add_tcase(suite, tcase);
	return tcase;
}

int run_tests(const char *name, const struct suite_test *tests, size_t count,
	      SFun set_up, SFun tear_down)
{
	Suite *suite = suite_create(name);

	tcase_add_checked_fixture(add_tests(suite, name, tests, count), set_up,
				  tear_down);
	return run_suite(suite);
}
