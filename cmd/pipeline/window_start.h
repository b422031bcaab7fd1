/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_WINDOW_START_H
#define KT_CMD_WINDOW_START_H

struct cpu_pipeline;
struct session;
struct step_callback;
struct stream_checkpoint;

/* Finds where decoding may begin for the session's window where no checkpoints
 * tell: at a synchronisation point of each stream, a little before the window.
 * Sets one of @places for each stream, and in @cpus, who runs there, if much
 * is skipped by that; standard error is told, for what is open then is
 * inferred.
 *
 * Returns 1, 0 if streams are to be decoded from their begin, or a negative
 * enum error.
 */
int window_start_find(const struct session *session,
		      const struct step_callback *callback,
		      struct cpu_pipeline *cpus,
		      struct stream_checkpoint *places);

#endif
