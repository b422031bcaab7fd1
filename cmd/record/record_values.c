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

bool record_value_size(const char *text, size_t *bytes)
{
	uint64_t size;

	if (!read_size(text, 1 << 30, &size) || size < 64 << 10 ||
	    size & (size - 1))
		return false;
	*bytes = size;
	return true;
}

bool record_value_max(const char *text, uint64_t *bytes)
{
	return read_size(text, INT64_MAX, bytes) && *bytes >= 1 << 20;
}

/* Parses the size of a copied stack. The kernel stores a sample's size in 16
 * bits.
 */
bool record_value_stack(const char *text, uint32_t *bytes)
{
	uint64_t size;

	if (!read_size(text, 1 << 30, &size) || size < 64 || size > 60 << 10 ||
	    size % 8)
		return false;
	*bytes = (uint32_t)size;
	return true;
}

/* Parses the cycle threshold. TRCCCCTLR.THRESHOLD has 12 bits. */
bool record_value_threshold(const char *text, uint32_t *cycles)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || !value || value > 0xfff)
		return false;
	*cycles = (uint32_t)value;
	return true;
}

bool record_value_count(const char *text, uint64_t *count)
{
	char *end;

	*count = strtoull(text, &end, 10);
	return isdigit((unsigned char)*text) && !*end && *count &&
	       *count <= 1000000;
}

bool record_value_seconds(const char *text, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0 && seconds < 1e9))
		return false;
	*ns = (uint64_t)(seconds * 1e9);
	return *ns > 0;
}

bool record_value_pids(const char *text, struct array *pids)
{
	for (;;) {
		char *end;
		long value = strtol(text, &end, 10);
		pid_t *pid;

		if (end == text || value <= 0 || value > 1 << 22)
			return false;
		pid = array_add(pids);
		if (!pid)
			return false;
		*pid = (pid_t)value;
		if (!*end)
			return true;
		if (*end != ',')
			return false;
		text = end + 1;
	}
}
