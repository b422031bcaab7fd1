/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_EVENT_MERGE_H
#define KT_REPORT_EVENT_MERGE_H

/* The events of all CPUs in one order, in runs of one CPU.
 *
 *	event_batch_next of each CPU ─► event_merge_next() ─► one run of events
 *
 * 1. Events of one CPU keep their order, whatever their times.
 * 2. Between CPUs time decides, with two exceptions: a switch to a task waits
 *    until the task has left its previous CPU (event_merge_holds), and events
 *    between switches may run ahead (event_merge_run_ahead).
 * 3. The order does not depend on the sizes of the batches.
 *
 * One thread. Memory: nothing is copied; one batch of each CPU is held. Errors:
 * as of the streams.
 */

#include "symbolize/events/function_event.h"

#include <stdbool.h>
#include <stdint.h>

/* Merges the events of all CPUs in order of time, in runs: the events of one
 * CPU that precede the next event of any other.
 *
 * One rule overrides time: a task leaves the CPU it runs on before it is
 * switched to on another, even if the two CPUs' clocks disagree a little.
 */
struct event_merge;

/* Provides the next events of one CPU, 1 or more, valid until the next call.
 *
 * Returns their count, 0 at the end, or a negative enum error.
 */
typedef int event_batch_next(void *ctx, const struct function_event **batch);

/* Returns whether stream @index must wait with the switch @event, because the
 * task still runs in stream *@where.
 */
typedef bool event_merge_holds(void *ctx, uint32_t index,
			       const struct function_event *event,
			       uint32_t *where);

/* Returns NULL when out of memory. */
struct event_merge *event_merge_new(event_merge_holds *holds, void *ctx);
void event_merge_free(struct event_merge *merge);

/* Lets each stream run ahead of the others by up to @ahead_ns between its
 * switches, which stay in order: for a consumer that depends on the order of
 * each task's events only. Runs are then long with any number of CPUs.
 */
void event_merge_run_ahead(struct event_merge *merge, uint64_t ahead_ns);

/* Adds a stream, whose events @next provides when called with @ctx; streams are
 * numbered from 0. @switches_alone: it provides each FUNCTION_SWITCH and
 * FUNCTION_END in a batch of its own, so that other batches need no scan.
 *
 * Returns 0 or a negative enum error.
 */
int event_merge_add(struct event_merge *merge, event_batch_next *next,
		    void *ctx, bool switches_alone);

/* Provides the next events, valid until the next call, and their stream. A
 * FUNCTION_SWITCH or FUNCTION_END is always alone.
 *
 * Returns their count, 0 when all streams have ended, or a negative enum error.
 */
int event_merge_next(struct event_merge *merge, uint32_t *index,
		     const struct function_event **events);

/* Returns a lower bound on the time of all later events, as long as the last
 * events provided are valid; UINT64_MAX at the end.
 */
uint64_t event_merge_time(const struct event_merge *merge);

/* Returns how many events of stream @index's current batch have not been
 * provided yet.
 */
uint64_t event_merge_left(const struct event_merge *merge, uint32_t index);

#endif
