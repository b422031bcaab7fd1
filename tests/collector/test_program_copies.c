/* SPDX-License-Identifier: MIT */
/* Copies of programs' files: written by the recorder's side, found again by the
 * readers' side.
 */
#include "collector/records/program_copies.h"
#include "collector/records/record_bytes.h"
#include "collector/records/record_watch.h"
#include "collector/rings/cpu_rings.h"
#include "common/bytes.h"
#include "common/files/output_folder.h"
#include "decoder/recording/program_files_internal.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[LOG_FIXTURE_TEXT];
static const struct log log_said = { log_fixture_keep, said };

/* A recording's folder, and a program that runs in a process of its own. */
struct fixture {
	struct scratch_folder scratch;
	struct output_folder folder;
	struct program_copies *copies;
	char path[128]; /* of the program */
	pid_t pid;
};

static void copy_file(const char *from, const char *to)
{
	char line[2 * PATH_MAX];

	snprintf(line, sizeof(line), "cp -L %s %s", from, to);
	ck_assert_int_eq(system(line), 0);
}

/* Starts the program, which sleeps; returns when it has been executed. */
static pid_t start(const char *path)
{
	int running[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe2(running, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		execl(path, path, "60", NULL);
		_exit(1);
	}
	close(running[1]);
	ck_assert_int_eq(read(running[0], &byte, 1), 0);
	close(running[0]);
	return pid;
}

static void set_up(struct fixture *fixture)
{
	said[0] = '\0';
	fixture->scratch = scratch_folder_new();
	fixture->folder = scratch_folder_output(&fixture->scratch);
	fixture->copies = program_copies_new(&fixture->folder, &log_said);
	ck_assert_ptr_nonnull(fixture->copies);
	scratch_folder_path(&fixture->scratch, "program", fixture->path,
			    sizeof(fixture->path));
	copy_file("/usr/bin/sleep", fixture->path);
	fixture->pid = start(fixture->path);
}

static void stop_program(struct fixture *fixture)
{
	if (fixture->pid > 0) {
		kill(fixture->pid, SIGKILL);
		waitpid(fixture->pid, NULL, 0);
	}
	fixture->pid = -1;
}

static void tear_down(struct fixture *fixture)
{
	stop_program(fixture);
	program_copies_free(fixture->copies);
	output_folder_close(&fixture->folder);
	scratch_folder_free(&fixture->scratch);
}

static struct mapped_program program_at(const struct fixture *fixture,
					const char *path)
{
	return (struct mapped_program){
		.pid = fixture->pid,
		.path = path,
		.id = elf_build_id_of_file("/usr/bin/sleep"),
	};
}

/* Returns the copy's path, for the caller to free, as a reader of the recording
 * finds it; NULL: there is none.
 */
static char *find_copy(const struct fixture *fixture,
		       const struct elf_build_id *id)
{
	struct cached_programs *kept =
		cached_programs_new(fixture->scratch.path);
	const struct sideband_mmap map = {
		.build_id = id->bytes,
		.build_id_size = id->size,
	};
	const char *found = cached_programs_find(kept, &map);
	char *copy = found ? strdup(found) : NULL;

	cached_programs_free(kept);
	return copy;
}

static void check_copy(const struct fixture *fixture, const char *name)
{
	const struct elf_build_id id = elf_build_id_of_file("/usr/bin/sleep");
	char *copy = find_copy(fixture, &id);
	char line[2 * PATH_MAX];

	ck_assert_ptr_nonnull(copy);
	ck_assert_str_eq(strrchr(copy, '/') + 1, name);
	snprintf(line, sizeof(line), "cmp '%s' /usr/bin/sleep", copy);
	ck_assert_int_eq(system(line), 0);
	ck_assert_str_eq(said, "");
	free(copy);
}

static void check_no_copy(const struct fixture *fixture)
{
	const struct elf_build_id id = elf_build_id_of_file("/usr/bin/sleep");

	ck_assert_ptr_null(find_copy(fixture, &id));
}

START_TEST(file_at_its_path_is_not_copied)
{
	struct fixture fixture;
	struct mapped_program program;

	set_up(&fixture);
	program = program_at(&fixture, fixture.path);
	program_copies_add(fixture.copies, &program);
	ck_assert(!program_copies_wait(fixture.copies));
	ck_assert_int_eq(program_copies_finish(fixture.copies), 0);
	check_no_copy(&fixture);
	ck_assert_str_eq(said, "");
	tear_down(&fixture);
}
END_TEST

START_TEST(file_removed_during_the_recording_is_copied)
{
	struct fixture fixture;
	struct mapped_program program;

	set_up(&fixture);
	program = program_at(&fixture, fixture.path);
	program_copies_add(fixture.copies, &program);
	stop_program(&fixture);
	ck_assert_int_eq(unlink(fixture.path), 0);
	ck_assert_int_eq(program_copies_finish(fixture.copies), 0);
	check_copy(&fixture, "program");
	tear_down(&fixture);
}
END_TEST

/* The program runs as in a container: its path leads to another file here. */
START_TEST(file_of_another_name_space_is_copied)
{
	struct fixture fixture;
	struct mapped_program program;

	set_up(&fixture);
	program = program_at(&fixture, "/usr/bin/env");
	program_copies_add(fixture.copies, &program);
	program_copies_add(fixture.copies, &program);
	ck_assert(program_copies_wait(fixture.copies));
	ck_assert_int_eq(program_copies_step(fixture.copies), 0);
	ck_assert(!program_copies_wait(fixture.copies));
	check_copy(&fixture, "env");
	tear_down(&fixture);
}
END_TEST

START_TEST(deleted_file_is_named_without_the_mark)
{
	struct fixture fixture;
	struct mapped_program program;

	set_up(&fixture);
	program = program_at(&fixture, "/memfd:in memory (deleted)");
	ck_assert_int_eq(unlink(fixture.path), 0);
	program_copies_add(fixture.copies, &program);
	ck_assert_int_eq(program_copies_finish(fixture.copies), 0);
	check_copy(&fixture, "memfd:in memory");
	tear_down(&fixture);
}
END_TEST

/* The first process was gone; the second one still has the file. */
START_TEST(missed_file_is_copied_from_another_process)
{
	struct fixture fixture;
	struct mapped_program program;
	pid_t pid;

	set_up(&fixture);
	program = program_at(&fixture, "/gone/program");
	pid = fixture.pid;
	program.pid = INT_MAX;
	program_copies_add(fixture.copies, &program);
	program.pid = pid;
	program_copies_add(fixture.copies, &program);
	ck_assert_int_eq(program_copies_finish(fixture.copies), 0);
	check_copy(&fixture, "program");
	tear_down(&fixture);
}
END_TEST

START_TEST(missed_file_is_reported)
{
	struct fixture fixture;
	struct mapped_program program;

	set_up(&fixture);
	program = program_at(&fixture, "/gone/program");
	program.pid = INT_MAX;
	program_copies_add(fixture.copies, &program);
	program_copies_add(fixture.copies, &program);
	ck_assert_int_eq(program_copies_finish(fixture.copies), 0);
	ck_assert_ptr_nonnull(strstr(said, "/gone/program: 1 files of "
					   "programs, this one first, were "
					   "gone"));
	check_no_copy(&fixture);
	tear_down(&fixture);
}
END_TEST

/* A file with a hole is as long as the budget. */
START_TEST(file_over_the_budget_is_reported)
{
	struct fixture fixture;
	struct mapped_program program;

	set_up(&fixture);
	program = program_at(&fixture, fixture.path);
	program_copies_add(fixture.copies, &program);
	stop_program(&fixture);
	ck_assert_int_eq(
		truncate(fixture.path, (off_t)PROGRAM_COPIES_BYTES + 1), 0);
	ck_assert_int_eq(unlink(fixture.path), 0);
	ck_assert_int_eq(program_copies_finish(fixture.copies), 0);
	ck_assert_ptr_nonnull(strstr(said, "room for 512 MiB"));
	check_no_copy(&fixture);
	tear_down(&fixture);
}
END_TEST

/* Writes a PERF_RECORD_MMAP2 of the program, at a path of another file. */
static void add_map(struct byte_buffer *records, const struct fixture *fixture,
		    uint32_t protection)
{
	const struct elf_build_id id = elf_build_id_of_file("/usr/bin/sleep");
	size_t place = record_begin(records, PERF_RECORD_MMAP2,
				    PERF_RECORD_MISC_USER |
					    PERF_RECORD_MISC_MMAP_BUILD_ID);

	byte_buffer_u32(records, (uint32_t)fixture->pid);
	byte_buffer_u32(records, (uint32_t)fixture->pid);
	for (int i = 0; i < 3; i++)
		byte_buffer_u64(records, 0x1000);
	byte_buffer_u32(records, (uint32_t)id.size);
	byte_buffer_add(records, id.bytes, sizeof(id.bytes));
	byte_buffer_u32(records, protection);
	byte_buffer_u32(records, MAP_PRIVATE);
	byte_buffer_text(records, "/usr/bin/env");
	record_end_sample_id(records, place);
}

START_TEST(records_of_code_lead_to_copies)
{
	struct fixture fixture;
	struct byte_buffer records = { 0 };
	struct record_counts counts = { 0 };
	uint8_t room[512] = { 0 };
	struct ring_bytes bytes;

	set_up(&fixture);
	add_map(&records, &fixture, _i ? PROT_READ | PROT_EXEC : PROT_READ);
	memcpy(room, records.bytes, records.size);
	bytes = ring_split(room, sizeof(room), 0, records.size);
	record_watch(&bytes, &counts, NULL, fixture.copies);
	ck_assert_int_eq(program_copies_wait(fixture.copies), _i);
	ck_assert_int_eq(program_copies_finish(fixture.copies), 0);
	if (_i)
		check_copy(&fixture, "env");
	byte_buffer_free(&records);
	tear_down(&fixture);
}
END_TEST

/* Another user's recording could lead to any file by a link. */
START_TEST(links_in_a_recording_are_no_copies)
{
	struct scratch_folder folder = scratch_folder_new();
	static const uint8_t id[] = { 0x12, 0xab };
	const struct sideband_mmap map = {
		.build_id = id,
		.build_id_size = sizeof(id),
	};
	struct cached_programs *kept;
	char path[128];

	scratch_folder_write(&folder, "programs/34/file", "");
	scratch_folder_path(&folder, "programs/12ab", path, sizeof(path));
	if (_i) {
		ck_assert_int_eq(symlink("34", path), 0);
	} else {
		ck_assert_int_eq(mkdir(path, 0755), 0);
		scratch_folder_path(&folder, "programs/12ab/link", path,
				    sizeof(path));
		ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	}
	kept = cached_programs_new(folder.path);
	ck_assert_ptr_null(cached_programs_find(kept, &map));
	cached_programs_free(kept);
	scratch_folder_free(&folder);
}
END_TEST

/* A file without a build id is found by its device, inode and generation. */
START_TEST(file_without_a_build_id_is_found)
{
	struct scratch_folder folder = scratch_folder_new();
	uint8_t inode[PROGRAM_INODE_BYTES] = { 8, [4] = 1, [8] = 77 };
	const struct sideband_mmap map = { .inode = inode };
	struct cached_programs *kept;

	scratch_folder_write(&folder, "programs/8-1-77-0/file", "");
	kept = cached_programs_new(folder.path);
	ck_assert_ptr_nonnull(cached_programs_find(kept, &map));
	inode[8] = 78;
	ck_assert_ptr_null(cached_programs_find(kept, &map));
	cached_programs_free(kept);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("program_copies")
{
	TEST(file_at_its_path_is_not_copied);
	TEST(file_removed_during_the_recording_is_copied);
	TEST(file_of_another_name_space_is_copied);
	TEST(deleted_file_is_named_without_the_mark);
	TEST(missed_file_is_copied_from_another_process);
	TEST(missed_file_is_reported);
	TEST(file_over_the_budget_is_reported);
	TEST_TIMES(records_of_code_lead_to_copies, 2);
	TEST_TIMES(links_in_a_recording_are_no_copies, 2);
	TEST(file_without_a_build_id_is_found);
}
