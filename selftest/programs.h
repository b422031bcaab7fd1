/* SPDX-License-Identifier: MIT */
#ifndef KT_SELFTEST_PROGRAMS_H
#define KT_SELFTEST_PROGRAMS_H

/* The programs that the self-test records. Each counts its own actions by other
 * means than the trace, and prints the counts as lines "KEY VALUE...":
 *
 *	pid N            the process, if there is only one
 *	calls N          calls of getppid()
 *	faults N         page faults, by getrusage()
 *	switches N       context switches, by getrusage()
 *	instructions N   in the kernel, by the PMU
 *	branches N       likewise
 *	transitions N    likewise: branches between the kernel and user space
 *	raw BEFORE AFTER nanoseconds of CLOCK_MONOTONIC_RAW around a mark
 *	cpu CPU N        calls of getppid() on a CPU
 *	idle N STATE     entries of the deepest idle state
 *	batches N        of calls: the Kth has K calls
 *	refused CPU      a CPU that could not be switched off
 *	sleeps N         of PROGRAM_LONG_SLEEP_MS or more, by the clock
 *
 * A mark is a call of sched_get_priority_max(), which nothing else calls. A
 * line is missing if this machine cannot count it; a count by the PMU is -errno
 * if the kernel refuses it.
 */
enum {
	PROGRAM_CALLS = 1000,
	PROGRAM_COUNTED_CALLS = 2000, /* while the PMU counts */
	PROGRAM_CLOCK_MARKS = 100,
	PROGRAM_LOAD_CALLS = 4000, /* of each process */
	PROGRAM_BATCHES = 100,
	PROGRAM_LONG_SLEEP_MS = 20,
	PROGRAM_TRIGGER_MS = 15, /* limit of the trigger */
	/* Marks of the program named "calls": each starts a part, and has the
	 * number of marks that the program made before it.
	 */
	MARK_CALLS = 0,
	MARK_FAULTS,
	MARK_AFTER_FAULTS,
	MARK_SLEEPS,
	MARK_AFTER_SLEEPS,
	MARK_PMU,
	MARK_CLOCK,
};

/* The programs' name as a task. */
#define SELFTEST_COMM "selftest"

/* Runs the recorded program @name and returns its exit code; 2 if there is none
 * of that name.
 */
int selftest_program(const char *name);

#endif
