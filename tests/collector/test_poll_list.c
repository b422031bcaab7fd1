/* SPDX-License-Identifier: MIT */
/* A recording of one CPU and two processes: pipes stand for rings and ends. */
#include "collector/hit_keeper_internal.h"
#include "collector/recording_loop_internal.h"
#include "collector/recording_setup_internal.h"
#include "tests/run_suite.h"

#include <unistd.h>

static struct collector_options options;
static struct recording_setup setup;
static struct hit_keeper keeper;
static struct poll_list list;
static int trace[2];
static int ends[2][2];

static void set_up(void)
{
	struct cpu_rings *rings;

	ck_assert_int_eq(pipe(trace), 0);
	options = (struct collector_options){ 0 };
	setup = (struct recording_setup){
		.options = &options,
		.events.cpus = ARRAY_OF(struct cpu_rings),
	};
	rings = array_add(&setup.events.cpus);
	ck_assert_ptr_nonnull(rings);
	for (int kind = 0; kind < RING_COUNT; kind++)
		rings->fd[kind] = -1;
	rings->fd[RING_TRACE] = trace[0];
	keeper = (struct hit_keeper){
		.triggers.triggers = ARRAY_OF(struct trigger),
		.processes = PROCESS_WATCH_EMPTY,
	};
}

static void watch_processes(void)
{
	for (int i = 0; i < 2; i++) {
		int *fd = array_add(&keeper.processes.fds);

		ck_assert_int_eq(pipe(ends[i]), 0);
		ck_assert_ptr_nonnull(fd);
		*fd = ends[i][0];
	}
}

static void open_list(void)
{
	ck_assert_int_eq(poll_list_open(&list, &setup, &keeper), 0);
}

static void tear_down(void)
{
	poll_list_free(&list);
	array_free(&setup.events.cpus);
	array_free(&keeper.processes.fds);
	close(trace[0]);
}

START_TEST(an_event_is_reported_at_its_index)
{
	int line[2];

	open_list();
	ck_assert_int_eq(pipe(line), 0);
	poll_list_set(&list, POLL_CHOICE, line[0]);
	ck_assert_int_eq(write(line[1], "x", 1), 1);
	ck_assert_int_eq(poll_list_wait(&list), 0);
	ck_assert(poll_list_has(&list, POLL_CHOICE));
	ck_assert(!poll_list_has(&list, POLL_SIGNALS));
	ck_assert(!poll_list_has(&list, POLL_TIMER));
	close(line[0]);
	close(line[1]);
	close(trace[1]);
}
END_TEST

START_TEST(no_trace_comes_when_its_tasks_have_ended)
{
	open_list();
	ck_assert_int_eq(write(trace[1], "x", 1), 1);
	ck_assert_int_eq(poll_list_wait(&list), 0);
	ck_assert(!poll_list_drop_rings(&list));
	close(trace[1]);
	ck_assert_int_eq(poll_list_wait(&list), 0);
	ck_assert(poll_list_drop_rings(&list));
}
END_TEST

START_TEST(processes_are_over_when_all_have_ended)
{
	watch_processes();
	open_list();
	close(ends[0][1]);
	ck_assert_int_eq(poll_list_wait(&list), 0);
	ck_assert(!poll_list_drop_processes(&list));
	close(ends[1][1]);
	ck_assert_int_eq(poll_list_wait(&list), 0);
	ck_assert(poll_list_drop_processes(&list));
	ck_assert(!poll_list_drop_rings(&list));
	close(ends[0][0]);
	close(ends[1][0]);
	close(trace[1]);
}
END_TEST

START_TEST(an_empty_watch_is_never_over)
{
	open_list();
	ck_assert(!poll_list_drop_processes(&list));
	close(trace[1]);
}
END_TEST

SUITE("poll_list")
{
	FIXTURE(set_up, tear_down);
	TEST(an_event_is_reported_at_its_index);
	TEST(no_trace_comes_when_its_tasks_have_ended);
	TEST(processes_are_over_when_all_have_ended);
	TEST(an_empty_watch_is_never_over);
}
