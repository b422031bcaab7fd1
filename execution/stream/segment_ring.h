/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_STREAM_SEGMENT_RING_H
#define KT_EXECUTION_STREAM_SEGMENT_RING_H

#include "common/array.h"
#include "execution/follow/record_feed.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_input;
struct record_feed;
struct symbols;

/* Limits how many threads decode at once, over all streams that share it.
 * jobs_begin() and jobs_end() are thread-safe; the rest is for set-up.
 */
struct jobs;

/* Returns NULL when out of memory or semaphores. */
struct jobs *jobs_new(unsigned int count);

void jobs_free(struct jobs *jobs);

unsigned int jobs_count(const struct jobs *jobs);

/* The maximum size of a segment, the bytes of trace that a thread decodes at
 * once, unless set otherwise. It is a compromise: a little trace before each
 * segment is decoded in addition, but the records, about 32 times as large as
 * the trace, should fit into the caches.
 */
#define JOBS_SEGMENT_BYTES ((uint64_t)512 << 10)

uint64_t jobs_segment_bytes(const struct jobs *jobs);

void jobs_set_segment_bytes(struct jobs *jobs, uint64_t bytes);

/* Returns whether to start threads for @bytes of trace: there are several jobs,
 * and a segment for each of a few threads.
 */
bool jobs_are_worth_it(const struct jobs *jobs, uint64_t bytes);

/* A growing array of records, megabytes large, that is filled again and again.
 * It has pages of its own: growing moves them without copying, and they are
 * kept between uses. Memory of malloc() in a thread would be copied when it
 * grows, returned to the kernel and page-faulted in again each time.
 */
struct record_buffer {
	union timed_record *records;
	size_t count;
	size_t room;
};

/* The records between two sync points, and the state at both. Decoding starts a
 * little earlier, so that the state at the first sync point is almost always
 * complete.
 */
struct segment {
	/* position of the first sync point, in the stream's bytes; 0: start of
	 * the stream
	 */
	uint64_t begin;
	/* position of the second sync point; NO_SYNC: end of the stream */
	uint64_t end;
	uint64_t rate;	     /* the last known instruction_pace.rate */
	unsigned int passed; /* sync points passed by the feed */
	bool has_begin;	     /* the first sync point was found */
	/* the second sync point was found; false: the stream ended before it */
	bool has_end;
	struct execution_state states[2]; /* at the two sync points */
	struct record_buffer records;
	struct array marks; /* struct event_mark */
	bool is_off;	    /* record_feed_is_off() at the end */
	uint64_t end_ns;
};

/* Decodes the records of @segment with @feed, starting at its first sync point
 * with @state. Returns 0 or -ERROR_MEMORY.
 */
int segment_decode_from(struct segment *segment, struct record_feed *feed,
			const struct execution_state *state);

/* An interval of a stream, in its bytes: the calling thread decodes it from
 * begin to middle, a thread of the ring from there to end. Either part may be
 * empty. The last interval ends with NO_SYNC.
 */
struct interval {
	uint64_t begin;
	uint64_t middle;
	uint64_t end;
};

/* Threads that decode their parts of intervals ahead of the consumer. A ring of
 * slots, one interval each, in the order of the stream:
 *
 *	waiting ── a thread ──► taken ── decoded ──► done ── drop ──► free
 *
 * The functions below are for one thread, the consumer. A mutex protects the
 * slots' states; the segment of a taken slot belongs to its thread.
 */
struct segment_ring;

/* Starts up to @count threads, at least one. Borrows all arguments. Returns 0
 * and *@ring; -ERROR_SYSTEM if the system starts no thread; or -ERROR_MEMORY.
 */
int segment_ring_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, unsigned int count,
		      struct segment_ring **ring);

void segment_ring_close(struct segment_ring *ring);

/* Returns whether one more interval may be added. */
bool segment_ring_has_room(const struct segment_ring *ring);

/* Adds an interval. @rate: the last known instruction_pace.rate. Requires room.
 */
void segment_ring_add(struct segment_ring *ring,
		      const struct interval *interval, uint64_t rate);

/* Returns the oldest interval, or NULL. */
const struct interval *segment_ring_first(const struct segment_ring *ring);

/* How far the threads are ahead of the consumer. */
enum ring_lead {
	RING_LATE,  /* the oldest segment is not decoded yet */
	RING_AHEAD, /* the oldest segment is decoded */
	RING_DONE,  /* all segments are decoded: the threads wait */
};

/* Waits until the segment of the oldest interval is decoded. Returns 0,
 * *@segment and *@lead, or a negative enum error of decoding.
 */
int segment_ring_await(struct segment_ring *ring, struct segment **segment,
		       enum ring_lead *lead);

/* Removes the oldest interval. */
void segment_ring_drop(struct segment_ring *ring);

#endif
