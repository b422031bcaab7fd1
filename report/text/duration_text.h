/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_TEXT_DURATION_TEXT_H
#define KT_REPORT_TEXT_DURATION_TEXT_H

/* Numbers as text: fast, for CSV and exports, which write millions of them, and
 * with a unit and three digits, for people.
 *
 * 1. Functions named digits_* write no final NUL, and at most DIGITS_MOST
 *    bytes, or exactly the given count.
 * 2. Durations for people are rounded to three digits, except from 1000 s on;
 *    moments have all digits.
 *
 * No state; no errors.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;

/* Formats numbers faster than printf(). Each function with a text writes to it
 * without a final NUL. Those without a count return the number of bytes, at
 * most DIGITS_MOST.
 */
enum { DIGITS_MOST = 20 };

/* Returns the number of decimal digits of @value. */
size_t digits_count(uint64_t value);

/* Like digits_decimal(), for two digits or more. */
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

struct duration_text {
	char text[36];
};

/* Writes the text of duration_text_of() without a final NUL. @text has the size
 * of a struct duration_text. Returns the number of bytes.
 */
size_t duration_write(char *text, uint64_t duration_ns);

/* Returns @duration_ns for people with a suitable unit and three digits: "94.1
 * ms", "709 us", "12 ns"; "0" for zero; all digits from 1000 s on.
 */
struct duration_text duration_text_of(uint64_t duration_ns);

/* Returns a time for people, in seconds since @origin_ns: "12.003456789",
 * negative if it is before.
 */
struct duration_text moment_text(uint64_t time_ns, uint64_t origin_ns);

/* The unit of a recording's times: nanoseconds, or cycles or instructions if
 * the trace has no time stamps. Reports are written for nanoseconds and name
 * fields "…_ns"; this unit corrects the names.
 */
struct time_unit {
	bool is_time;
	bool is_of_host;    /* times are those of the virtual machine's host */
	const char *name;   /* after a number */
	const char *suffix; /* of field names, instead of "_ns" */
	const char *kind;   /* in "Flat profile: wall time on CPUs" */
	const char *note;   /* first line of text reports, or "" */
};

/* Returns the unit of @recording; never NULL. */
const struct time_unit *time_unit_of(const struct recording *recording);

struct time_field {
	char name[64];
};

/* Returns the name of field @name in @unit. */
struct time_field time_unit_field(const struct time_unit *unit,
				  const char *name);

/* Returns @value for people: a time with a suitable unit, otherwise only the
 * number.
 */
struct duration_text time_unit_text(const struct time_unit *unit,
				    uint64_t value);

/* Like time_unit_text(), always with the unit: "94.1 ms", "12000 cycles". */
struct duration_text time_unit_amount(const struct time_unit *unit,
				      uint64_t value);

#endif
