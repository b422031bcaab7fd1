/* SPDX-License-Identifier: MIT */
#ifndef KT_ANALYSIS_PASS_H
#define KT_ANALYSIS_PASS_H

/* One pass over a recording: trace bytes of all CPUs become call events in one
 * order, which a callback consumes.
 *
 *	stream of a CPU ─► cpu_pipeline ─┐   function events
 *	stream of a CPU ─► cpu_pipeline ─┼─► event_merge ─► task_stacks ─► callback
 *	...                              ┘                   a stack per task
 *
 * The pass starts at the last checkpoint before its window if the recording has
 * checkpoints (checkpoints.h) and the callback needs no state of its own or
 * finds it there. If there are no checkpoints and the callback does not depend
 * on earlier events (needs_begin), it starts at a sync point of each stream
 * shortly before the window; otherwise at the start. It ends when the callback
 * needs no later event. The first pass that sees the whole trace writes the
 * checkpoints.
 *
 * Invariants:
 *  1. The callback receives the same events of the window, in the same order,
 *     wherever the pass starts and with any number of threads. Only a pass that
 *     starts at a sync point may miss functions that were open there; a note
 *     reports that.
 *  2. A pass writes no file except the checkpoints beside the recording.
 *  3. All of struct pass_input is constant during the pass, so that the threads
 *     that decode may read it.
 *
 * Commands run passes by cmd/pipeline/pipeline.h, which reports errors and
 * progress. The in-band library does not use passes: inband/part_decoder.c
 * decodes its short streams.
 */

#include "analysis/cpu_pipeline.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct task_stacks;

/* Runs the pass: sends the recording, which must have at least one stream,
 * through all stages to @callback.
 *
 * Returns 0 or a negative enum error. On success *@stacks has the tasks and the
 * counts of events; the caller frees it with task_stacks_free(). On failure
 * *@stacks is NULL.
 */
int pass_run(const struct pass_input *pass, struct step_callback *callback,
	     struct task_stacks **stacks);

#endif
