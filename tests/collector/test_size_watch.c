/* SPDX-License-Identifier: MIT */
#include "collector/recording_loop_internal.h"
#include "tests/run_suite.h"

START_TEST(each_doubling_is_reported_once)
{
	struct size_watch watch = { 0 };

	ck_assert(!size_watch_is_news(&watch, 0));
	ck_assert(!size_watch_is_news(&watch, SIZE_WATCH_FIRST - 1));
	ck_assert(size_watch_is_news(&watch, SIZE_WATCH_FIRST));
	ck_assert(!size_watch_is_news(&watch, 2 * SIZE_WATCH_FIRST - 1));
	ck_assert(size_watch_is_news(&watch, 9 * SIZE_WATCH_FIRST));
	ck_assert(!size_watch_is_news(&watch, 15 * SIZE_WATCH_FIRST));
	ck_assert(size_watch_is_news(&watch, 16 * SIZE_WATCH_FIRST));
}
END_TEST

static Suite *size_watch_suite(void)
{
	Suite *suite = suite_create("size_watch");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, each_doubling_is_reported_once);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(size_watch_suite());
}
