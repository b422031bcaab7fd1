/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PERF_SWITCHES_FIXTURE_H
#define KT_TESTS_PERF_SWITCHES_FIXTURE_H

#include <stdbool.h>

/* Makes perf decode without switch records: sets HAVE_SCHED_SWITCH to 0 in the
 * recording at @path, which should be a copy. Otherwise perf 6.1 silently gives
 * up where the switch records of a recording do not match the __switch_to it
 * expects.
 */
bool perf_ignore_switches(const char *path);

#endif
