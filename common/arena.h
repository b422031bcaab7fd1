/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_ARENA_H
#define KT_COMMON_ARENA_H

#include <stddef.h>

/* Memory that lives and dies together.
 *
 * One arena holds everything one stage builds: names, symbols, call-tree
 * nodes.  Nothing in it is freed on its own.
 */
struct arena;

/* Returns NULL when out of memory. */
struct arena *arena_new(void);

/* Frees @arena and everything allocated from it.  NULL is allowed. */
void arena_free(struct arena *arena);

/* Frees all that was allocated from @arena, but keeps some room for what will be.
 */
void arena_clear(struct arena *arena);

/* Adds to @arena all that was allocated from @other, which is gone then. */
void arena_join(struct arena *arena, struct arena *other);

/* Makes room for @size bytes in all, about as many as will be allocated next: in
 * large pages if there are many.  Returns 0 or -ERROR_MEMORY.
 */
int arena_reserve(struct arena *arena, size_t size);

/* Allocates @size zeroed bytes, aligned for any object.
 *
 * Owner: the arena.  Returns NULL when out of memory.
 */
void *arena_alloc(struct arena *arena, size_t size);

/* Copies @length bytes of @text and ends them with a NUL.
 *
 * Owner: the arena.  Returns NULL when out of memory.
 */
char *arena_text(struct arena *arena, const char *text, size_t length);

#endif
