/* SPDX-License-Identifier: MIT */
#include "symbolize/events/stream_tasks.h"
#include "tests/run_suite.h"

/* Tasks 1 and 2 alternate: a record reports the next task, then the kernel
 * switches stacks.
 */
static struct flow_item record_at(uint64_t time_ns, int32_t tid)
{
	return (struct flow_item){
		.time_ns = time_ns,
		.kind = FLOW_SWITCH,
		.detail = FLOW_SWITCH_TO,
		.ip = (uint64_t)(uint32_t)tid << 32 | (uint32_t)tid,
	};
}

static struct task_switch task_1_runs(void)
{
	return (struct task_switch){ .current = { .pid = 1, .tid = 1 } };
}

START_TEST(a_record_announces_its_switch_point)
{
	struct task_switch state = task_1_runs();
	const struct flow_item to_2 = record_at(1000, 2);

	ck_assert(!task_switch_record(&state, &to_2, true));
	ck_assert_int_eq(state.current.tid, 1);
	ck_assert(task_switch_point(&state, 2500, NULL));
	ck_assert_int_eq(state.current.tid, 2);
}
END_TEST

START_TEST(a_record_may_follow_its_switch_point)
{
	struct task_switch state = task_1_runs();
	const struct flow_item to_2 = record_at(1200, 2);

	ck_assert(task_switch_point(&state, 1000, &to_2));
	ck_assert_int_eq(state.current.tid, 2);
}
END_TEST

/* Whether a gap of a few instructions hides the switch point or is before it,
 * the next switch point belongs to the next record.
 */
START_TEST(a_gap_at_a_switch_does_not_count_it_twice)
{
	const bool is_hidden = _i;
	struct task_switch state = task_1_runs();
	const struct flow_item to_2 = record_at(1000, 2);
	const struct flow_item to_1 = record_at(10000, 1);

	task_switch_record(&state, &to_2, true);
	ck_assert(task_switch_lost(&state, 2000));
	ck_assert_int_eq(state.current.tid, 2);
	if (!is_hidden)
		ck_assert(!task_switch_point(&state, 2012, &to_1));
	ck_assert_int_eq(state.current.tid, 2);
	ck_assert(!task_switch_record(&state, &to_1, true));
	ck_assert(task_switch_point(&state, 11500, NULL));
	ck_assert_int_eq(state.current.tid, 1);
}
END_TEST

START_TEST(a_gap_without_an_announcement_changes_nothing)
{
	struct task_switch state = task_1_runs();
	const struct flow_item to_2 = record_at(2200, 2);

	ck_assert(!task_switch_lost(&state, 2000));
	ck_assert(task_switch_point(&state, 2012, &to_2));
	ck_assert_int_eq(state.current.tid, 2);
}
END_TEST

/* A record within the time bounds of an entry into user space does not decide
 * which task entered.
 */
START_TEST(the_task_in_user_space_is_shown_until_it_leaves)
{
	struct stream_tasks tasks = {
		.state = task_1_runs(),
		.own = { -1, -1 },
	};
	const struct flow_item to_2 = record_at(1000, 2);

	ck_assert(stream_tasks_enter(&tasks, (struct task_id){ 3, 3 }));
	ck_assert_int_eq(stream_tasks_shown(&tasks).tid, 3);
	ck_assert(!stream_tasks_record(&tasks, &to_2));
	ck_assert_int_eq(stream_tasks_shown(&tasks).tid, 3);
	ck_assert(stream_tasks_leave(&tasks, 2000));
	ck_assert_int_eq(stream_tasks_shown(&tasks).tid, 2);
}
END_TEST

START_TEST(one_of_several_threads_in_user_space_is_unknown)
{
	struct stream_tasks tasks = {
		.state = task_1_runs(),
		.own = { -1, -1 },
	};

	ck_assert(stream_tasks_enter(&tasks, (struct task_id){ 1, -1 }));
	ck_assert_int_eq(stream_tasks_shown(&tasks).tid, -1);
	ck_assert_int_eq(stream_tasks_shown(&tasks).pid, -1);
	ck_assert(stream_tasks_leave(&tasks, 2000));
	ck_assert_int_eq(stream_tasks_shown(&tasks).tid, 1);
}
END_TEST

SUITE("task_switch")
{
	TEST(a_record_announces_its_switch_point);
	TEST(a_record_may_follow_its_switch_point);
	TEST_TIMES(a_gap_at_a_switch_does_not_count_it_twice, 2);
	TEST(a_gap_without_an_announcement_changes_nothing);
	TEST(the_task_in_user_space_is_shown_until_it_leaves);
	TEST(one_of_several_threads_in_user_space_is_unknown);
}
