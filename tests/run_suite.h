/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_RUN_SUITE_H
#define KT_TESTS_RUN_SUITE_H

#include <check.h>
#include <stdbool.h>

/* Runs @suite, honouring check's CK_* environment variables, and frees it.
 *
 * Every tests/test_<module>.c is a program of its own whose main() returns
 * run_suite(<module>_suite()).
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
