/* SPDX-License-Identifier: MIT */
/* The CPUs that threads may use, by time, and when only others were idle. */
#include "attribution/allowed_cpus.h"
#include "attribution/events/event_handler.h"
#include "common/formats/call_data.h"
#include "decoder/recording/tracepoint.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/attribution.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

static const char kernel[] = "ffffffff81000000 T entry_SYSCALL_64\n"
			     "ffffffff81000100 T __x64_sys_sched_setaffinity\n"
			     "ffffffff81000200 t cpuset_write_resmask\n";

enum { SET_AFFINITY = 203, OTHER_CALL = 39 };

struct story {
	struct symbols *symbols;
	struct attribution_fixture *f;
	struct allowed_cpus *allowed;
};

static void read_lists(struct story *story, const char *start, const char *end)
{
	ck_assert_int_eq(allowed_cpus_read(story->allowed, start, strlen(start),
					   false),
			 0);
	ck_assert_int_eq(
		allowed_cpus_read(story->allowed, end, strlen(end), true), 0);
}

/* Thread 7 runs on CPU 0. */
static struct story begin(const char *start, const char *end)
{
	struct story story = { .symbols = NULL };

	ck_assert_int_eq(symbols_from_text(&arch_x86_64, kernel,
					   sizeof(kernel) - 1, "", 0,
					   &story.symbols),
			 0);
	story.f = attribution_fixture_of(story.symbols);
	story.allowed =
		allowed_cpus_new(NULL, symbols_functions(story.symbols));
	ck_assert_ptr_nonnull(story.allowed);
	read_lists(&story, start, end);
	attribution_fixture_watch(story.f, allowed_cpus_handler(story.allowed));
	follow_script(story.f, "50 starts:7");
	return story;
}

static void finish(struct story *story)
{
	ends(story->f);
	ck_assert_int_eq(allowed_cpus_status(story->allowed), 0);
	allowed_cpus_free(story->allowed);
	attribution_fixture_free(story->f);
	symbols_close(story->symbols);
}

/* Thread 7 calls sched_setaffinity(@target) at 100, which returns @result at
 * 120. With @mask not 0, the data of the call are recorded.
 */
static void set_affinity(struct story *story, int32_t target, uint64_t mask,
			 int64_t result)
{
	const struct tracepoint_field none[EVENT_MAX_FIELDS] = { 0 };
	const struct {
		struct call_data head;
		struct call_data_item item;
		uint64_t mask;
	} data = {
		.head = { .number = SET_AFFINITY,
			  .size = sizeof(data) - sizeof(data.head) },
		.item = { CALL_DATA_COUNTED, 2, sizeof(mask), sizeof(mask) },
		.mask = mask,
	};

	at(story->f, 100);
	enter(story->f, 0, "entry_SYSCALL_64");
	event(story->f, 0, EVENT_SYS_ENTER, SET_AFFINITY, target, 8);
	if (mask)
		raw_event(story->f, 0, EVENT_SYS_DATA, none, &data,
			  sizeof(data));
	enter(story->f, 0, "__x64_sys_sched_setaffinity");
	at(story->f, 120);
	leave(story->f, 0);
	event(story->f, 0, EVENT_SYS_EXIT, SET_AFFINITY, result, 0);
	leave(story->f, 0);
}

/* Returns when no allowed CPU was idle, as "10-20 25-30", while thread @tid
 * waited from 0 to 200 and CPU 1 was idle.
 */
static const char *when_idle(const struct story *story, int32_t tid)
{
	static char text[64];
	struct idle_elsewhere idle = IDLE_ELSEWHERE_NONE;
	struct array parts = ARRAY_OF(struct time_window);
	size_t length = 0;

	ck_assert_int_eq(idle_elsewhere_add(&idle, story->allowed, tid, 1,
					    (struct time_window){ 0, 200 }),
			 0);
	ck_assert_int_eq(idle_elsewhere_forbidden(&idle, &parts), 0);
	*text = '\0';
	for (size_t i = 0; i < parts.count; i++) {
		const struct time_window *part = array_at(&parts, i);

		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%lu-%lu", i ? " " : "",
					   part->since_ns, part->until_ns);
	}
	array_free(&parts);
	idle_elsewhere_free(&idle);
	return text;
}

/* Intervals in which CPUs were idle, each as "CPU:FROM-TO". */
static const struct {
	const char *allowed;
	struct {
		uint32_t cpu;
		struct time_window window;
	} idle[4];
	struct time_window parts[3];
} waits[] = {
	{ "0", { { 1, { 10, 30 } } }, { { 10, 30 } } },
	{ "0,2",
	  { { 1, { 10, 30 } }, { 2, { 20, 25 } } },
	  { { 10, 20 }, { 25, 30 } } },
	{ "0,2", { { 1, { 10, 30 } }, { 2, { 5, 40 } } }, { { 0, 0 } } },
	/* Two forbidden CPUs count once; an allowed one covers parts of both. */
	{ "0,2",
	  { { 1, { 10, 30 } }, { 3, { 20, 60 } }, { 2, { 25, 50 } } },
	  { { 10, 20 }, { 20, 25 }, { 50, 60 } } },
	{ "0-2", { { 1, { 10, 30 } } }, { { 0, 0 } } },
	/* Unknown CPUs are allowed. */
	{ "x", { { 1, { 10, 30 } } }, { { 0, 0 } } },
	{ "0-", { { 1, { 10, 30 } } }, { { 0, 0 } } },
	{ "0,5000", { { 1, { 10, 30 } } }, { { 0, 0 } } },
};

static uint64_t sum_of(const struct time_window *parts, size_t count)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < count; i++)
		sum_ns += parts[i].until_ns - parts[i].since_ns;
	return sum_ns;
}

START_TEST(only_idle_cpus_that_are_all_forbidden_count)
{
	struct idle_elsewhere idle = IDLE_ELSEWHERE_NONE;
	struct array parts = ARRAY_OF(struct time_window);
	char list[64];
	struct story story;

	snprintf(list, sizeof(list), "idle 0 1 C1\nallowed 7 %s\nallowed\n",
		 waits[_i].allowed);
	story = begin(list, "");
	for (int i = 0; i < 4 && waits[_i].idle[i].cpu; i++)
		ck_assert_int_eq(idle_elsewhere_add(&idle, story.allowed, 7,
						    waits[_i].idle[i].cpu,
						    waits[_i].idle[i].window),
				 0);
	ck_assert_int_eq(idle_elsewhere_forbidden(&idle, &parts), 0);
	ck_assert_uint_eq(sum_of(parts.items, parts.count),
			  sum_of(waits[_i].parts, 3));
	for (size_t i = 1; i < parts.count; i++)
		ck_assert_uint_le(
			((struct time_window *)array_at(&parts, i - 1))
				->until_ns,
			((struct time_window *)array_at(&parts, i))->since_ns);
	array_free(&parts);
	idle_elsewhere_free(&idle);
	finish(&story);
}
END_TEST

START_TEST(a_known_call_changes_its_target_when_it_returns)
{
	struct story story = begin("allowed 7 0-1\nallowed 8 0-1\n", "");

	set_affinity(&story, 8, 1, 0);
	ck_assert_str_eq(when_idle(&story, 8), "120-200");
	ck_assert_str_eq(when_idle(&story, 7), "");
	ck_assert_uint_eq(allowed_cpus_unknown_calls(story.allowed), 0);
	finish(&story);
}
END_TEST

START_TEST(target_0_is_the_caller)
{
	struct story story = begin("allowed 7 0\n", "");

	set_affinity(&story, 0, 3, 0);
	ck_assert_str_eq(when_idle(&story, 7), "0-120");
	finish(&story);
}
END_TEST

START_TEST(a_call_that_fails_changes_nothing)
{
	struct story story = begin("allowed 7 0-1\n", "");

	set_affinity(&story, 0, 1, -22);
	ck_assert_str_eq(when_idle(&story, 7), "");
	finish(&story);
}
END_TEST

/* Without the mask, the call may be for any thread: 8 has the same CPUs at the
 * end, 9 has ended before.
 */
START_TEST(after_an_unknown_call_only_threads_that_end_so_are_known)
{
	struct story story = begin("allowed 7 0\nallowed 8 0\nallowed 9 0\n",
				   "allowed 7 0\nallowed 8 0\n");

	set_affinity(&story, 0, 0, 0);
	ck_assert_str_eq(when_idle(&story, 7), "0-200");
	ck_assert_str_eq(when_idle(&story, 8), "0-200");
	ck_assert_str_eq(when_idle(&story, 9), "0-120");
	ck_assert_uint_eq(allowed_cpus_unknown_calls(story.allowed), 1);
	finish(&story);
}
END_TEST

/* System calls are not recorded: the trace has the call. */
START_TEST(a_call_in_the_trace_alone_is_unknown)
{
	struct story story = begin("allowed 7 0\n", "");

	follow_script(story.f, "100 entry_SYSCALL_64( "
			       "__x64_sys_sched_setaffinity( 120 ) )");
	ck_assert_str_eq(when_idle(&story, 7), "0-100");
	ck_assert_uint_eq(allowed_cpus_unknown_calls(story.allowed), 1);
	finish(&story);
}
END_TEST

/* Thread 7 ends before the recording. */
START_TEST(a_change_of_a_cpuset_may_concern_any_thread)
{
	struct story story =
		begin("allowed 7 0\nallowed 8 0\n", "allowed 8 0\n");

	follow_script(story.f,
		      "100 entry_SYSCALL_64( cpuset_write_resmask( 120 ) )");
	ck_assert_str_eq(when_idle(&story, 7), "0-100");
	ck_assert_str_eq(when_idle(&story, 8), "0-200");
	ck_assert_uint_eq(allowed_cpus_unknown_calls(story.allowed), 0);
	finish(&story);
}
END_TEST

START_TEST(a_new_thread_has_its_parents_cpus)
{
	struct story story = begin("allowed 7 0\n", "");

	follow_script(story.f, "100 fork:8");
	ck_assert_str_eq(when_idle(&story, 8), "100-200");
	finish(&story);
}
END_TEST

/* The CPUs of thread 8 at the end are known, those of thread 9 are not. */
START_TEST(another_cgroup_may_have_other_cpus)
{
	struct story story =
		begin("allowed 9 0\nallowed 8 0\n", "allowed 8 0\n");

	at(story.f, 100);
	event(story.f, 0, EVENT_CGROUP_MOVE, 8, 0, 0);
	event(story.f, 0, EVENT_CGROUP_MOVE, 9, 0, 0);
	ck_assert_str_eq(when_idle(&story, 8), "0-200");
	ck_assert_str_eq(when_idle(&story, 9), "0-100");
	finish(&story);
}
END_TEST

START_TEST(cpus_that_differ_at_the_end_are_unknown_until_a_known_change)
{
	struct story story = begin("allowed 7 0\nallowed 8 0\n",
				   "allowed 7 0-1\nallowed 8 0\n");

	ck_assert_str_eq(when_idle(&story, 7), "");
	ck_assert_str_eq(when_idle(&story, 8), "0-200");
	set_affinity(&story, 7, 1, 0);
	ck_assert_str_eq(when_idle(&story, 7), "120-200");
	finish(&story);
}
END_TEST

START_TEST(other_system_calls_change_nothing)
{
	struct story story = begin("allowed 7 0\n", "");

	at(story.f, 100);
	enter(story.f, 0, "entry_SYSCALL_64");
	event(story.f, 0, EVENT_SYS_ENTER, OTHER_CALL, 0, 0);
	event(story.f, 0, EVENT_SYS_EXIT, OTHER_CALL, 0, 0);
	leave(story.f, 0);
	ck_assert_str_eq(when_idle(&story, 7), "0-200");
	finish(&story);
}
END_TEST

SUITE("allowed_cpus")
{
	TEST_EACH(only_idle_cpus_that_are_all_forbidden_count, waits);
	TEST(a_known_call_changes_its_target_when_it_returns);
	TEST(target_0_is_the_caller);
	TEST(a_call_that_fails_changes_nothing);
	TEST(after_an_unknown_call_only_threads_that_end_so_are_known);
	TEST(a_call_in_the_trace_alone_is_unknown);
	TEST(a_change_of_a_cpuset_may_concern_any_thread);
	TEST(a_new_thread_has_its_parents_cpus);
	TEST(another_cgroup_may_have_other_cpus);
	TEST(cpus_that_differ_at_the_end_are_unknown_until_a_known_change);
	TEST(other_system_calls_change_nothing);
}
