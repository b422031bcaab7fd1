/* SPDX-License-Identifier: MIT */
#include "attribution/events/known_events.h"
#include "attribution/events/step_join.h"
#include "common/array.h"
#include "common/formats/perf_data.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

static struct recording_fixture fixture;
static struct recording *whole;
static size_t part_at; /* in the fixture's bytes */

static void begin(void)
{
	recording_fixture_begin(&fixture);
	whole = recording_fixture_open(&fixture);
	part_at = fixture.size;
}

static void end(void)
{
	recording_close(whole);
	recording_fixture_end(&fixture);
}

static struct recording *open_part(size_t left_out)
{
	struct recording *part;

	ck_assert_int_eq(recording_part_open(whole, fixture.bytes + part_at,
					     fixture.size - part_at - left_out,
					     &part),
			 0);
	return part;
}

START_TEST(a_part_has_its_own_trace_and_records)
{
	static const uint8_t trace[16] = { 1, 2, 3 };
	const struct fixture_origin origin = { 10, 11, 5000 };
	struct sideband_record record;
	struct sideband *sideband;
	struct recording *part;

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH, 0, NULL, 0,
				 &origin);
	recording_fixture_trace(&fixture, 100, trace, sizeof(trace));
	part = open_part(0);
	ck_assert_uint_eq(recording_stream_count(whole), 0);
	ck_assert_uint_eq(recording_stream_count(part), 1);
	ck_assert_uint_eq(recording_stream(part, 0)->pieces[0].offset, 100);
	ck_assert_mem_eq(recording_stream(part, 0)->pieces[0].bytes, trace,
			 sizeof(trace));
	ck_assert_uint_eq(recording_info(part)->first_time_ns, 5000);
	ck_assert_int_eq(recording_trace(part), RECORDING_TRACE_INTEL_PT);
	sideband = sideband_open(part, SIDEBAND_BIT(SIDEBAND_SWITCH));
	ck_assert_int_eq(sideband_next(sideband, &record), 1);
	ck_assert_int_eq(record.tid, 11);
	ck_assert_int_eq(sideband_next(sideband, &record), 0);
	sideband_close(sideband);
	recording_part_close(part);
}
END_TEST

START_TEST(parts_know_nothing_of_each_other)
{
	static const uint8_t trace[16] = { 1 };

	recording_part_close(open_part(0));
	recording_fixture_trace(&fixture, 0, trace, sizeof(trace));
	recording_part_close(open_part(0));
	part_at = fixture.size;

	struct recording *part = open_part(0);

	ck_assert_uint_eq(recording_stream_count(part), 0);
	ck_assert_uint_eq(recording_counts(part)->records, 0);
	recording_part_close(part);
}
END_TEST

/* A part that is opened again for other bytes is like a new one: with other
 * records, another trace, or none.
 */
START_TEST(a_part_can_be_opened_again)
{
	static const uint8_t trace[16] = { 1 };
	const struct fixture_origin first = { 10, 11, 5000 };
	const struct fixture_origin second = { 10, 12, 7000 };
	struct sideband_record record;
	struct sideband *sideband;
	struct recording *part;
	size_t middle;

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH, 0, NULL, 0,
				 &first);
	recording_fixture_trace(&fixture, 100, trace, 8);
	middle = fixture.size;
	part = open_part(0);
	sideband = sideband_open(part, SIDEBAND_BIT(SIDEBAND_SWITCH));
	ck_assert_int_eq(sideband_next(sideband, &record), 1);

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH, 0, NULL, 0,
				 &second);
	recording_fixture_trace(&fixture, 200, trace, sizeof(trace));
	ck_assert_int_eq(recording_part_reopen(whole, fixture.bytes + middle,
					       fixture.size - middle, part),
			 0);
	ck_assert_uint_eq(recording_stream_count(part), 1);
	ck_assert_uint_eq(recording_stream(part, 0)->piece_count, 1);
	ck_assert_uint_eq(recording_stream(part, 0)->size_bytes, sizeof(trace));
	ck_assert_uint_eq(recording_stream(part, 0)->pieces[0].offset, 200);
	ck_assert_uint_eq(recording_info(part)->first_time_ns, 7000);
	ck_assert_uint_eq(recording_counts(part)->records, 2);
	sideband_reopen(sideband, part);
	ck_assert_int_eq(sideband_next(sideband, &record), 1);
	ck_assert_int_eq(record.tid, 12);
	ck_assert_int_eq(sideband_next(sideband, &record), 0);

	ck_assert_int_eq(recording_part_reopen(whole, NULL, 0, part), 0);
	ck_assert_uint_eq(recording_stream_count(part), 0);
	ck_assert_uint_eq(recording_info(part)->first_time_ns, 0);
	ck_assert_uint_eq(recording_counts(part)->records, 0);
	sideband_reopen(sideband, part);
	ck_assert_int_eq(sideband_next(sideband, &record), 0);
	sideband_close(sideband);
	recording_part_close(part);
}
END_TEST

/* Any number of bytes may be missing at its end. */
START_TEST(a_cut_part_opens)
{
	static const uint8_t trace[32] = { 1 };

	recording_fixture_trace(&fixture, 0, trace, sizeof(trace));
	for (size_t i = 0; i <= fixture.size - part_at; i++)
		recording_part_close(open_part(i));
}
END_TEST

/* A part may state the driver's number of a unit, which the whole recording
 * lacks.
 */
START_TEST(a_part_of_coresight_has_units_of_its_own)
{
	static const uint8_t trace[] = { SYNC, TRACE_ON, CONTEXT(0), EXECUTED };
	const struct fixture_origin origin = { 10, 11, 5000 };
	const uint64_t id = 0x55;
	const uint64_t aux[] = { 4096, sizeof(trace),
				 SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };
	const struct coresight_unit *unit;
	struct recording *part;

	recording_fixture_record(&fixture, PERF_RECORD_AUX_OUTPUT_HW_ID, 0, &id,
				 sizeof(id), &origin);
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
	recording_fixture_trace(&fixture, 4096, trace, sizeof(trace));
	part = open_part(0);
	ck_assert_uint_eq(recording_stream_count(part), 1);
	ck_assert_uint_eq(recording_stream(part, 0)->size_bytes, sizeof(trace));
	unit = array_at(recording_coresight_units(part), 0);
	ck_assert_uint_eq(unit->trace_id, 0x55);
	unit = array_at(recording_coresight_units(whole), 0);
	ck_assert_uint_eq(unit->trace_id, 0x10);
	recording_part_close(part);
}
END_TEST

struct asked {
	struct event_handler handler;
	int queries;
	int steps;
	int records;
};

static uint8_t needs(const struct event_handler *handler, uint32_t function)
{
	((struct asked *)(uintptr_t)handler)->queries++;
	return function == 7 ? NEED_ALWAYS : NEED_NEVER;
}

static void count_step(struct event_handler *handler,
		       const struct call_step *step)
{
	ck_assert_uint_eq(step->function, 7);
	((struct asked *)handler)->steps++;
}

static void count_record(struct event_handler *handler,
			 const struct sideband_record *record)
{
	ck_assert_int_eq(record->tid, 11);
	((struct asked *)handler)->records++;
}

/* Which functions a handler needs stays known from part to part; the records
 * belong to each part.
 */
START_TEST(a_join_goes_on_with_the_next_part)
{
	const struct fixture_origin origin = { 10, 11, 5000 };
	struct asked asked = {
		.handler = { .step = count_step,
			     .needs = needs,
			     .record = count_record },
	};
	struct event_handler *const handlers[] = { &asked.handler };
	struct known_events *events = known_events_new(whole);
	struct recording *none = open_part(0);
	struct recording *part;
	struct step_join *join = step_join_new(none, events, handlers, 1);

	recording_fixture_record(&fixture, PERF_RECORD_EXIT, 0,
				 (const uint32_t[]){ 10, 10, 11, 10, 0, 0 }, 24,
				 &origin);
	part = open_part(0);
	for (int i = 1; i <= 2; i++) {
		struct step_callback *callback = step_join_callback(join);

		for (uint32_t function = 5; function < 9; function++)
			callback->consume(callback,
					  &(struct call_step){
						  .kind = STEP_ENTER,
						  .function = function,
					  });
		ck_assert_int_eq(step_join_end(join), 0);
		ck_assert_int_eq(asked.queries, 4);
		ck_assert_int_eq(asked.steps, i);
		ck_assert_int_eq(asked.records, i - 1);
		step_join_reset_to(join, part);
	}
	step_join_free(join);
	known_events_free(events);
	recording_part_close(part);
	recording_part_close(none);
}
END_TEST

static void begin_coresight(void)
{
	recording_fixture_begin_coresight(&fixture);
	whole = recording_fixture_open(&fixture);
	part_at = fixture.size;
}

SUITE("recording_part")
{
	CASE("coresight");
	FIXTURE(begin_coresight, end);
	TEST(a_part_of_coresight_has_units_of_its_own);
	CASE("recording_part");
	FIXTURE(begin, end);
	TEST(a_part_has_its_own_trace_and_records);
	TEST(parts_know_nothing_of_each_other);
	TEST(a_part_can_be_opened_again);
	TEST(a_cut_part_opens);
	TEST(a_join_goes_on_with_the_next_part);
}
