/* SPDX-License-Identifier: MIT */
#include "execution/stream/record_buffer.h"

#include "common/error.h"

#include <sys/mman.h>

/* 4 MB are enough for most segments. */
enum { LEAST_ROOM = 1 << 17 };

static size_t bytes_of(size_t records)
{
	return records * sizeof(union timed_record);
}

static void *map_pages(struct record_buffer *buffer, size_t room)
{
	if (buffer->room)
		return mremap(buffer->records, bytes_of(buffer->room),
			      bytes_of(room), MREMAP_MAYMOVE);
	return mmap(NULL, bytes_of(room), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int grow(struct record_buffer *buffer, size_t count)
{
	size_t room = buffer->room ? buffer->room : LEAST_ROOM;
	void *pages;

	while (room < count)
		room *= 2;
	pages = map_pages(buffer, room);
	if (pages == MAP_FAILED)
		return -ERROR_MEMORY;
	/* Large pages are faulted in faster, but are not necessary. */
	madvise(pages, bytes_of(room), MADV_HUGEPAGE);
	buffer->records = pages;
	buffer->room = room;
	return 0;
}

union timed_record *record_buffer_room(struct record_buffer *buffer,
				       size_t more)
{
	if (buffer->count + more > buffer->room &&
	    grow(buffer, buffer->count + more) < 0)
		return NULL;
	return buffer->records + buffer->count;
}

void record_buffer_free(struct record_buffer *buffer)
{
	if (buffer->room)
		munmap(buffer->records, bytes_of(buffer->room));
	*buffer = (struct record_buffer){ 0 };
}
