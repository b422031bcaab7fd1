/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAIT_LANES_INTERNAL_H
#define KT_TABLES_WAIT_LANES_INTERNAL_H

/* Emits spans of what reports show beside calls, sleeps and interrupts: waits
 * without sleep, calls with recorded arguments, and I/O of block devices. I/O
 * overlaps, so it is spread over as many tracks as are in flight at once; for
 * that it is emitted at the end. Memory grows with the number of I/Os and of
 * calls with arguments.
 */

#include "tables/lanes.h"
#include "tables/waits/block_io.h"
#include "tables/waits/spins.h"

struct read_calls;

struct wait_lanes {
	struct block_callback block;
	struct spin_callback spin;
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct block_tracker *blocks;
	struct spin_tracker *spins;
	struct read_calls *calls;
	struct array ios; /* struct block_io */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @lanes either way. */
int wait_lanes_open(struct wait_lanes *lanes,
		    const struct lanes_options *options,
		    struct lane_callback *callback);
void wait_lanes_free(struct wait_lanes *lanes);

/* Emits I/O and calls. Returns 0, or -ERROR_MEMORY if memory ever ran out. */
int wait_lanes_end(struct wait_lanes *lanes);

#endif
