/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_DIGITS_H
#define KT_REPORT_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Formats numbers faster than printf(). Each function writes to @text without a
 * final NUL and returns the number of bytes, at most DIGITS_MOST.
 */
enum { DIGITS_MOST = 20 };

/* Returns the number of decimal digits of @value. */
size_t digits_count(uint64_t value);

/* For two digits or more; see digits_decimal(). */
size_t digits_many(char *text, uint64_t value);

/* Like printf's %PRIu64. */
static inline size_t digits_decimal(char *text, uint64_t value)
{
	if (value >= 10)
		return digits_many(text, value);
	*text = (char)('0' + value);
	return 1;
}

/* Like printf's %PRId64. */
size_t digits_signed(char *text, int64_t value);

/* Like printf's %PRIx64. */
size_t digits_hex(char *text, uint64_t value);

/* Writes exactly @count digits, with leading zeros and without higher digits:
 * printf's %0*PRIu64 of value % 10^count.
 */
void digits_padded(char *text, uint64_t value, size_t count);

/* Like digits_padded(), with hexadecimal digits. */
void digits_hex_padded(char *text, uint64_t value, size_t count);

#endif
