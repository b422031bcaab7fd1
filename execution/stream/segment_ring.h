/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SEGMENT_RING_H
#define KT_EXECUTION_SEGMENT_RING_H

#include <stdbool.h>
#include <stdint.h>

struct flow_input;
struct jobs;
struct segment;
struct symbols;

/* An interval of a stream, in its bytes: the calling thread decodes it from
 * @begin to @middle, a thread of the ring from there to @end. Either part may
 * be empty. The last interval ends with NO_SYNC.
 */
struct stretch {
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
 * and *@ring, or a negative enum error.
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
void segment_ring_add(struct segment_ring *ring, const struct stretch *stretch,
		      uint64_t rate);

/* Returns the oldest interval, or NULL. */
const struct stretch *segment_ring_first(const struct segment_ring *ring);

/* How far the threads are ahead of the consumer. */
enum ring_lead {
	RING_LATE,  /* the oldest segment is not decoded yet */
	RING_AHEAD, /* it is */
	RING_DONE,  /* all segments are: the threads wait */
};

/* Waits until the segment of the oldest interval is decoded. Returns 0,
 * *@segment and *@lead, or a negative enum error of decoding.
 */
int segment_ring_await(struct segment_ring *ring, struct segment **segment,
		       enum ring_lead *lead);

/* Removes the oldest interval. */
void segment_ring_drop(struct segment_ring *ring);

#endif
