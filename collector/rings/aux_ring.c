/* SPDX-License-Identifier: MIT */
#include "collector/rings/aux_ring.h"
#include "common/error.h"

#include <string.h>
#include <sys/mman.h>

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
		return -ERROR_SYSTEM;
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
void aux_ring_release(struct aux_ring *aux, const struct ring_bytes *bytes)
{
	uint64_t stretch = aux->size / AUX_RING_WATERMARKS;

	if (stretch > LONGEST_STRETCH)
		stretch = LONGEST_STRETCH;
	aux->read = bytes->start + bytes->size;
	__atomic_store_n(&aux->page->aux_tail, aux->read & -stretch,
			 __ATOMIC_RELEASE);
}

bool aux_ring_is_full(const struct aux_ring *aux)
{
	return aux_ring_head(aux) - aux->page->aux_tail + 1 >= aux->size;
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
