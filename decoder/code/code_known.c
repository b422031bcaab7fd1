/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_known.h"
#include "common/array.h"
#include "common/error.h"

#include <stdbool.h>

static bool ends_before(const void *range, const void *address)
{
	return ((const struct code_known *)range)->end <
	       *(const uint64_t *)address;
}

static bool ends_by(const void *range, const void *address)
{
	return ((const struct code_known *)range)->end <=
	       *(const uint64_t *)address;
}

/* Makes room for one range at @index. Returns it, or NULL. */
static struct code_known *insert(struct array *known, size_t index)
{
	struct code_known *ranges;

	if (!array_add(known))
		return NULL;
	ranges = known->items;
	for (size_t i = known->count - 1; i > index; i--)
		ranges[i] = ranges[i - 1];
	return &ranges[index];
}

/* Ranges that overlap or touch the new one become a part of it. */
int code_known_add(struct array *known, uint64_t first, uint64_t end)
{
	size_t index = array_partition_point(known, &first, ends_before);
	struct code_known *range;
	size_t count = 0;

	if (first >= end)
		return 0;
	for (; index + count < known->count; count++) {
		range = array_at(known, index + count);
		if (range->first > end)
			break;
		if (range->first < first)
			first = range->first;
		if (range->end > end)
			end = range->end;
	}
	if (count > 1)
		array_remove(known, index + 1, count - 1);
	range = count ? array_at(known, index) : insert(known, index);
	if (!range)
		return -ERROR_MEMORY;
	*range = (struct code_known){ first, end };
	return 0;
}

int code_known_remove(struct array *known, uint64_t first, uint64_t end)
{
	size_t index = array_partition_point(known, &first, ends_by);

	while (first < end && index < known->count) {
		struct code_known *range = array_at(known, index);
		const struct code_known was = *range;

		if (was.first >= end)
			break;
		if (was.first < first && was.end > end) {
			range->end = first;
			range = insert(known, index + 1);
			if (!range)
				return -ERROR_MEMORY;
			*range = (struct code_known){ end, was.end };
			break;
		}
		if (was.first >= first && was.end <= end) {
			array_remove(known, index, 1);
			continue;
		}
		if (was.first < first)
			range->end = first;
		else
			range->first = end;
		index++;
	}
	return 0;
}

const struct code_known *code_known_next(const struct array *known,
					 uint64_t address)
{
	size_t index = array_partition_point(known, &address, ends_by);

	return index < known->count ? array_at(known, index) : NULL;
}

uint64_t code_known_limit(const struct array *known, uint64_t address)
{
	const struct code_known *range = code_known_next(known, address);

	return range && range->first <= address ? range->end - address : 0;
}
