/* SPDX-License-Identifier: MIT */
/* For whom the kernel's own work was: timers, queued work, wake-ups. */
#include "attribution/interrupts/interrupt_accounts.h"

#include "attribution/interrupts/interrupt_stacks.h"
#include "attribution/trackers.h"
#include "common/kept_file.h"
#include "common/pack.h"
#include "report/steps/task_pack.h"
#include "tables/processes/interrupt_sums.h"
#include "tables/table_records.h"
#include "tests/interrupt_story_fixture.h"
#include "tests/run_suite.h"
#include "tests/scratch_folder_fixture.h"

#include <stdlib.h>
#include <string.h>

/* 8 sleeps; its timer and the tick share an interrupt on 5's time. */
static void timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100);
	EVENT(EVENT_HRTIMER_START, 0x700, address_of("hrtimer_wakeup"));
	EVENT(EVENT_HRTIMER_START, 0x800, address_of("tick_nohz_handler"));
	NS(150);
	switch_to(f, 0, 5);
	NS(200);
	IN("asm_sysvec_apic_timer_interrupt");
	NS(210);
	EVENT(EVENT_HRTIMER_EXPIRE, 0x700, address_of("hrtimer_wakeup"));
	IN("hrtimer_wakeup");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(220);
	jump(f, 0, "wake_up_process");
	NS(240);
	OUT;
	EVENT(EVENT_HRTIMER_EXPIRE, 0x800, address_of("tick_nohz_handler"));
	IN("tick_nohz_handler");
	NS(250);
	OUT;
	EVENT(EVENT_HRTIMER_START, 0x800, address_of("tick_nohz_handler"));
	NS(260);
	OUT;
	NS(300);
}

/* A timer that puts itself back stays whose it was. */
static void periodic_timer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_HRTIMER_START, 0x700, address_of("process_timeout"));
	switch_to(f, 0, 5);
	for (uint64_t base = 200; base < 500; base += 100) {
		NS(base);
		IN("asm_sysvec_apic_timer_interrupt");
		EVENT(EVENT_HRTIMER_EXPIRE, 0x700,
		      address_of("process_timeout"));
		IN("process_timeout");
		NS(base + 20);
		OUT;
		EVENT(EVENT_HRTIMER_START, 0x700,
		      address_of("process_timeout"));
		OUT;
	}
	NS(600);
}

/* What 8 queues is done by kworker 20, with an interrupt in between; what that
 * writes is 8's, too.
 */
static void work_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	EVENT(EVENT_WORK_QUEUE, 0x500, address_of("do_the_work"));
	NS(100);
	switch_to(f, 0, 20);
	NS(110);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("do_the_work"));
	IN("do_the_work");
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	disk_interrupt(f, 200);
	NS(300);
	OUT;
	OUT;
	NS(400);
}

/* Nothing tells for whom the interrupt was, but for the work that it queued,
 * which woke 8.
 */
static void bottom_half_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_common_interrupt");
	EVENT(EVENT_WORK_QUEUE, 0x500, address_of("do_the_work"));
	NS(150);
	OUT;
	NS(200);
	switch_to(f, 0, 20);
	IN("process_one_work");
	EVENT(EVENT_WORK_BEGIN, 0x500, address_of("do_the_work"));
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(260);
	OUT;
	NS(300);
}

static void woken_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_common_interrupt");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(150);
	OUT;
	NS(200);
	IN("asm_common_interrupt");
	NS(230);
	OUT;
	NS(300);
}

/* What the interrupt ends with, preempting 5, is not its time. */
static void preempted_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_sysvec_apic_timer_interrupt");
	NS(130);
	IN("__schedule");
	NS(150);
	switch_to(f, 0, 8);
	NS(200);
	switch_to(f, 0, 5);
	NS(220);
	OUT;
	NS(223);
	OUT;
	NS(300);
}

/* On its way out an interrupt lets others in: they are not part of it. */
static void nested_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("asm_sysvec_apic_timer_interrupt");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(130);
	IN("asm_common_interrupt");
	EVENT(EVENT_SCHED_WAKING, 9);
	NS(150);
	OUT;
	NS(160);
	OUT;
	NS(300);
}

static void rcu_and_nmi_story(struct attribution_fixture *f)
{
	starts(f, 0, 5);
	NS(100);
	IN("handle_softirqs");
	IN("rcu_core_si");
	IN("rcu_do_batch");
	NS(110);
	IN("rcu_cblist_dequeue");
	OUT;
	IN("free_something");
	NS(115);
	IN("asm_exc_nmi");
	NS(118);
	OUT;
	NS(120);
	OUT;
	IN("free_something");
	NS(130);
	OUT;
	OUT;
	OUT;
	OUT;
	NS(200);
}

/* 8 on CPU 0 wakes 9, which last ran on CPU 1 where 5 is now. */
static void ipi_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	starts(f, 1, 5);
	NS(100);
	IN("try_to_wake_up");
	EVENT(EVENT_SCHED_WAKING, 9);
	IN("native_smp_send_reschedule");
	OUT;
	NS(120);
	OUT;
	NS(130);
	enter(f, 1, "asm_sysvec_reschedule_ipi");
	NS(150);
	leave(f, 1);
	NS(200);
}

/* What happens before the trace begins says nothing of the task. */
static void untraced_story(struct attribution_fixture *f)
{
	event(f, 0, EVENT_HRTIMER_START, 0x700, address_of("process_timeout"),
	      0);
	NS(100);
	starts(f, 0, 5);
	IN("asm_sysvec_apic_timer_interrupt");
	EVENT(EVENT_HRTIMER_EXPIRE, 0x700, address_of("process_timeout"));
	IN("process_timeout");
	NS(120);
	OUT;
	OUT;
	NS(200);
}

static void answer(struct attribution_fixture *f, uint64_t begin_ns)
{
	NS(begin_ns);
	IN("asm_common_interrupt");
	NS(begin_ns + 10);
	IN("p9_client_cb");
	NS(begin_ns + 20);
	OUT;
	NS(begin_ns + 30);
	OUT;
}

/* 8 asks and is answered before it could sleep, twice; then 9 asks as well,
 * and the answer may be for either; the last comes when nobody waits.
 */
static void answer_story(struct attribution_fixture *f)
{
	starts(f, 0, 8);
	NS(100);
	IN("p9_client_rpc");
	answer(f, 110);
	answer(f, 150);
	NS(200);
	switch_to(f, 0, 9);
	IN("p9_client_rpc");
	answer(f, 210);
	NS(250);
	OUT;
	switch_to(f, 0, 8);
	NS(260);
	OUT;
	switch_to(f, 0, 9);
	answer(f, 300);
	NS(400);
}

static void threaded_story(struct attribution_fixture *f)
{
	starts(f, 0, 21);
	NS(100);
	IN("irq_thread_fn");
	NS(110);
	IN("thread_handler");
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(140);
	OUT;
	NS(150);
	OUT;
	NS(200);
}

static const struct interrupt_story stories[] = {
	{ timer_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for 0 x0.25: 5=5+0+0\n"
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x0.75: 15=15+0+0\n"
	  "hrtimer_wakeup on 5 for 8 x1.00: 30=30+0+0\n"
	  "tick_nohz_handler on 5 for 0 x1.00: 10=10+0+0\n" },
	{ periodic_timer_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x3.00: 0=0+0+0\n"
	  "process_timeout on 5 for 8 x3.00: 60=60+0+0\n" },
	{ work_story, "disk_handler on 20 for 8 x1.00: 50=50+0+0\n"
		      "do_the_work thread 20 for 8 x1.00: 140=140+0+0\n" },
	{ bottom_half_story,
	  "asm_common_interrupt on 5 for 8 x1.00: 50=0+50+0\n"
	  "do_the_work thread 20 for 8 x1.00: 60=0+60+0\n" },
	{ woken_story, "asm_common_interrupt on 5 for -1 x1.00: 30=0+0+30\n"
		       "asm_common_interrupt on 5 for 8 x1.00: 50=0+50+0\n" },
	{ preempted_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for -1 x1.00: 33=0+0+33\n" },
	{ nested_story,
	  "asm_common_interrupt on 5 for 9 x1.00: 20=0+20+0\n"
	  "asm_sysvec_apic_timer_interrupt on 5 for 8 x1.00: 40=0+40+0\n" },
	{ rcu_and_nmi_story, "asm_exc_nmi on 5 for 0 x1.00: 3=3+0+0\n"
			     "free_something on 5 for 0 x2.00: 17=17+0+0\n"
			     "handle_softirqs on 5 for 0 x1.00: 0=0+0+0\n"
			     "rcu_core_si on 5 for 0 x1.00: 10=10+0+0\n" },
	{ ipi_story,
	  "asm_sysvec_reschedule_ipi on 5 for 9 x1.00: 20=0+20+0\n" },
	{ untraced_story,
	  "asm_sysvec_apic_timer_interrupt on 5 for -1 x1.00: 0=0+0+0\n"
	  "process_timeout on 5 for -1 x1.00: 20=0+0+20\n" },
	{ answer_story, "asm_common_interrupt on 8 for 8 x2.00: 60=0+60+0\n"
			"asm_common_interrupt on 9 for -1 x1.00: 30=0+0+30\n"
			"asm_common_interrupt on 9 for 8 x0.50: 15=0+15+0\n"
			"asm_common_interrupt on 9 for 9 x0.50: 15=0+15+0\n" },
	{ threaded_story, "thread_handler thread 21 for 8 x1.00: 50=0+50+0\n" },
};

START_TEST(work_is_billed_to_its_queuer)
{
	struct interrupt_scene scene = interrupt_scene_begin();
	struct interrupt_sums sums = INTERRUPT_SUMS_NONE;
	struct interrupt_credit credit;

	interrupt_scene_watch(&scene);
	work_story(scene.fixture);
	interrupt_scene_finish(&scene);
	ck_assert_int_eq(interrupt_sums_add(&sums, scene.accounts), 0);
	credit = interrupt_sums_process(&sums, 8);
	ck_assert_uint_eq(credit.interrupt_ns, 50);
	ck_assert_uint_eq(credit.work_ns, 140);
	interrupt_sums_free(&sums);
	interrupt_scene_end(&scene);
}
END_TEST

/* Whose the timers' interrupt was, is told before the window, too. */
START_TEST(a_window_shows_shares_of_the_whole)
{
	struct interrupt_scene scene = interrupt_scene_begin();

	scene.window = (struct time_window){ 245, 300 };
	interrupt_scene_watch(&scene);
	timer_story(scene.fixture);
	ck_assert_str_eq(
		interrupt_scene_finish(&scene),
		"asm_sysvec_apic_timer_interrupt on 5 for 0 x0.25: 3=3+0+0\n"
		"asm_sysvec_apic_timer_interrupt on 5 for 8 x0.75: 7=7+0+0\n"
		"tick_nohz_handler on 5 for 0 x1.00: 5=5+0+0\n");
	interrupt_scene_end(&scene);
}
END_TEST

enum { KEY = 7 };

static void keep_story(const struct interrupt_story *story, const char *path)
{
	struct kept_file_writer *writer = kept_file_writer_open(path, KEY);
	struct interrupt_scene scene = interrupt_scene_begin();

	ck_assert_ptr_nonnull(writer);
	interrupt_scene_watch(&scene);
	interrupt_accounts_keep(scene.accounts, writer);
	story->tell(scene.fixture);
	ck_assert_str_eq(interrupt_scene_finish(&scene), story->rows);
	interrupt_accounts_pack_rest(scene.accounts,
				     kept_file_writer_rest(writer));
	kept_file_writer_finish(writer);
	kept_file_writer_close(writer);
	interrupt_scene_end(&scene);
}

/* The last chunk has what they refer to. */
static void read_records(struct interrupt_accounts *accounts, const char *path,
			 struct time_window window)
{
	const struct kept_span wanted = table_records_overlap(window);
	struct kept_file file;

	ck_assert(kept_file_open(&file, path, KEY, &wanted));
	ck_assert_uint_gt(file.chunks.count, 0);
	for (size_t i = file.chunks.count; i--;) {
		const struct kept_chunk *chunk = array_at(&file.chunks, i);
		size_t size;
		void *bytes = kept_file_read(&file, i, &size);
		struct pack pack = pack_to_read(bytes, size);

		if (!chunk->records)
			interrupt_accounts_pack_rest(accounts, &pack);
		for (uint32_t j = 0; j < chunk->records; j++)
			interrupt_accounts_read(accounts, &pack);
		ck_assert(pack_is_whole(&pack));
		free(bytes);
	}
	kept_file_close(&file);
}

/* Asserts that a window of the records is that of the pass. */
static void expect_window(const struct interrupt_story *story, const char *path,
			  struct time_window window)
{
	struct interrupt_scene pass = interrupt_scene_begin();
	struct interrupt_scene read = interrupt_scene_begin();

	pass.window = read.window = window;
	interrupt_scene_watch(&pass);
	story->tell(pass.fixture);
	interrupt_scene_finish(&pass);
	interrupt_scene_watch(&read);
	read_records(read.accounts, path, window);
	ck_assert_str_eq(interrupt_scene_finish(&read), pass.text);
	interrupt_scene_end(&pass);
	interrupt_scene_end(&read);
}

START_TEST(windows_are_made_of_records)
{
	struct scratch_folder folder = scratch_folder_new();
	char path[128];

	scratch_folder_path(&folder, "report_interrupts", path, sizeof(path));
	keep_story(&stories[_i], path);
	expect_window(&stories[_i], path, TIME_WINDOW_ALL);
	for (uint64_t since_ns = 0; since_ns < 500; since_ns += 33) {
		expect_window(&stories[_i], path,
			      (struct time_window){ since_ns, since_ns + 50 });
		expect_window(&stories[_i], path,
			      (struct time_window){ since_ns, UINT64_MAX });
	}
	scratch_folder_free(&folder);
}
END_TEST

/* Accounts that go on from what others have packed, at each step and event. */
struct moves {
	struct event_handler handler;
	struct interrupt_scene *scene;
	struct interrupt_accounts *moved;
	const struct task *tasks[16]; /* by index */
};

static const struct task *find_task(const void *tasks, size_t index)
{
	const struct moves *moves = tasks;

	return index < 16 ? moves->tasks[index] : NULL;
}

static struct event_handler *moved_handler(const struct moves *moves)
{
	return interrupt_accounts_handler(moves->moved);
}

static void move(struct moves *moves)
{
	struct pack written = pack_to_write();
	struct pack pack;
	struct task_pack tasks = { &written, find_task, moves };

	moved_handler(moves)->pack(moved_handler(moves), &tasks);
	ck_assert(pack_is_whole(&written));
	interrupt_accounts_free(moves->moved);
	moves->moved = interrupt_accounts_new(
		&moves->scene->input,
		trackers_threads(moves->scene->input.trackers));
	ck_assert_ptr_nonnull(moves->moved);
	pack = pack_to_read(written.out.bytes, written.out.size);
	tasks.pack = &pack;
	moved_handler(moves)->pack(moved_handler(moves), &tasks);
	ck_assert(pack_is_whole(&pack));
	pack_free(&written);
}

static uint64_t charged_serial(const struct interrupt_accounts *accounts,
			       const struct call_step *step)
{
	const struct interrupt_slice *slice = interrupt_stack_charged(
		interrupt_accounts_stack(accounts, step->task));

	return slice ? slice->span.serial : 0;
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct moves *moves = (struct moves *)handler;

	ck_assert_uint_lt(step->task->index, 16);
	moves->tasks[step->task->index] = step->task;
	moved_handler(moves)->step(moved_handler(moves), step);
	move(moves);
	ck_assert_uint_eq(charged_serial(moves->moved, step),
			  charged_serial(moves->scene->accounts, step));
}

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct moves *moves = (struct moves *)handler;

	moved_handler(moves)->event(moved_handler(moves), event);
	move(moves);
}

START_TEST(slices_go_on_from_a_checkpoint)
{
	struct interrupt_scene scene = interrupt_scene_begin();
	struct moves moves = { .handler = { .step = take_step,
					    .event = take_event },
			       .scene = &scene };

	interrupt_scene_watch(&scene);
	moves.moved = interrupt_accounts_new(
		&scene.input, trackers_threads(scene.input.trackers));
	ck_assert_ptr_nonnull(moves.moved);
	attribution_fixture_watch(scene.fixture, &moves.handler);
	stories[_i].tell(scene.fixture);
	ck_assert_str_eq(interrupt_scene_finish(&scene), stories[_i].rows);
	interrupt_accounts_free(moves.moved);
	interrupt_scene_end(&scene);
}
END_TEST

static Suite *interrupt_accounts_suite(void)
{
	Suite *suite = suite_create("interrupt_accounts");
	TCase *tcase =
		interrupt_stories(stories, sizeof(stories) / sizeof(*stories));

	tcase_add_test(tcase, work_is_billed_to_its_queuer);
	tcase_add_test(tcase, a_window_shows_shares_of_the_whole);
	tcase_add_loop_test(tcase, windows_are_made_of_records, 0,
			    sizeof(stories) / sizeof(*stories));
	tcase_add_loop_test(tcase, slices_go_on_from_a_checkpoint, 0,
			    sizeof(stories) / sizeof(*stories));
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	return run_suite(interrupt_accounts_suite());
}
