/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_HIT_KEEPER_INTERNAL_H
#define KT_COLLECTOR_HIT_KEEPER_INTERNAL_H

#include "collector/hit_wait_internal.h"
#include "collector/target/workload.h"
#include "collector/trigger/trigger_set.h"

struct collector_result;
struct recording_output;
struct recording_setup;
struct ring_drain;

/* Saves the newest trace when a trigger hits or the user requests a snapshot. A
 * turn is one iteration of the recorder's loop (recording_loop_internal.h).
 */
struct hit_keeper {
	struct recording_setup *setup;
	struct recording_output *output;
	struct ring_drain *drain;
	struct collector_result *result; /* counts the saved snapshots */
	struct trigger_set triggers;
	/* the recorded processes, watched for their end */
	struct process_watch processes;
	struct hit_wait hits;
	bool can_pause;	    /* a hit pauses the trace in the kernel */
	size_t resume_spec; /* the spec that resumes a paused trace */
	/* when the trace was stopped in this turn; 0: it was not stopped */
	uint64_t stopped_ns;
};

/* Initializes @keeper, whose pointers must be set, without triggers. */
void hit_keeper_init(struct hit_keeper *keeper);

/* Disarms the triggers. The events must be closed. */
void hit_keeper_free(struct hit_keeper *keeper);

/* Arms the triggers of the options. Must be called after the trace's events are
 * open. Returns 0 or a negative enum error with the reason in the log, as do
 * the other functions here.
 */
int hit_keeper_arm(struct hit_keeper *keeper);

/* hit_keeper_freeze() stops all trace if there may be a hit, so that the trace
 * does not contain the recorder's own work. It does nothing with
 * options->after_ns. hit_keeper_unfreeze() resumes it if there was no hit.
 */
int hit_keeper_freeze(struct hit_keeper *keeper);
int hit_keeper_unfreeze(struct hit_keeper *keeper);

/* Saves the trace of a hit, if there is one. A hit with a wait is saved only
 * when the wait has ended (@is_time), or at once if the wait has no timer.
 */
int hit_keeper_keep(struct hit_keeper *keeper, bool is_time);

/* Ends a turn. If the trace was stopped in it, adds the time from then until
 * now to the stops: latencies that only stops explain are not hits.
 */
void hit_keeper_end_turn(struct hit_keeper *keeper);

/* Saves the content of the snapshot's rings. */
int hit_keeper_snapshot(struct hit_keeper *keeper);

/* Saves the last snapshot, with its hit if there was one. */
int hit_keeper_keep_last(struct hit_keeper *keeper);

#endif
