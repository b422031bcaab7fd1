/* SPDX-License-Identifier: MIT */
#include "report/text/duration_text.h"

#include "report/text/digits.h"

#include <stddef.h>
#include <string.h>

static const struct {
	uint64_t ns;
	const char *name;
} units[] = {
	{ 1, " ns" },
	{ 1000, " us" },
	{ 1000000, " ms" },
	{ 1000000000, " s" },
};

enum { UNITS = sizeof(units) / sizeof(*units) };

/* A value that would round to 1000 of a unit uses the next unit. */
static int unit_of(uint64_t duration_ns)
{
	int unit = 0;

	while (unit + 1 < UNITS &&
	       duration_ns >= units[unit + 1].ns - units[unit].ns / 2)
		unit++;
	return unit;
}

/* Three digits; a value that would round to 10.0 has one decimal. */
static size_t decimals_of(uint64_t duration_ns, uint64_t unit_ns)
{
	if (unit_ns == 1 || duration_ns >= unit_ns * 100 - unit_ns / 20)
		return 0;
	return duration_ns >= unit_ns * 10 - unit_ns / 200 ? 1 : 2;
}

static size_t put_value(char *text, uint64_t duration_ns, uint64_t unit_ns)
{
	static const uint64_t powers[] = { 1, 10, 100 };
	size_t decimals = decimals_of(duration_ns, unit_ns);
	uint64_t part_ns = unit_ns / powers[decimals];
	uint64_t parts = duration_ns / part_ns +
			 (part_ns > 1 && duration_ns % part_ns * 2 >= part_ns);
	size_t size = digits_decimal(text, parts / powers[decimals]);

	if (!decimals)
		return size;
	text[size] = '.';
	digits_padded(text + size + 1, parts % powers[decimals], decimals);
	return size + 1 + decimals;
}

struct duration_text duration_text_of(uint64_t duration_ns)
{
	struct duration_text text = { "0" };
	int unit = unit_of(duration_ns);

	if (duration_ns)
		strcpy(text.text + put_value(text.text, duration_ns,
					     units[unit].ns),
		       units[unit].name);
	return text;
}
