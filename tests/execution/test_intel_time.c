/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow_source.h"
#include "execution/stream/execution_stream.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#define KERNEL UINT64_C(0xffffffff81001000)
#define WRAP (UINT64_C(1) << 56)

/* jmp *%rax, twice. */
static const uint8_t code[] = { 0xff, 0xe0, 0xff, 0xe0 };

/* The counter's value when the first and the last branch are executed. A tick
 * is a nanosecond.
 */
static const struct row {
	uint64_t first;
	uint64_t last;
} rows[] = {
	{ 5000, 6000 },
	{ WRAP / 2 - 500, WRAP / 2 + 500 },
	{ WRAP - 500, WRAP + 500 },
	{ WRAP + 5000, WRAP + 6000 },
	{ 9 * WRAP - 1, 9 * WRAP },
	{ 200 * WRAP + WRAP / 2, 200 * WRAP + WRAP / 2 + 1000 },
};

static struct recording_fixture fixture;
static struct flow_run run;

static void tear_down(void)
{
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}

static void put_tsc(uint8_t *bytes, uint64_t tsc)
{
	bytes[0] = 0x19;
	for (int i = 0; i < 7; i++)
		bytes[1 + i] = (uint8_t)(tsc >> (8 * i));
}

/* A jump at each of two times, and one time more. */
static void record(const struct row *row)
{
	static const char trace[] =
		"psb 19 0 0 0 0 0 0 0 99 01 7d 00 10 00 81 ff ff 02 23 "
		"2d 02 10 19 0 0 0 0 0 0 0 2d 00 10 19 0 0 0 0 0 0 0";
	const struct fixture_origin origin = { 1, 1, row->first };
	uint32_t start[2] = { 1, 1 };
	uint8_t bytes[128];
	size_t size = fixture_intel_bytes(trace, bytes, sizeof(bytes));

	put_tsc(bytes + 16, row->first);
	put_tsc(bytes + size - 19, row->last);
	put_tsc(bytes + size - 8, row->last);
	recording_fixture_begin(&fixture);
	recording_fixture_code(&fixture, KERNEL, code, sizeof(code));
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &origin);
	recording_fixture_trace(&fixture, 0, bytes, size);
	flow_run_of(&run, &fixture);
}

static void check(int (*open)(const struct flow_input *, struct flow_source **),
		  const struct row *row)
{
	const struct flow_input input = flow_run_input(&run, 0);
	struct flow_source *source;
	const struct flow_item *items;
	struct flow_item last = { 0 };
	int blocks = 0;
	int count;

	ck_assert_int_eq(open(&input, &source), 0);
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++) {
			if (items[i].kind != FLOW_BLOCK)
				continue;
			ck_assert_uint_ge(items[i].time_ns, row->first);
			ck_assert_uint_le(items[i].time_ns, row->last + 1);
			ck_assert_uint_ne(items[i].late_ns, FLOW_NO_BOUND);
			last = items[i];
			blocks++;
		}
	flow_source_close(source);
	ck_assert_int_eq(blocks, 2);
	ck_assert_uint_ge(last.time_ns + last.late_ns, row->last);
}

START_TEST(a_counter_may_outgrow_its_packet)
{
	record(&rows[_i]);
	check(execution_blocks.open, &rows[_i]);
	check(flow_source_open, &rows[_i]);
}
END_TEST

SUITE("intel_time")
{
	FIXTURE(NULL, tear_down);
	TEST_EACH(a_counter_may_outgrow_its_packet, rows);
}
