/* SPDX-License-Identifier: MIT */
/* The last worker of a pool, and the event loop that was held longest. */
#include "explain/remarks_internal.h"

#include "report/text/task_names.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

/* Threads by index: a process, three workers that it created, a thread of the
 * kernel.
 */
enum { MAIN, FIRST, SECOND, THIRD, KTHREAD, THREADS };

enum { END_NS = 1000 };

/* A row of a worker: it runs, or sleeps until something wakes it. */
struct row {
	uint32_t thread; /* 0: no more rows */
	uint64_t begin_ns;
	uint64_t end_ns;
	enum {
		RUNS,
		WAITS,	       /* for work of MAIN */
		WAITS_FOREVER, /* the end of the sleep was not recorded */
		READS,	       /* until an interrupt */
		READS_BY_KTHREAD,
	} kind;
};

/* FOR_LOCK: MAIN waits for a lock of SECOND. IS_THREADS: the workers are
 * threads of MAIN's process. HAS_OTHER: THIRD has another name.
 */
enum { FOR_LOCK = 1, IS_THREADS = 2, HAS_OTHER = 4 };

struct worker_case {
	const char *title;
	struct row rows[8];
	/* the path's time in SECOND; what comes before is in MAIN */
	uint64_t begin_ns;
	uint64_t end_ns;
	uint32_t workers; /* wanted; 0: no last worker */
	uint64_t since_ns;
	unsigned int flags;
};

struct fixture {
	struct lives lives;
	struct task_names *names;
	struct path_options options;
};

static bool is_chosen(void *ctx, uint32_t thread)
{
	(void)ctx;
	return thread != KTHREAD;
}

static bool is_kernel(void *ctx, uint32_t thread)
{
	(void)ctx;
	return thread == KTHREAD;
}

static int consume_none(void *ctx, const struct path_link *link)
{
	(void)ctx;
	(void)link;
	return 0;
}

static void add_row(struct fixture *f, const struct row *from)
{
	struct life *life = lives_reach(&f->lives, from->thread);
	struct life_row row = {
		.begin_ns = from->begin_ns,
		.end_ns = from->end_ns,
		.kind = from->kind == RUNS ? LIFE_RUNS : LIFE_SLEEPS,
		.detail = (uint32_t)f->lives.sleeps.count,
	};
	struct life_sleep sleep = { .wake = WAKE_BY_THREAD, .waker = MAIN };

	if (from->kind == READS)
		sleep.wake = WAKE_BY_INTERRUPT;
	if (from->kind == WAITS_FOREVER)
		sleep.wake = WAKE_UNKNOWN;
	if (from->kind == READS_BY_KTHREAD)
		sleep.waker = KTHREAD;
	ck_assert_int_eq(array_append(&f->lives.sleeps, &sleep), 0);
	ck_assert_int_eq(array_append(&life->rows, &row), 0);
}

static void begin(struct fixture *f, unsigned int flags)
{
	const struct life_birth birth = { .time_ns = 1, .parent = MAIN };

	f->lives = LIVES_NONE;
	f->names = task_names_empty();
	for (uint32_t i = 0; i < THREADS; i++) {
		struct life *life = lives_reach(&f->lives, i);
		const char *name = i == THIRD && flags & HAS_OTHER ? "other" :
								     "worker";

		ck_assert_ptr_nonnull(life);
		life->tid = (int32_t)i + 10;
		life->pid = flags & IS_THREADS && i <= THIRD ? 10 : life->tid;
		ck_assert_int_eq(array_append(&life->births, &birth), 0);
		ck_assert_int_eq(task_names_add(f->names, life->tid,
						i == MAIN ? "main" : name),
				 0);
	}
	f->options = (struct path_options){ .lives = &f->lives,
					    .thread = MAIN,
					    .end_ns = END_NS,
					    .is_chosen = is_chosen,
					    .is_kernel = is_kernel,
					    .consume = consume_none };
}

static void end(struct fixture *f)
{
	task_names_close(f->names);
	lives_free(&f->lives);
}

static const struct worker_case worker_cases[] = {
	{ "the others wait for work or have ended",
	  { { FIRST, 100, 300, RUNS },
	    { FIRST, 300, 1000, WAITS },
	    { SECOND, 100, 900, RUNS },
	    { THIRD, 100, 200, RUNS } },
	  100,
	  900,
	  3,
	  300,
	  0 },
	{ "another one reads from a disk",
	  { { FIRST, 100, 900, READS }, { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  0,
	  0,
	  0 },
	{ "another one waits for the kernel's thread",
	  { { FIRST, 100, 900, READS_BY_KTHREAD }, { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  0,
	  0,
	  0 },
	{ "the other waits for ever",
	  { { FIRST, 100, 200, RUNS },
	    { FIRST, 200, 1000, WAITS_FOREVER },
	    { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  2,
	  200,
	  0 },
	{ "the others had ended before it began",
	  { { FIRST, 10, 90, RUNS }, { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  0,
	  0,
	  0 },
	{ "it was alone for less than a tenth",
	  { { FIRST, 100, 850, RUNS }, { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  0,
	  0,
	  0 },
	{ "a program of another name is no worker",
	  { { THIRD, 100, 300, RUNS }, { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  0,
	  0,
	  HAS_OTHER },
	{ "threads of one process",
	  { { FIRST, 100, 300, RUNS }, { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  2,
	  300,
	  IS_THREADS },
	{ "the first thread waits for a lock of the worker",
	  { { FIRST, 100, 300, RUNS }, { SECOND, 100, 900, RUNS } },
	  100,
	  900,
	  2,
	  300,
	  FOR_LOCK | IS_THREADS },
};

START_TEST(last_workers)
{
	const struct worker_case *c = &worker_cases[_i];
	const struct life_sleep sleep = { .call = 0 };
	const struct path_cause lock = { CAUSE_LOCK, MAIN, SECOND, 0, &sleep };
	struct path_link link = { .thread = SECOND,
				  .begin_ns = (c->begin_ns + c->end_ns) / 2,
				  .end_ns = c->end_ns };
	struct path_link first = { .thread = MAIN, .end_ns = c->begin_ns };
	struct last_worker last = LAST_WORKER_NONE;
	struct fixture f;

	begin(&f, c->flags);
	for (const struct row *row = c->rows; row->thread; row++)
		add_row(&f, row);
	link.causes = &lock;
	link.cause_count = c->flags & FOR_LOCK;
	/* Two links are one stretch. */
	last_worker_consume(&last, &f.options, f.names, &link);
	link.end_ns = link.begin_ns;
	link.begin_ns = c->begin_ns;
	last_worker_consume(&last, &f.options, f.names, &link);
	last_worker_consume(&last, &f.options, f.names, &first);
	last_worker_end(&last, &f.options, f.names);
	ck_assert_msg(last.workers == c->workers, "%s: %u workers", c->title,
		      last.workers);
	if (c->workers) {
		ck_assert_uint_eq(last.thread, SECOND);
		ck_assert_uint_eq(last.begin_ns, c->since_ns);
		ck_assert_uint_eq(last.end_ns, c->end_ns);
	}
	end(&f);
}
END_TEST

/* Of the kernel's thread or outside the path a loop does not count. */
START_TEST(the_loop_that_was_held_longest)
{
	static const struct {
		struct life_loop first;
		struct life_loop second;
		uint32_t thread;
		uint32_t wanted;
	} cases[] = {
		{ { .returns = 8, .held_begin_ns = 200, .held_end_ns = 500 },
		  { .returns = 8, .held_begin_ns = 200, .held_end_ns = 600 },
		  SECOND,
		  SECOND },
		{ { .returns = 8, .held_begin_ns = 200, .held_end_ns = 500 },
		  { .returns = 7, .held_begin_ns = 200, .held_end_ns = 600 },
		  SECOND,
		  FIRST },
		{ { .returns = 8, .held_begin_ns = 200, .held_end_ns = 500 },
		  { .returns = 8, .held_begin_ns = 50, .held_end_ns = 600 },
		  SECOND,
		  FIRST },
		{ { .returns = 8, .held_begin_ns = 200, .held_end_ns = 500 },
		  { .returns = 8, .held_begin_ns = 200, .held_end_ns = 1001 },
		  SECOND,
		  FIRST },
		{ { .returns = 8, .held_begin_ns = 200, .held_end_ns = 500 },
		  { .returns = 8, .held_begin_ns = 200, .held_end_ns = 600 },
		  KTHREAD,
		  FIRST },
		{ { .returns = 8, .held_begin_ns = 200, .held_end_ns = 289 },
		  { .returns = 0 },
		  SECOND,
		  LIFE_NONE },
	};
	struct fixture f;

	begin(&f, 0);
	f.options.begin_ns = 100;
	lives_reach(&f.lives, FIRST)->loop = cases[_i].first;
	lives_reach(&f.lives, cases[_i].thread)->loop = cases[_i].second;
	ck_assert_uint_eq(longest_held(&f.options, 100), cases[_i].wanted);
	end(&f);
}
END_TEST

/* Two threads of a process in epoll_wait(), a call of function 5: FIRST's loop
 * is held from 200 to 600.
 */
struct turn {
	uint64_t first_ns[2];  /* FIRST sleeps in the call */
	uint64_t second_ns[2]; /* SECOND is in the call */
	bool runs;	       /* without a sleep */
	uint32_t wanted;
};

static void add_call(struct fixture *f, uint32_t thread,
		     const uint64_t time_ns[2], uint32_t call, bool runs)
{
	const struct life_row row = {
		.begin_ns = time_ns[0],
		.end_ns = time_ns[1],
		.kind = runs ? LIFE_RUNS : LIFE_SLEEPS,
		.first_part = (uint32_t)f->lives.parts.count,
		.part_count = runs,
		.detail = (uint32_t)f->lives.sleeps.count,
	};
	const struct life_sleep sleep = { .call = call };
	const struct life_part part = {
		.kind = WORK_CALL,
		.function = call,
		.ns = time_ns[1] - time_ns[0],
	};

	if (runs)
		ck_assert_int_eq(array_append(&f->lives.parts, &part), 0);
	else
		ck_assert_int_eq(array_append(&f->lives.sleeps, &sleep), 0);
	ck_assert_int_eq(
		array_append(&lives_reach(&f->lives, thread)->rows, &row), 0);
}

START_TEST(a_loop_that_another_thread_serves_is_not_held)
{
	static const struct turn turns[] = {
		/* As Go's threads do: one at a time. */
		{ { 150, 200 }, { 300, 400 }, false, LIFE_NONE },
		{ { 150, 200 }, { 300, 400 }, true, LIFE_NONE },
		/* Each thread has a loop of its own. */
		{ { 150, 200 }, { 160, 400 }, false, FIRST },
		/* SECOND was not there meanwhile. */
		{ { 150, 200 }, { 100, 140 }, false, FIRST },
		{ { 150, 200 }, { 600, 700 }, false, FIRST },
	};
	const struct turn *turn = &turns[_i];
	struct fixture f;
	struct life_loop loop = {
		.returns = 8,
		.held_begin_ns = 200,
		.held_end_ns = 600,
	};

	begin(&f, IS_THREADS);
	f.options.begin_ns = 100;
	loop.call = lives_add_call(&f.lives, 5, NULL);
	lives_reach(&f.lives, FIRST)->loop = loop;
	add_call(&f, FIRST, turn->first_ns, loop.call, false);
	add_call(&f, SECOND, turn->second_ns, loop.call, turn->runs);
	ck_assert_uint_eq(longest_held(&f.options, 100), turn->wanted);
	end(&f);
}
END_TEST

SUITE("remarks")
{
	TEST_EACH(last_workers, worker_cases);
	TEST_TIMES(the_loop_that_was_held_longest, 6);
	TEST_TIMES(a_loop_that_another_thread_serves_is_not_held, 5);
}
