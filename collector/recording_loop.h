/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_LOOP_H
#define KT_COLLECTOR_RECORDING_LOOP_H

#include "collector/signal_source.h"
#include "collector/size_watch.h"
#include "collector/target/workload.h"

struct chosen_calls;
struct collector_result;
struct hit_keeper;
struct recording_output;
struct recording_setup;
struct ring_drain;

/* A recording under way: waits for what comes, and for its end. */
struct recording_loop {
	struct recording_setup *setup;
	struct recording_output *output;
	struct ring_drain *drain;
	struct hit_keeper *keeper;
	struct chosen_calls *calls;
	struct collector_result *result; /* says how it ended */
	struct workload workload;
	bool command_ended;
	struct signal_source signals;
	int timer; /* of the end; -1: none */
	struct size_watch size_watch;
};

/* Waits for the instant at which the recording is to begin, *@instant_ns of
 * CLOCK_REALTIME; 0: it begins at once.  Returns 0, with result->end
 * COLLECTOR_NOT_BEGUN if a signal came instead; or a negative enum error: it has
 * passed, which is said to the log.
 */
int recording_loop_activate(struct recording_loop *loop, int64_t *instant_ns);

/* Reads the rings until the recording is to end: sets result->end.  Returns 0 or a
 * negative enum error.
 */
int recording_loop_run(struct recording_loop *loop);

/* Waits for the command, unless it has ended: the recording is complete, and it may
 * take its time.  A second signal says that the user will not wait.
 */
void recording_loop_wait_for_command(struct recording_loop *loop);

#endif
