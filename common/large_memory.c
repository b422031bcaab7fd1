/* SPDX-License-Identifier: MIT */
#include "common/large_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE_PAGE = 2 << 20 };

void *large_memory_new(size_t size)
{
	void *memory;

	/* The maximum size of an object; the sanitizers' allocator would abort
	 * above it.
	 */
	if (size > PTRDIFF_MAX)
		return NULL;
	if (size < LARGE_PAGE)
		return malloc(size);
	if (posix_memalign(&memory, LARGE_PAGE, size))
		return NULL;
	/* The rest of the size uses small pages. A failure is harmless. */
	madvise(memory, size / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
	return memory;
}

void *large_memory_zeroed(size_t size)
{
	void *memory = large_memory_new(size);

	return memory ? memset(memory, 0, size) : NULL;
}

void *large_memory_move(void *memory, size_t size, size_t new_size)
{
	void *moved = large_memory_new(new_size);

	if (!moved)
		return NULL;
	if (size)
		memcpy(moved, memory, size);
	free(memory);
	return moved;
}
