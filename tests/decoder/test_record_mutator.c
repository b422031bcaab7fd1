/* SPDX-License-Identifier: MIT */
#include "tests/fixtures/recording.h"
#include "tests/fuzz/recording/all_writers.h"
#include "tests/fuzz/recording/packed_files.h"
#include "tests/fuzz/recording/record_list.h"
#include "tests/fuzz/recording/record_mutator.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 16, TIMES = 2000 };

static const uint8_t trace[32] = { 2, 0x82, 2, 0x82 };

/* A recording of some records, as an input. */
static size_t make_input(uint8_t *input)
{
	static const struct fixture_origin origin = { 1, 1, 9000 };
	static const uint32_t comm[] = { 1, 1, 0x6273, 0 };
	struct recording_fixture fixture;
	char path[96];
	FILE *file;
	size_t size;

	recording_fixture_begin(&fixture);
	fixture.arch = "x86_64";
	recording_fixture_trace(&fixture, 0, trace, sizeof(trace));
	recording_fixture_record(&fixture, PERF_RECORD_COMM, 0, comm,
				 sizeof(comm), &origin);
	recording_fixture_write(&fixture);
	snprintf(path, sizeof(path), "%s/data", fixture.path);
	size = (size_t)sprintf((char *)input, "@@file data\n");
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	size += fread(input + size, 1, ROOM - size, file);
	fclose(file);
	recording_fixture_end(&fixture);
	size += (size_t)sprintf((char *)input + size,
				"@@file code/1-2-3\nx@@file options\n");
	return size;
}

static size_t keep_bytes(uint8_t *bytes, size_t size, size_t room)
{
	(void)bytes;
	ck_assert_uint_le(size, room);
	return size;
}

static bool read_records(struct record_list *list, const uint8_t *input,
			 size_t size)
{
	struct packed_files files;
	const struct packed_file *data;

	packed_files_read(&files, input, size);
	data = packed_files_find(&files, "data");
	return data && record_list_read(list, data->bytes, data->size);
}

START_TEST(files_are_found_and_written)
{
	static const char input[] = "PERFILE2@@file a\n@@file b/c\nxyz"
				    "@@file no end";
	struct packed_files files;
	uint8_t written[64];
	size_t size;

	packed_files_read(&files, (const uint8_t *)input, sizeof(input) - 1);
	ck_assert_uint_eq(files.count, 3);
	ck_assert_uint_eq(packed_files_find(&files, "data")->size, 8);
	ck_assert_uint_eq(packed_files_find(&files, "a")->size, 0);
	ck_assert_mem_eq(packed_files_find(&files, "b/c")->bytes, "xyz", 3);
	size = packed_files_write(&files, written, sizeof(written));
	ck_assert_uint_eq(size, 43);
	ck_assert_mem_eq(written,
			 "@@file data\nPERFILE2@@file a\n"
			 "@@file b/c\nxyz",
			 size);
	ck_assert_uint_eq(packed_files_write(&files, written, 42), 0);
}
END_TEST

START_TEST(records_are_written_as_they_were)
{
	static uint8_t input[ROOM];
	static uint8_t written[ROOM];
	static struct record_list list;
	size_t size = make_input(input);

	ck_assert(read_records(&list, input, size));
	size = record_list_write(&list, written, sizeof(written));
	ck_assert_uint_eq(size, list.file_size);
	ck_assert_mem_eq(written, list.file, size);
	ck_assert_uint_eq(record_list_write(&list, written, size - 1), 0);
}
END_TEST

/* After a mutation the file header has the right offset of the features that
 * follow the records.
 */
START_TEST(features_move_with_the_records)
{
	static uint8_t input[ROOM];
	static uint8_t written[ROOM];
	static struct record_list list;
	static struct record_list again;
	uint64_t before;
	uint64_t after;
	size_t size = make_input(input);

	ck_assert(read_records(&list, input, size));
	memcpy(&before, list.file + list.end, sizeof(before));
	ck_assert(record_list_insert(&list, 1, list.records[0]));
	size = record_list_write(&list, written, sizeof(written));
	ck_assert(record_list_read(&again, written, size));
	ck_assert_uint_eq(again.count, list.count);
	memcpy(&after, written + again.end, sizeof(after));
	ck_assert_uint_eq(after - before, list.records[0].size);
}
END_TEST

/* Most inputs are still readable to their last record, and few stay unchanged;
 * the same seed gives the same result.
 */
START_TEST(inputs_change_and_stay_recordings)
{
	static uint8_t input[ROOM];
	static uint8_t changed[ROOM];
	static uint8_t again[ROOM];
	static struct record_list list;
	size_t size = make_input(input);
	unsigned int good = 0;
	unsigned int same = 0;

	for (unsigned int seed = 1; seed <= TIMES; seed++) {
		size_t made;

		memcpy(changed, input, size);
		memcpy(again, input, size);
		made = record_mutator_run(changed, size, ROOM, seed,
					  keep_bytes);
		ck_assert_uint_eq(record_mutator_run(again, size, ROOM, seed,
						     keep_bytes),
				  made);
		ck_assert_mem_eq(changed, again, made);
		good += read_records(&list, changed, made);
		same += made == size && !memcmp(changed, input, size);
	}
	ck_assert_uint_gt(good, TIMES * 9 / 10);
	ck_assert_uint_lt(same, TIMES / 2);
}
END_TEST

START_TEST(an_input_chooses_the_written_part)
{
	static const char input[] = "@@file data\nPERFILE2@@file a\nxyz";
	uint8_t changed[256];
	struct packed_files files;
	unsigned int parts = 0;

	for (unsigned int seed = 1; seed <= TIMES; seed++) {
		const struct packed_file *options;
		size_t made;

		memcpy(changed, input, sizeof(input));
		made = record_mutator_run(changed, sizeof(input) - 1,
					  sizeof(changed), seed, keep_bytes);
		packed_files_read(&files, changed, made);
		options = packed_files_find(&files, "options");
		ck_assert_ptr_nonnull(options);
		ck_assert_uint_eq(options->size, sizeof(struct writer_choice));
		parts += options->bytes[offsetof(struct writer_choice, part)] !=
			 0;
	}
	ck_assert_uint_gt(parts, TIMES * 8 / 10);
}
END_TEST

START_TEST(unsuitable_input_is_left_to_other_mutators)
{
	static uint8_t input[ROOM];
	size_t size = make_input(input);

	for (unsigned int seed = 1; seed <= TIMES; seed++)
		ck_assert_uint_le(record_mutator_run(input, size, size, seed,
						     keep_bytes),
				  size);
}
END_TEST

START_TEST(records_go_from_one_input_to_another)
{
	static uint8_t input[ROOM];
	static uint8_t crossed[ROOM];
	static struct record_list before;
	static struct record_list after;
	size_t size = make_input(input);

	ck_assert(read_records(&before, input, size));
	size = record_mutator_cross(input, size, input, size, crossed, ROOM,
				    _i + 1);
	ck_assert(read_records(&after, crossed, size));
	ck_assert_uint_gt(after.count, before.count);
	ck_assert_uint_eq(record_mutator_cross(input, 3, input, size, crossed,
					       ROOM, 1),
			  0);
}
END_TEST

SUITE("record_mutator")
{
	TEST(files_are_found_and_written);
	TEST(records_are_written_as_they_were);
	TEST(features_move_with_the_records);
	TEST(inputs_change_and_stay_recordings);
	TEST(an_input_chooses_the_written_part);
	TEST(unsuitable_input_is_left_to_other_mutators);
	TEST_TIMES(records_go_from_one_input_to_another, 8);
}
