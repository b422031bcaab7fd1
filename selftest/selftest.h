/* SPDX-License-Identifier: MIT */
#ifndef KT_SELFTEST_SELFTEST_H
#define KT_SELFTEST_SELFTEST_H

#include "selftest/selftest_options_internal.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Checks on the machine at hand that recordings are true.
 *
 * Each trial records a small program whose behaviour is known, and compares the
 * decoded recording with evidence that is not from the decoder: the program's
 * own counts, the kernel's counts of faults and context switches, the PMU, a
 * clock that the program reads, the second engine, and perf.
 *
 *	ktrace-hw record -- ktrace-hw selftest --program=NAME   (trial.c)
 *	      |                         |
 *	 FOLDER/TRIAL             FOLDER/TRIAL.counts
 *	      |                         |
 *	ktrace-hw timeline, dump        |
 *	      |                         |
 *	 struct evidence (evidence.c)   |
 *	      \_________  _____________/
 *	                \/
 *	         checks (selftest.c) --> struct selftest_row
 *
 * The commands are those that users run, each in a process of its own, so that
 * a crash of the recorder or the decoder is a failed check.
 *
 * Invariants:
 *  1. A check passes only if both sides have a count: a trace without evidence,
 *     or a machine that cannot count, never passes.
 *  2. A missing ability is not a failure; the row names it.
 *  3. Recordings that exist are judged without recording again, on any machine
 *     (@judges_only).
 *
 * Threads: one. Memory: the evidence of one trial.
 */

enum selftest_verdict {
	SELFTEST_PASS,
	SELFTEST_FAIL,
	SELFTEST_UNTRIED, /* it cannot be tried on this machine */
};

struct selftest_row {
	const char *check;
	enum selftest_verdict verdict;
	char finding[240];
};

/* Runs all checks and calls @report with the row of each, in the order of the
 * trials. A trial that cannot be recorded or decoded is a failed row; if the
 * recorder refuses one that every trace unit can do, it is the last row.
 */
void selftest_run(const struct selftest_options *options,
		  void (*report)(const struct selftest_row *row, void *context),
		  void *context);

/* Sets *@name to the name of trial number @index. Returns whether there is one.
 */
bool selftest_trial(size_t index, const char **name);

/* Writes this machine's CPU, kernel and abilities of the trace unit, for the
 * reader of a failure. It has no addresses, no names of hosts,
 * users or files.
 */
void selftest_write_machine(FILE *out);

#endif
