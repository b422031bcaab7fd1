/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_EVENT_MERGE_H
#define KT_REPORT_EVENT_MERGE_H

#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

/* The events of all CPUs in order of time, in runs: the events of one CPU that
 * come before the next one of any other.
 *
 * One thing goes before time: a task leaves the CPU it runs on before it
 * comes to another, even where two CPUs' clocks disagree a little.
 */
struct event_merge;

/* Provides the next events of one CPU, 1 or more, valid until the next call.
 *
 * Returns their count, 0 at the end, or a negative enum error.
 */
typedef int event_batch_next(void *ctx, const struct function_event **batch);

/* Tells whether stream @index may not take the switch @event yet, because the
 * task still runs in stream *@where.
 */
typedef bool event_merge_holds(void *ctx, uint32_t index,
			       const struct function_event *event,
			       uint32_t *where);

/* Returns NULL when out of memory. */
struct event_merge *event_merge_new(event_merge_holds *holds, void *ctx);
void event_merge_free(struct event_merge *merge);

/* Adds a stream, whose events @next provides when called with @ctx; streams
 * are numbered from 0.  @switches_alone: it provides each FUNCTION_SWITCH and
 * FUNCTION_END by itself, so that no others need to be looked at.
 *
 * Returns 0 or a negative enum error.
 */
int event_merge_add(struct event_merge *merge, event_batch_next *next,
		    void *ctx, bool switches_alone);

/* Provides the next events, valid until the next call, and their stream.  A
 * FUNCTION_SWITCH and a FUNCTION_END come alone.
 *
 * Returns their count, 0 when all streams have ended, or a negative enum
 * error.
 */
int event_merge_next(struct event_merge *merge, uint32_t *index,
		     const struct function_event **events);

/* Returns a time that no event still to come is before, as long as the events
 * handed out last are valid; UINT64_MAX if none will come.
 */
uint64_t event_merge_time(const struct event_merge *merge);

/* Returns how many of the events that stream @index has provided last are still
 * to come.
 */
uint64_t event_merge_left(const struct event_merge *merge, uint32_t index);

#endif
