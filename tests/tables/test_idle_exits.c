/* SPDX-License-Identifier: MIT */
/* The causes that wake idle CPUs, and the delays of the wake-ups. */
#include "tables/table.h"
#include "tables/waits/idle_exits.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/table_scene.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kernel[] =
	"ffffffff81000000 T entry_SYSCALL_64\n"
	"ffffffff81000100 T asm_common_interrupt\n"
	"ffffffff81000200 T asm_sysvec_apic_timer_interrupt\n"
	"ffffffff81000300 T asm_sysvec_reschedule_ipi\n"
	"ffffffff81000400 T asm_sysvec_call_function_single\n"
	"ffffffff81000500 T ktime_get_update_offsets_now\n"
	"ffffffff81000600 T native_smp_send_reschedule\n"
	"ffffffff81000700 T native_send_call_func_single_ipi\n"
	"ffffffff81000800 T do_idle\n"
	"ffffffff81000900 T try_to_wake_up\n";

enum { LEAVES = -1 };

/* The timers' clock minus the recording's clock, in ns. */
enum { TIMER_CLOCK = 1000000, TIMER = 0x1000, OTHER_TIMER = 0x2000 };

static void begin(struct table_scene *scene)
{
	table_scene_begin(scene, &idle_table, NULL, kernel, sizeof(kernel) - 1);
	/* CPU 0 is idle, CPU 1 runs thread 8. */
	follow_script(scene->f, "90 starts:0 do_idle( cpu:1 starts:8 "
				"entry_SYSCALL_64( try_to_wake_up( cpu:0");
}

static void idles(struct table_scene *scene, uint64_t time_ns, int64_t state)
{
	at(scene->f, time_ns);
	event(scene->f, 0, EVENT_CPU_IDLE,
	      state == LEAVES ? (int64_t)UINT32_MAX : state, 0, 0);
}

static void arms(struct table_scene *scene, int64_t timer, uint64_t expiry_ns)
{
	event(scene->f, 0, EVENT_HRTIMER_START, timer, 0,
	      (int64_t)(TIMER_CLOCK + expiry_ns));
}

/* The handler of timers starts at @time_ns, and has read the clock 10 ns later.
 */
static void timer_interrupt(struct table_scene *scene, uint64_t time_ns)
{
	at(scene->f, time_ns);
	enter(scene->f, 0, "asm_sysvec_apic_timer_interrupt");
	at(scene->f, time_ns + 5);
	enter(scene->f, 0, "ktime_get_update_offsets_now");
	at(scene->f, time_ns + 10);
	leave(scene->f, 0);
}

static void expires(struct table_scene *scene, int64_t timer, uint64_t now_ns)
{
	event(scene->f, 0, EVENT_HRTIMER_EXPIRE, timer, 0,
	      (int64_t)(TIMER_CLOCK + now_ns));
}

static void returns(struct table_scene *scene, uint64_t time_ns)
{
	at(scene->f, time_ns);
	leave(scene->f, 0);
}

static void other_cpu_sends(struct table_scene *scene, uint32_t cpu,
			    uint64_t time_ns, const char *function)
{
	at(scene->f, time_ns);
	enter(scene->f, cpu, function);
	at(scene->f, time_ns + 2);
	leave(scene->f, cpu);
}

static void interrupt(struct table_scene *scene, uint64_t time_ns,
		      const char *handler)
{
	at(scene->f, time_ns);
	enter(scene->f, 0, handler);
	returns(scene, time_ns + 20);
}

/* The first timer expired at 500, the other one at 510; the handler starts at
 * 530 and reads the clock, 540.
 */
START_TEST(a_timer_wakes_from_its_expiry_on)
{
	struct table_scene scene;

	begin(&scene);
	arms(&scene, OTHER_TIMER, 510);
	arms(&scene, TIMER, 500);
	idles(&scene, 100, 2);
	timer_interrupt(&scene, 530);
	expires(&scene, OTHER_TIMER, 540);
	expires(&scene, TIMER, 540);
	returns(&scene, 600);
	idles(&scene, 610, LEAVES);
	table_scene_finish(&scene, "0,2,,timer,1,430,0,1,30,30,30\n");
}
END_TEST

/* intel_idle returns with interrupts off: the state ends before the handler. */
START_TEST(a_handler_may_start_after_the_state_has_ended)
{
	struct table_scene scene;

	begin(&scene);
	arms(&scene, TIMER, 500);
	idles(&scene, 100, 1);
	idles(&scene, 520, LEAVES);
	timer_interrupt(&scene, 530);
	expires(&scene, TIMER, 540);
	returns(&scene, 600);
	table_scene_finish(&scene, "0,1,,timer,1,430,0,1,30,30,30\n");
}
END_TEST

START_TEST(another_cpu_wakes_exactly)
{
	struct table_scene scene;

	begin(&scene);
	idles(&scene, 100, 1);
	other_cpu_sends(&scene, 1, 200, "native_smp_send_reschedule");
	interrupt(&scene, 240, "asm_sysvec_reschedule_ipi");
	idles(&scene, 300, 1);
	other_cpu_sends(&scene, 1, 400, "native_send_call_func_single_ipi");
	interrupt(&scene, 460, "asm_sysvec_call_function_single");
	table_scene_finish(&scene, "0,1,,cpu,2,300,2,0,40,60,60\n");
}
END_TEST

/* Two CPUs sent, one of them perhaps to another one. */
START_TEST(of_two_senders_the_last_one_is_inferred)
{
	struct table_scene scene;

	begin(&scene);
	follow_script(scene.f, "cpu:2 starts:9 try_to_wake_up( cpu:0");
	idles(&scene, 100, 1);
	other_cpu_sends(&scene, 2, 150, "native_smp_send_reschedule");
	other_cpu_sends(&scene, 1, 200, "native_smp_send_reschedule");
	interrupt(&scene, 240, "asm_sysvec_reschedule_ipi");
	table_scene_finish(&scene, "0,1,,cpu,1,140,0,1,40,40,40\n");
}
END_TEST

/* The first interrupt was sent before the CPU was idle, and the second to it or to
 * another CPU.
 */
START_TEST(an_interrupt_may_have_been_sent_before)
{
	struct table_scene scene;

	begin(&scene);
	other_cpu_sends(&scene, 1, 95, "native_smp_send_reschedule");
	idles(&scene, 100, 1);
	other_cpu_sends(&scene, 1, 200, "native_smp_send_reschedule");
	interrupt(&scene, 240, "asm_sysvec_reschedule_ipi");
	idles(&scene, 300, 1);
	other_cpu_sends(&scene, 1, 400, "native_smp_send_reschedule");
	interrupt(&scene, 440, "asm_sysvec_reschedule_ipi");
	table_scene_finish(&scene, "0,1,,cpu,2,280,1,1,40,40,40\n");
}
END_TEST

/* A CPU whose trace has a gap, also one that began before, may have sent. */
START_TEST(a_cpu_with_a_gap_may_have_sent)
{
	struct table_scene scene;

	begin(&scene);
	follow_script(scene.f, "cpu:2 starts:9 try_to_wake_up( cpu:0");
	idles(&scene, 100, 1);
	follow_script(scene.f, "cpu:2 150 gap cpu:0");
	other_cpu_sends(&scene, 1, 200, "native_smp_send_reschedule");
	interrupt(&scene, 240, "asm_sysvec_reschedule_ipi");
	idles(&scene, 300, 1);
	other_cpu_sends(&scene, 1, 400, "native_smp_send_reschedule");
	interrupt(&scene, 440, "asm_sysvec_reschedule_ipi");
	follow_script(scene.f, "cpu:2 450 traced cpu:0");
	idles(&scene, 500, 1);
	other_cpu_sends(&scene, 1, 600, "native_smp_send_reschedule");
	interrupt(&scene, 640, "asm_sysvec_reschedule_ipi");
	table_scene_finish(&scene, "0,1,,cpu,3,420,1,2,40,40,40\n");
}
END_TEST

/* A device's interrupt; a timer that expired before the CPU was idle; a switch
 * without an interrupt; an interrupt that another CPU sent before. None has a
 * delay.
 */
START_TEST(other_causes_are_unknown)
{
	struct table_scene scene;

	begin(&scene);
	idles(&scene, 100, 1);
	interrupt(&scene, 140, "asm_common_interrupt");
	arms(&scene, TIMER, 180);
	idles(&scene, 200, 1);
	timer_interrupt(&scene, 230);
	expires(&scene, TIMER, 240);
	returns(&scene, 250);
	idles(&scene, 300, 1);
	idles(&scene, 350, LEAVES);
	follow_script(scene.f, "360 runs:7 380 runs:0");
	other_cpu_sends(&scene, 1, 390, "native_smp_send_reschedule");
	idles(&scene, 400, 1);
	interrupt(&scene, 410, "asm_sysvec_reschedule_ipi");
	table_scene_finish(&scene, "0,1,,,4,130,0,0,,,\n");
}
END_TEST

START_TEST(a_time_idle_with_a_gap_is_not_counted)
{
	struct table_scene scene;

	begin(&scene);
	idles(&scene, 100, 1);
	follow_script(scene.f, "200 gap 300 traced");
	interrupt(&scene, 340, "asm_common_interrupt");
	table_scene_finish(&scene, "");
}
END_TEST

START_TEST(a_time_idle_before_the_trace_is_not_counted)
{
	struct table_scene scene;

	table_scene_begin(&scene, &idle_table, NULL, kernel,
			  sizeof(kernel) - 1);
	is_on(scene.f, 0, 0);
	idles(&scene, 100, 1);
	idles(&scene, 150, LEAVES);
	follow_script(scene.f, "200 starts:0 do_idle(");
	interrupt(&scene, 240, "asm_common_interrupt");
	table_scene_finish(&scene, "");
}
END_TEST

START_TEST(names_are_of_a_cpu_and_a_state)
{
	static const char list[] = "allowed 1 0-3\n"
				   "idle 0 0 POLL\n"
				   "idle 0 1 C1E\n"
				   "idle 1 1 LPI state\n"
				   "idle 1 2\n"
				   "idle x 3 C3\n"
				   "idle 2 0 last";
	struct idle_names *names = idle_names_read(list, sizeof(list) - 1);

	ck_assert_ptr_nonnull(names);
	ck_assert_str_eq(idle_names_find(names, 0, 0), "POLL");
	ck_assert_str_eq(idle_names_find(names, 0, 1), "C1E");
	ck_assert_str_eq(idle_names_find(names, 1, 1), "LPI state");
	ck_assert_str_eq(idle_names_find(names, 2, 0), "last");
	ck_assert_ptr_null(idle_names_find(names, 1, 2));
	ck_assert_ptr_null(idle_names_find(names, 2, 1));
	idle_names_free(names);
}
END_TEST

SUITE("idle_exits")
{
	TEST(a_timer_wakes_from_its_expiry_on);
	TEST(a_handler_may_start_after_the_state_has_ended);
	TEST(another_cpu_wakes_exactly);
	TEST(of_two_senders_the_last_one_is_inferred);
	TEST(an_interrupt_may_have_been_sent_before);
	TEST(a_cpu_with_a_gap_may_have_sent);
	TEST(other_causes_are_unknown);
	TEST(a_time_idle_with_a_gap_is_not_counted);
	TEST(a_time_idle_before_the_trace_is_not_counted);
	TEST(names_are_of_a_cpu_and_a_state);
}
