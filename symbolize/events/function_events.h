/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_EVENTS_FUNCTION_EVENTS_H
#define KT_SYMBOLIZE_EVENTS_FUNCTION_EVENTS_H

#include "symbolize/events/function_event.h"
#include "symbolize/events/stream_tasks.h"

#include <stdint.h>

struct flow_input;
struct flow_source;
struct symbols;

/* Converts one stream's flow items to function events. */
struct function_events;

/* Borrows @source and @symbols. @pid and @tid are the task that runs at the
 * start of the stream, -1 if unknown. Returns NULL when out of memory.
 */
struct function_events *function_events_new(struct flow_source *source,
					    const struct symbols *symbols,
					    int32_t pid, int32_t tid);

/* Declares that the flow is of the first task only, on any CPU: a thread's own
 * trace. Must be called before the first function_events_next().
 */
void function_events_of_thread(struct function_events *events);

/* From now on the trace decides which switch record belongs to which switch
 * point, as in execution/stream/record_join_internal.h: the source's FLOW_SWITCH items
 * only show which records are due. Does nothing unless the trace is Intel PT's,
 * which has time bounds, with times in nanoseconds. Borrows @input's recording
 * and stream. Must be called before the first function_events_next(). Returns 0
 * or -ERROR_MEMORY.
 */
int function_events_order_by_trace(struct function_events *events,
				   const struct flow_input *input);

void function_events_free(struct function_events *events);

/* Provides the next events, 1 or more, valid until the next call.
 *
 * Returns their count, 0 after FUNCTION_END was provided, or a negative enum
 * error.
 */
int function_events_next(struct function_events *events,
			 const struct function_event **batch);

#endif
