/* SPDX-License-Identifier: MIT */
/* The kernel's code as two streams see it, each at a time of its own. */
#include "decoder/code/code_space.h"
#include "decoder/flow/flow_source.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>

/* Code in the second half of one page and the first half of the next. Each byte
 * is 1; the patch at 1000 changes the two bytes before and after the seam to 2,
 * that at 2000 changes them to 3.
 */
enum { SIZE = 4096, BEFORE = SIZE / 2 };

#define SEAM UINT64_C(0xffffffff81001000)
#define CODE (SEAM - BEFORE)
/* In the same region, but never patched. */
#define MORE (SEAM + 0x10000)

static struct recording_fixture fixture;
static struct flow_run run;
static struct code_space *early;
static struct code_space *late;
static uint64_t changed_first;
static uint64_t changed_end;

static void patch(uint64_t time_ns, uint8_t old, uint8_t new)
{
	const struct fixture_origin origin = { 1, 1, time_ns };
	struct {
		uint64_t address;
		uint16_t sizes[2];
		uint8_t bytes[8];
	} poke = { SEAM - 2, { 4, 4 }, { 0 } };

	memset(poke.bytes, old, 4);
	memset(poke.bytes + 4, new, 4);
	recording_fixture_record(&fixture, PERF_RECORD_TEXT_POKE, 0, &poke,
				 sizeof(poke), &origin);
}

static struct code_space *open_space(void)
{
	const struct flow_input input = flow_run_input(&run, 0);
	struct code_space *space;

	ck_assert_int_eq(
		code_space_open(&input, CODE, CODE_VIEW_MEMORY, &space), 0);
	return space;
}

static void set_up(void)
{
	uint8_t code[SIZE];

	memset(code, 1, sizeof(code));
	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	recording_fixture_code(&fixture, CODE, code, sizeof(code));
	recording_fixture_more_code(&fixture, MORE, code, 64);
	patch(1000, 1, 2);
	patch(2000, 2, 3);
	recording_fixture_trace(&fixture, 0, (const uint8_t[16]){ 0 }, 16);
	flow_run_of(&run, &fixture);
	early = open_space();
	late = open_space();
}

static void tear_down(void)
{
	code_space_close(early);
	code_space_close(late);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}

static void note_change(void *ctx, uint64_t first, uint64_t end)
{
	(void)ctx;
	changed_first = first;
	changed_end = end;
}

static void go_to(struct code_space *space, uint64_t time_ns)
{
	ck_assert_int_eq(code_space_go_to(space, time_ns, note_change, NULL),
			 0);
}

/* Fails unless the patched bytes are @value, and those around them are not. */
static void check(struct code_space *space, uint8_t value)
{
	const uint8_t expected[8] = { 1, 1, value, value, value, value, 1, 1 };
	uint8_t bytes[8];

	ck_assert_uint_eq(code_space_copy(space, SEAM - 4, bytes,
					  sizeof(bytes)),
			  sizeof(bytes));
	ck_assert_mem_eq(bytes, expected, sizeof(bytes));
}

START_TEST(each_space_has_the_code_of_its_own_time)
{
	check(early, 1);
	go_to(late, 2500);
	check(late, 3);
	check(early, 1);
	go_to(early, 1500);
	check(early, 2);
	check(late, 3);
	go_to(late, 500);
	check(late, 1);
	check(early, 2);
}
END_TEST

START_TEST(a_change_is_reported_with_its_addresses)
{
	go_to(early, 1500);
	ck_assert_uint_eq(changed_first, SEAM - 2);
	ck_assert_uint_eq(changed_end, SEAM + 2);
}
END_TEST

static bool is_patched(uint64_t offset)
{
	return offset >= BEFORE - 2 && offset < BEFORE + 2;
}

/* Whole code can be read in pieces, none of which passes the end of the copy.
 */
START_TEST(the_pieces_of_changed_code_are_contiguous)
{
	size_t left = 0;
	uint64_t at = 0;

	go_to(early, 1500);
	for (; at < SIZE; at += left) {
		const uint8_t *bytes =
			code_space_bytes(early, CODE + at, &left);

		ck_assert_ptr_nonnull(bytes);
		ck_assert_uint_gt(left, 0);
		ck_assert_uint_le(at + left, SIZE);
		for (size_t i = 0; i < left; i++)
			ck_assert_uint_eq(bytes[i], is_patched(at + i) ? 2 : 1);
	}
	ck_assert_ptr_null(code_space_bytes(early, CODE + SIZE, &left));
}
END_TEST

/* 64 streams need the memory of one. */
START_TEST(spaces_share_the_bytes_of_pages_that_do_not_change)
{
	size_t left;
	const uint8_t *bytes = code_space_bytes(early, MORE, &left);

	ck_assert_ptr_nonnull(bytes);
	ck_assert_uint_eq(left, 64);
	ck_assert_ptr_eq(bytes, code_space_bytes(late, MORE, &left));
}
END_TEST

SUITE("code_space")
{
	FIXTURE(set_up, tear_down);
	TEST(each_space_has_the_code_of_its_own_time);
	TEST(a_change_is_reported_with_its_addresses);
	TEST(spaces_share_the_bytes_of_pages_that_do_not_change);
	TEST(the_pieces_of_changed_code_are_contiguous);
}
