/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CODE_KNOWN_H
#define KT_DECODER_CODE_KNOWN_H

#include <stddef.h>
#include <stdint.h>

struct array;

/* A range of addresses for whose bytes there is a copy. A sorted list of ranges
 * that do not touch (array of struct code_known) is the code that may be
 * decoded.
 *
 * A region (code_region.h) alone does not show that: it joins copies that are
 * near each other, with zeros between them, and code that appears during the
 * recording is only known for a part of the time.
 */
struct code_known {
	uint64_t first;
	uint64_t end;
};

/* Adds @first to @end to the list. Returns 0 or -ERROR_MEMORY. */
int code_known_add(struct array *known, uint64_t first, uint64_t end);

/* Removes @first to @end from the list. Returns 0 or -ERROR_MEMORY. */
int code_known_remove(struct array *known, uint64_t first, uint64_t end);

/* Returns the first range of the list that ends after @address, or NULL. */
const struct code_known *code_known_next(const struct array *known,
					 uint64_t address);

/* Returns how many contiguous bytes from @address on are known. */
uint64_t code_known_limit(const struct array *known, uint64_t address);

#endif
