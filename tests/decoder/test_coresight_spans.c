/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <string.h>

/* The parts of the trace that AUX records refer to. */
static const uint32_t code[] = {
	[0x00 / 4] = 0xd503201f, /* nop */
	[0x04 / 4] = 0x94000003, /* bl 0x10 */
};

static const uint8_t trace[] = { SYNC, TRACE_ON, CONTEXT(0), EXECUTED };
enum { START = 4096, SIZE = sizeof(trace), ROOM = 100 };

static struct recording_fixture fixture;

/* Two sessions of the trace, at START, and at START + @second. */
static void set_up_apart(size_t second)
{
	uint8_t bytes[2 * SIZE + ROOM] = { 0 };

	memcpy(bytes, trace, SIZE);
	memcpy(bytes + second, trace, SIZE);
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, START, bytes, second + SIZE);
	recording_fixture_code(&fixture, ETMV4_BASE, (const uint8_t *)code,
			       sizeof(code));
}

static void set_up(void)
{
	set_up_apart(SIZE);
}

static void tear_down(void)
{
	recording_fixture_end(&fixture);
}

static void add_span(uint64_t offset, uint64_t flags)
{
	const struct fixture_origin origin = { 1, 1, 1000 };
	const uint64_t aux[] = { offset, SIZE,
				 flags | SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };

	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
}

static void expect_both(void)
{
	struct flow_totals totals;
	struct flow_run run;

	flow_run_of(&run, &fixture);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.kinds[FLOW_STOP], 2);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], 2);
	flow_run_close(&run);
}

START_TEST(spans_have_their_start)
{
	add_span(START, 0);
	add_span(START + SIZE, 0);
	expect_both();
}
END_TEST

/* However many records contain it, the trace is read once. */
START_TEST(a_span_is_read_once)
{
	add_span(START, 0);
	add_span(START, 0);
	add_span(START + SIZE, 0);
	add_span(START + SIZE, 0);
	expect_both();
}
END_TEST

START_TEST(spans_of_snapshots_have_their_end)
{
	add_span(START + SIZE, SIDEBAND_AUX_OVERWRITE);
	add_span(START + 2 * SIZE, SIDEBAND_AUX_OVERWRITE);
	expect_both();
}
END_TEST

static void add_full(uint64_t offset)
{
	const struct fixture_origin origin = { 1, 1, 2000 };
	const uint64_t full[] = { offset, 0,
				  PERF_AUX_FLAG_TRUNCATED |
					  SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };

	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, full,
				 sizeof(full), &origin);
}

static void expect_one_loss(void)
{
	struct flow_totals totals;
	struct flow_run run;

	flow_run_of(&run, &fixture);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_LOST], 1);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], 2);
	flow_run_close(&run);
}

/* A sink that is full except for a few bytes is reported as full after them. */
START_TEST(a_loss_after_the_trace_is_one_loss)
{
	add_span(START, 0);
	add_span(START + SIZE, 0);
	add_full(START + 2 * SIZE + ROOM);
	expect_one_loss();
}
END_TEST

/* perf enables the event again when it has read the trace. */
START_TEST(a_loss_between_traces_is_one_loss)
{
	tear_down();
	set_up_apart(SIZE + ROOM);
	add_span(START, 0);
	add_full(START + SIZE + ROOM);
	add_span(START + SIZE + ROOM, 0);
	expect_one_loss();
}
END_TEST

/* The flags that Linux's drivers set where trace is missing, and none. */
static const struct {
	uint64_t flags;
	uint64_t gaps;
} marks[] = {
	{ PERF_AUX_FLAG_TRUNCATED, 1 },
	{ PERF_AUX_FLAG_PARTIAL, 1 },
	{ PERF_AUX_FLAG_COLLISION, 1 },
	{ 0, 0 },
};

START_TEST(a_mark_of_a_loss_is_a_gap)
{
	struct flow_totals totals;
	struct flow_run run;

	add_span(START, marks[_i].flags);
	add_span(START + SIZE, 0);
	flow_run_of(&run, &fixture);
	ck_assert_uint_eq(recording_counts(run.recording)->aux_truncated,
			  marks[_i].gaps);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], marks[_i].gaps);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_LOST], marks[_i].gaps);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], 2);
	flow_run_close(&run);
}
END_TEST

SUITE("coresight_spans")
{
	FIXTURE(set_up, tear_down);
	TEST(spans_have_their_start);
	TEST(a_span_is_read_once);
	TEST(spans_of_snapshots_have_their_end);
	TEST(a_loss_after_the_trace_is_one_loss);
	TEST(a_loss_between_traces_is_one_loss);
	TEST_EACH(a_mark_of_a_loss_is_a_gap, marks);
}
