/* SPDX-License-Identifier: MIT */
#include "decoder/recording/trace_info.h"

#include "common/perf_data.h"

#include <stdlib.h>
#include <string.h>

uint64_t time_conversion_ticks(const struct time_conversion *conversion,
			       uint64_t ns)
{
	if (!conversion->known || !conversion->mult)
		return ns;

	uint64_t since = ns - conversion->zero;

	if (conversion->origin && (int64_t)since < 0)
		return 0;

	uint64_t whole = since / conversion->mult;
	uint64_t rest = since % conversion->mult;
	unsigned __int128 scaled =
		((unsigned __int128)rest << conversion->shift) +
		conversion->mult - 1;

	return (whole << conversion->shift) +
	       (uint64_t)(scaled / conversion->mult);
}

/* Half of the 56 bits are on each side of @near_ns: 139 days at 3 GHz. An
 * origin that is a multiple of 1 << shift converts without a remainder.
 */
void time_conversion_set_origin(struct time_conversion *conversion,
				uint64_t near_ns)
{
	const uint64_t half = (uint64_t)1 << 55;
	uint64_t ticks = time_conversion_ticks(conversion, near_ns);
	uint64_t steps;

	if (!conversion->known || ticks < half)
		return;
	steps = (ticks - half) >> conversion->shift;
	conversion->origin += steps << conversion->shift;
	conversion->zero += steps * conversion->mult;
}

/* Largest size that perf reserves for the text. */
enum { TEXT_LIMIT = 4096 };

/* Parses a number, hexadecimal with 0x; NULL if there is none. */
static const char *take_number(const char *text, uint64_t *number)
{
	char *end;

	if (!text)
		return NULL;
	*number = strtoull(text, &end, 0);
	return end == text ? NULL : end + strspn(end, " ");
}

/* Parses one range; returns the rest of the text, NULL if it is not a range. */
static const char *take_range(struct trace_filter *filter, const char *text)
{
	static const char action[] = "filter ";
	uint64_t first = 0;
	uint64_t size = 0;

	if (strncmp(text, action, sizeof(action) - 1) != 0)
		return NULL;
	text = take_number(text + sizeof(action) - 1, &first);
	if (!text || *text != '/')
		return NULL;
	text = take_number(text + 1, &size);
	if (!text || *text == '@' || filter->count == TRACE_FILTER_RANGES)
		return NULL;
	filter->ranges[filter->count].first = first;
	filter->ranges[filter->count].end = first + size;
	filter->count++;
	return text;
}

struct trace_filter trace_filter_read(const char *text)
{
	struct trace_filter filter = { 0 };

	text += strspn(text, ", ");
	while (*text) {
		text = take_range(&filter, text);
		if (!text)
			return (struct trace_filter){ 0 };
		text += strspn(text, ", ");
	}
	return filter;
}

struct trace_filter trace_filter_of(const struct recording *recording)
{
	const struct trace_info *info = recording_trace_info(recording);
	uint64_t size =
		recording_trace_word(recording, INTEL_PT_FILTER_STR_LEN);
	size_t first = INTEL_PT_FILTER_STR_LEN + 1;
	char text[TEXT_LIMIT + 1] = "";

	if (size > TEXT_LIMIT || info->word_count < first ||
	    size > (info->word_count - first) * sizeof(uint64_t))
		return (struct trace_filter){ 0 };
	memcpy(text, info->words + first, size);
	return trace_filter_read(text);
}

bool trace_filter_excludes(const struct trace_filter *filter, uint64_t address)
{
	for (uint32_t i = 0; i < filter->count; i++)
		if (address >= filter->ranges[i].first &&
		    address < filter->ranges[i].end)
			return false;
	return filter->count;
}
