/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/block_compare.h"

#include "machine/truth/format.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A truth of jumps from each address to the next, and its decoded blocks: all
 * except those hidden by gaps.
 */
#define BASE UINT64_C(0xffff800080000000)
enum { JUMPS = 100000, STEP = 16, LAST = 4 };

static const struct row {
	unsigned int gaps;
	unsigned int hidden; /* jumps hidden by each gap */
	bool is_same;	     /* equal except for the gaps */
	bool misses_much;
} rows[] = {
	{ 0, 0, true, false },
	{ 1, 1, true, false },
	{ 3, BLOCK_COMPARE_HIDDEN, true, false },
	{ 1, BLOCK_COMPARE_HIDDEN + 1, true, true },
	{ 3, BLOCK_COMPARE_HIDDEN + 1, true, true },
	{ 1, 900, true, true },
	/* Each gap hides little, but there are many. */
	{ 400, 1, true, true },
	/* The position after the gap cannot be found. */
	{ 1, 6000, false, true },
};

static char folder[] = "/tmp/ktrace-hw-test.XXXXXX";
static char path[sizeof(folder) + 16];

static void put_varint(FILE *file, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		fputc((int)(value & 0x7f) | 0x80, file);
	fputc((int)value, file);
}

static void put_record(FILE *file, enum truth_kind kind, int64_t from,
		       int64_t to)
{
	fputc(kind, file);
	put_varint(file, 1);
	put_varint(file, (uint64_t)from << 1 ^ (uint64_t)(from >> 63));
	put_varint(file, (uint64_t)to << 1 ^ (uint64_t)(to >> 63));
}

static void set_up(void)
{
	const struct truth_header header = { .magic = TRUTH_MAGIC };
	FILE *file;

	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/truth.0", folder);
	file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	fwrite(&header, sizeof(header), 1, file);
	put_record(file, TRUTH_TRACE_ON, (int64_t)BASE, 0);
	for (unsigned int i = 0; i < JUMPS; i++)
		put_record(file, TRUTH_JUMP, LAST, STEP - LAST);
	put_record(file, TRUTH_TRACE_OFF, 0, 0);
	fclose(file);
}

static void tear_down(void)
{
	unlink(path);
	rmdir(folder);
}

/* Returns the output that `ktrace-hw dump --blocks` would print. */
static char *make_text(const struct row *row)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);
	unsigned int next = row->gaps ? JUMPS / (row->gaps + 1) : JUMPS;

	ck_assert_ptr_nonnull(out);
	fprintf(out, "stream 0 cpu 0\n1 -0 +0 start  %" PRIx64 "\n", BASE);
	for (unsigned int i = 0, met = 0; i < JUMPS; i++) {
		uint64_t ip = BASE + (uint64_t)i * STEP;

		fprintf(out,
			"1 -0 +0 block jump %" PRIx64 "-%" PRIx64
			" 2 instructions\n",
			ip, ip + LAST);
		if (i != next || met++ == row->gaps)
			continue;
		fputs("1 -0 +0 gap lost at byte 1, 0 bytes\n", out);
		/* The previous jump is lost as well, since its destination is
		 * unknown.
		 */
		i += row->hidden - 1;
		next += JUMPS / (row->gaps + 1);
	}
	fputs("1 -0 +0 stop switched off 0\n1 -0 +0 end  0\n", out);
	fclose(out);
	return text;
}

START_TEST(what_gaps_hide_is_limited)
{
	const struct row *row = &rows[_i];
	const struct recording recording = { .kernel = true };
	struct block_compare compare;
	struct expected expected;
	char *text = make_text(row);
	FILE *file = fmemopen(text, strlen(text), "r");

	ck_assert_ptr_nonnull(file);
	ck_assert(expected_open(&expected, folder, 0));
	block_compare_open(&compare, file, &expected);
	expected_use(&expected, &recording);
	ck_assert_int_eq(block_compare_run(&compare, 0), row->is_same);
	ck_assert_uint_eq(compare.items.not_understood, 0);
	if (row->is_same) {
		ck_assert_uint_eq(compare.items.gaps, row->gaps);
		ck_assert_uint_eq(compare.missing,
				  (uint64_t)row->gaps * row->hidden);
	}
	ck_assert_int_eq(block_compare_misses_much(&compare), row->misses_much);
	expected_close(&expected);
	fclose(file);
	free(text);
}
END_TEST

/* A loop of one branch between other jumps, and the iterations that were
 * decoded: a gap in the loop may hide any of them.
 */
enum { BEFORE = 100, TURNS = 50, SHOWN_BEFORE = 10, SHOWN_BEHIND = 20 };

static void put_loop(void)
{
	const struct truth_header header = { .magic = TRUTH_MAGIC };
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	fwrite(&header, sizeof(header), 1, file);
	put_record(file, TRUTH_TRACE_ON, (int64_t)BASE, 0);
	for (unsigned int i = 0; i < BEFORE; i++)
		put_record(file, TRUTH_JUMP, LAST, STEP - LAST);
	for (unsigned int i = 0; i < TURNS; i++)
		put_record(file, TRUTH_JUMP, LAST, -LAST);
	for (unsigned int i = 0; i < BEFORE; i++)
		put_record(file, TRUTH_JUMP, LAST, STEP - LAST);
	put_record(file, TRUTH_TRACE_OFF, 0, 0);
	fclose(file);
}

static void print_blocks(FILE *out, unsigned int first, unsigned int count,
			 unsigned int step)
{
	for (unsigned int i = 0; i < count; i++) {
		uint64_t ip = BASE + (uint64_t)(first + i * step) * STEP;

		fprintf(out,
			"1 -0 +0 block jump %" PRIx64 "-%" PRIx64
			" 2 instructions\n",
			ip, ip + LAST);
	}
}

START_TEST(a_gap_in_a_loop_hides_any_of_its_turns)
{
	const struct recording recording = { .kernel = true };
	struct block_compare compare;
	struct expected expected;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);
	FILE *file;

	put_loop();
	fprintf(out, "stream 0 cpu 0\n1 -0 +0 start  %" PRIx64 "\n", BASE);
	print_blocks(out, 0, BEFORE, 1);
	print_blocks(out, BEFORE, SHOWN_BEFORE, 0);
	fputs("1 -0 +0 gap lost at byte 1, 0 bytes\n", out);
	print_blocks(out, BEFORE, SHOWN_BEHIND, 0);
	print_blocks(out, BEFORE, BEFORE, 1);
	fputs("1 -0 +0 stop switched off 0\n1 -0 +0 end  0\n", out);
	fclose(out);
	file = fmemopen(text, size, "r");
	ck_assert(expected_open(&expected, folder, 0));
	block_compare_open(&compare, file, &expected);
	expected_use(&expected, &recording);
	ck_assert(block_compare_run(&compare, 0));
	ck_assert_uint_eq(compare.missing,
			  TURNS - SHOWN_BEFORE - SHOWN_BEHIND + 1);
	expected_close(&expected);
	fclose(file);
	free(text);
}
END_TEST

SUITE("block_compare")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(what_gaps_hide_is_limited, rows);
	TEST(a_gap_in_a_loop_hides_any_of_its_turns);
}
