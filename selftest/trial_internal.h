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
	/* options of `record`, terminated by NULL; SYS_ at a start stands for
	 * the architecture's prefix of system calls
	 */
	const char *record[TRIAL_ARGUMENTS];
	bool attaches; /* the program runs before the recorder starts */
};

enum trial_result {
	TRIAL_RECORDED,
	TRIAL_REFUSED, /* record gave a reason */
	TRIAL_ABSENT,  /* it is only to be judged, and was not recorded */
	TRIAL_FAILED,  /* record or the program failed in another way */
};

/* Records @trial into a folder of its name, unless that is only to be judged;
 * why that was not possible is in @reason then.
 */
enum trial_result trial_record(const struct selftest_options *options,
			       const struct trial *trial, char *reason,
			       size_t room);

/* The output of one of ktrace-hw's commands about a recording. */
struct trial_output {
	FILE *lines;
	pid_t pid;
};

/* Starts the command @argv, with the option --symfs if that is given; its errors
 * go to the file @errors of the folder. Returns 0 or -ERROR_SYSTEM. The caller must close it then.
 */
int trial_output_open(struct trial_output *output,
		      const struct selftest_options *options,
		      const char *const *argv, const char *errors);

/* Waits for the end. Returns the exit code; 128 + N after the signal N. */
int trial_output_close(struct trial_output *output);

/* Writes the path of the trial's recording. */
void trial_path(const struct selftest_options *options, const char *name,
		char path[TRIAL_PATH]);

/* Copies the last line of the folder's file @name, without the paths of the
 * folder and of the program.
 */
void trial_last_line(const struct selftest_options *options, const char *name,
		     char *text, size_t room);

/* The counts of a program (programs.h). */
struct trial_counts {
	/* -1: it was not counted */
	int64_t pid, calls, faults, switches, instructions, branches, idle,
		batches, refused, sleeps;
	char idle_state[32];
	struct array raw;  /* struct raw_times */
	struct array cpus; /* struct cpu_calls */
};

struct raw_times {
	uint64_t before_ns, after_ns;
};

struct cpu_calls {
	int cpu;
	uint64_t calls;
};

/* Reads the counts of a trial. Returns 0 or -ERROR_NOT_FOUND. The caller must
 * free them after 0.
 */
int trial_counts_read(struct trial_counts *counts,
		      const struct selftest_options *options, const char *name);

void trial_counts_free(struct trial_counts *counts);

#endif
