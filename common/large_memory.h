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

#endif
