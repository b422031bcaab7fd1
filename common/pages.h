/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_PAGES_H
#define KT_COMMON_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory that grows without being copied, however large: its pages move.  All 0
 * is none.  Owner: who has it, to be given to pages_free().
 */
struct pages {
	void *memory;
	size_t size;
};

/* Makes @pages @size bytes large, which is more than they are; new ones are zero.
 * Returns false when out of memory, nothing being changed.
 */
bool pages_grow(struct pages *pages, size_t size);
void pages_free(struct pages *pages);

/* Gives the whole pages of @bytes from @from up to @to back to the system: those
 * of a file that is mapped are fetched again when they are touched, what was
 * written there or elsewhere is zero then.
 *
 * Returns where to go on from the next time: a little before @to, as its page
 * stays.
 */
size_t pages_release(const uint8_t *bytes, size_t from, size_t to);

#endif
