/* SPDX-License-Identifier: MIT */
#include "tests/task_script_fixture.h"

#include "attribution/calls/system_calls.h"
#include "attribution/sleeps/sleeps.h"
#include "attribution/task_tracker.h"
#include "attribution/trackers.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "tables/text/stack_text.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes each sleep and each call as it ends. */
struct script {
	struct task_listener listener;
	struct attribution_fixture *fixture;
	struct trackers *trackers;
	const struct task_tracker *tracker;
	struct task_names *names;
	FILE *out;
};

static const char *name_of(const struct script *script, uint32_t function)
{
	return function_at(attribution_fixture_functions(script->fixture),
			   function)
		->name;
}

static int write_sleep(struct task_listener *listener,
		       const struct sleep *sleep)
{
	const struct script *script = (const struct script *)listener;
	FILE *out = script->out;

	fprintf(out,
		"%d slept%s in %s %" PRIu64 "+%" PRIu64
		" others %u,%u same %d,%d",
		sleep->task->tid, sleep->is_cut ? " (cut)" : "",
		sleep->label == FUNCTION_UNKNOWN ?
			"?" :
			name_of(script, sleep->label),
		sleep->asleep_ns, sleep->runnable_ns, sleep->others_at_begin,
		sleep->others_at_end, sleep->same_at_begin, sleep->same_at_end);
	if (sleep->fd >= 0)
		fprintf(out, " fd %d", sleep->fd);
	if (sleep->waker != WAKER_NONE) {
		fputs(" by ", out);
		wakers_write(task_tracker_wakers(script->tracker), sleep->waker,
			     attribution_fixture_functions(script->fixture),
			     script->names, out);
	}
	fputs("\n", out);
	return 0;
}

static int write_call(struct task_listener *listener,
		      const struct system_call *call)
{
	const struct script *script = (const struct script *)listener;
	const uint64_t *ns = call->class_ns;

	fprintf(script->out,
		"%d %s %s %" PRIu64 "-%" PRIu64 " cpu %" PRIu64
		" asleep %" PRIu64 " runnable %" PRIu64 " stolen %" PRIu64
		" unknown %" PRIu64 " faults %" PRIu64 "/%" PRIu64,
		call->task->tid,
		system_call_name(attribution_fixture_functions(script->fixture),
				 &arch_x86_64, call->function),
		system_call_end_text(call->end), call->begin_ns, call->end_ns,
		system_call_on_cpu(call->class_ns), ns[TIME_ASLEEP],
		ns[TIME_RUNNABLE], ns[TIME_INTERRUPT], ns[TIME_UNKNOWN],
		call->faults, call->fault_ns);
	if (call->has_enter)
		fprintf(script->out, " nr %" PRId64, call->number);
	if (call->has_exit)
		fprintf(script->out, " = %" PRId64, call->result);
	fputs("\n", script->out);
	return 0;
}

static void open_script(struct script *script)
{
	struct trackers_options options = {
		.arch = &arch_x86_64,
		.time.evidence = { .has_switches = true,
				   .has_wakeups = true,
				   .has_all_cpus = true },
	};

	script->fixture = attribution_fixture_new();
	script->names = task_names_empty();
	options.time.functions = attribution_fixture_functions(script->fixture);
	options.time.kinds = attribution_fixture_kinds(script->fixture);
	script->listener.slept = write_sleep;
	script->listener.ended = write_call;
	script->trackers = trackers_new_with(&options);
	ck_assert_ptr_nonnull(script->trackers);
	script->tracker = trackers_tasks(script->trackers, &script->listener);
	ck_assert_ptr_nonnull(script->tracker);
	attribution_fixture_follow(script->fixture, script->trackers);
}

static void check_story(const struct task_story *story, bool skips_nothing)
{
	struct script script = { 0 };
	char *text;
	size_t size;

	open_script(&script);
	if (skips_nothing)
		attribution_fixture_skip_nothing(script.fixture);
	script.out = open_memstream(&text, &size);
	story->play(script.fixture);
	ck_assert_int_eq(trackers_end(script.trackers), 0);
	fclose(script.out);
	ck_assert_msg(!strcmp(text, story->expected), "%s came out as\n%s",
		      story->title, text);
	free(text);
	trackers_free(script.trackers);
	task_names_close(script.names);
	attribution_fixture_free(script.fixture);
}

void task_story_check(const struct task_story *story)
{
	check_story(story, false);
	check_story(story, true);
}

void enters_call(struct attribution_fixture *f, uint32_t cpu, const char *name)
{
	enter(f, cpu, "entry_SYSCALL_64");
	event(f, cpu, EVENT_SYS_ENTER, 0, 0x1000, 0);
	enter(f, cpu, name);
}

void leaves_call(struct attribution_fixture *f, uint32_t cpu, int64_t result)
{
	leave(f, cpu);
	event(f, cpu, EVENT_SYS_EXIT, 0, result, 0);
	leave(f, cpu);
}

void goes_to_sleep(struct attribution_fixture *f, uint32_t cpu,
		   const char *label, int32_t prev, int32_t next)
{
	enter(f, cpu, label);
	enter(f, cpu, "schedule");
	enter(f, cpu, "__schedule");
	enter(f, cpu, "perf_trace_sched_switch");
	event(f, cpu, EVENT_SCHED_SWITCH, prev, 1, next);
	leave(f, cpu);
	switch_to(f, cpu, next);
}

void comes_back(struct attribution_fixture *f, uint32_t cpu, int32_t tid)
{
	switch_to(f, cpu, tid);
	leave(f, cpu);
	leave(f, cpu);
	leave(f, cpu);
}

void function_wakes(struct attribution_fixture *f, uint32_t cpu,
		    const char *function, int32_t tid)
{
	enter(f, cpu, function);
	enter(f, cpu, "__wake_up_sync_key");
	enter(f, cpu, "try_to_wake_up");
	event(f, cpu, EVENT_SCHED_WAKING, tid, 0, 0);
	leave(f, cpu);
	leave(f, cpu);
	leave(f, cpu);
}

void timer_wakes(struct attribution_fixture *f, uint32_t cpu, int32_t tid)
{
	enter(f, cpu, "asm_sysvec_apic_timer_interrupt");
	function_wakes(f, cpu, "hrtimer_wakeup", tid);
	leave(f, cpu);
}
