/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_WINDOW_START_H
#define KT_CMD_WINDOW_START_H

struct cpu_pipeline;
struct session;
struct step_callback;
struct stream_checkpoint;

/* Finds where to start decoding for the session's window if there are no
 * checkpoints: at a sync point of each stream, shortly before the window. If
 * that skips enough trace to be worthwhile, sets one of @places for each stream
 * and the running task in each of @cpus, and notes on standard error that the
 * calls open at that point are inferred.
 *
 * Returns 1, 0 if streams must be decoded from their start, or a negative enum
 * error.
 */
int window_start_find(const struct session *session,
		      const struct step_callback *callback,
		      struct cpu_pipeline *cpus,
		      struct stream_checkpoint *places);

#endif
