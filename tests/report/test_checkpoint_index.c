/* SPDX-License-Identifier: MIT */
#include "report/steps/checkpoint_index.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY = 42, COUNT = 3 };

static const char *const texts[COUNT] = { "first", "the second", "3" };
static const uint64_t times[COUNT] = { 100, 200, 300 };

static bool fits(const char *path, uint64_t key)
{
	struct checkpoint_index *index = checkpoint_index_open(path, key);

	checkpoint_index_close(index);
	return index;
}

static void write_index(const char *path)
{
	struct index_writer *writer = index_writer_open(path, KEY);

	ck_assert_ptr_nonnull(writer);
	for (int i = 0; i < COUNT; i++)
		index_writer_add(writer, times[i], (const uint8_t *)texts[i],
				 strlen(texts[i]));
	ck_assert(!fits(path, KEY));
	index_writer_finish(writer);
	index_writer_free(writer);
}

/* Returns whether the @wanted entry is text @index, -1: none. */
static bool finds_wanted(const char *path, uint64_t key,
			 enum checkpoint_wanted wanted, uint64_t time_ns,
			 int index)
{
	struct checkpoint_index *opened = checkpoint_index_open(path, key);
	size_t size = 0;
	uint8_t *bytes =
		opened ? checkpoint_index_find(opened, wanted, time_ns, &size) :
			 NULL;
	bool is_right = !bytes == (index < 0);

	if (bytes && index >= 0)
		is_right = size == strlen(texts[index]) &&
			   !memcmp(bytes, texts[index], size);
	free(bytes);
	checkpoint_index_close(opened);
	return is_right;
}

/* Returns whether the last entry before @time_ns is text @index, -1: none. */
static bool finds(const char *path, uint64_t key, uint64_t time_ns, int index)
{
	return finds_wanted(path, key, CHECKPOINT_BEFORE, time_ns, index);
}

START_TEST(the_first_from_a_time_on_is_found)
{
	struct scratch_folder folder = scratch_folder_new();
	char path[128];

	scratch_folder_path(&folder, "index", path, sizeof(path));
	write_index(path);
	ck_assert(finds_wanted(path, KEY, CHECKPOINT_FROM, 0, 0));
	ck_assert(finds_wanted(path, KEY, CHECKPOINT_FROM, 100, 0));
	ck_assert(finds_wanted(path, KEY, CHECKPOINT_FROM, 101, 1));
	ck_assert(finds_wanted(path, KEY, CHECKPOINT_FROM, 300, 2));
	ck_assert(finds_wanted(path, KEY, CHECKPOINT_FROM, 301, -1));
	ck_assert(finds_wanted(path, KEY + 1, CHECKPOINT_FROM, 0, -1));
	scratch_folder_free(&folder);
}
END_TEST

START_TEST(the_last_before_a_time_is_found)
{
	struct scratch_folder folder = scratch_folder_new();
	char path[128];

	scratch_folder_path(&folder, "index", path, sizeof(path));
	ck_assert(finds(path, KEY, 1000, -1));
	write_index(path);
	ck_assert(fits(path, KEY));
	ck_assert(!fits(path, KEY + 1));
	ck_assert(finds(path, KEY, 0, -1));
	ck_assert(finds(path, KEY, 100, -1));
	ck_assert(finds(path, KEY, 101, 0));
	ck_assert(finds(path, KEY, 300, 1));
	ck_assert(finds(path, KEY, UINT64_MAX, 2));
	ck_assert(finds(path, KEY + 1, UINT64_MAX, -1));
	scratch_folder_free(&folder);
}
END_TEST

/* As before the first decode of the whole recording. */
START_TEST(a_discarded_index_fits_no_more)
{
	struct scratch_folder folder = scratch_folder_new();
	char path[128];

	scratch_folder_path(&folder, "index", path, sizeof(path));
	write_index(path);
	ck_assert(checkpoint_index_discard(path, KEY));
	ck_assert(!fits(path, KEY));
	write_index(path);
	ck_assert(fits(path, KEY));
	ck_assert(!checkpoint_index_discard("/nowhere/index", KEY));
	scratch_folder_free(&folder);
}
END_TEST

START_TEST(an_unfinished_index_leaves_nothing)
{
	struct scratch_folder folder = scratch_folder_new();
	struct index_writer *writer;
	char path[128];

	scratch_folder_path(&folder, "index", path, sizeof(path));
	writer = index_writer_open(path, KEY);
	index_writer_add(writer, 1, (const uint8_t *)"x", 1);
	index_writer_free(writer);
	ck_assert(access(path, F_OK) < 0);
	ck_assert_int_eq(rmdir(folder.path), 0);
	ck_assert_ptr_null(index_writer_open("/nowhere/index", KEY));
}
END_TEST

static size_t read_file(const char *path, uint8_t *bytes, size_t room)
{
	FILE *file = fopen(path, "r");
	size_t size = fread(bytes, 1, room, file);

	fclose(file);
	return size;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

/* Returns where the last of the texts lies: see docs/formats.md, "index". */
static size_t last_text(const uint8_t *bytes)
{
	uint64_t table;
	uint64_t offset;

	memcpy(&table, bytes + 16, sizeof(table));
	memcpy(&offset, bytes + table + (COUNT - 1) * 32 + 8, sizeof(offset));
	return offset;
}

/* Files with one byte changed, or cut at one byte, for each byte. */
START_TEST(damage_is_found)
{
	struct scratch_folder folder = scratch_folder_new();
	uint8_t bytes[512];
	char path[128];
	size_t last;
	size_t size;

	scratch_folder_path(&folder, "index", path, sizeof(path));
	write_index(path);
	size = read_file(path, bytes, sizeof(bytes));
	last = last_text(bytes);
	/* The texts before the last are not looked at. */
	for (size_t i = 0; i < size; i++) {
		bool is_other = i >= 40 && i < last;

		bytes[i] ^= 0x10;
		write_file(path, bytes, size);
		ck_assert_msg(finds(path, KEY, UINT64_MAX, is_other ? 2 : -1),
			      "byte %zu", i);
		bytes[i] ^= 0x10;
		write_file(path, bytes, i);
		ck_assert_msg(finds(path, KEY, UINT64_MAX, -1), "cut at %zu",
			      i);
	}
	scratch_folder_free(&folder);
}
END_TEST

SUITE("checkpoint_index")
{
	TEST(the_last_before_a_time_is_found);
	TEST(the_first_from_a_time_on_is_found);
	TEST(a_discarded_index_fits_no_more);
	TEST(an_unfinished_index_leaves_nothing);
	TEST(damage_is_found);
}
