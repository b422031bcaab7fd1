/* SPDX-License-Identifier: MIT */
/* Sleeps of kernel threads that wait for work. */
#include "attribution/sleeps/sleeps.h"
#include "report/profile/call_tree.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tables/waits/sleeps_table_internal.h"
#include "tests/fixtures/made_functions.h"
#include "tests/run_suite.h"

/* Process 2 is the kernel's. */
static const struct {
	int32_t pid;
	const char *stack[4]; /* outermost first */
	const char *label;    /* NULL: not seen */
	bool is_idle;
	const char *inner; /* called by the label; NULL: not traced */
} cases[] = {
	{ 2,
	  { "run_ksoftirqd", "schedule", "__schedule" },
	  "run_ksoftirqd",
	  true,
	  NULL },
	{ 2,
	  { "run_ksoftirqd", "helper", "schedule", "__schedule" },
	  "helper",
	  false,
	  NULL },
	/* It continues when its timeout expires; a program's sleep is shown. */
	{ 2,
	  { "run_ksoftirqd", "helper", "schedule_timeout", "schedule" },
	  "helper",
	  true,
	  "schedule_timeout" },
	{ 2,
	  { "run_ksoftirqd", "helper", "io_schedule_timeout", "schedule" },
	  "helper",
	  false,
	  "io_schedule_timeout" },
	{ 7,
	  { "pipe_read", "helper", "schedule_timeout", "schedule" },
	  "helper",
	  false,
	  "schedule_timeout" },
	{ 2, { "schedule", "__schedule" }, NULL, true, NULL },
	{ 2, { NULL }, NULL, true, NULL },
	{ 7,
	  { "pipe_read", "schedule", "__schedule" },
	  "pipe_read",
	  false,
	  NULL },
	{ 7, { NULL }, NULL, false, NULL },
};

static uint32_t stack_of(struct call_tree *stacks,
			 const struct made_functions *functions,
			 const char *const names[4])
{
	uint32_t node = call_tree_root(stacks, -1);

	if (!names[0])
		return CALL_NODE_NONE;
	for (size_t i = 0; i < 4 && names[i]; i++)
		node = call_tree_child(stacks, node,
				       made_functions_find(functions, names[i]),
				       false);
	return node;
}

START_TEST(a_kernel_threads_own_function_waits_for_work)
{
	struct made_functions functions = made_functions_new();
	struct call_tree *stacks = call_tree_new();
	struct task_names *names = task_names_empty();
	const struct task task = { .pid = cases[_i].pid };
	const struct sleep sleep = {
		.task = &task,
		.stack = stack_of(stacks, &functions, cases[_i].stack),
		.label = cases[_i].label ?
				 made_functions_find(&functions,
						     cases[_i].label) :
				 FUNCTION_UNKNOWN,
		.inner = cases[_i].inner ?
				 made_functions_find(&functions,
						     cases[_i].inner) :
				 FUNCTION_UNKNOWN,
	};

	ck_assert_int_eq(is_idle_sleep(&sleep, stacks, functions.table, names),
			 cases[_i].is_idle);
	task_names_close(names);
	call_tree_free(stacks);
	made_functions_free(&functions);
}
END_TEST

SUITE("idle_sleep")
{
	TEST_EACH(a_kernel_threads_own_function_waits_for_work, cases);
}
