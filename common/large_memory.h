/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_LARGE_MEMORY_H
#define KT_COMMON_LARGE_MEMORY_H

#include <stddef.h>

/* Memory of megabytes that is about to be filled: in large pages, where the
 * system has them.  To fetch what it fills in pages of 4 KB takes longer than to
 * fill it.
 *
 * Returns @size bytes of no certain value, to be freed by free(); NULL when out
 * of memory.
 */
void *large_memory_new(size_t size);

/* The same, all zero, of any size.  It is fetched to be written: a table that is
 * looked into before it is filled would be fetched to be read first, and then
 * again, which stops all threads for each page.
 */
void *large_memory_zeroed(size_t size);

/* Returns such memory of @new_size bytes that begins with the @size bytes of
 * @memory, which it frees; NULL when out of memory, @memory being as it was.
 */
void *large_memory_move(void *memory, size_t size, size_t new_size);

#endif
