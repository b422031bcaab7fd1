/* SPDX-License-Identifier: MIT */
#include "report/text/task_names.h"
#include "tests/run_suite.h"

START_TEST(a_task_that_is_not_known_has_no_number)
{
	struct task_names *names = task_names_empty();

	ck_assert_ptr_nonnull(names);
	ck_assert_str_eq(task_label_of(names, 137, 5).text, "?-137");
	ck_assert_str_eq(task_label_last(names, 0).text, "swapper-0");
	ck_assert_str_eq(task_label_of(names, -1, 5).text, "?");
	task_names_close(names);
}
END_TEST

SUITE("task_label")
{
	TEST(a_task_that_is_not_known_has_no_number);
}
