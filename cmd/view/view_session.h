/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_VIEW_VIEW_SESSION_H
#define KT_CMD_VIEW_VIEW_SESSION_H

#include "attribution/attribution_input.h"
#include "cmd/pipeline/session.h"
#include "view/answer/answer.h"

#include <stdint.h>

struct context_kinds;
struct known_events;
struct lines;
struct report_options;

/* An open recording from which the page's answers are made. */
struct view_session {
	struct session session;
	struct view_engine engine;
	struct view_sources sources;
	struct attribution_input input;
	struct known_events *events;
	struct context_kinds *kinds;
	struct lines *lines;
	char *path; /* of the summary's file */
	uint64_t key;
	/* length of a part of the summary, until it is filled */
	uint64_t part_ns;
};

/* Opens the recording selected by @options together with its summary file, or
 * with an empty summary that view_session_fill() fills.
 *
 * Returns 0, or the exit code after a message on standard error. The caller
 * calls view_session_close() even after an error.
 */
int view_session_open(struct view_session *view,
		      const struct report_options *options);

/* Decodes the whole recording if the summary is incomplete. Another thread may
 * make answers meanwhile. Returns like view_session_open().
 */
int view_session_fill(struct view_session *view);

/* Closes the recording. Returns 0, or EXIT_FAILED if the output could not be
 * written.
 */
int view_session_close(struct view_session *view);

/* Writes the page of the recording selected by @options to the file @path,
 * self-contained. Returns the exit code.
 */
int write_view_file(const struct report_options *options, const char *path);

#endif
