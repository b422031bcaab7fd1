/* SPDX-License-Identifier: MIT */
/* Intervals with interrupts or preemption off: how they begin and end, and what
 * waited.
 */
#include "attribution/trackers.h"
#include "tables/table.h"
#include "tables/waits/off_intervals.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/table_scene.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel[] = "ffffffff81000000 T entry_SYSCALL_64\n"
			     "ffffffff81000100 T asm_common_interrupt\n"
			     "ffffffff81000200 T asm_exc_page_fault\n"
			     "ffffffff81000300 T _raw_spin_lock_irqsave\n"
			     "ffffffff81000400 T _raw_spin_unlock_irqrestore\n"
			     "ffffffff81000500 T outer\n"
			     "ffffffff81000600 T inner\n"
			     "ffffffff81000700 T intel_idle\n"
			     "ffffffff81000800 T do_idle\n"
			     "ffffffff81000900 T _raw_spin_unlock_bh\n"
			     "ffffffff81000a00 T __local_bh_enable_ip\n"
			     "ffffffff81000b00 T preempt_schedule\n"
			     "ffffffff81000c00 T _raw_spin_lock\n";

/* Thread 7 has entered the kernel and let interrupts through. */
#define INTERRUPTIBLE "starts:7 100 outer( on "
/* Thread 7 has entered the kernel from user space. */
#define ENTERED "starts:7 outside 100 traced outer( "
#define OUTER(times) "instruction,outer,7,?," times ",outer,\n"

static const struct {
	const struct attribution_table *table;
	const char *example;
	const char *rows;
} examples[] = {
	/* An instruction switches them off and on. */
	{ &irqsoff_table,
	  INTERRUPTIBLE
	  "200 _raw_spin_lock_irqsave( 210 off 220 ) 250 off 300 on",
	  OUTER("90,210,1,90,90,90,0,0") },
	/* The end of an interrupt is an end. */
	{ &irqsoff_table, INTERRUPTIBLE "200 asm_common_interrupt( 240 )",
	  "interrupt,asm_common_interrupt,7,?,40,200,1,40,40,40,0,0,"
	  "asm_common_interrupt < outer,\n" },
	/* Each end adds the larger of its two bounds, at most: see call_step.h. */
	{ &irqsoff_table, INTERRUPTIBLE "200 bounds:3,1 off 300 bounds:2,20 on",
	  OUTER("100,200,1,100,100,100,0,23") },
	/* A fault does not end an interval, unless its handler lets interrupts
	 * through.
	 */
	{ &irqsoff_table,
	  INTERRUPTIBLE "200 off 210 asm_exc_page_fault( 220 ) 300 on",
	  OUTER("100,200,1,100,100,100,0,0") },
	/* A handler may switch them on, and off again. */
	{ &irqsoff_table,
	  INTERRUPTIBLE "200 asm_exc_page_fault( 205 on 290 off 300 )",
	  "instruction,asm_exc_page_fault,7,?,10,290,1,10,10,10,0,0,"
	  "asm_exc_page_fault < outer,\n"
	  "exception,asm_exc_page_fault,7,?,5,200,1,5,5,5,0,0,"
	  "asm_exc_page_fault < outer,\n" },
	/* A restored flag is the saved one, and inferred. */
	{ &irqsoff_table,
	  INTERRUPTIBLE "200 save off 220 save off 240 restore 260 restore",
	  "instruction,outer,7,?,60,200,1,60,60,60,1,0,outer,\n" },
	/* An interrupt at the end waited: it is served before any other call, and
	 * wakes thread 9.
	 */
	{ &irqsoff_table,
	  INTERRUPTIBLE
	  "200 off 300 on 301 asm_common_interrupt( waking:9 303 ) "
	  "310 waking:10",
	  "instruction,outer,7,?,100,200,1,100,100,100,0,0,outer,"
	  "1 ?-9 by asm_common_interrupt at most 100; "
	  "1 asm_common_interrupt at most 100\n"
	  "interrupt,asm_common_interrupt,7,?,2,301,1,2,2,2,0,0,"
	  "asm_common_interrupt < outer,\n" },
	/* An interrupt after a call did not wait. */
	{ &irqsoff_table,
	  INTERRUPTIBLE "200 off 300 on inner( 302 asm_common_interrupt( 303 )",
	  OUTER("100,200,1,100,100,100,0,0") "interrupt,asm_common_interrupt,7,?,1,302,1,1,1,1,0,0,"
					     "asm_common_interrupt < inner < outer,\n" },
	/* An interrupt shows that they were on: the interval before is not
	 * counted, nor is one that begins in a gap.
	 */
	{ &irqsoff_table,
	  INTERRUPTIBLE "200 off 300 asm_common_interrupt( 305 ) 400 gap "
			"500 traced off 600 on",
	  "interrupt,asm_common_interrupt,7,?,5,300,1,5,5,5,0,0,"
	  "asm_common_interrupt < outer,\n" },
	/* mwait with interrupts off returns when one comes. */
	{ &irqsoff_table,
	  "starts:0 100 do_idle( on 110 off 120 intel_idle( 900 ) 925 on",
	  "instruction,do_idle,0,swapper,25,900,2,35,17,25,0,0,do_idle,\n" },
	/* Without the instructions, entries and exits alone would give wrong
	 * times.
	 */
	{ &irqsoff_table, "starts:7 100 outer( 200 asm_common_interrupt( 205 )",
	  "" },
	/* Preemption is off until the counter is 0: a lock inside another one
	 * begins no interval of its own; that of a lock begins in its caller.
	 */
	{ &preemptoff_table,
	  ENTERED "200 _raw_spin_lock( +1 210 ) +1 220 -1 250 -1",
	  OUTER("50,200,1,50,50,50,0,0") },
	/* __local_bh_enable_ip() subtracts its argument: 0x200, or 0x201 after the
	 * release of a lock, which jumps to it.
	 */
	{ &preemptoff_table,
	  ENTERED "+1 200 +0x201 210 _raw_spin_unlock_bh( "
		  "jump:__local_bh_enable_ip ? -1 215 ) 220 -1 "
		  "300 +0x200 __local_bh_enable_ip( ? 340 -1",
	  OUTER("120,100,1,120,120,120,0,0") "bottom halves,outer,7,?,40,300,1,40,40,40,0,0,outer,\n" },
	/* Thread 8 was woken at 230, and runs when the interval has ended at
	 * 250.
	 */
	{ &preemptoff_table,
	  ENTERED "200 +1 230 waking:8 250 -1 preempt_schedule( +1 +1 "
		  "260 runs:8 270 -1 -1",
	  "instruction,outer,7,?,50,200,1,50,50,50,0,0,outer,1 ?-8 at "
	  "most 20\n"
	  "instruction,preempt_schedule,7,?,20,250,1,20,20,20,0,0,"
	  "preempt_schedule < outer,\n" },
	/* After a gap in the scheduler it is not known why the CPU switches. */
	{ &preemptoff_table,
	  ENTERED "200 +1 230 waking:8 250 -1 preempt_schedule( +1 +1 "
		  "255 gap 256 traced 260 runs:8 270 -1 -1",
	  OUTER("50,200,1,50,50,50,0,0") },
	/* A counter that is not 0 in user space was wrong. */
	{ &preemptoff_table, ENTERED "200 +1 300 outside 400 traced +1 410 -1",
	  OUTER("10,400,1,10,10,10,0,0") },
	/* A kernel that does not count changes it only for interrupts. */
	{ &preemptoff_table, ENTERED "200 +0x10000 300 -0x10000", "" },
};

START_TEST(intervals_begin_and_end_as_in_the_example)
{
	struct table_scene scene;

	table_scene_begin(&scene, examples[_i].table, NULL, kernel,
			  sizeof(kernel) - 1);
	follow_script(scene.f, examples[_i].example);
	table_scene_finish(&scene, examples[_i].rows);
}
END_TEST

/* The starts of the intervals that a tracker emitted. */
struct emitted {
	struct off_callback callback;
	size_t count;
	uint64_t begins_ns[8];
};

static int consume_interval(struct off_callback *callback,
			    const struct off_interval *interval)
{
	struct emitted *emitted = (struct emitted *)callback;

	ck_assert_uint_lt(emitted->count, 8);
	emitted->begins_ns[emitted->count++] = interval->begin_ns;
	return 0;
}

/* Invariant 5: the first interval is known when the handler that waited for its
 * end returns, after six later ones have ended.
 */
START_TEST(intervals_are_in_the_order_of_their_starts)
{
	const uint64_t begins_ns[] = { 200, 301, 320, 340, 360, 380, 400, 420 };
	struct emitted emitted = { .callback.consume = consume_interval };
	struct off_tracker *tracker;
	struct table_scene scene;
	size_t count;
	struct event_handler *const *handlers;

	table_scene_begin(&scene, &preemptoff_table, NULL, kernel,
			  sizeof(kernel) - 1);
	tracker = interrupts_off_tracker_new(&scene.input, &emitted.callback);
	ck_assert_ptr_nonnull(tracker);
	handlers = trackers_handlers(scene.input.trackers, &count);
	attribution_fixture_watch(scene.f, handlers[count - 1]);
	follow_script(scene.f, INTERRUPTIBLE
		      "200 off 300 on 301 asm_common_interrupt( 310 on "
		      "320 off 330 on 340 off 350 on 360 off 370 on "
		      "380 off 390 on 400 off 410 on 420 off 430 )");
	ck_assert_int_eq(off_tracker_end(tracker), 0);
	ck_assert_uint_eq(emitted.count, 8);
	ck_assert_mem_eq(emitted.begins_ns, begins_ns, sizeof(begins_ns));
	table_scene_finish(&scene, "");
	off_tracker_free(tracker);
}
END_TEST

SUITE("irqsoff")
{
	TEST_EACH(intervals_begin_and_end_as_in_the_example, examples);
	TEST(intervals_are_in_the_order_of_their_starts);
}
