/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SIDE_TRACKS_H
#define KT_TABLES_SIDE_TRACKS_H

/* The tracks that an export shows beside the tracks of functions. The trackers
 * of the reports find system calls, sleeps, interrupt work and other waits;
 * each one becomes a span when it ends, so that exports and reports agree.
 * Spans are emitted to the callback of the format
 * (report/timeline/span_export.h).
 *
 *  task_tracker.h ------- calls and sleeps that ended --> call_tracks,
 *                                                         sleep_tracks
 *  kernel events -------- wake-ups ---------------------> wakings
 *  interrupt_accounts.h - slices begin and end ---------> interrupt_tracks
 *  threads' spans, the trace's counters ----------------> counter_tracks
 *  waits without sleep, I/O, calls with arguments,
 *  intervals without interrupts or preemption ----------> wait_tracks
 *
 * Invariants:
 * 1. Spans of a track nest. They are emitted at their end, so spans are not in
 *    order of time, not even those of one track.
 * 2. A span is emitted if its task and its start are chosen by the options'
 *    filter and window. Spans shorter than min_ns are left out, wake-ups never.
 *
 * Memory grows with the number of open calls, sleeps and slices, and of all
 * I/O, calls with arguments, and changes of the number of runnable threads.
 * side_tracks_end() reports errors.
 */

#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/time/time_span.h"
#include "common/array.h"
#include "tables/waits/block_io.h"
#include "tables/waits/off_intervals.h"
#include "tables/waits/spins.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct attribution_input;
struct event_record;
struct track_callback;
struct read_calls;
struct sleep;
struct system_call;
struct wakers;

/* A text buffer with a FILE to write to it; each text replaces the previous
 * one.
 */
struct track_text {
	FILE *out;
	char *bytes;
	size_t size;
};

struct side_tracks_options {
	/* borrowed; includes the filter and window */
	const struct attribution_input *input;
	uint64_t min_ns; /* shorter spans are left out, except wake-ups */
};

/* Emits spans of system calls, with the recorded arguments and results. */
struct call_tracks {
	struct side_tracks_options options;
	struct track_callback *callback; /* borrowed */
	struct track_text arguments;
	struct track_text result;
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @tracks either way. */
int call_tracks_open(struct call_tracks *tracks,
		     const struct side_tracks_options *options,
		     struct track_callback *callback);
void call_tracks_free(struct call_tracks *tracks);

/* Emits the span of @call, which has ended, if the options select it. */
void call_tracks_consume(struct call_tracks *tracks,
			 const struct system_call *call);

/* Emits two spans for each sleep: asleep, named after the function that decided
 * to wait, and runnable, with an arrow from the waker's position.
 */
struct sleep_tracks {
	struct side_tracks_options options;
	struct track_callback *callback; /* borrowed */
	struct track_text waker;
	uint64_t flows;
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @tracks either way. */
int sleep_tracks_open(struct sleep_tracks *tracks,
		      const struct side_tracks_options *options,
		      struct track_callback *callback);
void sleep_tracks_free(struct sleep_tracks *tracks);

/* Emits the spans of a sleep that has ended; @wakers are the tracker's wakers.
 */
void sleep_tracks_consume(struct sleep_tracks *tracks,
			  const struct sleep *sleep,
			  const struct wakers *wakers);

/* Emits the kernel's wake-ups. */
struct wakings {
	struct side_tracks_options options;
	struct track_callback *callback; /* borrowed */
};

/* Emits sched_waking and sched_wakeup_new; ignores other events. */
void wakings_event(const struct wakings *wakings,
		   const struct event_record *event);

/* Emits spans of throttled threads, and at the end of the pass the counters:
 * the number of runnable threads, and the frequencies and rings of CPUs.
 */
struct counter_tracks {
	struct span_callback spans;
	struct side_tracks_options options;
	struct track_callback *callback; /* borrowed */
	struct array changes;		 /* struct runnable_change */
	int status;			 /* 0, or -ERROR_MEMORY */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @tracks either way. */
int counter_tracks_open(struct counter_tracks *tracks,
			const struct side_tracks_options *options,
			struct track_callback *callback);
void counter_tracks_free(struct counter_tracks *tracks);

/* Emits the counters. Returns 0 or a negative enum error; also if an earlier
 * span failed.
 */
int counter_tracks_end(struct counter_tracks *tracks);

/* Emits spans of waits without sleep, of calls with recorded arguments, of
 * I/O of block devices, and of intervals without interrupts or preemption. I/Os
 * overlap, so each gets the first track that is free at its start; this requires
 * all I/Os, so they are emitted at the end of the pass.
 */
struct wait_tracks {
	struct block_callback block;
	struct spin_callback spin;
	struct off_callback interrupts_off;
	struct off_callback preemption_off;
	struct side_tracks_options options;
	struct track_callback *callback; /* borrowed */
	struct block_tracker *blocks;
	struct spin_tracker *spins;
	struct read_calls *calls;
	struct off_tracker *offs[2]; /* of interrupts, of preemption */
	struct array ios;	     /* struct block_io */
};

/* Returns 0 or -ERROR_MEMORY. The caller must free @tracks either way. */
int wait_tracks_open(struct wait_tracks *tracks,
		     const struct side_tracks_options *options,
		     struct track_callback *callback);
void wait_tracks_free(struct wait_tracks *tracks);

/* Emits I/O, calls with arguments and the last intervals. Must be called after
 * the pass. Returns 0, or -ERROR_MEMORY if memory ever ran out.
 */
int wait_tracks_end(struct wait_tracks *tracks);

/* Emits spans of slices of interrupt work: on the tracks of CPUs, or of kernel
 * threads that run deferred work. The kind of a slice is known only when it
 * ends, so slices are queued until the outermost one ends.
 */
struct interrupt_tracks {
	struct interrupt_observer observer;
	struct side_tracks_options options;
	struct track_callback *callback; /* borrowed */
	struct array tasks;		 /* struct task_slices by task index */
	uint64_t last_ns;
	int status; /* 0, or -ERROR_MEMORY */
};

struct interrupt_tracks
interrupt_tracks_of(const struct side_tracks_options *options,
		    struct track_callback *callback);

/* Emits the slices that have not ended. Returns 0, or -ERROR_MEMORY if memory
 * ever ran out.
 */
int interrupt_tracks_end(struct interrupt_tracks *tracks);
void interrupt_tracks_free(struct interrupt_tracks *tracks);

/* All side tracks of one export. */
struct side_tracks;

/* Creates all tracks and registers them with the trackers of the options'
 * input. Borrows @callback and the pointers of @options. Returns NULL when out
 * of memory.
 */
struct side_tracks *side_tracks_new(const struct side_tracks_options *options,
				    struct track_callback *callback);
void side_tracks_free(struct side_tracks *tracks);

/* Emits all spans that are not yet emitted, and the counters. Must be called
 * after the last call event.
 *
 * Returns 0 or a negative enum error: -ERROR_MEMORY if anything was lost for
 * lack of memory, or the error of reading a CPU's trace.
 */
int side_tracks_end(struct side_tracks *tracks);

#endif
