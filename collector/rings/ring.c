/* SPDX-License-Identifier: MIT */
#include "collector/rings/ring.h"
#include "common/error.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(struct ring *ring, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return -ERROR_SYSTEM;
	ring->page = (void *)map;
	ring->bytes = map + page;
	ring->size = size;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	if (ring->page)
		munmap(ring->page,
		       (size_t)(ring->bytes - (uint8_t *)ring->page) +
			       ring->size);
	*ring = (struct ring){ 0 };
}

struct ring_bytes ring_split(void *base, size_t room, uint64_t start,
			     size_t size)
{
	size_t place = (size_t)(start % room);
	size_t first = size < room - place ? size : room - place;
	struct ring_bytes bytes = { .size = size, .start = start };

	bytes.part[0].iov_base = (uint8_t *)base + place;
	bytes.part[0].iov_len = first;
	bytes.part[1].iov_base = base;
	bytes.part[1].iov_len = size - first;
	return bytes;
}

struct ring_bytes ring_read(const struct ring *ring)
{
	/* Pairs with the kernel's barrier between data and head. */
	uint64_t head =
		__atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	return ring_split(ring->bytes, ring->size, tail, (size_t)(head - tail));
}

void ring_release(struct ring *ring, const struct ring_bytes *bytes)
{
	__atomic_store_n(&ring->page->data_tail, bytes->start + bytes->size,
			 __ATOMIC_RELEASE);
}

void ring_copy(const struct ring_bytes *bytes, size_t place, void *to,
	       size_t size)
{
	const struct iovec *part = bytes->part;
	const uint8_t *first = part[0].iov_base;
	const uint8_t *second = part[1].iov_base;
	size_t head = 0;

	if (place < part[0].iov_len) {
		head = part[0].iov_len - place;
		if (head > size)
			head = size;
		memcpy(to, first + place, head);
	}
	if (head < size)
		memcpy((uint8_t *)to + head,
		       second + place + head - part[0].iov_len, size - head);
}
