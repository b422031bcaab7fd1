/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_LOOP_H
#define KT_COLLECTOR_RECORDING_LOOP_H

#include "collector/late_cpus.h"
#include "collector/signal_source.h"
#include "collector/size_watch.h"
#include "collector/target/workload.h"

struct chosen_calls;
struct collector_result;
struct hit_keeper;
struct recording_output;
struct recording_setup;
struct ring_drain;

/* A recording in progress: waits for data and for the end. */
struct recording_loop {
	struct recording_setup *setup;
	struct recording_output *output;
	struct ring_drain *drain;
	struct hit_keeper *keeper;
	struct chosen_calls *calls;
	struct collector_result *result; /* how the recording ended */
	struct workload workload;
	bool command_ended;
	struct signal_source signals;
	int timer; /* fires at the end; -1: none */
	struct size_watch size_watch;
	struct late_cpus late;
};

/* Waits for the start instant of the recording and stores it in *@instant_ns,
 * in CLOCK_REALTIME; 0: start at once. Returns 0, with result->end
 * COLLECTOR_NOT_BEGUN if a signal arrived instead; or a negative enum error if
 * the instant has passed, which is logged.
 */
int recording_loop_activate(struct recording_loop *loop, int64_t *instant_ns);

/* Reads the rings until the recording is to end; sets result->end. Returns 0 or
 * a negative enum error.
 */
int recording_loop_run(struct recording_loop *loop);

/* Waits for the command, unless it has ended. The recording is complete by now,
 * so the command may take its time; a second signal ends the wait.
 */
void recording_loop_wait_for_command(struct recording_loop *loop);

#endif
