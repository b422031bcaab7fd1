/* SPDX-License-Identifier: MIT */
#include "attribution/task_tracker.h"

#include "attribution/calls/system_calls.h"
#include "tests/fixtures/task_script.h"
#include "tests/run_suite.h"

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

/* execve leaves by the interrupt exit code, and so does a fault in it. */
static void jumps(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	at(f, 110);
	enters_call(f, 0, "__x64_sys_read");
	at(f, 120);
	enter(f, 0, "asm_exc_page_fault");
	at(f, 130);
	jump(f, 0, "helper");
	follow_script(f, "150 ) 160 ) 170");
	jump(f, 0, "helper");
	follow_script(f, "190 ) outside 200 end");
}

static void pipe_wakes(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 120), goes_to_sleep(f, 0, "pipe_read", 7, 8);
	at(f, 300), function_wakes(f, 0, "pipe_write", 7);
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
	at(f, 300), function_wakes(f, 0, "pipe_write", 7);
	at(f, 310), leaves_call(f, 0, 0);
	at(f, 330), enter(f, 0, "__schedule");
	event(f, 0, EVENT_SCHED_SWITCH, 8, 1, 7);
	comes_back(f, 0, 7);
	at(f, 400), leaves_call(f, 0, 1);
	at(f, 500), ends(f);
}

/* Its waker was woken before the thread fell asleep, which is not part of its
 * wait.
 */
static void no_chain(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	at(f, 10), enters_call(f, 0, "__x64_sys_futex");
	at(f, 20), goes_to_sleep(f, 0, "futex_wait_queue", 8, 7);
	at(f, 50), timer_wakes(f, 0, 8);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 120), goes_to_sleep(f, 0, "pipe_read", 7, 0);
	at(f, 210), comes_back(f, 0, 8);
	at(f, 300), function_wakes(f, 0, "pipe_write", 7);
	at(f, 310), leaves_call(f, 0, 0);
	at(f, 400), ends(f);
}

static void several_waiters(struct attribution_fixture *f)
{
	belongs(f, 8, 7);
	starts(f, 0, 7);
	at(f, 10), enters_call(f, 0, "__x64_sys_futex");
	at(f, 20), goes_to_sleep(f, 0, "futex_wait_queue", 7, 8);
	at(f, 30), enters_call(f, 0, "__x64_sys_futex");
	at(f, 40), goes_to_sleep(f, 0, "futex_wait_queue", 8, 9);
	at(f, 50), function_wakes(f, 0, "helper", 7);
	at(f, 60), function_wakes(f, 0, "helper", 8);
	at(f, 70), comes_back(f, 0, 7);
	at(f, 80), leaves_call(f, 0, 0);
	at(f, 90), comes_back(f, 0, 8);
	at(f, 100), leaves_call(f, 0, 0);
	ends(f);
}

/* Two threads of a process wait for one descriptor; another process has another
 * file there.
 */
static void several_readers(struct attribution_fixture *f)
{
	belongs(f, 8, 7);
	starts(f, 0, 7);
	at(f, 10), enters_call(f, 0, "__x64_sys_read");
	at(f, 20), goes_to_sleep(f, 0, "pipe_read", 7, 8);
	at(f, 30), enters_call(f, 0, "__x64_sys_read");
	at(f, 40), goes_to_sleep(f, 0, "pipe_read", 8, 9);
	at(f, 50), enters_call(f, 0, "__x64_sys_read");
	at(f, 60), goes_to_sleep(f, 0, "pipe_read", 9, 10);
	at(f, 70), function_wakes(f, 0, "helper", 7);
	at(f, 80), function_wakes(f, 0, "helper", 8);
	at(f, 90), function_wakes(f, 0, "helper", 9);
	at(f, 100), ends(f);
}

/* No event reports the waker of 7: its sleep ends all the same. */
static void untraced_wakeup(struct attribution_fixture *f)
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
	at(f, 90), function_wakes(f, 0, "helper", 8);
	at(f, 95), comes_back(f, 0, 8);
	at(f, 100), leaves_call(f, 0, 0);
	ends(f);
}

/* The trace shows that perf wakes a thread, but no event does. */
static void perf_wakes(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 10), enters_call(f, 0, "__x64_sys_read");
	at(f, 20), enter(f, 0, "pipe_read");
	follow_script(f, "schedule( __schedule( dequeue_task_fair( )");
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
	enter(f, 0, "do_task_dead");
	enter(f, 0, "__schedule");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 0x20, 0);
	at(f, 200), switch_to(f, 0, 0);
	at(f, 300), ends(f);
}

/* With perf's switch records only, the thread's end is reported before its last
 * switch. It waits for a file to be closed first; its final switch is not a
 * sleep.
 */
static void the_way_out(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_exit_group");
	at(f, 110), life(f, 0, SIDEBAND_EXIT, 7);
	at(f, 120), enter(f, 0, "helper"), enter(f, 0, "__schedule");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 0x10, 8);
	switch_to(f, 0, 8);
	at(f, 150), function_wakes(f, 0, "pipe_write", 7);
	at(f, 170), switch_to(f, 0, 7), leave(f, 0), leave(f, 0);
	at(f, 180), enter(f, 0, "do_task_dead"), enter(f, 0, "__schedule");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 8);
	at(f, 200), switch_to(f, 0, 8);
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

/* Another CPU wakes the thread between its entry of __schedule and its switch.
 */
static void on_the_way(struct attribution_fixture *f)
{
	starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 110), enter(f, 0, "pipe_read");
	enter(f, 0, "__schedule");
	at(f, 120), function_wakes(f, 1, "pipe_write", 7);
	at(f, 130), event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	switch_to(f, 0, 0);
	at(f, 200), switch_to(f, 0, 7);
	leave(f, 0), leave(f, 0);
	at(f, 220), leaves_call(f, 0, 0);
	at(f, 300), ends(f);
}

/* The sleep ends when the thread runs: a later wait for a CPU is not part of
 * it.
 */
static void a_sleep_before(struct attribution_fixture *f)
{
	at(f, 50), starts(f, 0, 7);
	at(f, 100), function_wakes(f, 0, "pipe_write", 8);
	at(f, 150), event(f, 0, EVENT_SCHED_SWITCH, 7, 0, 8);
	switch_to(f, 0, 8);
	at(f, 200), enter(f, 0, "helper"), leave(f, 0);
	at(f, 220), event(f, 0, EVENT_SCHED_SWITCH, 8, 0, 7);
	switch_to(f, 0, 7);
	at(f, 300), event(f, 0, EVENT_SCHED_SWITCH, 7, 0, 8);
	switch_to(f, 0, 8);
	at(f, 350), ends(f);
}

/* The thread runs on an untraced CPU between its sleep and the traced CPU. */
static void a_sleep_elsewhere(struct attribution_fixture *f)
{
	at(f, 50), starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 110), enter(f, 0, "pipe_read"), enter(f, 0, "__schedule");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 0, 8);
	switch_to(f, 0, 8);
	at(f, 150), event(f, 1, EVENT_SCHED_SWITCH, 0, 0, 7);
	is_on(f, 1, 7);
	at(f, 170), event(f, 1, EVENT_SCHED_SWITCH, 7, 1, 0);
	is_on(f, 1, -1);
	at(f, 300), function_wakes(f, 0, "pipe_write", 7);
	at(f, 350), event(f, 0, EVENT_SCHED_SWITCH, 8, 0, 7);
	switch_to(f, 0, 7), leave(f, 0), leave(f, 0);
	at(f, 400), leaves_call(f, 0, 1);
	at(f, 500), ends(f);
}

static const struct task_story stories[] = {
	{ "one call", one_call,
	  "7 read returned 100-300 cpu 160 asleep 0 runnable 0 stolen 40 "
	  "unknown 0 faults 1/30 nr 0 = 5\n" },
	{ "jumps", jumps,
	  "7 read returned 110-190 cpu 80 asleep 0 runnable 0 stolen 0 "
	  "unknown 0 faults 1/30 nr 0\n" },
	{ "a pipe wakes", pipe_wakes,
	  "7 slept in pipe_read 180+50 others 0,0 same 0,0 fd 4096 by ?-8 "
	  "pipe_write\n"
	  "7 read returned 100-400 cpu 70 asleep 180 runnable 50 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 1\n" },
	{ "a chain", a_chain,
	  "8 slept in futex_wait_queue 180+10 others 0,0 same 0,0 by "
	  "interrupt asm_sysvec_apic_timer_interrupt hrtimer_wakeup\n"
	  "8 futex returned 10-310 cpu 110 asleep 180 runnable 10 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n"
	  "7 slept in pipe_read 180+30 others 0,0 same 0,0 fd 4096 by ?-8 "
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
	  "7 slept (cut) in pipe_read 180+100 others 0,0 same 0,0 fd 4096 by ?-8 "
	  "pipe_write\n"
	  "7 read cut 100-400 cpu 20 asleep 180 runnable 100 stolen 0 "
	  "unknown 0 faults 0/0 nr 0\n" },
	{ "several readers", several_readers,
	  "7 slept (cut) in pipe_read 50+30 others 0,2 same 0,1 fd 4096 by ?-10 helper\n"
	  "7 read cut 10-100 cpu 10 asleep 50 runnable 30 stolen 0 unknown 0 faults 0/0 nr 0\n"
	  "8 slept (cut) in pipe_read 40+20 others 1,1 same 1,0 fd 4096 by ?-10 helper\n"
	  "8 read cut 30-100 cpu 10 asleep 40 runnable 20 stolen 0 unknown 0 faults 0/0 nr 0\n"
	  "9 slept (cut) in pipe_read 30+10 others 2,0 same 0,0 fd 4096 by ?-10 helper\n"
	  "9 read cut 50-100 cpu 10 asleep 30 runnable 10 stolen 0 unknown 0 faults 0/0 nr 0\n" },
	{ "several waiters", several_waiters,
	  "7 slept in futex_wait_queue 30+20 others 0,1 same 0,1 by ?-9 "
	  "helper\n"
	  "7 futex returned 10-80 cpu 20 asleep 30 runnable 20 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n"
	  "8 slept in futex_wait_queue 20+30 others 1,0 same 1,0 by ?-9 "
	  "helper\n"
	  "8 futex returned 30-100 cpu 20 asleep 20 runnable 30 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
	{ "an untraced wake-up", untraced_wakeup,
	  "7 slept in futex_wait_queue 0+20 others 0,0 same 0,0\n"
	  "7 futex returned 10-50 cpu 20 asleep 0 runnable 20 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n"
	  "8 slept in futex_wait_queue 10+5 others 0,0 same 0,0 by ?-9 "
	  "helper\n"
	  "8 futex returned 70-100 cpu 15 asleep 10 runnable 5 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
	{ "perf wakes", perf_wakes,
	  "7 slept in pipe_read 20+20 others 0,0 same 0,0 fd 4096 by interrupt "
	  "asm_common_interrupt perf_event_wakeup\n"
	  "7 read returned 10-80 cpu 30 asleep 20 runnable 20 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
	{ "no return", no_return,
	  "7 exit_group no_return 100-200 cpu 100 asleep 0 runnable 0 "
	  "stolen 0 unknown 0 faults 0/0 nr 0\n" },
	{ "the way out", the_way_out,
	  "7 slept in helper 30+20 others 0,0 same -1,-1 by ?-8 pipe_write\n"
	  "7 exit_group no_return 100-200 cpu 50 asleep 30 runnable 20 "
	  "stolen 0 unknown 0 faults 0/0 nr 0\n" },
	{ "a gap", a_gap,
	  "7 read cut 100-200 cpu 70 asleep 0 runnable 0 stolen 0 unknown 30 "
	  "faults 0/0 nr 0 = 0\n" },
	{ "the end", the_end,
	  "8 read cut 300-350 cpu 50 asleep 0 runnable 0 stolen 0 unknown 0 "
	  "faults 0/0 nr 0\n"
	  "7 slept (cut) in pipe_read 230+0 others 0,0 same 0,-1 fd 4096\n"
	  "7 read cut 100-350 cpu 20 asleep 230 runnable 0 stolen 0 "
	  "unknown 0 faults 0/0 nr 0\n" },
	{ "a sleep before", a_sleep_before,
	  "8 slept (cut) in ? 50+50 others 0,0 same -1,-1 by ?-7 "
	  "pipe_write\n" },
	{ "a sleep elsewhere", a_sleep_elsewhere,
	  "7 slept in pipe_read 130+50 others 0,0 same 0,0 fd 4096 by ?-8 "
	  "pipe_write\n"
	  "7 read returned 100-400 cpu 60 asleep 130 runnable 90 stolen 0 "
	  "unknown 20 faults 0/0 nr 0 = 1\n" },
	{ "on the way", on_the_way,
	  "7 slept in pipe_read 0+70 others 0,0 same 0,0 fd 4096 by ?-8 "
	  "pipe_write\n"
	  "7 read returned 100-220 cpu 50 asleep 0 runnable 70 stolen 0 "
	  "unknown 0 faults 0/0 nr 0 = 0\n" },
};

START_TEST(stories_come_out)
{
	task_story_check(&stories[_i]);
}
END_TEST

static const struct {
	int64_t result;
	bool is_error;
	bool is_restart;
} results[] = {
	{ 0, false, false },	 { 1, false, false },
	{ -1, true, false },	 { -4095, true, false },
	{ -4096, false, false }, { -511, true, false },
	{ -512, false, true },	 { -514, false, true },
	{ -515, true, false },	 { -516, false, true },
	{ -517, true, false },	 { INT64_MIN, false, false },
};

START_TEST(errors_and_restarts_differ)
{
	ck_assert_int_eq(system_call_is_error(results[_i].result),
			 results[_i].is_error);
	ck_assert_int_eq(system_call_is_restart(results[_i].result),
			 results[_i].is_restart);
}
END_TEST

SUITE("task_tracker")
{
	TEST_EACH(stories_come_out, stories);
	TEST_EACH(errors_and_restarts_differ, results);
}
