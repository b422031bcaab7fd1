/* SPDX-License-Identifier: MIT */
/* Charging the kernel's own work: timers, queued work, wake-ups. */
#include "attribution/interrupts/interrupt_accounts.h"
#include "tables/processes/time_account.h"
#include "tests/interrupt_accounts_fixture.h"
#include "tests/run_suite.h"

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

/* Events before the window also determine whom the timers' interrupt is charged
 * to.
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

int main(void)
{
	Suite *suite = suite_create("interrupt_accounts");
	TCase *tcase =
		interrupt_stories(interrupt_stories_of_work, INTERRUPT_STORIES);

	tcase_add_test(tcase, work_is_billed_to_its_queuer);
	tcase_add_test(tcase, a_window_shows_shares_of_the_whole);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
