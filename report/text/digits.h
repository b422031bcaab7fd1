/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIGITS_H
#define KT_REPORT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Numbers as digits, for output that printf() would be too slow for.  Each
 * function writes to @text, without a NUL behind, and returns how many bytes
 * these are: DIGITS_MOST at most.
 */
enum { DIGITS_MOST = 20 };

/* Returns how many decimal digits @value has. */
size_t digits_count(uint64_t value);

/* For two digits or more; see digits_decimal(). */
size_t digits_many(char *text, uint64_t value);

/* As printf's %PRIu64. */
static inline size_t digits_decimal(char *text, uint64_t value)
{
	if (value >= 10)
		return digits_many(text, value);
	*text = (char)('0' + value);
	return 1;
}

/* As printf's %PRId64. */
size_t digits_signed(char *text, int64_t value);

/* As printf's %PRIx64. */
size_t digits_hex(char *text, uint64_t value);

/* Just @count digits, with zeros before the number and without what is too
 * large for them: printf's %0*PRIu64 of value % 10^count.
 */
void digits_padded(char *text, uint64_t value, size_t count);

/* The same of hexadecimal digits. */
void digits_hex_padded(char *text, uint64_t value, size_t count);

#endif
