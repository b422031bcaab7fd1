/* SPDX-License-Identifier: MIT */
#include "common/duration.h"

#include <string.h>

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
	{ "us", 1000 },	    { "ns", 1 },
};

/* Reads digits before and after a point, exactly: doubles lose nanoseconds.
 * Returns the rest of the text, or NULL if the number exceeds @value.
 */
static const char *read_decimal(const char *text, uint64_t scale,
				uint64_t *value)
{
	uint64_t whole = 0;
	uint64_t part = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, *text - '0', &whole))
			return NULL;
	if (*text == '.') {
		uint64_t digit = scale;

		for (text++; *text >= '0' && *text <= '9'; text++) {
			digit /= 10;
			part += digit * (uint64_t)(*text - '0');
		}
	}
	return __builtin_mul_overflow(whole, scale, &whole) ||
			       __builtin_add_overflow(whole, part, value) ?
		       NULL :
		       text;
}

bool duration_read(const char *text, uint64_t *duration_ns)
{
	const char *unit = text + strspn(text, "0123456789.");

	if (unit == text || strlen(text) > 24)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(unit, units[i].name) == 0)
			return read_decimal(text, units[i].ns, duration_ns) ==
			       unit;
	return false;
}
