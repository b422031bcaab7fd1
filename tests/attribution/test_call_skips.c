/* SPDX-License-Identifier: MIT */
#include "attribution/task_tracker.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/trackers.h"
#include "symbolize/arch/arch.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/task_script.h"
#include "tests/run_suite.h"

#include <check.h>

/* Counts the calls of one function that reach the handlers of a pass. */
struct counter {
	struct event_handler handler;
	uint32_t function;
	int calls;
};

struct scene {
	struct attribution_fixture *fixture;
	struct trackers *trackers;
	struct task_listener listener;
	struct counter counter;
};

static void count(struct event_handler *handler, const struct call_step *step)
{
	struct counter *counter = (struct counter *)handler;

	counter->calls += step->kind == STEP_ENTER &&
			  step->function == counter->function;
}

static struct counter counter_of(uint32_t function)
{
	return (struct counter){
		.handler = { .step = count,
			     .needs = event_handler_needs_no_calls,
			     .limit = event_handler_limits_nothing },
		.function = function,
	};
}

static void open_scene(struct scene *scene)
{
	struct trackers_options options = { .arch = &arch_x86_64 };
	struct attribution_fixture *f = attribution_fixture_new();

	options.time.functions = attribution_fixture_functions(f);
	options.time.kinds = attribution_fixture_kinds(f);
	*scene = (struct scene){ .fixture = f };
	scene->trackers = trackers_new_with(&options);
	ck_assert_ptr_nonnull(scene->trackers);
	ck_assert_ptr_nonnull(
		trackers_tasks(scene->trackers, &scene->listener));
	scene->counter = counter_of(attribution_fixture_function(f, "helper"));
	ck_assert_int_eq(
		trackers_follow(scene->trackers, &scene->counter.handler), 0);
	attribution_fixture_follow(f, scene->trackers);
	at(f, 100);
	starts(f, 0, 7);
}

/* Ends the trace. Returns how many calls of "helper" reached the handlers. */
static int close_scene(struct scene *scene)
{
	at(scene->fixture, 900);
	ends(scene->fixture);
	ck_assert_int_eq(trackers_end(scene->trackers), 0);
	trackers_free(scene->trackers);
	attribution_fixture_free(scene->fixture);
	return scene->counter.calls;
}

static void calls_helper(struct attribution_fixture *f)
{
	enter(f, 0, "helper");
	leave(f, 0);
}

START_TEST(calls_within_a_system_call_are_skipped)
{
	struct scene scene;

	open_scene(&scene);
	enters_call(scene.fixture, 0, "__x64_sys_read");
	calls_helper(scene.fixture);
	leaves_call(scene.fixture, 0, 0);
	ck_assert_int_eq(close_scene(&scene), 0);
}
END_TEST

START_TEST(calls_before_the_function_of_a_system_call_are_skipped)
{
	struct scene scene;

	open_scene(&scene);
	enter(scene.fixture, 0, "entry_SYSCALL_64");
	calls_helper(scene.fixture);
	leave(scene.fixture, 0);
	ck_assert_int_eq(close_scene(&scene), 0);
}
END_TEST

START_TEST(calls_after_an_event_that_changes_no_thread_are_skipped)
{
	struct scene scene;

	open_scene(&scene);
	enters_call(scene.fixture, 0, "__x64_sys_read");
	event(scene.fixture, 0, EVENT_IRQ_ENTRY, 0, 0, 0);
	calls_helper(scene.fixture);
	leaves_call(scene.fixture, 0, 0);
	ck_assert_int_eq(close_scene(&scene), 0);
}
END_TEST

START_TEST(calls_that_may_throttle_are_skipped)
{
	struct scene scene;

	open_scene(&scene);
	enters_call(scene.fixture, 0, "__x64_sys_read");
	enter(scene.fixture, 0, "enqueue_task_fair");
	calls_helper(scene.fixture);
	leave(scene.fixture, 0);
	leaves_call(scene.fixture, 0, 0);
	ck_assert_int_eq(close_scene(&scene), 0);
}
END_TEST

/* A switch may change any thread. */
START_TEST(the_call_after_a_switch_is_not_skipped)
{
	struct scene scene;

	open_scene(&scene);
	enters_call(scene.fixture, 0, "__x64_sys_read");
	event(scene.fixture, 0, EVENT_SCHED_SWITCH, 7, 0, 8);
	calls_helper(scene.fixture);
	leaves_call(scene.fixture, 0, 0);
	ck_assert_int_eq(close_scene(&scene), 1);
}
END_TEST

SUITE("call_skips")
{
	TEST(calls_within_a_system_call_are_skipped);
	TEST(calls_before_the_function_of_a_system_call_are_skipped);
	TEST(calls_after_an_event_that_changes_no_thread_are_skipped);
	TEST(calls_that_may_throttle_are_skipped);
	TEST(the_call_after_a_switch_is_not_skipped);
}
