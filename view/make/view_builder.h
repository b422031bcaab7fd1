/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_BUILDER_H
#define KT_VIEW_BUILDER_H

#include <stdint.h>

struct attribution_input;
struct view_summary;

/* A handler that fills a summary during a pass over the recording. */
struct view_builder;

/* Chooses a summary's granularity by the @trace_bytes of its recording: sets
 * its resolution, levels and times, and returns the length of a part of its
 * call sums.
 */
uint64_t view_builder_measure(struct view_summary *summary, uint64_t first_ns,
			      uint64_t last_ns, uint64_t trace_bytes);

/* Borrows both.  Returns NULL when out of memory. */
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
