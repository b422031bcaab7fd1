/* SPDX-License-Identifier: MIT */
/* Every task is in exactly one group, whatever the grouping and the choice. */
#include "common/name_choice.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "tests/run_suite.h"

#include <string.h>

/* Idle, the kernel's, and three programs, two with the same name. */
static const struct task tasks[] = {
	{ .pid = 0, .tid = 0 },	  { .pid = 2, .tid = 2 },
	{ .pid = 10, .tid = 10 }, { .pid = 11, .tid = 11 },
	{ .pid = 11, .tid = 12 }, { .pid = 13, .tid = 13 },
	{ .pid = -1, .tid = -1 }, { .pid = 14, .tid = 14 },
};

enum { TASKS = sizeof(tasks) / sizeof(*tasks) };

static const char lists[] = "10 /a\n"
			    "11 /b/c\n"
			    "12 /b/c\n"
			    "13 /a\n"
			    "what is this\n"
			    "14\n"
			    "99999999999 /far\n"
			    "14 relative\n"
			    "13 /b/c";

static const struct {
	enum group_by by;
	const char *comm; /* chosen; NULL: none */
	const char *labels[TASKS];
} cases[] = {
	{ GROUP_BY_THREAD,
	  NULL,
	  { "kernel", "kernel", "ls-10", "sh-11", "ls-12", "kernel-13",
	    "unknown", "?-14" } },
	{ GROUP_BY_PROCESS,
	  NULL,
	  { "kernel", "kernel", "ls-10", "sh-11", "sh-11", "kernel-13",
	    "unknown", "?-14" } },
	{ GROUP_BY_COMM,
	  NULL,
	  { "kernel", "kernel", "ls", "sh", "ls", "kernel (comm)", "unknown",
	    "unknown" } },
	{ GROUP_BY_CGROUP,
	  NULL,
	  { "kernel", "kernel", "/a", "/b/c", "/b/c", "/b/c", "unknown",
	    "unknown" } },
	{ GROUP_BY_COMM,
	  "ls",
	  { "kernel", "kernel", "ls", "other", "ls", "other", "unknown",
	    "other" } },
	{ GROUP_BY_CHOICE,
	  "ls",
	  { "kernel", "kernel", "chosen", "other", "chosen", "other", "unknown",
	    "other" } },
	/* A chosen task has its own group, even a kernel thread. */
	{ GROUP_BY_COMM,
	  "kthreadd",
	  { "kernel", "kthreadd", "other", "other", "other", "other", "unknown",
	    "other" } },
	{ GROUP_BY_THREAD,
	  "swapper",
	  { "swapper-0", "kernel", "other", "other", "other", "other",
	    "unknown", "other" } },
};

static struct task_names *made_names(void)
{
	struct task_names *names = task_names_empty();

	ck_assert_int_eq(task_names_add(names, 2, "kthreadd"), 0);
	ck_assert_int_eq(task_names_add(names, 10, "ls"), 0);
	ck_assert_int_eq(task_names_add(names, 11, "sh"), 0);
	ck_assert_int_eq(task_names_add(names, 12, "ls"), 0);
	ck_assert_int_eq(task_names_add(names, 13, "kernel"), 0);
	return names;
}

START_TEST(each_task_has_its_group)
{
	struct task_names *names = made_names();
	struct task_cgroups *cgroups = task_cgroups_empty();
	struct name_choice comms = { 0 };
	struct step_filter choice = { .names = names };
	struct task_groups *groups;

	ck_assert_int_eq(task_cgroups_read(cgroups, lists, sizeof(lists) - 1),
			 0);
	if (cases[_i].comm) {
		ck_assert(name_choice_add(&comms, cases[_i].comm));
		choice.comms = &comms;
	}
	groups = task_groups_new(cases[_i].by, names, cgroups, &choice);
	for (size_t i = 0; i < TASKS; i++)
		ck_assert_str_eq(
			task_groups_label(groups,
					  task_groups_of(groups, &tasks[i]))
				.text,
			cases[_i].labels[i]);
	task_groups_free(groups);
	name_choice_free(&comms);
	task_cgroups_close(cgroups);
	task_names_close(names);
}
END_TEST

/* A window that starts later sees other tasks first. */
START_TEST(numbers_are_those_of_names_in_their_order)
{
	struct task_names *names = made_names();
	const struct step_filter choice = { .names = names };
	struct task_groups *groups =
		task_groups_new(GROUP_BY_COMM, names, NULL, &choice);

	/* kernel, kthreadd, ls, sh */
	ck_assert_int_eq(task_groups_of(groups, &tasks[3]),
			 GROUP_FIRST_NAME - 3);
	ck_assert_int_eq(task_groups_of(groups, &tasks[2]),
			 GROUP_FIRST_NAME - 2);
	ck_assert_int_eq(task_groups_of(groups, &tasks[4]),
			 GROUP_FIRST_NAME - 2);
	task_groups_free(groups);
	task_names_close(names);
}
END_TEST

START_TEST(work_is_for_the_system_or_for_nobody)
{
	struct task_names *names = made_names();
	const struct step_filter choice = { .names = names };
	struct task_groups *groups =
		task_groups_new(GROUP_BY_PROCESS, names, NULL, &choice);

	ck_assert_int_eq(task_groups_beneficiary(groups, 0), GROUP_KERNEL);
	ck_assert_int_eq(task_groups_beneficiary(groups, -1), GROUP_NOBODY);
	ck_assert_int_eq(task_groups_beneficiary(groups, 10), 10);
	task_groups_free(groups);
	task_names_close(names);
}
END_TEST

SUITE("task_groups")
{
	TEST_EACH(each_task_has_its_group, cases);
	TEST(numbers_are_those_of_names_in_their_order);
	TEST(work_is_for_the_system_or_for_nobody);
}
