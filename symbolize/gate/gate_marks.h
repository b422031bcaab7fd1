/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_GATE_MARKS_H
#define KT_SYMBOLIZE_GATE_GATE_MARKS_H

#include "common/formats/recording_events.h"

#include <stdbool.h>
#include <stdint.h>

struct function_event;
struct recording;
struct sideband_record;

/* The marks that the probes of a gate (record --only) leave when they resume or
 * pause the trace of a CPU, and their relation to the trace's own starts and
 * stops.
 *
 *	records ─► probe_marks: marks of a CPU ─► gate_feed: two ahead
 *	                                           │
 *	function event ─► gate_mark_action() ◄─────┘ ─► gate_events.c acts
 *
 * A mark is written before or after the start or stop that it causes, and each
 * of the two can be lost. gate_mark_action() decides which mark and event
 * belong together, from the state, the event, the next mark and the one after
 * it.
 */

/* More than the functions in the kernel's call chains (PERF_MAX_STACK_DEPTH).
 */
enum { GATE_CHAIN_MAX = 127 };

/* One mark of the recorder's probes (common/formats/recording_events.h). */
struct probe_mark {
	uint64_t time_ns;
	uint8_t kind;	/* enum gate_mark_kind */
	uint32_t count; /* of chain */
	/* The kernel's call chain, innermost function first: the current
	 * address, then the return addresses.
	 */
	uint64_t chain[GATE_CHAIN_MAX];
};

/* Provides the next mark of a CPU, in order of time. Returns 1 and sets @mark,
 * 0 at the end, or a negative enum error.
 */
typedef int probe_mark_source(void *ctx, struct probe_mark *mark);

/* Returns whether @record is a mark, and if so sets @mark. Records of an
 * unknown kind or with too few bytes do not count.
 */
bool probe_mark_read(const struct sideband_record *record,
		     struct probe_mark *mark);

/* The marks of one CPU, with a look-ahead of two. */
struct gate_feed {
	probe_mark_source *source;
	void *ctx;
	struct probe_mark marks[2];
	unsigned int first; /* index of the next mark */
	unsigned int count;
};

/* Starts with the first marks of @source, which is called with @ctx. Returns 0
 * or the error of the source.
 */
int gate_feed_begin(struct gate_feed *feed, probe_mark_source *source,
		    void *ctx);

/* gate_feed_first() returns the next mark, gate_feed_second() the one after it;
 * NULL if there is none. Valid until gate_feed_advance().
 */
const struct probe_mark *gate_feed_first(const struct gate_feed *feed);
const struct probe_mark *gate_feed_second(const struct gate_feed *feed);

/* Drops the first mark and reads one more. The first mark must exist. Returns 0
 * or the error of the source.
 */
int gate_feed_advance(struct gate_feed *feed);

/* The state of a CPU. */
enum gate_state {
	GATE_CLOSED,   /* not traced: no chosen call runs */
	GATE_ARRIVING, /* traced, in the probe that resumed the trace */
	GATE_INSIDE,   /* traced, in the chosen call */
	GATE_ASIDE,    /* traced, perhaps in a probe that pauses the trace */
	GATE_LOST,     /* in the chosen call; trace is missing */
};

/* How to handle a mark when an event arrives. */
enum gate_action {
	GATE_WAIT, /* the mark is later than the event */
	GATE_SKIP, /* the mark changes nothing */
	GATE_LOSE, /* the trace that the mark resumed is missing */
	/* The event is the start or stop of the trace that the mark caused: */
	GATE_RESUME,
	GATE_PAUSE,
	GATE_CLOSE, /* no chosen call runs from the mark's time on */
};

/* Returns how to handle @mark, the first remaining one, in @state when @event
 * arrives; @next is the mark after it, or NULL.
 */
enum gate_action gate_mark_action(enum gate_state state,
				  const struct probe_mark *mark,
				  const struct probe_mark *next,
				  const struct function_event *event);

/* An iterator over a recording's marks of one CPU. */
struct probe_marks;

/* Borrows @recording. Returns NULL when out of memory. */
struct probe_marks *probe_marks_open(const struct recording *recording,
				     int32_t cpu);
void probe_marks_close(struct probe_marks *marks);

/* Provides the next mark, as a probe_mark_source; @marks is the struct
 * probe_marks.
 */
int probe_marks_next(void *marks, struct probe_mark *mark);

#endif
