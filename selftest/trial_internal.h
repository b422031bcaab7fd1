/* SPDX-License-Identifier: MIT */
#ifndef KT_SELFTEST_TRIAL_INTERNAL_H
#define KT_SELFTEST_TRIAL_INTERNAL_H

#include "common/array.h"
#include "selftest/selftest_options_internal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum { TRIAL_ARGUMENTS = 8, TRIAL_PATH = 4096 };

/* One recording of a program. */
struct trial {
	const char *name;
	const char *program;
	/* options of `record`, terminated by NULL; the first SYS_ in each
	 * stands for the architecture's prefix of system-call functions
	 */
	const char *record[TRIAL_ARGUMENTS];
	bool attaches; /* the program runs before the recorder starts */
};

enum trial_result {
	TRIAL_RECORDED,
	TRIAL_REFUSED, /* record refused it and gave a reason */
	TRIAL_ABSENT,  /* with judges_only: there is no recording of it */
	TRIAL_FAILED,  /* record or the program failed in another way */
};

/* Records @trial into a folder of its name; with judges_only, only looks for
 * that folder. Sets @reason to the recorder's last message, unless it returns
 * TRIAL_RECORDED or TRIAL_ABSENT.
 */
enum trial_result trial_record(const struct selftest_options *options,
			       const struct trial *trial, char *reason,
			       size_t room);

/* The output of one of ktrace-hw's commands about a recording. */
struct trial_output {
	FILE *lines;
	pid_t pid;
};

/* Starts the command @argv. Adds options->symfs as --symfs, if that is set, to
 * commands of ktrace-hw. Its standard error goes to the file @errors of the
 * self-test's folder. Returns 0, and the caller must close @output; or
 * -ERROR_SYSTEM.
 */
int trial_output_open(struct trial_output *output,
		      const struct selftest_options *options,
		      const char *const *argv, const char *errors);

/* Waits for the end of the command. Returns its exit code; 128 + N if the
 * signal N ended it.
 */
int trial_output_close(struct trial_output *output);

/* Writes the path of the trial's recording. */
void trial_path(const struct selftest_options *options, const char *name,
		char path[TRIAL_PATH]);

/* Copies the last line of the folder's file @name, with short names in place of
 * the paths of the folder and of the program, and without a leading "ktrace-hw
 * ...: ". Without such a line, copies "no message".
 */
void trial_last_line(const struct selftest_options *options, const char *name,
		     char *text, size_t room);

/* The counts of a program (programs.h). */
struct trial_counts {
	/* -1: the program did not print it. A count by the PMU (the first
	 * three) is -errno if the kernel refused it.
	 */
	int64_t instructions, branches, transitions, pid, calls, faults,
		switches, idle, batches, refused, sleeps;
	char idle_state[32];
	struct array raw;  /* struct raw_times */
	struct array cpus; /* struct cpu_calls */
};

/* CLOCK_MONOTONIC_RAW before and after a mark. */
struct raw_times {
	uint64_t before_ns, after_ns;
};

/* The calls of getppid() on one CPU. */
struct cpu_calls {
	int cpu;
	uint64_t calls;
};

/* Reads the counts of a trial. Returns 0, -ERROR_NOT_FOUND or -ERROR_MEMORY.
 * The caller must free @counts after 0.
 */
int trial_counts_read(struct trial_counts *counts,
		      const struct selftest_options *options, const char *name);

void trial_counts_free(struct trial_counts *counts);

#endif
