/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_folder.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdbool.h>
#include <unistd.h>

static struct scratch_folder folder;
static char recording[256];

static void set_up(void)
{
	folder = scratch_folder_new();
	scratch_folder_path(&folder, "new", recording, sizeof(recording));
}

static void tear_down(void)
{
	scratch_folder_free(&folder);
}

static bool has(const char *name)
{
	char path[256];

	scratch_folder_path(&folder, name, path, sizeof(path));
	return !access(path, F_OK);
}

/* Makes the folder and closes it, as a recorder does that has ended. */
static int make(void)
{
	struct output_folder output;
	int status = record_folder_make(&output, recording);

	output_folder_close(&output);
	return status;
}

START_TEST(a_folder_is_made)
{
	ck_assert_int_eq(make(), 0);
	ck_assert(has("new"));
}
END_TEST

/* The older ones were read: reports left indexes, rows and a summary there. */
START_TEST(the_last_recording_takes_the_place_of_an_older_one)
{
	scratch_folder_write(&folder, "new/data", "last");
	scratch_folder_write(&folder, "new/kcore_dir/kcore", "last");
	scratch_folder_write(&folder, "new/mark", "last");
	scratch_folder_write(&folder, "new.old/data", "older");
	scratch_folder_write(&folder, "new.old/kcore_dir/kcore", "older");
	scratch_folder_write(&folder, "new.old/code/1-2-3", "older");
	scratch_folder_write(&folder, "new.old/code/7.generated", "older");
	scratch_folder_write(&folder, "new.old/programs/1-2-3/init", "older");
	scratch_folder_write(&folder, "new.old/programs/1-2-4/sh", "older");
	scratch_folder_write(&folder, "new.old/trace.dat", "older");
	scratch_folder_write(&folder, "new.old/trace.cpu0", "older");
	scratch_folder_write(&folder, "new.old/index", "older");
	scratch_folder_write(&folder, "new.old/index.a1B2c3", "older");
	scratch_folder_write(&folder, "new.old/state_index", "older");
	scratch_folder_write(&folder, "new.old/rows_syscall", "older");
	scratch_folder_write(&folder, "new.old/report_sleeps", "older");
	scratch_folder_write(&folder, "new.old/view", "older");
	ck_assert_int_eq(make(), 0);
	ck_assert(has("new"));
	ck_assert(!has("new/data"));
	ck_assert(has("new.old/data"));
	ck_assert(has("new.old/mark"));
	ck_assert(!has("new.old/index"));
	ck_assert(!has("new.old/programs"));
	ck_assert(!has("new.old/report_sleeps"));
}
END_TEST

/* The recorder was killed before there was anything to read. */
START_TEST(the_rest_of_a_killed_recorder_is_no_recording)
{
	scratch_folder_write(&folder, "new/kcore_dir/kcore", "half of it");
	scratch_folder_write(&folder, "new.old/data", "good");
	ck_assert_int_eq(make(), 0);
	ck_assert(has("new"));
	ck_assert(!has("new/kcore_dir"));
	ck_assert(has("new.old/data"));
}
END_TEST

START_TEST(a_folder_of_something_else_stays)
{
	scratch_folder_write(&folder, "new/letter", "mine");
	ck_assert_int_eq(make(), -1);
	ck_assert(has("new/letter"));
	scratch_folder_write(&folder, "new/kcore_dir/kcore", "half of it");
	ck_assert_int_eq(make(), -1);
	ck_assert(has("new/letter"));
}
END_TEST

START_TEST(other_files_in_the_older_folder_stay)
{
	scratch_folder_write(&folder, "new/data", "last");
	scratch_folder_write(&folder, "new.old/data", "older");
	scratch_folder_write(&folder, "new.old/programs/1-2-3/deep/letter",
			     "mine");
	scratch_folder_write(&folder, "new.old/view-notes", "mine");
	ck_assert_int_eq(make(), -1);
	ck_assert(has("new/data"));
	ck_assert(has("new.old/programs/1-2-3/deep/letter"));
	ck_assert(has("new.old/view-notes"));
}
END_TEST

SUITE("record_folder")
{
	FIXTURE(set_up, tear_down);
	TEST(a_folder_is_made);
	TEST(the_last_recording_takes_the_place_of_an_older_one);
	TEST(the_rest_of_a_killed_recorder_is_no_recording);
	TEST(a_folder_of_something_else_stays);
	TEST(other_files_in_the_older_folder_stay);
}
