/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RING_DRAIN_H
#define KT_COLLECTOR_RING_DRAIN_H

#include "collector/records/record_watch.h"

struct hit_wait;
struct recording_output;
struct recording_setup;

/* Copies the content of the rings into the recording. */
struct ring_drain {
	struct recording_setup *setup;
	struct recording_output *output;
	struct hit_wait *hits; /* examines the records of triggers */
	struct record_counts counts;
};

/* Reads all rings once.  Returns 0 or a negative enum error. */
int ring_drain_all(struct ring_drain *drain);

/* Adds the records of code that was copied since. Returns 0 or a negative enum
 * error.
 */
int ring_drain_late_records(struct ring_drain *drain);

/* Resumes traces that stopped because their buffer was full. Must be called
 * after the buffers were read. Returns 0 or -ERROR_SYSTEM.
 */
int ring_drain_resume(struct ring_drain *drain);

#endif
