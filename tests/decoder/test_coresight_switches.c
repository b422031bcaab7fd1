/* SPDX-License-Identifier: MIT */
#include "common/formats/perf_data.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "execution/follow/record_feed.h"
#include "execution/walk/execution.h"
#include "symbolize/events/function_event.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include "common/array.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow.h"
#include <linux/perf_event.h>
#include <string.h>

/* Running tasks by the kernel's switch records: while the CPU was traced, and
 * afterwards.
 */
static const uint32_t code[] = {
	[0x00 / 4] = 0xd503201f, /* nop */
	[0x04 / 4] = 0x94000003, /* bl 0x10 */
};

#define TIME_500 0x02, 0xf4, 0x03
#define TIME_600 0x02, 0xd8, 0x04

static const uint8_t trace[] = {
	SYNC, TRACE_ON, CONTEXT(0), TIME_500, EXECUTED,
};

static const uint8_t untimed[] = { SYNC, TRACE_ON, CONTEXT(0), EXECUTED };

enum { DURING = 600, AUX = 1000, AFTER = 1500 };

static const struct row {
	uint64_t flags; /* of the AUX record */
	size_t switches;
} rows[] = {
	{ 0, 1 },
	/* The lost trace may have had more switches. */
	{ PERF_AUX_FLAG_TRUNCATED, 2 },
	{ PERF_AUX_FLAG_COLLISION, 2 },
};

static struct recording_fixture fixture;

static void add_switch(uint64_t time_ns, int32_t from, int32_t to)
{
	const struct fixture_origin origin = { from, from, time_ns };
	const int32_t next[2] = { to, to };

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 PERF_RECORD_MISC_SWITCH_OUT, next,
				 sizeof(next), &origin);
}

static void add_aux(uint64_t flags, size_t from, size_t size)
{
	const struct fixture_origin origin = { 1, 1, AUX };
	const uint64_t aux[] = { from, size,
				 flags | SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };

	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
}

static void set_up(void)
{
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, 0, trace, sizeof(trace));
	recording_fixture_code(&fixture, ETMV4_BASE, (const uint8_t *)code,
			       sizeof(code));
}

static void tear_down(void)
{
	recording_fixture_end(&fixture);
}

START_TEST(switches_after_the_trace_are_no_part_of_it)
{
	const struct row *row = &rows[_i];
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;
	struct flow_run run;

	add_switch(DURING, 21, 22);
	add_aux(row->flags, 0, sizeof(trace));
	add_switch(AFTER, 22, 23);
	flow_run_of(&run, &fixture);
	flow_run_stream(&run, 0, &totals, &items);
	flow_run_close(&run);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_SWITCH], row->switches);
	for (size_t i = 0, found = 0; i < items.count; i++) {
		const struct flow_item *item = array_at(&items, i);

		if (item->kind == FLOW_SWITCH)
			ck_assert_int_eq(flow_switch_tid(item),
					 found++ ? 23 : 22);
	}
	array_free(&items);
}
END_TEST

static void set_up_nothing(void)
{
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, 0, trace, 0);
}

/* A CPU with an empty AUX record gets a stream of its other records: record
 * --only.
 */
START_TEST(nothing_is_a_stream)
{
	struct flow_totals totals;
	struct flow_run run;

	add_switch(DURING, 21, 22);
	flow_run_of(&run, &fixture);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	ck_assert_int_eq(recording_stream(run.recording, 0)->cpu, 0);
	ck_assert_uint_eq(recording_stream(run.recording, 0)->piece_count, 0);
	flow_run_stream(&run, 0, &totals, NULL);
	flow_run_close(&run);
	ck_assert_uint_eq(totals.instructions, 0);
	ck_assert_uint_eq(totals.kinds[FLOW_SWITCH], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
}
END_TEST

/* Calls without end. */
static const uint32_t calls[] = {
	[0x00 / 4] = 0x94000004, /* bl 0x10 */
	[0x10 / 4] = 0x17fffffc, /* b 0x00 */
};

static const uint8_t head[] = { SYNC, TRACE_ON, CONTEXT(0), TIME_500 };
static const uint8_t again[] = { SYNC, TIME_600 };

/* Size of a batch of events. */
enum { BATCH = 2048, NEAR = 8 };

/* The trace's pause is known before it is known to be its end. */
static void write_calls(size_t count)
{
	static uint8_t bytes[sizeof(head) + 2 * (BATCH + NEAR) + sizeof(again)];
	size_t size = sizeof(head) + 2 * count;

	memcpy(bytes, head, sizeof(head));
	memset(bytes + sizeof(head), EXECUTED, 2 * count);
	memcpy(bytes + size, again, sizeof(again));
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, 0, bytes, size + sizeof(again));
	recording_fixture_code(&fixture, ETMV4_BASE, (const uint8_t *)calls,
			       sizeof(calls));
	add_aux(0, 0, size);
	add_aux(0, size, sizeof(again));
	recording_fixture_write(&fixture);
}

/* The feed does not wait for switches after the end. */
START_TEST(trace_pauses_at_its_end)
{
	struct record_feed *feed;
	struct symbols *symbols;
	struct record_run run = { 0 };
	struct event_mark last = { 0 };
	struct flow_run flow;
	int status;

	write_calls((size_t)(BATCH + _i));
	ck_assert_int_eq(flow_run_open(&flow, fixture.path, NULL), 0);
	ck_assert_int_eq(symbols_open(flow.recording, NULL, 1, &symbols), 0);
	const struct flow_input input = {
		.recording = flow.recording,
		.stream = recording_stream(flow.recording, 0),
		.image = flow.image,
	};
	ck_assert_int_eq(record_feed_open(&input, symbols, false, &feed), 0);
	while ((status = record_feed_next(feed, &run)) > 0)
		if (run.mark_count)
			last = run.marks[run.mark_count - 1];
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(last.kind, MARK_PAUSE);
	record_feed_close(feed);
	symbols_close(symbols);
	flow_run_close(&flow);
	recording_fixture_end(&fixture);
}
END_TEST

/* A CPU that came online while recording: what the recorder writes at the start
 * and the end of the time that is not traced.
 */
enum { LATE_CPU = 3, LATE_FROM = 700, LATE_UNTIL = 900 };

static void add_lost(uint64_t time_ns, uint64_t id)
{
	const struct fixture_origin origin = { -1, -1, time_ns };
	const uint64_t lost[] = { id, 1 };

	fixture.id = id;
	recording_fixture_record(&fixture, PERF_RECORD_LOST, 0, lost,
				 sizeof(lost), &origin);
	fixture.id = 2;
}

/* Decodes stream 1, with OpenCSD if @by_library. */
static void check_late_cpu(bool by_library, uint64_t from, uint64_t until)
{
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;
	const struct flow_item *item;
	struct flow_run run;

	ck_assert_int_eq(flow_run_open(&run, fixture.path, NULL), 0);
	run.by_library = by_library;
	ck_assert_uint_eq(recording_stream_count(run.recording), 2);
	ck_assert_int_eq(recording_stream(run.recording, 1)->cpu, LATE_CPU);
	flow_run_stream(&run, 1, &totals, &items);
	flow_run_close(&run);
	ck_assert_uint_eq(items.count, 2);
	item = items.items;
	ck_assert_uint_eq(item[0].kind, FLOW_GAP);
	ck_assert_uint_eq(item[0].detail, FLOW_GAP_LOST);
	ck_assert_uint_eq(item[0].time_ns, from);
	ck_assert_uint_eq(item[1].kind, FLOW_END);
	ck_assert_uint_eq(item[1].time_ns, until);
	array_free(&items);
}

START_TEST(a_cpu_that_came_online_is_one_gap)
{
	add_aux(0, 0, sizeof(trace));
	fixture.cpu = LATE_CPU;
	add_lost(LATE_FROM, 1);
	add_lost(LATE_UNTIL, 1);
	recording_fixture_write(&fixture);
	check_late_cpu(_i, LATE_FROM, LATE_UNTIL);
}
END_TEST

/* The unit has no time stamps: the gap is at the start, without a length. */
START_TEST(a_cpu_that_came_online_is_one_gap_without_times)
{
	static const uint64_t unit[] = {
		CORESIGHT_MAGIC_ETMV4,
		0,
		8, /* CPU, parameters */
		0x1,
		0x10, /* configuration, id */
		0xea1,
		0x4100f403,
		0x488,
		0,
		0, /* TRCIDR0 … */
		1, /* stamps: the CPU's counter */
	};

	recording_fixture_begin_unit(&fixture, unit,
				     sizeof(unit) / sizeof(*unit));
	recording_fixture_trace(&fixture, 0, untimed, sizeof(untimed));
	add_aux(0, 0, sizeof(untimed));
	fixture.cpu = LATE_CPU;
	add_lost(LATE_FROM, 1);
	add_lost(LATE_UNTIL, 1);
	recording_fixture_write(&fixture);
	check_late_cpu(_i, 1, 1);
	recording_fixture_end(&fixture);
}
END_TEST

static void save_event(void *ctx, const struct function_event *event)
{
	array_append(ctx, event);
}

START_TEST(a_cpu_that_came_online_is_one_gap_between_events)
{
	struct array events = ARRAY_OF(struct function_event);
	const struct function_event *event;
	struct symbols *symbols;
	struct flow_run run;

	add_aux(0, 0, sizeof(trace));
	fixture.cpu = LATE_CPU;
	add_lost(LATE_FROM, 1);
	add_lost(LATE_UNTIL, 1);
	flow_run_of(&run, &fixture);
	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	flow_run_graph_events(&run, 1, symbols, save_event, &events);
	symbols_close(symbols);
	flow_run_close(&run);
	ck_assert_uint_eq(events.count, 2);
	event = events.items;
	ck_assert_uint_eq(event[0].kind, FUNCTION_GAP);
	ck_assert_uint_eq(event[0].time_ns, LATE_FROM);
	ck_assert_uint_eq(event[1].kind, FUNCTION_END);
	ck_assert_uint_eq(event[1].time_ns, LATE_UNTIL);
	array_free(&events);
}
END_TEST

/* A loss of other records makes no stream of a CPU, nor does one of the trace
 * of a CPU that has a stream.
 */
START_TEST(other_losses_are_no_cpu_that_came_online)
{
	struct flow_totals totals;
	struct flow_run run;

	add_aux(0, 0, sizeof(trace));
	add_lost(LATE_FROM, 1);
	fixture.cpu = LATE_CPU;
	add_lost(LATE_FROM, 2);
	flow_run_of(&run, &fixture);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	flow_run_stream(&run, 0, &totals, NULL);
	flow_run_close(&run);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
}
END_TEST

SUITE("coresight_switches")
{
	CASE("switches");
	FIXTURE(set_up, tear_down);
	TEST_EACH(switches_after_the_trace_are_no_part_of_it, rows);
	TEST_TIMES(a_cpu_that_came_online_is_one_gap, 2);
	TEST(a_cpu_that_came_online_is_one_gap_between_events);
	TEST(other_losses_are_no_cpu_that_came_online);
	CASE("nothing");
	FIXTURE(set_up_nothing, tear_down);
	TEST(nothing_is_a_stream);
	CASE("end");
	TEST_TIMES(a_cpu_that_came_online_is_one_gap_without_times, 2);
	TEST_RANGE(trace_pauses_at_its_end, -NEAR, NEAR);
}
