/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SCHED_EVENTS_H
#define KT_ATTRIBUTION_SCHED_EVENTS_H

struct event_record;
struct sideband_record;
struct span_out;
struct threads;
struct traced_cpus;

/* The kernel's events about threads change these, all borrowed. */
struct sched_events {
	struct threads *threads;
	const struct traced_cpus *cpus;
	const struct span_out *out;
};

/* Applies sched_switch, sched_waking or sched_wakeup_new; others are let pass.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int sched_events_take(const struct sched_events *events,
		      const struct event_record *event);

/* Applies a fork, exit or exec; others are let pass.  Returns the same. */
int sched_events_record(const struct sched_events *events,
			const struct sideband_record *record);

#endif
