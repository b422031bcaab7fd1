/* SPDX-License-Identifier: MIT */
/* The objects of system calls' arguments are read from samples, also damaged
 * ones.
 */
#include "attribution/calls/call_items.h"
#include "tests/run_suite.h"

#include <check.h>
#include <string.h>

/* A sample with a path, the file of descriptor 0, and a structure. */
static const struct {
	struct call_data head;
	struct call_data_item path;
	char path_text[8];
	struct call_data_item folder;
	struct call_data_file folder_file;
	struct call_data_item result;
	struct call_data_file result_file;
	char result_names[8];
} sample = {
	.head = { .number = 257, .size = sizeof(sample) - sizeof(sample.head) },
	.path = { CALL_DATA_STRING, 1, 5, 511 },
	.path_text = "file",
	.folder = { CALL_DATA_FILE, 0, sizeof(struct call_data_file), 0 },
	.folder_file = { .mode = 0040755, .flags = CALL_FILE_ROOTED },
	.result = { CALL_DATA_FILE, CALL_DATA_RESULT,
		    sizeof(struct call_data_file) + 8, 0 },
	.result_file = { .mode = 0100644, .flags = CALL_FILE_ROOTED },
	.result_names = "file\0up",
};

static struct call_items items;

static void set_up(void)
{
	items = (struct call_items){ .bytes = { 0 } };
}

static void tear_down(void)
{
	call_items_free(&items);
}

/* Adds @size bytes of @raw as a sample. Returns whether they are one. */
static bool add(const void *raw, size_t size)
{
	struct call_data head;

	if (!call_data_read(raw, size, &head))
		return false;
	ck_assert_int_eq(call_items_add(&items, &head, raw, size), 0);
	return true;
}

static size_t count(void)
{
	struct call_item item;
	size_t found = 0;
	size_t at = 0;

	while (call_items_next(&items, &at, &item))
		found++;
	return found;
}

START_TEST(paths_and_files_are_found)
{
	struct call_item item;
	char text[32];

	ck_assert(add(&sample, sizeof(sample)));
	ck_assert_uint_eq(count(), 3);
	ck_assert_str_eq(call_items_path(&items), "file");
	ck_assert(call_items_file(&items, 0, &item));
	ck_assert_str_eq(call_file_text(&item, text, sizeof(text)), "/");
	ck_assert(call_items_data(&items, 1, &item));
	ck_assert(!call_items_data(&items, 0, &item));
	/* The first file is not the folder where the path starts. */
	ck_assert(call_items_first_file(&items, &item));
	ck_assert_str_eq(call_file_text(&item, text, sizeof(text)), "/up/file");
	/* A buffer of five bytes gets the start of the name. */
	ck_assert_str_eq(call_file_text(&item, text, 5), "/up/");
}
END_TEST

START_TEST(the_end_of_a_call_adds_to_its_start)
{
	ck_assert(add(&sample, sizeof(sample)));
	ck_assert(add(&sample, sizeof(sample)));
	ck_assert_uint_eq(count(), 6);
	call_items_clear(&items);
	ck_assert_uint_eq(count(), 0);
}
END_TEST

START_TEST(calls_without_data_have_none)
{
	struct call_item item;

	ck_assert_ptr_null(call_items_path(NULL));
	ck_assert(!call_items_file(NULL, 0, &item));
	ck_assert(!call_items_first_file(NULL, &item));
}
END_TEST

/* perf pads samples. */
START_TEST(bytes_after_the_items_are_ignored)
{
	uint8_t longer[sizeof(sample) + 4] = { 0 };

	memcpy(longer, &sample, sizeof(sample));
	ck_assert(add(longer, sizeof(longer)));
	ck_assert_uint_eq(count(), 3);
}
END_TEST

START_TEST(a_sample_that_is_cut_has_no_items)
{
	for (size_t size = 0; size < sizeof(sample); size++)
		ck_assert(!add(&sample, size));
}
END_TEST

START_TEST(a_damaged_item_makes_its_sample_worthless)
{
	const size_t first = offsetof(__typeof__(sample), path);
	/* Places in the first item, and bytes that cannot be there. */
	const struct {
		size_t place;
		uint8_t byte;
	} damages[] = {
		{ first, CALL_DATA_KINDS },
		{ first, CALL_DATA_NONE },
		{ first + 1, CALL_DATA_PLACES },
		{ first + 3, 0xff },			  /* its size */
		{ first + 2, 0 },			  /* no NUL */
		{ first + sizeof(sample.path) + 4, 'x' }, /* likewise */
		{ offsetof(__typeof__(sample), folder) + 2, 8 },
		{ sizeof(sample) - 1, 'x' },
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
		uint8_t bytes[sizeof(sample)];

		memcpy(bytes, &sample, sizeof(sample));
		bytes[damages[i].place] = damages[i].byte;
		call_items_clear(&items);
		ck_assert(add(bytes, sizeof(bytes)));
		ck_assert_msg(count() == 0, "damage %zu", i);
	}
}
END_TEST

SUITE("call_items")
{
	FIXTURE(set_up, tear_down);
	TEST(paths_and_files_are_found);
	TEST(the_end_of_a_call_adds_to_its_start);
	TEST(calls_without_data_have_none);
	TEST(bytes_after_the_items_are_ignored);
	TEST(a_sample_that_is_cut_has_no_items);
	TEST(a_damaged_item_makes_its_sample_worthless);
}
