/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RECORDING_LOOP_INTERNAL_H
#define KT_COLLECTOR_RECORDING_LOOP_INTERNAL_H

#include "collector/late_cpus_internal.h"
#include "collector/target/process_control.h"
#include "collector/target/workload.h"

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct chosen_calls;
struct collector_result;
struct hit_keeper;
struct recording_output;
struct recording_setup;
struct ring_drain;

/* The first size of a recording that is reported. */
#define SIZE_WATCH_FIRST (UINT64_C(1) << 30)

/* Watches the growth of a recording, which can fill a disk in minutes. */
struct size_watch {
	uint64_t next_bytes; /* the next size to report; 0: SIZE_WATCH_FIRST */
};

/* Returns whether a recording of @bytes has just reached SIZE_WATCH_FIRST, or
 * doubled since the last report, so that the user should be informed.
 */
bool size_watch_is_news(struct size_watch *watch, uint64_t bytes);

/* Entries of the poll list: signals; the timer that ends the recording; the
 * timer that ends it some time after a trigger's hit; the pipe of the calls
 * that --only chooses; the socket that reports CPUs that come online; then one
 * entry for each ring, one for each trigger, and one for each process whose end
 * is awaited.
 */
enum poll_entry {
	POLL_SIGNALS,
	POLL_TIMER,
	POLL_AFTER,
	POLL_CHOICE,
	POLL_CPUS,
	POLL_RINGS
};

struct poll_list {
	struct pollfd *polled;
	nfds_t count;
	nfds_t ring_end; /* index after the entries of perf's rings */
	/* the number of entries for processes, which are last */
	nfds_t processes;
};

/* Lists the rings of @setup, and the triggers and processes of @keeper. The
 * entries of enum poll_entry are not polled before poll_list_set(). Returns 0
 * or -ERROR_MEMORY.
 */
int poll_list_open(struct poll_list *list, const struct recording_setup *setup,
		   const struct hit_keeper *keeper);

void poll_list_free(struct poll_list *list);

/* Waits for an entry. Returns 0, even when interrupted by a signal, or
 * -ERROR_SYSTEM.
 */
int poll_list_wait(struct poll_list *list);

/* poll_list_set() sets the descriptor to poll at @entry, -1: none;
 * poll_list_has() returns whether it is ready.
 */
void poll_list_set(struct poll_list *list, enum poll_entry entry, int fd);

bool poll_list_has(const struct poll_list *list, enum poll_entry entry);

/* poll_list_drop_rings() stops polling the rings whose tasks have all ended,
 * and returns whether no more trace can arrive. poll_list_drop_processes()
 * stops polling the processes that have ended, and returns whether processes
 * were polled and all have ended.
 */
bool poll_list_drop_rings(struct poll_list *list);

bool poll_list_drop_processes(struct poll_list *list);

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
 * COLLECTOR_NOT_BEGUN if a signal arrived instead; -ERROR_NOT_FOUND, logged, if
 * the instant has passed; another negative enum error.
 */
int recording_loop_activate(struct recording_loop *loop, int64_t *instant_ns);

/* Reads the rings until the recording is to end; sets result->end. Returns 0 or
 * a negative enum error.
 */
int recording_loop_run(struct recording_loop *loop);

/* Waits for the command, if it was started and has not ended. The recording is
 * complete by now; a signal that ends recordings ends the wait.
 */
void recording_loop_wait_for_command(struct recording_loop *loop);

#endif
