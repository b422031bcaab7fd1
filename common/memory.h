/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_MEMORY_H
#define KT_COMMON_MEMORY_H

/* Memory in two forms: large blocks, in large pages where the system has them,
 * and arenas, whose objects are freed together.
 *
 * 1. An object of an arena keeps its address until arena_clear() or
 *    arena_free().
 * 2. Objects of an arena are zeroed, and aligned for any type.
 * 3. An arena belongs to one thread at a time.
 *
 * Errors: NULL or -ERROR_MEMORY, and nothing has changed then.
 */

#include <stddef.h>

/* Allocates megabytes of memory that are filled soon, in large pages if the
 * system has them. Faulting in pages of 4 KB takes longer than filling them.
 *
 * Returns @size uninitialized bytes, to be freed by free(); NULL when out of
 * memory.
 */
void *large_memory_new(size_t size);

/* Like large_memory_new(), but zeroed, and of any size. The pages are faulted
 * in for writing: a table that is read before it is filled would cause a read
 * fault and then a write fault per page, and each of the latter stops all
 * threads.
 */
void *large_memory_zeroed(size_t size);

/* Returns such memory of @new_size bytes that starts with the @size bytes of
 * @memory, which it frees; NULL when out of memory, with @memory unchanged.
 */
void *large_memory_move(void *memory, size_t size, size_t new_size);

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
