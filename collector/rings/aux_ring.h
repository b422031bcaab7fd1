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
	uint64_t read;	/* total bytes released; the kernel may lag */
	bool overwrite; /* keep the newest bytes: a snapshot */
};

/* The kernel wakes the reader each time that this fraction of a ring is full.
 */
enum { AUX_RING_WATERMARKS = 4 };

/* Maps @size bytes (a power of two, at least a page) of trace for the event
 * @fd, whose ring is @ring. @overwrite: the kernel overwrites data that was not
 * read.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int aux_ring_map(struct aux_ring *aux, const struct ring *ring, int fd,
		 size_t size, bool overwrite);
void aux_ring_unmap(struct aux_ring *aux);

/* Returns the trace that was not released yet, in whole packets, since the
 * kernel counts only the output of a stopped trace unit. Not for overwrite
 * rings.
 */
struct ring_bytes aux_ring_read(const struct aux_ring *aux);

/* Returns the total number of bytes that the trace unit has written. */
uint64_t aux_ring_head(const struct aux_ring *aux);

/* Returns whether the trace unit had no room left, given the releases that the
 * kernel has seen.
 */
bool aux_ring_is_full(const struct aux_ring *aux);

/* Returns @bytes, a result of aux_ring_read(), to the trace unit. A part of a
 * contiguous block of memory is returned only once the rest of the block is.
 */
void aux_ring_release(struct aux_ring *aux, const struct ring_bytes *bytes);

/* Returns the whole content of an overwrite ring, the oldest first. The event
 * must be disabled, and the ring mapped again before the event is re-enabled:
 * only a fresh ring, which is all zeros, shows how far it was filled.
 */
struct ring_bytes aux_ring_snapshot(const struct aux_ring *aux);

/* Like aux_ring_snapshot(), but for drivers that also count the total bytes
 * written to an overwrite ring, as CoreSight's sinks do: returns the trace
 * after the first @from bytes ever written.
 */
struct ring_bytes aux_ring_since(const struct aux_ring *aux, uint64_t from);

#endif
