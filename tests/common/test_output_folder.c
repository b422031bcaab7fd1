/* SPDX-License-Identifier: MIT */
/* The tests have the names of the invariants in common/files/output_folder.h. */
#include "common/error.h"
#include "common/files/output_folder.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHER_USER = 65534 };

static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };
static struct scratch_folder scratch;
static struct output_folder folder;
static char place[256]; /* of the folder that the tests open */

static bool said_has(const char *text)
{
	return strstr(said, text);
}

static const char *path_of(const char *name)
{
	static char path[256];

	scratch_folder_path(&scratch, name, path, sizeof(path));
	return path;
}

static void set_up(void)
{
	scratch = scratch_folder_new();
	scratch_folder_path(&scratch, "out", place, sizeof(place));
	scratch_folder_write(&scratch, "victim/file", "precious");
}

static void tear_down(void)
{
	output_folder_close(&folder);
	scratch_folder_free(&scratch);
}

static bool has(const char *name)
{
	struct stat stat;

	return !lstat(path_of(name), &stat);
}

static void check_text(const char *name, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path_of(name), "r");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_gt(fread(text, 1, sizeof(text) - 1, file), 0);
	fclose(file);
	ck_assert_str_eq(text, expected);
}

static void check_victim(void)
{
	check_text("victim/file", "precious");
}

/* Gives the file to another user, for which the test has to run as root. */
static bool give_away(const char *name)
{
	if (!lchown(path_of(name), OTHER_USER, OTHER_USER))
		return true;
	puts("skipped: only root can give files to another user");
	return false;
}

START_TEST(invariant_1_the_last_name_is_never_followed)
{
	ck_assert_int_eq(symlink("victim", place), 0);
	ck_assert_int_eq(output_folder_open(&folder, place, NULL),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(output_folder_make(&folder, place, NULL),
			 -ERROR_SYSTEM);
	check_victim();
}
END_TEST

START_TEST(invariant_1_own_links_on_the_way_are_followed)
{
	ck_assert_int_eq(symlink("victim", path_of("link")), 0);
	ck_assert_int_eq(output_folder_make(&folder, path_of("link/new"), NULL),
			 0);
	ck_assert(has("victim/new"));
}
END_TEST

START_TEST(invariant_1_links_of_another_user_are_not_followed)
{
	ck_assert_int_eq(symlink("victim", path_of("link")), 0);
	if (!give_away("link"))
		return;
	ck_assert_int_eq(output_folder_make(&folder, path_of("link/new"),
					    &log_said),
			 -ERROR_SYSTEM);
	ck_assert(!has("victim/new"));
	ck_assert(said_has("another user made a link"));
	/* No folder is made through one's own link to another user's link. */
	ck_assert_int_eq(symlink("link", path_of("own")), 0);
	ck_assert_int_eq(output_folder_make(&folder, path_of("own/new"), NULL),
			 -ERROR_SYSTEM);
	ck_assert(!has("victim/new"));
}
END_TEST

START_TEST(invariant_1_a_circle_of_links_ends)
{
	ck_assert_int_eq(symlink("two", path_of("one")), 0);
	ck_assert_int_eq(symlink("one", path_of("two")), 0);
	ck_assert_int_eq(output_folder_make(&folder, path_of("one/new"), NULL),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, ELOOP);
}
END_TEST

/* Each link leads through the one before it twice: few links are as many steps
 * as a path of 2^30 names.
 */
START_TEST(invariant_1_links_that_double_end)
{
	enum { LEVELS = 30 };
	char name[8];
	char target[24];

	ck_assert_int_eq(symlink(".", path_of("0")), 0);
	for (int i = 1; i <= LEVELS; i++) {
		snprintf(name, sizeof(name), "%d", i);
		snprintf(target, sizeof(target), "%d/%d", i - 1, i - 1);
		ck_assert_int_eq(symlink(target, path_of(name)), 0);
	}
	snprintf(target, sizeof(target), "%d/new", LEVELS);
	ck_assert_int_eq(output_folder_make(&folder, path_of(target), NULL),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, ELOOP);
}
END_TEST

START_TEST(invariant_2_a_new_folder_is_private)
{
	struct stat stat;

	umask(0);
	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	ck_assert_int_eq(fstat(folder.fd, &stat), 0);
	ck_assert_uint_eq(stat.st_mode & 07777, 0700);
	output_folder_close(&folder);
	ck_assert_int_eq(output_folder_make(&folder, place, NULL),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, EEXIST);
}
END_TEST

START_TEST(invariant_2_others_may_not_write_to_it)
{
	static const mode_t modes[] = { 0720, 0702, 0777, 01777, 02770 };

	ck_assert_int_eq(mkdir(place, 0700), 0);
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		ck_assert_int_eq(chmod(place, modes[i]), 0);
		ck_assert_int_eq(output_folder_open(&folder, place, &log_said),
				 -ERROR_SYSTEM);
		ck_assert_ptr_null(folder.path);
	}
	ck_assert(said_has("other users may write to it"));
	ck_assert_int_eq(chmod(place, 0755), 0);
	ck_assert_int_eq(output_folder_open(&folder, place, &log_said), 0);
}
END_TEST

START_TEST(invariant_2_it_belongs_to_this_user)
{
	ck_assert_int_eq(mkdir(place, 0700), 0);
	if (!give_away("out"))
		return;
	ck_assert_int_eq(output_folder_open(&folder, place, &log_said),
			 -ERROR_SYSTEM);
	ck_assert(said_has("belongs to another user"));
	/* The check of the owner leaves no file. */
	ck_assert_int_eq(rmdir(place), 0);
}
END_TEST

static void write_word(FILE *out, const void *word)
{
	fputs(word, out);
}

/* Plants an obstacle with the name of an output file: a link, a dangling link,
 * a second hard link, a pipe.
 */
static void plant(const char *name, int kind)
{
	char path[256];
	char victim[256];

	scratch_folder_path(&scratch, name, path, sizeof(path));
	scratch_folder_path(&scratch, "victim/file", victim, sizeof(victim));
	if (kind == 0)
		ck_assert_int_eq(symlink(victim, path), 0);
	else if (kind == 1)
		ck_assert_int_eq(symlink("../victim/new", path), 0);
	else if (kind == 2)
		ck_assert_int_eq(link(victim, path), 0);
	else
		ck_assert_int_eq(mkfifo(path, 0666), 0);
}

START_TEST(invariant_3_what_has_the_name_is_not_touched)
{
	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	plant("out/file", _i);
	ck_assert_int_eq(output_folder_create(&folder, "file"), -1);
	ck_assert_int_eq(errno, EEXIST);
	ck_assert_int_eq(output_folder_write(&folder, "file", write_word,
					     "ours", NULL),
			 0);
	check_text("out/file", "ours");
	check_victim();
	ck_assert(!has("victim/new"));
}
END_TEST

START_TEST(invariant_3_a_folder_of_that_name_is_an_error)
{
	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	scratch_folder_write(&scratch, "out/file/inner", "text");
	ck_assert_int_eq(output_folder_save(&folder, "file", "ours", 4,
					    &log_said),
			 -ERROR_SYSTEM);
	ck_assert(said_has("cannot be written"));
	check_text("out/file/inner", "text");
}
END_TEST

START_TEST(invariant_4_what_is_opened_again_is_an_own_file)
{
	int fd;

	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	plant("out/file", _i);
	ck_assert_int_eq(output_folder_reopen(&folder, "file", O_RDWR), -1);
	check_victim();
	ck_assert_int_eq(output_folder_save(&folder, "good", "ours", 4, NULL),
			 0);
	fd = output_folder_reopen(&folder, "good", O_RDONLY);
	ck_assert_int_ge(fd, 0);
	close(fd);
	if (!give_away("out/good"))
		return;
	ck_assert_int_eq(output_folder_reopen(&folder, "good", O_RDONLY), -1);
}
END_TEST

START_TEST(invariant_5_removal_enters_no_link)
{
	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	ck_assert_int_eq(symlink("../victim", path_of("out/sub")), 0);
	output_folder_remove_sub(&folder, "sub", 0);
	check_victim();
	scratch_folder_write(&scratch, "out/good/file", "text");
	ck_assert_int_eq(symlink("../../victim", path_of("out/good/link")), 0);
	output_folder_remove_sub(&folder, "good", 0);
	ck_assert(!has("out/good"));
	check_victim();
	output_folder_discard(&folder);
	ck_assert(!has("out"));
	check_victim();
}
END_TEST

START_TEST(invariant_5_removal_enters_no_folder_of_others)
{
	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	scratch_folder_write(&scratch, "out/sub/file", "text");
	if (!give_away("out/sub"))
		return;
	output_folder_remove_sub(&folder, "sub", 0);
	check_text("out/sub/file", "text");
	ck_assert_int_eq(chown(path_of("out/sub"), 0, 0), 0);
	ck_assert_int_eq(chmod(path_of("out/sub"), 0777), 0);
	output_folder_remove_sub(&folder, "sub", 0);
	check_text("out/sub/file", "text");
}
END_TEST

START_TEST(invariant_5_removal_enters_no_mount_point)
{
	struct output_folder sub;

	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	ck_assert_int_eq(mkdir(path_of("out/sub"), 0700), 0);
	if (mount("none", path_of("out/sub"), "tmpfs", 0, "mode=0700")) {
		puts("skipped: this process may not mount");
		return;
	}
	scratch_folder_write(&scratch, "out/sub/file", "text");
	output_folder_remove_sub(&folder, "sub", 0);
	check_text("out/sub/file", "text");
	ck_assert_int_eq(output_folder_sub(&sub, &folder, "sub", NULL),
			 -ERROR_SYSTEM);
	output_folder_discard(&folder);
	check_text("out/sub/file", "text");
	ck_assert_int_eq(umount(path_of("out/sub")), 0);
}
END_TEST

START_TEST(invariant_6_a_folder_in_its_place_stays)
{
	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	ck_assert(output_folder_is_in_place(&folder));
	ck_assert_int_eq(rename(place, path_of("away")), 0);
	ck_assert(!output_folder_is_in_place(&folder));
	ck_assert_int_eq(mkdir(place, 0700), 0);
	ck_assert(!output_folder_is_in_place(&folder));
	ck_assert_int_eq(output_folder_move(&folder, "moved"), -ERROR_SYSTEM);
	output_folder_remove_empty(&folder);
	ck_assert(has("out"));
	ck_assert(has("away"));
	ck_assert(!has("moved"));
	/* Files are written to where the folder is now. */
	ck_assert_int_eq(output_folder_save(&folder, "file", "ours", 4, NULL),
			 0);
	check_text("away/file", "ours");
}
END_TEST

START_TEST(invariant_6_a_folder_moves_and_is_found_beside)
{
	struct output_folder other;

	ck_assert_int_eq(output_folder_make(&folder, place, NULL), 0);
	ck_assert_int_eq(output_folder_beside(&other, &folder, "out.old", NULL),
			 -ERROR_NOT_FOUND);
	ck_assert_int_eq(output_folder_move(&folder, "out.old"), 0);
	ck_assert(output_folder_is_in_place(&folder));
	ck_assert(has("out.old"));
	ck_assert(!has("out"));
	ck_assert_int_eq(output_folder_beside(&other, &folder, "out.old", NULL),
			 0);
	ck_assert_str_eq(other.path, path_of("out.old"));
	output_folder_close(&other);
}
END_TEST

/* A process that has the folder locked until it is killed. */
static pid_t start_locker(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (output_folder_open(&folder, place, NULL) ||
		    output_folder_lock(&folder, NULL) ||
		    write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

START_TEST(invariant_7_one_process_at_a_time_has_it_locked)
{
	pid_t pid;

	ck_assert_int_eq(mkdir(place, 0700), 0);
	ck_assert(!output_folder_is_locked(place));
	pid = start_locker();
	ck_assert(output_folder_is_locked(place));
	ck_assert_int_eq(output_folder_open(&folder, place, &log_said), 0);
	ck_assert_int_eq(output_folder_lock(&folder, &log_said), -ERROR_SYSTEM);
	ck_assert(said_has("is being recorded to"));
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert(!output_folder_is_locked(place));
	ck_assert_int_eq(output_folder_lock(&folder, &log_said), 0);
	ck_assert(output_folder_is_locked(place));
}
END_TEST

START_TEST(a_temporary_folder_is_in_tmpdir_and_is_removed_with_all)
{
	struct output_folder sub;

	setenv("TMPDIR", scratch.path, 1);
	ck_assert_int_eq(output_folder_temporary(&folder, NULL), 0);
	ck_assert_int_eq(
		strncmp(folder.path, scratch.path, strlen(scratch.path)), 0);
	ck_assert_int_eq(output_folder_sub(&sub, &folder, "a", NULL), 0);
	ck_assert_int_eq(output_folder_save(&sub, "file", "text", 4, NULL), 0);
	ck_assert_int_eq(symlink("../../victim", path_of("link")), 0);
	ck_assert_int_eq(renameat(AT_FDCWD, path_of("link"), sub.fd, "link"),
			 0);
	output_folder_close(&sub);
	strcpy(place, folder.path);
	output_folder_discard(&folder);
	ck_assert_int_eq(access(place, F_OK), -1);
	check_victim();
	unsetenv("TMPDIR");
}
END_TEST

static bool has_locks = true;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	if (has_locks)
		return __real_flock(fd, operation);
	errno = ENOLCK;
	return -1;
}

START_TEST(a_file_system_without_locks_may_have_temporary_folders)
{
	setenv("TMPDIR", scratch.path, 1);
	has_locks = false;
	ck_assert_int_eq(output_folder_temporary(&folder, NULL), 0);
	has_locks = true;
	output_folder_discard(&folder);
	unsetenv("TMPDIR");
}
END_TEST

START_TEST(a_draft_appears_when_it_is_finished)
{
	struct output_draft draft;

	ck_assert(output_draft_open(&draft, path_of("draft")));
	ck_assert_int_eq(write(draft.fd, "text", 4), 4);
	ck_assert(!has("draft"));
	ck_assert(output_draft_finish(&draft));
	output_draft_close(&draft);
	check_text("draft", "text");
	ck_assert(output_draft_open(&draft, path_of("other")));
	output_draft_close(&draft);
	ck_assert(!has("other"));
}
END_TEST

START_TEST(a_draft_replaces_a_link_and_not_its_target)
{
	struct output_draft draft;

	ck_assert_int_eq(symlink("victim/file", path_of("draft")), 0);
	ck_assert(output_draft_open(&draft, path_of("draft")));
	ck_assert_int_eq(write(draft.fd, "text", 4), 4);
	ck_assert(output_draft_finish(&draft));
	output_draft_close(&draft);
	check_text("draft", "text");
	check_victim();
}
END_TEST

START_TEST(no_draft_goes_to_a_folder_of_another_user)
{
	struct output_draft draft;

	ck_assert_int_eq(mkdir(place, 0777), 0);
	ck_assert_int_eq(chmod(place, 0777), 0);
	ck_assert(!output_draft_open(&draft, path_of("out/draft")));
	output_draft_close(&draft);
	/* A folder in which its group may write is accepted. */
	ck_assert_int_eq(chmod(place, 0775), 0);
	ck_assert(output_draft_open(&draft, path_of("out/draft")));
	output_draft_close(&draft);
	if (!give_away("out"))
		return;
	ck_assert(!output_draft_open(&draft, path_of("out/draft")));
	output_draft_close(&draft);
	ck_assert_int_eq(rmdir(place), 0);
}
END_TEST

SUITE("output_folder")
{
	APART();
	FIXTURE(set_up, tear_down);
	TEST(invariant_1_the_last_name_is_never_followed);
	TEST(invariant_1_own_links_on_the_way_are_followed);
	TEST(invariant_1_links_of_another_user_are_not_followed);
	TEST(invariant_1_a_circle_of_links_ends);
	TEST(invariant_1_links_that_double_end);
	TEST(invariant_2_a_new_folder_is_private);
	TEST(invariant_2_others_may_not_write_to_it);
	TEST(invariant_2_it_belongs_to_this_user);
	TEST_TIMES(invariant_3_what_has_the_name_is_not_touched, 4);
	TEST(invariant_3_a_folder_of_that_name_is_an_error);
	TEST_TIMES(invariant_4_what_is_opened_again_is_an_own_file, 4);
	TEST(invariant_5_removal_enters_no_link);
	TEST(invariant_5_removal_enters_no_folder_of_others);
	TEST(invariant_5_removal_enters_no_mount_point);
	TEST(invariant_6_a_folder_in_its_place_stays);
	TEST(invariant_6_a_folder_moves_and_is_found_beside);
	TEST(invariant_7_one_process_at_a_time_has_it_locked);
	TEST(a_temporary_folder_is_in_tmpdir_and_is_removed_with_all);
	TEST(a_file_system_without_locks_may_have_temporary_folders);
	TEST(a_draft_appears_when_it_is_finished);
	TEST(a_draft_replaces_a_link_and_not_its_target);
	TEST(no_draft_goes_to_a_folder_of_another_user);
}
