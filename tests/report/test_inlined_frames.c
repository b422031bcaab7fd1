/* SPDX-License-Identifier: MIT */
/* Inlined calls as frames of a stack. */
#include "report/steps/task_stacks.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/random.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

/* Functions of the table: the ones that are called, and those inlined. */
enum { MAIN = 1, WORK, OUTER, INNER, OTHER, FUNCTIONS };

/* Inlined calls: OUTER with INNER in it, OTHER, and OUTER once more. */
enum { OUTER_SITE = 1, INNER_SITE, OTHER_SITE, AGAIN_SITE, SITES };

static const char *const names[] = { "",      "main",  "work",
				     "outer", "inner", "other" };

/* Steps as text: "+outer" is called, "~outer" continues, "-outer" ends. */
static char text[4096];

/* The functions that are open by the steps. */
static uint32_t open[64];
static uint32_t open_count;

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	size_t used = strlen(text);

	(void)callback;
	if (step->kind == STEP_ENTER) {
		ck_assert_uint_eq(step->depth, open_count);
		ck_assert_uint_lt(open_count, 64);
		open[open_count++] = step->function;
	} else if (step->kind == STEP_EXIT) {
		ck_assert_uint_eq(step->depth, open_count - 1);
		ck_assert_uint_eq(open[--open_count], step->function);
	} else {
		return;
	}
	if (used < sizeof(text) - 20)
		snprintf(text + used, sizeof(text) - used, "%c%s ",
			 step->kind == STEP_EXIT  ? '-' :
			 step->how == HOW_RESUMED ? '~' :
						    '+',
			 names[step->function]);
}

static struct step_callback callback = { .consume = consume };
static struct function_table *functions;
static struct task_stacks *stacks;
static uint64_t now_ns;

static void set_up(void)
{
	static const struct time_window all = { 0, UINT64_MAX };

	functions = function_table_new();
	for (uint32_t i = 1; i < FUNCTIONS; i++)
		ck_assert_uint_eq(function_table_add_inlined(
					  functions, names[i], "/program"),
				  i);
	function_table_add_site(functions, OUTER, 0);
	function_table_add_site(functions, INNER, OUTER_SITE);
	function_table_add_site(functions, OTHER, 0);
	function_table_add_site(functions, OUTER, 0);
	ck_assert_uint_eq(function_table_sites(functions), SITES - 1);
	stacks = task_stacks_new(all, &callback);
	ck_assert_int_eq(task_stacks_add_cpu(stacks, 0, 7, 7), 0);
	task_stacks_set_functions(stacks, functions);
	now_ns = 1;
	open_count = 0;
}

static void tear_down(void)
{
	task_stacks_free(stacks);
	function_table_free(functions);
}

static void send(uint8_t kind, uint32_t function, uint64_t address)
{
	const struct function_event event = {
		.time_ns = now_ns++,
		.kind = kind,
		.function = function,
		.address = address,
		.detail = kind == FUNCTION_TRACE_START,
		.is_user = 1,
	};

	ck_assert_int_eq(task_stacks_consume(stacks, 0, &event, 1), 0);
}

static void start(void)
{
	send(FUNCTION_TRACE_START, MAIN, 0x100);
	text[0] = 0;
}

/* The inlined calls of @function are those of @site; those of @entries begin. */
static void inlined(uint32_t function, uint32_t site, uint64_t entries)
{
	send(FUNCTION_INLINED, function, site | entries << 32);
}

START_TEST(calls_begin_and_end_by_level)
{
	start();
	inlined(MAIN, OUTER_SITE, 1);
	inlined(MAIN, INNER_SITE, 2);
	inlined(MAIN, OUTER_SITE, 0);
	inlined(MAIN, 0, 0);
	inlined(MAIN, INNER_SITE, 3);
	inlined(MAIN, OTHER_SITE, 1);
	inlined(MAIN, OTHER_SITE, 0);
	ck_assert_str_eq(text, "+outer +inner -inner -outer +outer +inner "
			       "-inner -outer +other ");
}
END_TEST

/* Code of the caller among that of the call ends its frame, and no call is
 * counted when it continues.
 */
START_TEST(a_call_continues_after_code_of_its_caller)
{
	start();
	inlined(MAIN, OUTER_SITE, 1);
	inlined(MAIN, 0, 0);
	inlined(MAIN, OUTER_SITE, 0);
	inlined(MAIN, OUTER_SITE, 1);
	inlined(MAIN, AGAIN_SITE, 1);
	ck_assert_str_eq(text, "+outer -outer ~outer -outer +outer -outer "
			       "+outer ");
}
END_TEST

/* Calls of an inlined function are above it, also after the return. */
START_TEST(functions_are_called_within_inlined_calls)
{
	start();
	inlined(MAIN, INNER_SITE, 3);
	send(FUNCTION_CALL, WORK, 0x200);
	inlined(WORK, OTHER_SITE, 1);
	send(FUNCTION_RETURN, MAIN, 0x200);
	inlined(MAIN, INNER_SITE, 0);
	inlined(MAIN, 0, 0);
	ck_assert_str_eq(text, "+outer +inner +work +other -other -work -inner "
			       "-outer ");
}
END_TEST

/* A function that jumps to another one ends its inlined calls. */
START_TEST(a_tail_call_ends_inlined_calls)
{
	start();
	send(FUNCTION_CALL, WORK, 0x200);
	inlined(WORK, OUTER_SITE, 1);
	send(FUNCTION_TAIL_CALL, OTHER, 0x300);
	send(FUNCTION_RETURN, MAIN, 0x200);
	ck_assert_str_eq(text, "+work +outer -outer -work +other -other ");
}
END_TEST

/* Nothing can be inlined into a function that the stack does not have on top. */
START_TEST(calls_of_another_function_are_ignored)
{
	start();
	inlined(WORK, OUTER_SITE, 1);
	ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(steps_are_nested_whatever_happens)
{
	static const uint8_t kinds[] = {
		FUNCTION_CALL,
		FUNCTION_CALL,
		FUNCTION_RETURN,
		FUNCTION_TAIL_CALL,
		FUNCTION_FAR_JUMP,
		FUNCTION_INLINED,
		FUNCTION_INLINED,
		FUNCTION_INLINED,
		FUNCTION_INLINED,
		FUNCTION_EXCEPTION,
		FUNCTION_EXCEPTION_RETURN,
		FUNCTION_GAP,
	};
	uint32_t state = (uint32_t)_i + 1;
	size_t inlined_calls = 0;

	start();
	for (int i = 0; i < 3000 && open_count < 50; i++) {
		uint8_t kind = kinds[next_random(&state) % sizeof(kinds)];
		uint64_t address = next_random(&state) % 8;

		if (kind == FUNCTION_INLINED)
			address = next_random(&state) % SITES |
				  (uint64_t)(next_random(&state) % 4) << 32;
		send(kind, 1 + next_random(&state) % 2, address);
		inlined_calls += open_count && open[open_count - 1] >= OUTER;
	}
	task_stacks_close(stacks);
	ck_assert_uint_eq(open_count, 0);
	ck_assert_uint_gt(inlined_calls, 0);
}
END_TEST

SUITE("inlined_frames")
{
	FIXTURE(set_up, tear_down);
	TEST(calls_begin_and_end_by_level);
	TEST(a_call_continues_after_code_of_its_caller);
	TEST(functions_are_called_within_inlined_calls);
	TEST(a_tail_call_ends_inlined_calls);
	TEST(calls_of_another_function_are_ignored);
	TEST_TIMES(steps_are_nested_whatever_happens, 50);
}
