/* SPDX-License-Identifier: MIT */
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__aarch64__)
enum { IS_SLOW = true };
#else
enum { IS_SLOW = false };
#endif

bool suite_is_full(void)
{
	return getenv("KTRACE_FULL");
}

bool suite_skips_long_test(void)
{
	if (suite_is_full() || (!IS_SLOW && !getenv("KTRACE_QUICK")))
		return false;
	printf("skipped: too long for the quick tier, sanitizers and QEMU "
	       "without KTRACE_FULL\n");
	return true;
}

int suite_repeats(int times)
{
	return IS_SLOW && !suite_is_full() ? times / 10 : times;
}

int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);

	srunner_run_all(runner, CK_ENV);

	int failed = srunner_ntests_failed(runner);

	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
