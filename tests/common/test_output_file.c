/* SPDX-License-Identifier: MIT */
/* Output files are written completely or not at all, and replace only the file
 * they are named after.
 */
#include "common/files/output_file.h"

#include "common/files/file_io.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static struct scratch_folder folder;
static char path[PATH_MAX];

static void setup(void)
{
	folder = scratch_folder_new();
	snprintf(path, sizeof(path), "%s/out", folder.path);
}

static void teardown(void)
{
	scratch_folder_free(&folder);
}

static void write_text(const char *name, const char *text)
{
	FILE *file = fopen(name, "we");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void expect_text(const char *name, const char *text)
{
	char got[64] = "";
	FILE *file = fopen(name, "re");

	ck_assert_ptr_nonnull(file);
	fread(got, 1, sizeof(got) - 1, file);
	fclose(file);
	ck_assert_str_eq(got, text);
}

/* Expects a file that gzip unpacks to @text. */
static void expect_packed(const char *name, const char *text)
{
	char got[64] = "";
	gzFile file = gzopen(name, "rb");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(gzdirect(file), 0);
	gzread(file, got, sizeof(got) - 1);
	ck_assert_int_eq(gzclose(file), Z_OK);
	ck_assert_str_eq(got, text);
}

static int count_files(void)
{
	DIR *dir = opendir(folder.path);
	int count = 0;

	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static struct output_file *open_with(const char *text)
{
	struct output_file *file = output_file_open(path);

	ck_assert_ptr_nonnull(file);
	fputs(text, output_file_stream(file));
	fflush(output_file_stream(file));
	return file;
}

START_TEST(a_part_is_never_seen)
{
	struct output_file *file;

	write_text(path, "old");
	file = open_with("new");
	expect_text(path, "old");
	ck_assert(output_file_close(file, true));
	expect_text(path, "new");
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

START_TEST(gzip_unpacks_the_written_bytes)
{
	struct output_file *file = output_file_open_gzip(path);

	ck_assert_ptr_nonnull(file);
	fputs("text", output_file_stream(file));
	ck_assert(output_file_close(file, true));
	expect_packed(path, "text");
	ck_assert_int_eq(count_files(), 1);
	ck_assert_ptr_null(output_file_open_gzip("/proc/none"));
}
END_TEST

START_TEST(a_full_disk_fails_gzip_too)
{
	struct output_file *file = output_file_open_gzip("/dev/full");

	ck_assert_ptr_nonnull(file);
	fputs("text", output_file_stream(file));
	ck_assert(!output_file_close(file, true));
	ck_assert_int_eq(errno, ENOSPC);
}
END_TEST

START_TEST(a_failure_keeps_the_old_file)
{
	ck_assert(output_file_close(open_with("new"), false));
	ck_assert_int_eq(count_files(), 0);
	write_text(path, "old");
	ck_assert(output_file_close(open_with("new"), false));
	expect_text(path, "old");
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* Others can write in the folder, and plant links of names to come. */
START_TEST(names_that_are_taken_are_left_alone)
{
	char victim[PATH_MAX];
	char planted[PATH_MAX + 32];

	snprintf(victim, sizeof(victim), "%s/victim", folder.path);
	write_text(victim, "mine");
	snprintf(planted, sizeof(planted), "%s.%ld", path, (long)getpid());
	ck_assert_int_eq(symlink(victim, planted), 0);
	ck_assert(output_file_close(open_with("new"), true));
	expect_text(path, "new");
	expect_text(victim, "mine");
	ck_assert_int_eq(count_files(), 3);
}
END_TEST

START_TEST(a_link_leads_to_the_file_that_is_replaced)
{
	char target[PATH_MAX];
	struct stat link;

	snprintf(target, sizeof(target), "%s/target", folder.path);
	write_text(target, "old");
	ck_assert_int_eq(symlink(target, path), 0);
	ck_assert(output_file_close(open_with("new"), true));
	expect_text(target, "new");
	ck_assert_int_eq(lstat(path, &link), 0);
	ck_assert(S_ISLNK(link.st_mode));
}
END_TEST

/* Returns whether @call fails with EPERM because user 1 made the link at @path. */
static bool refuses_link(const char *target)
{
	struct output_file *file;

	ck_assert_int_eq(symlink(target, path), 0);
	ck_assert_int_eq(lchown(path, 1, 1), 0);
	file = output_file_open(path);
	if (!file)
		return errno == EPERM;
	output_file_close(file, true);
	return false;
}

START_TEST(a_link_of_another_user_is_refused)
{
	char target[sizeof(path)];

	if (geteuid() != 0)
		return;
	snprintf(target, sizeof(target), "%s/target", folder.path);
	write_text(target, "old");
	ck_assert(refuses_link(target));
	expect_text(target, "old");
	ck_assert_int_eq(unlink(path), 0);
	/* Otherwise another user could have a disk overwritten. */
	ck_assert(refuses_link("/dev/null"));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(unlink(target), 0);
}
END_TEST

START_TEST(a_folder_through_the_link_of_another_user_is_refused)
{
	char inside[sizeof(path) + 8];

	if (geteuid() != 0)
		return;
	ck_assert_int_eq(symlink("/", path), 0);
	ck_assert_int_eq(lchown(path, 1, 1), 0);
	snprintf(inside, sizeof(inside), "%s/new", path);
	ck_assert_ptr_null(output_file_open(inside));
	ck_assert_int_eq(errno, EPERM);
}
END_TEST

/* The folder that was found is written to, whatever has its name later. */
START_TEST(a_swapped_folder_gets_nothing)
{
	struct output_file *file;
	char old[sizeof(path)];
	char inside[sizeof(path) + 8];

	snprintf(old, sizeof(old), "%s/old", folder.path);
	snprintf(inside, sizeof(inside), "%s/new", path);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	file = output_file_open(inside);
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(rename(path, old), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(output_file_close(file, true));
	ck_assert_int_ne(access(inside, F_OK), 0);
	snprintf(inside, sizeof(inside), "%s/new", old);
	ck_assert_int_eq(access(inside, F_OK), 0);
}
END_TEST

START_TEST(the_umask_holds)
{
	mode_t umask_before = umask(077);
	struct stat file;

	ck_assert(output_file_close(open_with("new"), true));
	ck_assert_int_eq(stat(path, &file), 0);
	ck_assert_int_eq(file.st_mode & 0777, 0600);
	umask(umask_before);
}
END_TEST

START_TEST(pipes_and_devices_are_written_to)
{
	struct output_file *file;
	char got[8] = "";
	int reader;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	file = open_with("new");
	ck_assert_int_eq(read(reader, got, 7), 3);
	ck_assert(output_file_close(file, false));
	close(reader);
	ck_assert_int_eq(count_files(), 1);
	/* /dev/stdout leads to a regular file if output is redirected. */
	ck_assert(!new_file_may_be("/dev/stdout"));
}
END_TEST

START_TEST(the_first_of_a_name_replaces_none)
{
	struct new_file file;

	ck_assert(new_file_open(&file, path, 0600));
	write_text(path, "old");
	ck_assert(!new_file_finish_first(&file));
	ck_assert_int_eq(errno, EEXIST);
	new_file_close(&file);
	expect_text(path, "old");
	ck_assert_int_eq(count_files(), 1);
}
END_TEST

/* A block that is larger than the buffer is written, and discarded, at once:
 * later calls of stdio succeed and leave no reason.
 */
START_TEST(the_reason_of_an_earlier_write_is_found)
{
	static char block[1 << 20];
	FILE *out = fopen("/dev/full", "we");

	ck_assert_uint_lt(fwrite(block, 1, sizeof(block), out), sizeof(block));
	errno = 0;
	ck_assert(!close_written(out));
	ck_assert_int_eq(errno, ENOSPC);
	out = fopen("/dev/null", "we");
	fputs("text", out);
	ck_assert(close_written(out));
}
END_TEST

SUITE("output_file")
{
	FIXTURE(setup, teardown);
	TEST(a_part_is_never_seen);
	TEST(gzip_unpacks_the_written_bytes);
	TEST(a_full_disk_fails_gzip_too);
	TEST(a_failure_keeps_the_old_file);
	TEST(names_that_are_taken_are_left_alone);
	TEST(a_link_leads_to_the_file_that_is_replaced);
	TEST(a_link_of_another_user_is_refused);
	TEST(a_folder_through_the_link_of_another_user_is_refused);
	TEST(a_swapped_folder_gets_nothing);
	TEST(the_umask_holds);
	TEST(pipes_and_devices_are_written_to);
	TEST(the_first_of_a_name_replaces_none);
	TEST(the_reason_of_an_earlier_write_is_found);
}
