/* SPDX-License-Identifier: MIT */
#include "attribution/time/wait_channels.h"
#include "report/profile/call_tree.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "tables/relations/function_choice_internal.h"
#include "tables/relations/latency_internal.h"
#include "tables/text/stack_text.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One task's events: "> name" enters by a call, "~ name" by a jump, "! name" by
 * an interrupt, "? name" was running before; "<" leaves, "<?" leaves untraced.
 * Each is a nanosecond after the previous one, except "+N", which lets N pass.
 */
static const struct {
	const char *title;
	const char *story;
	const char *answer;
} stories[] = {
	{ "the first of two", "> a > x +7 > b < > b < < <",
	  "calls 1 again 1; 9: a;x;b" },
	{ "two calls", "> a > b < < > a +4 > b < <", "calls 2; 1 5: a;b" },
	{ "never", "> a > x < < > b <", "calls 1 never 1;" },
	{ "still open", "> a <?", "calls 1 open 1;" },
	{ "begun unseen", "? a > b < <", "calls 1 unseen_begin 1;" },
	{ "recursion", "> a > a > b < < <", "calls 2; 1 2: a;a;b a;b" },
	{ "itself", "> b > b < <", "calls 0;" },
	{ "by a jump", "> a < ~ x > b < <", "calls 1; 3: a;x;b" },
	{ "the jump itself", "> a < ~ b <", "calls 1; 2: a;b" },
	{ "no jump", "> a < > b <", "calls 1 never 1;" },
	{ "in an interrupt", "> a ! asm_common_interrupt > b < < +3 > b < <",
	  "calls 1 in_interrupts 1; 8: a;b" },
	{ "all in an interrupt", "! asm_common_interrupt > a > b < < <",
	  "calls 1; 1: a;b" },
	{ "in a page fault", "> a ! asm_exc_page_fault > b < < <",
	  "calls 1; 2: a;asm_exc_page_fault;b" },
};

struct stage {
	struct function_table *functions;
	struct context_kinds *kinds;
	struct function_choice *from;
	struct function_choice *to;
	struct task_paths *paths;
	struct latency *latency;
	struct task task;
	struct call_step step;
	uint32_t open[512];
	uint32_t depth;
};

static void stage_open(struct stage *stage, struct time_window window)
{
	static const char *const names[] = {
		"a", "b", "x", "asm_common_interrupt", "asm_exc_page_fault",
	};
	struct latency_question question = { .window = window };

	*stage = (struct stage){
		.functions = function_table_new(),
		.task = { .tid = 7, .pid = 7 },
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		function_table_add(stage->functions, names[i], strlen(names[i]),
				   "", 'k');
	stage->kinds = context_kinds_new(stage->functions, &arch_x86_64);
	stage->from = function_choice_new(stage->functions, "a", 1);
	stage->to = function_choice_new(stage->functions, "b", 1);
	question.kinds = stage->kinds;
	question.paths = stage->paths = task_paths_new();
	question.from = stage->from;
	question.to = stage->to;
	stage->latency = latency_new(&question);
	stage->step.task = &stage->task;
}

static void stage_close(struct stage *stage)
{
	latency_free(stage->latency);
	task_paths_free(stage->paths);
	function_choice_free(stage->from);
	function_choice_free(stage->to);
	context_kinds_free(stage->kinds);
	function_table_free(stage->functions);
}

static void enter(struct stage *stage, char how, const char *name)
{
	stage->open[stage->depth] = function_table_add(stage->functions, name,
						       strlen(name), "", 'k');
	stage->step.kind = STEP_ENTER;
	stage->step.how = how == '~' ? HOW_TAIL :
			  how == '!' ? HOW_EXCEPTION :
			  how == '?' ? HOW_INFERRED :
				       HOW_CALL;
	stage->step.unseen = how == '?' ? UNSEEN_BEGIN : 0;
	stage->step.depth = stage->depth;
	stage->step.function = stage->open[stage->depth++];
}

static void leave(struct stage *stage, bool seen)
{
	stage->step.kind = STEP_EXIT;
	stage->step.unseen = seen ? 0 : UNSEEN_END;
	stage->step.function = stage->open[--stage->depth];
	stage->step.depth = stage->depth;
}

static void play(struct stage *stage, const char *story)
{
	char *copy = strdup(story);
	char *rest = copy;
	char *word;

	while ((word = strsep(&rest, " "))) {
		if (*word == '+') {
			stage->step.time_ns += strtoull(word + 1, NULL, 10);
			stage->step.clock_ns = stage->step.time_ns;
			continue;
		}
		if (*word == '<')
			leave(stage, !word[1]);
		else
			enter(stage, *word, strsep(&rest, " "));
		ck_assert_int_eq(task_paths_consume(stage->paths, &stage->step),
				 0);
		ck_assert_int_eq(latency_consume(stage->latency, &stage->step),
				 0);
		stage->step.clock_ns = ++stage->step.time_ns;
	}
	free(copy);
}

static void write_count(FILE *out, const char *name, uint64_t count)
{
	if (count)
		fprintf(out, " %s %" PRIu64, name, count);
}

static void write_answer(const struct stage *stage, FILE *out)
{
	const struct latency_answer *answer = latency_answer(stage->latency);
	const struct latency_paths *paths = latency_paths(stage->latency);
	const struct latency_path *path;

	fprintf(out, "calls %" PRIu64, answer->calls);
	write_count(out, "never", answer->never);
	write_count(out, "open", answer->open);
	write_count(out, "unseen_begin", answer->unseen_begin);
	write_count(out, "again", answer->again);
	write_count(out, "in_interrupts", answer->in_interrupts);
	fputc(';', out);
	if (answer->time.count)
		fprintf(out, " %" PRIu64, answer->time.min);
	if (answer->time.max > answer->time.min)
		fprintf(out, " %" PRIu64, answer->time.max);
	for (size_t i = 0; (path = latency_paths_at(paths, i)); i++) {
		char *text = stack_text(latency_paths_tree(paths), path->node,
					stage->functions);

		fprintf(out, "%s %s", i ? "" : ":", text);
		free(text);
	}
}

START_TEST(stories_have_their_answers)
{
	struct stage stage;
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	stage_open(&stage, TIME_WINDOW_ALL);
	play(&stage, stories[_i].story);
	latency_end(stage.latency);
	write_answer(&stage, out);
	fclose(out);
	ck_assert_msg(strcmp(text, stories[_i].answer) == 0,
		      "%s: '%s' is not '%s'", stories[_i].title, text,
		      stories[_i].answer);
	free(text);
	stage_close(&stage);
}
END_TEST

START_TEST(it_is_done_with_the_last_call_of_the_window)
{
	struct stage stage;

	stage_open(&stage, (struct time_window){ 0, 2 });
	play(&stage, "> a > x <");
	ck_assert(!latency_is_done(stage.latency, 3));
	play(&stage, "< > a");
	ck_assert(latency_is_done(stage.latency, 5));
	ck_assert(!latency_is_done(stage.latency, 1));
	ck_assert_uint_eq(latency_answer(stage.latency)->calls, 1);
	stage_close(&stage);
}
END_TEST

/* Paths of 300 nested calls: 64 names of either end and one for the others. */
START_TEST(deep_paths_leave_out_their_middle)
{
	enum { LEVELS = 300 };
	struct call_tree *tree = call_tree_new();
	struct stage stage;
	uint32_t node;
	char *text;
	size_t names = 1;

	stage_open(&stage, TIME_WINDOW_ALL);
	node = call_tree_root(tree, -1);
	for (int i = 0; i < LEVELS; i++)
		node = call_tree_child(tree, node,
				       function_table_add(stage.functions,
							  i ? "a" : "b", 1, "",
							  'k'),
				       false);
	text = stack_text(tree, node, stage.functions);
	for (const char *at = text; (at = strchr(at, ';')); at++)
		names++;
	ck_assert_uint_eq(names, 2 * 64 + 1);
	ck_assert_ptr_eq(strstr(text, "b;a;a;"), text);
	ck_assert_ptr_nonnull(strstr(text, ";a;[172 frames];a;"));
	free(text);
	call_tree_free(tree);
	stage_close(&stage);
}
END_TEST

/* Each of 400 nested calls of a leads to b. */
START_TEST(deep_recursion_has_short_paths)
{
	const struct latency_paths *paths;
	struct stage stage;
	size_t count = 0;
	char *text;

	stage_open(&stage, TIME_WINDOW_ALL);
	for (int i = 0; i < 400; i++)
		play(&stage, "> a");
	play(&stage, "> b <");
	for (int i = 0; i < 400; i++)
		play(&stage, "<");
	latency_end(stage.latency);
	paths = latency_paths(stage.latency);
	ck_assert_uint_eq(latency_answer(stage.latency)->time.count, 400);
	while (latency_paths_at(paths, count))
		count++;
	/* Of 2 to 129 functions, and one for all longer ones. */
	ck_assert_uint_eq(count, 129);
	text = stack_text(latency_paths_tree(paths),
			  latency_paths_at(paths, 0)->node, stage.functions);
	ck_assert_ptr_nonnull(strstr(text, ";a;[frames left out];a;"));
	free(text);
	stage_close(&stage);
}
END_TEST

SUITE("latency")
{
	TEST_EACH(stories_have_their_answers, stories);
	TEST(it_is_done_with_the_last_call_of_the_window);
	TEST(deep_paths_leave_out_their_middle);
	TEST(deep_recursion_has_short_paths);
}
