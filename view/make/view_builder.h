/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_MAKE_VIEW_BUILDER_H
#define KT_VIEW_MAKE_VIEW_BUILDER_H

/* Makes the summary that the page is drawn from, in one pass over a recording.
 *
 *	call events, events ─► view_builder ─► level_chain ─► levels of slices
 *	                            └─► parts of call sums ─► view/data/call_sums.h
 *
 * Level 0 has the most slices; each further level has those of the previous
 * one, thinned, so that a page of any width reads a bounded number of slices.
 *
 * The summary is complete after view_builder_end(); until then a page may read
 * the part that exists, under the summary's lock.
 *
 * One thread builds. Errors are kept, and returned at the end.
 */

#include "report/steps/call_step.h"
#include "view/data/slice_store.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct view_summary;

/* Makes a slice of a call that ends with @step, of thread @number.
 *
 * Returns whether @step ends a call.
 */
static inline bool stack_slice_of(const struct call_step *step, uint32_t number,
				  struct view_slice *slice)
{
	if (step->kind != STEP_EXIT)
		return false;
	*slice = (struct view_slice){
		.begin_ns = step->time_ns - step->wall_ns,
		.end_ns = step->time_ns,
		.busy_ns = step->wall_ns,
		.track = track_of(TRACK_STACK, number),
		.depth = step->depth,
		.name = step->function,
		.detail = VIEW_NO_FUNCTION,
		.waker_tid = -1,
		.count = 1,
	};
	return true;
}

/* Adds slices to all levels of a summary: each level gets the slices of the
 * previous one, thinned.
 */
struct level_chain;

/* Returns a chain for the levels of @summary, which it borrows, and locks to
 * add slices; NULL when out of memory.
 */
struct level_chain *level_chain_new(struct view_summary *summary);
void level_chain_free(struct level_chain *chain);

/* Consume a slice for level 0. States are stored unchanged; calls are thinned.
 */
void level_chain_consume_state(struct level_chain *chain,
			       const struct view_slice *slice);
void level_chain_consume_call(struct level_chain *chain,
			      const struct view_slice *slice);

/* Adds the slices that are still being merged. Returns 0 or a negative enum
 * error, also of earlier calls.
 */
int level_chain_end(struct level_chain *chain);

/* A handler that fills a summary during a pass over the recording. */
struct view_builder;

/* Chooses a summary's granularity by the @trace_bytes of its recording: sets
 * its resolution, levels and times, and returns the length of a part of its
 * call sums.
 */
uint64_t view_builder_measure(struct view_summary *summary, uint64_t first_ns,
			      uint64_t last_ns, uint64_t trace_bytes);

/* Returns a handler that fills @summary, and adds it to the trackers of @input;
 * NULL when out of memory. Borrows @input and @summary.
 */
struct view_builder *view_builder_new(const struct attribution_input *input,
				      struct view_summary *summary,
				      uint64_t part_ns);
void view_builder_free(struct view_builder *builder);

/* Adds all unfinished slices and parts, which completes the summary.
 *
 * Returns 0 or a negative enum error, also of earlier events.
 */
int view_builder_end(struct view_builder *builder);

#endif
