/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/memory.h"
#include "decoder/recording/record_parse_internal.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static struct recording_fixture fixture;
static struct recording *recording;
static struct sideband *sideband;

static void set_up(void)
{
	recording_fixture_begin(&fixture);
}

static void open_it(unsigned int kinds)
{
	recording = recording_fixture_open(&fixture);
	sideband = sideband_open(recording, kinds);
	ck_assert_ptr_nonnull(sideband);
}

static void tear_down(void)
{
	sideband_close(sideband);
	recording_close(recording);
	recording_fixture_end(&fixture);
	sideband = NULL;
	recording = NULL;
}

static void add_comm(const char *name, int32_t pid, uint64_t time_ns)
{
	const struct fixture_origin origin = { pid, pid, time_ns };
	struct {
		int32_t pid;
		int32_t tid;
		char name[16];
	} body = { pid, pid, "" };

	strncpy(body.name, name, sizeof(body.name) - 1);
	recording_fixture_record(&fixture, PERF_RECORD_COMM, 0, &body,
				 sizeof(body), &origin);
}

static void add_trace_start(int32_t tid, uint64_t time_ns)
{
	const struct fixture_origin origin = { tid, tid, time_ns };
	const int32_t body[] = { tid, tid };

	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, body,
				 sizeof(body), &origin);
}

static void expect_comm(const char *name, uint64_t time_ns)
{
	struct sideband_record record;

	ck_assert_int_eq(sideband_next(sideband, &record), 1);
	ck_assert_int_eq(record.kind, SIDEBAND_COMM);
	ck_assert_str_eq(record.comm.name, name);
	ck_assert_uint_eq(record.time_ns, time_ns);
	ck_assert_int_eq(record.cpu, 0);
}

static void expect_end(void)
{
	struct sideband_record record;

	ck_assert_int_eq(sideband_next(sideband, &record), 0);
}

START_TEST(sideband_comes_in_order_of_time)
{
	add_comm("c", 3, 300);
	add_comm("a", 1, 100);
	recording_fixture_record(&fixture, PERF_DATA_FINISHED_ROUND, 0, NULL, 0,
				 NULL);
	add_comm("b", 2, 200);
	add_comm("e", 5, 500);
	recording_fixture_record(&fixture, PERF_DATA_FINISHED_ROUND, 0, NULL, 0,
				 NULL);
	add_comm("d", 4, 400);
	open_it(0);
	expect_comm("a", 100);
	expect_comm("b", 200);
	expect_comm("c", 300);
	expect_comm("d", 400);
	expect_comm("e", 500);
	expect_end();
	ck_assert_uint_eq(recording_info(recording)->first_time_ns, 100);
	ck_assert_uint_eq(recording_info(recording)->last_time_ns, 500);
}
END_TEST

/* The kernel's other events are recorded from the time that they are opened. */
START_TEST(a_recording_begins_when_its_trace_does)
{
	add_comm("a", 1, 100);
	add_trace_start(7, 300);
	add_trace_start(8, 250);
	add_comm("b", 2, 400);
	open_it(0);
	ck_assert_uint_eq(recording_info(recording)->first_time_ns, 250);
	ck_assert_uint_eq(recording_info(recording)->last_time_ns, 400);
}
END_TEST

START_TEST(unknown_records_are_stepped_over)
{
	const uint64_t body[3] = { 1, 2, 3 };

	recording_fixture_record(&fixture, 99, 0, body, sizeof(body), NULL);
	add_comm("a", 1, 100);
	open_it(0);
	expect_comm("a", 100);
	expect_end();
	ck_assert_uint_eq(recording_counts(recording)->unknown, 1);
	ck_assert(!recording_is_cut(recording));
}
END_TEST

START_TEST(kinds_are_filtered)
{
	const struct fixture_origin origin = { 1, 1, 50 };

	recording_fixture_record(&fixture, PERF_RECORD_SWITCH, 0, NULL, 0,
				 &origin);
	add_comm("a", 1, 100);
	open_it(SIDEBAND_BIT(SIDEBAND_COMM));
	expect_comm("a", 100);
	expect_end();
}
END_TEST

static void add_sample(uint64_t id, uint64_t time_ns)
{
	const struct {
		uint64_t id;
		uint64_t ip;
		int32_t pid;
		int32_t tid;
		uint64_t time_ns;
		uint64_t cpu;
	} body = { .id = id, .pid = 1, .tid = 1, .time_ns = time_ns };

	recording_fixture_record(&fixture, PERF_RECORD_SAMPLE, 0, &body,
				 sizeof(body), NULL);
}

static bool is_second_event(const struct recording_event *event)
{
	return event == recording_event(recording, 1);
}

START_TEST(samples_of_unwanted_events_are_dropped)
{
	struct sideband_record record;

	add_sample(1, 100);
	add_sample(2, 200);
	add_sample(77, 300);
	open_it(SIDEBAND_BIT(SIDEBAND_SAMPLE));
	sideband_choose_samples(sideband, is_second_event);
	ck_assert_int_eq(sideband_next(sideband, &record), 1);
	ck_assert_uint_eq(record.time_ns, 200);
	expect_end();
}
END_TEST

/* IDs of events: in a row, with holes, and at the ends of their range. */
static const uint64_t event_ids[][4] = {
	{ 40, 41, 42, 43 },
	{ 40, 42, 43, 47 },
	{ 0, 1, UINT64_MAX - 1, UINT64_MAX },
};

START_TEST(events_are_found_by_any_id)
{
	struct event_table table = event_table_new(NULL);

	ck_assert_ptr_null(event_table_find(&table, 40));
	for (uint32_t i = 0; i < 4; i++) {
		const struct event_id id = { .id = event_ids[_i][i],
					     .event = i };

		ck_assert_int_eq(array_append(&table.ids, &id), 0);
	}
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t id = event_ids[_i][i];
		const struct event_id *next = event_table_find(&table, id + 1);

		ck_assert_uint_eq(event_table_find(&table, id)->event, i);
		ck_assert(!next || next->id == id + 1);
	}
	ck_assert_ptr_null(event_table_find(&table, 100));
	event_table_free(&table);
}
END_TEST

START_TEST(a_bad_record_ends_the_walk)
{
	add_comm("a", 1, 100);

	size_t bad = fixture.size;

	add_comm("b", 2, 200);
	fixture.bytes[bad + 6] = 3;
	fixture.bytes[bad + 7] = 0;
	open_it(0);
	expect_comm("a", 100);
	expect_end();
	ck_assert(recording_is_cut(recording));
}
END_TEST

/* Tables are allocated for all CPUs up to the largest number: a damaged record
 * must not make them gigabytes large.
 */
START_TEST(a_cpu_that_no_machine_has_is_unknown)
{
	struct sideband_record record;
	/* The CPU's number is this far before the end of the record. */
	const size_t behind = 16;
	const uint32_t numbers[] = { 65535, 65536, 0x11000000, UINT32_MAX };

	for (size_t i = 0; i < 4; i++) {
		add_comm("a", 1, 100 * (i + 1));
		memcpy(fixture.bytes + fixture.size - behind, &numbers[i],
		       sizeof(numbers[i]));
	}
	open_it(0);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(sideband_next(sideband, &record), 1);
		ck_assert_int_eq(record.cpu, i ? -1 : 65535);
	}
	expect_end();
}
END_TEST

/* Appends a COMPRESSED2 record with the next @size bytes of the stream. */
static void add_packed(ZSTD_CCtx *zstd, const uint8_t *bytes, size_t size)
{
	uint8_t body[4096];
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_outBuffer out = { body + 8, sizeof(body) - 8, 0 };

	ck_assert_uint_eq(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush),
			  0);

	uint64_t packed_size = out.pos;

	memcpy(body, &packed_size, 8);
	recording_fixture_record(&fixture, PERF_DATA_COMPRESSED2, 0, body,
				 8 + out.pos, NULL);
}

/* perf record -z: one zstd stream, cut into records in the middle of one. */
START_TEST(compressed_records_are_unpacked)
{
	size_t from = fixture.size;
	uint8_t plain[4096];

	add_comm("a", 1, 100);
	add_comm("b", 2, 200);

	size_t size = fixture.size - from;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	memcpy(plain, fixture.bytes + from, size);
	fixture.size = from;
	add_packed(zstd, plain, size / 2 + 5);
	add_packed(zstd, plain + size / 2 + 5, size - size / 2 - 5);
	ZSTD_freeCCtx(zstd);
	add_comm("c", 3, 300);
	open_it(0);
	expect_comm("a", 100);
	expect_comm("b", 200);
	expect_comm("c", 300);
	expect_end();
}
END_TEST

static const char format[] =
	"name: sched_switch\n"
	"ID: 314\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"field: %s\", REC->prev_comm\n";

START_TEST(tracepoint_fields_are_read)
{
	struct arena *arena = arena_new();
	struct tracepoint tracepoint;
	uint8_t raw[40] = { 0 };
	char text[8];

	ck_assert_int_eq(tracepoint_format_read(format, sizeof(format) - 1,
						arena, &tracepoint),
			 1);
	ck_assert_str_eq(tracepoint.name, "sched_switch");
	ck_assert_uint_eq(tracepoint.id, 314);
	ck_assert_uint_eq(tracepoint.field_count, 4);
	memcpy(raw + 8, "kworker/0:1", 12);
	memset(raw + 24, 0xff, 4);
	raw[28] = 32;
	raw[30] = 4;
	memcpy(raw + 32, "vda", 4);
	ck_assert_int_eq(
		tracepoint_number(tracepoint_field(&tracepoint, "prev_pid"),
				  raw, 40),
		-1);
	ck_assert_str_eq(
		tracepoint_text(tracepoint_field(&tracepoint, "prev_comm"), raw,
				40, text, sizeof(text)),
		"kworker");
	ck_assert_str_eq(tracepoint_text(tracepoint_field(&tracepoint, "name"),
					 raw, 40, text, sizeof(text)),
			 "vda");
	ck_assert_int_eq(
		tracepoint_number(tracepoint_field(&tracepoint, "none"), raw,
				  40),
		0);
	ck_assert_str_eq(tracepoint_text(tracepoint_field(&tracepoint, "name"),
					 raw, 20, text, sizeof(text)),
			 "");
	arena_free(arena);
}
END_TEST

START_TEST(time_is_converted_both_ways)
{
	const struct time_conversion conversion = {
		.shift = 31,
		.mult = 2147485795,
		.zero = 16430543,
		.known = true,
	};

	for (uint64_t ticks = 1; ticks < UINT64_MAX / 64; ticks *= 3) {
		uint64_t ns = time_conversion_ns(&conversion, ticks);
		uint64_t back = time_conversion_ticks(&conversion, ns);

		ck_assert_uint_le(back, ticks);
		ck_assert_uint_le(ticks - back, 2);
	}
}
END_TEST

/* Counters about the ends of the 56 bits of a TSC packet, and far beyond. */
static const uint64_t counters[] = {
	UINT64_C(1) << 40, (UINT64_C(1) << 55) - 1,    UINT64_C(1) << 55,
	UINT64_C(1) << 56, (UINT64_C(5) << 56) + 4321, UINT64_MAX - (1 << 30),
};

/* A kernel that distrusts the counter writes such a conversion. */
START_TEST(a_conversion_by_zeros_is_none)
{
	static const uint64_t zeros[6];

	recording_fixture_record(&fixture, PERF_DATA_TIME_CONV, 0, zeros,
				 sizeof(zeros), NULL);
	open_it(0);
	ck_assert_uint_eq(recording_time_conversion(recording)->mult, 1);
}
END_TEST

START_TEST(ticks_fit_56_bits_wherever_the_counter_is)
{
	const struct time_conversion before = {
		.shift = 31,
		.mult = 715827883,
		.zero = UINT64_MAX - 16430543,
		.known = true,
	};
	struct time_conversion after = before;
	uint64_t counter = counters[_i];
	uint64_t ns = time_conversion_ns(&before, counter);
	uint64_t ticks;

	time_conversion_set_origin(&after, ns);
	ticks = counter - after.origin;
	ck_assert_uint_lt(ticks, UINT64_C(1) << 56);
	ck_assert(!after.origin || ticks >= UINT64_C(1) << 55);
	ck_assert_uint_eq(time_conversion_ns(&after, ticks), ns);
	ck_assert_uint_eq(time_conversion_ns(&after, ticks + 1234567),
			  time_conversion_ns(&before, counter + 1234567));
	ck_assert_uint_le(ticks - time_conversion_ticks(&after, ns), 3);
	if (after.origin)
		ck_assert_uint_eq(time_conversion_ticks(&after, after.zero - 1),
				  0);
}
END_TEST

START_TEST(a_cpu_without_trace_may_have_been_traced)
{
	const uint64_t index[] = { 1, 1, 0, 3, 0 }; /* event 1 is of CPU 3 */
	struct recording *opened;

	recording_fixture_record(&fixture, PERF_DATA_ID_INDEX, 0, index,
				 sizeof(index), NULL);
	opened = recording_fixture_open(&fixture);
	ck_assert_uint_eq(recording_stream_count(opened), 0);
	ck_assert_uint_eq(recording_traced_cpus(opened), 1);
	recording_close(opened);
}
END_TEST

START_TEST(other_files_are_refused)
{
	ck_assert_int_eq(recording_open("/nowhere", NULL, &recording),
			 -ERROR_NOT_FOUND);
	ck_assert_int_eq(recording_open("/dev/null", NULL, &recording),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(recording_open("/proc/self/exe", NULL, &recording),
			 -ERROR_FORMAT);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording),
			 -ERROR_NOT_FOUND);
}
END_TEST

SUITE("recording")
{
	FIXTURE(set_up, tear_down);
	TEST(sideband_comes_in_order_of_time);
	TEST(a_cpu_without_trace_may_have_been_traced);
	TEST(a_recording_begins_when_its_trace_does);
	TEST(unknown_records_are_stepped_over);
	TEST(kinds_are_filtered);
	TEST(samples_of_unwanted_events_are_dropped);
	TEST_EACH(events_are_found_by_any_id, event_ids);
	TEST(a_bad_record_ends_the_walk);
	TEST(a_cpu_that_no_machine_has_is_unknown);
	TEST(compressed_records_are_unpacked);
	TEST(tracepoint_fields_are_read);
	TEST(time_is_converted_both_ways);
	TEST(a_conversion_by_zeros_is_none);
	TEST_EACH(ticks_fit_56_bits_wherever_the_counter_is, counters);
	TEST(other_files_are_refused);
}
