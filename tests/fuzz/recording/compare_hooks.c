/* SPDX-License-Identifier: MIT */
#include <stdint.h>

/* libFuzzer records compared values, to try one in place of the other. Linked
 * with --wrap (see the Makefile), it does not get constants below 256, which it
 * ignores in switches, too, nor equal values or two that are below 256: most
 * comparisons are of null pointers, small numbers and ends of loops, which
 * evict the others and took a third of the time.
 */
enum { SMALL = 256 };

/* clang-format off */
#define CONSTANT(bits, size)						       \
	void __wrap___sanitizer_cov_trace_const_cmp##size(uint##bits##_t,      \
							  uint##bits##_t);     \
	void __real___sanitizer_cov_trace_const_cmp##size(uint##bits##_t,      \
							  uint##bits##_t);     \
	void __wrap___sanitizer_cov_trace_const_cmp##size(		       \
		uint##bits##_t constant, uint##bits##_t value)		       \
	{								       \
		if (constant >= SMALL)					       \
			__real___sanitizer_cov_trace_const_cmp##size(constant, \
								     value);   \
	}

#define TWO(bits, size)							       \
	void __wrap___sanitizer_cov_trace_cmp##size(uint##bits##_t,	       \
						    uint##bits##_t);	       \
	void __real___sanitizer_cov_trace_cmp##size(uint##bits##_t,	       \
						    uint##bits##_t);	       \
	void __wrap___sanitizer_cov_trace_cmp##size(uint##bits##_t left,       \
						    uint##bits##_t right)      \
	{								       \
		if (left != right && (left | right) >= SMALL)		       \
			__real___sanitizer_cov_trace_cmp##size(left, right);   \
	}
/* clang-format on */

CONSTANT(16, 2)
CONSTANT(32, 4)
CONSTANT(64, 8)
TWO(16, 2)
TWO(32, 4)
TWO(64, 8)

/* All bytes are small. */
void __wrap___sanitizer_cov_trace_const_cmp1(uint8_t constant, uint8_t value);
void __wrap___sanitizer_cov_trace_const_cmp1(uint8_t constant, uint8_t value)
{
	(void)constant;
	(void)value;
}

void __wrap___sanitizer_cov_trace_cmp1(uint8_t left, uint8_t right);
void __wrap___sanitizer_cov_trace_cmp1(uint8_t left, uint8_t right)
{
	(void)left;
	(void)right;
}
