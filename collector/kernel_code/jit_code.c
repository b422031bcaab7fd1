/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/jit_code.h"
#include "collector/kernel_code/code_pages.h"

#include <stdbool.h>
#include <stdint.h>

/* Code starts at a multiple of WORD, after the header of HEADER bytes, which
 * starts with the size of all.
 */
enum { WORD = 4, HEADER = 8 };

static bool has_header(const struct kcore *kcore,
		       const struct code_range *range)
{
	uint32_t size;

	return range->end - range->start > HEADER &&
	       !kcore_read(kcore, range->start, &size, sizeof(size)) &&
	       size == range->end - range->start;
}

static bool is_free(const struct kcore *kcore, uint64_t address)
{
	uint8_t word[WORD];

	return !kcore_read(kcore, address, word, sizeof(word)) &&
	       code_pages_is_free(kcore, word, sizeof(word));
}

struct code_range jit_code_find(const struct kcore *kcore,
				const struct code_range *range)
{
	struct code_range code = { range->start + HEADER, range->end };

	if (!has_header(kcore, range))
		return *range;
	while (code.start < code.end && is_free(kcore, code.start))
		code.start += WORD;
	while (code.end > code.start && is_free(kcore, code.end - WORD))
		code.end -= WORD;
	return code.start < code.end ? code : *range;
}
