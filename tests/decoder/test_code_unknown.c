/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "decoder/code/code_change_internal.h"
#include "decoder/code/code_image.h"
#include "decoder/code/code_region.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <stdio.h>

/* The code from 0x1000 to 0x1060 differs completely at the end of the
 * recording. A row has the regions that were found to differ, the address from
 * which the end is copied, and the ranges that are unknown as a result.
 */
enum { END = 0x1060 };

struct range {
	uint64_t first;
	uint64_t end;
};

static const struct row {
	struct range regions[3];
	uint64_t first;
	struct range unknown[3];
} rows[] = {
	{ { { 0 } }, 0x1000, { { 0 } } },
	{ { { 0x1000, END } }, 0x1000, { { 0x1000, END } } },
	/* Across a hole, and from one on. */
	{ { { 0x1000, 0x1010 }, { 0x1040, END } },
	  0x1000,
	  { { 0x1000, 0x1010 }, { 0x1040, END } } },
	{ { { 0x1000, 0x1010 }, { 0x1040, 0x1050 } },
	  0x1020,
	  { { 0x1040, 0x1050 } } },
	{ { { 0xf00, 0x1004 }, { 0x1008, 0x1010 }, { 0x105c, 0x2000 } },
	  0x1000,
	  { { 0x1000, 0x1004 }, { 0x1008, 0x1010 }, { 0x105c, END } } },
	/* A word that two regions have is one; of a part all is unknown. */
	{ { { 0x1000, 0x1012 }, { 0x1012, 0x1015 } },
	  0x1000,
	  { { 0x1000, 0x1018 } } },
	{ { { 0x2000, 0x2010 } }, 0x1000, { { 0 } } },
};

static void read_unknown(const struct row *row, struct array *unknown)
{
	static const uint8_t before[0x1200];
	uint8_t after[END - 0x1000];
	struct array regions = ARRAY_OF(struct code_region);
	struct array changes = ARRAY_OF(struct code_change);
	struct array known = ARRAY_OF(struct code_known);
	const struct code_at_end end = { &regions, &changes, &known };
	struct recording_fixture fixture;
	char path[128];

	for (size_t i = 0; i < 3 && row->regions[i].end; i++) {
		struct code_region *region = array_add(&regions);

		region->first = row->regions[i].first;
		region->size_bytes = row->regions[i].end - region->first;
		region->bytes = before;
	}
	ck_assert_int_eq(code_region_know(&regions, &known), 0);
	for (size_t i = 0; i < sizeof(after); i++)
		after[i] = 1;
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_code_at_end(&fixture, row->first, after,
				      END - row->first);
	snprintf(path, sizeof(path), "%s/kcore_dir/kcore_end", fixture.path);
	ck_assert_int_eq(code_unknown_read(&end, path, NULL, unknown), 0);
	recording_fixture_write(&fixture);
	recording_fixture_end(&fixture);
	array_free(&regions);
	array_free(&known);
}

START_TEST(known_bytes_of_regions_are_compared)
{
	const struct row *row = &rows[_i];
	struct array unknown = ARRAY_OF(struct code_unknown);
	size_t count = 0;

	while (count < 3 && row->unknown[count].end)
		count++;
	read_unknown(row, &unknown);
	ck_assert_uint_eq(unknown.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct code_unknown *range = array_at(&unknown, i);

		ck_assert_uint_eq(range->first, row->unknown[i].first);
		ck_assert_uint_eq(range->end, row->unknown[i].end);
	}
	array_free(&unknown);
}
END_TEST

/* One word of code: 1 when it was copied, then its patches. */
static const struct patched_row {
	uint32_t words[3];
	bool is_unknown;
} patched_rows[] = {
	{ { 1 }, false },
	{ { 2 }, true },
	/* Patched and patched back, before the copy or after it. */
	{ { 2, 1 }, true },
	{ { 1, 1, 1 }, false },
};

START_TEST(patches_without_times_are_unknown_unless_copied)
{
	static const uint32_t copied[] = { 0, 1, 0 };
	const struct patched_row *row = &patched_rows[_i];
	struct array regions = ARRAY_OF(struct code_region);
	struct array changes = ARRAY_OF(struct code_change);
	struct array unknown = ARRAY_OF(struct code_unknown);
	struct code_region *region = array_add(&regions);

	*region = (struct code_region){ .first = 0x1000,
					.size_bytes = 12,
					.bytes = (const uint8_t *)copied };
	for (size_t i = 0; i < 3 && row->words[i]; i++) {
		struct code_change *change = array_add(&changes);

		*change = (struct code_change){
			.address = 0x1004,
			.kind = CODE_PATCH,
			.new_size = 4,
			.new_bytes = (const uint8_t *)&row->words[i],
		};
	}
	ck_assert_int_eq(code_unknown_add_patches(&regions, &changes, &unknown),
			 0);
	ck_assert_uint_eq(unknown.count, row->is_unknown);
	ck_assert_uint_eq(code_unknown_limit(&unknown, 0x1000, 12),
			  row->is_unknown ? 4 : 12);
	array_free(&regions);
	array_free(&changes);
	array_free(&unknown);
}
END_TEST

SUITE("code_unknown")
{
	TEST_EACH(known_bytes_of_regions_are_compared, rows);
	TEST_EACH(patches_without_times_are_unknown_unless_copied,
		  patched_rows);
}
