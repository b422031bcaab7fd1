/* SPDX-License-Identifier: MIT */
#include "collector/rings/cpu_rings.h"

#include "common/error.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static int map_error(void)
{
	return errno == EPERM ? -ERROR_LOCKED : -ERROR_SYSTEM;
}

int ring_map(struct ring *ring, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
			    MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		return map_error();
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
	size_t position = (size_t)(start % room);
	size_t first = size < room - position ? size : room - position;
	struct ring_bytes bytes = { .size = size, .start = start };

	bytes.part[0].iov_base = (uint8_t *)base + position;
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

void ring_copy(const struct ring_bytes *bytes, size_t position, void *to,
	       size_t size)
{
	const struct iovec *part = bytes->part;
	const uint8_t *first = part[0].iov_base;
	const uint8_t *second = part[1].iov_base;
	size_t head = 0;

	if (position < part[0].iov_len) {
		head = part[0].iov_len - position;
		if (head > size)
			head = size;
		memcpy(to, first + position, head);
	}
	if (head < size)
		memcpy((uint8_t *)to + head,
		       second + position + head - part[0].iov_len, size - head);
}

/* The kernel allocates a ring in blocks of contiguous pages, as large as
 * possible, but no longer than the watermark (rb_alloc_aux() in kernel/events/
 * ring_buffer.c), which is a quarter of the ring here, or the buddy allocator's
 * largest block.
 */
#define LONGEST_STRETCH ((uint64_t)4 << 20)

int aux_ring_map(struct aux_ring *aux, const struct ring *ring, int fd,
		 size_t size, bool overwrite)
{
	size_t above = (size_t)(ring->bytes - (uint8_t *)ring->page);
	int protection = overwrite ? PROT_READ : PROT_READ | PROT_WRITE;
	void *map;

	ring->page->aux_offset = above + ring->size;
	ring->page->aux_size = size;
	map = mmap(NULL, size, protection, MAP_SHARED, fd,
		   (off_t)ring->page->aux_offset);
	if (map == MAP_FAILED)
		return map_error();
	*aux = (struct aux_ring){
		.page = ring->page,
		.bytes = map,
		.size = size,
		.overwrite = overwrite,
	};
	return 0;
}

void aux_ring_unmap(struct aux_ring *aux)
{
	if (aux->bytes)
		munmap(aux->bytes, aux->size);
	*aux = (struct aux_ring){ 0 };
}

uint64_t aux_ring_head(const struct aux_ring *aux)
{
	/* Pairs with the kernel's barrier between trace and head. */
	return __atomic_load_n(&aux->page->aux_head, __ATOMIC_ACQUIRE);
}

struct ring_bytes aux_ring_read(const struct aux_ring *aux)
{
	return ring_split(aux->bytes, aux->size, aux->read,
			  (size_t)(aux_ring_head(aux) - aux->read));
}

/* Releases only whole blocks. Linux's driver can stop a trace only between two
 * blocks; if the limit is inside of the block that it writes to, it marks the
 * block before, and the trace overwrites data that was not read
 * (pt_buffer_reset_markers() in arch/x86/events/intel/pt.c).
 */
bool aux_ring_release(struct aux_ring *aux, const struct ring_bytes *bytes)
{
	uint64_t stretch = aux->size / AUX_RING_WATERMARKS;
	uint64_t former = aux->page->aux_tail;
	uint64_t used;

	if (stretch > LONGEST_STRETCH)
		stretch = LONGEST_STRETCH;
	aux->read = bytes->start + bytes->size;
	__atomic_store_n(&aux->page->aux_tail, aux->read & -stretch,
			 __ATOMIC_RELEASE);
	/* The trace can fill the ring until the kernel sees the new tail, so the
	 * head is read after that. A head past the former limit shows that the
	 * kernel has seen it.
	 */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	used = aux_ring_head(aux) - former;
	return used + 1 >= aux->size && used <= aux->size;
}

uint64_t aux_ring_used(const struct aux_ring *aux)
{
	return aux_ring_head(aux) -
	       __atomic_load_n(&aux->page->aux_tail, __ATOMIC_ACQUIRE);
}

bool aux_ring_is_full(const struct aux_ring *aux)
{
	return aux_ring_used(aux) + 1 >= aux->size;
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return !size || (!bytes[0] && !memcmp(bytes, bytes + 1, size - 1));
}

struct ring_bytes aux_ring_snapshot(const struct aux_ring *aux)
{
	/* The head is an offset in the ring, not a total count. */
	size_t head = (size_t)(aux_ring_head(aux) % aux->size);
	bool is_new = is_zero(aux->bytes + head, aux->size - head);
	struct ring_bytes bytes = ring_split(aux->bytes, aux->size,
					     is_new ? 0 : head,
					     is_new ? head : aux->size);

	bytes.start = 0;
	return bytes;
}

struct ring_bytes aux_ring_since(const struct aux_ring *aux, uint64_t from)
{
	uint64_t head = aux_ring_head(aux);
	uint64_t size = head < from ? 0 : head - from;

	if (size > aux->size)
		size = aux->size;
	return ring_split(aux->bytes, aux->size, head - size, (size_t)size);
}

/* perf's default for records is 512 KiB, too little for the events of
 * attribution, and for the mappings of all programs that start, while the
 * recorder reads the kernel's code. The trace's ring gets an AUX record each
 * time that a traced task leaves its CPU.
 */
static const size_t ring_sizes[RING_COUNT] = {
	[RING_CODE] = 64 << 10,	  [RING_PATCHES] = 512 << 10,
	[RING_MAPS] = 1 << 20,	  [RING_SIDEBAND] = 4 << 20,
	[RING_STACKS] = 8 << 20,  [RING_HITS] = 64 << 10,
	[RING_TRACE] = 512 << 10,
};

void cpu_rings_init(struct cpu_rings *rings, int cpu, size_t aux_size,
		    bool overwrite)
{
	*rings = (struct cpu_rings){ .cpu = cpu,
				     .aux_size = aux_size,
				     .overwrite = overwrite };
	for (int i = 0; i < RING_COUNT; i++)
		rings->fd[i] = -1;
}

void cpu_rings_free(struct cpu_rings *rings)
{
	aux_ring_unmap(&rings->aux);
	for (int i = 0; i < RING_COUNT; i++)
		ring_unmap(&rings->ring[i]);
}

static int map_trace(struct cpu_rings *rings)
{
	return aux_ring_map(&rings->aux, &rings->ring[RING_TRACE],
			    rings->fd[RING_TRACE], rings->aux_size,
			    rings->overwrite);
}

int cpu_rings_attach(struct cpu_rings *rings, const struct event *event,
		     const struct event_spec *spec)
{
	enum event_ring kind = spec->ring;
	int error;

	if (kind == RING_NONE)
		return 0;
	if (rings->fd[kind] >= 0) {
		if (ioctl(event->fd, PERF_EVENT_IOC_SET_OUTPUT,
			  rings->fd[kind]) < 0)
			return -ERROR_SYSTEM;
		return 0;
	}
	error = ring_map(&rings->ring[kind], event->fd, ring_sizes[kind]);
	if (error)
		return error;
	rings->fd[kind] = event->fd;
	return kind == RING_TRACE && rings->aux_size ? map_trace(rings) : 0;
}

void cpu_rings_detach(struct cpu_rings *rings, const struct event *event,
		      const struct event_spec *spec)
{
	if (spec->ring == RING_NONE || rings->fd[spec->ring] != event->fd)
		return;
	ring_unmap(&rings->ring[spec->ring]);
	rings->fd[spec->ring] = -1;
}

int cpu_rings_reset_trace(struct cpu_rings *rings)
{
	aux_ring_unmap(&rings->aux);
	return map_trace(rings);
}
