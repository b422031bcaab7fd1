/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENTS_CALL_SKIPS_INTERNAL_H
#define KT_ATTRIBUTION_EVENTS_CALL_SKIPS_INTERNAL_H

/* Decides which calls and returns no handler needs. Such calls are applied to
 * the task's stack only. For each run of them the handlers receive one struct
 * skipped_calls instead of a call event per call. In a recording of the kernel
 * 5 of 6 calls are skipped.
 *
 *	function events ─► call_skips ─┬─► struct skipped_calls ─► skip()
 *	                               └─► task_stacks ─► step_join ─► step()
 *
 * 1. A call is skipped only if, in the state that the handlers have before the
 *    call, needs() of none names its function and limit() of none includes its
 *    depth.
 * 2. skip() leaves a handler in the state in which step() would have left it,
 *    once for each skipped call.
 * 3. Only plain calls are skipped (call_frames.h), and only while the task
 *    runs.
 */

#include "common/array.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_stack;
struct call_times;
struct event_handler;
struct function_event;

/* Public so that it can be a member. */
struct call_skips {
	struct event_handler *const *handlers;
	size_t handler_count;
	/* sets of handlers, by index: those whose limit() raises limits, and
	 * those with skip()
	 */
	uint64_t limiting;
	uint64_t skipping;
	struct array marks;    /* uint8_t by function */
	struct call_step last; /* of struct skipped_calls */
};

/* Returns the skips of a pass with @count @handlers, at most 64, which are
 * borrowed. The caller frees them with call_skips_free().
 */
struct call_skips call_skips_of(struct event_handler *const *handlers,
				size_t count);
void call_skips_free(struct call_skips *skips);

/* Returns whether each handler can do without some steps. */
bool call_skips_are_possible(const struct call_skips *skips);

/* Applies the first of @count events to @stack, up to one that cannot be
 * skipped or is not before @until_ns. @step has their task and CPU. Sets
 * @times->last_ns to the time of the last of them. Returns their number.
 */
uint32_t call_skips_consume(struct call_skips *skips,
			    const struct call_step *step,
			    struct call_stack *stack,
			    const struct function_event *events, uint32_t count,
			    uint64_t until_ns, struct call_times *times);

#endif
