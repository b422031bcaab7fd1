/* SPDX-License-Identifier: MIT */
#include "report/text/duration_text.h"

#include <stdio.h>

static const struct {
	uint64_t ns;
	const char *name;
} units[] = {
	{ 1, "ns" },
	{ 1000, "us" },
	{ 1000000, "ms" },
	{ 1000000000, "s" },
};

enum { UNITS = sizeof(units) / sizeof(*units) };

/* What would round to 1000 of a unit is one of the next. */
static int unit_of(uint64_t duration_ns)
{
	int unit = 0;

	while (unit + 1 < UNITS &&
	       duration_ns >= units[unit + 1].ns - units[unit].ns / 2)
		unit++;
	return unit;
}

struct duration_text duration_text_of(uint64_t duration_ns)
{
	struct duration_text text;
	int unit = unit_of(duration_ns);
	double value = (double)duration_ns / (double)units[unit].ns;
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	if (!duration_ns)
		snprintf(text.text, sizeof(text.text), "0");
	else
		snprintf(text.text, sizeof(text.text), "%.*f%s",
			 unit ? decimals : 0, value, units[unit].name);
	return text;
}
