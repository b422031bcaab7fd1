/* SPDX-License-Identifier: MIT */
#include "collector/target/workload.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct scratch_folder folder;
static char mark[256];
static char name[] = "touch";
static char *const touch[] = { name, mark, NULL };

static void set_up(void)
{
	folder = scratch_folder_new();
	scratch_folder_path(&folder, "ran", mark, sizeof(mark));
}

static void tear_down(void)
{
	scratch_folder_free(&folder);
}

START_TEST(a_command_runs_when_it_is_started)
{
	struct workload workload;
	int status;

	ck_assert_int_eq(workload_prepare(&workload, touch), 0);
	ck_assert_int_eq(access(mark, F_OK), -1);
	ck_assert_int_eq(workload_start(&workload), 0);
	ck_assert_int_eq(waitpid(workload.pid, &status, 0), workload.pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(access(mark, F_OK), 0);
}
END_TEST

/* A recorder that is killed during its setup: the pipe's other end stays open
 * as long as it, or a process it left, runs.
 */
START_TEST(a_command_does_not_run_when_the_recorder_dies)
{
	int ends[2];
	int status;
	char byte;
	pid_t recorder;

	ck_assert_int_eq(pipe(ends), 0);
	recorder = fork();
	if (!recorder) {
		struct workload workload;

		if (!workload_prepare(&workload, touch))
			kill(getpid(), SIGKILL);
		_exit(1);
	}
	close(ends[1]);
	ck_assert_int_eq(waitpid(recorder, &status, 0), recorder);
	ck_assert(WIFSIGNALED(status));
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	ck_assert_int_eq(access(mark, F_OK), -1);
	close(ends[0]);
}
END_TEST

START_TEST(a_recorder_outlives_its_command)
{
	struct workload workload;

	ck_assert_int_eq(workload_prepare(&workload, touch), 0);
	ck_assert_int_eq(kill(workload.pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(workload.pid, NULL, 0), workload.pid);
	ck_assert_int_eq(workload_start(&workload), 0);
	ck_assert_int_eq(access(mark, F_OK), -1);
}
END_TEST

START_TEST(a_missing_command_is_reported)
{
	static char path[] = "/nonexistent";
	static char *const absent[] = { path, NULL };
	struct workload workload;

	ck_assert_int_eq(workload_prepare(&workload, absent), 0);
	ck_assert_int_eq(workload_start(&workload), ENOENT);
	ck_assert_int_eq(waitpid(workload.pid, NULL, 0), workload.pid);
}
END_TEST

START_TEST(a_command_is_abandoned)
{
	struct workload workload;

	ck_assert_int_eq(workload_prepare(&workload, touch), 0);
	workload_abandon(&workload);
	ck_assert_int_eq(waitpid(workload.pid, NULL, 0), -1);
	ck_assert_int_eq(access(mark, F_OK), -1);
}
END_TEST

SUITE("workload")
{
	FIXTURE(set_up, tear_down);
	TEST(a_command_runs_when_it_is_started);
	TEST(a_command_does_not_run_when_the_recorder_dies);
	TEST(a_recorder_outlives_its_command);
	TEST(a_missing_command_is_reported);
	TEST(a_command_is_abandoned);
}
