/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_values.h"
#include "common/array.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* Parses a number with suffix K, M or G, up to @most. */
static bool read_size(const char *text, uint64_t most, uint64_t *bytes)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;
	unsigned long long value;

	if (!isdigit((unsigned char)*text))
		return false;
	value = strtoull(text, &end, 10);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit)
		end++;
	if (*end || value > most)
		return false;
	if (unit && value > most >> 10 * (unit - units + 1))
		return false;
	*bytes = unit ? value << 10 * (unit - units + 1) : value;
	return true;
}

const char *record_value_size(void *bytes, char *text)
{
	uint64_t size;

	if (!read_size(text, 1 << 30, &size) || size < 64 << 10 ||
	    size & (size - 1))
		return "a size from 64K to 1G, a power of two";
	*(size_t *)bytes = size;
	return NULL;
}

const char *record_value_max(void *bytes, char *text)
{
	return read_size(text, INT64_MAX, bytes) &&
			       *(uint64_t *)bytes >= 1 << 20 ?
		       NULL :
		       "a size of at least 1M";
}

/* The kernel stores a sample's size in 16 bits. */
const char *record_value_stack(void *bytes, char *text)
{
	uint64_t size;

	if (!read_size(text ? text : "8K", 1 << 30, &size) || size < 64 ||
	    size > 60 << 10 || size % 8)
		return "a size from 64 to 60K, a multiple of 8";
	*(uint32_t *)bytes = (uint32_t)size;
	return NULL;
}

/* TRCCCCTLR.THRESHOLD has 12 bits. */
const char *record_value_threshold(void *cycles, char *text)
{
	uint64_t value;

	if (!option_number(text, 0xfff, &value) || !value)
		return "a number of cycles from 1 to 4095";
	*(uint32_t *)cycles = (uint32_t)value;
	return NULL;
}

const char *record_value_count(void *count, char *text)
{
	return option_number(text, 1000000, count) && *(uint64_t *)count ?
		       NULL :
		       "a number of at least 1";
}

const char *record_value_seconds(void *ns, char *text)
{
	static const char wanted[] = "seconds above 0";
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0 && seconds < 1e9))
		return wanted;
	*(uint64_t *)ns = (uint64_t)(seconds * 1e9);
	return *(uint64_t *)ns ? NULL : wanted;
}

const char *record_value_pids(void *pids, char *text)
{
	static const char wanted[] = "process numbers";

	for (;;) {
		char *end;
		long value = strtol(text, &end, 10);
		pid_t *pid;

		if (end == text || value <= 0 || value > 1 << 22)
			return wanted;
		pid = array_add(pids);
		if (!pid)
			return wanted;
		*pid = (pid_t)value;
		if (!*end)
			return NULL;
		if (*end != ',')
			return wanted;
		text = end + 1;
	}
}

const char *record_value_arch(void *arch, char *text)
{
	*(const char **)arch = text;
	return strcmp(text, "x86_64") && strcmp(text, "arm64") ?
		       "x86_64 or arm64" :
		       NULL;
}
