/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RING_H
#define KT_COLLECTOR_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Bytes of a ring that can be read, in place: two parts if they wrap. */
struct ring_bytes {
	struct iovec part[2];
	size_t size;
	uint64_t start; /* bytes ever written before them */
};

/* The kernel's records of one CPU, as it shares them with us
 * (linux/perf_event.h, struct perf_event_mmap_page).
 */
struct ring {
	struct perf_event_mmap_page *page;
	uint8_t *bytes;
	size_t size; /* of @bytes: a power of two */
};

/* Maps @size bytes (a power of two, at least a page) of ring for @fd.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int ring_map(struct ring *ring, int fd, size_t size);
void ring_unmap(struct ring *ring);

/* Returns what the kernel has written and we have not released. */
struct ring_bytes ring_read(const struct ring *ring);

/* Gives @bytes, as ring_read() returned them, back to the kernel. */
void ring_release(struct ring *ring, const struct ring_bytes *bytes);

/* Copies @size bytes at @place of @bytes, which has them, to @to. */
void ring_copy(const struct ring_bytes *bytes, size_t place, void *to,
	       size_t size);

/* Splits [@start, @start + @size) of a ring of @room bytes at @base, counted
 * from the first byte ever written, where it wraps.
 */
struct ring_bytes ring_split(void *base, size_t room, uint64_t start,
			     size_t size);

#endif
