/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_HIT_KEEPER_H
#define KT_COLLECTOR_HIT_KEEPER_H

#include "collector/hit_wait.h"
#include "collector/target/process_watch.h"
#include "collector/trigger/trigger_set.h"

struct collector_result;
struct recording_output;
struct recording_setup;
struct ring_drain;

/* Keeps the newest trace: when a trigger hits, or somebody asks for a snapshot. */
struct hit_keeper {
	struct recording_setup *setup;
	struct recording_output *output;
	struct ring_drain *drain;
	struct collector_result *result; /* counts what was kept */
	struct trigger_set triggers;
	struct process_watch processes; /* whose hits count */
	struct hit_wait hits;
	bool can_pause;	     /* a hit pauses the trace, ... */
	size_t resume_spec;  /* ... which goes on by this */
	uint64_t stopped_ns; /* the trace, in this turn; 0: it was not */
};

/* Makes @keeper, whose pointers are set, one without triggers. */
void hit_keeper_init(struct hit_keeper *keeper);

/* Disarms the triggers.  The events must be closed. */
void hit_keeper_free(struct hit_keeper *keeper);

/* Arms the triggers of the options, when the trace's events are open.  Returns 0
 * or a negative enum error with the reason in the log, as the others here.
 */
int hit_keeper_arm(struct hit_keeper *keeper);

/* Stops all trace as soon as something came that may be a hit: what is done
 * before it is kept would be in it.  And goes on if it was none.
 */
int hit_keeper_freeze(struct hit_keeper *keeper);
int hit_keeper_unfreeze(struct hit_keeper *keeper);

/* Keeps the trace of a hit, if there is one, and @is_time or no time is to pass
 * behind it.
 */
int hit_keeper_keep(struct hit_keeper *keeper, bool is_time);

/* Ends a turn of the recorder: notes for how long it kept others from running. */
void hit_keeper_end_turn(struct hit_keeper *keeper);

/* Keeps what the snapshot's rings hold. */
int hit_keeper_snapshot(struct hit_keeper *keeper);

/* The last snapshot, with its hit if there was one. */
int hit_keeper_keep_last(struct hit_keeper *keeper);

#endif
