/* SPDX-License-Identifier: MIT */
/* A copy of the kernel that the service withdraws is not taken for a short
 * one.
 */
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/modules.h"
#include "common/bytes.h"
#include "common/error.h"
#include "inband/own_recording_internal.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char *const contents[SERVE_FILES] = {
	[SERVE_KCORE] = "code",
	[SERVE_KALLSYMS] = ("ffffffff81000000 T _stext\n"
			    "ffffffff82000000 T _etext\n"),
	[SERVE_MODULES] = "",
	[SERVE_FORMATS] = "formats",
};

static struct scratch_folder scratch;
static struct output_folder folder;
static struct kernel_copy copy;
static struct byte_buffer formats;
static int files[SERVE_FILES];
static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };

static void set_up(void)
{
	scratch = scratch_folder_new();
	copy = (struct kernel_copy){ .modules = ARRAY_OF(struct module) };
	formats = (struct byte_buffer){ 0 };
	said[0] = '\0';
	for (size_t i = 0; i < SERVE_FILES; i++) {
		char path[96];

		scratch_folder_write(&scratch, "given", contents[i]);
		scratch_folder_path(&scratch, "given", path, sizeof(path));
		files[i] = open(path, O_RDWR | O_CLOEXEC);
		ck_assert_int_ge(files[i], 0);
		ck_assert_int_eq(unlink(path), 0);
	}
	folder = scratch_folder_output(&scratch);
}

static void tear_down(void)
{
	for (size_t i = 0; i < SERVE_FILES; i++)
		close(files[i]);
	kernel_copy_free(&copy);
	byte_buffer_free(&formats);
	output_folder_close(&folder);
	scratch_folder_free(&scratch);
}

static int take(void)
{
	return given_kernel_take(files, &folder, &copy, &formats, &log_said);
}

START_TEST(a_whole_copy_is_taken)
{
	ck_assert_int_eq(take(), 0);
	ck_assert_uint_eq(copy.text.start, 0xffffffff81000000);
	ck_assert_uint_eq(formats.size, strlen(contents[SERVE_FORMATS]));
}
END_TEST

/* The first file is truncated, while the others are still there. */
START_TEST(a_copy_that_is_being_withdrawn_is_an_error)
{
	ck_assert_int_eq(ftruncate(files[SERVE_KCORE], 0), 0);
	ck_assert_int_eq(take(), -ERROR_SYSTEM);
	ck_assert_int_eq(errno, ESTALE);
	ck_assert_ptr_nonnull(strstr(said, "has withdrawn"));
}
END_TEST

SUITE("given_kernel")
{
	FIXTURE(set_up, tear_down);
	TEST(a_whole_copy_is_taken);
	TEST(a_copy_that_is_being_withdrawn_is_an_error);
}
