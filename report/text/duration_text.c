/* SPDX-License-Identifier: MIT */
#include "report/text/duration_text.h"

#include "decoder/recording/recording.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

size_t digits_count(uint64_t value)
{
	static const uint64_t powers[] = {
		0,
		10,
		100,
		1000,
		10000,
		100000,
		1000000,
		10000000,
		100000000,
		1000000000,
		10000000000,
		100000000000,
		1000000000000,
		10000000000000,
		100000000000000,
		1000000000000000,
		10000000000000000,
		100000000000000000,
		1000000000000000000,
		10000000000000000000u,
	};
	/* 1233 / 4096 is slightly more than the decimal logarithm of 2. */
	unsigned int bits = 64 - (unsigned int)__builtin_clzll(value | 1);
	size_t digits = bits * 1233 >> 12;

	return digits + (value >= powers[digits]);
}

/* Writes the four digits of @value as two pairs, whose look-ups do not depend
 * on each other.
 */
static void put_four(char *text, uint32_t value)
{
	memcpy(text, pairs + value / 100 * 2, 2);
	memcpy(text + 2, pairs + value % 100 * 2, 2);
}

void digits_padded(char *text, uint64_t value, size_t count)
{
	while (count >= 4) {
		count -= 4;
		put_four(text + count, (uint32_t)(value % 10000));
		value /= 10000;
	}
	if (count >= 2) {
		count -= 2;
		memcpy(text + count, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (count)
		*text = (char)('0' + value % 10);
}

size_t digits_many(char *text, uint64_t value)
{
	size_t count = digits_count(value);

	digits_padded(text, value, count);
	return count;
}

size_t digits_signed(char *text, int64_t value)
{
	if (value >= 0)
		return digits_decimal(text, (uint64_t)value);
	*text = '-';
	return 1 + digits_decimal(text + 1, -(uint64_t)value);
}

void digits_hex_padded(char *text, uint64_t value, size_t count)
{
	while (count) {
		text[--count] = "0123456789abcdef"[value & 0xf];
		value >>= 4;
	}
}

size_t digits_hex(char *text, uint64_t value)
{
	size_t count = (67 - (size_t)__builtin_clzll(value | 1)) / 4;

	digits_hex_padded(text, value, count);
	return count;
}

static const struct {
	uint64_t ns;
	char name[4];
	uint8_t size; /* of the name */
} scales[] = {
	{ 1, " ns", 3 },
	{ 1000, " us", 3 },
	{ 1000000, " ms", 3 },
	{ 1000000000, " s", 2 },
};

enum { SCALES = sizeof(scales) / sizeof(*scales) };

/* Returns the index of the unit for a duration. A value that would round to
 * 1000 of a unit gets the next unit.
 */
static int unit_of(uint64_t duration_ns)
{
	int unit = 0;

	while (unit + 1 < SCALES &&
	       duration_ns >= scales[unit + 1].ns - scales[unit].ns / 2)
		unit++;
	return unit;
}

/* Returns the number of decimals that make three digits. A value that would
 * round to 10.0 has one decimal.
 */
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

struct duration_text moment_text(uint64_t time_ns, uint64_t origin_ns)
{
	bool is_before = time_ns < origin_ns;
	uint64_t ns = is_before ? origin_ns - time_ns : time_ns - origin_ns;
	struct duration_text made;

	snprintf(made.text, sizeof(made.text), "%s%" PRIu64 ".%09" PRIu64,
		 is_before ? "-" : "", ns / 1000000000, ns % 1000000000);
	return made;
}

size_t duration_write(char *text, uint64_t duration_ns)
{
	size_t size;
	int unit;

	if (duration_ns < 1000) {
		size = digits_decimal(text, duration_ns);
		memcpy(text + size, " ns", 3);
		return duration_ns ? size + 3 : size;
	}
	unit = unit_of(duration_ns);
	size = put_value(text, duration_ns, scales[unit].ns);
	memcpy(text + size, scales[unit].name, sizeof(scales[unit].name));
	return size + scales[unit].size;
}

struct duration_text duration_text_of(uint64_t duration_ns)
{
	struct duration_text text;

	text.text[duration_write(text.text, duration_ns)] = 0;
	return text;
}

static const struct time_unit units[] = {
	[RECORDING_TIME_NANOSECONDS] = {
		.is_time = true,
		.name = "ns",
		.suffix = "_ns",
		.kind = "wall time on CPUs",
		.note = "",
	},
	[RECORDING_TIME_CYCLES] = {
		.name = "cycles",
		.suffix = "_cycles",
		.kind = "cycles of CPUs",
		.note = "No times: the trace has no timestamps that can be "
		        "converted to time. Each CPU's\ncycles are counted "
		        "from the start of its trace; the order between CPUs "
		        "is\nunknown.\n\n",
	},
	[RECORDING_TIME_INSTRUCTIONS] = {
		.name = "instructions",
		.suffix = "_instructions",
		.kind = "instructions executed on CPUs",
		.note = "No times: the trace has no timestamps that can be "
		        "converted to time. Each CPU's\ninstructions are "
		        "counted from its first one; the order between CPUs "
		        "is\nunknown.\n\n",
	},
};

/* The host name of virtual machines with several CPUs (docs/machine.md). */
static const char host_clock_name[] = "machine-host-clock";

static const struct time_unit host_clock = {
	.is_time = true,
	.is_of_host = true,
	.name = "ns",
	.suffix = "_ns",
	.kind = "wall time on CPUs",
	.note = "Times are from the host's clock, because several CPUs of the "
		"virtual machine use\nit; they include other work of the host. "
		"One CPU (without --cpus) has its own clock.\n\n",
};

const struct time_unit *time_unit_of(const struct recording *recording)
{
	enum recording_time time = recording_time(recording);

	if (time == RECORDING_TIME_NANOSECONDS &&
	    !strcmp(recording_info(recording)->hostname, host_clock_name))
		return &host_clock;
	return &units[time];
}

struct time_field time_unit_field(const struct time_unit *unit,
				  const char *name)
{
	const char *mark = strstr(name, "_ns");
	struct time_field field;

	if (mark)
		snprintf(field.name, sizeof(field.name), "%.*s%s%s",
			 (int)(mark - name), name, unit->suffix,
			 mark + strlen("_ns"));
	else
		snprintf(field.name, sizeof(field.name), "%s", name);
	return field;
}

struct duration_text time_unit_text(const struct time_unit *unit,
				    uint64_t value)
{
	struct duration_text text;

	if (unit->is_time)
		return duration_text_of(value);
	snprintf(text.text, sizeof(text.text), "%" PRIu64, value);
	return text;
}

struct duration_text time_unit_amount(const struct time_unit *unit,
				      uint64_t value)
{
	struct duration_text text;

	if (unit->is_time)
		return duration_text_of(value);
	snprintf(text.text, sizeof(text.text), "%" PRIu64 " %s", value,
		 unit->name);
	return text;
}
