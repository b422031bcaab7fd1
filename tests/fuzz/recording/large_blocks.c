/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/large_blocks.h"

#include <libdeflate.h>
#include <malloc.h>
#include <sanitizer/asan_interface.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Larger blocks are few, and would fill the memory. */
enum { SIZE_LEAST = 1 << 17, SIZE_MOST = 8 << 20, BLOCKS = 24, PAGE = 4096 };

struct block {
	void *bytes; /* NULL: unused */
	size_t size;
	bool is_used;
	uint64_t freed; /* the higher the later */
};

/* Without locks: a fuzz entry is one process with one input at a time. */
static struct block blocks[BLOCKS];
static uint64_t frees;

/* clang-format off */
void *__wrap_malloc(size_t size);
void *__real_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_realloc(void *bytes, size_t size);
void *__real_realloc(void *bytes, size_t size);
void __wrap_free(void *bytes);
void __real_free(void *bytes);
/* clang-format on */

static bool is_kept(size_t size)
{
	return size >= SIZE_LEAST && size <= SIZE_MOST;
}

static struct block *find(const void *bytes)
{
	for (size_t i = 0; bytes && i < BLOCKS; i++)
		if (blocks[i].bytes == bytes)
			return &blocks[i];
	return NULL;
}

/* Returns a cached block of that size, or NULL. */
static struct block *find_free(size_t size)
{
	for (size_t i = 0; i < BLOCKS; i++)
		if (blocks[i].bytes && !blocks[i].is_used &&
		    blocks[i].size == size)
			return &blocks[i];
	return NULL;
}

/* Returns a slot for a block, evicting the cached block freed earliest if all
 * are occupied; NULL if all blocks are in use.
 */
static struct block *make_place(void)
{
	struct block *place = NULL;

	for (size_t i = 0; i < BLOCKS; i++) {
		if (!blocks[i].bytes)
			return &blocks[i];
		if (!blocks[i].is_used &&
		    (!place || blocks[i].freed < place->freed))
			place = &blocks[i];
	}
	if (place) {
		ASAN_UNPOISON_MEMORY_REGION(place->bytes, place->size);
		__real_free(place->bytes);
		place->bytes = NULL;
	}
	return place;
}

static void *take_new(size_t size, bool is_zero)
{
	void *bytes = is_zero ? __real_calloc(1, size) : __real_malloc(size);
	struct block *place = bytes ? make_place() : NULL;

	if (place)
		*place = (struct block){ bytes, size, true, 0 };
	return bytes;
}

/* Drops whole pages, which are then zeroed only when touched, as few are. The
 * program's wrapped madvise() does nothing.
 */
static void clear(uint8_t *bytes, size_t size)
{
	size_t head = -(uintptr_t)bytes % PAGE;
	size_t pages = (size - head) / PAGE * PAGE;

	memset(bytes, 0, head);
	syscall(SYS_madvise, bytes + head, pages, MADV_DONTNEED);
	memset(bytes + head + pages, 0, size - head - pages);
}

static void *take(size_t size, bool is_zero)
{
	struct block *block = find_free(size);

	if (!block)
		return take_new(size, is_zero);
	block->is_used = true;
	ASAN_UNPOISON_MEMORY_REGION(block->bytes, size);
	if (is_zero)
		clear(block->bytes, size);
	return block->bytes;
}

void *__wrap_malloc(size_t size)
{
	return is_kept(size) ? take(size, false) : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(count, size, &all) || !is_kept(all))
		return __real_calloc(count, size);
	return take(all, true);
}

void __wrap_free(void *bytes)
{
	struct block *block = find(bytes);

	if (!block) {
		__real_free(bytes);
		return;
	}
	/* The block is already poisoned if it is free: AddressSanitizer reports
	 * that.
	 */
	*(volatile uint8_t *)bytes = 0;
	ASAN_POISON_MEMORY_REGION(bytes, block->size);
	block->is_used = false;
	block->freed = ++frees;
}

void *__wrap_realloc(void *bytes, size_t size)
{
	size_t old_size;
	void *moved;

	if (!find(bytes) && !is_kept(size))
		return __real_realloc(bytes, size);
	moved = __wrap_malloc(size);
	if (!moved || !bytes)
		return moved;
	old_size = malloc_usable_size(bytes);
	memcpy(moved, bytes, old_size < size ? old_size : size);
	__wrap_free(bytes);
	return moved;
}

void large_blocks_init(void)
{
	libdeflate_set_memory_allocator(__wrap_malloc, __wrap_free);
}
