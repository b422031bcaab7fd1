/* SPDX-License-Identifier: MIT */
/* The classes of threads' time, and how threads' lives start and end. */
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/span_story.h"

static void classes(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 entry_SYSCALL_64( 110 vfs_read( "
			 "120 asm_exc_page_fault( 130 asm_common_interrupt( "
			 "140 handle_softirqs( 145 asm_exc_nmi( 147 ) 150 ) "
			 "160 ) 170 ) 180 ) 185 exit_to_user_mode_loop( 190 ) "
			 "200 ) outside 250 traced "
			 "asm_sysvec_apic_timer_interrupt( 260 ) outside "
			 "300 end");
}

/* Handlers of the tracer run in a system call and in an interrupt; the first
 * one has a page fault.
 */
static void tracer(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 entry_SYSCALL_64( "
			 "110 perf_trace_sched_switch( 120 asm_exc_page_fault( "
			 "130 ) 140 asm_common_interrupt( "
			 "150 perf_event_wakeup( 160 ) 170 ) 180 ) 190 ) "
			 "outside 200 end");
}

/* Memory is reclaimed in a system call and in a page fault. */
static void reclaim(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 entry_SYSCALL_64( "
			 "110 try_to_free_pages( 120 switch:7,2,0 125 waking:7 "
			 "switch:0,0,7 130 ) 140 ) asm_exc_page_fault( "
			 "150 try_to_free_pages( 160 ) 200 end");
}

static void user_space(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 helper( 110 ) u:main( 120 u:work( "
			 "130 entry_SYSCALL_64( 150 ) 160 ) "
			 "170 asm_common_interrupt( 175 ) 200 end");
}

static void fork_and_exit(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 110 fork:8 112 new:8 120 switch:7,0,8 "
			 "130 exit:8 140 switch:8,0x20,7 170 fork:8 "
			 "180 switch:7,0,8 200 end");
}

/* Thread 8 of process 7 calls exec and is 7 from then on. */
static void exec_in_a_thread(struct attribution_fixture *f)
{
	belongs(f, 8, 7);
	follow_script(f, "100 starts:7 110 fork:8 120 exit:7 "
			 "125 switch:7,0x10,8 150 exec:7 155");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	follow_script(f, "160 runs:0 170 waking:7 180 switch:0,0,7 200 end");
}

/* Like the previous story, but preempted before exec is recorded. */
static void exec_preempted(struct attribution_fixture *f)
{
	belongs(f, 8, 7);
	follow_script(f, "100 starts:7 110 fork:8 120 exit:7 "
			 "125 switch:7,0x10,8 155");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 0, 9);
	follow_script(f, "160 runs:9 180 switch:9,1,7 190 exec:7 200 end");
}

static void gaps(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 entry_SYSCALL_64( 110 gap "
			 "120 switch:7,1,8 130 traced 140");
	state(f, 0, CPU_FILTERED);
	follow_script(f, "150 traced 160 end");
}

static void ksoftirqd(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 run_ksoftirqd( 110 handle_softirqs( "
			 "120 asm_common_interrupt( 130 ) 140 ) "
			 "150 process_one_work( 160 end");
}

/* The common exit code is part of the context it leaves. */
static void jumps(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 entry_SYSCALL_64( "
			 "110 asm_exc_page_fault( 120");
	jump(f, 0, "helper");
	at(f, 130);
	leave(f, 0);
	at(f, 140);
	jump(f, 0, "helper");
	at(f, 150);
	jump(f, 0, "asm_exc_int3");
	follow_script(f, "160 ) 170 end");
}

/* The context is known only when it returns. */
static void found_in_the_kernel(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	finds(f, 0, "__schedule");
	at(f, 110);
	leave(f, 0);
	finds(f, 0, "vfs_read");
	follow_script(f, "115 asm_common_interrupt( 120 ) 125 )");
	finds(f, 0, "entry_SYSCALL_64");
	follow_script(f, "130 ) outside 140 end");
}

/* CPU 1 is traced later and ends earlier; 8 runs there. */
static void uneven_cpus(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	at(f, 105);
	event(f, 1, EVENT_SCHED_SWITCH, 9, 1, 8);
	follow_script(f, "120 cpu:1 starts:8 130 switch:8,0,10 140");
	ends_on(f, 1);
	at(f, 145);
	event(f, 1, EVENT_SCHED_SWITCH, 10, 1, 8);
	at(f, 150);
	event(f, 1, EVENT_SCHED_SWITCH, 8, 1, 0);
	at(f, 160);
	ends(f);
}

static void events_after_the_end(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 110 switch:7,1,9 120");
	ends_on(f, 0);
	at(f, 130);
	wakes(f, 0, 7);
	event(f, 0, EVENT_SCHED_SWITCH, 9, 1, 7);
	at(f, 140);
	ends(f);
}

/* Only thread 7 is traced. */
static void one_thread_only(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 110 waking:9 120");
	event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 8);
	state(f, 0, CPU_OFF);
	follow_script(f, "runs:8 130 waking:7 140 switch:8,0,7 145 traced "
			 "160 end");
}

/* The thread is on its CPU until then, and has no time afterwards. */
static void inexact_end(struct attribution_fixture *f)
{
	follow_script(f, "100 starts:7 entry_SYSCALL_64( 110 exit:7 115");
	may_be_off(f, 5, 300);
	enter(f, 0, "perf_trace_sched_switch");
	at(f, 120);
	may_be_off(f, 10, 300);
	leave(f, 0);
	at(f, 140);
	may_be_off(f, 30, 300);
	schedules(f, 0, 7, 0x10, 0);
	at(f, 200);
	may_be_off(f, 0, 0);
	ends(f);
}

/* clang-format off */
static const struct span_story stories[] = {
	{ "classes", classes,
	  "7 system_call 100-120\n7 fault 120-130\n7 interrupt 130-140\n"
	  "7 interrupt 140-145\n7 interrupt 145-147\n7 interrupt 147-150\n"
	  "7 interrupt 150-160\n7 fault 160-170\n7 system_call 170-185\n"
	  "7 kernel 185-190\n7 system_call 190-200\n7 user 200-250\n"
	  "7 interrupt 250-260\n7 user 260-300\n", SEES_ALL, WHOLE },
	{ "the tracer's own work", tracer,
	  "7 system_call 100-110\n7 tracer 110-120\n7 tracer 120-130\n"
	  "7 tracer 130-140\n7 interrupt 140-150\n7 tracer 150-160\n"
	  "7 interrupt 160-170\n7 tracer 170-180\n7 system_call 180-190\n"
	  "7 user 190-200\n", SEES_ALL, WHOLE },
	{ "memory is freed on the way", reclaim,
	  "7 system_call 100-110\n7 reclaim 110-120\n7 asleep 120-125\n"
	  "7 reclaim 125-130\n7 system_call 130-140\n7 fault 140-150\n"
	  "7 reclaim 150-160\n7 fault 160-200\n",
	  SEES_ALL, WHOLE },
	{ "user space is traced too", user_space,
	  "7 kernel 100-110\n7 user 110-130\n7 system_call 130-150\n"
	  "7 user 150-170\n7 interrupt 170-175\n7 user 175-200\n",
	  SEES_ALL, WHOLE },
	{ "fork and exit", fork_and_exit,
	  "7 kernel 100-120\n8 runnable 112-120\n8 kernel 120-140\n"
	  "7 runnable 120-140\n7 kernel 140-180\n8 runnable 170-180\n"
	  "8 kernel 180-200\n7 runnable 180-200\n", SEES_ALL, WHOLE },
	{ "exec in a thread", exec_in_a_thread,
	  "7 kernel 100-125\n8 runnable 110-125\n8 kernel 125-160\n"
	  "7 asleep 160-170\n7 runnable 170-180 by 0\n7 kernel 180-200\n",
	  SEES_ALL, WHOLE },
	{ "exec in a thread that is preempted", exec_preempted,
	  "7 kernel 100-125\n8 runnable 110-125\n8 kernel 125-160\n"
	  "9 runnable 100-160\n9 kernel 160-180\n7 runnable 160-180\n"
	  "7 kernel 180-200\n9 asleep 180-200\n",
	  SEES_ALL, WHOLE },
	{ "gap and filter", gaps,
	  "7 system_call 100-110\n7 gap 110-120\n8 runnable 100-120\n"
	  "8 gap 120-130\n8 kernel 130-140\n8 filtered 140-150\n"
	  "8 kernel 150-160\n7 asleep 120-160\n", SEES_ALL, WHOLE },
	{ "ksoftirqd's work is its own", ksoftirqd,
	  "7 kernel 100-110\n7 kernel 110-120\n7 interrupt 120-130\n"
	  "7 kernel 130-140\n7 kernel 140-150\n7 kernel 150-160\n",
	  SEES_ALL, WHOLE },
	{ "work that ends in a jump", jumps,
	  "7 system_call 100-110\n7 fault 110-130\n7 system_call 130-150\n"
	  "7 fault 150-160\n7 kernel 160-170\n", SEES_ALL, WHOLE },
	{ "found in the kernel", found_in_the_kernel,
	  "7 kernel? 100-110\n7 kernel? 110-115\n7 interrupt? 115-120\n"
	  "7 kernel? 120-125\n7 system_call 125-130\n7 user 130-140\n",
	  SEES_ALL, WHOLE },
	{ "CPUs begin and end apart", uneven_cpus,
	  "8 kernel 120-130\n10 runnable 100-130\n10 kernel 130-140\n"
	  "8 runnable 130-145\n7 kernel 100-160\n9 asleep 105-160\n",
	  SEES_ALL, WHOLE },
	{ "switches after the trace", events_after_the_end,
	  "7 kernel 100-110\n9 runnable 100-110\n9 kernel 110-120\n"
	  "7 asleep 110-120\n", SEES_ALL, WHOLE },
	{ "an end that is not exact", inexact_end,
	  "7 system_call 100-115\n7 tracer 115~300-120\n"
	  "7 system_call 120~300-140~300\n", SEES_ALL, WHOLE },
	{ "a recording of one thread", one_thread_only,
	  "7 kernel 100-120\n7 asleep 120-130\n7 runnable 130-140 by 8\n"
	  "7 off 140-145\n7 kernel 145-160\n", SEES_ALL, WHOLE },
};
/* clang-format on */

SUITE("task_time")
{
	SPAN_STORIES(stories);
}
