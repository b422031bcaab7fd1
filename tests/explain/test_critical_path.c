/* SPDX-License-Identifier: MIT */
/* The critical path of made-up recordings, whose links are known. */
#include "explain/critical_path_internal.h"

#include "attribution/allowed_cpus.h"
#include "attribution/events/known_events.h"
#include "attribution/trackers.h"
#include "explain/life_reader_internal.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/function_table.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/span_story.h"
#include "tests/fixtures/task_script.h"
#include "tests/run_suite.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Threads up to 99 are of the command, up to 899 of other programs, the others
 * of the kernel. The path is that of thread 7 up to its last row's end.
 */
enum { LAST_CHOSEN = 99, LAST_OTHER = 899 };

struct path_story {
	const char *title;
	void (*play)(struct attribution_fixture *f);
	/* The links, the last first: "begin-end tid kind", with " ns N" if the
	 * link has only a part of this time, " F" for a function or system
	 * call, " count N" of faults, " by TID" for the thread that had the
	 * CPU, " ?" if it is inferred or not known, " (futex of 8 for 7)" for a
	 * cause.
	 */
	const char *links;
	uint64_t begin_ns; /* of the path */
	uint64_t end_ns;
	uint64_t since_ns;   /* of the window */
	const char *allowed; /* list of the CPUs of threads; or NULL */
	/* the path is that of the request of thread 7 which this thread had; 0:
	 * the path is that of thread 7
	 */
	int32_t server;
};

struct script {
	struct attribution_fixture *fixture;
	struct trackers *trackers;
	struct task_names *names;
	struct life_reader *reader;
	const struct lives *lives;
	const struct function_table *functions;
	FILE *out;
	uint64_t sum_ns;
};

static const char *const kinds[LINK_KINDS] = {
	[LINK_USER] = "user",	      [LINK_CALL] = "call",
	[LINK_FAULT] = "fault",	      [LINK_INTERRUPT] = "interrupt",
	[LINK_KERNEL] = "kernel",     [LINK_TRACER] = "tracer",
	[LINK_GUEST] = "guest",	      [LINK_CPU] = "cpu",
	[LINK_IDLE] = "idle",	      [LINK_THROTTLED] = "throttled",
	[LINK_AFFINITY] = "affinity", [LINK_RECORDER] = "recorder",
	[LINK_DISK] = "disk",	      [LINK_NETWORK] = "network",
	[LINK_TIMER] = "timer",	      [LINK_OVER_HIGH] = "memory",
	[LINK_DIRTY] = "dirty",	      [LINK_RECLAIM] = "reclaim",
	[LINK_DEVICE] = "device",     [LINK_WAIT] = "wait",
	[LINK_UNKNOWN] = "unknown",
};

static int32_t tid_of(const struct script *script, uint32_t thread)
{
	const struct life *life = lives_at(script->lives, thread);

	return life ? life->tid : -1;
}

static bool is_chosen(void *ctx, uint32_t thread)
{
	return tid_of(ctx, thread) <= LAST_CHOSEN;
}

static bool is_kernel(void *ctx, uint32_t thread)
{
	return tid_of(ctx, thread) > LAST_OTHER;
}

static void write_cause(const struct script *script,
			const struct path_cause *cause)
{
	static const char *const names[] = {
		[CAUSE_LOCK] = "lock of",
		[CAUSE_FUTEX] = "futex of",
		[CAUSE_REPLY] = "reply of",
		[CAUSE_HELPER] = "help of",
	};

	fprintf(script->out, " (%s %d for %d)", names[cause->kind],
		tid_of(script, cause->actor), tid_of(script, cause->waiter));
}

static void write_function(const struct script *script, uint32_t function)
{
	if (function == FUNCTION_NONE || function == FUNCTION_UNKNOWN)
		return;
	fprintf(script->out, " %s",
		function_at(script->functions, function)->name);
}

static int write_link(void *ctx, const struct path_link *link)
{
	struct script *script = ctx;

	fprintf(script->out, "%" PRIu64 "-%" PRIu64 " %d %s", link->begin_ns,
		link->end_ns, tid_of(script, link->thread), kinds[link->kind]);
	if (link->ns != link->end_ns - link->begin_ns)
		fprintf(script->out, " ns %" PRIu64, link->ns);
	write_function(script, link->kind == LINK_CALL ?
				       lives_call_function(script->lives,
							   link->function) :
				       link->function);
	if (link->count)
		fprintf(script->out, " count %" PRIu32, link->count);
	if (link->sleep) {
		write_function(script, lives_call_function(script->lives,
							   link->sleep->call));
		write_function(script, link->sleep->inside);
	}
	if (link->other != LIFE_NONE)
		fprintf(script->out, " by %d", tid_of(script, link->other));
	if (link->certainty != LINK_EXACT)
		fputs(" ?", script->out);
	for (uint32_t i = 0; i < link->cause_count; i++)
		write_cause(script, &link->causes[i]);
	fputc('\n', script->out);
	script->sum_ns += link->ns;
	return 0;
}

static void open_script(struct script *script)
{
	struct trackers_options options = {
		.arch = &arch_x86_64,
		.time.evidence = { .has_switches = true,
				   .has_wakeups = true,
				   .has_all_cpus = true },
	};

	script->fixture = attribution_fixture_new();
	script->functions = attribution_fixture_functions(script->fixture);
	script->names = task_names_empty();
	options.time.functions = script->functions;
	options.time.kinds = attribution_fixture_kinds(script->fixture);
	options.time.names = script->names;
	script->trackers = trackers_new_with(&options);
	ck_assert_ptr_nonnull(script->trackers);
	script->reader =
		life_reader_new(script->trackers, script->functions, NULL);
	ck_assert_ptr_nonnull(script->reader);
	script->lives = life_reader_lives(script->reader);
	attribution_fixture_follow(script->fixture, script->trackers);
}

static void close_script(struct script *script)
{
	life_reader_free(script->reader);
	trackers_free(script->trackers);
	task_names_close(script->names);
	attribution_fixture_free(script->fixture);
}

static uint32_t find_thread(const struct script *script, int32_t tid)
{
	for (uint32_t i = 0; i < script->lives->threads.count; i++)
		if (tid_of(script, i) == tid)
			return i;
	ck_abort_msg("no thread %d", tid);
	return LIFE_NONE;
}

/* Invariant 3 of lives_internal.h, for all threads. */
static void check_rows(const struct lives *lives)
{
	for (uint32_t i = 0; i < lives->threads.count; i++) {
		const struct life *life = lives_at(lives, i);
		const struct life_row *rows = life->rows.items;

		for (size_t j = 0; j < life->rows.count; j++) {
			uint64_t sum_ns = 0;

			ck_assert_uint_lt(rows[j].begin_ns, rows[j].end_ns);
			if (j)
				ck_assert_uint_le(rows[j - 1].end_ns,
						  rows[j].begin_ns);
			for (uint32_t k = 0; k < rows[j].part_count; k++)
				sum_ns += ((const struct life_part *)array_at(
						   &lives->parts,
						   rows[j].first_part + k))
						  ->ns;
			if (rows[j].kind == LIFE_RUNS)
				ck_assert_uint_eq(sum_ns,
						  rows[j].end_ns -
							  rows[j].begin_ns);
		}
	}
}

static void walk(struct script *script, const struct path_story *story)
{
	uint32_t subject = find_thread(script, 7);
	uint32_t thread = story->server ? find_thread(script, story->server) :
					  subject;
	const struct path_cause cause = {
		.kind = CAUSE_REPLY,
		.waiter = subject,
		.actor = thread,
		.since_ns = story->since_ns,
	};
	const struct path_options options = {
		.lives = script->lives,
		.functions = script->functions,
		.thread = thread,
		.end_ns = story->end_ns,
		.begin_ns = story->since_ns,
		.cause = story->server ? &cause : NULL,
		.is_chosen = is_chosen,
		.is_kernel = is_kernel,
		.consume = write_link,
		.ctx = script,
	};
	uint64_t begin_ns = 0;

	ck_assert_int_eq(critical_path_walk(&options, &begin_ns), 0);
	ck_assert_uint_eq(begin_ns, story->begin_ns);
}

static void check(const struct path_story *story)
{
	struct script script = { 0 };
	char *text;
	size_t size;

	open_script(&script);
	if (story->allowed)
		ck_assert_int_eq(allowed_cpus_read(
					 trackers_allowed_cpus(script.trackers),
					 story->allowed, strlen(story->allowed),
					 false),
				 0);
	story->play(script.fixture);
	ck_assert_int_eq(trackers_end(script.trackers), 0);
	ck_assert_int_eq(life_reader_end(script.reader), 0);
	check_rows(script.lives);
	script.out = open_memstream(&text, &size);
	walk(&script, story);
	fclose(script.out);
	ck_assert_msg(!strcmp(text, story->links), "%s came out as\n%s",
		      story->title, text);
	ck_assert_uint_eq(script.sum_ns, story->end_ns - story->begin_ns);
	free(text);
	close_script(&script);
}

static void user_code(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enter(f, 0, "u:main");
	at(f, 300), enter(f, 0, "u:work");
	at(f, 700), leave(f, 0);
	at(f, 800), enters_call(f, 0, "__x64_sys_read");
	at(f, 950), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

static void timer_ends(struct attribution_fixture *f, const char *label)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 200), goes_to_sleep(f, 0, label, 7, 0);
	at(f, 500), timer_wakes(f, 0, 7);
	at(f, 510), comes_back(f, 0, 7);
	at(f, 600), leaves_call(f, 0, 0);
	at(f, 700), ends(f);
}

static void timer(struct attribution_fixture *f)
{
	timer_ends(f, "do_sys_poll");
}

/* The soft interrupt expires the timer of a CPU that is idle. */
static void expire_for(struct attribution_fixture *f, const char *waker)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 200), goes_to_sleep(f, 0, "mem_cgroup_handle_over_high", 7, 0);
	at(f, 500), enter(f, 0, "handle_softirqs");
	enter(f, 0, "tmigr_handle_remote");
	function_wakes(f, 0, waker, 7);
	leave(f, 0), leave(f, 0);
	at(f, 510), comes_back(f, 0, 7);
	at(f, 600), leaves_call(f, 0, 0);
	at(f, 700), ends(f);
}

static void remote_timer(struct attribution_fixture *f)
{
	expire_for(f, "call_timer_fn");
}

static void inlined_remote_timer(struct attribution_fixture *f)
{
	expire_for(f, "try_to_wake_up");
}

/* The kernel slows 7 down. */
static void over_high(struct attribution_fixture *f)
{
	timer_ends(f, "mem_cgroup_handle_over_high");
}

static void dirty(struct attribution_fixture *f)
{
	timer_ends(f, "balance_dirty_pages");
}

static void reclaim(struct attribution_fixture *f)
{
	timer_ends(f, "reclaim_throttle");
}

static void disk_wakes(struct attribution_fixture *f, uint32_t cpu, int32_t tid)
{
	enter(f, cpu, "asm_common_interrupt");
	function_wakes(f, cpu, "blk_update_request", tid);
	leave(f, cpu);
}

static void disk(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	at(f, 200), goes_to_sleep(f, 0, "vfs_read", 7, 0);
	at(f, 900), disk_wakes(f, 0, 7);
	at(f, 910), comes_back(f, 0, 7);
	at(f, 950), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* The interrupt only queues work; that 7 waits in io_schedule() shows that it
 * is for I/O.
 */
static void disk_by_worker(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	enter(f, 0, "io_schedule");
	at(f, 200), goes_to_sleep(f, 0, "vfs_read", 7, 900);
	at(f, 300), goes_to_sleep(f, 0, "process_one_work", 900, 0);
	at(f, 700);
	enter(f, 0, "asm_common_interrupt");
	function_wakes(f, 0, "helper", 900);
	leave(f, 0);
	at(f, 710), comes_back(f, 0, 900);
	at(f, 750), function_wakes(f, 0, "helper", 7);
	at(f, 800), schedules(f, 0, 900, 1, 7);
	leave(f, 0), leave(f, 0), leave(f, 0), leave(f, 0);
	at(f, 950), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 8 has the lock from 200 on; 7 wants it from 300 on. */
static void lock(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 100), enter(f, 1, "u:work");
	at(f, 300), enters_call(f, 0, "__x64_sys_futex");
	goes_to_sleep(f, 0, "futex_wait_queue", 7, 0);
	at(f, 800), enters_call(f, 1, "__x64_sys_futex");
	at(f, 850), function_wakes(f, 1, "futex_wake", 7);
	at(f, 860), leaves_call(f, 1, 0);
	at(f, 870), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* The program's functions show that 7 waits for a lock. */
static void mutex(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 300), enter(f, 0, "u:pthread_mutex_lock");
	enters_call(f, 0, "__x64_sys_futex");
	goes_to_sleep(f, 0, "futex_wait_queue", 7, 0);
	at(f, 850), function_wakes(f, 1, "futex_wake", 7);
	at(f, 870), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 7 waits for a condition that 8 signals: the path continues in 8 before it. */
static void condition(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 300), enter(f, 0, "u:pthread_cond_wait");
	enters_call(f, 0, "__x64_sys_futex");
	goes_to_sleep(f, 0, "futex_wait_queue", 7, 0);
	at(f, 850), function_wakes(f, 1, "futex_wake", 7);
	at(f, 870), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 8 ends, which wakes 7 that joins it: no lock. */
static void join(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	is_on(f, 1, 0);
	starts(f, 1, 0);
	at(f, 100), belongs(f, 8, 7), life(f, 0, SIDEBAND_FORK, 8);
	at(f, 110), event(f, 0, EVENT_SCHED_WAKEUP_NEW, 8, 0, 0);
	at(f, 120), switch_to(f, 1, 8);
	at(f, 300), enters_call(f, 0, "__x64_sys_futex");
	goes_to_sleep(f, 0, "futex_wait_queue", 7, 0);
	at(f, 700), enter(f, 1, "do_exit");
	at(f, 800), function_wakes(f, 1, "futex_wake", 7);
	at(f, 820), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

static void pipes(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "pipe_read", 7, 0);
	at(f, 400), function_wakes(f, 1, "pipe_write", 7);
	at(f, 410), goes_to_sleep(f, 1, "pipe_read", 8, 0);
	at(f, 420), comes_back(f, 0, 7);
	at(f, 600), function_wakes(f, 0, "pipe_write", 8);
	at(f, 610), goes_to_sleep(f, 0, "pipe_read", 7, 0);
	at(f, 630), comes_back(f, 1, 8);
	at(f, 900), function_wakes(f, 1, "pipe_write", 7);
	at(f, 910), comes_back(f, 0, 7);
	at(f, 950), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* Parent 7 waits for child 8, which the other CPU runs. */
static void fork_and_wait(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	is_on(f, 1, 0);
	starts(f, 1, 0);
	at(f, 100), enters_call(f, 0, "helper");
	at(f, 200), life(f, 0, SIDEBAND_FORK, 8);
	event(f, 0, EVENT_SCHED_WAKEUP_NEW, 8, 0, 0);
	at(f, 250), switch_to(f, 1, 8);
	at(f, 260), goes_to_sleep(f, 0, "do_wait", 7, 0);
	at(f, 300), enter(f, 1, "u:work");
	at(f, 800), enter(f, 1, "do_exit");
	at(f, 850), function_wakes(f, 1, "helper", 7);
	at(f, 870), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 8 and 109 have the only CPU while 7 is preempted. */
static void no_cpu(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 200), schedules(f, 0, 7, 0, 8);
	at(f, 500), schedules(f, 0, 8, 0, 109);
	at(f, 600), schedules(f, 0, 109, 1, 7);
	at(f, 1000), ends(f);
}

/* As in no_cpu(), while CPU 1 is idle before 250 and from 300 to 400. */
static void no_allowed_cpu(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 0);
	at(f, 200), schedules(f, 0, 7, 0, 8);
	at(f, 250), schedules(f, 1, 0, 0, 50);
	at(f, 300), schedules(f, 1, 50, 1, 0);
	at(f, 400), schedules(f, 1, 0, 0, 50);
	at(f, 500), schedules(f, 0, 8, 0, 109);
	at(f, 600), schedules(f, 0, 109, 1, 7);
	at(f, 1000), ends(f);
}

/* The cgroup of 7 is throttled from 200 to 600; then 8 has the CPU. */
static void throttled(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 200), enter(f, 0, "__schedule");
	enter(f, 0, "throttle_cfs_rq"), enter(f, 0, "tg_throttle_down");
	leave(f, 0), leave(f, 0);
	schedules(f, 0, 7, 0, 8);
	at(f, 600), enter(f, 0, "asm_sysvec_apic_timer_interrupt");
	enter(f, 0, "unthrottle_cfs_rq"), leave(f, 0), leave(f, 0);
	at(f, 700), schedules(f, 0, 8, 1, 7);
	at(f, 1000), ends(f);
}

/* Server 200 works for others before 300 and when 7 waits for its answer. */
static void reply(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 200);
	at(f, 300), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "unix_stream_read_generic", 7, 0);
	at(f, 500), goes_to_sleep(f, 1, "vfs_read", 200, 0);
	at(f, 700), disk_wakes(f, 1, 200);
	at(f, 710), comes_back(f, 1, 200);
	at(f, 800), function_wakes(f, 1, "sock_def_readable", 7);
	at(f, 820), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 7 polls with a timeout, which expires once, and polls again. */
static void reply_after_timeout(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 200);
	at(f, 200), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "do_sys_poll", 7, 0);
	at(f, 600), timer_wakes(f, 0, 7);
	at(f, 605), comes_back(f, 0, 7);
	at(f, 610), leaves_call(f, 0, 0);
	at(f, 620), enters_call(f, 0, "__x64_sys_read");
	at(f, 630), goes_to_sleep(f, 0, "do_sys_poll", 7, 0);
	at(f, 800), function_wakes(f, 1, "sock_def_readable", 7);
	at(f, 820), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 7 did other things between: its first wait has nothing to do with 200. */
static void reply_after_work(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 200);
	at(f, 200), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "do_sys_poll", 7, 0);
	at(f, 400), timer_wakes(f, 0, 7);
	at(f, 405), comes_back(f, 0, 7);
	at(f, 410), leaves_call(f, 0, 0);
	at(f, 600), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "do_sys_poll", 7, 0);
	at(f, 800), function_wakes(f, 1, "sock_def_readable", 7);
	at(f, 820), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 8 has the file lock that 7 wants. */
static void file_lock(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 300), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "locks_lock_inode_wait", 7, 0);
	at(f, 850), function_wakes(f, 1, "helper", 7);
	at(f, 870), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* Another program, 200, holds the lock. */
static void lock_of_another_program(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 200);
	at(f, 300), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "fcntl_setlk", 7, 0);
	at(f, 850), function_wakes(f, 1, "helper", 7);
	at(f, 870), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* A breakpoint is no page fault. */
static void meet_breakpoint(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enter(f, 0, "asm_exc_int3");
	at(f, 150), leave(f, 0);
	at(f, 200), ends(f);
}

/* 7 has two faults; the second reads a mapped file. */
static void fault_from_disk(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enter(f, 0, "asm_exc_page_fault");
	at(f, 150), leave(f, 0);
	at(f, 200), enter(f, 0, "asm_exc_page_fault");
	at(f, 250), goes_to_sleep(f, 0, "io_schedule", 7, 0);
	at(f, 700), disk_wakes(f, 0, 7);
	at(f, 710), comes_back(f, 0, 7);
	at(f, 750), leave(f, 0);
	at(f, 800), ends(f);
}

/* 7 writes its core dump, whose file it closes as it ends. */
static void core_dump(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enter(f, 0, "get_signal");
	at(f, 150), enter(f, 0, "do_coredump");
	at(f, 300), leave(f, 0);
	at(f, 320), enter(f, 0, "do_exit");
	at(f, 340), enter(f, 0, "task_work_run");
	at(f, 350), goes_to_sleep(f, 0, "io_schedule", 7, 0);
	at(f, 700), disk_wakes(f, 0, 7);
	at(f, 710), comes_back(f, 0, 7);
	at(f, 800), ends(f);
}

static void delivers(struct attribution_fixture *f, uint32_t cpu, int32_t tid)
{
	enter(f, cpu, "handle_softirqs");
	enter(f, cpu, "process_backlog");
	function_wakes(f, cpu, "sock_def_readable", tid);
	leave(f, cpu);
	leave(f, cpu);
}

/* 8 sends over the loopback device, whose soft interrupt wakes 7 in its call.
 * The packet before was delivered in an interrupt of 8, and is not its own.
 */
static void loopback(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	starts(f, 1, 8);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "tcp_recvmsg", 7, 0);
	at(f, 400), enter(f, 1, "asm_sysvec_apic_timer_interrupt");
	delivers(f, 1, 7), leave(f, 1);
	at(f, 410), comes_back(f, 0, 7);
	at(f, 420), leaves_call(f, 0, 0);
	at(f, 500), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "tcp_recvmsg", 7, 0);
	at(f, 700), enters_call(f, 1, "helper");
	at(f, 800), delivers(f, 1, 7);
	at(f, 810), leaves_call(f, 1, 0);
	at(f, 820), comes_back(f, 0, 7);
	at(f, 900), leaves_call(f, 0, 0);
	at(f, 1000), ends(f);
}

/* 7 still sleeps at the end: its future waker is not known. */
static void never_woken(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enters_call(f, 0, "__x64_sys_read");
	goes_to_sleep(f, 0, "pipe_read", 7, 0);
	at(f, 1000), ends(f);
}

static void hole(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 300), gap(f, 0);
	at(f, 700), state(f, 0, CPU_TRACED);
	at(f, 1000), ends(f);
}

/* A window cuts a row, whose parts get their shares. */
static void window(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), enter(f, 0, "u:main");
	at(f, 500), enter(f, 0, "asm_exc_page_fault");
	at(f, 900), leave(f, 0);
	at(f, 1100), ends(f);
}

/* The path of a thread that slept from 200 to 500 in read(2), with this cause.
 */
#define SLEPT_IN_READ(cause) \
	"510-700 7 kernel ns 100\n" \
	"510-700 7 call ns 90 __x64_sys_read\n" \
	"500-510 7 idle\n" \
	"200-500 7 " cause " __x64_sys_read\n" \
	"10-200 7 call ns 100 __x64_sys_read\n" \
	"10-200 7 kernel ns 90\n"

static const struct path_story stories[] = {
	{ "user code and a system call", user_code,
	  "10-1000 7 call ns 150 __x64_sys_read\n"
	  "10-1000 7 user ns 400 work\n"
	  "10-1000 7 user ns 350 main\n"
	  "10-1000 7 kernel ns 90\n",
	  10, 1000, 0, NULL },
	{ "a timer", timer, SLEPT_IN_READ("timer"), 10, 700, 0, NULL },
	{ "a timer of another CPU", remote_timer, SLEPT_IN_READ("memory"), 10,
	  700, 0, NULL },
	{ "a timer of another CPU, by its soft interrupt", inlined_remote_timer,
	  SLEPT_IN_READ("memory"), 10, 700, 0, NULL },
	{ "slowed down by memory.high", over_high, SLEPT_IN_READ("memory"), 10,
	  700, 0, NULL },
	{ "slowed down by writeback", dirty, SLEPT_IN_READ("dirty"), 10, 700, 0,
	  NULL },
	{ "slowed down by reclaim", reclaim, SLEPT_IN_READ("reclaim"), 10, 700,
	  0, NULL },
	{ "a disk", disk,
	  "910-1000 7 kernel ns 50\n"
	  "910-1000 7 call ns 40 __x64_sys_read\n"
	  "900-910 7 idle\n"
	  "200-900 7 disk __x64_sys_read\n"
	  "10-200 7 call ns 100 __x64_sys_read\n"
	  "10-200 7 kernel ns 90\n",
	  10, 1000, 0, NULL },
	{ "a disk, by a worker", disk_by_worker,
	  "800-1000 7 kernel ns 50\n"
	  "800-1000 7 call ns 150 __x64_sys_read\n"
	  "750-800 7 cpu by 900\n"
	  "710-750 900 kernel (help of 900 for 7)\n"
	  "700-710 900 idle (help of 900 for 7)\n"
	  "300-700 900 disk (help of 900 for 7)\n"
	  "200-300 900 kernel (help of 900 for 7)\n"
	  "10-200 7 call ns 100 __x64_sys_read\n"
	  "10-200 7 kernel ns 90\n",
	  10, 1000, 0, NULL },
	{ "a lock", lock,
	  "870-1000 7 kernel ns 100\n"
	  "870-1000 7 call ns 30 __x64_sys_futex\n"
	  "850-870 7 idle\n"
	  "300-850 8 call ns 32 __x64_sys_futex ? (futex of 8 for 7)\n"
	  "300-850 8 user ns 458 work ? (futex of 8 for 7)\n"
	  "300-850 8 kernel ns 60 ? (futex of 8 for 7)\n"
	  "10-300 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a mutex", mutex,
	  "870-1000 7 user ns 100 pthread_mutex_lock\n"
	  "870-1000 7 call ns 30 __x64_sys_futex\n"
	  "850-870 7 idle\n"
	  "300-850 8 kernel ? (lock of 8 for 7)\n"
	  "10-300 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a condition", condition,
	  "870-1000 7 user ns 100 pthread_cond_wait\n"
	  "870-1000 7 call ns 30 __x64_sys_futex\n"
	  "850-870 7 idle\n"
	  "10-850 8 kernel\n",
	  10, 1000, 0, NULL },
	{ "the end of a thread", join,
	  "820-1000 7 kernel ns 100\n"
	  "820-1000 7 call ns 80 __x64_sys_futex\n"
	  "800-820 7 idle\n"
	  "120-800 8 kernel ns 100 do_exit\n"
	  "120-800 8 kernel ns 580\n"
	  "110-120 8 idle\n"
	  "100-110 7 kernel\n"
	  "10-100 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "pipes", pipes,
	  "910-1000 7 kernel ns 50\n"
	  "910-1000 7 call ns 40 __x64_sys_read\n"
	  "900-910 7 idle\n"
	  "630-900 8 kernel\n"
	  "600-630 8 idle\n"
	  "420-600 7 call __x64_sys_read\n"
	  "400-420 7 idle\n"
	  "10-400 8 kernel\n",
	  10, 1000, 0, NULL },
	{ "fork and wait", fork_and_wait,
	  "870-1000 7 kernel ns 100\n"
	  "870-1000 7 call ns 30 __x64_sys_read\n"
	  "850-870 7 idle\n"
	  "250-850 8 kernel ns 50 do_exit\n"
	  "250-850 8 user ns 500 work\n"
	  "250-850 8 kernel ns 50\n"
	  "200-250 8 idle\n"
	  "10-200 7 call ns 100 __x64_sys_read\n"
	  "10-200 7 kernel ns 90\n",
	  10, 1000, 0, NULL },
	{ "no CPU", no_cpu,
	  "600-1000 7 kernel\n"
	  "500-600 7 cpu by 109\n"
	  "200-500 7 cpu by 8\n"
	  "10-200 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "an affinity", no_allowed_cpu,
	  "600-1000 7 kernel\n"
	  "500-600 7 cpu by 109\n"
	  "400-500 7 cpu by 8\n"
	  "300-400 7 affinity by 8\n"
	  "250-300 7 cpu by 8\n"
	  "200-250 7 affinity by 8\n"
	  "10-200 7 kernel\n",
	  10, 1000, 0, "allowed 7 0\n" },
	{ "an idle CPU that was allowed", no_allowed_cpu,
	  "600-1000 7 kernel\n"
	  "500-600 7 cpu by 109\n"
	  "200-500 7 cpu by 8\n"
	  "10-200 7 kernel\n",
	  10, 1000, 0, "allowed 7 0-1\n" },
	{ "a throttled cgroup", throttled,
	  "700-1000 7 kernel\n"
	  "600-700 7 cpu by 8\n"
	  "200-600 7 throttled\n"
	  "10-200 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a reply", reply,
	  "820-1000 7 kernel ns 100\n"
	  "820-1000 7 call ns 80 __x64_sys_read\n"
	  "800-820 7 idle\n"
	  "710-800 200 kernel (reply of 200 for 7)\n"
	  "700-710 200 idle (reply of 200 for 7)\n"
	  "500-700 200 disk (reply of 200 for 7)\n"
	  "300-500 200 kernel ? (reply of 200 for 7)\n"
	  "10-300 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a reply after a timeout", reply_after_timeout,
	  "820-1000 7 kernel ns 100\n"
	  "820-1000 7 call ns 80 __x64_sys_read\n"
	  "800-820 7 idle\n"
	  "200-800 200 kernel ? (reply of 200 for 7)\n"
	  "10-200 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a reply after other work", reply_after_work,
	  "820-1000 7 kernel ns 100\n"
	  "820-1000 7 call ns 80 __x64_sys_read\n"
	  "800-820 7 idle\n"
	  "600-800 200 kernel ? (reply of 200 for 7)\n"
	  "405-600 7 kernel ns 190\n"
	  "405-600 7 call ns 5 __x64_sys_read\n"
	  "400-405 7 idle\n"
	  "200-400 7 timer __x64_sys_read\n"
	  "10-200 7 kernel\n",
	  10, 1000, 0, NULL },
	/* Thread 7 works and sleeps meanwhile: see the story before. */
	{ "a request in its server", reply_after_work,
	  "300-790 200 kernel ? (reply of 200 for 7)\n", 300, 790, 300, NULL,
	  200 },
	{ "a file lock", file_lock,
	  "870-1000 7 kernel ns 100\n"
	  "870-1000 7 call ns 30 __x64_sys_read\n"
	  "850-870 7 idle\n"
	  "300-850 8 kernel ? (lock of 8 for 7)\n"
	  "10-300 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a lock of another program", lock_of_another_program,
	  "870-1000 7 kernel ns 100\n"
	  "870-1000 7 call ns 30 __x64_sys_read\n"
	  "850-870 7 idle\n"
	  "300-850 200 kernel ? (lock of 200 for 7)\n"
	  "10-300 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a breakpoint", meet_breakpoint,
	  "10-200 7 kernel ns 50 asm_exc_int3\n"
	  "10-200 7 kernel ns 140\n",
	  10, 200, 0, NULL },
	{ "a fault that reads from disk", fault_from_disk,
	  "710-800 7 kernel ns 50\n"
	  "710-800 7 fault ns 40 asm_exc_page_fault\n"
	  "700-710 7 idle\n"
	  "250-700 7 disk asm_exc_page_fault\n"
	  "10-250 7 fault ns 100 asm_exc_page_fault count 2\n"
	  "10-250 7 kernel ns 140\n",
	  10, 800, 0, NULL },
	{ "a core dump", core_dump,
	  "710-800 7 kernel do_exit\n"
	  "700-710 7 idle\n"
	  "350-700 7 disk do_exit\n"
	  "10-350 7 kernel ns 30 do_exit\n"
	  "10-350 7 kernel ns 150 do_coredump\n"
	  "10-350 7 kernel ns 70 get_signal\n"
	  "10-350 7 kernel ns 90\n",
	  10, 800, 0, NULL },
	{ "a packet over loopback", loopback,
	  "820-1000 7 kernel ns 100\n"
	  "820-1000 7 call ns 80 __x64_sys_read\n"
	  "800-820 7 idle\n"
	  "400-800 8 call ns 100 __x64_sys_read\n"
	  "400-800 8 kernel ns 300\n"
	  "10-400 8 kernel\n",
	  10, 1000, 0, NULL },
	{ "a packet in an interrupt", loopback,
	  "500-600 7 wait __x64_sys_read ?\n"
	  "410-500 7 kernel ns 80\n"
	  "410-500 7 call ns 10 __x64_sys_read\n"
	  "400-410 7 idle\n"
	  "100-400 7 network __x64_sys_read\n"
	  "10-100 7 kernel\n",
	  10, 600, 0, NULL },
	{ "a sleep that does not end", never_woken,
	  "100-1000 7 wait __x64_sys_read ?\n"
	  "10-100 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a hole in the trace", hole,
	  "700-1000 7 kernel\n"
	  "300-700 7 unknown ?\n"
	  "10-300 7 kernel\n",
	  10, 1000, 0, NULL },
	{ "a window", window,
	  "300-700 7 fault ns 146 asm_exc_page_fault ?\n"
	  "300-700 7 user ns 220 main ?\n"
	  "300-700 7 kernel ns 34 ?\n",
	  300, 700, 300, NULL },
};

START_TEST(every_link_is_right)
{
	check(&stories[_i]);
}
END_TEST

/* Thread 8 is created, executes a program and exits; its id is used again. */
static void live_twice(struct attribution_fixture *f)
{
	at(f, 10), starts(f, 0, 7);
	at(f, 100), life(f, 0, SIDEBAND_FORK, 8);
	event(f, 0, EVENT_SCHED_WAKEUP_NEW, 8, 0, 0);
	at(f, 200), schedules(f, 0, 7, 1, 8);
	at(f, 210), life(f, 0, SIDEBAND_COMM, 8);
	at(f, 300), life(f, 0, SIDEBAND_EXIT, 8);
	wakes(f, 0, 7);
	at(f, 310), schedules(f, 0, 8, 16, 7);
}

START_TEST(creations_and_exits_are_read)
{
	struct script script = { 0 };
	const struct life *life_of_8;
	uint32_t thread;

	open_script(&script);
	live_twice(script.fixture);
	thread = find_thread(&script, 8);
	life_of_8 = lives_at(script.lives, thread);
	ck_assert(life_of_8->has_exited);
	ck_assert_uint_eq(life_of_8->exec_ns, 210);
	ck_assert_uint_eq(life_birth_by(life_of_8, 150)->time_ns, 100);
	ck_assert_uint_eq(life_birth_by(life_of_8, 150)->parent,
			  find_thread(&script, 7));
	ck_assert_ptr_null(life_birth_by(life_of_8, 99));
	at(script.fixture, 400);
	life(script.fixture, 0, SIDEBAND_FORK, 8);
	life_of_8 = lives_at(script.lives, thread);
	ck_assert(!life_of_8->has_exited);
	ck_assert_uint_eq(life_birth_by(life_of_8, 500)->time_ns, 400);
	at(script.fixture, 500), ends(script.fixture);
	close_script(&script);
}
END_TEST

SUITE("critical_path")
{
	TEST_EACH(every_link_is_right, stories);
	TEST(creations_and_exits_are_read);
}
