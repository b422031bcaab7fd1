/* SPDX-License-Identifier: MIT */
/* Selection of the tasks of a report. */
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "tests/run_suite.h"

/* A process's first thread, 20, has its number. */
static const struct {
	bool by_thread; /* else a process or thread */
	int32_t chosen;
	int32_t tid;
	int32_t pid;
	bool is_wanted;
} cases[] = {
	{ false, 20, 20, 20, true }, { false, 20, 21, 20, true },
	{ false, 21, 21, 20, true }, { false, 21, 20, 20, false },
	{ true, 20, 20, 20, true },  { true, 20, 21, 20, false },
	{ true, 21, 21, 20, true },  { true, 21, 20, 20, false },
};

START_TEST(tasks_are_chosen_by_number)
{
	struct task_names *names = task_names_empty();
	const struct step_filter filter = {
		.names = names,
		.pids = &cases[_i].chosen,
		.pid_count = !cases[_i].by_thread,
		.tids = &cases[_i].chosen,
		.tid_count = cases[_i].by_thread,
	};
	const struct task task = { .tid = cases[_i].tid, .pid = cases[_i].pid };

	ck_assert(step_filter_has_tasks(&filter));
	ck_assert_int_eq(step_filter_task(&filter, &task), cases[_i].is_wanted);
	task_names_close(names);
}
END_TEST

SUITE("step_filter")
{
	TEST_EACH(tasks_are_chosen_by_number, cases);
}
