/* SPDX-License-Identifier: MIT */
#include "report/profile/call_tree.h"
#include "symbolize/functions/function_table.h"
#include "tables/relations/function_choice_internal.h"
#include "tables/relations/function_report_internal.h"
#include "tables/relations/function_study_internal.h"
#include "tests/fixtures/attribution.h"
#include "tests/run_suite.h"

#include <string.h>

enum { FAST = 18, SLOW = 2, FAST_NS = 100, SLEEP_NS = 5000 };

struct scene {
	struct event_handler handler;
	struct attribution_fixture *fixture;
	struct function_choice *choice;
	struct function_study *study;
	uint64_t now_ns;
};

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct scene *scene = (struct scene *)handler;

	ck_assert_int_eq(function_study_consume(scene->study, step), 0);
}

static void pass(struct scene *scene, uint64_t time_ns)
{
	scene->now_ns += time_ns;
	at(scene->fixture, scene->now_ns);
}

/* vfs_read, 20 ns in itself, with helper; a slow one sleeps below that. */
static void call(struct scene *scene, bool is_slow)
{
	enter(scene->fixture, 0, "vfs_read");
	pass(scene, 20);
	enter(scene->fixture, 0, "helper");
	pass(scene, FAST_NS - 20);
	if (is_slow) {
		enter(scene->fixture, 0, "schedule");
		pass(scene, 10);
		switch_to(scene->fixture, 0, 0);
		pass(scene, SLEEP_NS);
		switch_to(scene->fixture, 0, 7);
		pass(scene, 10);
		leave(scene->fixture, 0);
	}
	leave(scene->fixture, 0);
	leave(scene->fixture, 0);
	pass(scene, 3);
}

static void open_scene_in(struct scene *scene, struct time_window window)
{
	struct function_study_options options = {
		.window = window,
		.slowest = 3,
	};

	*scene = (struct scene){ .handler.step = consume_step };
	scene->fixture = attribution_fixture_new();
	scene->choice = function_choice_new(
		attribution_fixture_functions(scene->fixture), "vfs_read", 8);
	options.functions = scene->choice;
	scene->study = function_study_new(&options);
	attribution_fixture_watch(scene->fixture, &scene->handler);
	pass(scene, 100);
	starts(scene->fixture, 0, 7);
}

static void open_scene(struct scene *scene)
{
	open_scene_in(scene, TIME_WINDOW_ALL);
	for (int i = 0; i < FAST + SLOW; i++)
		call(scene, i % 10 == 5);
	/* The end of this call is not traced. */
	enter(scene->fixture, 0, "vfs_read");
	pass(scene, 50);
	ends(scene->fixture);
}

static void close_scene(struct scene *scene)
{
	function_study_free(scene->study);
	function_choice_free(scene->choice);
	attribution_fixture_free(scene->fixture);
}

START_TEST(times_of_whole_calls)
{
	struct scene scene;
	const struct histogram *wall;
	const struct histogram *off;

	open_scene(&scene);
	wall = function_study_time(scene.study, STUDY_WALL);
	off = function_study_time(scene.study, STUDY_OFF_CPU);
	ck_assert_uint_eq(wall->count, FAST + SLOW);
	ck_assert_uint_eq(wall->min, FAST_NS);
	ck_assert_uint_eq(wall->max, FAST_NS + 20 + SLEEP_NS);
	ck_assert_uint_eq(off->total, SLOW * SLEEP_NS);
	ck_assert_uint_eq(function_study_time(scene.study, STUDY_SELF)->total,
			  (FAST + SLOW) * 20);
	ck_assert_uint_eq(function_study_time(scene.study, STUDY_ON_CPU)->total,
			  (FAST + SLOW) * FAST_NS + SLOW * 20);
	close_scene(&scene);
}
END_TEST

START_TEST(the_slowest_are_kept_in_order)
{
	struct scene scene;
	const struct slow_call *first;

	open_scene(&scene);
	first = function_study_slow(scene.study, 0);
	ck_assert_uint_eq(first->wall_ns, FAST_NS + 20 + SLEEP_NS);
	/* If durations are equal, the first call is shown. */
	ck_assert_uint_eq(first->begin_ns, 100 + 5 * (FAST_NS + 3));
	ck_assert_int_eq(first->tid, 7);
	ck_assert_uint_eq(first->parts.list.count, 3);
	ck_assert_uint_eq(function_study_slow(scene.study, 2)->wall_ns,
			  FAST_NS);
	ck_assert_ptr_null(function_study_slow(scene.study, 3));
	close_scene(&scene);
}
END_TEST

static double weigh(const void *ctx, uint32_t node)
{
	struct part_line line = part_tree_line(ctx, node);

	return line.on_cpu_ns + line.off_cpu_ns;
}

struct lines {
	const struct part_tree *tree;
	uint32_t nodes[8];
	uint32_t depths[8];
	int count;
};

static double weigh_line(const void *ctx, uint32_t node)
{
	return weigh(((const struct lines *)ctx)->tree, node);
}

static int note_line(void *ctx, uint32_t node, uint32_t depth)
{
	struct lines *lines = ctx;

	lines->nodes[lines->count] = node;
	lines->depths[lines->count++] = depth;
	return 0;
}

START_TEST(slow_calls_differ_where_they_sleep)
{
	struct scene scene;
	struct study_class slow;
	struct study_class typical;
	struct lines lines = { 0 };
	struct part_tree *parts;
	const struct call_tree *tree;
	struct part_line line;

	open_scene(&scene);
	tree = function_study_tree(scene.study);
	ck_assert_int_eq(function_study_compare(scene.study, &slow, &typical),
			 0);
	ck_assert_uint_eq(slow.calls, SLOW);
	ck_assert_uint_eq(typical.calls, FAST);
	parts = part_tree_new(tree, &slow.parts, slow.calls);
	lines.tree = parts;
	ck_assert_int_eq(part_tree_walk(tree, weigh_line, 1, note_line, &lines),
			 0);
	ck_assert_int_eq(lines.count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(lines.depths[i], i);
		line = part_tree_line(parts, lines.nodes[i]);
		ck_assert_double_eq(line.off_cpu_ns, SLEEP_NS);
		ck_assert_double_eq(line.calls, 1);
	}
	part_tree_free(parts);
	study_class_free(&slow);
	study_class_free(&typical);
	close_scene(&scene);
}
END_TEST

START_TEST(it_is_done_with_the_last_call_of_the_window)
{
	struct scene scene;

	open_scene_in(&scene, (struct time_window){ 0, 110 });
	ck_assert(!function_study_is_done(scene.study, 109));
	enter(scene.fixture, 0, "vfs_read");
	pass(&scene, 50);
	ck_assert(!function_study_is_done(scene.study, 150));
	leave(scene.fixture, 0);
	ck_assert(function_study_is_done(scene.study, 150));
	call(&scene, false);
	ck_assert_uint_eq(function_study_time(scene.study, STUDY_WALL)->count,
			  1);
	ends(scene.fixture);
	close_scene(&scene);
}
END_TEST

/* Each of 30 nested calls is in the times; the slowest are the outermost. */
START_TEST(a_function_that_calls_itself_deeply)
{
	enum { LEVELS = 30, OWN_NS = 5 };
	const struct slow_call *slowest;
	struct scene scene;

	open_scene_in(&scene, TIME_WINDOW_ALL);
	for (int i = 0; i < LEVELS; i++) {
		enter(scene.fixture, 0, "vfs_read");
		pass(&scene, OWN_NS);
	}
	for (int i = 0; i < LEVELS; i++)
		leave(scene.fixture, 0);
	ck_assert_uint_eq(function_study_time(scene.study, STUDY_SELF)->count,
			  LEVELS);
	ck_assert_uint_eq(function_study_time(scene.study, STUDY_SELF)->total,
			  LEVELS * OWN_NS);
	slowest = function_study_slow(scene.study, 0);
	ck_assert_uint_eq(slowest->wall_ns, LEVELS * OWN_NS);
	ck_assert_uint_eq(slowest->parts.list.count, LEVELS);
	ck_assert_uint_eq(function_study_nested(scene.study),
			  LEVELS - STUDY_NESTED);
	close_scene(&scene);
}
END_TEST

SUITE("function_study")
{
	TEST(times_of_whole_calls);
	TEST(a_function_that_calls_itself_deeply);
	TEST(the_slowest_are_kept_in_order);
	TEST(slow_calls_differ_where_they_sleep);
	TEST(it_is_done_with_the_last_call_of_the_window);
}
