/* SPDX-License-Identifier: MIT */
/* Intervals with interrupts off: how they begin and end, and waiting interrupts. */
#include "execution/instruction/instruction.h"
#include "tables/table.h"
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

static void begin(struct table_scene *scene)
{
	table_scene_begin(scene, &irqsoff_table, kernel, sizeof(kernel) - 1);
}

/* Thread 7 on CPU 0 has entered the kernel and let interrupts through. */
static struct attribution_fixture *begins(struct table_scene *scene)
{
	begin(scene);
	starts(scene->f, 0, 7);
	at(scene->f, 100);
	enter(scene->f, 0, "outer");
	interrupts(scene->f, 0, INTERRUPTS_ON);
	return scene->f;
}

START_TEST(an_instruction_switches_them_off_and_on)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	enter(f, 0, "_raw_spin_lock_irqsave");
	at(f, 210);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 220);
	leave(f, 0);
	at(f, 250);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 300);
	interrupts(f, 0, INTERRUPTS_ON);
	table_scene_finish(
		&scene, "instruction,outer,7,?,1,0,90,90,90,0,90,210,outer,\n");
}
END_TEST

START_TEST(the_end_of_an_interrupt_is_an_end)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	enter(f, 0, "asm_common_interrupt");
	at(f, 240);
	leave(f, 0);
	table_scene_finish(
		&scene, "interrupt,asm_common_interrupt,7,?,1,0,40,40,40,0,40,"
			"200,asm_common_interrupt < outer,\n");
}
END_TEST

/* Each end adds the larger of its two bounds, at most: see call_step.h. */
START_TEST(the_ends_bounds_are_the_uncertain_time)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	may_be_off(f, 3, 1);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 300);
	may_be_off(f, 2, 20);
	interrupts(f, 0, INTERRUPTS_ON);
	table_scene_finish(
		&scene,
		"instruction,outer,7,?,1,0,100,100,100,23,100,200,outer,\n");
}
END_TEST

/* A fault does not end an interval, unless its handler lets interrupts through.
 */
START_TEST(a_fault_with_interrupts_off_is_part_of_an_interval)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 210);
	enter(f, 0, "asm_exc_page_fault");
	at(f, 220);
	leave(f, 0);
	at(f, 300);
	interrupts(f, 0, INTERRUPTS_ON);
	table_scene_finish(
		&scene, "instruction,outer,7,?,1,0,100,100,100,0,100,200,outer,"
			"\n");
}
END_TEST

START_TEST(a_handler_may_switch_them_on_and_off_again)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	enter(f, 0, "asm_exc_page_fault");
	at(f, 205);
	interrupts(f, 0, INTERRUPTS_ON);
	at(f, 290);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 300);
	leave(f, 0);
	table_scene_finish(
		&scene,
		"instruction,asm_exc_page_fault,7,?,1,0,10,10,10,0,10,290,"
		"asm_exc_page_fault < outer,\n"
		"exception,asm_exc_page_fault,7,?,1,0,5,5,5,0,5,200,"
		"asm_exc_page_fault < outer,\n");
}
END_TEST

START_TEST(a_restored_flag_is_the_saved_one_and_inferred)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	interrupts(f, 0, INTERRUPTS_SAVED);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 220);
	interrupts(f, 0, INTERRUPTS_SAVED);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 240);
	interrupts(f, 0, INTERRUPTS_RESTORED);
	at(f, 260);
	interrupts(f, 0, INTERRUPTS_RESTORED);
	table_scene_finish(
		&scene, "instruction,outer,7,?,1,1,60,60,60,0,60,200,outer,\n");
}
END_TEST

/* It is served before any other call, and wakes thread 9. */
START_TEST(an_interrupt_at_the_end_waited)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 300);
	interrupts(f, 0, INTERRUPTS_ON);
	at(f, 301);
	enter(f, 0, "asm_common_interrupt");
	event(f, 0, EVENT_SCHED_WAKING, 9, 0, 0);
	at(f, 303);
	leave(f, 0);
	at(f, 310);
	event(f, 0, EVENT_SCHED_WAKING, 10, 0, 0);
	table_scene_finish(
		&scene, "instruction,outer,7,?,1,0,100,100,100,0,100,200,outer,"
			"1 ?-9 by asm_common_interrupt at most 100; "
			"1 asm_common_interrupt at most 100\n"
			"interrupt,asm_common_interrupt,7,?,1,0,2,2,2,0,2,301,"
			"asm_common_interrupt < outer,\n");
}
END_TEST

START_TEST(an_interrupt_after_a_call_did_not_wait)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 300);
	interrupts(f, 0, INTERRUPTS_ON);
	enter(f, 0, "inner");
	at(f, 302);
	enter(f, 0, "asm_common_interrupt");
	at(f, 303);
	leave(f, 0);
	table_scene_finish(
		&scene,
		"instruction,outer,7,?,1,0,100,100,100,0,100,200,outer,\n"
		"interrupt,asm_common_interrupt,7,?,1,0,1,1,1,0,1,302,"
		"asm_common_interrupt < inner < outer,\n");
}
END_TEST

/* An interrupt shows that they were on: the interval before is not counted, nor
 * is one that begins in a gap.
 */
START_TEST(what_cannot_be_is_left_out)
{
	struct table_scene scene;
	struct attribution_fixture *f = begins(&scene);

	at(f, 200);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 300);
	enter(f, 0, "asm_common_interrupt");
	at(f, 305);
	leave(f, 0);
	at(f, 400);
	gap(f, 0);
	at(f, 500);
	state(f, 0, CPU_TRACED);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 600);
	interrupts(f, 0, INTERRUPTS_ON);
	table_scene_finish(
		&scene, "interrupt,asm_common_interrupt,7,?,1,0,5,5,5,0,5,300,"
			"asm_common_interrupt < outer,\n");
}
END_TEST

/* mwait with interrupts off returns when one comes. */
START_TEST(an_idle_cpu_lets_interrupts_through)
{
	struct table_scene scene;
	struct attribution_fixture *f;

	begin(&scene);
	f = scene.f;
	starts(f, 0, 0);
	at(f, 100);
	enter(f, 0, "do_idle");
	interrupts(f, 0, INTERRUPTS_ON);
	at(f, 110);
	interrupts(f, 0, INTERRUPTS_OFF);
	at(f, 120);
	enter(f, 0, "intel_idle");
	at(f, 900);
	leave(f, 0);
	at(f, 925);
	interrupts(f, 0, INTERRUPTS_ON);
	table_scene_finish(
		&scene,
		"instruction,do_idle,0,swapper,2,0,35,17,25,0,25,900,do_idle,"
		"\n");
}
END_TEST

/* Without the instructions, entries and exits alone would give wrong times. */
START_TEST(without_instructions_there_is_no_row)
{
	struct table_scene scene;

	begin(&scene);
	starts(scene.f, 0, 7);
	at(scene.f, 100);
	enter(scene.f, 0, "outer");
	at(scene.f, 200);
	enter(scene.f, 0, "asm_common_interrupt");
	at(scene.f, 205);
	leave(scene.f, 0);
	table_scene_finish(&scene, "");
}
END_TEST

/* Changes the counter of preemption by @change. */
static void counts(struct attribution_fixture *f, int32_t change)
{
	uint8_t code = PREEMPT_CHANGED;

	while (preempt_change_of(code) != change)
		code++;
	interrupts(f, 0, code);
}

/* Thread 7 on CPU 0 has entered the kernel from user space. */
static struct attribution_fixture *enters(struct table_scene *scene)
{
	table_scene_begin(scene, &preemptoff_table, kernel, sizeof(kernel) - 1);
	starts(scene->f, 0, 7);
	state(scene->f, 0, CPU_OUTSIDE);
	at(scene->f, 100);
	state(scene->f, 0, CPU_TRACED);
	enter(scene->f, 0, "outer");
	return scene->f;
}

/* A lock inside another one does not begin an interval of its own; that of a
 * lock begins in the lock's caller.
 */
START_TEST(preemption_is_off_until_the_counter_is_0)
{
	struct table_scene scene;
	struct attribution_fixture *f = enters(&scene);

	at(f, 200);
	enter(f, 0, "_raw_spin_lock");
	counts(f, 1);
	at(f, 210);
	leave(f, 0);
	counts(f, 1);
	at(f, 220);
	counts(f, -1);
	at(f, 250);
	counts(f, -1);
	table_scene_finish(
		&scene, "instruction,outer,7,?,1,0,50,50,50,0,50,200,outer,\n");
}
END_TEST

/* __local_bh_enable_ip() subtracts its argument: 0x200, or 0x201 after the release
 * of a lock, which jumps to it.
 */
START_TEST(callers_decide_how_much_is_subtracted)
{
	struct table_scene scene;
	struct attribution_fixture *f = enters(&scene);

	counts(f, 1);
	at(f, 200);
	counts(f, 0x201);
	at(f, 210);
	enter(f, 0, "_raw_spin_unlock_bh");
	jump(f, 0, "__local_bh_enable_ip");
	counts(f, PREEMPT_CHANGE_UNKNOWN);
	counts(f, -1);
	at(f, 215);
	leave(f, 0);
	at(f, 220);
	counts(f, -1);
	at(f, 300);
	counts(f, 0x200);
	enter(f, 0, "__local_bh_enable_ip");
	counts(f, PREEMPT_CHANGE_UNKNOWN);
	at(f, 340);
	counts(f, -1);
	table_scene_finish(
		&scene,
		"instruction,outer,7,?,1,0,120,120,120,0,120,100,outer,\n"
		"bottom halves,outer,7,?,1,0,40,40,40,0,40,300,outer,\n");
}
END_TEST

/* Thread 8 was woken at 230, and runs when the interval has ended at 250. */
START_TEST(a_thread_waits_for_the_end)
{
	struct table_scene scene;
	struct attribution_fixture *f = enters(&scene);

	at(f, 200);
	counts(f, 1);
	at(f, 230);
	event(f, 0, EVENT_SCHED_WAKING, 8, 0, 0);
	at(f, 250);
	counts(f, -1);
	enter(f, 0, "preempt_schedule");
	counts(f, 1);
	counts(f, 1);
	at(f, 260);
	switch_to(f, 0, 8);
	at(f, 270);
	counts(f, -1);
	counts(f, -1);
	table_scene_finish(
		&scene,
		"instruction,outer,7,?,1,0,50,50,50,0,50,200,outer,1 ?-8 at "
		"most 20\n"
		"instruction,preempt_schedule,7,?,1,0,20,20,20,0,20,250,"
		"preempt_schedule < outer,\n");
}
END_TEST

/* A counter that is not 0 in user space was wrong. */
START_TEST(a_contradiction_ends_what_is_known)
{
	struct table_scene scene;
	struct attribution_fixture *f = enters(&scene);

	at(f, 200);
	counts(f, 1);
	at(f, 300);
	state(f, 0, CPU_OUTSIDE);
	at(f, 400);
	state(f, 0, CPU_TRACED);
	counts(f, 1);
	at(f, 410);
	counts(f, -1);
	table_scene_finish(
		&scene, "instruction,outer,7,?,1,0,10,10,10,0,10,400,outer,\n");
}
END_TEST

/* A kernel that does not count changes it only for interrupts. */
START_TEST(without_the_counter_there_is_no_row)
{
	struct table_scene scene;
	struct attribution_fixture *f = enters(&scene);

	at(f, 200);
	counts(f, 0x10000);
	at(f, 300);
	counts(f, -0x10000);
	table_scene_finish(&scene, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("irqsoff");
	TCase *tcase = tcase_create("all");

	tcase_add_test(tcase, an_instruction_switches_them_off_and_on);
	tcase_add_test(tcase, the_end_of_an_interrupt_is_an_end);
	tcase_add_test(tcase, the_ends_bounds_are_the_uncertain_time);
	tcase_add_test(tcase,
		       a_fault_with_interrupts_off_is_part_of_an_interval);
	tcase_add_test(tcase, a_handler_may_switch_them_on_and_off_again);
	tcase_add_test(tcase, a_restored_flag_is_the_saved_one_and_inferred);
	tcase_add_test(tcase, an_interrupt_at_the_end_waited);
	tcase_add_test(tcase, an_interrupt_after_a_call_did_not_wait);
	tcase_add_test(tcase, what_cannot_be_is_left_out);
	tcase_add_test(tcase, an_idle_cpu_lets_interrupts_through);
	tcase_add_test(tcase, without_instructions_there_is_no_row);
	tcase_add_test(tcase, preemption_is_off_until_the_counter_is_0);
	tcase_add_test(tcase, callers_decide_how_much_is_subtracted);
	tcase_add_test(tcase, a_thread_waits_for_the_end);
	tcase_add_test(tcase, a_contradiction_ends_what_is_known);
	tcase_add_test(tcase, without_the_counter_there_is_no_row);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
