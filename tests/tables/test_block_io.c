/* SPDX-License-Identifier: MIT */
#include "tables/waits/block_io.h"

#include "attribution/sleeps/sleeps.h"
#include "tests/run_suite.h"

#include <string.h>

enum { DISK = 0xfe00000, OWN = 7, OTHER = 8, CPU = 1, MOST = 100 };

/* The I/Os and sleeps that were emitted. */
struct emitted {
	struct block_callback callback; /* first */
	struct block_ios ios;
	struct block_io done[MOST];
	size_t count;
	struct block_sleep slept;
	struct block_io slept_for;
	size_t sleeps;
	uint32_t others[MOST][2]; /* at the start and the end of each sleep */
};

static int consume_io(struct block_callback *callback,
		      const struct block_io *io)
{
	struct emitted *emitted = (struct emitted *)callback;

	ck_assert_uint_lt(emitted->count, MOST);
	emitted->done[emitted->count++] = *io;
	return 0;
}

static int consume_sleep(struct block_callback *callback,
			 const struct block_sleep *sleep)
{
	struct emitted *emitted = (struct emitted *)callback;

	ck_assert_uint_lt(emitted->sleeps, MOST);
	emitted->others[emitted->sleeps][0] = sleep->others_at_begin;
	emitted->others[emitted->sleeps][1] = sleep->others_at_end;
	emitted->slept = *sleep;
	emitted->slept_for = *sleep->io;
	emitted->sleeps++;
	return 0;
}

static void open_all(struct emitted *emitted)
{
	memset(emitted, 0, sizeof(*emitted));
	emitted->callback.done = consume_io;
	emitted->callback.slept = consume_sleep;
	block_ios_open(&emitted->ios, &emitted->callback);
}

/* Emits the rest; @count I/Os must have been emitted in all. */
static void close_all(struct emitted *emitted, size_t count)
{
	ck_assert_int_eq(block_ios_end(&emitted->ios, true), 0);
	ck_assert_uint_eq(emitted->count, count);
	block_ios_close(&emitted->ios);
}

static void queue(struct emitted *emitted, int32_t tid, const char *letters,
		  uint64_t sector, uint64_t sectors, uint64_t time_ns)
{
	struct block_io io = {
		.range = { DISK, sector, sectors },
		.task = { .tid = tid, .pid = tid },
		.queued_ns = time_ns,
	};

	memcpy(io.letters, letters, strlen(letters));
	ck_assert_int_eq(block_ios_queue(&emitted->ios, &io), 0);
}

static void issue(struct emitted *emitted, const char *letters, uint64_t sector,
		  uint64_t sectors, uint64_t time_ns)
{
	block_ios_issue(&emitted->ios,
			&(struct block_range){ DISK, sector, sectors }, letters,
			time_ns);
}

static void complete(struct emitted *emitted, const char *letters,
		     uint64_t sector, uint64_t sectors, uint64_t time_ns)
{
	ck_assert_int_eq(block_ios_complete(&emitted->ios,
					    &(struct block_range){ DISK, sector,
								   sectors },
					    letters, CPU, time_ns),
			 0);
}

/* Thread @tid sleeps for @asleep_ns and is woken on @cpu. */
static void wake(struct emitted *emitted, int32_t cpu, int32_t tid,
		 uint64_t asleep_ns, uint64_t wake_ns)
{
	const struct task task = { .tid = tid };
	const struct sleep sleep = {
		.task = &task,
		.asleep_ns = asleep_ns,
		.wake_ns = wake_ns,
	};

	ck_assert_int_eq(block_ios_wake(&emitted->ios, cpu, tid, wake_ns), 0);
	ck_assert_int_eq(block_ios_slept(&emitted->ios, &sleep), 0);
}

START_TEST(adjacent_reads_are_merged_into_one_request)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OWN, "R", 100, 8, 10);
	queue(&all, OWN, "R", 108, 8, 20);
	queue(&all, OWN, "R", 500, 8, 30);
	issue(&all, "R", 100, 16, 40);
	complete(&all, "R", 100, 16, 90);
	ck_assert_uint_eq(all.count, 2);
	for (size_t i = 0; i < 2; i++) {
		ck_assert_uint_eq(all.done[i].issued_ns, 40);
		ck_assert_uint_eq(all.done[i].completed_ns, 90);
		ck_assert(!all.done[i].is_inferred);
		ck_assert_uint_eq(all.done[i].is_merged,
				  all.done[i].range.sector == 108);
		ck_assert_uint_eq(all.done[i].requests,
				  all.done[i].range.sector == 100);
	}
	close_all(&all, 3);
	ck_assert_uint_eq(all.done[2].completed_ns, 0);
}
END_TEST

START_TEST(a_split_write_is_complete_with_its_last_request)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OWN, "WS", 100, 64, 10);
	issue(&all, "WS", 100, 32, 20);
	issue(&all, "WS", 132, 32, 30);
	complete(&all, "WS", 132, 32, 40);
	ck_assert_uint_eq(all.count, 0);
	complete(&all, "WS", 100, 32, 50);
	ck_assert_uint_eq(all.count, 1);
	ck_assert_uint_eq(all.done[0].requests, 2);
	ck_assert_uint_eq(all.done[0].issued_ns, 20);
	ck_assert_uint_eq(all.done[0].completed_ns, 50);
	close_all(&all, 1);
}
END_TEST

START_TEST(equal_sectors_are_ambiguous_only_in_one_direction)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OWN, "R", 100, 8, 10);
	queue(&all, OTHER, "W", 100, 8, 20);
	issue(&all, "W", 100, 8, 30);
	complete(&all, "W", 100, 8, 40);
	ck_assert_uint_eq(all.count, 1);
	ck_assert_int_eq(all.done[0].task.tid, OTHER);
	ck_assert(!all.done[0].is_inferred);
	queue(&all, OTHER, "R", 104, 8, 50);
	close_all(&all, 3);
	ck_assert(all.done[1].is_inferred && all.done[2].is_inferred);
}
END_TEST

/* The kernel ends a flush's own request after the device's. */
START_TEST(a_flush_ends_with_the_request_that_was_sent_after_it)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OWN, "FWS", 0, 0, 10);
	issue(&all, "FF", 0, 0, 20);
	queue(&all, OTHER, "FWS", 0, 0, 30);
	complete(&all, "FF", 0, 0, 40);
	complete(&all, "WS", 0, 0, 41);
	wake(&all, CPU, OWN, 31, 42);
	ck_assert_uint_eq(all.count, 1);
	ck_assert_int_eq(all.done[0].task.tid, OWN);
	ck_assert_uint_eq(all.sleeps, 1);
	ck_assert_uint_eq(all.slept.queue_ns, 9);
	ck_assert_uint_eq(all.slept.device_ns, 20);
	close_all(&all, 2);
	ck_assert_uint_eq(all.done[1].issued_ns, 0);
}
END_TEST

START_TEST(a_flushing_write_ends_after_its_flush)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OWN, "FWFS", 100, 8, 10);
	issue(&all, "FF", 0, 0, 20);
	complete(&all, "FF", 0, 0, 30);
	issue(&all, "WS", 100, 8, 40);
	complete(&all, "WS", 100, 8, 50);
	ck_assert_uint_eq(all.count, 0);
	complete(&all, "WS", 100, 0, 70);
	ck_assert_uint_eq(all.count, 1);
	ck_assert_uint_eq(all.done[0].issued_ns, 40);
	ck_assert_uint_eq(all.done[0].completed_ns, 70);
	close_all(&all, 1);
}
END_TEST

/* A device that flushes with the data sends no second completion. */
START_TEST(flushing_writes_without_a_flush_are_emitted_too)
{
	struct emitted all;

	open_all(&all);
	for (uint64_t i = 0; i < MOST; i++) {
		queue(&all, OWN, "WFS", 100 + 8 * i, 8, 10);
		issue(&all, "WFS", 100 + 8 * i, 8, 20);
		complete(&all, "WFS", 100 + 8 * i, 8, 50);
	}
	ck_assert_uint_gt(all.count, 0);
	close_all(&all, MOST);
	for (size_t i = 0; i < MOST; i++)
		ck_assert_uint_eq(all.done[i].completed_ns, 50);
}
END_TEST

START_TEST(a_sleep_belongs_to_the_io_that_its_cpu_completed)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OTHER, "R", 100, 8, 10);
	queue(&all, OWN, "R", 108, 8, 30);
	issue(&all, "R", 100, 16, 40);
	complete(&all, "R", 100, 16, 90);
	wake(&all, CPU + 1, OWN, 65, 90);
	ck_assert_uint_eq(all.sleeps, 0);
	wake(&all, CPU, OWN, 65, 91);
	ck_assert_uint_eq(all.sleeps, 1);
	ck_assert_int_eq(all.slept_for.task.tid, OWN);
	ck_assert_uint_eq(all.slept.asleep_ns, 65);
	ck_assert_uint_eq(all.slept.queue_ns, 10);
	ck_assert_uint_eq(all.slept.device_ns, 50);
	wake(&all, CPU, 9, 65, 92);
	ck_assert_int_eq(all.slept_for.task.tid, OTHER);
	/* A completion of unknown I/O replaces the last completion of the CPU.
	 */
	complete(&all, "R", 700, 8, 95);
	wake(&all, CPU, OWN, 2, 96);
	ck_assert_uint_eq(all.sleeps, 2);
	/* Also one without sectors, such as a command for the device. */
	queue(&all, OWN, "R", 100, 8, 110);
	issue(&all, "R", 100, 8, 120);
	complete(&all, "R", 100, 8, 130);
	complete(&all, "N", 0, 0, 140);
	wake(&all, CPU, OWN, 30, 141);
	ck_assert_uint_eq(all.sleeps, 2);
	close_all(&all, 3);
}
END_TEST

/* Thread @tid, which was woken at @wake_ns, runs again after @asleep_ns. */
static void run_again(struct emitted *emitted, int32_t tid, uint64_t asleep_ns,
		      uint64_t wake_ns)
{
	const struct task task = { .tid = tid };
	const struct sleep sleep = { .task = &task,
				     .asleep_ns = asleep_ns,
				     .wake_ns = wake_ns };

	ck_assert_int_eq(block_ios_slept(&emitted->ios, &sleep), 0);
}

/* Threads 1 to 3 wait from 30, 10 and 20 until 100, 101 and 102. */
START_TEST(waiters_for_one_io_are_counted)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OWN, "R", 100, 8, 5);
	issue(&all, "R", 100, 8, 6);
	complete(&all, "R", 100, 8, 99);
	for (int32_t tid = 1; tid <= 3; tid++)
		ck_assert_int_eq(block_ios_wake(&all.ios, CPU, tid,
						99 + (uint64_t)tid),
				 0);
	run_again(&all, 2, 91, 101);
	run_again(&all, 3, 82, 102);
	/* The third may have waited too. */
	ck_assert_uint_eq(all.sleeps, 0);
	run_again(&all, 1, 70, 100);
	ck_assert_uint_eq(all.sleeps, 3);
	for (size_t i = 0; i < 3; i++) {
		static const uint32_t before[] = { 2, 0, 1 };

		ck_assert_uint_eq(all.others[i][0], before[i]);
		ck_assert_uint_eq(all.others[i][1], 2 - i);
	}
	close_all(&all, 1);
	ck_assert_uint_eq(all.sleeps, 3);
}
END_TEST

/* Thread 1 never runs again: the sleep of thread 2 waits for the end, or until
 * thread 1 is woken for another I/O.
 */
START_TEST(a_waiter_that_never_runs_delays_the_others)
{
	for (int again = 0; again < 2; again++) {
		struct emitted all;

		open_all(&all);
		queue(&all, OWN, "R", 100, 8, 5);
		issue(&all, "R", 100, 8, 6);
		complete(&all, "R", 100, 8, 99);
		ck_assert_int_eq(block_ios_wake(&all.ios, CPU, 1, 100), 0);
		ck_assert_int_eq(block_ios_wake(&all.ios, CPU, 2, 101), 0);
		run_again(&all, 2, 91, 101);
		ck_assert_uint_eq(all.sleeps, 0);
		if (again)
			ck_assert_int_eq(block_ios_wake(&all.ios, CPU, 1, 200),
					 0);
		ck_assert_uint_eq(all.sleeps, again);
		close_all(&all, 1);
		ck_assert_uint_eq(all.sleeps, 1);
		ck_assert_uint_eq(all.others[0][1], 0);
	}
}
END_TEST

START_TEST(a_device_without_requests_has_no_queue)
{
	struct emitted all;

	open_all(&all);
	queue(&all, OWN, "R", 100, 8, 10);
	ck_assert_int_eq(
		block_ios_complete_bio(&all.ios,
				       &(struct block_range){ DISK, 100, 8 },
				       "R", CPU, 60),
		0);
	ck_assert_uint_eq(all.count, 1);
	ck_assert_uint_eq(all.done[0].issued_ns, 10);
	close_all(&all, 1);
}
END_TEST

SUITE("block_io")
{
	TEST(adjacent_reads_are_merged_into_one_request);
	TEST(a_split_write_is_complete_with_its_last_request);
	TEST(equal_sectors_are_ambiguous_only_in_one_direction);
	TEST(a_flush_ends_with_the_request_that_was_sent_after_it);
	TEST(a_flushing_write_ends_after_its_flush);
	TEST(flushing_writes_without_a_flush_are_emitted_too);
	TEST(a_sleep_belongs_to_the_io_that_its_cpu_completed);
	TEST(waiters_for_one_io_are_counted);
	TEST(a_waiter_that_never_runs_delays_the_others);
	TEST(a_device_without_requests_has_no_queue);
}
