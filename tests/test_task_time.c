/* SPDX-License-Identifier: MIT */
#include "attribution/task_time.h"

#include "attribution/task_work.h"
#include "attribution/witness.h"
#include "tests/attribution_fixture.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

/* All events, of all CPUs. */
#define SEES_ALL { .has_switches = true, .has_wakeups = true, \
		   .has_all_cpus = true }

/* Writes down each span as "tid class begin-end"; a question mark says that it
 * is provisional.
 */
struct script {
	struct witness witness;
	struct span_sink sink;
	struct task_time *time;
	struct attribution_fixture *fixture;
	char text[2048];
};

static struct script *script_of_sink(struct span_sink *sink)
{
	return (struct script *)((char *)sink - offsetof(struct script, sink));
}

static void write_span(struct span_sink *sink, const struct time_span *span)
{
	struct script *script = script_of_sink(sink);
	size_t length = strlen(script->text);
	char *end = script->text + length;
	size_t room = sizeof(script->text) - length;
	const char *name = span->time_class == TIME_UNKNOWN ?
				   unknown_reason_name(span->reason) :
				   time_class_name(span->time_class);

	ck_assert_uint_lt(span->begin_ns, span->end_ns);
	snprintf(end, room, "%d %s%s %lu-%lu", span->task->tid, name,
		 span->is_provisional ? "?" : "",
		 (unsigned long)span->begin_ns, (unsigned long)span->end_ns);
	end = script->text + strlen(script->text);
	if (span->waker_tid >= 0)
		sprintf(end, " by %d", span->waker_tid);
	strcat(script->text, "\n");
}

static void take_step(struct witness *witness, const struct call_step *step)
{
	task_time_step(((struct script *)witness)->time, step);
}

static void take_event(struct witness *witness,
		       const struct event_record *event_record)
{
	task_time_event(((struct script *)witness)->time, event_record);
}

static void take_record(struct witness *witness,
			const struct sideband_record *record)
{
	task_time_record(((struct script *)witness)->time, record);
}

typedef void play(struct attribution_fixture *f);

struct story {
	const char *title;
	play *play;
	const char *spans;
	struct off_cpu_evidence evidence;
	struct time_window window;
};

static void wakes(struct attribution_fixture *f, uint32_t cpu, int32_t tid)
{
	event(f, cpu, EVENT_SCHED_WAKING, tid, 0, 0);
}

/* The thread on @cpu leaves in @prev_state for @next. */
static void schedules(struct attribution_fixture *f, uint32_t cpu, int32_t prev,
		      int64_t prev_state, int32_t next)
{
	event(f, cpu, EVENT_SCHED_SWITCH, prev, prev_state, next);
	switch_to(f, cpu, next);
}

static void classes(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); enter(f, 0, "entry_SYSCALL_64");
	at(f, 110); enter(f, 0, "vfs_read");
	at(f, 120); enter(f, 0, "asm_exc_page_fault");
	at(f, 130); enter(f, 0, "asm_common_interrupt");
	at(f, 140); enter(f, 0, "handle_softirqs");
	at(f, 145); enter(f, 0, "asm_exc_nmi");
	at(f, 147); leave(f, 0);
	at(f, 150); leave(f, 0);
	at(f, 160); leave(f, 0);
	at(f, 170); leave(f, 0);
	at(f, 180); leave(f, 0);
	at(f, 185); enter(f, 0, "exit_to_user_mode_loop");
	at(f, 190); leave(f, 0);
	at(f, 200); leave(f, 0); state(f, 0, CPU_OUTSIDE);
	at(f, 250); state(f, 0, CPU_TRACED);
		    enter(f, 0, "asm_sysvec_apic_timer_interrupt");
	at(f, 260); leave(f, 0); state(f, 0, CPU_OUTSIDE);
	at(f, 300); ends(f);
}

static void user_space(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); enter(f, 0, "helper");
	at(f, 110); leave(f, 0); enter(f, 0, "u:main");
	at(f, 120); enter(f, 0, "u:work");
	at(f, 130); enter(f, 0, "entry_SYSCALL_64");
	at(f, 150); leave(f, 0);
	at(f, 160); leave(f, 0);
	at(f, 170); enter(f, 0, "asm_common_interrupt");
	at(f, 175); leave(f, 0);
	at(f, 200); ends(f);
}

static void sleep_and_wakeup(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); enter(f, 0, "entry_SYSCALL_64");
	at(f, 110); enter(f, 0, "__schedule");
	at(f, 120); schedules(f, 0, 7, 1, 0);
	at(f, 150); wakes(f, 0, 7);
	at(f, 160); event(f, 0, EVENT_SCHED_SWITCH, 0, 0, 7);
	at(f, 165); switch_to(f, 0, 7);
	at(f, 170); leave(f, 0);
	at(f, 180); leave(f, 0);
	at(f, 190); ends(f);
}

static void preemption(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); state(f, 0, CPU_OUTSIDE);
	at(f, 110); state(f, 0, CPU_TRACED);
		    enter(f, 0, "asm_sysvec_apic_timer_interrupt");
	at(f, 120); enter(f, 0, "__schedule");
	at(f, 130); schedules(f, 0, 7, 0x100, 8);
	at(f, 200); schedules(f, 0, 8, 0, 7);
	at(f, 205); leave(f, 0);
	at(f, 210); leave(f, 0); state(f, 0, CPU_OUTSIDE);
	at(f, 220); ends(f);
}

/* The wake-up hits a task on its way out: its sleep has no length. */
static void wakeup_on_the_way_out(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); starts(f, 1, 8);
	at(f, 110); enter(f, 0, "__schedule");
	at(f, 115); event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	at(f, 118); wakes(f, 1, 7);
	at(f, 120); switch_to(f, 0, 0);
	at(f, 140); schedules(f, 0, 0, 0, 7);
	at(f, 145); leave(f, 0);
	at(f, 150); ends(f);
}

/* Before it looked whether it may sleep: it never leaves. */
static void wakeup_of_a_running_task(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); starts(f, 1, 8);
	at(f, 105); wakes(f, 1, 7);
	at(f, 110); enter(f, 0, "__schedule");
	at(f, 120); schedules(f, 0, 7, 1, 0);
	at(f, 130); wakes(f, 1, 7);
	at(f, 140); schedules(f, 0, 0, 0, 7);
	at(f, 150); ends(f);
}

/* A signal was pending: prev_state says asleep, and nobody wakes it. */
static void never_asleep(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7);
	at(f, 110); schedules(f, 0, 7, 1, 8);
	at(f, 120); schedules(f, 0, 8, 0, 7);
	at(f, 130); enter(f, 0, "helper");
	at(f, 150); ends(f);
}

/* By the clock of CPU 1 the task wakes up after it runs on CPU 0. */
static void clocks_disagree(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); starts(f, 1, 8);
	at(f, 110); switch_to(f, 0, 0);
		    event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
	at(f, 140); switch_to(f, 0, 7);
		    wakes(f, 1, 7);
	at(f, 150); ends(f);
}

static void migration(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); starts(f, 1, 0);
	at(f, 110); schedules(f, 0, 7, 1, 0);
	at(f, 120); wakes(f, 0, 7);
	at(f, 125); schedules(f, 1, 0, 0, 7);
	at(f, 150); ends(f);
}

static void from_before(struct attribution_fixture *f)
{
	at(f, 90); wakes(f, 0, 9);
	at(f, 100); starts(f, 0, 7);
	at(f, 110); wakes(f, 0, 8);
	at(f, 120); schedules(f, 0, 7, 1, 8);
	at(f, 130); schedules(f, 0, 8, 1, 9);
	at(f, 140); schedules(f, 0, 9, 1, 10);
	at(f, 145); wakes(f, 0, 11);
	at(f, 150); ends(f);
}

static void fork_and_exit(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7);
	at(f, 110); life(f, 0, SIDEBAND_FORK, 8);
	at(f, 112); event(f, 0, EVENT_SCHED_WAKEUP_NEW, 8, 0, 0);
	at(f, 120); schedules(f, 0, 7, 0, 8);
	at(f, 130); life(f, 0, SIDEBAND_EXIT, 8);
	at(f, 140); schedules(f, 0, 8, 0x20, 7);
	at(f, 170); life(f, 0, SIDEBAND_FORK, 8);
	at(f, 180); schedules(f, 0, 7, 0, 8);
	at(f, 200); ends(f);
}

/* Thread 8 of process 7 calls exec and is 7 from then on. */
static void exec_in_a_thread(struct attribution_fixture *f)
{
	belongs(f, 8, 7);
	at(f, 100); starts(f, 0, 7);
	at(f, 110); life(f, 0, SIDEBAND_FORK, 8);
	at(f, 120); life(f, 0, SIDEBAND_EXIT, 7);
	at(f, 125); schedules(f, 0, 7, 0x10, 8);
	at(f, 150); life(f, 0, SIDEBAND_COMM, 7);
	at(f, 160); event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 0);
		    switch_to(f, 0, 0);
	at(f, 170); wakes(f, 0, 7);
	at(f, 180); schedules(f, 0, 0, 0, 7);
	at(f, 200); ends(f);
}

static void gaps(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); enter(f, 0, "entry_SYSCALL_64");
	at(f, 110); gap(f, 0);
	at(f, 120); schedules(f, 0, 7, 1, 8);
	at(f, 130); state(f, 0, CPU_TRACED);
	at(f, 140); state(f, 0, CPU_FILTERED);
	at(f, 150); state(f, 0, CPU_TRACED);
	at(f, 160); ends(f);
}

static void ksoftirqd(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); enter(f, 0, "run_ksoftirqd");
	at(f, 110); enter(f, 0, "handle_softirqs");
	at(f, 120); enter(f, 0, "asm_common_interrupt");
	at(f, 130); leave(f, 0);
	at(f, 140); leave(f, 0);
	at(f, 150); enter(f, 0, "process_one_work");
	at(f, 160); ends(f);
}

/* The common way out is part of what it leads out of. */
static void jumps(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); enter(f, 0, "entry_SYSCALL_64");
	at(f, 110); enter(f, 0, "asm_exc_page_fault");
	at(f, 120); jump(f, 0, "helper");
	at(f, 130); leave(f, 0);
	at(f, 140); jump(f, 0, "helper");
	at(f, 150); jump(f, 0, "asm_exc_int3");
	at(f, 160); leave(f, 0);
	at(f, 170); ends(f);
}

/* What it was in shows when that returns. */
static void found_in_the_kernel(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7); finds(f, 0, "__schedule");
	at(f, 110); leave(f, 0); finds(f, 0, "vfs_read");
	at(f, 115); enter(f, 0, "asm_common_interrupt");
	at(f, 120); leave(f, 0);
	at(f, 125); leave(f, 0); finds(f, 0, "entry_SYSCALL_64");
	at(f, 130); leave(f, 0); state(f, 0, CPU_OUTSIDE);
	at(f, 140); ends(f);
}

/* CPU 1 is traced later and ends earlier; 8 runs there. */
static void uneven_cpus(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7);
	at(f, 105); event(f, 1, EVENT_SCHED_SWITCH, 9, 1, 8);
	at(f, 120); starts(f, 1, 8);
	at(f, 130); schedules(f, 1, 8, 0, 10);
	at(f, 140); ends_on(f, 1);
	at(f, 145); event(f, 1, EVENT_SCHED_SWITCH, 10, 1, 8);
	at(f, 150); event(f, 1, EVENT_SCHED_SWITCH, 8, 1, 0);
	at(f, 160); ends(f);
}

static void events_after_the_end(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7);
	at(f, 110); schedules(f, 0, 7, 1, 9);
	at(f, 120); ends_on(f, 0);
	at(f, 130); wakes(f, 0, 7);
		    event(f, 0, EVENT_SCHED_SWITCH, 9, 1, 7);
	at(f, 140); ends(f);
}

/* Others than 7 are not traced. */
static void one_thread_only(struct attribution_fixture *f)
{
	at(f, 100); starts(f, 0, 7);
	at(f, 110); wakes(f, 0, 9);
	at(f, 120); event(f, 0, EVENT_SCHED_SWITCH, 7, 1, 8);
		    state(f, 0, CPU_OFF); switch_to(f, 0, 8);
	at(f, 130); wakes(f, 0, 7);
	at(f, 140); schedules(f, 0, 8, 0, 7);
	at(f, 145); state(f, 0, CPU_TRACED);
	at(f, 160); ends(f);
}

#define WHOLE .window = { 0, UINT64_MAX }

static const struct story stories[] = {
	{ "classes", classes,
	  "7 system_call 100-120\n7 fault 120-130\n7 interrupt 130-140\n"
	  "7 interrupt 140-145\n7 interrupt 145-147\n7 interrupt 147-150\n"
	  "7 interrupt 150-160\n7 fault 160-170\n7 system_call 170-185\n"
	  "7 kernel 185-190\n7 system_call 190-200\n7 user 200-250\n"
	  "7 interrupt 250-260\n7 user 260-300\n", SEES_ALL, WHOLE },
	{ "user space is traced too", user_space,
	  "7 kernel 100-110\n7 user 110-130\n7 system_call 130-150\n"
	  "7 user 150-170\n7 interrupt 170-175\n7 user 175-200\n",
	  SEES_ALL, WHOLE },
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
	{ "fork and exit", fork_and_exit,
	  "7 kernel 100-120\n8 runnable 110-120\n8 kernel 120-140\n"
	  "7 runnable 120-140\n7 kernel 140-180\n8 runnable 170-180\n"
	  "8 kernel 180-200\n7 runnable 180-200\n", SEES_ALL, WHOLE },
	{ "exec in a thread", exec_in_a_thread,
	  "7 kernel 100-125\n8 runnable 110-125\n8 kernel 125-160\n"
	  "7 asleep 160-170\n7 runnable 170-180 by 0\n7 kernel 180-200\n",
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
	{ "a recording of one thread", one_thread_only,
	  "7 kernel 100-120\n7 asleep 120-130\n7 runnable 130-140 by 8\n"
	  "7 off 140-145\n7 kernel 145-160\n", SEES_ALL, WHOLE },
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

static void open_script(struct script *script, const struct story *story)
{
	struct task_time_options options = {
		.evidence = story->evidence,
		.window = story->window,
	};

	memset(script, 0, sizeof(*script));
	script->witness = (struct witness){ take_step, take_event,
					    take_record };
	script->sink.take = write_span;
	script->fixture = attribution_fixture_new();
	options.kinds = attribution_fixture_kinds(script->fixture);
	options.functions = attribution_fixture_functions(script->fixture);
	script->time = task_time_new(&options, &script->sink);
	ck_assert_ptr_nonnull(script->time);
	attribution_fixture_watch(script->fixture, &script->witness);
}

START_TEST(every_nanosecond_has_a_class)
{
	const struct story *story = &stories[_i];
	struct script script;

	open_script(&script, story);
	story->play(script.fixture);
	ck_assert_int_eq(task_time_end(script.time), 0);
	ck_assert_msg(!strcmp(script.text, story->spans), "%s:\n%s\nnot\n%s",
		      story->title, script.text, story->spans);
	task_time_free(script.time);
	attribution_fixture_free(script.fixture);
}
END_TEST

static Suite *task_time_suite(void)
{
	Suite *suite = suite_create("task_time");
	TCase *tcase = tcase_create("stories");

	tcase_add_loop_test(tcase, every_nanosecond_has_a_class, 0,
			    sizeof(stories) / sizeof(*stories));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(task_time_suite());
}
