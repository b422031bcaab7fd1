/* SPDX-License-Identifier: MIT */
/* The contents of a profile without the idle loop and the tracer. */
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/made_functions.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* A path of functions, and the time in the last; "idle" or "tracer" before a
 * colon is the part that the task is of.
 */
struct path {
	const char *functions;
	uint64_t self_ns;
};

static const struct path whole[] = {
	{ "vfs_read", 1 },
	{ "vfs_read perf_trace_sched_switch", 2 },
	{ "vfs_read perf_trace_sched_switch asm_exc_page_fault", 4 },
	{ "vfs_read perf_trace_sched_switch asm_common_interrupt", 8 },
	{ "vfs_read perf_trace_sched_switch asm_common_interrupt helper", 16 },
	{ "vfs_read perf_trace_sched_switch asm_common_interrupt "
	  "perf_event_wakeup",
	  32 },
	{ "vfs_read helper", 64 },
	{ "idle:", 128 },
	{ "idle: helper", 256 },
	{ "idle: helper asm_common_interrupt", 512 },
	{ "idle: helper asm_common_interrupt handle_softirqs", 1024 },
	{ "idle: perf_trace_sched_switch", 2048 },
	{ "tracer: vfs_read", 4096 },
	{ "tracer: vfs_read asm_common_interrupt", 8192 },
};

enum { WHOLE_NS = 16383 };

static uint32_t part_of(const char *text)
{
	if (!strncmp(text, "idle:", 5))
		return PROFILE_IDLE;
	return strncmp(text, "tracer:", 7) ? PROFILE_WORK : PROFILE_TRACER;
}

static void add_path(struct call_tree *tree,
		     const struct made_functions *functions,
		     const struct path *path)
{
	uint32_t part = part_of(path->functions);
	uint32_t node = call_tree_part_root(tree, -1, part);
	bool is_interrupt = false;
	char text[128];
	char *rest = text;
	char *name;

	snprintf(text, sizeof(text), "%s", path->functions);
	if (part != PROFILE_WORK)
		strtok_r(text, " ", &rest);
	while ((name = strtok_r(rest == text ? text : NULL, " ", &rest))) {
		is_interrupt |= !strncmp(name, "asm_", 4);
		node = call_tree_find_child(
			tree, node, made_functions_find(functions, name),
			is_interrupt);
	}
	call_tree_at(tree, node)->self_ns += path->self_ns;
	call_tree_count_entry(tree, node, HOW_CALL);
}

/* Writes the path to @node. */
static void write_path(const struct call_tree *tree,
		       const struct made_functions *functions, uint32_t node,
		       char *text)
{
	const struct call_node *about = call_tree_at(tree, node);

	if (about->parent == CALL_NODE_NONE)
		return;
	write_path(tree, functions, about->parent, text);
	if (*text)
		strcat(text, " ");
	strcat(text, function_at(functions->table, about->function)->name);
}

/* Returns the time of all nodes of that path. */
static uint64_t time_of(const struct call_tree *tree,
			const struct made_functions *functions,
			const char *wanted)
{
	uint64_t time_ns = 0;

	for (uint32_t i = 0; i < call_tree_count(tree); i++) {
		char text[256] = "";

		write_path(tree, functions, i, text);
		if (!strcmp(text, wanted))
			time_ns += call_tree_at(tree, i)->self_ns;
	}
	return time_ns;
}

struct cut {
	bool shows[PROFILE_PARTS];
	struct path paths[10]; /* the only expected paths */
};

static const struct cut cuts[] = {
	{ { true, false, false },
	  { { "vfs_read", 1 },
	    { "vfs_read helper", 64 },
	    { "vfs_read asm_common_interrupt", 8 },
	    { "vfs_read asm_common_interrupt helper", 16 },
	    { "asm_common_interrupt", 512 + 8192 },
	    { "asm_common_interrupt handle_softirqs", 1024 } } },
	{ { true, true, false },
	  { { "", 128 },
	    { "vfs_read", 1 },
	    { "vfs_read helper", 64 },
	    { "vfs_read asm_common_interrupt", 8 },
	    { "vfs_read asm_common_interrupt helper", 16 },
	    { "helper", 256 },
	    { "helper asm_common_interrupt", 512 },
	    { "helper asm_common_interrupt handle_softirqs", 1024 },
	    { "asm_common_interrupt", 8192 } } },
	{ { false, false, true },
	  { { "perf_trace_sched_switch", 2 + 2048 },
	    { "perf_trace_sched_switch asm_exc_page_fault", 4 },
	    { "perf_trace_sched_switch perf_event_wakeup", 32 },
	    { "vfs_read", 4096 } } },
};

START_TEST(parts_are_shown_or_left_out)
{
	const struct cut *cut = &cuts[_i];
	struct made_functions functions = made_functions_new();
	struct profile_scope scope = { .kinds = functions.kinds };
	struct call_tree *tree = call_tree_new();
	struct call_tree *shown;
	uint64_t part_ns[PROFILE_PARTS];
	uint64_t shown_ns = 0;
	uint64_t expected_ns = 0;

	memcpy(scope.shows, cut->shows, sizeof(scope.shows));
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		add_path(tree, &functions, &whole[i]);
	shown = profile_scope_apply(&scope, tree, part_ns);
	ck_assert_ptr_nonnull(shown);
	for (int i = 0; i < 10 && cut->paths[i].functions; i++) {
		const struct path *path = &cut->paths[i];

		ck_assert_msg(time_of(shown, &functions, path->functions) ==
				      path->self_ns,
			      "%s", path->functions);
		expected_ns += path->self_ns;
	}
	for (uint32_t i = 0; i < call_tree_count(shown); i++)
		shown_ns += call_tree_at(shown, i)->self_ns;
	ck_assert_uint_eq(shown_ns, expected_ns);
	for (int i = 0; i < PROFILE_PARTS; i++)
		expected_ns += cut->shows[i] ? 0 : part_ns[i];
	ck_assert_uint_eq(expected_ns, WHOLE_NS);
	call_tree_free(shown);
	call_tree_free(tree);
	made_functions_free(&functions);
}
END_TEST

static const struct function_row *
find_row(const struct function_profile *profile,
	 const struct function_row *like)
{
	for (size_t i = 0; i < profile->row_count; i++)
		if (profile->rows[i].function == like->function &&
		    profile->rows[i].pid == like->pid)
			return &profile->rows[i];
	return NULL;
}

/* A tree with two processes, besides that of all. */
static struct call_tree *whole_tree(const struct made_functions *functions)
{
	struct call_tree *tree = call_tree_new();

	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		add_path(tree, functions, &whole[i]);
	for (int32_t pid = 5; pid < 7; pid++)
		for (uint32_t part = 0; part < PROFILE_PARTS; part++) {
			uint32_t node = call_tree_child(
				tree, call_tree_part_root(tree, pid, part),
				made_functions_find(functions, "vfs_read"),
				false);

			call_tree_at(tree, node)->self_ns += (uint64_t)pid
							     << part;
			call_tree_count_entry(tree, node, HOW_CALL);
		}
	return tree;
}

START_TEST(hidden_functions_are_not_added_up)
{
	const struct cut *cut = &cuts[_i];
	struct made_functions functions = made_functions_new();
	uint32_t count = function_count(functions.table);
	struct profile_scope scope = { .kinds = functions.kinds };
	struct call_tree *tree = whole_tree(&functions);
	struct function_profile shown;
	struct function_profile left;
	uint64_t shown_ns[PROFILE_PARTS];
	uint64_t left_ns[PROFILE_PARTS];
	struct call_tree *copy;

	memcpy(scope.shows, cut->shows, sizeof(scope.shows));
	copy = profile_scope_apply(&scope, tree, shown_ns);
	ck_assert(profile_scope_hide(&scope, tree, left_ns));
	ck_assert_mem_eq(shown_ns, left_ns, sizeof(shown_ns));
	ck_assert_int_eq(function_profile_make(copy, count, &shown), 0);
	ck_assert_int_eq(function_profile_make(tree, count, &left), 0);
	ck_assert_uint_gt(left.row_count, 0);
	ck_assert_uint_eq(left.row_count, shown.row_count);
	ck_assert_uint_eq(left.self_ns, shown.self_ns);
	for (size_t i = 0; i < left.row_count; i++)
		ck_assert_mem_eq(&left.rows[i], find_row(&shown, &left.rows[i]),
				 sizeof(*left.rows));
	function_profile_free(&shown);
	function_profile_free(&left);
	call_tree_free(copy);
	call_tree_free(tree);
	made_functions_free(&functions);
}
END_TEST

/* Each step takes time for one root, not for all: otherwise this takes longer
 * than 20 seconds of the CPU.
 */
START_TEST(many_processes_take_little_time)
{
	enum { PROCESSES = 100000, MOST_S = 4 };
	struct made_functions functions = made_functions_new();
	const struct profile_scope scope = { .kinds = functions.kinds,
					     .shows = { true, true, true } };
	struct call_tree *tree = call_tree_new();
	uint64_t part_ns[PROFILE_PARTS];
	clock_t start = clock();

	ck_assert_ptr_nonnull(tree);
	for (int32_t pid = 0; pid < PROCESSES; pid++)
		ck_assert_uint_eq(call_tree_part_root(tree, pid, 0),
				  (uint32_t)pid);
	ck_assert_uint_eq(call_tree_part_root(tree, 7, 1), PROCESSES);
	for (int32_t pid = 0; pid < PROCESSES; pid++)
		ck_assert_uint_eq(call_tree_part_root(tree, pid, 0),
				  (uint32_t)pid);
	ck_assert(profile_scope_hide(&scope, tree, part_ns));
	ck_assert_uint_eq(call_tree_part_root(tree, 7, 0), 7);
	ck_assert_int_lt(clock() - start, MOST_S * CLOCKS_PER_SEC);
	call_tree_free(tree);
	made_functions_free(&functions);
}
END_TEST

static const struct {
	const char *command;
	bool is_recorder;
} commands[] = {
	{ "ktrace-hw record -- ls", true },
	{ "/usr/local/bin/ktrace-hw", true },
	{ "perf record ktrace-hw", false },
	{ "ktrace", false },
	{ "ktrace-hw-old record", false },
	{ "", false },
};

/* 7 was forked by the recorder and executed the recorded command. */
START_TEST(the_recorder_is_known_by_its_last_name)
{
	struct task_names *names = task_names_empty();
	const char *command = commands[_i].command;

	ck_assert_int_eq(task_names_add(names, 5, "ktrace-hw"), 0);
	ck_assert_int_eq(task_names_add(names, 7, "ktrace-hw"), 0);
	ck_assert_int_eq(task_names_add(names, 7, "ls"), 0);
	ck_assert(recorder_task_is(names, command, 5) ==
		  commands[_i].is_recorder);
	ck_assert(!recorder_task_is(names, command, 7));
	ck_assert(!recorder_task_is(names, command, 0));
	task_names_close(names);
}
END_TEST

SUITE("profile_scope")
{
	TEST_EACH(parts_are_shown_or_left_out, cuts);
	TEST_EACH(hidden_functions_are_not_added_up, cuts);
	TEST_EACH(the_recorder_is_known_by_its_last_name, commands);
	TEST(many_processes_take_little_time);
}
