/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LANES_H
#define KT_TABLES_LANES_H

#include <stdint.h>

struct attribution_input;
struct lane_callback;

/* This is what the kernel's events and the steps tell together, for a timeline
 * that shows it beside the functions: system calls, sleeps and wake-ups,
 * interrupt work.  It comes from the parts that the reports come from, so that
 * both tell the same.
 */
struct lanes;

struct lanes_options {
	const struct attribution_input *input; /* borrowed; with the filter and
						 * window wanted */
	uint64_t min_ns; /* what is shorter is left out, but for
				 * wake-ups */
};

/* Borrows @callback.  Returns NULL when out of memory. */
struct lanes *lanes_new(const struct lanes_options *options,
			struct lane_callback *callback);
void lanes_free(struct lanes *lanes);

/* Hands on what has not ended, after the last step.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int lanes_end(struct lanes *lanes);

#endif
