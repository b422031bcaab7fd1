/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_flags.h"

#include <inttypes.h>

static const char *name_of(const struct call_flag *flags, size_t count,
			   uint64_t value)
{
	for (size_t i = 0; i < count; i++)
		if (flags[i].value == value)
			return flags[i].name;
	return NULL;
}

void call_flags_write(FILE *out, const struct call_flag *flags, size_t count,
		      uint64_t value)
{
	const char *separator = "";

	if (!value) {
		const char *none = name_of(flags, count, 0);

		fputs(none ? none : "0", out);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = flags[i].value;

		if (!bits || (value & bits) != bits)
			continue;
		fprintf(out, "%s%s", separator, flags[i].name);
		separator = "|";
		value &= ~bits;
	}
	if (value)
		fprintf(out, "%s0x%" PRIx64, separator, value);
}

void call_flags_name(FILE *out, const struct call_flag *flags, size_t count,
		     uint64_t value)
{
	const char *name = name_of(flags, count, value);

	if (name)
		fputs(name, out);
	else
		fprintf(out, "%" PRIu64, value);
}
