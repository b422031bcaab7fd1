/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "decoder/recording/recording.h"
#include "decoder/recording_open.h"
#include "tests/recording_fixture.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Code that comes while it is recorded is copied at 2000. */
enum { LATE = 0x500000, LATE_SIZE = 4096, PATCHED = LATE + 0x100 };

/* Copied at the beginning: a 1, then zeros. */
enum { CODE = 0x100000 };

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

static void copy_loaded_code(uint8_t value)
{
	uint8_t bytes[LATE_SIZE];
	char path[128];
	FILE *file;

	memset(bytes, value, sizeof(bytes));
	snprintf(path, sizeof(path), "%s/code", fixture.path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/code/%x-%x-2000", fixture.path, LATE,
		 LATE + LATE_SIZE);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, sizeof(bytes), file), sizeof(bytes));
	fclose(file);
}

static void open_image(void)
{
	static const uint8_t code[64] = { 1 };

	recording_fixture_code(&fixture, CODE, code, sizeof(code));
	recording_fixture_write(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	ck_assert_int_eq(code_image_open(recording, NULL, &image), 0);
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

START_TEST(loaded_code_is_patched_before_and_after_it_is_copied)
{
	uint8_t bytes[LATE_SIZE];

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

/* Five bytes, of which the first became what the copy has. */
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

int main(void)
{
	Suite *suite = suite_create("code_image");
	TCase *tcase = tcase_create("patches");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase,
		       loaded_code_is_patched_before_and_after_it_is_copied);
	tcase_add_test(tcase, a_patch_of_unknown_code_makes_none_known);
	tcase_add_test(tcase, a_patch_is_undone_before_its_time);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
