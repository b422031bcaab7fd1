/* SPDX-License-Identifier: MIT */
/* A second user attacks the folder that root records to: first by planting links
 * and pipes, more than three hundred times, then by a process that swaps folders
 * in a loop.  Nothing outside of the recording may change.
 */
#include "cmd/record/record_folder.h"
#include "collector/bytes/recording_files.h"
#include "collector/events/event_list.h"
#include "collector/function_graph/trace_dat_file_internal.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/records/start_records.h"
#include "collector/writer/recording_writer.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHER_USER = 65534, ROUNDS = 40 };

static struct scratch_folder scratch;
static char victim[128];    /* root's folder, which looks like a recording */
static char parent[128];    /* where root records */
static char recording[160]; /* root's -o */
static char older[192];	    /* its name after it was renamed */
static char before[65536];  /* the victim, described */
static char after[65536];

/* Files written by a recorder and reports, including those in folders. */
static const char *const written[] = {
	"data",
	"trace.dat",
	"trace.cpu0",
	"trace.cpus",
	"index",
	"state_index",
	"view",
	"report_sleeps",
	"kcore_dir/kcore",
	"kcore_dir/kcore_end",
	"kcore_dir/kallsyms",
	"kcore_dir/modules",
	"kcore_dir/vdso",
	"kcore_dir/types",
	"kcore_dir/cgroups",
	"kcore_dir/cgroups_end",
	"kcore_dir/cpus",
	"kcore_dir/cpus_end",
	"kcore_dir/sockets",
	"kcore_dir/clock",
	"kcore_dir/types",
	"code/unfinished",
	"code/1000-2000-3",
	"code/1.generated",
	"code/1.map",
	"code/1.dump",
	"programs/1234-5-6/name",
	"report_wall_index",
	"symbols",
	"report_profile_index",
};

enum { WRITTEN = sizeof(written) / sizeof(*written) };

/* The folders of these files, the inner ones first. */
static const char *const folders[] = { "kcore_dir", "code", "programs/1234-5-6",
				       "programs" };

enum { FOLDERS = sizeof(folders) / sizeof(*folders) };

/* Appends everything a program could have changed about @path and all files
 * below it.
 */
static void describe(const char *path, char *text, size_t room)
{
	struct dirent **entries;
	struct stat stat;
	size_t length;
	int count;

	ck_assert_int_eq(lstat(path, &stat), 0);
	length = strlen(text);
	ck_assert_uint_lt(length + 512, room);
	/* The link count is left out, as the attacker may change it. */
	snprintf(text + length, room - length, "%s %lu %o %u %ld %ld.%09ld\n",
		 path, (unsigned long)stat.st_ino, stat.st_mode, stat.st_uid,
		 (long)stat.st_size, (long)stat.st_mtim.tv_sec,
		 stat.st_mtim.tv_nsec);
	if (!S_ISDIR(stat.st_mode))
		return;
	count = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char below[512];

		snprintf(below, sizeof(below), "%s/%s", path,
			 entries[i]->d_name);
		if (strcmp(entries[i]->d_name, ".") &&
		    strcmp(entries[i]->d_name, ".."))
			describe(below, text, room);
		free(entries[i]);
	}
	free(entries);
}

static void set_up(void)
{
	char name[64];

	scratch = scratch_folder_new();
	ck_assert_int_eq(chmod(scratch.path, 0711), 0);
	for (size_t i = 0; i < WRITTEN; i++) {
		snprintf(name, sizeof(name), "victim/%s", written[i]);
		scratch_folder_write(&scratch, name, "precious");
	}
	scratch_folder_path(&scratch, "victim", victim, sizeof(victim));
	scratch_folder_path(&scratch, "place", parent, sizeof(parent));
	snprintf(recording, sizeof(recording), "%s/ktrace.data", parent);
	snprintf(older, sizeof(older), "%s.old", recording);
	ck_assert_int_eq(chmod(victim, 0755), 0);
	ck_assert_int_eq(mkdir(parent, 0755), 0);
	before[0] = '\0';
	describe(victim, before, sizeof(before));
}

static void tear_down(void)
{
	scratch_folder_free(&scratch);
}

static void check_victim(void)
{
	after[0] = '\0';
	describe(victim, after, sizeof(after));
	ck_assert_str_eq(after, before);
}

static void write_data(const struct output_folder *folder)
{
	struct event_list events = event_list_new();
	struct recording_writer *writer = NULL;

	event_list_add(&events, event_spec_tasks(false));
	if (!recording_writer_create(folder, &events, NULL, 0, NULL, &writer))
		recording_writer_finish(writer);
	recording_writer_free(writer);
	event_list_free(&events);
}

/* Writes a copy of a program's file, which has a folder of its own. */
static void write_program(const struct output_folder *folder)
{
	struct output_folder programs;
	struct output_folder sub;

	if (output_folder_sub(&programs, folder, "programs", NULL))
		return;
	if (!output_folder_sub(&sub, &programs, "1234-5-6", NULL))
		output_folder_save(&sub, "name", "bytes", 5, NULL);
	output_folder_close(&sub);
	output_folder_close(&programs);
}

/* Writes the files of a recorder. */
static void write_all(const struct output_folder *folder)
{
	struct output_folder sub;
	struct graph_pages pages;

	write_data(folder);
	if (!graph_pages_create(&pages, 0, folder, NULL))
		graph_pages_close(&pages);
	task_lists_write(folder, "cgroups", "cpus", NULL);
	if (!kcore_folder_open(&sub, folder, NULL)) {
		vdso_copy_make(&sub, NULL);
		output_folder_save(&sub, "kcore", "bytes", 5, NULL);
		output_folder_save(&sub, "kallsyms", "bytes", 5, NULL);
	}
	output_folder_close(&sub);
	if (!output_folder_sub(&sub, folder, "code", NULL)) {
		output_folder_save(&sub, "unfinished", "bytes", 5, NULL);
		output_folder_rename(&sub, "unfinished", "1-2-3");
		output_folder_save(&sub, "1.generated", "bytes", 5, NULL);
		output_folder_save(&sub, "1.map", "bytes", 5, NULL);
		output_folder_save(&sub, "1.dump", "bytes", 5, NULL);
	}
	output_folder_close(&sub);
	write_program(folder);
}

/* Records like root does. Returns whether there is a recording afterwards. */
static bool record(void)
{
	struct output_folder folder;
	bool is_made = !record_folder_make(&folder, recording);

	if (is_made) {
		write_all(&folder);
		is_made = output_folder_is_in_place(&folder);
	}
	output_folder_close(&folder);
	return is_made;
}

static void become_other_user(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setresgid(OTHER_USER, OTHER_USER, OTHER_USER) ||
	    setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
		_exit(1);
}

enum kind { LINK, DANGLING, SECOND_NAME, PIPE, KINDS };

/* Makes @path of @kind; a link leads to @target. */
static void plant(enum kind kind, const char *path, const char *target)
{
	int status = 0;

	if (kind == LINK)
		status = symlink(target, path);
	else if (kind == DANGLING)
		status = symlink("../victim/new", path);
	else if (kind == PIPE)
		status = mkfifo(path, 0666);
	else
		/* The kernel may forbid it to the other user. */
		status = link(target, path);
	ck_assert_int_eq(status, 0);
	if (kind != SECOND_NAME)
		ck_assert_int_eq(lchown(path, OTHER_USER, OTHER_USER), 0);
}

/* The parents are the other user's, everybody's, and everybody's but sticky. */
static void set_parent(int which)
{
	static const mode_t modes[] = { 0755, 0777, 01777 };

	ck_assert_int_eq(chmod(parent, modes[which]), 0);
	if (which == 0)
		ck_assert_int_eq(chown(parent, OTHER_USER, OTHER_USER), 0);
}

static bool is_root(void)
{
	if (geteuid() == 0)
		return true;
	puts("skipped: only root can act as two users");
	return false;
}

/* A folder of the other user has the name, with something in it. */
static void plant_folder(const char *folder, const char *name, enum kind kind)
{
	char path[320];
	char target[320];
	size_t length = strlen(folder) + 1;
	char *slash;

	ck_assert_int_eq(mkdir(folder, 0777), 0);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	snprintf(target, sizeof(target), "%s/%s", victim, name);
	while ((slash = strchr(path + length, '/'))) {
		*slash = '\0';
		ck_assert_int_eq(mkdir(path, 0777), 0);
		ck_assert_int_eq(chown(path, OTHER_USER, OTHER_USER), 0);
		*slash = '/';
		length = (size_t)(slash + 1 - path);
	}
	plant(kind, path, target);
	ck_assert_int_eq(chown(folder, OTHER_USER, OTHER_USER), 0);
}

static void remove_planted(void)
{
	ck_assert_int_eq(chown(parent, 0, 0), 0);
	ck_assert_int_eq(chmod(parent, 0755), 0);
	for (int i = 0; i < 2; i++) {
		static const char *const names[] = { "ktrace.data",
						     "ktrace.data.old" };
		char path[320];

		snprintf(path, sizeof(path), "%s/%s", parent, names[i]);
		unlink(path);
		/* Links to folders first: nothing is removed through them. */
		for (size_t j = 0; j < FOLDERS; j++) {
			snprintf(path, sizeof(path), "%s/%s/%s", parent,
				 names[i], folders[j]);
			unlink(path);
		}
		for (size_t j = 0; j < WRITTEN; j++) {
			snprintf(path, sizeof(path), "%s/%s/%s", parent,
				 names[i], written[j]);
			unlink(path);
		}
		for (size_t j = 0; j < FOLDERS; j++) {
			snprintf(path, sizeof(path), "%s/%s/%s", parent,
				 names[i], folders[j]);
			rmdir(path);
		}
		snprintf(path, sizeof(path), "%s/%s", parent, names[i]);
		ck_assert(!rmdir(path) || errno == ENOENT);
	}
}

/* 26 files, 4 kinds, 3 parents: 312 attempts. */
START_TEST(a_folder_with_something_planted_at_each_file)
{
	if (!is_root())
		return;
	for (size_t i = 0; i < WRITTEN; i++)
		for (enum kind kind = LINK; kind < KINDS; kind++) {
			plant_folder(recording, written[i], kind);
			set_parent(_i);
			ck_assert(!record());
			check_victim();
			remove_planted();
		}
}
END_TEST

START_TEST(a_planted_subfolder_is_not_emptied)
{
	static const char *const names[] = { "kcore_dir", "code", "programs" };

	if (!is_root())
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		plant_folder(recording, names[i], LINK);
		set_parent(_i);
		ck_assert(!record());
		check_victim();
		remove_planted();
	}
}
END_TEST

/* The folder itself is a link, a file of root, a pipe. */
START_TEST(something_planted_at_the_folder)
{
	char file[160];

	if (!is_root())
		return;
	snprintf(file, sizeof(file), "%s/data", victim);
	for (enum kind kind = LINK; kind < KINDS; kind++) {
		plant(kind, recording, kind == SECOND_NAME ? file : victim);
		set_parent(_i);
		ck_assert(!record());
		check_victim();
		remove_planted();
	}
}
END_TEST

/* The name of the older recording, which is removed to make room. */
START_TEST(something_planted_at_the_older_recording)
{
	char file[160];

	if (!is_root())
		return;
	for (enum kind kind = LINK; kind < KINDS; kind++) {
		snprintf(file, sizeof(file), "%s/data", victim);
		set_parent(_i);
		ck_assert(record());
		plant(kind, older, kind == SECOND_NAME ? file : victim);
		ck_assert(!record());
		check_victim();
		ck_assert_int_eq(unlink(older), 0);
		/* Without obstacles, recording works. */
		ck_assert(record());
		check_victim();
		scratch_folder_free(&scratch);
		set_up();
	}
	for (size_t i = 0; i < WRITTEN; i++) {
		set_parent(_i);
		ck_assert(record());
		plant_folder(older, written[i], LINK);
		ck_assert(!record());
		check_victim();
		scratch_folder_free(&scratch);
		set_up();
	}
}
END_TEST

/* Swaps folders once; the other user's own folder "mine" contains links. */
static void swap(int way)
{
	if (way == 0) {
		rename("ktrace.data", "away");
		rename("link", "ktrace.data");
		rename("ktrace.data", "link");
		rename("away", "ktrace.data");
	} else if (way == 1) {
		rename("ktrace.data", "away");
		rename("mine", "ktrace.data");
		rename("ktrace.data", "mine");
		rename("away", "ktrace.data");
	} else if (way == 2) {
		rename("ktrace.data.old", "away");
		rename("link", "ktrace.data.old");
		rename("ktrace.data.old", "link");
		rename("away", "ktrace.data.old");
	} else {
		syscall(SYS_renameat2, AT_FDCWD, "ktrace.data", AT_FDCWD,
			"link", RENAME_EXCHANGE);
	}
}

static _Noreturn void attack(int way, unsigned long *swaps)
{
	become_other_user();
	if (chdir(parent) || symlink("../victim", "link") ||
	    mkdir("mine", 0777) || symlink("../../victim", "mine/kcore_dir") ||
	    symlink("../../victim", "mine/code") ||
	    symlink("../../victim/data", "mine/data"))
		_exit(1);
	for (;;) {
		swap(way);
		__atomic_add_fetch(swaps, 1, __ATOMIC_RELAXED);
	}
}

/* Waits until the attacker has swapped @count times more. */
static void await_swaps(unsigned long *swaps, unsigned long count)
{
	count += __atomic_load_n(swaps, __ATOMIC_RELAXED);
	while (__atomic_load_n(swaps, __ATOMIC_RELAXED) < count)
		usleep(10);
}

START_TEST(folders_are_swapped_in_a_loop)
{
	unsigned long *swaps = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	ck_assert_ptr_ne(swaps, MAP_FAILED);
	if (!is_root())
		return;
	set_parent(0);
	pid = fork();
	if (!pid)
		attack(_i, swaps);
	for (int i = 0; i < ROUNDS; i++) {
		await_swaps(swaps, 2);
		record();
		check_victim();
	}
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	munmap(swaps, 4096);
}
END_TEST

/* Several recorders start at once: one records, and the others fail. */
START_TEST(recorders_at_once_exclude_each_other)
{
	enum { RECORDERS = 6 };
	int go[2];
	int made = 0;
	int status;

	ck_assert_int_eq(pipe(go), 0);
	for (int i = 0; i < RECORDERS; i++)
		if (!fork()) {
			struct output_folder folder;
			char byte;

			close(go[1]);
			if (read(go[0], &byte, 1) ||
			    record_folder_make(&folder, recording))
				_exit(1);
			write_all(&folder);
			/* Longer than any of the others tries. */
			sleep(1);
			_exit(output_folder_is_in_place(&folder) ? 0 : 2);
		}
	close(go[0]);
	close(go[1]);
	for (int i = 0; i < RECORDERS; i++) {
		ck_assert_int_gt(wait(&status), 0);
		ck_assert(WIFEXITED(status));
		ck_assert_int_lt(WEXITSTATUS(status), 2);
		made += !WEXITSTATUS(status);
	}
	ck_assert_int_eq(made, 1);
	/* Locks end with their processes. */
	ck_assert(record());
}
END_TEST

SUITE("hostile_folder")
{
	/* Without this, each refusal would print a line. */
	if (!freopen("/dev/null", "w", stderr))
		exit(EXIT_FAILURE);
	APART();
	LIMIT_S(60);
	FIXTURE(set_up, tear_down);
	TEST_TIMES(a_folder_with_something_planted_at_each_file, 3);
	TEST_TIMES(a_planted_subfolder_is_not_emptied, 3);
	TEST_TIMES(something_planted_at_the_folder, 3);
	TEST_TIMES(something_planted_at_the_older_recording, 3);
	TEST_TIMES(folders_are_swapped_in_a_loop, 4);
	TEST(recorders_at_once_exclude_each_other);
}
