/* SPDX-License-Identifier: MIT */
/* Sums of calls by spans of time: any interval adds up to the sums of its
 * cells.
 */
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"
#include "view/data/call_sums.h"

#include "common/bytes.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 150, THREADS = 5, PATHS = 40, FUNCTIONS = 100 };

/* The content of each cell, for comparison. */
static uint64_t expected[CELLS][THREADS][PATHS];

struct story {
	struct scratch_folder folder;
	struct chunk_file file;
	struct call_sums *sums;
};

static void add_sum(struct array *lists, uint32_t thread, uint32_t path,
		    uint64_t self_ns)
{
	struct call_cell_sums *list = array_add(lists);
	struct call_sum *sum;

	list->thread = thread;
	list->sums = ARRAY_OF(struct call_sum);
	sum = array_add(&list->sums);
	*sum = (struct call_sum){ .self_ns = self_ns,
				  .calls = 1,
				  .path = path };
}

/* Thread 0 is in every cell, thread 4 in one; paths are unordered, and one is
 * added twice.
 */
static void add_cell(struct story *story, uint32_t cell)
{
	struct array lists = ARRAY_OF(struct call_cell_sums);

	for (uint32_t i = 0; i < 12; i++) {
		uint32_t number = cell * 12 + i;
		uint32_t thread = i % 4 ? number * 7 % 4 : 0;
		uint32_t path = 1 + number * 31 % (PATHS - 1);

		if (cell == 77 && i == 5)
			thread = 4;
		add_sum(&lists, thread, path, number + 1);
		add_sum(&lists, thread, path, 1);
		expected[cell][thread][path] += number + 2;
	}
	ck_assert_int_eq(call_sums_add_cell(story->sums, 100 * cell,
					    100 * cell + 100, &lists),
			 0);
	array_free(&lists);
}

static void story_begin(struct story *story)
{
	char path[128];

	for (uint32_t i = 0; i < CELLS; i++)
		for (uint32_t j = 0; j < THREADS; j++)
			for (uint32_t k = 0; k < PATHS; k++)
				expected[i][j][k] = 0;
	story->folder = scratch_folder_new();
	scratch_folder_path(&story->folder, "sums", path, sizeof(path));
	story->file = (struct chunk_file){
		.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600),
	};
	ck_assert_int_ge(story->file.fd, 0);
	story->sums = call_sums_new(&story->file);
	for (uint32_t i = 1; i < PATHS; i++)
		ck_assert_int_eq(
			call_sums_add_path(story->sums,
					   (struct call_path){ .parent = i / 2,
							       .function = i }),
			0);
	for (uint32_t i = 0; i < THREADS; i++)
		ck_assert_int_eq(call_sums_set_part(story->sums, i, i % 2), 0);
	for (uint32_t i = 0; i < CELLS; i++)
		add_cell(story, i);
}

static void story_end(struct story *story)
{
	call_sums_free(story->sums);
	close(story->file.fd);
	scratch_folder_free(&story->folder);
}

/* Adds the calls of @owner in a span to @found. */
static void add_frame(const struct call_sums *sums,
		      const struct call_span *span, uint32_t owner,
		      uint64_t found[PATHS])
{
	const struct call_frame *frame = call_span_frame(span, owner);
	const struct call_sum *items;
	struct array read;

	if (!frame)
		return;
	ck_assert_int_eq(call_sums_read(sums, frame, &read), 0);
	items = read.items;
	for (size_t i = 0; i < read.count; i++) {
		ck_assert(!i || items[i - 1].path < items[i].path);
		found[items[i].path] += items[i].self_ns;
	}
	array_free(&read);
}

/* Adds the calls of @owner in cells @first to @last; returns the number of
 * spans used.
 */
static int add_cells(const struct call_sums *sums, size_t first, size_t last,
		     bool is_back, uint32_t owner, uint64_t found[PATHS])
{
	size_t left = last - first;
	int spans = 0;

	while (left) {
		size_t cells;
		size_t at = is_back ? first + left : last - left;
		uint32_t level =
			call_sums_largest(sums, at, is_back ? first : last,
					  is_back, CALL_LEVELS_MOST, &cells);

		ck_assert_uint_le(cells, left);
		add_frame(sums,
			  call_sums_span(sums, level,
					 (at - (is_back ? 1 : 0)) / cells),
			  owner, found);
		left -= cells;
		spans++;
	}
	return spans;
}

static void expect(size_t first, size_t last, uint32_t owner,
		   const uint64_t found[PATHS])
{
	for (size_t path = 0; path < PATHS; path++) {
		uint64_t wanted = 0;

		for (size_t i = first; i < last; i++)
			wanted += expected[i][owner][path];
		ck_assert_uint_eq(found[path], wanted);
	}
}

static const size_t stretches[][2] = {
	{ 0, CELLS }, { 0, 1 },	  { 7, 9 },	  { 8, 16 },
	{ 1, 149 },   { 63, 65 }, { 64, 128 },	  { 60, 140 },
	{ 77, 78 },   { 0, 64 },  { 128, CELLS }, { 5, 5 },
};

START_TEST(an_interval_is_the_sum_of_its_cells)
{
	struct story story;
	size_t first = stretches[_i][0];
	size_t last = stretches[_i][1];

	story_begin(&story);
	for (uint32_t owner = 0; owner < THREADS; owner++)
		for (int back = 0; back < 2; back++) {
			uint64_t found[PATHS] = { 0 };

			add_cells(story.sums, first, last, back, owner, found);
			expect(first, last, owner, found);
		}
	story_end(&story);
}
END_TEST

START_TEST(a_long_interval_is_few_spans)
{
	struct story story;
	uint64_t found[PATHS] = { 0 };

	story_begin(&story);
	/* 64 + 64 + 2 of 8 + 6 cells. */
	ck_assert_int_eq(add_cells(story.sums, 0, CELLS, false, 0, found), 10);
	ck_assert_uint_eq(call_sums_spans(story.sums, 1), CELLS / 8);
	ck_assert_uint_eq(call_sums_spans(story.sums, 2), CELLS / 64);
	ck_assert_uint_eq(call_sums_spans(story.sums, 3), 0);
	story_end(&story);
}
END_TEST

/* The threads of a profile's part are summed together above the cells. */
START_TEST(a_part_is_the_sum_of_its_threads)
{
	struct story story;

	story_begin(&story);
	for (uint32_t part = 0; part < 2; part++) {
		const struct call_span *span = call_sums_span(story.sums, 2, 1);
		uint64_t found[PATHS] = { 0 };
		uint64_t threads[PATHS] = { 0 };

		add_frame(story.sums, span, CALL_OWNER_PART + part, found);
		for (uint32_t i = part; i < THREADS; i += 2)
			add_frame(story.sums, span, i, threads);
		for (size_t i = 0; i < PATHS; i++)
			ck_assert_uint_eq(found[i], threads[i]);
		ck_assert_uint_gt(found[1], 0);
	}
	story_end(&story);
}
END_TEST

START_TEST(packed_sums_are_read_again)
{
	/* The last is the whole. */
	const size_t step = suite_is_brief() ? 17 : 1;
	struct story story;
	struct pack written = pack_to_write();
	struct call_sums *again = NULL;
	struct pack pack;
	uint64_t found[PATHS] = { 0 };
	uint32_t count;

	story_begin(&story);
	ck_assert_int_eq(call_sums_flush(story.sums), 0);
	call_sums_pack(story.sums, &written, FUNCTIONS);
	for (size_t size = written.out.size % step; size <= written.out.size;
	     size += step) {
		again = call_sums_new(&story.file);
		pack = pack_to_read(written.out.bytes, size);
		call_sums_pack(again, &pack, FUNCTIONS);
		ck_assert_int_eq(pack_is_whole(&pack),
				 size == written.out.size);
		if (size < written.out.size)
			call_sums_free(again);
	}
	call_sums_paths(again, &count);
	ck_assert_uint_eq(count, PATHS);
	ck_assert_uint_eq(call_sums_part(again, 3), 1);
	add_cells(again, 0, CELLS, false, 2, found);
	expect(0, CELLS, 2, found);
	call_sums_free(again);
	/* The recording does not have these functions. */
	again = call_sums_new(&story.file);
	pack = pack_to_read(written.out.bytes, written.out.size);
	call_sums_pack(again, &pack, PATHS / 2);
	ck_assert(!pack_is_whole(&pack));
	call_sums_free(again);
	pack_free(&written);
	story_end(&story);
}
END_TEST

/* Where a written span has its values: see pack_span() in view/data/call_sums.c.
 */
enum { SPAN_BEGIN = 0, SPAN_END = 8, SPAN_FIRST_OWNER = 21 };

/* Values of the third span of level 1, which starts at 1600 and ends at 2400;
 * the one before starts at 800.
 */
static const struct {
	size_t at;
	uint32_t value;
	bool is_readable;
} edits[] = {
	{ SPAN_BEGIN, 800, true },     { SPAN_BEGIN, 799, false },
	{ SPAN_END, 1600, true },      { SPAN_END, 1599, false },
	{ SPAN_FIRST_OWNER, 0, true }, { SPAN_FIRST_OWNER, 1, false },
};

/* Returns the only place of @begin_ns followed by @end_ns in @bytes. */
static uint8_t *find_span(const struct byte_buffer *bytes, uint64_t begin_ns,
			  uint64_t end_ns)
{
	struct pack wanted = pack_to_write();
	uint8_t *found;

	pack_u64(&wanted, &begin_ns);
	pack_u64(&wanted, &end_ns);
	found = memmem(bytes->bytes, bytes->size, wanted.out.bytes,
		       wanted.out.size);
	pack_free(&wanted);
	ck_assert_ptr_nonnull(found);
	return found;
}

START_TEST(disorder_in_the_file_is_found)
{
	struct story story;
	struct pack written = pack_to_write();
	struct pack value = pack_to_write();
	struct call_sums *again;
	struct pack pack;
	uint32_t edit = edits[_i].value;

	story_begin(&story);
	ck_assert_int_eq(call_sums_flush(story.sums), 0);
	call_sums_pack(story.sums, &written, FUNCTIONS);
	pack_u32(&value, &edit);
	memcpy(find_span(&written.out, 1600, 2400) + edits[_i].at,
	       value.out.bytes, value.out.size);
	again = call_sums_new(&story.file);
	pack = pack_to_read(written.out.bytes, written.out.size);
	call_sums_pack(again, &pack, FUNCTIONS);
	ck_assert_int_eq(pack_is_whole(&pack), edits[_i].is_readable);
	call_sums_free(again);
	pack_free(&written);
	pack_free(&value);
	story_end(&story);
}
END_TEST

SUITE("call_sums")
{
	TEST_EACH(an_interval_is_the_sum_of_its_cells, stretches);
	TEST(a_long_interval_is_few_spans);
	TEST(a_part_is_the_sum_of_its_threads);
	TEST(packed_sums_are_read_again);
	TEST_EACH(disorder_in_the_file_is_found, edits);
}
