/* SPDX-License-Identifier: MIT */
#include "collector/gate/gate.h"
#include "common/formats/recording_events.h"
#include "tests/run_suite.h"

#include <string.h>

static const char *const good[] = { "openat", "openat,fsync",
				    "vfs_read,finish_task_switch.isra.0",
				    "show@0x12340,openat" };

START_TEST(lists_are_taken)
{
	ck_assert_ptr_null(gate_list_check(good[_i]));
}
END_TEST

static const char *const bad[] = { "",	      ",",	"openat,",
				   ",openat", "a,,b",	"a b",
				   "read>1s", "a/b",	"openat;reboot",
				   "show@12", "show@0x" };

START_TEST(others_are_not)
{
	ck_assert_ptr_nonnull(gate_list_check(bad[_i]));
}
END_TEST

START_TEST(long_ones_are_not)
{
	char list[2 * GATE_LIST_SIZE];

	memset(list, 'a', sizeof(list) - 1);
	list[sizeof(list) - 1] = '\0';
	ck_assert_ptr_nonnull(gate_list_check(list));
	list[GATE_LIST_SIZE - 1] = '\0';
	ck_assert_ptr_nonnull(gate_list_check(list));
	for (size_t i = 100; i < GATE_LIST_SIZE - 1; i += 100)
		list[i] = ',';
	ck_assert_ptr_null(gate_list_check(list));
}
END_TEST

SUITE("gate")
{
	TEST_EACH(lists_are_taken, good);
	TEST_EACH(others_are_not, bad);
	TEST(long_ones_are_not);
}
