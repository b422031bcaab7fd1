/* SPDX-License-Identifier: MIT */
#include "cmd/options/report_options.h"

#include <stdio.h>
#include <string.h>

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
	{ "us", 1000 },	    { "ns", 1 },
};

/* Digits before and after a point, exactly: doubles lose nanoseconds. */
static const char *read_decimal(const char *text, uint64_t scale,
				uint64_t *value)
{
	uint64_t whole = 0;
	uint64_t part = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		whole = whole * 10 + (uint64_t)(*text - '0');
	if (*text == '.') {
		uint64_t digit = scale;

		for (text++; *text >= '0' && *text <= '9'; text++) {
			digit /= 10;
			part += digit * (uint64_t)(*text - '0');
		}
	}
	*value = whole * scale + part;
	return text;
}

bool read_duration(const char *text, uint64_t *duration_ns)
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

static int read_time(const char *name, const char *text, uint64_t first_ns,
		     uint64_t *time_ns)
{
	bool is_relative = text && *text == '+';

	if (!text)
		return 0;
	if (!read_duration(text + is_relative, time_ns)) {
		fprintf(stderr,
			"ktrace-hw: --%s: '%s' is no time; write seconds "
			"(3.9357), or +1.5ms from the recording's start\n",
			name, text);
		return -1;
	}
	if (is_relative)
		*time_ns += first_ns;
	return 0;
}

int report_options_window(const struct report_options *options,
			  uint64_t first_ns, struct time_window *window)
{
	*window = TIME_WINDOW_ALL;
	if (read_time("since", options->since, first_ns, &window->since_ns) < 0)
		return -1;
	if (read_time("until", options->until, first_ns, &window->until_ns) < 0)
		return -1;
	if (window->since_ns < window->until_ns)
		return 0;
	fprintf(stderr, "ktrace-hw: --since=%s is not before --until=%s\n",
		options->since ? options->since : "0", options->until);
	return -1;
}
