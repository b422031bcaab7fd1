/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SWITCH_EVENTS_H
#define KT_ATTRIBUTION_SWITCH_EVENTS_H

#include "attribution/events/known_events.h"

/* Converts perf's own task switch records to sched_switch events. They contain
 * the same facts, so recording sched_switch as well would only slow the traced
 * kernel down.
 */
struct switch_events;

/* Returns NULL when out of memory. */
struct switch_events *switch_events_new(void);
void switch_events_free(struct switch_events *switches);

/* Consumes each switch, exit and fork record, in order of time. Exit records
 * are needed because only they show that a task that leaves a CPU has ended.
 *
 * Returns 1 and sets *@event, which borrows @record, if a task leaves a CPU; 0
 * if not; -ERROR_MEMORY.
 */
int switch_events_take(struct switch_events *switches,
		       const struct sideband_record *record,
		       struct event_record *event);

#endif
