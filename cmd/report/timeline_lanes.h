/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TIMELINE_LANES_H
#define KT_CMD_TIMELINE_LANES_H

#include <stdint.h>

struct lane_callback;
struct session;
struct step_callback;

/* This is what a timeline shows beside functions, made in the same pass: a
 * callback of steps that passes them on and joins them with the kernel's
 * events.
 */
struct timeline_lanes;

/* Lanes go to @lanes, steps to @next; borrows all.  Returns NULL when out of
 * memory.
 */
struct timeline_lanes *timeline_lanes_new(const struct session *session,
					  uint64_t min_ns,
					  struct lane_callback *lanes,
					  struct step_callback *next);
void timeline_lanes_free(struct timeline_lanes *lanes);

/* Where the steps go. */
struct step_callback *timeline_lanes_callback(struct timeline_lanes *lanes);

/* Hands on what is left.  Returns 0 or -ERROR_MEMORY. */
int timeline_lanes_end(struct timeline_lanes *lanes);

#endif
