/* SPDX-License-Identifier: MIT */
#include "common/clocks.h"

#include "common/bytes.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

struct unit {
	const char *name;
	uint64_t ns;
};

static const struct unit units[] = {
	{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 },
	{ "us", 1000 },	    { "ns", 1 },
};

/* Reads a decimal number and sets *@value to its product with @scale, exactly:
 * a double would lose nanoseconds. Returns the text after the number, or NULL
 * if the product exceeds 64 bits.
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

static int64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

uint64_t monotonic_ns(void)
{
	return (uint64_t)read_clock(CLOCK_MONOTONIC);
}

uint64_t monotonic_ms(void)
{
	return monotonic_ns() / 1000000;
}

uint64_t thread_cpu_ns(void)
{
	return (uint64_t)read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t realtime_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

static void write_reading(const char *name, const struct clock_reading *reading,
			  FILE *out)
{
	if (reading->is_known)
		fprintf(out,
			"%s clock_ns=%" PRIu64 " realtime_ns=%" PRId64
			" bracket_ns=%" PRIu64 " status=0x%" PRIx32
			" esterror_ns=%" PRIu64 " maxerror_ns=%" PRIu64 "\n",
			name, reading->clock_ns, reading->realtime_ns,
			reading->bracket_ns, reading->status,
			reading->esterror_ns, reading->maxerror_ns);
}

void clock_readings_write(const struct clock_readings *readings, FILE *out)
{
	if (readings->activate_ns)
		fprintf(out, "activate realtime_ns=%" PRId64 "\n",
			readings->activate_ns);
	write_reading("begin", &readings->begin, out);
	write_reading("end", &readings->end, out);
}

static void parse_reading(const char *text, struct clock_reading *reading)
{
	struct clock_reading read = { .is_known = true };

	if (sscanf(text,
		   " clock_ns=%" SCNu64 " realtime_ns=%" SCNd64
		   " bracket_ns=%" SCNu64 " status=%" SCNx32
		   " esterror_ns=%" SCNu64 " maxerror_ns=%" SCNu64,
		   &read.clock_ns, &read.realtime_ns, &read.bracket_ns,
		   &read.status, &read.esterror_ns, &read.maxerror_ns) == 6)
		*reading = read;
}

static void parse_line(struct clock_readings *readings, const char *line)
{
	int64_t activate_ns;

	if (!strncmp(line, "begin ", 6))
		parse_reading(line + 6, &readings->begin);
	else if (!strncmp(line, "end ", 4))
		parse_reading(line + 4, &readings->end);
	else if (sscanf(line, "activate realtime_ns=%" SCNd64, &activate_ns) ==
		 1)
		readings->activate_ns = activate_ns;
}

void clock_readings_parse(struct clock_readings *readings, const char *text,
			  size_t size)
{
	enum { LONGEST_LINE = 512 };
	char copy[LONGEST_LINE];

	*readings = (struct clock_readings){ 0 };
	while (size) {
		const char *line = text;
		size_t length = text_skip_line(&text, &size);

		if (length < sizeof(copy)) {
			memcpy(copy, line, length);
			copy[length] = '\0';
			parse_line(readings, copy);
		}
	}
}
