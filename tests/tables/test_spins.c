/* SPDX-License-Identifier: MIT */
/* Waits of CPUs for CPUs: their own time, and the threads that ended them. */
#include "tables/table.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/table_scene.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel[] =
	"ffffffff81000000 T entry_SYSCALL_64\n"
	"ffffffff81000100 T asm_common_interrupt\n"
	"ffffffff81000200 T asm_sysvec_call_function\n"
	"ffffffff81000300 T smp_call_function_many_cond\n"
	"ffffffff81000400 T flush_tlb_mm_range\n"
	"ffffffff81000500 T send_interrupts\n"
	"ffffffff81000600 T __flush_smp_call_function_queue\n"
	"ffffffff81000700 T _raw_spin_lock\n"
	"ffffffff81000800 T native_queued_spin_lock_slowpath\n"
	"ffffffff81000900 T _raw_spin_unlock\n"
	"ffffffff81000a00 T holder\n"
	"ffffffff81000b00 T handler\n"
	"ffffffff81000c00 T takes\n"
	"ffffffff81000d00 T releases\n"
	"ffffffff81000e00 T mutex_lock\n"
	"ffffffff81000f00 T __mutex_lock\n"
	"ffffffff81001000 T mutex_spin_on_owner\n"
	"ffffffff81001100 T mutex_unlock\n"
	"ffffffff81001200 T waiter\n"
	"ffffffff81001300 T mutex_trylock\n";

static void begin(struct table_scene *scene)
{
	table_scene_begin(scene, &spins_table, NULL, kernel,
			  sizeof(kernel) - 1);
}

/* Thread 7 on CPU 0 calls a function that waits. */
static void wait_begins(struct attribution_fixture *f)
{
	follow_script(f, "starts:7 cpu:1 starts:8 100 cpu:0 entry_SYSCALL_64( "
			 "110 flush_tlb_mm_range( "
			 "120 smp_call_function_many_cond( "
			 "130 send_interrupts( 150 )");
}

static void wait_ends(struct attribution_fixture *f)
{
	follow_script(f, "200 ) 210 )");
}

static void answers(struct attribution_fixture *f, uint64_t time_ns)
{
	at(f, time_ns);
	enter(f, 1, "asm_sysvec_call_function");
	at(f, time_ns + 5);
	enter(f, 1, "__flush_smp_call_function_queue");
	at(f, time_ns + 10);
	leave(f, 1);
	leave(f, 1);
}

START_TEST(callees_and_interrupts_are_no_part_of_a_wait)
{
	struct table_scene scene;

	begin(&scene);
	wait_begins(scene.f);
	answers(scene.f, 160);
	at(scene.f, 180);
	enter(scene.f, 0, "asm_common_interrupt");
	at(scene.f, 195);
	leave(scene.f, 0);
	wait_ends(scene.f);
	table_scene_finish(&scene, "ipi,flush_tlb_mm_range,7,?,1,45,45,45,45,"
				   "45 ?-8 in user space\n");
}
END_TEST

START_TEST(the_answering_cpu_was_in_a_function)
{
	struct table_scene scene;

	begin(&scene);
	at(scene.f, 90);
	starts(scene.f, 1, 8);
	enter(scene.f, 1, "entry_SYSCALL_64");
	enter(scene.f, 1, "holder");
	wait_begins(scene.f);
	answers(scene.f, 160);
	wait_ends(scene.f);
	table_scene_finish(&scene, "ipi,flush_tlb_mm_range,7,?,1,60,60,60,60,"
				   "60 ?-8 in holder\n");
}
END_TEST

/* An answer to an earlier wait ends no later one. */
START_TEST(an_end_is_during_the_wait)
{
	struct table_scene scene;

	begin(&scene);
	starts(scene.f, 1, 8);
	answers(scene.f, 50);
	wait_begins(scene.f);
	wait_ends(scene.f);
	table_scene_finish(&scene,
			   "ipi,flush_tlb_mm_range,7,?,1,60,60,60,60,\n");
}
END_TEST

/* An interrupt waits for a lock within the wait for answers. */
START_TEST(a_wait_within_a_wait_is_its_own)
{
	struct table_scene scene;

	begin(&scene);
	wait_begins(scene.f);
	at(scene.f, 155);
	enter(scene.f, 1, "entry_SYSCALL_64");
	enter(scene.f, 1, "holder");
	at(scene.f, 160);
	enter(scene.f, 0, "asm_common_interrupt");
	enter(scene.f, 0, "handler");
	enter(scene.f, 0, "_raw_spin_lock");
	enter(scene.f, 0, "native_queued_spin_lock_slowpath");
	at(scene.f, 170);
	enter(scene.f, 1, "_raw_spin_unlock");
	at(scene.f, 175);
	leave(scene.f, 1);
	/* It takes and releases another lock. */
	enter(scene.f, 1, "handler");
	enter(scene.f, 1, "_raw_spin_unlock");
	at(scene.f, 180);
	for (int i = 0; i < 4; i++)
		leave(scene.f, 0);
	wait_ends(scene.f);
	table_scene_finish(
		&scene,
		"ipi,flush_tlb_mm_range,7,?,1,40,40,40,40,\n"
		"spinlock,handler,7,?,1,20,20,20,20,20 ?-8 in holder\n");
}
END_TEST

/* Thread 8 takes a lock in a function that it leaves, and thread 7 waits for that
 * lock.
 */
static void waits_for_lock(struct attribution_fixture *f)
{
	follow_script(f,
		      "starts:7 cpu:1 starts:8 80 entry_SYSCALL_64( takes( "
		      "_raw_spin_lock( 85 ) 90 ) cpu:0 100 entry_SYSCALL_64( "
		      "110 waiter( _raw_spin_lock( 120 "
		      "native_queued_spin_lock_slowpath( ");
}

START_TEST(a_lock_is_released_in_another_function)
{
	struct table_scene scene;

	begin(&scene);
	waits_for_lock(scene.f);
	follow_script(scene.f,
		      "cpu:1 130 releases( _raw_spin_unlock( 135 ) ) 140 "
		      "holder( _raw_spin_lock( 145 ) _raw_spin_unlock( 150 ) ) "
		      "cpu:0 160 ) ) )");
	table_scene_finish(
		&scene,
		"spinlock,waiter,7,?,1,40,40,40,40,40 ?-8 in releases\n");
}
END_TEST

/* Each CPU's times are estimates: the release follows the wait that it ends. */
START_TEST(a_release_may_be_late)
{
	struct table_scene scene;

	begin(&scene);
	waits_for_lock(scene.f);
	follow_script(scene.f, "160 ) ) ) cpu:1 165 releases( "
			       "_raw_spin_unlock( 170 ) )");
	table_scene_finish(
		&scene,
		"spinlock,waiter,7,?,1,40,40,40,40,40 ?-8 in releases\n");
}
END_TEST

/* Thread 7 spins for a mutex of thread 8, and stops before its release. */
static void stops_to_spin(struct attribution_fixture *f)
{
	follow_script(f, "starts:7 cpu:1 starts:8 80 entry_SYSCALL_64( holder( "
			 "mutex_lock( 90 ) cpu:0 100 entry_SYSCALL_64( waiter( "
			 "mutex_lock( __mutex_lock( 110 mutex_spin_on_owner( "
			 "150 )");
}

START_TEST(a_holder_may_leave_its_cpu)
{
	struct table_scene scene;

	begin(&scene);
	follow_script(scene.f, "cpu:2 starts:9 70 entry_SYSCALL_64( handler( "
			       "cpu:0 ");
	stops_to_spin(scene.f);
	follow_script(scene.f,
		      "cpu:2 152 mutex_trylock( 155 ) mutex_unlock( 158 ) "
		      "cpu:1 160 mutex_lock( 165 ) mutex_unlock( 170 ) 180 "
		      "mutex_unlock( 185 ) cpu:0 200 ) ) ) )");
	table_scene_finish(&scene,
			   "mutex,waiter,7,?,1,40,40,40,40,40 ?-8 in holder\n");
}
END_TEST

/* Two threads release a mutex that they held before the wait: which one it was is
 * unknown.
 */
START_TEST(one_of_two_holders_is_unknown)
{
	struct table_scene scene;

	begin(&scene);
	follow_script(scene.f, "cpu:2 starts:9 70 entry_SYSCALL_64( handler( "
			       "mutex_lock( 75 ) cpu:0 ");
	stops_to_spin(scene.f);
	follow_script(scene.f,
		      "cpu:2 160 mutex_unlock( 165 ) cpu:1 180 mutex_unlock( "
		      "185 ) cpu:0 200 ) ) ) )");
	table_scene_finish(&scene, "mutex,waiter,7,?,1,40,40,40,40,\n");
}
END_TEST

SUITE("spins")
{
	TEST(a_lock_is_released_in_another_function);
	TEST(a_release_may_be_late);
	TEST(a_holder_may_leave_its_cpu);
	TEST(one_of_two_holders_is_unknown);
	TEST(callees_and_interrupts_are_no_part_of_a_wait);
	TEST(the_answering_cpu_was_in_a_function);
	TEST(an_end_is_during_the_wait);
	TEST(a_wait_within_a_wait_is_its_own);
}
