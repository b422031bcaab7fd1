/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_BUILDER_H
#define KT_VIEW_BUILDER_H

#include <stdint.h>

struct attribution_input;
struct view_summary;

/* Fills a summary as the recording passes: a handler. */
struct view_builder;

/* How fine a summary is to be, by the @trace_bytes that its recording has:
 * sets its resolution, levels and times, and returns the length of a part of
 * its call sums.
 */
uint64_t view_builder_measure(struct view_summary *summary, uint64_t first_ns,
			      uint64_t last_ns, uint64_t trace_bytes);

/* Borrows both.  Returns NULL when out of memory. */
struct view_builder *view_builder_new(const struct attribution_input *input,
				      struct view_summary *summary,
				      uint64_t part_ns);
void view_builder_free(struct view_builder *builder);

/* Adds what waits for more: the summary is complete.
 *
 * Returns 0 or a negative enum error, also of what came before.
 */
int view_builder_end(struct view_builder *builder);

#endif
