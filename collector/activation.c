/* SPDX-License-Identifier: MIT */
#include "collector/activation_internal.h"

#include "common/clocks.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SECOND_NS = 1000000000 };

/* Largest accepted time in seconds since 1970, in the year 2262: its
 * nanoseconds fit in 64 bits.
 */
static const int64_t last_s = INT64_MAX / SECOND_NS - 1;

/* Reads ".25" or nothing; ignores digits after the ninth. */
static bool read_fraction(const char **text, int64_t *ns)
{
	const char *at = *text;
	int64_t unit = SECOND_NS / 10;

	*ns = 0;
	if (*at != '.')
		return true;
	if (!isdigit((unsigned char)*++at))
		return false;
	for (; isdigit((unsigned char)*at); at++, unit /= 10)
		*ns += (*at - '0') * unit;
	*text = at;
	return true;
}

static bool read_seconds(const char *text, int64_t *ns)
{
	char *end;
	long long seconds;
	const char *at;

	if (!isdigit((unsigned char)*text))
		return false;
	seconds = strtoll(text, &end, 10);
	at = end;
	if (seconds > last_s || !read_fraction(&at, ns) || *at)
		return false;
	*ns += seconds * SECOND_NS;
	return true;
}

/* Reads "Z", "+01:00" or "-0330": the offset of local time from UTC. */
static bool read_zone(const char *text, int64_t *ahead_s)
{
	struct tm zone = { 0 };
	const char *end;

	*ahead_s = 0;
	if (!strcmp(text, "Z"))
		return true;
	if (*text != '+' && *text != '-')
		return false;
	end = strptime(text + 1, "%H:%M", &zone);
	if (!end)
		end = strptime(text + 1, "%H%M", &zone);
	*ahead_s = zone.tm_hour * 3600 + zone.tm_min * 60;
	if (*text == '-')
		*ahead_s = -*ahead_s;
	return end && !*end;
}

static bool read_date(const char *text, int64_t *ns)
{
	struct tm date = { 0 };
	const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &date);
	int64_t ahead_s;
	int64_t seconds;

	if (!at || !read_fraction(&at, ns) || !read_zone(at, &ahead_s))
		return false;
	seconds = timegm(&date) - ahead_s;
	if (seconds <= 0 || seconds > last_s)
		return false;
	*ns += seconds * SECOND_NS;
	return true;
}

static bool read_duration(const char *text, int64_t *ns)
{
	uint64_t duration_ns;
	const uint64_t day_ns = (uint64_t)86400 * SECOND_NS;

	if (!duration_read(text, &duration_ns) || !duration_ns ||
	    duration_ns > day_ns)
		return false;
	*ns = (int64_t)duration_ns;
	return true;
}

const char *activation_parse(const char *text, int64_t now_ns,
			     struct activation *activation)
{
	activation->kind = ACTIVATE_AT;
	switch (*text) {
	case '@':
		if (read_seconds(text + 1, &activation->ns) ||
		    read_date(text + 1, &activation->ns))
			return NULL;
		return "@SECONDS since 1970, or @2026-01-31T15:10:00Z, with Z "
		       "or an offset such as +01:00";
	case '/':
		activation->kind = ACTIVATE_MULTIPLE;
		if (read_duration(text + 1, &activation->ns))
			return NULL;
		break;
	case '+':
		if (read_duration(text + 1, &activation->ns)) {
			activation->ns += now_ns;
			return NULL;
		}
		break;
	default:
		return "@TIME, /PERIOD or +TIME, such as "
		       "@2026-01-31T15:10:00Z, /10s or +5s";
	}
	return "a time up to a day, such as /10s or +500ms";
}

int64_t activation_instant(const struct activation *activation, int64_t now_ns)
{
	switch (activation->kind) {
	case ACTIVATE_AT_ONCE:
		break;
	case ACTIVATE_AT:
		return activation->ns;
	case ACTIVATE_MULTIPLE:
		return (now_ns / activation->ns + 1) * activation->ns;
	}
	return now_ns;
}
