/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/sideband.h"
#include "execution/stream/execution_stream.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* Trace with a time packet whose value cannot be true, because the kernel wrote
 * no record near that time: for both decoders the trace from there up to the
 * next sync point is the same gap, and no item has such a time. A tick is a
 * nanosecond.
 */
#define KERNEL UINT64_C(0xffffffff81001000)
#define MINUTE UINT64_C(60000000000)
#define FIRST (600 * MINUTE)
#define LAST (FIRST + 5000)

/* jmp *%rax, twice. */
static const uint8_t code[] = { 0xff, 0xe0, 0xff, 0xe0 };

#define BRANCHES "2d 02 10 2d 00 10 "

/* A packet after the branches of the second of three sync points: a TSC of
 * @tsc, or @packet.
 */
static const struct row {
	uint64_t tsc;
	const char *packet;
	bool is_damage;
	bool is_sync; /* the TSC is that of the sync point */
} rows[] = {
	{ FIRST + 2500, "", false, false },
	{ FIRST + 2500, "", false, true },
	{ LAST + MINUTE, "", false, false },
	{ LAST + MINUTE + 1, "", true, false },
	{ FIRST - 60 * MINUTE, "", false, false },
	{ FIRST - 60 * MINUTE - 1, "", true, false },
	{ UINT64_C(0xf571846b7125fb), "", true, false },
	{ UINT64_C(0xffffffffffffff), "", true, false },
	{ 1, "", true, false },
	{ UINT64_C(0xf571846b7125fb), "", true, true },
	/* cycles, only of Intel PT: most, and few */
	{ 0, "ff ff ff ff ff ff fe ", true, false },
	{ 0, "ff fe ", false, false },
};

enum { STAMPS = 10 };

static struct recording_fixture fixture;
static struct flow_run run;

static void tear_down(void)
{
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}

static void add_time(char *text, uint64_t tsc)
{
	strcat(text, "19 ");
	for (int i = 0; i < 7; i++)
		sprintf(text + strlen(text), "%02x ",
			(unsigned int)(tsc >> (8 * i) & 0xff));
}

static void add_sync(char *text, uint64_t tsc)
{
	strcat(text, "psb ");
	add_time(text, tsc);
	strcat(text, "99 01 7d 00 10 00 81 ff ff 02 23 ");
}

static void record(const struct row *row)
{
	const struct fixture_origin first = { 1, 1, FIRST };
	const struct fixture_origin last = { 1, 1, LAST };
	uint32_t start[2] = { 1, 1 };
	char text[1024] = "";
	uint8_t bytes[256];
	size_t size;

	add_sync(text, FIRST);
	strcat(text, BRANCHES);
	add_sync(text, row->is_sync ? row->tsc : FIRST + 2000);
	strcat(text, BRANCHES);
	if (row->tsc && !row->is_sync)
		add_time(text, row->tsc);
	strcat(text, row->packet);
	strcat(text, BRANCHES BRANCHES);
	add_sync(text, FIRST + 4000);
	strcat(text, BRANCHES);
	add_time(text, LAST);
	size = fixture_intel_bytes(text, bytes, sizeof(bytes));
	recording_fixture_begin(&fixture);
	recording_fixture_code(&fixture, KERNEL, code, sizeof(code));
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &first);
	recording_fixture_trace(&fixture, 0, bytes, size);
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &last);
	flow_run_of(&run, &fixture);
}

typedef int open_decoder(const struct flow_input *, struct flow_source **);

/* Sets @items to what a decoder makes of the trace. Returns whether it has a
 * gap.
 */
static bool decode(open_decoder *open, struct array *items)
{
	const struct flow_input input = flow_run_input(&run, 0);
	struct flow_source *source;
	const struct flow_item *some;
	bool has_gap = false;
	int count;

	*items = ARRAY_OF(struct flow_item);
	ck_assert_int_eq(open(&input, &source), 0);
	while ((count = flow_source_next(source, &some)) > 0)
		for (int i = 0; i < count; i++) {
			struct flow_item *item = array_add(items);

			*item = some[i];
			ck_assert_uint_ge(item->time_ns, FIRST);
			/* Bounds and rounding add a few nanoseconds. */
			ck_assert_uint_le(item->time_ns, LAST + MINUTE + 8);
			if (item->kind != FLOW_GAP)
				continue;
			ck_assert_uint_eq(item->detail, FLOW_GAP_BAD_TRACE);
			has_gap = true;
		}
	flow_source_close(source);
	return has_gap;
}

/* The positions of gaps in Arm's trace are at either end of the packet. */
static void compare(const struct array *graph, const struct array *library,
		    bool has_same_positions)
{
	ck_assert_uint_eq(graph->count, library->count);
	for (size_t i = 0; i < graph->count; i++) {
		const struct flow_item *one = array_at(graph, i);
		const struct flow_item *other = array_at(library, i);

		ck_assert_int_eq(one->kind, other->kind);
		if (one->kind != FLOW_GAP || has_same_positions)
			ck_assert_uint_eq(one->ip, other->ip);
		ck_assert_uint_eq(one->time_ns, other->time_ns);
	}
}

START_TEST(a_time_without_a_record_near_it_is_damage)
{
	const struct row *row = &rows[_i];
	struct array graph;
	struct array library;

	record(row);
	ck_assert_int_eq(decode(execution_blocks.open, &graph), row->is_damage);
	ck_assert_int_eq(decode(flow_source_open, &library), row->is_damage);
	compare(&graph, &library, true);
	array_free(&graph);
	array_free(&library);
}
END_TEST

/* Arm: nop; b back to it. */
static const uint32_t loop[] = { 0xd503201f, 0x17ffffff };

static size_t put(uint8_t *to, const uint8_t *bytes, size_t size)
{
	memcpy(to, bytes, size);
	return size;
}

/* Writes a time stamp of an ETMv4 with all its bytes; none if @ticks is 0. */
static size_t put_stamp(uint8_t *to, uint64_t ticks)
{
	if (!ticks)
		return 0;
	to[0] = 0x02;
	for (int i = 0; i < 8; i++)
		to[1 + i] = (uint8_t)(ticks >> (7 * i) | 0x80);
	to[9] = (uint8_t)(ticks >> 56);
	return 10;
}

static void record_arm(uint64_t ticks)
{
	static const uint8_t begin[] = { SYNC, TRACE_ON, CONTEXT(0) };
	static const uint8_t sync[] = { SYNC, CONTEXT(0) };
	static const uint8_t atoms[] = { EXECUTED, EXECUTED };
	const struct fixture_origin first = { 1, 1, FIRST };
	const struct fixture_origin last = { 1, 1, LAST };
	uint8_t bytes[256];
	size_t size = put(bytes, begin, sizeof(begin));
	uint64_t aux[3] = { 0, 0, SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };
	uint32_t start[2] = { 1, 1 };

	size += put_stamp(bytes + size, FIRST);
	size += put(bytes + size, atoms, sizeof(atoms));
	size += put(bytes + size, sync, sizeof(sync));
	size += put_stamp(bytes + size, FIRST + 2000);
	size += put(bytes + size, atoms, sizeof(atoms));
	size += put_stamp(bytes + size, ticks);
	size += put(bytes + size, atoms, sizeof(atoms));
	size += put(bytes + size, sync, sizeof(sync));
	size += put_stamp(bytes + size, FIRST + 4000);
	size += put(bytes + size, atoms, sizeof(atoms));
	size += put_stamp(bytes + size, LAST);
	aux[1] = size;
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_code(&fixture, ETMV4_BASE, (const uint8_t *)loop,
			       sizeof(loop));
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &first);
	recording_fixture_trace(&fixture, 0, bytes, size);
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &last);
	flow_run_of(&run, &fixture);
}

/* The rows without a packet of cycles. */
START_TEST(a_time_stamp_without_a_record_near_it_is_damage)
{
	const struct row *row = &rows[_i];
	struct array graph;
	struct array library;

	record_arm(row->tsc);
	ck_assert_int_eq(decode(execution_blocks.open, &graph), row->is_damage);
	ck_assert_int_eq(decode(flow_source_open, &library), row->is_damage);
	compare(&graph, &library, false);
	array_free(&graph);
	array_free(&library);
}
END_TEST

SUITE("time_span")
{
	FIXTURE(NULL, tear_down);
	TEST_EACH(a_time_without_a_record_near_it_is_damage, rows);
	TEST_TIMES(a_time_stamp_without_a_record_near_it_is_damage, STAMPS);
}
