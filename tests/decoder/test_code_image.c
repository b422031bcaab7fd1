/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "decoder/code/code_image.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "execution/graph/block_cache.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Code that is loaded during the recording is copied at 2000. */
enum { LATE = 0x500000, LATE_SIZE = 4096, PATCHED = LATE + 0x100 };

/* Copied at the start: a 1, then zeros. */
enum { CODE = 0x100000, MORE = CODE + 0x1000 };

static struct recording_fixture fixture;
static struct recording *recording;
static struct code_image *image;

static void patch(uint64_t time_ns, uint8_t old, uint8_t new)
{
	const struct fixture_origin origin = { 1, 1, time_ns };
	struct {
		uint64_t address;
		uint16_t sizes[2];
		uint8_t bytes[2];
	} poke = { PATCHED, { 1, 1 }, { old, new } };

	recording_fixture_record(&fixture, PERF_RECORD_TEXT_POKE, 0, &poke,
				 sizeof(poke), &origin);
}

/* Writes @size bytes of @value to the file in code/ for the range at LATE, with
 * @times in its name.
 */
static void copy_code_file(const char *times, uint8_t value, size_t size)
{
	uint8_t bytes[LATE_SIZE];
	char path[128];
	FILE *file;

	memset(bytes, value, sizeof(bytes));
	snprintf(path, sizeof(path), "%s/code", fixture.path);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/code/%x-%x-%s", fixture.path, LATE,
		 LATE + LATE_SIZE, times);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void copy_loaded_code(uint8_t value)
{
	copy_code_file("2000", value, LATE_SIZE);
}

/* @more: a second copy at MORE, or NULL. */
static void open_image_of(const uint8_t *more, size_t size)
{
	static const uint8_t code[64] = { 1 };

	recording_fixture_code(&fixture, CODE, code, sizeof(code));
	if (more)
		recording_fixture_more_code(&fixture, MORE, more, size);
	recording = recording_fixture_open(&fixture);
	ck_assert_int_eq(code_image_open(recording, NULL, &image), 0);
}

static void open_image(void)
{
	open_image_of(NULL, 0);
}

static void set_up(void)
{
	recording_fixture_begin(&fixture);
}

static void tear_down(void)
{
	code_image_close(image);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static uint8_t patched_at(uint64_t time_ns)
{
	uint8_t byte = 0xff;

	ck_assert_uint_eq(code_image_read(image, time_ns, PATCHED, &byte, 1),
			  1);
	return byte;
}

/* Adds the record that the kernel writes for a BPF program or a trampoline. */
static void announce(uint64_t time_ns, bool is_gone)
{
	const struct fixture_origin origin = { 1, 1, time_ns };
	const struct {
		uint64_t address;
		uint32_t size;
		uint16_t type;
		uint16_t flags;
		char name[8];
	} symbol = { LATE, LATE_SIZE, PERF_RECORD_KSYMBOL_TYPE_BPF,
		     is_gone ? PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER : 0,
		     "program" };

	recording_fixture_record(&fixture, PERF_RECORD_KSYMBOL, 0, &symbol,
				 sizeof(symbol), &origin);
}

/* Returns the byte at LATE at @time_ns, or -1 if it is unknown. */
static int late_at(uint64_t time_ns)
{
	uint8_t byte;

	return code_image_read(image, time_ns, LATE, &byte, 1) ? byte : -1;
}

START_TEST(announced_code_is_known_from_its_record_on)
{
	announce(1500, false);
	copy_loaded_code(7);
	announce(2500, true);
	open_image();
	ck_assert_int_eq(late_at(1499), -1);
	ck_assert_int_eq(late_at(1500), 7);
	ck_assert_int_eq(late_at(2499), 7);
	ck_assert_int_eq(late_at(2500), -1);
}
END_TEST

/* The program was removed before its code was read: the copy has other code.
 */
START_TEST(a_copy_read_too_late_is_none_of_the_program)
{
	announce(1500, false);
	announce(1800, true);
	copy_loaded_code(7);
	open_image();
	ck_assert_int_eq(late_at(1600), -1);
	ck_assert_int_eq(late_at(1900), -1);
	ck_assert_int_eq(late_at(2000), 7);
}
END_TEST

START_TEST(a_second_program_takes_the_place_of_the_first)
{
	announce(1500, false);
	copy_loaded_code(7);
	announce(2500, false);
	open_image();
	ck_assert_int_eq(late_at(2400), 7);
	ck_assert_int_eq(late_at(2600), -1);
}
END_TEST

START_TEST(a_copy_without_an_announcement_is_known_since_it_was_read)
{
	copy_loaded_code(7);
	open_image();
	ck_assert_int_eq(late_at(1999), -1);
	ck_assert_int_eq(late_at(2000), 7);
}
END_TEST

/* The recorder logged the time since which it is valid: a module's code, since
 * module_load.
 */
START_TEST(a_copy_is_known_since_the_time_in_its_name)
{
	copy_code_file("2000-1200", 7, LATE_SIZE);
	copy_code_file("3000", 0, 0);
	open_image();
	ck_assert_int_eq(late_at(1199), -1);
	ck_assert_int_eq(late_at(1200), 7);
	ck_assert_int_eq(late_at(2999), 7);
	ck_assert_int_eq(late_at(3000), -1);
}
END_TEST

/* The region's zeros between two copies are unknown. */
START_TEST(a_hole_between_copies_is_unknown)
{
	static const uint8_t more[] = { 1, 2, 3, 4 };
	uint8_t bytes[16];

	open_image_of(more, sizeof(more));
	ck_assert_uint_eq(code_image_read(image, 3000, CODE + 60, bytes, 16),
			  4);
	ck_assert_uint_eq(code_image_read(image, 3000, CODE + 64, bytes, 16),
			  0);
	ck_assert_uint_eq(code_image_read(image, 3000, MORE - 1, bytes, 16), 0);
	ck_assert_uint_eq(code_image_read(image, 3000, MORE, bytes, 16), 4);
	ck_assert_mem_eq(bytes, more, sizeof(more));
}
END_TEST

START_TEST(loaded_code_is_patched_before_and_after_it_is_copied)
{
	uint8_t bytes[LATE_SIZE];

	announce(900, false);
	patch(1500, 6, 7);
	patch(2500, 7, 8);
	copy_loaded_code(7);
	open_image();
	ck_assert_uint_eq(code_image_read(image, 3000, LATE, bytes,
					  sizeof(bytes)),
			  sizeof(bytes));
	ck_assert_uint_eq(bytes[0], 7);
	ck_assert_uint_eq(bytes[LATE_SIZE - 1], 7);
	ck_assert_uint_eq(patched_at(1000), 6);
	ck_assert_uint_eq(patched_at(2200), 7);
	ck_assert_uint_eq(patched_at(3000), 8);
}
END_TEST

START_TEST(a_patch_of_unknown_code_makes_none_known)
{
	uint8_t byte;

	patch(1500, 6, 7);
	open_image();
	ck_assert_uint_eq(code_image_read(image, 3000, PATCHED, &byte, 1), 0);
}
END_TEST

/* A patch of five bytes, whose first byte became that of the copy. */
START_TEST(a_patch_is_undone_before_its_time)
{
	const struct fixture_origin origin = { 0, 0, 1500 };
	const struct {
		uint64_t address;
		uint16_t sizes[2];
		uint8_t bytes[6];
	} poke = { CODE, { 5, 1 }, { 9, 9, 9, 9, 9, 1 } };
	uint8_t bytes[8];

	recording_fixture_record(&fixture, PERF_RECORD_TEXT_POKE, 0, &poke,
				 sizeof(poke), &origin);
	open_image();
	ck_assert_uint_eq(code_image_read(image, 1400, CODE, bytes, 8), 8);
	ck_assert_uint_eq(bytes[0], 9);
	ck_assert_uint_eq(code_image_read(image, 1500, CODE, bytes, 8), 8);
	ck_assert_uint_eq(bytes[0], 1);
	ck_assert_uint_eq(code_image_read(image, 1500, 0x9000, bytes, 8), 0);
}
END_TEST

/* The cache of kernel code relies on it: block_cache.h, invariant 1. */
START_TEST(code_that_changes_at_any_time_is_listed)
{
	struct block_cache *cache;
	struct block block = { .kind = BLOCK_RETURN, .bytes = 4 };
	struct block_info info = { 0 };
	struct array ranges = ARRAY_OF(struct code_unknown);
	const struct code_unknown *range;

	patch(2500, 7, 8);
	copy_loaded_code(7);
	open_image();
	ck_assert_int_eq(code_image_changing(image, &ranges), 0);
	ck_assert_uint_eq(ranges.count, 1);
	range = array_at(&ranges, 0);
	ck_assert_uint_eq(range->first, LATE);
	ck_assert_uint_eq(range->end, LATE + LATE_SIZE);
	array_free(&ranges);
	cache = block_cache_new(image);
	for (block.ip = LATE - 8; block.ip < LATE + 4; block.ip++) {
		bool is_constant = block.ip + block.bytes <= LATE;
		struct block found;

		ck_assert_int_eq(block_cache_put(cache, &block, &info) != NULL,
				 is_constant);
		ck_assert_int_eq(block_cache_get(cache, block.ip, info.set,
						 &found) != NULL,
				 is_constant);
	}
	block_cache_free(cache);
}
END_TEST

SUITE("code_image")
{
	FIXTURE(set_up, tear_down);
	TEST(loaded_code_is_patched_before_and_after_it_is_copied);
	TEST(a_patch_of_unknown_code_makes_none_known);
	TEST(announced_code_is_known_from_its_record_on);
	TEST(a_copy_read_too_late_is_none_of_the_program);
	TEST(a_second_program_takes_the_place_of_the_first);
	TEST(a_copy_without_an_announcement_is_known_since_it_was_read);
	TEST(a_copy_is_known_since_the_time_in_its_name);
	TEST(a_hole_between_copies_is_unknown);
	TEST(a_patch_is_undone_before_its_time);
	TEST(code_that_changes_at_any_time_is_listed);
}
