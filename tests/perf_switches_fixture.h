/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_PERF_SWITCHES_FIXTURE_H
#define KT_TESTS_PERF_SWITCHES_FIXTURE_H

#include <stdbool.h>

/* perf 6.1 gives up, without a word, where a recording's switch records do
 * not fit its idea of __switch_to.  This makes it decode without them: sets
 * HAVE_SCHED_SWITCH to 0 in the recording at @path, to be done on a copy.
 */
bool perf_ignore_switches(const char *path);

#endif
