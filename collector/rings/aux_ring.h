/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_AUX_RING_H
#define KT_COLLECTOR_AUX_RING_H

#include "collector/rings/ring.h"

#include <stdbool.h>

/* The trace of one CPU, as its trace unit writes it to memory. */
struct aux_ring {
	struct perf_event_mmap_page *page; /* of the event's own ring */
	uint8_t *bytes;
	size_t size;
	uint64_t read;	/* bytes ever given back; the kernel hears of fewer */
	bool overwrite; /* the newest bytes stay: a snapshot */
};

/* The kernel wakes the reader each time that this part of a ring is full. */
enum { AUX_RING_WATERMARKS = 4 };

/* Maps @size bytes (a power of two, at least a page) of trace for the event
 * @fd, whose ring is @ring.  @overwrite: the kernel never waits for us.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int aux_ring_map(struct aux_ring *aux, const struct ring *ring, int fd,
		 size_t size, bool overwrite);
void aux_ring_unmap(struct aux_ring *aux);

/* Returns what was traced and not released: whole packets, since the kernel
 * counts what a stopped trace unit has written.  Not for overwrite.
 */
struct ring_bytes aux_ring_read(const struct aux_ring *aux);

/* Returns how many bytes the trace unit has ever written. */
uint64_t aux_ring_head(const struct aux_ring *aux);

/* Returns whether the trace unit had no room left, as far as it knew what has
 * been released.
 */
bool aux_ring_is_full(const struct aux_ring *aux);

/* Gives @bytes, as aux_ring_read() returned them, back to the trace unit; what
 * ends inside of a stretch of memory only when the rest of it is.
 */
void aux_ring_release(struct aux_ring *aux, const struct ring_bytes *bytes);

/* Returns all that an overwrite ring holds, the oldest first.  The event must
 * be disabled, and the ring mapped anew before it is enabled again: only a
 * fresh ring, which is all zeros, shows how far it was filled.
 */
struct ring_bytes aux_ring_snapshot(const struct aux_ring *aux);

/* The same where the driver counts on in an overwrite ring, as CoreSight's sinks
 * do: what came behind the first @from bytes ever written.
 */
struct ring_bytes aux_ring_since(const struct aux_ring *aux, uint64_t from);

#endif
