/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PIPELINE_SESSION_H
#define KT_CMD_PIPELINE_SESSION_H

/* A session: one recording, opened as the user's options require, with
 * everything that passes over it need, and the output.
 *
 * session_open() finds the recording (an archive is unpacked for as long as
 * the session is open), opens its code, symbols and names, selects tasks, CPUs
 * and the window, and opens the output: a file, a pager, or standard output.
 * run_pipeline() (pipeline.h) decodes it, any number of times.
 * session_finish() publishes the output file or, after a failure, leaves the
 * old one.
 *
 * Errors are reported here, on standard error; functions return the program's
 * exit code. The members of struct session do not change between
 * session_open() and session_close(), so that all threads of a pass may read
 * them.
 */

#include "cmd/options/report_options.h"
#include "common/files/output_folder.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"

#include <stdbool.h>
#include <stdio.h>

struct code_image;
struct colors;
struct jobs;
struct lines;
struct output_file;
struct pager;
struct recording;
struct symbols;
struct task_cgroups;
struct task_groups;
struct task_names;

/* The recording that a command reads: a folder or file, or an archive that is
 * unpacked while it is open.
 */
struct input {
	char *path;  /* path to open */
	char *files; /* folder of the traced programs' files, or NULL */
	struct output_folder unpacked;
};

/* Returns whether the file at @path starts like an archive. */
bool input_is_archive(const char *path);

/* Returns whether @file is the recording at @path or one of its files. Writing
 * to it while reading the recording would lose the output.
 */
bool input_has(const char *path, const char *file);

/* One recording, opened for reports. */
struct session {
	struct input input; /* path of the recording */
	struct recording *recording;
	struct code_image *image;
	struct symbols *symbols;
	struct task_names *names;
	struct jobs *jobs;   /* the threads that decode */
	struct lines *lines; /* NULL: not wanted */
	struct pager *pager; /* NULL: none */
	FILE *out;
	const char *path;	  /* of out, borrowed; NULL: no file */
	struct output_file *file; /* underlies out; NULL: out is not a file */
	bool is_captured;	  /* out belongs to the caller */
	char *buffer;		  /* out's buffer, or NULL */
	const struct colors *colors;
	enum engine engine;	   /* not ENGINE_DEFAULT */
	struct step_filter choice; /* selected tasks and CPUs */
	/* tasks and CPUs to show: with groups, tasks are not filtered here but
	 * by group
	 */
	struct step_filter filter;
	struct task_cgroups *cgroups; /* NULL: not wanted */
	struct task_groups *groups;   /* --by; NULL: no groups */
	struct time_window window;
	uint64_t origin_ns; /* times in text are relative to it; 0: absolute */
	uint64_t done_ns;   /* a pass may end after this time */
	/* decodes parts that are not needed, too; for tests */
	bool decodes_all;
	/* windows always start at a sync point, never at a checkpoint; for
	 * tests
	 */
	bool uses_points;
};

/* Opens the recording that @options select; @options must outlive the session.
 *
 * Returns 0, or the exit code after a message on standard error. The caller
 * closes the session even after an error.
 */
int session_open(struct session *session, const struct report_options *options);

/* Like session_open(), but opens no output. */
int session_open_input(struct session *session,
		       const struct report_options *options);

/* Checks that the recording has real timestamps. Returns 0; or EXIT_USAGE,
 * after a message that @option with @value (may be "") needs them.
 */
int session_needs_time(const struct session *session, const char *option,
		       const char *value);

/* Closes the session. Returns 0, or EXIT_FAILED if the output could not be
 * written.
 */
int session_close(struct session *session);

/* Closes a session whose command ended with @status. If @status is a failure,
 * the output file is not created or keeps its previous contents. Returns
 * @status, or EXIT_FAILED if @status is 0 and the output could not be written.
 */
int session_finish(struct session *session, int status);

/* Finds the newest recording in the working directory.
 *
 * Returns its name, which the caller frees, or NULL if there is none.
 */
char *find_last_recording(void);

#endif
