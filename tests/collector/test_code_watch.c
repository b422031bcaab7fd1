/* SPDX-License-Identifier: MIT */
/* The report that a process has written code and sleeps. */
#include "collector/trigger/code_watch.h"
#include "tests/run_suite.h"

#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t *words;
static int to_child[2];

/* A process that writes a word for each byte that it reads, and sleeps. */
static pid_t start_child(void)
{
	pid_t pid;
	char byte;

	words = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(words, MAP_FAILED);
	ck_assert_int_eq(pipe(to_child), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	close(to_child[1]);
	while (read(to_child[0], &byte, 1) == 1)
		words[(size_t)byte] = 1;
	_exit(0);
}

static void end_child(pid_t pid)
{
	close(to_child[1]);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

static void write_word(char index)
{
	ck_assert_int_eq(write(to_child[1], &index, 1), 1);
}

static pid_t await_report(struct code_watch *watch, int limit_ms)
{
	struct pollfd polled = { .fd = code_watch_fd(watch), .events = POLLIN };

	poll(&polled, 1, limit_ms);
	return code_watch_next(watch);
}

enum { LIMIT_MS = 100000, SHORT_MS = 200 };

/* The first report may be of the child's sleep before the word is written,
 * which is none: only the watched word counts.
 */
START_TEST(a_process_that_wrote_is_reported_once)
{
	struct code_watch *watch = code_watch_new();
	pid_t pid;

	if (!watch) {
		puts("skipped: the kernel permits no BPF programs here");
		return;
	}
	pid = start_child();
	code_watch_set(
		watch, pid,
		(const uint64_t[CODE_WATCH_WORDS]){ 0, (uintptr_t)&words[1] });
	write_word(2);
	ck_assert_int_eq(await_report(watch, SHORT_MS), 0);
	write_word(1);
	ck_assert_int_eq(await_report(watch, LIMIT_MS), pid);
	ck_assert_int_eq(code_watch_next(watch), 0);
	write_word(2);
	ck_assert_int_eq(await_report(watch, SHORT_MS), 0);
	code_watch_set(
		watch, pid,
		(const uint64_t[CODE_WATCH_WORDS]){ (uintptr_t)&words[1] });
	code_watch_forget(watch, pid);
	write_word(2);
	ck_assert_int_eq(await_report(watch, SHORT_MS), 0);
	end_child(pid);
	code_watch_free(watch);
}
END_TEST

/* Exits with 0 if a child that writes is reported. */
static void watch_child(void)
{
	struct code_watch *watch = code_watch_new();
	pid_t pid = start_child();

	code_watch_set(
		watch, pid,
		(const uint64_t[CODE_WATCH_WORDS]){ (uintptr_t)&words[1] });
	write_word(1);
	_exit(watch && await_report(watch, LIMIT_MS) != pid);
}

/* Runs watch_child() in a PID namespace of its own, whose first process it is.
 * Exits with its code, or with 0 if there can be none.
 */
static void watch_in_container(void)
{
	int status;
	pid_t pid;

	if (unshare(CLONE_NEWPID) < 0) {
		puts("skipped: no PID namespaces here");
		_exit(0);
	}
	pid = fork();
	if (!pid)
		watch_child();
	_exit(waitpid(pid, &status, 0) != pid || status);
}

/* Processes have other numbers there than in the kernel. */
START_TEST(a_process_in_a_container_is_reported)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		watch_in_container();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(without_a_watch_nothing_is_reported)
{
	code_watch_set(NULL, 1, (const uint64_t[CODE_WATCH_WORDS]){ 1 });
	code_watch_forget(NULL, 1);
	ck_assert_int_eq(code_watch_fd(NULL), -1);
	ck_assert_int_eq(code_watch_next(NULL), 0);
	code_watch_free(NULL);
}
END_TEST

SUITE("code_watch")
{
	TEST(a_process_that_wrote_is_reported_once);
	TEST(a_process_in_a_container_is_reported);
	TEST(without_a_watch_nothing_is_reported);
}
