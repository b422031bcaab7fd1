/* SPDX-License-Identifier: MIT */
#include <stdint.h>

/* libFuzzer notes what is compared, to try one of the two in the other's place.
 * Linked with --wrap (see the Makefile), it is not told of constants below 256,
 * which it leaves out of switches, too, nor of equal values or of two that are
 * below 256: most compares are of null pointers, small numbers and ends of loops,
 * which push out the others and took a third of the time.
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
