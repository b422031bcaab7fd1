/* SPDX-License-Identifier: MIT */
#include "collector/rings/cpu_rings.h"
#include "tests/run_suite.h"

#include <string.h>

enum { SIZE = 64 << 10, STRETCH = SIZE / AUX_RING_WATERMARKS };

static struct perf_event_mmap_page page;
static uint8_t bytes[SIZE];

static struct aux_ring new_ring(void)
{
	memset(&page, 0, sizeof(page));
	return (struct aux_ring){ .page = &page, .bytes = bytes, .size = SIZE };
}

static const struct {
	const char *name;
	uint64_t heads[3]; /* where the kernel is at each reading */
	uint64_t tails[3]; /* expected after each read */
} rows[] = {
	{ "whole stretches",
	  { STRETCH, 3 * STRETCH, 4 * STRETCH },
	  { STRETCH, 3 * STRETCH, 4 * STRETCH } },
	{ "inside a stretch",
	  { 100, STRETCH + 1, 2 * STRETCH - 1 },
	  { 0, STRETCH, STRETCH } },
	{ "round the ring",
	  { 3 * STRETCH, 6 * STRETCH + 7, 7 * STRETCH },
	  { 3 * STRETCH, 6 * STRETCH, 7 * STRETCH } },
};

START_TEST(releases_whole_intervals)
{
	struct aux_ring ring = new_ring();
	uint64_t before = 0;

	for (int i = 0; i < 3; i++) {
		struct ring_bytes read;

		page.aux_head = rows[_i].heads[i];
		read = aux_ring_read(&ring);
		ck_assert_msg(read.start == before, "%s", rows[_i].name);
		ck_assert_uint_eq(read.size, rows[_i].heads[i] - before);
		aux_ring_release(&ring, &read);
		ck_assert_msg(page.aux_tail == rows[_i].tails[i],
			      "%s: tail %llu", rows[_i].name,
			      (unsigned long long)page.aux_tail);
		before = rows[_i].heads[i];
	}
}
END_TEST

START_TEST(is_full_by_the_position_given_to_the_kernel)
{
	struct aux_ring ring = new_ring();
	struct ring_bytes read;

	page.aux_head = STRETCH + 5;
	read = aux_ring_read(&ring);
	aux_ring_release(&ring, &read);
	page.aux_head = STRETCH + SIZE - 2;
	ck_assert(!aux_ring_is_full(&ring));
	page.aux_head = STRETCH + SIZE - 1;
	ck_assert(aux_ring_is_full(&ring));
}
END_TEST

static const struct {
	const char *name;
	uint64_t head; /* when the trace is released that was read before */
	bool is_full;
} releases[] = {
	{ "with room", SIZE - 2, false },
	{ "stopped while it was read", SIZE - 1, true },
	{ "stopped at the last byte", SIZE, true },
	{ "went on with the new limit", SIZE + 1, false },
};

START_TEST(a_release_reports_a_ring_that_was_full)
{
	struct aux_ring ring = new_ring();
	struct ring_bytes read;

	page.aux_head = 2 * STRETCH;
	read = aux_ring_read(&ring);
	page.aux_head = releases[_i].head;
	ck_assert_msg(aux_ring_release(&ring, &read) == releases[_i].is_full,
		      "%s", releases[_i].name);
	ck_assert_uint_eq(page.aux_tail, 2 * STRETCH);
}
END_TEST

static const struct {
	const char *name;
	uint64_t kept; /* by the snapshot before */
	uint64_t head;
	uint64_t start;
	size_t size, first; /* of all, of the first part */
} snapshots[] = {
	{ "the first, not full", 0, 100, 0, 100, 100 },
	{ "behind the first, not full", 100, 300, 100, 200, 200 },
	{ "round the ring's end", SIZE - 10, SIZE + 20, SIZE - 10, 30, 10 },
	{ "overwritten", 100, 3 * SIZE + 7, 2 * SIZE + 7, SIZE, SIZE - 7 },
	{ "nothing new", 300, 300, 300, 0, 0 },
};

START_TEST(a_count_shows_new_bytes)
{
	struct aux_ring ring = new_ring();
	struct ring_bytes got;

	page.aux_head = snapshots[_i].head;
	got = aux_ring_since(&ring, snapshots[_i].kept);
	ck_assert_msg(got.start == snapshots[_i].start, "%s",
		      snapshots[_i].name);
	ck_assert_msg(got.size == snapshots[_i].size, "%s", snapshots[_i].name);
	ck_assert_uint_eq(got.part[0].iov_len, snapshots[_i].first);
	ck_assert_uint_eq(got.part[1].iov_len, got.size - snapshots[_i].first);
	ck_assert_ptr_eq(got.part[0].iov_base,
			 bytes + snapshots[_i].start % SIZE);
}
END_TEST

START_TEST(zeros_show_how_far_writing_got)
{
	struct aux_ring ring = new_ring();
	struct ring_bytes got;

	memset(bytes, 0, sizeof(bytes));
	memset(bytes, 1, 100);
	page.aux_head = 100;
	got = aux_ring_snapshot(&ring);
	ck_assert_uint_eq(got.size, 100);
	bytes[SIZE - 1] = 1;
	got = aux_ring_snapshot(&ring);
	ck_assert_uint_eq(got.size, SIZE);
	ck_assert_ptr_eq(got.part[0].iov_base, bytes + 100);
	ck_assert_uint_eq(got.start, 0);
}
END_TEST

SUITE("aux_ring")
{
	TEST_EACH(releases_whole_intervals, rows);
	TEST(is_full_by_the_position_given_to_the_kernel);
	TEST_EACH(a_release_reports_a_ring_that_was_full, releases);
	TEST_EACH(a_count_shows_new_bytes, snapshots);
	TEST(zeros_show_how_far_writing_got);
}
