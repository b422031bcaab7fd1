/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_VIEW_SESSION_H
#define KT_CMD_VIEW_SESSION_H

#include "cmd/pipeline/session.h"
#include "tables/table.h"
#include "view/answer/answer.h"

#include <stdint.h>

/* A recording that is looked at: what the page's answers are made from. */
struct view_session {
	struct session session;
	struct view_engine engine;
	struct view_sources sources;
	struct attribution_input input;
	struct known_events *events;
	struct context_kinds *kinds;
	struct lines *lines;
	char *path; /* of the summary */
	uint64_t key;
	uint64_t part_ns; /* of a summary that is yet to be filled */
};

/* Opens the recording that @options name, with the summary beside it, or with
 * one to be filled by view_session_fill().
 *
 * Returns 0, or the exit code to end with; standard error knows why.  Close it
 * either way.
 */
int view_session_open(struct view_session *view,
		      const struct report_options *options);

/* Decodes all, if the summary is not complete.  Answers may be made meanwhile,
 * by another thread.  Returns as view_session_open().
 */
int view_session_fill(struct view_session *view);

/* Returns 0, or EXIT_FAILED if the output could not be written. */
int view_session_close(struct view_session *view);

#endif
