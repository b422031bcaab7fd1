/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum {
	POINTS = 300,
	APART = 3000, /* bytes from one point to the next */
	SIZE = POINTS * APART,
	STEP = 100, /* ticks */
};

/* A stream of sync points with PAD and TNT between them; each third has no
 * time, as if the trace unit had none then. Those with a time are @STEP ticks
 * apart.
 */
static uint8_t *stream;
static size_t farthest;

static bool has_time(int point)
{
	return point % 3 != 2;
}

static void put_point(int point)
{
	uint8_t *bytes = stream + (size_t)point * APART + point % 7;
	size_t size = fixture_intel_bytes(
		has_time(point) ? "psb 19 0 0 0 0 0 0 0 02 23" : "psb 02 23",
		bytes, APART);
	uint64_t ticks = (uint64_t)point * STEP;

	ck_assert_uint_ge(size, 18);
	for (int i = 0; has_time(point) && i < 7; i++)
		bytes[17 + i] = (uint8_t)(ticks >> (8 * i));
}

static void set_up(void)
{
	stream = malloc(SIZE);
	ck_assert_ptr_nonnull(stream);
	for (size_t i = 0; i < SIZE; i++)
		stream[i] = i % 5 ? 0x06 : 0;
	for (int point = 0; point < POINTS; point++)
		put_point(point);
	farthest = 0;
}

static void tear_down(void)
{
	free(stream);
}

/* Notes how much is looked at at once. */
static const uint8_t *reach(void *ctx, size_t from, size_t to)
{
	ck_assert_uint_le(from, to);
	if (to - from > farthest)
		farthest = to - from;
	return ctx;
}

static struct sync_search search_of(size_t size)
{
	return (struct sync_search){
		.bytes = stream,
		.size = size,
		.reach = reach,
		.ctx = stream,
	};
}

static size_t position_of(int point)
{
	return (size_t)point * APART + (size_t)(point % 7);
}

static bool find_before(struct sync_search *search, uint64_t ticks,
			struct sync_point *point)
{
	const struct point_search points = sync_search_points(search);

	return point_search_before(&points, ticks, point);
}

START_TEST(the_last_one_that_is_not_later_is_found)
{
	struct sync_search search = search_of(SIZE);

	for (uint64_t ticks = 0; ticks < (POINTS + 2) * STEP; ticks += 33) {
		struct sync_point point;
		int last = ticks / STEP < POINTS ? (int)(ticks / STEP) :
						   POINTS - 1;

		while (!has_time(last))
			last--;
		ck_assert(find_before(&search, ticks, &point));
		ck_assert_uint_eq(point.position, position_of(last));
		ck_assert_uint_eq(point.ticks, (uint64_t)last * STEP);
	}
	ck_assert_uint_lt(farthest, 1 << 17);
}
END_TEST

START_TEST(the_next_one_is_found_from_anywhere)
{
	const struct sync_search search = search_of(SIZE);
	struct sync_point point;

	ck_assert(sync_search_next(&search, position_of(1) + 1, &point));
	ck_assert_uint_eq(point.position, position_of(3));
	ck_assert(!sync_search_next(&search, position_of(POINTS - 2) + 1,
				    &point));
	ck_assert(!sync_search_next(&search, SIZE, &point));
}
END_TEST

START_TEST(before_the_first_there_is_none)
{
	struct sync_search search = search_of(SIZE);
	struct sync_point point;

	memset(stream + position_of(0), 0, 30);
	ck_assert(!find_before(&search, STEP - 1, &point));
	ck_assert(find_before(&search, STEP, &point));
	ck_assert_uint_eq(point.position, position_of(1));
}
END_TEST

/* Wherever the stream ends, and whatever times it has, no byte after the end is
 * read, which sanitizers check, and the search terminates.
 */
START_TEST(damage_does_no_harm)
{
	uint8_t *copy = malloc(SIZE);
	struct sync_search search;
	struct sync_point point;

	ck_assert_ptr_nonnull(copy);
	for (int i = 0; i < 64; i++) {
		size_t size = position_of(i) + (size_t)i + 1;

		search = search_of(size);
		copy = memcpy(realloc(copy, size), stream, size);
		search.ctx = copy;
		if (i > 20)
			memset(copy + position_of(i / 2) + 17, 0xff, 7);
		if (find_before(&search, (uint64_t)i * STEP, &point))
			ck_assert_uint_lt(point.position, size);
		copy = realloc(copy, SIZE);
		ck_assert_ptr_nonnull(copy);
	}
	free(copy);
}
END_TEST

SUITE("sync_search")
{
	FIXTURE(set_up, tear_down);
	TEST(the_last_one_that_is_not_later_is_found);
	TEST(the_next_one_is_found_from_anywhere);
	TEST(before_the_first_there_is_none);
	TEST(damage_does_no_harm);
}
