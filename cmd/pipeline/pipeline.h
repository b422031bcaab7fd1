/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PIPELINE_PIPELINE_H
#define KT_CMD_PIPELINE_PIPELINE_H

#include "analysis/pass.h"

/* Passes over the recording of a session, for commands: with a progress line on
 * a terminal, and errors on standard error.
 */

struct annotation;
struct session;
struct step_callback;
struct task_stacks;

/* Returns the input of a pass over the session's recording, without a progress
 * callback.
 */
struct pass_input session_pass(const struct session *session);

/* Runs a pass (analysis/pass.h) over the session's recording, which must
 * contain a trace; shows its progress on a terminal.
 *
 * Returns 0 or a negative enum error. On success *@stacks has the tasks and the
 * counts of call events; the caller frees it with task_stacks_free().
 */
int pipeline_run(const struct session *session, struct step_callback *callback,
		 struct task_stacks **stacks);

/* Like pipeline_run(), but for commands: reports errors, and fails if nothing
 * matches the user's choice.
 *
 * Returns 0, or EXIT_FAILED after a message on standard error. On success
 * *@stacks has the tasks and the counts of call events; the caller frees it
 * with task_stacks_free().
 */
int run_pipeline(const struct session *session, struct step_callback *callback,
		 struct task_stacks **stacks);

/* Like run_pipeline(), but an empty selection is not an error. */
int run_pipeline_unchecked(const struct session *session,
			   struct step_callback *callback,
			   struct task_stacks **stacks);

/* Adds the blocks of all chosen CPUs to @annotation, whose input chooses
 * functions, tasks and time. Returns 0 or a negative enum error.
 */
int session_annotate(const struct session *session,
		     struct annotation *annotation);

#endif
