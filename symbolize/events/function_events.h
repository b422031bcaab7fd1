/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_EVENTS_FUNCTION_EVENTS_H
#define KT_SYMBOLIZE_EVENTS_FUNCTION_EVENTS_H

#include "symbolize/events/function_event.h"
#include "symbolize/events/stream_tasks.h"

#include <stdint.h>

struct flow_input;
struct flow_source;
struct symbols;

/* Converts one stream's flow items to function events: the counterpart of
 * execution/ for the second engines (libipt, OpenCSD), which emit the blocks
 * that ran instead of the branches between them.
 *
 *	flow_source ─► consume_item() ─► how the last block was left (exit, here)
 *	                  │ next block, or interrupt
 *	                  ▼
 *	               arrive(): thunks are folded into one transfer
 *	                  ▼
 *	               consume_transfer() ─► calls, returns, jumps, exceptions
 *
 * 1. The events and their order are those of execution/: `ktrace-hw verify`
 *    compares the two. Functions of the same purpose have similar names in
 *    execution/walk/walk.c.
 * 2. A transfer inside a symbol emits nothing.
 * 3. After a stop, a gap or a start, nothing is known of the last block.
 *
 * Each stream has its own struct; one thread at a time may use it. Errors: only
 * lack of memory, and those of the source.
 */
struct function_events;

/* Borrows @source and @symbols. @pid and @tid are the task that runs at the
 * start of the stream, -1 if unknown. Returns NULL when out of memory.
 */
struct function_events *function_events_new(struct flow_source *source,
					    const struct symbols *symbols,
					    int32_t pid, int32_t tid);

/* Declares that the stream is the trace of one thread, the task at its start,
 * on any CPU. Must be called before the first function_events_next().
 */
void function_events_of_thread(struct function_events *events);

/* Assigns switch records to switch points by the trace, as
 * execution/stream/execution_stream.c does. The FLOW_SWITCH items of the source
 * then only show which records are due. Does nothing unless the trace is Intel
 * PT with times in nanoseconds, which has time bounds. Borrows @input's
 * recording and stream. Must be called before the first function_events_next().
 * Returns 0 or -ERROR_MEMORY.
 */
int function_events_order_by_trace(struct function_events *events,
				   const struct flow_input *input);

void function_events_free(struct function_events *events);

/* Provides the next events, 1 or more, valid until the next call.
 *
 * Returns their count, 0 after FUNCTION_END was provided, or a negative enum
 * error.
 */
int function_events_next(void *events, const struct function_event **batch);

#endif
