/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_RING_H
#define KT_COLLECTOR_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Readable bytes of a ring, in place: two parts if they wrap. */
struct ring_bytes {
	struct iovec part[2];
	size_t size;
	uint64_t start; /* total bytes written before these */
};

/* The kernel's records of one CPU, in shared memory (linux/perf_event.h, struct
 * perf_event_mmap_page).
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

/* Returns the bytes that the kernel has written and that were not released yet.
 */
struct ring_bytes ring_read(const struct ring *ring);

/* Returns @bytes, a result of ring_read(), to the kernel. */
void ring_release(struct ring *ring, const struct ring_bytes *bytes);

/* Copies @size bytes at offset @place of @bytes, which must contain them, to
 * @to.
 */
void ring_copy(const struct ring_bytes *bytes, size_t place, void *to,
	       size_t size);

/* Splits [@start, @start + @size), counted from the first byte ever written, of
 * a ring of @room bytes at @base where it wraps.
 */
struct ring_bytes ring_split(void *base, size_t room, uint64_t start,
			     size_t size);

#endif
