/* SPDX-License-Identifier: MIT */
/* The tracks of an export besides functions: spans of system calls, sleeps and
 * interrupt work, and wake-ups.
 */
#include "attribution/calls/system_calls.h"
#include "attribution/sleeps/sleeps.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "report/timeline/span_export.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/side_tracks.h"
#include "tests/fixtures/interrupt_story.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Writes the calls that a format receives: "(" begins a span, ")" ends it, "."
 * is an instant; each after its time, with the track's task or CPU.
 */
struct fixture {
	struct track_callback callback;
	struct interrupt_scene scene;
	struct step_filter filter;
	struct side_tracks_options options;
	char *text;
	size_t size;
	FILE *out;
};

static void write_track(struct fixture *f, const struct side_track *track,
			uint64_t time_ns)
{
	fprintf(f->out, "%" PRIu64, time_ns);
	if (track->task)
		fprintf(f->out, " task %d", track->task->tid);
	else
		fprintf(f->out, " cpu %u", track->cpu);
}

static void write_span(struct fixture *f, const struct side_track *track,
		       const struct span *span, char sign)
{
	write_track(f, track, span->time_ns);
	fprintf(f->out, " %c%s", sign, span->name);
	if (span->flow)
		fprintf(f->out, " #%" PRIu64, span->flow);
	for (size_t i = 0; i < span->note_count; i++) {
		const struct span_note *note = &span->notes[i];

		fprintf(f->out, " %s=", span_note_text(note->name));
		if (note->text)
			fputs(note->text, f->out);
		else
			fprintf(f->out, "%" PRIu64, note->number);
	}
	fputs("\n", f->out);
}

static void begin_span(struct track_callback *callback,
		       const struct side_track *track, const struct span *span)
{
	write_span((struct fixture *)callback, track, span, '(');
}

static void end_span(struct track_callback *callback,
		     const struct side_track *track, uint64_t time_ns)
{
	struct fixture *f = (struct fixture *)callback;

	write_track(f, track, time_ns);
	fputs(" )\n", f->out);
}

static void mark(struct track_callback *callback,
		 const struct side_track *track, const struct span *span)
{
	write_span((struct fixture *)callback, track, span, '.');
}

static void write_waking(struct track_callback *callback,
			 const struct track_waking *waking)
{
	fprintf(((struct fixture *)callback)->out,
		"%" PRIu64 " cpu %u %d wakes %d%s\n", waking->time_ns,
		waking->cpu, waking->waker_tid, waking->tid,
		waking->is_new ? " (new)" : "");
}

static void write_blocked(struct track_callback *callback,
			  const struct track_blocked *blocked)
{
	struct fixture *f = (struct fixture *)callback;

	fprintf(f->out, "%" PRIu64 " %d had slept in %s\n", blocked->time_ns,
		blocked->tid,
		function_at(symbols_functions(f->scene.symbols),
			    blocked->function)
			->name);
}

static void write_count(struct track_callback *callback,
			const struct track_count *count)
{
	fprintf(((struct fixture *)callback)->out,
		"%" PRIu64 " counter %u: %" PRIu64 "\n", count->time_ns,
		count->counter, count->value);
}

static struct fixture *fixture_new(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ck_assert_ptr_nonnull(f);
	f->callback = (struct track_callback){
		.begin = begin_span,
		.end = end_span,
		.mark = mark,
		.waking = write_waking,
		.blocked = write_blocked,
		.count = write_count,
	};
	f->scene = interrupt_scene_begin();
	interrupt_scene_watch(&f->scene);
	f->filter.names = f->scene.names;
	f->scene.input.filter = &f->filter;
	f->options.input = &f->scene.input;
	f->out = open_memstream(&f->text, &f->size);
	ck_assert_ptr_nonnull(f->out);
	return f;
}

/* Compares the output with @text, and frees the fixture. */
static void fixture_end(struct fixture *f, const char *text)
{
	fclose(f->out);
	ck_assert_str_eq(f->text, text);
	free(f->text);
	interrupt_scene_end(&f->scene);
	free(f);
}

static uint32_t number_of(const struct fixture *f, const char *name)
{
	return attribution_fixture_function(f->scene.fixture, name);
}

/* The disk's handler lies within the interrupt, whose span comes first. */
static void tell_interrupt(struct fixture *fixture)
{
	struct interrupt_tracks tracks =
		interrupt_tracks_of(&fixture->options, &fixture->callback);
	struct attribution_fixture *f = fixture->scene.fixture;

	interrupt_accounts_observe(fixture->scene.accounts, &tracks.observer);
	at(f, 0);
	starts(f, 0, 5);
	disk_interrupt(f, 100);
	interrupt_scene_finish(&fixture->scene);
	ck_assert_int_eq(interrupt_tracks_end(&tracks), 0);
	interrupt_tracks_free(&tracks);
}

START_TEST(interrupt_work_is_on_its_cpu)
{
	struct fixture *f = fixture_new();

	tell_interrupt(f);
	fixture_end(f,
		    "100 cpu 0 (disk_handler kind=interrupt on_pid=5 on_tid=5 "
		    "irq=9\n"
		    "150 cpu 0 )\n");
}
END_TEST

START_TEST(short_interrupt_work_is_left_out)
{
	struct fixture *f = fixture_new();

	f->options.min_ns = 1000;
	tell_interrupt(f);
	fixture_end(f, "");
}
END_TEST

START_TEST(a_sleep_is_two_spans_and_an_arrow)
{
	const struct task sleeper = { .index = 0, .tid = 7, .pid = 7 };
	const struct task waker = { .index = 1, .tid = 8, .pid = 8 };
	struct fixture *f = fixture_new();
	struct wakers wakers = WAKERS_NONE;
	struct sleep_tracks tracks;
	struct sleep sleep = {
		.task = &sleeper,
		.begin_ns = 100,
		.asleep_ns = 50,
		.runnable_ns = 20,
		.label = number_of(f, "p9_client_rpc"),
		.inner = FUNCTION_NONE,
		.wake_ns = 150,
		.waker_task = &waker,
		.waker = wakers_add(
			&wakers,
			&(struct waker){
				.earlier = WAKER_NONE,
				.function = number_of(f, "p9_client_cb"),
				.interrupt = FUNCTION_NONE,
				.pid = 8,
				.tid = 8,
			}),
	};

	ck_assert_int_eq(task_names_add(f->scene.names, 8, "disk"), 0);
	ck_assert_int_eq(sleep_tracks_open(&tracks, &f->options, &f->callback),
			 0);
	sleep_tracks_consume(&tracks, &sleep, &wakers);
	sleep.waker = WAKER_NONE;
	sleep.is_cut = true;
	sleep_tracks_consume(&tracks, &sleep, &wakers);
	sleep_tracks_free(&tracks);
	wakers_free(&wakers);
	fixture_end(f, "100 task 7 (p9_client_rpc waker=disk-8 p9_client_cb\n"
		       "150 task 7 )\n"
		       "150 7 had slept in p9_client_rpc\n"
		       "150 task 8 .wakes #1 woken=? woken_tid=7\n"
		       "150 task 7 (runnable #1\n"
		       "170 task 7 )\n"
		       "100 task 7 (p9_client_rpc is_cut=1\n"
		       "150 task 7 )\n"
		       "150 7 had slept in p9_client_rpc\n"
		       "150 task 7 (runnable\n"
		       "170 task 7 )\n");
}
END_TEST

/* Two threads wait for a CPU; the second because its cgroup is throttled. */
START_TEST(waits_for_a_cpu_are_counted)
{
	const struct task tasks[] = { { .index = 0, .tid = 7, .pid = 7 },
				      { .index = 1, .tid = 8, .pid = 8 } };
	const struct time_span spans[] = {
		{ .task = &tasks[0],
		  .begin_ns = 100,
		  .end_ns = 200,
		  .time_class = TIME_RUNNABLE },
		{ .task = &tasks[1],
		  .begin_ns = 150,
		  .end_ns = 200,
		  .time_class = TIME_RUNNABLE,
		  .is_throttled = true },
		{ .task = &tasks[1],
		  .begin_ns = 200,
		  .end_ns = 300,
		  .time_class = TIME_USER },
	};
	struct fixture *f = fixture_new();
	struct counter_tracks tracks;

	ck_assert_int_eq(
		counter_tracks_open(&tracks, &f->options, &f->callback), 0);
	for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++)
		tracks.spans.consume(&tracks.spans, &spans[i]);
	ck_assert_int_eq(counter_tracks_end(&tracks), 0);
	counter_tracks_free(&tracks);
	fixture_end(f, "150 task 8 (throttled\n"
		       "200 task 8 )\n"
		       "100 counter 0: 1\n"
		       "150 counter 0: 2\n"
		       "200 counter 0: 0\n");
}
END_TEST

START_TEST(a_system_call_has_its_arguments_and_its_result)
{
	const struct task task = { .tid = 7, .pid = 7 };
	struct fixture *f = fixture_new();
	struct system_call call = {
		.task = &task,
		.begin_ns = 100,
		.end_ns = 160,
		.function = FUNCTION_UNKNOWN,
		.has_enter = true,
		.has_exit = true,
		.result = 3,
	};
	struct call_tracks tracks;

	ck_assert_int_eq(call_tracks_open(&tracks, &f->options, &f->callback),
			 0);
	call_tracks_consume(&tracks, &call);
	call.has_enter = call.has_exit = false;
	call.end = CALL_CUT;
	call_tracks_consume(&tracks, &call);
	f->filter.pids = &(const int32_t){ 8 };
	f->filter.pid_count = 1;
	call_tracks_consume(&tracks, &call);
	call_tracks_free(&tracks);
	fixture_end(f, "100 task 7 (? arguments=(0, 0, 0, 0, 0, 0) result=3\n"
		       "160 task 7 )\n"
		       "100 task 7 (? end=cut\n"
		       "160 task 7 )\n");
}
END_TEST

static void wakes(const struct wakings *wakings, uint64_t time_ns,
		  enum known_event event, int32_t waker, int32_t tid)
{
	const struct event_record record = {
		.event = event,
		.cpu = 1,
		.pid = waker,
		.tid = waker,
		.time_ns = time_ns,
		.values = { [WAKING_TID] = tid },
	};

	wakings_event(wakings, &record);
}

START_TEST(wake_ups_are_handed_on)
{
	struct fixture *f = fixture_new();
	const struct wakings wakings = { f->options, &f->callback };

	wakes(&wakings, 10, EVENT_SCHED_WAKEUP_NEW, 9, 7);
	wakes(&wakings, 20, EVENT_SCHED_WAKING, 8, 7);
	wakes(&wakings, 30, EVENT_SCHED_SWITCH, 8, 7);
	fixture_end(f, "10 cpu 1 9 wakes 7 (new)\n20 cpu 1 8 wakes 7\n");
}
END_TEST

SUITE("side_tracks")
{
	TEST(interrupt_work_is_on_its_cpu);
	TEST(short_interrupt_work_is_left_out);
	TEST(a_sleep_is_two_spans_and_an_arrow);
	TEST(waits_for_a_cpu_are_counted);
	TEST(a_system_call_has_its_arguments_and_its_result);
	TEST(wake_ups_are_handed_on);
}
