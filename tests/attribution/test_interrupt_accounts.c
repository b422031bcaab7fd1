/* SPDX-License-Identifier: MIT */
/* Charging the kernel's own work: timers, queued work, wake-ups. */
#include "attribution/interrupts/interrupt_accounts.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tables/processes/time_account.h"
#include "tests/fixtures/interrupt_accounts.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

START_TEST(work_is_billed_to_its_queuer)
{
	struct interrupt_scene scene = interrupt_scene_begin();
	struct interrupt_sums sums = INTERRUPT_SUMS_NONE;
	struct interrupt_credit credit;

	interrupt_scene_watch(&scene);
	interrupt_work_story(scene.fixture);
	interrupt_scene_finish(&scene);
	ck_assert_int_eq(interrupt_sums_add(&sums, scene.accounts), 0);
	credit = interrupt_sums_process(&sums, 8);
	ck_assert_uint_eq(credit.interrupt_ns, 50);
	ck_assert_uint_eq(credit.work_ns, 140);
	interrupt_sums_free(&sums);
	interrupt_scene_end(&scene);
}
END_TEST

/* Events before the window also determine the process that the timers'
 * interrupt is charged to.
 */
START_TEST(a_window_shows_shares_of_the_whole)
{
	struct interrupt_scene scene = interrupt_scene_begin();

	scene.window = (struct time_window){ 245, 300 };
	interrupt_scene_watch(&scene);
	interrupt_timer_story(scene.fixture);
	ck_assert_str_eq(
		interrupt_scene_finish(&scene),
		"asm_sysvec_apic_timer_interrupt on 5 for 0 x0.25: 3=0+3+0\n"
		"asm_sysvec_apic_timer_interrupt on 5 for 8 x0.75: 7=0+7+0\n"
		"tick_nohz_handler on 5 for 0 x1.00: 5=5+0+0\n");
	interrupt_scene_end(&scene);
}
END_TEST

/* The story's read of the disk is exact without the lost record. */
START_TEST(after_losses_work_for_processes_is_inferred)
{
	const uint64_t lost[2] = { 2, 1 };
	struct interrupt_scene scene = interrupt_scene_begin();
	struct recording_fixture fixture;
	struct recording *recording = NULL;

	recording_fixture_begin(&fixture);
	recording_fixture_record(&fixture, PERF_RECORD_LOST, 0, lost,
				 sizeof(lost),
				 &(struct fixture_origin){ .time_ns = 100 });
	recording = recording_fixture_open(&fixture);
	scene.recording = recording;
	interrupt_scene_watch(&scene);
	interrupt_timer_story(scene.fixture);
	ck_assert_str_eq(
		interrupt_scene_finish(&scene),
		"asm_sysvec_apic_timer_interrupt on 5 for 0 x0.25: 5=0+5+0\n"
		"asm_sysvec_apic_timer_interrupt on 5 for 8 x0.75: 15=0+15+0\n"
		"hrtimer_wakeup on 5 for 8 x1.00: 30=0+30+0\n"
		"tick_nohz_handler on 5 for 0 x1.00: 10=10+0+0\n");
	interrupt_scene_end(&scene);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("interrupt_accounts")
{
	interrupt_stories(suite, interrupt_stories_of_work, INTERRUPT_STORIES);
	TEST(work_is_billed_to_its_queuer);
	TEST(a_window_shows_shares_of_the_whole);
	TEST(after_losses_work_for_processes_is_inferred);
}
