/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_TIME_THREAD_TRACKER_H
#define KT_ATTRIBUTION_TIME_THREAD_TRACKER_H

#include "attribution/events/known_events.h"
#include "attribution/time/task_time.h"
#include "common/array.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct event_handler;
struct task_paths;

/* The sys_enter event of a thread's last system call. */
struct call_entry {
	int32_t tid;
	int64_t number;
	uint64_t arguments[SYSTEM_CALL_ARGUMENTS];
	struct sideband_record record; /* has the user stack, if any */
};

/* The last entries of all threads. */
struct call_entries {
	struct keyed_array all; /* struct call_entry */
};

#define CALL_ENTRIES_NONE \
	((struct call_entries){ KEYED_ARRAY_OF(struct call_entry, tid) })

void call_entries_free(struct call_entries *entries);

/* Consumes any event. Returns 0 or -ERROR_MEMORY. */
int call_entries_consume(struct call_entries *entries,
			 const struct event_record *event);

/* Returns the last entry of thread @tid, valid until the next event, or NULL.
 */
const struct call_entry *call_entries_find(const struct call_entries *entries,
					   int32_t tid);

/* The single account of threads in a pass over a recording: the class of their
 * time, their open functions and kernel contexts, and their wakers. All tables
 * of the pass query it and keep none of this themselves.
 *
 * It receives each step, event and record before the tables do: its answers are
 * then those after the step, and the spans that the step ends have been
 * emitted. Facts that no table requested are not tracked.
 */
struct thread_tracker;

/* Returns a tracker that tracks nothing yet; NULL when out of memory. Borrows
 * the pointers in @options.
 */
struct thread_tracker *
thread_tracker_new(const struct task_time_options *options);
void thread_tracker_free(struct thread_tracker *tracker);

/* Removes all threads, to continue with another recording that has the same
 * functions; @evidence lists the evidence that it contains.
 */
void thread_tracker_reset(struct thread_tracker *tracker,
			  const struct off_cpu_evidence *evidence);

/* Requests all spans, cut to @window, for @callback, which is borrowed. This
 * and the three functions below must be called before the pass; the tracker
 * owns what they return. Returns 0 or -ERROR_MEMORY.
 */
int thread_tracker_hand_spans(struct thread_tracker *tracker,
			      struct span_callback *callback,
			      struct time_window window);

/* Tracks the time of threads. Returns NULL when out of memory. */
struct task_time *thread_tracker_time(struct thread_tracker *tracker);

/* Tracks open functions. Returns NULL when out of memory. */
const struct task_paths *thread_tracker_paths(struct thread_tracker *tracker);

/* Tracks each thread's last system call, by sys_enter. Returns NULL when out of
 * memory.
 */
const struct call_entries *thread_tracker_calls(struct thread_tracker *tracker);

/* Returns whether the last call event may have changed its thread's state, or
 * the time up to which the thread's spans were emitted. Most change neither.
 */
bool thread_tracker_has_changed(const struct thread_tracker *tracker);

/* Returns whether anything was requested. */
bool thread_tracker_is_asked(const struct thread_tracker *tracker);

/* Returns the handler that must run before the tracker's users. */
struct event_handler *thread_tracker_handler(struct thread_tracker *tracker);

/* Emits the spans that are still open. Must be called after the last step and
 * before the tables end.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int thread_tracker_end(struct thread_tracker *tracker);

#endif
