/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SLEEP_LANES_H
#define KT_TABLES_SLEEP_LANES_H

#include "tables/lanes/lane_text.h"
#include "tables/lanes/lanes.h"

struct sleep;
struct wakers;

/* Emits two spans for each sleep: asleep, named after the function that decided
 * to wait, and runnable, with an arrow from the waker's position.
 */
struct sleep_lanes {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct lane_text waker;
	uint64_t flows;
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @lanes either way. */
int sleep_lanes_open(struct sleep_lanes *lanes,
		     const struct lanes_options *options,
		     struct lane_callback *callback);
void sleep_lanes_free(struct sleep_lanes *lanes);

/* Emits the spans of a sleep that has ended; @wakers are the tracker's wakers.
 */
void sleep_lanes_take(struct sleep_lanes *lanes, const struct sleep *sleep,
		      const struct wakers *wakers);

#endif
