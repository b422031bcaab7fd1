/* SPDX-License-Identifier: MIT */
#include "common/clocks.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

/* A recording's clock readings: parsed ones are written unchanged. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct clock_readings readings;
	struct clock_readings again;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);

	clock_readings_parse(&readings, (const char *)bytes, size);
	if (!out)
		return 0;
	clock_readings_write(&readings, out);
	fclose(out);
	clock_readings_parse(&again, text, length);
	if (again.activate_ns != readings.activate_ns ||
	    again.begin.clock_ns != readings.begin.clock_ns ||
	    again.end.maxerror_ns != readings.end.maxerror_ns)
		__builtin_trap();
	free(text);
	return 0;
}
