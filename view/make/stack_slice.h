/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_STACK_SLICE_H
#define KT_VIEW_STACK_SLICE_H

#include "report/steps/call_step.h"
#include "view/data/slice.h"

#include <stdbool.h>

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
		.lane = lane_of(LANE_STACK, number),
		.depth = step->depth,
		.name = step->function,
		.detail = VIEW_NO_FUNCTION,
		.waker_tid = -1,
		.count = 1,
	};
	return true;
}

#endif
