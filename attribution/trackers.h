/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TRACKERS_H
#define KT_ATTRIBUTION_TRACKERS_H

/* The trackers of one pass over a recording, and the order in which they
 * receive its events.
 *
 *   call events (steps) --+
 *                         +--> step_join --> thread tracker --> other trackers
 *   the kernel's events --+                    --> tables' handlers
 *
 * A table requests the trackers that it needs while it is opened, before the
 * pass: trackers_threads(), trackers_tasks() and so on. Each tracker gives the
 * table its results through a callback or listener, and state by functions of
 * its own. trackers_end() makes all trackers emit what is still open; after
 * that, tables write their output.
 *
 * Invariants:
 * 1. A pass has each tracker at most once, however many tables use it.
 * 2. Each handler receives every step and event after the handlers before it
 *    in trackers_handlers(): a table sees the trackers' state after the event.
 * 3. A tracker without users receives nothing, and costs nothing.
 *
 * One thread runs a pass. If memory runs out during it, trackers_end() returns
 * -ERROR_MEMORY.
 */

#include "attribution/time/task_time.h"

struct allowed_cpus;
struct arch;
struct attribution_input;
struct event_handler;
struct interrupt_accounts;
struct lock_callback;
struct lock_tracker;
struct net_callback;
struct request_callback;
struct requests;
struct step_join;
struct table_records;
struct task_listener;
struct task_tracker;
struct thread_tracker;
struct wait_channels;

/* All trackers of one pass over a recording, each once, shared by all tables.
 * Tables request them when they are opened; a tracker that no table requested
 * does not run.
 */
struct trackers;

struct trackers_options {
	/* copied, except borrowed members; NULL: there is no recording */
	const struct attribution_input *input;
	struct task_time_options time;
	const struct arch *arch;
	bool results_are_behind; /* see task_tracker.h */
};

/* Return the trackers of a new pass, of which only the thread tracker exists
 * yet; NULL when out of memory.
 */
struct trackers *trackers_new(const struct attribution_input *input);
struct trackers *trackers_new_with(const struct trackers_options *options);
void trackers_free(struct trackers *trackers);

/* Removes all threads and tasks, to continue with another recording that has
 * the same functions; @evidence lists the evidence that it contains. Interrupt
 * work and requests must not have been requested. Keeps the memory of tables.
 */
void trackers_reset(struct trackers *trackers,
		    const struct off_cpu_evidence *evidence);

/* The following functions must be called before the pass. They return NULL when
 * out of memory; the trackers own the results.
 *
 * Tracks threads.
 */
struct thread_tracker *trackers_threads(struct trackers *trackers);

/* Tracks system calls and sleeps, with user stacks. */
struct task_tracker *trackers_tasks(struct trackers *trackers,
				    struct task_listener *listener);

/* Like trackers_tasks(), but without user stacks, unless another table requests
 * them.
 */
struct task_tracker *trackers_plain_tasks(struct trackers *trackers,
					  struct task_listener *listener);

/* Tracks interrupt work and its owners, in the input's window. */
struct interrupt_accounts *trackers_interrupts(struct trackers *trackers);

/* Tracks packets, with interrupt work, and passes all of them to @callback,
 * whatever the input's filter selects. Returns false when out of memory.
 */
bool trackers_packets(struct trackers *trackers, struct net_callback *callback);

/* The records of trackers: system calls, sleeps, waits for locks, interrupt
 * work.
 */
extern const struct table_records system_call_records;
extern const struct table_records sleep_records;
extern const struct table_records lock_records;
extern const struct table_records interrupt_records;

/* Tracks waits for locks and passes all of them to @callback, whatever the
 * input's filter selects.
 */
struct lock_tracker *trackers_locks(struct trackers *trackers,
				    struct lock_callback *callback);

/* Tracks the CPUs that threads may use. */
struct allowed_cpus *trackers_allowed_cpus(struct trackers *trackers);

/* Tracks requests and passes all of them to @callback, whatever the input's
 * window.
 */
struct requests *trackers_requests(struct trackers *trackers,
				   struct request_callback *callback);

/* Returns the wait channels, which do not depend on the pass; NULL when out of
 * memory.
 */
const struct wait_channels *trackers_wait_channels(struct trackers *trackers);

/* Makes @handler, a table's, receive the pass after all handlers added before,
 * and after the trackers of threads, tasks and interrupts. A table must request
 * lock and request trackers before. Borrows @handler. Returns 0 or
 * -ERROR_MEMORY.
 */
int trackers_follow(struct trackers *trackers, struct event_handler *handler);

/* Returns all handlers that must receive the pass, in this order, and sets
 * *@count. Valid until another tracker or handler is added.
 */
struct event_handler *const *trackers_handlers(const struct trackers *trackers,
					       size_t *count);

/* Returns a new step_join of these handlers and the recording's events, for a
 * pass over it; NULL when out of memory.
 */
struct step_join *trackers_join(const struct trackers *trackers);

/* Emits everything that has not ended. Must be called after the last step and
 * before the tables end.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int trackers_end(struct trackers *trackers);

#endif
