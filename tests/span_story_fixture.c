/* SPDX-License-Identifier: MIT */
#include "tests/span_story_fixture.h"

#include "attribution/events/event_handler.h"
#include "attribution/time/thread_tracker.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "tests/attribution_fixture.h"
#include "tests/run_suite.h"

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { TASKS_ROOM = 64 };

struct script {
	struct event_handler handler;
	struct span_callback callback;
	struct task_time_options options;
	struct time_window window;
	struct thread_tracker *tracker;
	const struct task *tasks[TASKS_ROOM]; /* of the steps, by index */
	bool moves; /* to another tracker after each step and event */
	struct task_names *names;
	struct attribution_fixture *fixture;
	char text[2048];
};

static struct script *script_of_callback(struct span_callback *callback)
{
	return container_of(callback, struct script, callback);
}

static void write_error(struct script *script, uint32_t error_ns)
{
	if (error_ns)
		sprintf(script->text + strlen(script->text), "~%u", error_ns);
}

static void write_span(struct span_callback *callback,
		       const struct time_span *span)
{
	struct script *script = script_of_callback(callback);
	size_t length = strlen(script->text);
	char *end = script->text + length;
	size_t room = sizeof(script->text) - length;
	const char *name = span->time_class == TIME_UNKNOWN ?
				   unknown_reason_name(span->reason) :
				   time_class_name(span->time_class);

	ck_assert_uint_lt(span->begin_ns, span->end_ns);
	snprintf(end, room, "%d %s%s%s %lu", span->task->tid, name,
		 span->is_provisional ? "?" : "",
		 span->is_throttled	  ? " (throttled)" :
		 span->is_behind_recorder ? " (recorder)" :
					    "",
		 (unsigned long)span->begin_ns);
	write_error(script, span->begin_error_ns);
	end = script->text + strlen(script->text);
	sprintf(end, "-%lu", (unsigned long)span->end_ns);
	write_error(script, span->end_error_ns);
	end = script->text + strlen(script->text);
	if (span->waker_tid >= 0)
		sprintf(end, " by %d", span->waker_tid);
	strcat(script->text, "\n");
}

static const struct task *find_task(const void *tasks, size_t index)
{
	const struct script *script = tasks;

	return index < TASKS_ROOM ? script->tasks[index] : NULL;
}

static void open_tracker(struct script *script)
{
	script->tracker = thread_tracker_new(&script->options);
	ck_assert_ptr_nonnull(script->tracker);
	ck_assert_int_eq(thread_tracker_hand_spans(script->tracker,
						   &script->callback,
						   script->window),
			 0);
}

static struct event_handler *handler_of(const struct script *script)
{
	return thread_tracker_handler(script->tracker);
}

/* Continues with another tracker, from the packed state of this one. */
static void move(struct script *script)
{
	struct pack written = pack_to_write();
	struct pack pack;
	struct task_pack tasks = { &written, find_task, script };

	if (!script->moves)
		return;
	task_time_pack(thread_tracker_time(script->tracker), &tasks);
	ck_assert(pack_is_whole(&written));
	thread_tracker_free(script->tracker);
	open_tracker(script);
	pack = pack_to_read(written.out.bytes, written.out.size);
	tasks.pack = &pack;
	task_time_pack(thread_tracker_time(script->tracker), &tasks);
	ck_assert(pack_is_whole(&pack));
	pack_free(&written);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct script *script = (struct script *)handler;

	ck_assert_uint_lt(step->task->index, TASKS_ROOM);
	script->tasks[step->task->index] = step->task;
	handler_of(script)->step(handler_of(script), step);
	move(script);
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event_record)
{
	struct script *script = (struct script *)handler;

	handler_of(script)->event(handler_of(script), event_record);
	move(script);
}

static void consume_record(struct event_handler *handler,
			   const struct sideband_record *record)
{
	struct script *script = (struct script *)handler;

	handler_of(script)->record(handler_of(script), record);
	move(script);
}

static void open_script(struct script *script, const struct span_story *story,
			bool moves)
{
	struct task_time_options options = {
		.evidence = story->evidence,
	};

	memset(script, 0, sizeof(*script));
	script->moves = moves;
	script->window = story->window;
	script->handler = (struct event_handler){ .step = consume_step,
						  .event = consume_event,
						  .record = consume_record };
	script->callback.consume = write_span;
	script->fixture = attribution_fixture_new();
	options.kinds = attribution_fixture_kinds(script->fixture);
	options.functions = attribution_fixture_functions(script->fixture);
	script->names = task_names_empty();
	ck_assert_ptr_nonnull(script->names);
	if (story->recorder_tid) {
		ck_assert_int_eq(task_names_add(script->names,
						story->recorder_tid,
						"recorder"),
				 0);
		options.recorder = "/usr/bin/recorder record -- sleep 1";
	}
	options.names = script->names;
	script->options = options;
	open_tracker(script);
	attribution_fixture_watch(script->fixture, &script->handler);
}

static void check(const struct span_story *story, bool moves)
{
	struct script script;

	open_script(&script, story, moves);
	story->play(script.fixture);
	ck_assert_int_eq(thread_tracker_end(script.tracker), 0);
	ck_assert_msg(!strcmp(script.text, story->spans), "%s:\n%s\nnot\n%s",
		      story->title, script.text, story->spans);
	thread_tracker_free(script.tracker);
	task_names_close(script.names);
	attribution_fixture_free(script.fixture);
}

/* The current story: check passes tests only an index. */
static const struct span_story *told;

START_TEST(every_nanosecond_has_a_class)
{
	check(&told[_i], false);
}
END_TEST

START_TEST(it_goes_on_from_any_place)
{
	check(&told[_i], true);
}
END_TEST

int span_story_run(const char *name, const struct span_story *stories,
		   int count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("stories");

	told = stories;
	tcase_add_loop_test(tcase, every_nanosecond_has_a_class, 0, count);
	tcase_add_loop_test(tcase, it_goes_on_from_any_place, 0, count);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}

void wakes(struct attribution_fixture *f, uint32_t cpu, int32_t tid)
{
	event(f, cpu, EVENT_SCHED_WAKING, tid, 0, 0);
}

void schedules(struct attribution_fixture *f, uint32_t cpu, int32_t prev,
	       int64_t prev_state, int32_t next)
{
	event(f, cpu, EVENT_SCHED_SWITCH, prev, prev_state, next);
	switch_to(f, cpu, next);
}
