/* SPDX-License-Identifier: MIT */
/* Latencies judged by triggers exclude stops of the recorder, and each hit is
 * saved.
 */
#include "collector/hit_wait_internal.h"

#include "collector/collector_options_internal.h"
#include "collector/hit_keeper_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/trace_unit/tracer.h"
#include "tests/fixtures/log.h"
#include "tests/run_suite.h"

#include <string.h>

enum { MS = 1000000 };

static const struct {
	const char *title;
	struct trace_stop stop; /* in ms */
	uint64_t latency_ms;
	uint64_t length_ms;
	uint64_t end_ms;
	bool is_explained; /* explained by the stop, of more than 10 ms */
} cases[] = {
	{ "no stop in it", { 1, 50 }, 12, 12, 70, false },
	{ "all of it", { 50, 70 }, 20, 20, 70, true },
	{ "a part, without which it is short", { 60, 65 }, 12, 12, 70, true },
	{ "a part, without which it is long", { 60, 65 }, 18, 18, 70, false },
	{ "exactly the limit is no hit", { 60, 65 }, 15, 15, 70, true },
	{ "it begins in the stop", { 40, 60 }, 15, 15, 70, true },
	{ "it ends in the stop", { 65, 80 }, 12, 12, 70, true },
	{ "a stop in the call, not all in its sleep",
	  { 50, 56 },
	  14,
	  30,
	  70,
	  true },
	{ "not longer than the limit", { 60, 65 }, 10, 10, 70, false },
};

START_TEST(stops_do_not_count)
{
	struct trace_stops stops = { .count = 0 };

	trace_stops_add(&stops, cases[_i].stop.from_ns * MS,
			cases[_i].stop.until_ns * MS);
	ck_assert_msg(trace_stops_explain(
			      &stops, 10 * MS, cases[_i].latency_ms * MS,
			      cases[_i].length_ms * MS,
			      cases[_i].end_ms * MS) == cases[_i].is_explained,
		      "%s", cases[_i].title);
}
END_TEST

START_TEST(the_newest_stops_add_up)
{
	struct trace_stops stops = { .count = 0 };
	uint64_t at = 0;

	for (int i = 0; i < 3 * TRACE_STOPS; i++, at += 10)
		trace_stops_add(&stops, at, at + 4);
	ck_assert_uint_eq(stops.count, 3 * TRACE_STOPS);
	ck_assert_uint_eq(stops.sum_ns, 3 * TRACE_STOPS * 4);
	ck_assert_uint_eq(trace_stops_part(&stops, at - 20, at), 8);
	ck_assert_uint_eq(trace_stops_part(&stops, 0, at), TRACE_STOPS * 4);
	trace_stops_add(&stops, 9, 9);
	ck_assert_uint_eq(stops.count, 3 * TRACE_STOPS);
}
END_TEST

static uint64_t no_time(const struct perf_event_mmap_page *page)
{
	(void)page;
	return 1;
}

static const struct tracer tracer = { .now_ns = no_time };

/* Without a timer, the wait after a hit would never end. */
START_TEST(a_hit_whose_wait_has_no_timer_is_saved_at_once)
{
	static char said[LOG_FIXTURE_TEXT];
	static const struct log log = { log_fixture_keep, said };
	const struct collector_options options = { .after_ns = MS };
	struct collector_result result = { 0 };
	struct recording_setup setup = {
		.options = &options,
		.tracer = &tracer,
		.events = { .list = event_list_new(),
			    .cpus = ARRAY_OF(struct cpu_rings) },
		.log = &log,
	};
	struct hit_keeper keeper = { .setup = &setup, .result = &result };

	ck_assert_ptr_nonnull(array_add(&setup.events.cpus));
	hit_keeper_init(&keeper);
	keeper.hits.is_pending = true;
	hit_keeper_keep(&keeper, false);
	ck_assert_uint_eq(result.hits, 1);
	ck_assert(!keeper.hits.is_pending);
	ck_assert_ptr_nonnull(strstr(said, "--after"));
	hit_keeper_free(&keeper);
	event_list_free(&setup.events.list);
	array_free(&setup.events.cpus);
}
END_TEST

SUITE("hit_wait")
{
	TEST_EACH(stops_do_not_count, cases);
	TEST(the_newest_stops_add_up);
	TEST(a_hit_whose_wait_has_no_timer_is_saved_at_once);
}
