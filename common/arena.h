/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_ARENA_H
#define KT_COMMON_ARENA_H

#include <stddef.h>

/* An allocator whose objects are all freed together.
 *
 * One arena holds everything that one stage builds: names, symbols, call-tree
 * nodes. Objects are not freed individually.
 */
struct arena;

/* Returns NULL when out of memory. */
struct arena *arena_new(void);

/* Frees @arena and everything allocated from it.  NULL is allowed. */
void arena_free(struct arena *arena);

/* Frees all objects of @arena, but keeps some memory for later allocations. */
void arena_clear(struct arena *arena);

/* Moves everything allocated from @other to @arena, and frees @other. */
void arena_join(struct arena *arena, struct arena *other);

/* Reserves @size bytes in total, an estimate of later allocations, in large
 * pages if there are many. Returns 0 or -ERROR_MEMORY.
 */
int arena_reserve(struct arena *arena, size_t size);

/* Allocates @size zeroed bytes, aligned for any object.
 *
 * Owner: the arena.  Returns NULL when out of memory.
 */
void *arena_alloc(struct arena *arena, size_t size);

/* Copies @length bytes of @text and appends a NUL.
 *
 * Owner: the arena. Returns NULL when out of memory.
 */
char *arena_text(struct arena *arena, const char *text, size_t length);

#endif
