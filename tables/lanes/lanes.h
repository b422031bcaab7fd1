/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LANES_H
#define KT_TABLES_LANES_H

#include <stdint.h>

struct attribution_input;
struct lane_callback;

/* Emits timeline spans that are made from the kernel's events and call events
 * together: system calls, sleeps and wake-ups, interrupt work. A timeline shows
 * them beside the functions. They are made by the same trackers as the reports,
 * so both agree.
 */
struct lanes;

struct lanes_options {
	/* borrowed; includes the filter and window */
	const struct attribution_input *input;
	uint64_t min_ns; /* shorter spans are left out, except wake-ups */
};

/* Borrows @callback.  Returns NULL when out of memory. */
struct lanes *lanes_new(const struct lanes_options *options,
			struct lane_callback *callback);
void lanes_free(struct lanes *lanes);

/* Emits all unfinished spans. Must be called after the last call event.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int lanes_end(struct lanes *lanes);

#endif
