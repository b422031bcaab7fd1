/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_LANES_H
#define KT_TABLES_LANES_H

/* Lanes: the tracks that an export shows beside functions, since call events
 * alone do not have them. The trackers of the reports find system calls, sleeps
 * and interrupt work; each ended one becomes spans for the callback of the
 * format (report/timeline/span_export.h), so that exports and reports agree.
 *
 *  task_tracker.h ------- calls and sleeps that ended --> call_lanes,
 *                                                         sleep_lanes
 *  kernel events -------- wake-ups ---------------------> wakings
 *  interrupt_accounts.h - slices begin and end ---------> interrupt_lanes
 *  threads' spans, the trace's frequencies -------------> counter_lanes
 *  waits without sleep, I/O, calls with arguments ------> wait_lanes
 *
 * Invariants:
 * 1. Spans of a lane nest. They are emitted at their end, so neither lanes nor
 *    the spans of one are in order of time.
 * 2. A span is emitted if its task and its start are chosen by the options'
 *    filter and window. Spans shorter than min_ns are left out, wake-ups never.
 *
 * Memory: open calls, sleeps and slices; all I/O and calls with arguments. Errors: -ERROR_MEMORY, kept until
 * lanes_end().
 */

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/time/time_span.h"
#include "common/array.h"
#include "tables/waits/block_io.h"
#include "tables/waits/spins.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;
struct event_record;
struct lane_callback;
struct read_calls;
struct sleep;
struct system_call;
struct wakers;

/* A reusable text buffer that is written to as a FILE. */
struct lane_text {
	FILE *out;
	char *bytes;
	size_t size;
};

struct lanes_options {
	/* borrowed; includes the filter and window */
	const struct attribution_input *input;
	uint64_t min_ns; /* shorter spans are left out, except wake-ups */
};

/* Emits spans of system calls, with the recorded arguments and results. */
struct call_lanes {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct lane_text arguments;
	struct lane_text result;
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @lanes either way. */
int call_lanes_open(struct call_lanes *lanes,
		    const struct lanes_options *options,
		    struct lane_callback *callback);
void call_lanes_free(struct call_lanes *lanes);

/* Emits the span of a call that has ended. */
void call_lanes_take(struct call_lanes *lanes, const struct system_call *call);

/* Emits two spans for each sleep: asleep, named after the function that decided
 * to wait, and runnable, with an arrow from the waker's position.
 */
struct sleep_lanes {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct lane_text waker;
	uint64_t flows;
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @lanes either way. */
int sleep_lanes_open(struct sleep_lanes *lanes,
		     const struct lanes_options *options,
		     struct lane_callback *callback);
void sleep_lanes_free(struct sleep_lanes *lanes);

/* Emits the spans of a sleep that has ended; @wakers are the tracker's wakers.
 */
void sleep_lanes_take(struct sleep_lanes *lanes, const struct sleep *sleep,
		      const struct wakers *wakers);

/* Emits the kernel's wake-ups. */
struct wakings {
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
};

/* Emits sched_waking and sched_wakeup_new; ignores other events. */
void wakings_event(const struct wakings *wakings,
		   const struct event_record *event);

/* Emits the counters, at the end, and spans of throttled threads. */
struct counter_lanes {
	struct span_callback spans;
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct array changes;		/* struct runnable_change */
	int status;			/* 0, or -ERROR_MEMORY */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @lanes either way. */
int counter_lanes_open(struct counter_lanes *lanes,
		       const struct lanes_options *options,
		       struct lane_callback *callback);
void counter_lanes_free(struct counter_lanes *lanes);

/* Emits the counters. Returns 0 or a negative enum error, also of earlier
 * spans.
 */
int counter_lanes_end(struct counter_lanes *lanes);

/* Emits spans of waits without sleep, of calls with recorded arguments, and of
 * I/O of block devices. I/O overlaps, so it is spread over as many tracks as are
 * in flight at once; for that it is emitted at the end.
 */
struct wait_lanes {
	struct block_callback block;
	struct spin_callback spin;
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct block_tracker *blocks;
	struct spin_tracker *spins;
	struct read_calls *calls;
	struct array ios; /* struct block_io */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @lanes either way. */
int wait_lanes_open(struct wait_lanes *lanes,
		    const struct lanes_options *options,
		    struct lane_callback *callback);
void wait_lanes_free(struct wait_lanes *lanes);

/* Emits I/O and calls. Returns 0, or -ERROR_MEMORY if memory ever ran out. */
int wait_lanes_end(struct wait_lanes *lanes);

/* Emits spans of slices of interrupt work: on the tracks of CPUs, and on those
 * of kernel threads that run deferred work. The kind of a slice is known only
 * when it ends, so slices are queued until the outermost one ends.
 */
struct interrupt_lanes {
	struct interrupt_observer observer;
	struct lanes_options options;
	struct lane_callback *callback; /* borrowed */
	struct array tasks;		/* struct task_slices by task index */
	uint64_t last_ns;
	int status; /* 0, or -ERROR_MEMORY */
};

struct interrupt_lanes interrupt_lanes_of(const struct lanes_options *options,
					  struct lane_callback *callback);

/* Emits the slices that have not ended. Returns 0, or -ERROR_MEMORY if memory
 * ever ran out.
 */
int interrupt_lanes_end(struct interrupt_lanes *lanes);
void interrupt_lanes_free(struct interrupt_lanes *lanes);

/* Emits timeline spans that are made from the kernel's events and call events
 * together: system calls, sleeps and wake-ups, interrupt work. A timeline shows
 * them beside the functions. They are made by the same trackers as the reports,
 * so both agree.
 */
struct lanes;

/* Borrows @callback.  Returns NULL when out of memory. */
struct lanes *lanes_new(const struct lanes_options *options,
			struct lane_callback *callback);
void lanes_free(struct lanes *lanes);

/* Emits all unfinished spans. Must be called after the last call event.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int lanes_end(struct lanes *lanes);

#endif
