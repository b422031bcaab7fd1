/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_unknown.h"
#include "common/array.h"
#include "common/error.h"
#include "common/file_map.h"
#include "common/log.h"
#include "decoder/code/code_change.h"
#include "decoder/code/code_known.h"
#include "decoder/code/code_region.h"
#include "decoder/code/core_loads.h"

#include <string.h>

/* Patches are whole instructions, so comparing words is enough. */
enum { WORD = 4, PIECE = 4096 };

static int add_word(struct array *unknown, uint64_t address)
{
	struct code_unknown *last =
		unknown->count ? array_at(unknown, unknown->count - 1) : NULL;

	if (!last || address != last->end) {
		last = array_add(unknown);
		if (!last)
			return -ERROR_MEMORY;
		last->first = address;
	}
	last->end = address + WORD;
	return 0;
}

/* Overwrites those bytes of @expected, @size bytes at @address, that are known
 * at the @end.
 */
static void read_known(const struct code_at_end *end, uint64_t address,
		       uint8_t *expected, size_t size)
{
	uint64_t at = 0;

	while (at < size) {
		const struct code_known *next =
			code_known_next(end->known, address + at);
		uint64_t count;

		if (!next || next->first >= address + size)
			break;
		if (next->first > address + at)
			at = next->first - address;
		count = next->end - (address + at);
		if (count > size - at)
			count = size - at;
		count = code_change_restore(end->regions, end->changes,
					    end->changes->count, address + at,
					    expected + at, count);
		at += count ? count : 1;
	}
}

/* Compares @size bytes, at most a PIECE. Unknown bytes compare as equal. */
static int compare(const struct code_at_end *known, uint64_t address,
		   const uint8_t *bytes, size_t size, struct array *unknown)
{
	uint8_t expected[PIECE];
	int error = 0;

	memcpy(expected, bytes, size);
	read_known(known, address, expected, size);
	for (size_t i = 0; i + WORD <= size && !error; i += WORD)
		if (memcmp(expected + i, bytes + i, WORD))
			error = add_word(unknown, address + i);
	return error;
}

/* Compares one load. Loads are sorted. Of loads that overlap, only the first is
 * used: *@end is the end of the loads compared so far.
 */
static int compare_load(const struct code_at_end *known,
			const struct code_region *load, uint64_t *end,
			struct array *unknown)
{
	uint64_t done = *end > load->first ? *end - load->first : 0;
	int error = 0;

	if (done < load->size_bytes)
		*end = load->first + load->size_bytes;
	while (done < load->size_bytes && !error) {
		uint64_t left = load->size_bytes - done;
		size_t size = left < PIECE ? (size_t)left : PIECE;

		error = compare(known, load->first + done, load->bytes + done,
				size, unknown);
		done += size;
	}
	return error;
}

int code_unknown_read(const struct code_at_end *known, const char *path,
		      const struct log *log, struct array *unknown)
{
	struct array loads = ARRAY_OF(struct code_region);
	struct file_map map;
	uint64_t end = 0;
	int error;

	if (file_map_open(&map, path, log) < 0)
		return 0;
	error = core_loads_read(path, &map, log, &loads);
	if (error == -ERROR_FORMAT)
		log_message(log, LOG_WARNING, path, 0,
			    "not an ELF core file: what the kernel patched "
			    "while it was recorded is not known");
	for (size_t i = 0; i < loads.count && !error; i++)
		error = compare_load(known, array_at(&loads, i), &end, unknown);
	array_free(&loads);
	file_map_close(&map);
	return error == -ERROR_MEMORY ? error : 0;
}

/* Returns whether the copy already contains the patch: it was made after it. */
static bool is_in_copy(const struct array *regions,
		       const struct code_change *change)
{
	const struct code_region *region =
		code_region_find(regions, change->address);
	uint64_t offset = region ? change->address - region->first : 0;

	return region && region->size_bytes - offset >= change->new_size &&
	       !memcmp(region->bytes + offset, change->new_bytes,
		       change->new_size);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct code_unknown *left = a;
	const struct code_unknown *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

static void sort_and_join(struct array *unknown)
{
	struct code_unknown *ranges = unknown->items;
	size_t count = 0;

	array_sort(unknown, compare_ranges);
	for (size_t i = 0; i < unknown->count; i++)
		if (!count || ranges[i].first > ranges[count - 1].end)
			ranges[count++] = ranges[i];
		else if (ranges[i].end > ranges[count - 1].end)
			ranges[count - 1].end = ranges[i].end;
	unknown->count = count;
}

int code_unknown_add_patches(const struct array *regions,
			     const struct array *changes, struct array *unknown)
{
	for (size_t i = 0; i < changes->count; i++) {
		const struct code_change *change = array_at(changes, i);
		struct code_unknown *range;

		if (change->kind != CODE_PATCH || is_in_copy(regions, change))
			continue;
		range = array_add(unknown);
		if (!range)
			return -ERROR_MEMORY;
		range->first = change->address;
		range->end = change->address + change->new_size;
	}
	sort_and_join(unknown);
	return 0;
}

static bool ends_by(const void *range, const void *address)
{
	return ((const struct code_unknown *)range)->end <=
	       *(const uint64_t *)address;
}

/* Returns the first range that ends after @address, or NULL. */
static const struct code_unknown *find(const struct array *unknown,
				       uint64_t address)
{
	size_t index = array_partition_point(unknown, &address, ends_by);

	return index < unknown->count ? array_at(unknown, index) : NULL;
}

size_t code_unknown_limit(const struct array *unknown, uint64_t address,
			  size_t size)
{
	const struct code_unknown *next = find(unknown, address);

	if (!next || next->first >= address + size)
		return size;
	return next->first > address ? next->first - address : 0;
}

uint64_t code_unknown_end(const struct array *unknown, uint64_t address)
{
	const struct code_unknown *next = find(unknown, address);

	return next && next->first <= address ? next->end : address;
}
