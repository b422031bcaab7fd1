/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_RUN_SUITE_H
#define KT_TESTS_RUN_SUITE_H

#include <check.h>

/* Runs @suite, honouring check's CK_* environment variables, and frees it.
 *
 * Every tests/test_<module>.c is a program of its own whose main() returns
 * run_suite(<module>_suite()).
 *
 * Returns EXIT_SUCCESS when every test passed, EXIT_FAILURE otherwise.
 */
int run_suite(Suite *suite);

#endif
