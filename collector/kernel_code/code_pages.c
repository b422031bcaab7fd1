/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/code_pages.h"
#include "common/error.h"

#include <stdbool.h>
#include <string.h>

enum { CODE_PAGE = 4096 };

/* Appends the addresses [start, end) to @ranges, or to its last range if that
 * ends at @start.
 */
static int append(struct array *ranges, uint64_t start, uint64_t end)
{
	struct code_range *last =
		ranges->count ? array_at(ranges, ranges->count - 1) : NULL;

	if (!last || last->end != start)
		return array_append(ranges, &(struct code_range){ start, end });
	last->end = end;
	return 0;
}

/* Returns whether all @size bytes repeat the first @period of them. */
static bool repeats(const uint8_t *bytes, size_t size, size_t period)
{
	return size < period || !memcmp(bytes, bytes + period, size - period);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
	return !bytes[0] && repeats(bytes, size, 1);
}

bool code_pages_is_free(const struct kcore *kcore, const uint8_t *bytes,
			size_t size)
{
	static const uint8_t x86[] = { 0xcc, 0xcc, 0xcc, 0xcc };
	static const uint8_t arm64[] = { 0x00, 0x20, 0x20, 0xd4 };
	bool is_arm64 = kcore->header.e_machine == EM_AARCH64;

	return size >= sizeof(x86) &&
	       !memcmp(bytes, is_arm64 ? arm64 : x86, sizeof(x86)) &&
	       repeats(bytes, size, sizeof(x86));
}

/* Reads the page of @at, from @at to at most @end. Returns its size or a
 * negative enum error.
 */
static int read_page(const struct kcore *kcore, uint64_t at, uint64_t end,
		     uint8_t page[CODE_PAGE])
{
	uint64_t size = CODE_PAGE - at % CODE_PAGE;
	int error;

	if (size > end - at)
		size = end - at;
	error = kcore_read(kcore, at, page, size);
	return error ? error : (int)size;
}

/* Appends the parts of the @size bytes @page at @start that are not free. */
static int append_used(const struct kcore *kcore, uint64_t start,
		       const uint8_t *page, size_t size, struct array *ranges)
{
	int error = 0;

	for (size_t at = 0; at < size && !error;) {
		size_t chunk =
			CODE_PAGES_CHUNK - (start + at) % CODE_PAGES_CHUNK;

		if (chunk > size - at)
			chunk = size - at;
		if (!code_pages_is_free(kcore, page + at, chunk))
			error = append(ranges, start + at, start + at + chunk);
		at += chunk;
	}
	return error;
}

static int find(const struct kcore *kcore, const struct code_range *range,
		bool may_be_free, struct array *ranges)
{
	uint8_t page[CODE_PAGE];
	uint64_t at = range->start;
	int error = 0;

	while (at < range->end && !error) {
		int read = read_page(kcore, at, range->end, page);
		size_t size = (size_t)read;

		if (read < 0)
			return read;
		if (may_be_free && !is_zero(page, size))
			error = append_used(kcore, at, page, size, ranges);
		else if (!is_zero(page, size))
			error = append(ranges, at, at + size);
		at += size;
	}
	return error;
}

int code_pages_find(const struct kcore *kcore, const struct code_range *range,
		    struct array *ranges)
{
	return find(kcore, range, false, ranges);
}

int code_pages_find_made(const struct kcore *kcore,
			 const struct code_range *range, struct array *ranges)
{
	return find(kcore, range, true, ranges);
}

uint64_t code_pages_end(const struct kcore *kcore, uint64_t start,
			uint64_t limit)
{
	uint64_t at = start - start % CODE_PAGE;
	uint8_t page[CODE_PAGE];

	while (at < start + limit &&
	       !kcore_read(kcore, at, page, sizeof(page)) &&
	       !is_zero(page, sizeof(page)))
		at += CODE_PAGE;
	return at > start ? at : start;
}
