/* SPDX-License-Identifier: MIT */
#include "collector/target/process_control.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

START_TEST(signals_that_end_a_recording_are_consumed)
{
	struct signal_source source;
	struct signal_event event = { 0 };

	ck_assert_int_eq(signal_source_open(&source), 0);
	ck_assert_int_eq(signal_source_next(&source, &event), 0);
	ck_assert_int_eq(kill(getpid(), endings[_i]), 0);
	ck_assert_int_eq(signal_source_next(&source, &event), 1);
	ck_assert_int_eq(event.number, endings[_i]);
	ck_assert(!event.from_terminal);
	signal_source_close(&source);
}
END_TEST

START_TEST(limit_of_files_is_an_error_of_writes)
{
	const struct rlimit limit = { 1, 1 };
	struct signal_source source;
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(signal_source_open(&source), 0);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	ck_assert_int_eq(pwrite(fileno(file), "ab", 1, 1), -1);
	ck_assert_int_eq(errno, EFBIG);
	fclose(file);
	signal_source_close(&source);
}
END_TEST

SUITE("signal_source")
{
	TEST_EACH(signals_that_end_a_recording_are_consumed, endings);
	TEST(limit_of_files_is_an_error_of_writes);
}
