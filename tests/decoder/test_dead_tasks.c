/* SPDX-License-Identifier: MIT */
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

static struct sideband_record switch_record(bool out, int32_t tid,
					    int32_t other, bool preempted)
{
	return (struct sideband_record){
		.kind = SIDEBAND_SWITCH,
		.pid = tid,
		.tid = tid,
		.change = {
			.out = out,
			.preempted = preempted,
			.cpu_wide = true,
			.other_pid = other,
			.other_tid = other,
		},
	};
}

/* Returns the task that is switched out, and puts the next one into @next. */
static int32_t leave(struct dead_tasks *dead, int32_t tid, int32_t other,
		     bool preempted, int32_t *next)
{
	struct sideband_record record =
		switch_record(true, tid, other, preempted);

	dead_tasks_consume(dead, &record);
	ck_assert_int_eq(record.pid, record.tid);
	ck_assert_int_eq(record.change.other_pid, record.change.other_tid);
	*next = record.change.other_tid;
	return record.tid;
}

static void end(struct dead_tasks *dead, int32_t tid)
{
	struct sideband_record record = {
		.kind = SIDEBAND_EXIT,
		.pid = tid,
		.tid = tid,
	};

	dead_tasks_consume(dead, &record);
}

START_TEST(a_task_preempted_after_its_end_is_known_again)
{
	struct dead_tasks dead = { 0 };
	struct sideband_record in = switch_record(false, -1, 15, false);
	int32_t next;

	end(&dead, 7);
	ck_assert_int_eq(leave(&dead, 7, 15, true, &next), 7);
	ck_assert_int_eq(leave(&dead, 15, -1, false, &next), 15);
	ck_assert_int_eq(next, 7);
	dead_tasks_consume(&dead, &in);
	ck_assert_int_eq(in.tid, 7);
	ck_assert_int_eq(leave(&dead, -1, 15, false, &next), 7);
	/* Now it is gone: this one came from another CPU. */
	ck_assert_int_eq(leave(&dead, 15, -1, false, &next), 15);
	ck_assert_int_eq(next, -1);
}
END_TEST

START_TEST(one_of_two_is_not_guessed)
{
	struct dead_tasks dead = { 0 };
	int32_t next;

	end(&dead, 7);
	leave(&dead, 7, 8, true, &next);
	end(&dead, 8);
	leave(&dead, 8, 9, true, &next);
	leave(&dead, 9, -1, true, &next);
	ck_assert_int_eq(next, -1);
}
END_TEST

START_TEST(a_task_that_leaves_at_once_is_the_same_task)
{
	struct dead_tasks dead = { 0 };
	int32_t next;

	end(&dead, 7);
	leave(&dead, 7, 8, false, &next);
	ck_assert_int_eq(leave(&dead, 8, -1, false, &next), 8);
	ck_assert_int_eq(next, -1);
}
END_TEST

START_TEST(a_task_asleep_after_its_end_may_be_preempted_later)
{
	struct dead_tasks dead = { 0 };
	int32_t next;

	end(&dead, 7);
	leave(&dead, 7, 0, false, &next);
	leave(&dead, 0, 7, true, &next);
	leave(&dead, 7, 15, true, &next);
	leave(&dead, 15, -1, false, &next);
	ck_assert_int_eq(next, 7);
}
END_TEST

/* No thread waits for this one: it loses its number when it ends. */
START_TEST(the_ending_task_is_not_the_waiting_one)
{
	struct dead_tasks dead = { 0 };
	struct sideband_record in = switch_record(false, 8, 7, false);
	struct sideband_record behind = switch_record(false, 9, -1, false);
	int32_t next;

	end(&dead, 7);
	leave(&dead, 7, 8, true, &next);
	dead_tasks_consume(&dead, &in);
	end(&dead, 8);
	ck_assert_int_eq(leave(&dead, -1, 9, false, &next), 8);
	dead_tasks_consume(&dead, &behind);
	ck_assert_int_eq(behind.change.other_tid, 8);
	ck_assert_int_eq(behind.change.other_pid, 8);
	leave(&dead, 9, -1, false, &next);
	ck_assert_int_eq(next, 7);
}
END_TEST

/* The last thread of a process reaps itself, and then wakes the parent. */
START_TEST(a_sample_after_the_exit_is_of_the_current_task)
{
	struct dead_tasks dead = { 0 };
	struct sideband_record in = switch_record(false, 7, 0, false);
	struct sideband_record sample = {
		.kind = SIDEBAND_SAMPLE,
		.pid = 6,
		.tid = -1,
	};
	struct sideband_record unknown = sample;
	int32_t next;

	dead_tasks_consume(&dead, &in);
	end(&dead, 7);
	dead_tasks_consume(&dead, &sample);
	ck_assert_int_eq(sample.tid, 7);
	ck_assert_int_eq(leave(&dead, -1, 9, false, &next), 7);
	dead_tasks_consume(&dead, &unknown);
	ck_assert_int_eq(unknown.tid, -1);
}
END_TEST

START_TEST(more_than_there_is_room_for)
{
	struct dead_tasks dead = { 0 };
	int32_t next;

	for (int32_t tid = 1; tid <= DEAD_TASKS_MAX + 1; tid++) {
		end(&dead, tid);
		leave(&dead, tid, 100, tid > DEAD_TASKS_MAX, &next);
	}
	leave(&dead, 100, -1, false, &next);
	ck_assert_int_eq(next, DEAD_TASKS_MAX + 1);
}
END_TEST

static void add_switch(struct recording_fixture *fixture, uint64_t time_ns,
		       bool out, int32_t tid, uint32_t other)
{
	const struct fixture_origin origin = { tid, tid, time_ns };
	const uint32_t body[2] = { other, other };

	recording_fixture_record(fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 out ? PERF_RECORD_MISC_SWITCH_OUT : 0, body,
				 sizeof(body), &origin);
}

static void add_loss(struct recording_fixture *fixture, uint64_t time_ns,
		     int32_t tid)
{
	const struct fixture_origin origin = { tid, tid, time_ns };
	const uint64_t lost[2] = { 2, 1 };

	recording_fixture_record(fixture, PERF_RECORD_LOST, 0, lost,
				 sizeof(lost), &origin);
}

static void next_is(struct switch_feed *feed, uint64_t time_ns,
		    enum flow_switch_detail detail, int32_t tid)
{
	const struct flow_item *item = switch_feed_peek(feed);

	ck_assert_ptr_nonnull(item);
	ck_assert_uint_eq(item->time_ns, time_ns);
	ck_assert_int_eq(item->detail, detail);
	ck_assert_int_eq(flow_switch_tid(item), tid);
	ck_assert_int_eq(switch_feed_advance(feed), 0);
}

/* The recorder writes two records of losses, without a task. */
START_TEST(nobody_runs_on_a_cpu_that_was_switched_off)
{
	const struct aux_stream stream = { .cpu = 1, .pid = -1, .tid = -1 };
	struct recording_fixture fixture;
	struct recording *recording;
	struct switch_feed *feed;

	recording_fixture_begin(&fixture);
	fixture.cpu = 1;
	add_switch(&fixture, 100, true, 7, 21);
	add_switch(&fixture, 101, false, 21, 7);
	add_loss(&fixture, 200, -1);
	add_loss(&fixture, 300, -1);
	add_switch(&fixture, 400, true, 7, 21);
	recording = recording_fixture_open(&fixture);
	feed = switch_feed_new(recording, &stream);
	ck_assert_ptr_nonnull(feed);
	next_is(feed, 100, FLOW_SWITCH_TO, 21);
	next_is(feed, 200, FLOW_SWITCH_AWAY, -1);
	next_is(feed, 400, FLOW_SWITCH_TO, 21);
	ck_assert_ptr_null(switch_feed_peek(feed));
	switch_feed_free(feed);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

/* The kernel's own record of losses comes late, with the next switch. */
START_TEST(the_kernels_losses_are_no_switch)
{
	const struct aux_stream stream = { .cpu = 1, .pid = -1, .tid = -1 };
	struct recording_fixture fixture;
	struct recording *recording;
	struct switch_feed *feed;

	recording_fixture_begin(&fixture);
	fixture.cpu = 1;
	add_switch(&fixture, 100, true, 7, 21);
	add_loss(&fixture, 200, 21);
	recording = recording_fixture_open(&fixture);
	feed = switch_feed_new(recording, &stream);
	ck_assert_ptr_nonnull(feed);
	next_is(feed, 100, FLOW_SWITCH_TO, 21);
	ck_assert_ptr_null(switch_feed_peek(feed));
	switch_feed_free(feed);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("dead_tasks")
{
	TEST(a_task_preempted_after_its_end_is_known_again);
	TEST(one_of_two_is_not_guessed);
	TEST(a_task_that_leaves_at_once_is_the_same_task);
	TEST(a_task_asleep_after_its_end_may_be_preempted_later);
	TEST(the_ending_task_is_not_the_waiting_one);
	TEST(a_sample_after_the_exit_is_of_the_current_task);
	TEST(more_than_there_is_room_for);
	TEST(nobody_runs_on_a_cpu_that_was_switched_off);
	TEST(the_kernels_losses_are_no_switch);
}
