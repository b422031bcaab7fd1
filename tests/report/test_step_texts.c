/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/text/task_names.h"
#include "report/timeline/step_texts.h"
#include "report/timeline/timeline.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>

/* How often texts were made; *ctx < 0: there is no memory. */
static char *make(const void *ctx, const struct call_step *step, size_t *size)
{
	int *made = (int *)(uintptr_t)ctx;
	char *text = NULL;
	int length;

	if (*made < 0)
		return NULL;
	++*made;
	length = asprintf(&text, "%u %d %d", step->function, step->task->tid,
			  step->task->pid);
	*size = (size_t)length;
	return text;
}

static int made;
static struct task_names *names;
static struct timeline_context context;
static struct step_texts texts;

static void setup(void)
{
	made = 0;
	names = task_names_empty();
	context = (struct timeline_context){ .names = names };
	texts = step_texts_of(&context, make, &made);
}

static void teardown(void)
{
	step_texts_free(&texts);
	task_names_close(names);
}

/* Asks and sees how many texts have been made by then. */
static void expect(bool is_task, uint32_t function, struct task task,
		   const char *text, int count)
{
	const struct call_step step = { .function = function, .task = &task };
	const struct step_text *found =
		is_task ? step_texts_task(&texts, &step) :
			  step_texts_function(&texts, &step);

	ck_assert_str_eq(found->text, text);
	ck_assert_uint_eq(found->size, strlen(text));
	ck_assert_int_eq(made, count);
}

START_TEST(functions_are_made_once)
{
	const struct task first = { .index = 0, .tid = 7, .pid = 7 };
	const struct task second = { .index = 1, .tid = 9, .pid = 8 };

	expect(false, 3, first, "3 7 7", 1);
	expect(false, 3, second, "3 7 7", 1);
	expect(false, 0, second, "0 9 8", 2);
	expect(false, 3, first, "3 7 7", 2);
}
END_TEST

START_TEST(functions_of_processes_follow_them)
{
	const struct task first = { .index = 0, .tid = 7, .pid = 7 };
	const struct task second = { .index = 1, .tid = 9, .pid = 8 };

	context.by_process = true;
	texts = step_texts_of(&context, make, &made);
	expect(false, 3, first, "3 7 7", 1);
	expect(false, 3, second, "3 9 8", 2);
	expect(false, 3, second, "3 9 8", 2);
}
END_TEST

START_TEST(tasks_are_made_again_when_more_is_known)
{
	const struct task before = { .index = 1, .tid = 9, .pid = -1 };
	const struct task after = { .index = 1, .tid = 9, .pid = 8 };

	expect(true, 0, before, "0 9 -1", 1);
	expect(true, 5, before, "0 9 -1", 1);
	expect(true, 0, after, "0 9 8", 2);
	expect(true, 1, after, "0 9 8", 2);
}
END_TEST

START_TEST(without_memory_texts_are_empty)
{
	const struct task task = { .index = 0, .tid = 7, .pid = 7 };
	const struct call_step step = { .function = 3, .task = &task };

	made = -1;
	ck_assert_uint_eq(step_texts_function(&texts, &step)->size, 0);
	ck_assert_uint_eq(step_texts_number(&texts, 2, &step)->size, 0);
	ck_assert_int_eq(texts.status, -ERROR_MEMORY);
	made = 0;
	expect(false, 3, task, "3 7 7", 1);
	ck_assert_int_eq(texts.status, -ERROR_MEMORY);
}
END_TEST

SUITE("step_texts")
{
	FIXTURE(setup, teardown);
	TEST(functions_are_made_once);
	TEST(functions_of_processes_follow_them);
	TEST(tasks_are_made_again_when_more_is_known);
	TEST(without_memory_texts_are_empty);
}
