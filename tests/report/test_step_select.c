/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/name_choice.h"
#include "report/steps/step_select.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* a calls b twice, the second b calls c. */
enum { A = 1, B, C };

struct letters {
	struct step_callback callback;
	char text[64];
};

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct letters *letters = (struct letters *)callback;
	char letter = (char)((step->kind == STEP_ENTER ? 'A' : 'a') +
			     (int)step->function - 1);

	letters->text[strlen(letters->text)] = letter;
}

static void send(struct step_callback *callback, uint64_t time_ns, uint8_t kind,
		 uint32_t function, uint32_t depth, uint64_t wall_ns)
{
	static const struct task task = { .tid = 7, .pid = 7 };
	const struct call_step step = {
		.time_ns = time_ns,
		.kind = kind,
		.function = function,
		.depth = depth,
		.wall_ns = wall_ns,
		.task = &task,
	};

	callback->consume(callback, &step);
}

static void send_all(struct step_callback *callback)
{
	send(callback, 100, STEP_ENTER, A, 0, 0);
	send(callback, 110, STEP_ENTER, B, 1, 0);
	send(callback, 115, STEP_EXIT, B, 1, 5);
	send(callback, 120, STEP_ENTER, B, 1, 0);
	send(callback, 130, STEP_ENTER, C, 2, 0);
	send(callback, 132, STEP_EXIT, C, 2, 2);
	send(callback, 150, STEP_EXIT, B, 1, 30);
	send(callback, 160, STEP_EXIT, A, 0, 60);
}

#define ALL \
	.window = { 0, UINT64_MAX }, .max_depth = UINT32_MAX, \
	.max_count = UINT64_MAX

static const struct {
	struct step_select_options options;
	const char *expected;
	const char *shown;
	const char *hidden;
} cases[] = {
	{ { ALL }, .expected = "ABbBCcba" },
	{ { ALL }, "BbBCcb", "b", NULL },
	{ { ALL }, "", "none", NULL },
	{ { ALL }, "BbBCcb", "/^[bc]$/", NULL },
	{ { ALL }, "ABbBCcba", "?", "none" },
	{ { ALL }, "ABbBba", NULL, "c" },
	{ { ALL }, "Aa", NULL, "b" },
	{ { ALL }, "BbBb", "b", "[cd]" },
	{ { ALL }, "", NULL, "c,a" },
	{ { .window = { 0, UINT64_MAX },
	    .max_depth = 2,
	    .max_count = UINT64_MAX },
	  .expected = "ABbBba" },
	{ { .window = { 0, UINT64_MAX },
	    .max_depth = UINT32_MAX,
	    .max_count = 2 },
	  .expected = "ABba" },
	{ { .window = { 110, 130 },
	    .max_depth = UINT32_MAX,
	    .max_count = UINT64_MAX },
	  .expected = "BbBb" },
	{ { ALL, .min_ns = 5 }, .expected = "ABbBba" },
	{ { ALL, .min_ns = 6 }, .expected = "ABba" },
	{ { ALL, .min_ns = 61 }, .expected = "" },
	/* Functions that are too short do not count. */
	{ { .window = { 0, UINT64_MAX },
	    .max_depth = UINT32_MAX,
	    .max_count = 2,
	    .min_ns = 6 },
	  .expected = "ABba" },
	{ { .window = { 0, UINT64_MAX },
	    .max_depth = UINT32_MAX,
	    .max_count = 1,
	    .min_ns = 6 },
	  .expected = "Aa" },
};

static const struct name_choice *choose(struct name_choice *choice,
					const char *list)
{
	if (!list)
		return NULL;
	ck_assert(name_choice_add(choice, list));
	return choice;
}

START_TEST(only_selected_events_pass)
{
	struct function_table *functions = function_table_new();
	struct letters letters = { .callback = { .consume = consume } };
	struct name_choice shown = NAME_CHOICE_NONE;
	struct name_choice hidden = NAME_CHOICE_NONE;
	struct step_select_options options = cases[_i].options;
	struct step_select *select;

	options.shown = choose(&shown, cases[_i].shown);
	options.hidden = choose(&hidden, cases[_i].hidden);
	for (const char *name = "abc"; *name; name++)
		function_table_add(functions, name, 1,
				   function_table_module(functions, "", 0),
				   'k');
	select = step_select_new(&options, functions, &letters.callback);
	send_all(step_select_callback(select));
	ck_assert_int_eq(step_select_end(select), 0);
	ck_assert_str_eq(letters.text, cases[_i].expected);
	step_select_free(select);
	name_choice_free(&shown);
	name_choice_free(&hidden);
	function_table_free(functions);
}
END_TEST

/* The selection is done only when the last function that was shown has ended.
 */
START_TEST(it_is_done_when_nothing_is_open)
{
	const struct step_select_options options = {
		.window = { 100, 115 },
		.max_depth = UINT32_MAX,
		.max_count = _i ? 2 : UINT64_MAX,
	};
	struct function_table *functions = function_table_new();
	struct letters letters = { .callback = { .consume = consume } };
	struct step_select *select =
		step_select_new(&options, functions, &letters.callback);
	struct step_callback *callback = step_select_callback(select);

	ck_assert(!callback->is_done(callback, 0));
	send(callback, 100, STEP_ENTER, A, 0, 0);
	send(callback, 110, STEP_ENTER, B, 1, 0);
	ck_assert(!callback->is_done(callback, 115));
	send(callback, 115, STEP_EXIT, B, 1, 5);
	ck_assert(!callback->is_done(callback, 115));
	send(callback, 160, STEP_EXIT, A, 0, 60);
	ck_assert(callback->is_done(callback, 115));
	ck_assert(callback->is_done(callback, 114) == _i);
	step_select_free(select);
	function_table_free(functions);
}
END_TEST

#ifdef __SANITIZE_ADDRESS__
enum { CAN_RUN_OUT = false };
#else
enum { CAN_RUN_OUT = true };
#endif

/* Allocates blocks of @size bytes until there is no memory for another one. */
static void use_up(size_t size, void ***blocks)
{
	void **block;

	while ((block = malloc(size))) {
		*block = *blocks;
		*blocks = block;
	}
}

/* Only small blocks are left, not enough for the queue of delayed events: the
 * entry is lost, so its exit finds none.
 */
START_TEST(the_exit_of_an_entry_that_found_no_memory_is_passed_over)
{
	const struct step_select_options options = { ALL, .min_ns = 10 };
	struct function_table *functions = function_table_new();
	struct letters letters = { .callback = { .consume = consume } };
	struct step_select *select =
		step_select_new(&options, functions, &letters.callback);
	struct rlimit usual;
	struct rlimit least;
	void **blocks = NULL;

	ck_assert_ptr_nonnull(select);
	if (!CAN_RUN_OUT) {
		printf("skipped: AddressSanitizer ends a program that finds no "
		       "memory\n");
		step_select_free(select);
		function_table_free(functions);
		return;
	}
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &usual), 0);
	least = usual;
	least.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &least), 0);
	for (size_t size = 1 << 20; size > 1 << 12; size /= 2)
		use_up(size, &blocks);
	send(step_select_callback(select), 100, STEP_ENTER, A, 0, 0);
	send(step_select_callback(select), 150, STEP_EXIT, A, 0, 50);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &usual), 0);
	while (blocks) {
		void **next = *blocks;

		free(blocks);
		blocks = next;
	}
	ck_assert_int_eq(step_select_end(select), -ERROR_MEMORY);
	step_select_free(select);
	function_table_free(functions);
}
END_TEST

SUITE("step_select")
{
	TEST_EACH(only_selected_events_pass, cases);
	TEST_TIMES(it_is_done_when_nothing_is_open, 2);
	TEST(the_exit_of_an_entry_that_found_no_memory_is_passed_over);
}
