/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_LARGE_MEMORY_H
#define KT_COMMON_LARGE_MEMORY_H

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

#endif
