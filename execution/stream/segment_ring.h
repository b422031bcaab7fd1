/* SPDX-License-Identifier: MIT */
#ifndef KT_EXECUTION_SEGMENT_RING_H
#define KT_EXECUTION_SEGMENT_RING_H

#include <stdbool.h>
#include <stdint.h>

struct flow_input;
struct jobs;
struct segment;
struct symbols;

/* A stretch of a stream, in its bytes: from @begin to @middle the calling thread
 * decodes it, from there to @end a thread of the ring.  Either may have nothing;
 * the last ends with NO_SYNC.
 */
struct stretch {
	uint64_t begin;
	uint64_t middle;
	uint64_t end;
};

/* Threads that decode their parts of stretches ahead of who takes them, in the
 * order of the stream.
 */
struct segment_ring;

/* Borrows all arguments.  Returns 0 and *@ring, with @count threads or at least
 * one, or a negative enum error.
 */
int segment_ring_open(const struct flow_input *input,
		      const struct symbols *symbols, bool lists_blocks,
		      struct jobs *jobs, unsigned int count,
		      struct segment_ring **ring);
void segment_ring_close(struct segment_ring *ring);

/* Returns whether one more stretch may be added. */
bool segment_ring_has_room(const struct segment_ring *ring);

/* Adds one; @rate: the last known instruction_pace.rate. */
void segment_ring_add(struct segment_ring *ring, const struct stretch *stretch,
		      uint64_t rate);

/* Returns the oldest, or NULL. */
const struct stretch *segment_ring_first(const struct segment_ring *ring);

/* How far threads were ahead of who takes what they decode. */
enum ring_lead {
	RING_LATE,  /* that is waited for */
	RING_AHEAD, /* it was decoded, */
	RING_DONE,  /* and all the rest that was added: they wait */
};

/* Waits until the part of the oldest stretch is decoded that a thread has.
 * Returns 0, *@segment and *@lead, or -ERROR_MEMORY.
 */
int segment_ring_await(struct segment_ring *ring, struct segment **segment,
		       enum ring_lead *lead);

/* Drops the oldest one. */
void segment_ring_drop(struct segment_ring *ring);

#endif
