/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PAGES_H
#define KT_COMMON_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory of any size that grows without being copied: its pages are remapped.
 * All zero: none. The owner frees it with pages_free().
 */
struct pages {
	void *memory;
	size_t size;
};

/* Grows @pages to @size bytes, which must be more than its present size; new
 * bytes are zero. Returns false when out of memory; @pages is then unchanged.
 */
bool pages_grow(struct pages *pages, size_t size);
void pages_free(struct pages *pages);

/* Returns the whole pages of @bytes from @from up to @to to the system. Pages
 * of a mapped file are loaded again when accessed; private changes and other
 * memory become zero.
 *
 * Returns the start for the next call: a little before @to, as its page is not
 * released.
 */
size_t pages_release(const uint8_t *bytes, size_t from, size_t to);

#endif
