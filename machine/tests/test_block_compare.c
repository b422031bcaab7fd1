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
	{ 1, 6000, false, false },
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

/* Compares @text, which it frees, with the truth. */
static bool compare_text(struct block_compare *compare, char *text)
{
	const struct recording recording = { .kernel = true };
	struct expected expected;
	FILE *file = fmemopen(text, strlen(text), "r");
	bool is_same;

	ck_assert_ptr_nonnull(file);
	ck_assert(expected_open(&expected, folder, 0));
	block_compare_open(compare, file, &expected);
	expected_use(&expected, &recording);
	is_same = block_compare_run(compare, 0);
	ck_assert_uint_eq(compare->items.not_understood, 0);
	if (is_same)
		ck_assert_uint_eq(block_compare_rest(&expected), 0);
	expected_close(&expected);
	fclose(file);
	free(text);
	return is_same;
}

START_TEST(what_gaps_hide_is_limited)
{
	const struct row *row = &rows[_i];
	static struct block_compare compare;

	ck_assert_int_eq(compare_text(&compare, make_text(row)), row->is_same);
	if (row->is_same) {
		ck_assert_uint_eq(compare.items.gaps, row->gaps);
		ck_assert_uint_eq(compare.missing,
				  (uint64_t)row->gaps * row->hidden);
	}
	ck_assert_int_eq(block_compare_misses_much(&compare), row->misses_much);
}
END_TEST

/* A loop between other jumps, and the iterations that were decoded: a gap in the
 * loop may hide any of them.
 */
enum { BEFORE = 100, TURNS = 50, SHOWN_BEFORE = 10, SHOWN_AFTER = 20 };

static const unsigned int branches_of_loop[] = { 1, 2, 7 };

static void put_loop(unsigned int branches)
{
	const struct truth_header header = { .magic = TRUTH_MAGIC };
	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	fwrite(&header, sizeof(header), 1, file);
	put_record(file, TRUTH_TRACE_ON, (int64_t)BASE, 0);
	for (unsigned int i = 0; i < BEFORE; i++)
		put_record(file, TRUTH_JUMP, LAST, STEP - LAST);
	for (unsigned int i = 1; i <= TURNS * branches; i++)
		put_record(file, TRUTH_JUMP, LAST,
			   i % branches ? STEP - LAST :
					  -LAST - (int)(branches - 1) * STEP);
	for (unsigned int i = 0; i < BEFORE; i++)
		put_record(file, TRUTH_JUMP, LAST, STEP - LAST);
	put_record(file, TRUTH_TRACE_OFF, 0, 0);
	fclose(file);
}

/* Prints @count blocks, which go back to @first after each @branches. */
static void print_blocks(FILE *out, unsigned int first, unsigned int count,
			 unsigned int branches)
{
	for (unsigned int i = 0; i < count; i++) {
		uint64_t ip = BASE + (uint64_t)(first + i % branches) * STEP;

		fprintf(out,
			"1 -0 +0 block jump %" PRIx64 "-%" PRIx64
			" 2 instructions\n",
			ip, ip + LAST);
	}
}

/* Makes the truth of a loop of @branches, and begins the decoder's text of it:
 * fclose() of the returned file completes *@text.
 */
static FILE *begin_text(unsigned int branches, char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	ck_assert_ptr_nonnull(out);
	put_loop(branches);
	fprintf(out, "stream 0 cpu 0\n1 -0 +0 start  %" PRIx64 "\n", BASE);
	return out;
}

START_TEST(a_gap_in_a_loop_hides_any_of_its_turns)
{
	static struct block_compare compare;
	const unsigned int branches = branches_of_loop[_i];
	size_t size;
	char *text;
	FILE *out = begin_text(branches, &text, &size);

	print_blocks(out, 0, BEFORE, BEFORE);
	print_blocks(out, BEFORE, SHOWN_BEFORE * branches, branches);
	fputs("1 -0 +0 gap lost at byte 1, 0 bytes\n", out);
	print_blocks(out, BEFORE, SHOWN_AFTER * branches, branches);
	print_blocks(out, BEFORE, BEFORE, BEFORE);
	fputs("1 -0 +0 stop switched off 0\n1 -0 +0 end  0\n", out);
	fclose(out);
	ck_assert(compare_text(&compare, text));
	/* The branch before the gap is hidden, too. */
	ck_assert_uint_eq(compare.missing,
			  (TURNS - SHOWN_BEFORE - SHOWN_AFTER) * branches + 1);
}
END_TEST

/* A turn that is missing without a gap is a difference, even after one. */
START_TEST(a_loss_after_a_gap_is_found)
{
	static struct block_compare compare;
	size_t size;
	char *text;
	FILE *out = begin_text(2, &text, &size);

	print_blocks(out, 0, BEFORE / 2, BEFORE);
	fputs("1 -0 +0 gap lost at byte 1, 0 bytes\n", out);
	print_blocks(out, BEFORE / 2, BEFORE / 2, BEFORE);
	print_blocks(out, BEFORE, (TURNS - 1) * 2, 2);
	print_blocks(out, BEFORE, BEFORE, BEFORE);
	fputs("1 -0 +0 stop switched off 0\n1 -0 +0 end  0\n", out);
	fclose(out);
	ck_assert(!compare_text(&compare, text));
}
END_TEST

START_TEST(a_gap_may_hide_the_end)
{
	static struct block_compare compare;
	size_t size;
	char *text;
	FILE *out = begin_text(2, &text, &size);

	print_blocks(out, 0, BEFORE, BEFORE);
	print_blocks(out, BEFORE, TURNS * 2, 2);
	print_blocks(out, BEFORE, BEFORE - 5, BEFORE);
	fputs("1 -0 +0 gap lost at byte 1, 0 bytes\n1 -0 +0 end  0\n", out);
	fclose(out);
	ck_assert(compare_text(&compare, text));
	ck_assert_uint_eq(compare.missing, 6);
}
END_TEST

SUITE("block_compare")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(what_gaps_hide_is_limited, rows);
	TEST_EACH(a_gap_in_a_loop_hides_any_of_its_turns, branches_of_loop);
	TEST(a_loss_after_a_gap_is_found);
	TEST(a_gap_may_hide_the_end);
}
