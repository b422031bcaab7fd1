/* SPDX-License-Identifier: MIT */
#include "common/memory.h"

#include "common/error.h"

#include <stdalign.h>
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
	/* The bytes after the last whole large page use small pages. If this
	 * fails, all bytes do.
	 */
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

enum { BLOCK_SIZE = 64 * 1024 };

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char bytes[];
};

struct arena {
	struct arena_block *blocks;
};

struct arena *arena_new(void)
{
	return calloc(1, sizeof(struct arena));
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;

	struct arena_block *block = arena->blocks;

	while (block) {
		struct arena_block *next = block->next;

		free(block);
		block = next;
	}
	free(arena);
}

void arena_clear(struct arena *arena)
{
	struct arena_block *block = arena->blocks;

	if (!block)
		return;
	while (block->next) {
		struct arena_block *older = block->next;

		block->next = older->next;
		free(older);
	}
	block->used = 0;
}

static struct arena_block *add_block(struct arena *arena, size_t min_size)
{
	size_t size = min_size > BLOCK_SIZE ? min_size : BLOCK_SIZE;
	struct arena_block *block = large_memory_new(sizeof(*block) + size);

	if (!block)
		return NULL;

	block->used = 0;
	block->size = size;
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

int arena_reserve(struct arena *arena, size_t size)
{
	return size > SIZE_MAX / 2 || !add_block(arena, size) ? -ERROR_MEMORY :
								0;
}

void arena_join(struct arena *arena, struct arena *other)
{
	struct arena_block **last = &arena->blocks;

	while (*last)
		last = &(*last)->next;
	*last = other->blocks;
	free(other);
}

/* Returns @size uninitialized bytes, aligned to @align, or NULL. */
static void *take(struct arena *arena, size_t size, size_t align)
{
	struct arena_block *block = arena->blocks;
	size_t at = block ? (block->used + align - 1) / align * align : 0;

	if (size > SIZE_MAX / 2)
		return NULL;
	if (!block || at > block->size || block->size - at < size) {
		block = add_block(arena, size);
		at = 0;
	}
	if (!block)
		return NULL;
	block->used = at + size;
	return block->bytes + at;
}

void *arena_alloc_unset(struct arena *arena, size_t size)
{
	return take(arena, size, alignof(max_align_t));
}

void *arena_alloc(struct arena *arena, size_t size)
{
	void *memory = arena_alloc_unset(arena, size);

	return memory ? memset(memory, 0, size) : NULL;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
	char *copy = take(arena, length + 1, 1);

	if (!copy)
		return NULL;
	if (length)
		memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}
