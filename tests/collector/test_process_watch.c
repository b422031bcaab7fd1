/* SPDX-License-Identifier: MIT */
#include "collector/target/workload.h"
#include "tests/run_suite.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t sleeper(void)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static bool has_ended(const struct process_watch *watch, size_t index)
{
	struct pollfd polled = { .fd = *(int *)array_at(&watch->fds, index),
				 .events = POLLIN };

	return poll(&polled, 1, 0) == 1;
}

START_TEST(each_end_is_reported)
{
	struct process_watch watch = PROCESS_WATCH_EMPTY;
	pid_t first = sleeper();
	pid_t second = sleeper();

	ck_assert_int_eq(process_watch_add(&watch, first), 0);
	ck_assert_int_eq(process_watch_add(&watch, second), 0);
	ck_assert(!has_ended(&watch, 0) && !has_ended(&watch, 1));
	end(second);
	ck_assert(!has_ended(&watch, 0) && has_ended(&watch, 1));
	end(first);
	ck_assert(has_ended(&watch, 0));
	/* The process is gone. */
	ck_assert_int_eq(process_watch_add(&watch, first), 0);
	ck_assert_uint_eq(watch.fds.count, 2);
	process_watch_free(&watch);
}
END_TEST

SUITE("process_watch")
{
	TEST(each_end_is_reported);
}
