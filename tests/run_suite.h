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

/* Does the same where tests leave their process such that the next one could not
 * begin in it: with limits, sockets or signals of its own.  Each has a process
 * here, under sanitizers and in QEMU, too.
 */
int run_suite_apart(Suite *suite);

/* Returns whether this is the full tier, which the environment variable
 * KTRACE_FULL says: then suites try all of what they else try a part of.
 */
bool suite_is_full(void);

/* Returns whether suites try the least that names each of their cases: the quick
 * tier, which the environment variable KTRACE_QUICK says, has no time for more, and
 * sanitizers and QEMU multiply it.  The full tier is never brief.
 */
bool suite_is_brief(void);

/* Returns whether a test of many seconds is to be left out, where suites are
 * brief, and says so.
 */
bool suite_skips_long_test(void);

/* Returns how often something is to be tried that is tried @times in the full
 * tier and where it is fast: a tenth of that where suites are brief.
 */
int suite_repeats(int times);

#endif
