/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_KNOWN_H
#define KT_DECODER_CODE_KNOWN_H

#include <stddef.h>
#include <stdint.h>

struct array;

/* Addresses whose bytes some copy holds.  A region (code_region.h) joins copies
 * that lie near each other; its bytes between them are zeros that nobody copied,
 * and code that appears while it is recorded is known for a part of the time
 * only.  A list of these ranges (array of struct code_known), sorted and not
 * touching, is what may be decoded.
 */
struct code_known {
	uint64_t first;
	uint64_t end;
};

/* Adds @first to @end to the list.  Returns 0 or -ERROR_MEMORY. */
int code_known_add(struct array *known, uint64_t first, uint64_t end);

/* Removes @first to @end from the list.  Returns 0 or -ERROR_MEMORY. */
int code_known_remove(struct array *known, uint64_t first, uint64_t end);

/* Returns the first range of the list that ends after @address, or NULL. */
const struct code_known *code_known_next(const struct array *known,
					 uint64_t address);

/* Returns how many bytes from @address on are known without a hole. */
uint64_t code_known_limit(const struct array *known, uint64_t address);

#endif
