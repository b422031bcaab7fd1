/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_SESSION_H
#define KT_CMD_SESSION_H

#include "cmd/options/report_options.h"
#include "cmd/pipeline/input.h"

#include <stdio.h>

struct code_image;
struct colors;
struct jobs;
struct lines;
struct pager;
struct recording;
struct symbols;
struct task_cgroups;
struct task_groups;
struct task_names;

/* One recording, opened for reports. */
struct session {
	struct input input; /* where the recording is */
	struct recording *recording;
	struct code_image *image;
	struct symbols *symbols;
	struct task_names *names;
	struct jobs *jobs;   /* the threads that decode */
	struct lines *lines; /* NULL: not wanted */
	struct pager *pager; /* NULL: none */
	FILE *out;
	struct output_file *file; /* of out; NULL: out is no file */
	bool is_captured;	  /* out is somebody else's */
	char *buffer;		  /* of out, or NULL */
	const struct colors *colors;
	enum engine engine;	      /* not ENGINE_DEFAULT */
	struct step_filter choice;    /* tasks and CPUs that are asked for */
	struct step_filter filter;    /* those that are shown: with groups it is
				    * these that are chosen, not tasks */
	struct task_cgroups *cgroups; /* NULL: not wanted */
	struct task_groups *groups;   /* --by; NULL: without */
	struct time_window window;
	uint64_t done_ns; /* from here on a callback may be done */
	bool decodes_all; /* also what is not needed: to compare */
	bool uses_points; /* windows always begin at a synchronisation
				 * point, not at a checkpoint: likewise */
};

/* Opens what @options name; they must outlive the session.
 *
 * Returns 0, or the exit code to end with; standard error knows why.  Close
 * the session either way.
 */
int session_open(struct session *session, const struct report_options *options);

/* The same without any output. */
int session_open_input(struct session *session,
		       const struct report_options *options);

/* Returns 0 if the recording's times are times; else EXIT_USAGE, having said
 * that @option with @value, which may be "", needs them.
 */
int session_needs_time(const struct session *session, const char *option,
		       const char *value);

/* Returns 0, or EXIT_FAILED if the output could not be written. */
int session_close(struct session *session);

/* Closes a session whose command has @status.  A file that it was to write is not
 * there, or is as it was, if that is a failure.  Returns @status, or EXIT_FAILED if it
 * was 0 and the output could not be written.
 */
int session_finish(struct session *session, int status);

/* Finds the newest recording in the working directory.
 *
 * Returns its name, to be freed, or NULL if there is none.
 */
char *find_last_recording(void);

#endif
