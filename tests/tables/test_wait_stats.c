/* SPDX-License-Identifier: MIT */
/* Threads' waits for a CPU, their length, and the threads that ran instead. */
#include "report/steps/call_step.h"
#include "tables/waits/runqueue_table_internal.h"
#include "tests/run_suite.h"

struct fixture {
	struct task tasks[4];
	struct cpu_runs runs;
	struct cpu_waits waits;
	struct wait_stats stats;
};

static int consume_wait(void *ctx, const struct cpu_wait *wait)
{
	struct fixture *fixture = ctx;

	return wait_stats_add(&fixture->stats, wait->task->index,
			      wait->task->pid, wait, &fixture->runs);
}

static void begin(struct fixture *fixture)
{
	fixture->runs = CPU_RUNS_NONE;
	fixture->stats = WAIT_STATS_NONE;
	fixture->waits = cpu_waits_of(consume_wait, fixture);
	for (uint32_t i = 0; i < 4; i++)
		fixture->tasks[i] = (struct task){
			.index = i,
			.tid = (int32_t)i * 10,
			.pid = (int32_t)i * 10,
		};
}

static void end(struct fixture *fixture)
{
	cpu_runs_free(&fixture->runs);
	cpu_waits_free(&fixture->waits);
	wait_stats_free(&fixture->stats);
}

/* From @time_ns on task @index runs on @cpu. */
static void runs(struct fixture *fixture, uint64_t time_ns, uint32_t cpu,
		 uint32_t index)
{
	const struct call_step step = {
		.kind = STEP_SWITCH,
		.time_ns = time_ns,
		.cpu = cpu,
		.task = &fixture->tasks[index],
	};

	ck_assert_int_eq(cpu_runs_consume(&fixture->runs, &step), 0);
}

static void spends(struct fixture *fixture, uint32_t index, uint64_t begin_ns,
		   uint64_t end_ns, enum time_class time_class, int32_t cpu)
{
	const struct time_span span = {
		.task = &fixture->tasks[index],
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.time_class = (uint8_t)time_class,
		.cpu = cpu,
	};

	ck_assert_int_eq(cpu_waits_span(&fixture->waits, &span), 0);
}

static void spends_throttled(struct fixture *fixture, uint32_t index,
			     uint64_t begin_ns, uint64_t end_ns)
{
	const struct time_span span = {
		.task = &fixture->tasks[index],
		.begin_ns = begin_ns,
		.end_ns = end_ns,
		.time_class = TIME_RUNNABLE,
		.is_throttled = true,
	};

	ck_assert_int_eq(cpu_waits_span(&fixture->waits, &span), 0);
}

static const struct wait_stat *finish(struct fixture *fixture)
{
	ck_assert_int_eq(cpu_waits_end(&fixture->waits), 0);
	wait_stats_sort(&fixture->stats);
	ck_assert_uint_eq(fixture->stats.rows.items.count, 1);
	return array_at(&fixture->stats.rows.items, 0);
}

static void ran_instead(const struct wait_stat *stat, size_t index, int32_t tid,
			uint64_t ns)
{
	const struct run_instead *item;

	ck_assert_uint_lt(index, stat->instead.items.count);
	item = array_at(&stat->instead.items, index);
	ck_assert_int_eq(item->tid, tid);
	ck_assert_uint_eq(item->ns, ns);
}

/* Task 10 is preempted by 20, then 30 runs, then 10 continues. */
START_TEST(a_preempted_thread_waits_for_those_that_run)
{
	struct fixture f;
	const struct wait_stat *stat;

	begin(&f);
	runs(&f, 0, 0, 1);
	spends(&f, 1, 0, 100, TIME_USER, 0);
	runs(&f, 100, 0, 2);
	runs(&f, 150, 0, 3);
	runs(&f, 400, 0, 1);
	spends(&f, 1, 100, 400, TIME_RUNNABLE, 0);
	spends(&f, 1, 400, 500, TIME_USER, 0);
	stat = finish(&f);
	ck_assert_int_eq(stat->tid, 10);
	ck_assert_uint_eq(stat->waits.count, 1);
	ck_assert_uint_eq(stat->waits.total, 300);
	ck_assert_uint_eq(stat->preempted, 1);
	ck_assert_uint_eq(stat->instead.items.count, 2);
	ran_instead(stat, 0, 30, 250);
	ran_instead(stat, 1, 20, 50);
	end(&f);
}
END_TEST

/* The thread slept on CPU 0 and runs on CPU 1, where 20 was: CPU 0 does not
 * count.
 */
START_TEST(a_woken_thread_waits_where_it_runs_then)
{
	struct fixture f;
	const struct wait_stat *stat;

	begin(&f);
	runs(&f, 0, 0, 3);
	runs(&f, 0, 1, 2);
	spends(&f, 1, 0, 200, TIME_ASLEEP, 0);
	runs(&f, 260, 1, 1);
	spends(&f, 1, 200, 260, TIME_RUNNABLE, 0);
	spends(&f, 1, 260, 300, TIME_SYSTEM_CALL, 1);
	stat = finish(&f);
	ck_assert_uint_eq(stat->waits.total, 60);
	ck_assert_uint_eq(stat->preempted, 0);
	ck_assert_uint_eq(stat->instead.items.count, 1);
	ran_instead(stat, 0, 20, 60);
	end(&f);
}
END_TEST

/* Adjacent spans are one wait; the idle task is not counted as running. */
START_TEST(a_wait_is_one_whatever_it_is_cut_into)
{
	struct fixture f;
	const struct wait_stat *stat;

	begin(&f);
	runs(&f, 0, 0, 0);
	spends(&f, 1, 0, 10, TIME_RUNNABLE, 0);
	spends(&f, 1, 10, 30, TIME_RUNNABLE, 0);
	spends(&f, 1, 30, 40, TIME_USER, 0);
	spends(&f, 1, 40, 45, TIME_RUNNABLE, 0);
	stat = finish(&f);
	ck_assert_uint_eq(stat->waits.count, 2);
	ck_assert_uint_eq(stat->waits.total, 35);
	ck_assert_uint_eq(stat->waits.max, 30);
	ck_assert_uint_eq(stat->preempted, 1);
	ck_assert_uint_eq(stat->instead.items.count, 0);
	ck_assert_uint_eq(stat->idle_ns, 35);
	end(&f);
}
END_TEST

/* Task 1 waits on CPU 0 from 100 to 200. CPU 1 is idle until 120 and from 150
 * to 170, CPU 2 from 160 on.
 */
START_TEST(idle_cpus_elsewhere_count_once)
{
	const struct wait_stat *stat;
	struct fixture f;

	begin(&f);
	runs(&f, 0, 0, 2);
	runs(&f, 0, 1, 0);
	runs(&f, 10, 2, 3);
	runs(&f, 120, 1, 2);
	runs(&f, 150, 1, 0);
	runs(&f, 160, 2, 0);
	runs(&f, 170, 1, 3);
	runs(&f, 200, 0, 1);
	spends(&f, 1, 100, 200, TIME_RUNNABLE, 0);
	spends(&f, 1, 200, 210, TIME_USER, 0);
	stat = finish(&f);
	ck_assert_uint_eq(stat->waits.total, 100);
	ck_assert_uint_eq(stat->idle_ns, 0);
	ck_assert_uint_eq(stat->idle_elsewhere_ns, 20 + 50);
	end(&f);
}
END_TEST

/* The cgroup of 10 is throttled from 20 to 60; the CPU is idle until 50. */
START_TEST(a_throttled_thread_waits_for_its_cgroup)
{
	const struct wait_stat *stat;
	struct fixture f;

	begin(&f);
	runs(&f, 0, 0, 0);
	runs(&f, 50, 0, 2);
	spends(&f, 1, 10, 20, TIME_RUNNABLE, 0);
	spends_throttled(&f, 1, 20, 60);
	spends(&f, 1, 60, 70, TIME_RUNNABLE, 0);
	stat = finish(&f);
	ck_assert_uint_eq(stat->waits.total, 60);
	ck_assert_uint_eq(stat->throttled_ns, 40);
	ck_assert_uint_eq(stat->idle_ns, 40);
	ran_instead(stat, 0, 20, 20);
	end(&f);
}
END_TEST

SUITE("wait_stats")
{
	TEST(a_preempted_thread_waits_for_those_that_run);
	TEST(a_woken_thread_waits_where_it_runs_then);
	TEST(a_wait_is_one_whatever_it_is_cut_into);
	TEST(idle_cpus_elsewhere_count_once);
	TEST(a_throttled_thread_waits_for_its_cgroup);
}
