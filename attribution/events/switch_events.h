/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SWITCH_EVENTS_H
#define KT_ATTRIBUTION_SWITCH_EVENTS_H

#include "attribution/events/known_events.h"

/* Perf's own records of task switches as events of sched_switch, which say the
 * same and cost the traced kernel a second time.
 */
struct switch_events;

/* Returns NULL when out of memory. */
struct switch_events *switch_events_new(void);
void switch_events_free(struct switch_events *switches);

/* Takes each record of a switch, an exit and a fork, in order of time: of a
 * task that leaves a CPU only its exit before tells that it ends.
 *
 * Returns 1 and *@event, which borrows @record, if it is a task leaving a CPU;
 * 0 if not; -ERROR_MEMORY.
 */
int switch_events_take(struct switch_events *switches,
		       const struct sideband_record *record,
		       struct event_record *event);

#endif
