/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TIMELINE_LANES_H
#define KT_CMD_TIMELINE_LANES_H

#include <stdint.h>

struct lane_callback;
struct session;
struct step_callback;

/* The tracks that a timeline shows beside functions, made in the same pass: a
 * step callback that passes steps on and joins them with the kernel's events.
 */
struct timeline_lanes;

/* Emits tracks to @lanes and passes steps to @next; borrows all arguments.
 * Returns NULL when out of memory.
 */
struct timeline_lanes *timeline_lanes_new(const struct session *session,
					  uint64_t min_ns,
					  struct lane_callback *lanes,
					  struct step_callback *next);
void timeline_lanes_free(struct timeline_lanes *lanes);

/* Returns the callback that consumes the steps. */
struct step_callback *timeline_lanes_callback(struct timeline_lanes *lanes);

/* Emits the remaining tracks. Returns 0 or -ERROR_MEMORY. */
int timeline_lanes_end(struct timeline_lanes *lanes);

#endif
