/* SPDX-License-Identifier: MIT */
#include <stdint.h>

/* libFuzzer notes the operands of each comparison, for words to try elsewhere.
 * Nearly all of them are UBSan's own here, which look at each pointer, and noting
 * them took a fifth of the time: words come from records (record_mutator.h).  Code
 * that is reached is noted in another way, and stays.
 */
#define IGNORED(kind, type) \
	void __wrap___sanitizer_cov_trace_##kind(type a, type b); \
	void __wrap___sanitizer_cov_trace_##kind(type a, type b) \
	{ \
		(void)a; \
		(void)b; \
	}

IGNORED(cmp1, uint8_t)
IGNORED(cmp2, uint16_t)
IGNORED(cmp4, uint32_t)
IGNORED(cmp8, uint64_t)
IGNORED(const_cmp1, uint8_t)
IGNORED(const_cmp2, uint16_t)
IGNORED(const_cmp4, uint32_t)
IGNORED(const_cmp8, uint64_t)
