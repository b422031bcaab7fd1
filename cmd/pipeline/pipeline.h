/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PIPELINE_H
#define KT_CMD_PIPELINE_H

struct session;
struct step_callback;
struct task_stacks;

/* Sends the session's whole recording through every stage, to @callback.
 *
 * Returns 0 and *@stacks, with the accounts of what was seen, to be freed by
 * task_stacks_free(), or a negative enum error.
 */
int pipeline_run(const struct session *session, struct step_callback *callback,
		 struct task_stacks **stacks);

/* The same for a command whose options must choose something that is there.
 *
 * Returns 0 and *@stacks, with the accounts of what was seen, to be freed by
 * task_stacks_free(); or EXIT_FAILED, standard error knowing why.
 */
int run_pipeline(const struct session *session, struct step_callback *callback,
		 struct task_stacks **stacks);

/* The same, but that nothing is what the user chose is no failure. */
int run_pipeline_unchecked(const struct session *session,
			   struct step_callback *callback,
			   struct task_stacks **stacks);

#endif
