/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_MEMORY_H
#define KT_COMMON_MEMORY_H

/* Memory in two forms: large blocks, in large pages where the system has them,
 * and arenas, whose objects are freed together.
 *
 * 1. An object of an arena keeps its address until arena_clear() or
 *    arena_free().
 * 2. Objects from arena_alloc() are zeroed, and aligned for any type.
 * 3. An arena belongs to one thread at a time.
 *
 * Errors: functions return NULL or -ERROR_MEMORY, and have then changed
 * nothing.
 */

#include <stddef.h>

/* Allocates megabytes of memory that the caller will fill soon, in large pages
 * if the system has them. Faulting in pages of 4 KB takes longer than filling
 * them.
 *
 * Returns @size uninitialized bytes, to be freed by free(); NULL when out of
 * memory.
 */
void *large_memory_new(size_t size);

/* Like large_memory_new(), but zeroes the memory. That also faults all pages in
 * for writing: a page that is read before it is written would cause a read
 * fault and then a write fault, and each such write fault interrupts all
 * threads.
 */
void *large_memory_zeroed(size_t size);

/* Returns memory like large_memory_new(), of @new_size bytes, that starts with
 * the @size bytes of @memory, and frees @memory. @new_size is at least @size.
 * Returns NULL when out of memory, with @memory unchanged.
 */
void *large_memory_move(void *memory, size_t size, size_t new_size);

/* An allocator whose objects are all freed together.
 *
 * One arena holds everything that one stage builds: names, symbols, call-tree
 * nodes. Objects are not freed individually.
 */
struct arena;

/* Returns an empty arena; NULL when out of memory. */
struct arena *arena_new(void);

/* Frees @arena and everything allocated from it.  NULL is allowed. */
void arena_free(struct arena *arena);

/* Frees all objects of @arena, but not its newest block of memory, which later
 * allocations use.
 */
void arena_clear(struct arena *arena);

/* Moves everything allocated from @other to @arena, and frees @other. */
void arena_join(struct arena *arena, struct arena *other);

/* Reserves @size bytes, an estimate of all later allocations together, in large
 * pages if the size is large. Returns 0 or -ERROR_MEMORY.
 */
int arena_reserve(struct arena *arena, size_t size);

/* Allocates @size zeroed bytes, aligned for any object.
 *
 * Owner: the arena.  Returns NULL when out of memory.
 */
void *arena_alloc(struct arena *arena, size_t size);

/* Like arena_alloc(), but does not initialize the bytes. */
void *arena_alloc_unset(struct arena *arena, size_t size);

/* Copies @length bytes of @text and appends a NUL.
 *
 * Owner: the arena. Returns NULL when out of memory.
 */
char *arena_text(struct arena *arena, const char *text, size_t length);

#endif
