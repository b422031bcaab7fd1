/* SPDX-License-Identifier: MIT */
#include "collector/signal_source.h"
#include "tests/run_suite.h"

#include <signal.h>
#include <unistd.h>

static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

START_TEST(what_ends_a_recording_is_taken)
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

int main(void)
{
	Suite *suite = suite_create("signal_source");
	TCase *tcase = tcase_create("signals");

	tcase_add_loop_test(tcase, what_ends_a_recording_is_taken, 0,
			    sizeof(endings) / sizeof(*endings));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
