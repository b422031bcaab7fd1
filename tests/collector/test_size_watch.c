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

SUITE("size_watch")
{
	TEST(each_doubling_is_reported_once);
}
