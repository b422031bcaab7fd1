/* SPDX-License-Identifier: MIT */
/* Why threads do not run. */
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/span_story.h"

static void sleep_and_wakeup(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 entry_SYSCALL_64( 110 __schedule( "
			 "120 switch:7,1,0 150 waking:7 160");
	event(f, 0, EVENT_SCHED_SWITCH, 0, 0, 7);
	follow_script(f, "165 runs:7 170 ) 180 ) 190 end");
}

static void preemption(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 outside 110 traced "
			 "asm_sysvec_apic_timer_interrupt( 120 __schedule( "
			 "130 switch:7,0x100,8 200 switch:8,0,7 205 ) 210 ) "
			 "outside 220 end");
}

/* The wake-up arrives while the task is being switched out: its sleep has
 * length 0.
 */
static void wakeup_on_the_way_out(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 cpu:1 starts:8 110 cpu:0 __schedule( "
			 "115");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	follow_script(f, "118 cpu:1 waking:7 120 cpu:0 runs:0 140 switch:0,0,7 "
			 "145 ) 150 end");
}

/* The task may still have been switching out: then it slept less, and waited
 * less.
 */
static void wakeup_about_then(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 cpu:1 starts:8 115");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	at(f, 120);
	may_be_off(f, 4, 15);
	follow_script(f, "runs:0 130 cpu:1 waking:7 140");
	may_be_off(f, 3, 2);
	schedules(f, 0, 0, 0, 7);
	at(f, 150);
	may_be_off(f, 0, 0);
	ends(f);
}

/* The wake-up arrives before the task checked whether it may sleep: it is not
 * switched out.
 */
static void wakeup_of_a_running_task(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 cpu:1 starts:8 105 waking:7 110 cpu:0 "
			 "__schedule( 120 switch:7,1,0 130 cpu:1 waking:7 "
			 "140 cpu:0 switch:0,0,7 150 end");
}

/* A signal was pending: prev_state is asleep, but no thread wakes the task. */
static void never_asleep(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 110 switch:7,1,8 120 switch:8,0,7 "
			 "130 helper( 150 end");
}

/* By the clock of CPU 1 the task wakes up after it runs on CPU 0. */
static void clocks_disagree(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 cpu:1 starts:8 110 cpu:0 runs:0");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	follow_script(f, "140 runs:7 cpu:1 waking:7 150 end");
}

static void migration(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 cpu:1 starts:0 110 cpu:0 switch:7,1,0 "
			 "120 waking:7 125 cpu:1 switch:0,0,7 150 end");
}

static void from_before(struct attribution_fixture *f)
{
	follow_script(f, "90 waking:9 100 starts:7 110 waking:8 "
			 "120 switch:7,1,8 130 switch:8,1,9 140 switch:9,1,10 "
			 "145 waking:11 150 end");
}

/* 7 goes to sleep and continues, and no event reports the waker. */
static void falls_asleep(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 __schedule( 105 dequeue_task_fair( ) "
			 "110 switch:7,1,8");
}

static void comes_back(struct attribution_fixture *f)
{
	follow_script(f, "140 switch:8,1,7 145 ) 160 end");
}

static void perf_wakes(struct attribution_fixture *f)
{
	falls_asleep(f);
	follow_script(f, "120 perf_event_wakeup( 121 try_to_wake_up( 122 ) ) "
			 "130 perf_event_wakeup( 131 ) try_to_wake_up( 132 )");
	comes_back(f);
}

static void nobody_wakes(struct attribution_fixture *f)
{
	follow_script(f, "90 cpu:1 starts:9 perf_event_wakeup( "
			 "95 try_to_wake_up(");
	falls_asleep(f);
	comes_back(f);
}

/* The kernel's event is late by the other CPU's clock, and still counts. */
static void another_wakes(struct attribution_fixture *f)
{
	at(f, 90);
	starts(f, 1, 9);
	falls_asleep(f);
	follow_script(f, "120 perf_event_wakeup( try_to_wake_up( 122 ) ) "
			 "140 switch:8,1,7 139 cpu:1 waking:7 160 end");
}

/* 9 is the recorder: it preempts 7 twice, and 8 waits for both. */
static void recorder_preempts(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 105 waking:8 110 switch:7,0,9 "
			 "120 switch:9,1,7 130 waking:9 switch:7,0,9 "
			 "150 switch:9,1,8 160 switch:8,1,7 170 end");
}

/* Which of the two run queues 7 waited in is unknown. */
static void recorder_and_migration(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 cpu:1 starts:0 110 cpu:0 switch:7,0,9 "
			 "120 cpu:1 switch:0,0,7 130 end");
}

/* clang-format off */
static void throttles(struct attribution_fixture *f, uint32_t cpu)
{
	enter(f, cpu, "throttle_cfs_rq");
	enter(f, cpu, "tg_throttle_down");
	leave(f, cpu);
	/* The kernel calls it again for a cgroup below. */
	enter(f, cpu, "tg_throttle_down");
	leave(f, cpu);
	leave(f, cpu);
}

/* The scheduler throttles the cgroup of the thread that it takes off the CPU. */
static void is_throttled(struct attribution_fixture *f, uint32_t cpu,
			 int32_t tid, int32_t next)
{
	enter(f, cpu, "__schedule");
	throttles(f, cpu);
	schedules(f, cpu, tid, 0, next);
}

static void unthrottles(struct attribution_fixture *f, uint32_t cpu)
{
	enter(f, cpu, "asm_sysvec_apic_timer_interrupt");
	enter(f, cpu, "unthrottle_cfs_rq");
	leave(f, cpu);
	leave(f, cpu);
}

/* 8 is of the same process as 7 and woken while their cgroup is throttled; 9 is
 * of another.
 */
static void throttled(struct attribution_fixture *f)
{
	belongs(f, 8, 7);
	at(f, 90), starts(f, 0, 7);
	at(f, 92), schedules(f, 0, 7, 1, 8);
	at(f, 94), schedules(f, 0, 8, 1, 9);
	at(f, 96), wakes(f, 0, 7);
	at(f, 98), schedules(f, 0, 9, 1, 7);
	at(f, 100), is_throttled(f, 0, 7, 0);
	at(f, 150), wakes(f, 0, 8), wakes(f, 0, 9);
	at(f, 160), switch_to(f, 0, 9);
	at(f, 180), schedules(f, 0, 9, 1, 0);
	at(f, 200), unthrottles(f, 0);
	at(f, 210), switch_to(f, 0, 7);
	at(f, 220), schedules(f, 0, 7, 1, 8);
	at(f, 230), ends(f);
}

/* 7 wakes 8, and is throttled afterwards: 8 is not in its cgroup. */
static void throttled_after_wakeup(struct attribution_fixture *f)
{
	at(f, 90), starts(f, 0, 7);
	at(f, 92), schedules(f, 0, 7, 1, 8);
	at(f, 94), schedules(f, 0, 8, 1, 7);
	enter(f, 0, "vfs_read");
	enter(f, 0, "helper");
	at(f, 100), wakes(f, 0, 8);
	enter(f, 0, "enqueue_task_fair");
	leave(f, 0);
	enter(f, 0, "helper");
	throttles(f, 0);
	leave(f, 0);
	at(f, 120), schedules(f, 0, 7, 0, 8);
	at(f, 200), unthrottles(f, 0);
	at(f, 210), schedules(f, 0, 8, 1, 7);
	at(f, 230), ends(f);
}

/* The cgroup of 7 gets more of its quota: 7 only waits for the CPU. */
static void not_throttled(struct attribution_fixture *f)
{
	at(f, 90), starts(f, 0, 7);
	at(f, 100), enter(f, 0, "throttle_cfs_rq");
	leave(f, 0);
	at(f, 110), schedules(f, 0, 7, 0, 8);
	at(f, 150), schedules(f, 0, 8, 1, 7);
	at(f, 230), ends(f);
}

/* The cgroup of 8 has used up its quota when 7 wakes 8: it is throttled then. */
static void throttled_when_woken(struct attribution_fixture *f)
{
	at(f, 90), starts(f, 0, 7);
	at(f, 92), schedules(f, 0, 7, 1, 8);
	at(f, 94), schedules(f, 0, 8, 1, 7);
	at(f, 100), wakes(f, 0, 8);
	enter(f, 0, "enqueue_task_fair");
	throttles(f, 0);
	leave(f, 0);
	at(f, 120), schedules(f, 0, 7, 1, 0);
	at(f, 200), unthrottles(f, 0);
	at(f, 210), switch_to(f, 0, 8);
	at(f, 230), ends(f);
}

static const struct span_story stories[] = {
	{ "sleep", sleep_and_wakeup,
	  "7 system_call 100-110\n7 system_call 110-120\n7 asleep 120-150\n"
	  "7 runnable 150-165 by 0\n7 system_call 165-170\n"
	  "7 system_call 170-180\n7 kernel 180-190\n", SEES_ALL, WHOLE },
	{ "preempted in user space", preemption,
	  "7 user 100-110\n7 interrupt 110-120\n7 kernel 120-130\n"
	  "8 runnable 100-130\n8 kernel 130-200\n"
	  "7 runnable 130-200\n7 kernel 200-205\n7 interrupt 205-210\n"
	  "7 user 210-220\n8 runnable 200-220\n", SEES_ALL, WHOLE },
	{ "woken on the way out", wakeup_on_the_way_out,
	  "7 kernel 100-110\n7 kernel 110-120\n7 runnable 120-140 by 8\n"
	  "7 kernel 140-145\n7 kernel 145-150\n8 kernel 100-150\n",
	  SEES_ALL, WHOLE },
	{ "woken about when it left", wakeup_about_then,
	  "7 kernel 100-120\n7 asleep 120~15-130\n"
	  "7 runnable 130~5-140 by 8\n7 kernel 140~3-150\n"
	  "8 kernel 100-150\n", SEES_ALL, WHOLE },
	{ "woken while it runs", wakeup_of_a_running_task,
	  "7 kernel 100-110\n7 kernel 110-120\n7 asleep 120-130\n"
	  "7 runnable 130-140 by 8\n7 kernel 140-150\n8 kernel 100-150\n",
	  SEES_ALL, WHOLE },
	{ "a signal was pending", never_asleep,
	  "7 kernel 100-110\n8 runnable 100-110\n8 kernel 110-120\n"
	  "7 runnable 110-120\n7 kernel 120-150\n8 runnable 120-150\n",
	  SEES_ALL, WHOLE },
	{ "some records were lost", never_asleep,
	  "7 kernel 100-110\n8 lost_events 100-110\n8 kernel 110-120\n"
	  "7 lost_events 110-120\n7 kernel 120-150\n8 runnable 120-150\n",
	  { true, true, true, true }, WHOLE },
	{ "clocks disagree", clocks_disagree,
	  "7 kernel 100-110\n7 asleep 110-140\n7 kernel 140-150\n"
	  "8 kernel 100-150\n", SEES_ALL, WHOLE },
	{ "migration", migration,
	  "7 kernel 100-110\n7 asleep 110-120\n7 runnable 120-125 by 0\n"
	  "7 kernel 125-150\n", SEES_ALL, WHOLE },
	{ "from before the recording", from_before,
	  "7 kernel 100-120\n8 asleep 100-110\n8 runnable 110-120 by 7\n"
	  "8 kernel 120-130\n9 runnable 100-130\n9 kernel 130-140\n"
	  "10 runnable 100-140\n10 kernel 140-150\n"
	  "9 asleep 140-150\n7 asleep 120-150\n8 asleep 130-150\n"
	  "11 asleep 100-145\n11 runnable 145-150 by 10\n", SEES_ALL, WHOLE },
	{ "perf wakes a sleeper", perf_wakes,
	  "7 kernel 100-110\n8 runnable 100-110\n8 kernel 110-120\n"
	  "8 tracer 120-122\n8 kernel 122-130\n8 tracer 130-131\n"
	  "8 kernel 131-140\n"
	  "7 asleep 110-121\n7 runnable 121-140 by 8\n7 kernel 140-145\n"
	  "7 kernel 145-160\n8 asleep 140-160\n", SEES_ALL, WHOLE },
	{ "perf wakes a sleeper, and records were lost", perf_wakes,
	  "7 kernel 100-110\n8 lost_events 100-110\n8 kernel 110-120\n"
	  "8 tracer 120-122\n8 kernel 122-130\n8 tracer 130-131\n"
	  "8 kernel 131-140\n"
	  "7 lost_events 110-140\n7 kernel 140-145\n7 kernel 145-160\n"
	  "8 lost_events 140-160\n", { true, true, true, true }, WHOLE },
	{ "perf wakes a sleeper, and no wake-up is recorded", perf_wakes,
	  "7 kernel 100-110\n8 no_events 100-110\n8 kernel 110-120\n"
	  "8 tracer 120-122\n8 kernel 122-130\n8 tracer 130-131\n"
	  "8 kernel 131-140\n"
	  "7 no_events 110-140\n7 kernel 140-145\n7 kernel 145-160\n"
	  "8 no_events 140-160\n",
	  { .has_switches = true, .has_all_cpus = true }, WHOLE },
	{ "nobody is seen to wake a sleeper", nobody_wakes,
	  "7 kernel 100-110\n8 runnable 90-110\n8 kernel 110-140\n"
	  "7 asleep 110-140\n7 kernel 140-145\n7 kernel 145-160\n"
	  "9 tracer 90-160\n8 asleep 140-160\n", SEES_ALL, WHOLE },
	{ "a wake-up is known, not inferred", another_wakes,
	  "7 kernel 100-110\n8 runnable 90-110\n8 kernel 110-120\n"
	  "8 tracer 120-122\n8 kernel 122-140\n"
	  "7 asleep 110-139\n7 runnable 139-140 by 9\n7 kernel 140-160\n"
	  "9 kernel 90-160\n8 asleep 140-160\n", SEES_ALL, WHOLE },
	{ "the recorder has the CPU", recorder_preempts,
	  "7 kernel 100-110\n9 runnable 100-110\n9 kernel 110-120\n"
	  "7 runnable (recorder) 110-120\n7 kernel 120-130\n"
	  "9 asleep 120-130\n9 kernel 130-150\n"
	  "8 asleep 100-105\n8 runnable 105-110 by 7\n"
	  "8 runnable (recorder) 110-120 by 7\n8 runnable 120-130 by 7\n"
	  "8 runnable (recorder) 130-150 by 7\n8 kernel 150-160\n"
	  "7 runnable (recorder) 130-150\n7 runnable 150-160\n"
	  "7 kernel 160-170\n8 asleep 160-170\n9 asleep 150-170\n",
	  SEES_ALL, WHOLE, .recorder_tid = 9 },
	{ "a throttled cgroup", throttled,
	  "7 kernel 90-92\n"
	  "8 runnable 90-92\n"
	  "8 kernel 92-94\n"
	  "9 runnable 90-94\n"
	  "9 kernel 94-98\n"
	  "7 asleep 92-96\n"
	  "7 runnable 96-98 by 9\n"
	  "7 kernel 98-100\n"
	  "9 asleep 98-150\n"
	  "9 runnable 150-160 by 0\n"
	  "9 kernel 160-180\n"
	  "7 runnable (throttled) 100-200\n"
	  "7 runnable 200-210\n"
	  "7 kernel 210-220\n"
	  "8 asleep 94-150\n"
	  "8 runnable (throttled) 150-200 by 0\n"
	  "8 runnable 200-220 by 0\n"
	  "8 kernel 220-230\n"
	  "7 asleep 220-230\n"
	  "9 asleep 180-230\n",
	  SEES_ALL, WHOLE },
	{ "a cgroup throttled after a wake-up", throttled_after_wakeup,
	  "7 kernel 90-92\n"
	  "8 runnable 90-92\n"
	  "8 kernel 92-94\n"
	  "7 runnable 92-94\n"
	  "7 kernel 94-120\n"
	  "8 asleep 94-100\n"
	  "8 runnable 100-120 by 7\n"
	  "8 kernel 120-200\n"
	  "8 kernel 200-210\n"
	  "7 runnable (throttled) 120-200\n"
	  "7 runnable 200-210\n"
	  "7 kernel 210-230\n"
	  "8 asleep 210-230\n",
	  SEES_ALL, WHOLE },
	{ "a cgroup that gets more of its quota", not_throttled,
	  "7 kernel 90-110\n8 runnable 90-110\n8 kernel 110-150\n"
	  "7 runnable 110-150\n7 kernel 150-230\n8 asleep 150-230\n",
	  SEES_ALL, WHOLE },
	{ "a cgroup throttled by a wake-up", throttled_when_woken,
	  "7 kernel 90-92\n"
	  "8 runnable 90-92\n"
	  "8 kernel 92-94\n"
	  "7 runnable 92-94\n"
	  "7 kernel 94-120\n"
	  "8 asleep 94-100\n"
	  "8 runnable (throttled) 100-200 by 7\n"
	  "8 runnable 200-210 by 7\n"
	  "8 kernel 210-230\n"
	  "7 asleep 120-230\n",
	  SEES_ALL, WHOLE },
	{ "a thread leaves the recorder's CPU", recorder_and_migration,
	  "7 kernel 100-110\n9 runnable 100-110\n9 kernel 110-130\n"
	  "7 runnable 110-120\n7 kernel 120-130\n",
	  SEES_ALL, WHOLE, .recorder_tid = 9 },
	{ "a window", sleep_and_wakeup,
	  "7 system_call 115-120\n7 asleep 120-150\n7 runnable 150-160 by 0\n",
	  SEES_ALL, .window = { 115, 160 } },
	{ "without sched_waking", never_asleep,
	  "7 kernel 100-110\n8 no_events 100-110\n8 kernel 110-120\n"
	  "7 no_events 110-120\n7 kernel 120-150\n8 runnable 120-150\n",
	  { .has_switches = true, .has_all_cpus = true }, WHOLE },
	{ "another CPU is not traced", clocks_disagree,
	  "7 kernel 100-110\n7 untraced 110-140\n7 kernel 140-150\n"
	  "8 kernel 100-150\n",
	  { .has_switches = true, .has_wakeups = true }, WHOLE },
};
/* clang-format on */

SUITE("off_cpu")
{
	SPAN_STORIES(stories);
}
