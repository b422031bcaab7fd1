/* SPDX-License-Identifier: MIT */
#include "attribution/task_watch.h"

#include "attribution/sleeps/sleeps.h"
#include "attribution/calls/system_call.h"
#include "attribution/sleeps/wakers.h"
#include "report/call_tree.h"
#include "report/task_names.h"
#include "symbolize/arch.h"
#include "symbolize/function_table.h"
#include "tests/attribution_fixture.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes down each sleep and each call as it ends. */
struct script {
	struct task_listener listener;
	struct attribution_fixture *fixture;
	struct task_watch *watch;
	struct task_names *names;
	FILE *out;
};

static const char *name_of(const struct script *script, uint32_t function)
{
	return function_at(attribution_fixture_functions(script->fixture),
			   function)->name;
}

static int write_sleep(struct task_listener *listener,
		       const struct sleep *sleep)
{
	const struct script *script = (const struct script *)listener;
	FILE *out = script->out;

	fprintf(out, "%d slept%s in %s %" PRIu64 "+%" PRIu64
		     " others %u,%u same %d,%d",
		sleep->task->tid, sleep->is_cut ? " (cut)" : "",
		sleep->label == FUNCTION_UNKNOWN ?
			"?" :
			name_of(script, sleep->label),
		sleep->asleep_ns, sleep->runnable_ns, sleep->others_at_begin,
		sleep->others_at_end, sleep->same_at_begin,
		sleep->same_at_end);
	if (sleep->waker != WAKER_NONE) {
		fputs(" by ", out);
		wakers_write(task_watch_wakers(script->watch), sleep->waker,
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
		system_call_on_cpu(call->class_ns), ns[TIME_ASLEEP], ns[TIME_RUNNABLE],
		ns[TIME_INTERRUPT], ns[TIME_UNKNOWN], call->faults,
		call->fault_ns);
	if (call->has_enter)
		fprintf(script->out, " nr %" PRId64, call->number);
	if (call->has_exit)
		fprintf(script->out, " = %" PRId64, call->result);
	fputs("\n", script->out);
	return 0;
}

typedef void play(struct attribution_fixture *f);

struct story {
	const char *title;
	play *play;
	const char *expected;
};

static void enters_call(struct attribution_fixture *f, uint32_t cpu,
			const char *name)
{
	enter(f, cpu, "entry_SYSCALL_64");
	event(f, cpu, EVENT_SYS_ENTER, 0, 0x1000, 0);
	enter(f, cpu, name);
}

static void leaves_call(struct attribution_fixture *f, uint32_t cpu,
			int64_t result)
{
	leave(f, cpu);
	event(f, cpu, EVENT_SYS_EXIT, 0, result, 0);
	leave(f, cpu);
}

/* The task on @cpu waits in @label, and @next runs instead. */
static void goes_to_sleep(struct attribution_fixture *f, uint32_t cpu,
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

/* It runs again and leaves where it waited. */
static void comes_back(struct attribution_fixture *f, uint32_t cpu, int32_t tid)
{
	switch_to(f, cpu, tid);
	leave(f, cpu);
	leave(f, cpu);
	leave(f, cpu);
}

static void wakes(struct attribution_fixture *f, uint32_t cpu,
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

static void timer_wakes(struct attribution_fixture *f, uint32_t cpu,
			int32_t tid)
{
	enter(f, cpu, "asm_sysvec_apic_timer_interrupt");
	wakes(f, cpu, "hrtimer_wakeup", tid);
	leave(f, cpu);
}

static void one_call(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 150), enter(f, 0, "asm_exc_page_fault");
	at(f, 180), leave(f, 0);
	at(f, 200), enter(f, 0, "asm_common_interrupt");
	at(f, 240), leave(f, 0);
	at(f, 300), leaves_call(f, 0, 5);
	at(f, 400), ends(f);
}

/* execve leaves by the way out of interrupts, and so does a fault in it. */
static void jumps(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7);
	at(f, 110); enters_call(f, 0, "__x64_sys_read");
	at(f, 120); enter(f, 0, "asm_exc_page_fault");
	at(f, 130); jump(f, 0, "helper");
	at(f, 150); leave(f, 0);
	at(f, 160); leave(f, 0);
	at(f, 170); jump(f, 0, "helper");
	at(f, 190); leave(f, 0); state(f, 0, CPU_OUTSIDE);
	at(f, 200); ends(f);
}

static void pipe_wakes(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 120), goes_to_sleep(f, 0, "pipe_read", 7, 8);
	at(f, 300), wakes(f, 0, "pipe_write", 7);
	at(f, 350), event(f, 0, EVENT_SCHED_SWITCH, 8, 0, 7);
	comes_back(f, 0, 7);
	at(f, 400), leaves_call(f, 0, 1);
	at(f, 500), ends(f);
}

/* 7 waits for 8, which sleeps until a timer wakes it. */
static void a_chain(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	at(f, 10), enters_call(f, 0, "__x64_sys_futex");
	at(f, 20), goes_to_sleep(f, 0, "futex_wait_queue", 8, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 120), goes_to_sleep(f, 0, "pipe_read", 7, 0);
	at(f, 200), timer_wakes(f, 0, 8);
	at(f, 210), comes_back(f, 0, 8);
	at(f, 300), wakes(f, 0, "pipe_write", 7);
	at(f, 310), leaves_call(f, 0, 0);
	at(f, 330), enter(f, 0, "__schedule");
	event(f, 0, EVENT_SCHED_SWITCH, 8, 1, 7);
	comes_back(f, 0, 7);
	at(f, 400), leaves_call(f, 0, 1);
	at(f, 500), ends(f);
}

/* Its waker was woken before it fell asleep: that is no part of its wait. */
static void no_chain(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	at(f, 10), enters_call(f, 0, "__x64_sys_futex");
	at(f, 20), goes_to_sleep(f, 0, "futex_wait_queue", 8, 7);
	at(f, 50), timer_wakes(f, 0, 8);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 120), goes_to_sleep(f, 0, "pipe_read", 7, 0);
	at(f, 210), comes_back(f, 0, 8);
	at(f, 300), wakes(f, 0, "pipe_write", 7);
	at(f, 310), leaves_call(f, 0, 0);
	at(f, 400), ends(f);
}

static void a_crowd(struct attribution_fixture *f)
{
	belongs(f, 8, 7);
	starts(f, 0, 7);
	at(f, 10), enters_call(f, 0, "__x64_sys_futex");
	at(f, 20), goes_to_sleep(f, 0, "futex_wait_queue", 7, 8);
	at(f, 30), enters_call(f, 0, "__x64_sys_futex");
	at(f, 40), goes_to_sleep(f, 0, "futex_wait_queue", 8, 9);
	at(f, 50), wakes(f, 0, "helper", 7);
	at(f, 60), wakes(f, 0, "helper", 8);
	at(f, 70), comes_back(f, 0, 7);
	at(f, 80), leaves_call(f, 0, 0);
	at(f, 90), comes_back(f, 0, 8);
	at(f, 100), leaves_call(f, 0, 0);
	ends(f);
}

/* No event says who wakes 7: it is gone from there all the same. */
static void quiet_wakeup(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 10), enters_call(f, 0, "__x64_sys_futex");
	at(f, 20), goes_to_sleep(f, 0, "futex_wait_queue", 7, 8);
	at(f, 40), event(f, 0, EVENT_SCHED_SWITCH, 8, 0, 7);
	comes_back(f, 0, 7);
	at(f, 50), leaves_call(f, 0, 0);
	at(f, 60), event(f, 0, EVENT_SCHED_SWITCH, 7, 0, 8);
	switch_to(f, 0, 8);
	at(f, 70), enters_call(f, 0, "__x64_sys_futex");
	at(f, 80), goes_to_sleep(f, 0, "futex_wait_queue", 8, 9);
	at(f, 90), wakes(f, 0, "helper", 8);
	at(f, 95), comes_back(f, 0, 8);
	at(f, 100), leaves_call(f, 0, 0);
	ends(f);
}

/* The trace shows that perf wakes somebody, and no event. */
static void perf_wakes(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 10), enters_call(f, 0, "__x64_sys_read");
	at(f, 20), enter(f, 0, "pipe_read");
	enter(f, 0, "schedule");
	enter(f, 0, "__schedule");
	enter(f, 0, "dequeue_task_fair");
	leave(f, 0);
	event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 8);
	switch_to(f, 0, 8);
	at(f, 40), enter(f, 0, "asm_common_interrupt");
	enter(f, 0, "perf_event_wakeup");
	enter(f, 0, "try_to_wake_up");
	at(f, 45), leave(f, 0), leave(f, 0), leave(f, 0);
	at(f, 60), event(f, 0, EVENT_SCHED_SWITCH, 8, 0, 7);
	comes_back(f, 0, 7);
	at(f, 80), leaves_call(f, 0, 0);
	ends(f);
}

static void no_return(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_exit_group");
	at(f, 150), life(f, 0, SIDEBAND_EXIT, 7);
	enter(f, 0, "__schedule");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 0x20, 0);
	at(f, 200), switch_to(f, 0, 0);
	at(f, 300), ends(f);
}

static void a_gap(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 150), gap(f, 0);
	at(f, 180), state(f, 0, CPU_TRACED);
	at(f, 200), leaves_call(f, 0, 0);
	at(f, 300), ends(f);
}

static void the_end(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 120), goes_to_sleep(f, 0, "pipe_read", 7, 8);
	at(f, 300), enters_call(f, 0, "__x64_sys_read");
	at(f, 350), ends(f);
}

/* Another CPU wakes it between its entry of __schedule and its switch. */
static void on_the_way(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 110), enter(f, 0, "pipe_read");
	enter(f, 0, "__schedule");
	at(f, 120), wakes(f, 1, "pipe_write", 7);
	at(f, 130), event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	switch_to(f, 0, 0);
	at(f, 200), switch_to(f, 0, 7);
	leave(f, 0), leave(f, 0);
	at(f, 220), leaves_call(f, 0, 0);
	at(f, 300), ends(f);
}

static const struct story stories[] = {
	{ "one call", one_call,
	  "7 read returned 100-300 cpu 160 asleep 0 runnable 0 stolen 40 "
	  "unknown 0 faults 1/30 nr 0 = 5\n" },
	{ "jumps", jumps,
	  "7 read returned 110-190 cpu 80 asleep 0 runnable 0 stolen 0 "
	  "unknown 0 faults 1/30 nr 0\n" },
	{ "a pipe wakes", pipe_wakes,
	  "7 slept in pipe_read 180+50 others 0,0 same -1,-1 by ?-8 "
	  "pipe_write\n"
	  "7 read returned 100-400 cpu 70 asleep 180 runnable 50 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 1\n" },
	{ "a chain", a_chain,
	  "8 slept in futex_wait_queue 180+10 others 0,0 same 0,0 by "
	  "interrupt asm_sysvec_apic_timer_interrupt hrtimer_wakeup\n"
	  "8 futex returned 10-310 cpu 110 asleep 180 runnable 10 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n"
	  "7 slept in pipe_read 180+30 others 0,0 same -1,-1 by ?-8 "
	  "pipe_write < interrupt asm_sysvec_apic_timer_interrupt "
	  "hrtimer_wakeup\n"
	  "7 read returned 100-400 cpu 90 asleep 180 runnable 30 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 1\n"
	  "8 slept (cut) in __schedule 170+0 others 0,0 same -1,-1\n" },
	{ "no chain", no_chain,
	  "8 slept in futex_wait_queue 30+160 others 0,0 same 0,0 by "
	  "interrupt asm_sysvec_apic_timer_interrupt hrtimer_wakeup\n"
	  "8 futex returned 10-310 cpu 110 asleep 30 runnable 160 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n"
	  "7 slept (cut) in pipe_read 180+100 others 0,0 same -1,-1 by ?-8 "
	  "pipe_write\n"
	  "7 read cut 100-400 cpu 20 asleep 180 runnable 100 stolen 0 "
	  "unknown 0 faults 0/0 nr 0\n" },
	{ "a crowd", a_crowd,
	  "7 slept in futex_wait_queue 30+20 others 0,1 same 0,1 by ?-9 "
	  "helper\n"
	  "7 futex returned 10-80 cpu 20 asleep 30 runnable 20 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n"
	  "8 slept in futex_wait_queue 20+30 others 1,0 same 1,0 by ?-9 "
	  "helper\n"
	  "8 futex returned 30-100 cpu 20 asleep 20 runnable 30 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
	{ "a quiet wake-up", quiet_wakeup,
	  "7 slept in futex_wait_queue 0+20 others 0,0 same 0,0\n"
	  "7 futex returned 10-50 cpu 20 asleep 0 runnable 20 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n"
	  "8 slept in futex_wait_queue 10+5 others 0,0 same 0,0 by ?-9 "
	  "helper\n"
	  "8 futex returned 70-100 cpu 15 asleep 10 runnable 5 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
	{ "perf wakes", perf_wakes,
	  "7 slept in pipe_read 20+20 others 0,0 same -1,-1 by interrupt "
	  "asm_common_interrupt perf_event_wakeup\n"
	  "7 read returned 10-80 cpu 30 asleep 20 runnable 20 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
	{ "no return", no_return,
	  "7 exit_group no_return 100-200 cpu 100 asleep 0 runnable 0 "
	  "stolen 0 unknown 0 faults 0/0 nr 0\n" },
	{ "a gap", a_gap,
	  "7 read cut 100-200 cpu 70 asleep 0 runnable 0 stolen 0 unknown 30 "
	  "faults 0/0 nr 0 = 0\n" },
	{ "the end", the_end,
	  "8 read cut 300-350 cpu 50 asleep 0 runnable 0 stolen 0 unknown 0 "
	  "faults 0/0 nr 0\n"
	  "7 slept (cut) in pipe_read 230+0 others 0,0 same -1,-1\n"
	  "7 read cut 100-350 cpu 20 asleep 230 runnable 0 stolen 0 "
	  "unknown 0 faults 0/0 nr 0\n" },
	{ "on the way", on_the_way,
	  "7 slept in pipe_read 0+70 others 0,0 same -1,-1 by ?-8 "
	  "pipe_write\n"
	  "7 read returned 100-220 cpu 50 asleep 0 runnable 70 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
};

static void open_script(struct script *script)
{
	struct task_watch_options options = {
		.arch = &arch_x86_64,
		.time = {
			.evidence = { .has_switches = true,
				      .has_wakeups = true,
				      .has_all_cpus = true },
			.window = TIME_WINDOW_ALL,
		},
	};

	script->fixture = attribution_fixture_new();
	script->names = task_names_empty();
	options.functions = attribution_fixture_functions(script->fixture);
	options.kinds = attribution_fixture_kinds(script->fixture);
	options.time.kinds = options.kinds;
	options.time.functions = options.functions;
	script->listener.slept = write_sleep;
	script->listener.ended = write_call;
	script->watch = task_watch_new(&options, &script->listener);
	ck_assert_ptr_nonnull(script->watch);
	attribution_fixture_watch(script->fixture,
				  task_watch_witness(script->watch));
}

START_TEST(stories_come_out)
{
	struct script script = { .listener = { NULL } };
	char *text;
	size_t size;

	open_script(&script);
	script.out = open_memstream(&text, &size);
	stories[_i].play(script.fixture);
	ck_assert_int_eq(task_watch_end(script.watch), 0);
	fclose(script.out);
	ck_assert_msg(!strcmp(text, stories[_i].expected),
		      "%s came out as\n%s", stories[_i].title, text);
	free(text);
	task_watch_free(script.watch);
	task_names_close(script.names);
	attribution_fixture_free(script.fixture);
}
END_TEST

static const struct {
	int64_t result;
	bool is_error;
	bool is_restart;
} results[] = {
	{ 0, false, false },	 { 1, false, false },  { -1, true, false },
	{ -4095, true, false },	 { -4096, false, false },
	{ -511, true, false },	 { -512, false, true }, { -514, false, true },
	{ -515, true, false },	 { -516, false, true }, { -517, true, false },
	{ INT64_MIN, false, false },
};

START_TEST(errors_are_told_from_restarts)
{
	ck_assert_int_eq(system_call_is_error(results[_i].result),
			 results[_i].is_error);
	ck_assert_int_eq(system_call_is_restart(results[_i].result),
			 results[_i].is_restart);
}
END_TEST

static Suite *task_watch_suite(void)
{
	Suite *suite = suite_create("task_watch");
	TCase *tcase = tcase_create("all");

	tcase_add_loop_test(tcase, stories_come_out, 0,
			    sizeof(stories) / sizeof(*stories));
	tcase_add_loop_test(tcase, errors_are_told_from_restarts, 0,
			    sizeof(results) / sizeof(*results));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(task_watch_suite());
}
