/* SPDX-License-Identifier: MIT */
/* Accounts continue from the packed state of others. */
#include "attribution/interrupts/interrupt_accounts.h"
#include "attribution/interrupts/interrupt_slice.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "report/steps/call_step.h"
#include "tests/fixtures/interrupt_accounts.h"
#include "tests/run_suite.h"

/* The accounts are moved at each step and event. */
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

static void consume_step(struct event_handler *handler,
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

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct moves *moves = (struct moves *)handler;

	moved_handler(moves)->event(moved_handler(moves), event);
	move(moves);
}

START_TEST(slices_go_on_from_a_checkpoint)
{
	struct interrupt_scene scene = interrupt_scene_begin();
	struct moves moves = { .handler = { .step = consume_step,
					    .event = consume_event },
			       .scene = &scene };

	interrupt_scene_watch(&scene);
	moves.moved = interrupt_accounts_new(
		&scene.input, trackers_threads(scene.input.trackers));
	ck_assert_ptr_nonnull(moves.moved);
	attribution_fixture_watch(scene.fixture, &moves.handler);
	interrupt_stories_of_work[_i].tell(scene.fixture);
	ck_assert_str_eq(interrupt_scene_finish(&scene),
			 interrupt_stories_of_work[_i].rows);
	interrupt_accounts_free(moves.moved);
	interrupt_scene_end(&scene);
}
END_TEST

SUITE("interrupt_checkpoint")
{
	TEST_TIMES(slices_go_on_from_a_checkpoint, INTERRUPT_STORIES);
}
