/* SPDX-License-Identifier: MIT */
#include "decoder/flow/branch_source.h"
#include "decoder/recording/recording.h"
#include "symbolize/events/function_event.h"
#include "symbolize/symbols/symbols.h"
#include "tests/assert_each.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/shared.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include "decoder/flow/flow.h"
#include <stdio.h>

/* Decoding with the block graph is compared with OpenCSD's full decoder on the
 * same trace: each block and each function event. Times are compared where they
 * are not interpolated: with instruction counts.
 */
static char folder[4096];
static struct scratch_folder scratch;
static struct flow_run run;

static void set_up(void)
{
	*folder = '\0';
	scratch = scratch_folder_new();
	run = (struct flow_run){ 0 };
}

static void tear_down(void)
{
	flow_run_close(&run);
	scratch_folder_free(&scratch);
	shared_recording_remove(folder);
}

static bool is_exact(void)
{
	return recording_time(run.recording) == RECORDING_TIME_INSTRUCTIONS;
}

static void check_item(const struct flow_item *item,
		       const struct flow_item *expected)
{
	assert_each(item->kind == expected->kind);
	assert_each(item->detail == expected->detail);
	assert_each(item->ip == expected->ip);
	assert_each(item->last_length == expected->last_length);
	assert_each(item->instructions == expected->instructions);
	/* OpenCSD treats the last packet of frames as the end of the trace. */
	if (item->kind != FLOW_GAP || item->detail != FLOW_GAP_UNSYNCED)
		assert_each(item->last == expected->last);
	if (is_exact())
		assert_each(item->time_ns == expected->time_ns);
}

static void compare_blocks(size_t index)
{
	struct array items[2] = { ARRAY_OF(struct flow_item),
				  ARRAY_OF(struct flow_item) };
	struct flow_totals totals;

	for (int i = 0; i < 2; i++) {
		run.by_library = i;
		flow_run_stream(&run, index, &totals, &items[i]);
	}
	ck_assert_uint_eq(items[0].count, items[1].count);
	for (size_t i = 0; i < items[0].count; i++)
		check_item(array_at(&items[0], i), array_at(&items[1], i));
	array_free(&items[0]);
	array_free(&items[1]);
}

static void keep(void *ctx, const struct function_event *event)
{
	struct function_event *kept = array_add(ctx);

	assert_each(kept);
	*kept = *event;
}

static void check_event(const struct function_event *event,
			const struct function_event *expected)
{
	assert_each(event->kind == expected->kind);
	assert_each(event->detail == expected->detail);
	assert_each(event->address == expected->address);
	assert_each(event->is_user == expected->is_user);
	if (event->kind != FUNCTION_GAP)
		assert_each(event->function == expected->function);
	if (is_exact())
		assert_each(event->time_ns == expected->time_ns);
}

static void compare_events(size_t index, const struct symbols *symbols)
{
	struct array events[2] = { ARRAY_OF(struct function_event),
				   ARRAY_OF(struct function_event) };

	for (int i = 0; i < 2; i++) {
		run.by_library = i;
		flow_run_events(&run, index, symbols, keep, &events[i]);
	}
	ck_assert_uint_eq(events[0].count, events[1].count);
	for (size_t i = 0; i < events[0].count; i++)
		check_event(array_at(&events[0], i), array_at(&events[1], i));
	array_free(&events[0]);
	array_free(&events[1]);
}

static void open_run(const char *path, const char *root)
{
	ck_assert_int_eq(flow_run_open(&run, path, root), 0);
	for (size_t i = 0; i < recording_stream_count(run.recording); i++)
		ck_assert(branch_source_fits(
			run.recording, recording_stream(run.recording, i)));
}

static void compare_all_blocks(void)
{
	for (size_t i = 0; i < recording_stream_count(run.recording); i++)
		compare_blocks(i);
}

static void compare_all_events(void)
{
	struct symbols *symbols;

	ck_assert_int_eq(symbols_open(run.recording, NULL, 1, &symbols), 0);
	for (size_t i = 0; i < recording_stream_count(run.recording); i++)
		compare_events(i, symbols);
	symbols_close(symbols);
}

/* Compares all streams of the recording at @path. */
static void compare(const char *path, const char *root)
{
	open_run(path, root);
	compare_all_blocks();
	compare_all_events();
}

static const enum capture_name captures[] = {
	CAPTURE_ETMV4,	CAPTURE_ETE,	     CAPTURE_ETMV4_32,
	CAPTURE_ETE_32, CAPTURE_AHEAD_ETMV4, CAPTURE_AHEAD_ETE,
};

START_TEST(captures_are_equal)
{
	enum { SYNCS = 3, ROUNDS = 40 };
	uint8_t bytes[CAPTURE_ROOM(SYNCS, ROUNDS)];
	size_t places[SYNCS];
	size_t size = capture_fixture_trace(captures[_i], SYNCS, ROUNDS, bytes,
					    places);

	capture_fixture_write(&scratch, &captures[_i], 1, "source_data");
	snapshot_fixture_file(&scratch, CAPTURE_TRACE, bytes, size);
	compare(scratch.path, NULL);
}
END_TEST

static const char *const snapshots[] = {
	"snapshots/juno_r1_1",	   "snapshots-ete/event_test",
	"snapshots-ete/src_addr",  "snapshots-ete/trace_file_cid_vmid",
	"snapshots-ete/ts_marker",
};

START_TEST(snapshots_are_equal)
{
	char name[256];
	char path[4096];

	snprintf(name, sizeof(name), "coresight/opencsd/%s", snapshots[_i]);
	if (shared_path(name, path, sizeof(path)))
		compare(path, NULL);
}
END_TEST

static const char *const phones[] = {
	"perf_etm.data",
	"perf_kernel.data",
	"perf_with_unformatted_trace.data",
};

START_TEST(phones_are_equal)
{
	char name[256];
	char path[4096];

	snprintf(name, sizeof(name), "coresight/simpleperf-etm/%s", phones[_i]);
	if (shared_path(name, path, sizeof(path)))
		compare(path, NULL);
}
END_TEST

/* The program's code is missing, so every entry of it and exit from it is a
 * gap. OpenCSD takes minutes of QEMU for it: each comparison is a test, with a
 * timeout of its own.
 */
static void (*const comparisons[])(void) = {
	compare_all_blocks,
	compare_all_events,
};

START_TEST(virtual_machine_is_equal)
{
	if (suite_skips_long_test() ||
	    !shared_recording("arm64-ete", folder, sizeof(folder)))
		return;
	open_run(folder, "/nonexistent");
	comparisons[_i]();
}
END_TEST

/* The older units' protocols have no such branches. */
START_TEST(older_units_are_left_to_opencsd)
{
	static const enum capture_name old[] = { CAPTURE_PTM, CAPTURE_ETMV3 };
	enum { ROUNDS = 2 };
	uint8_t bytes[CAPTURE_ROOM(1, ROUNDS)];
	size_t place;
	size_t size = capture_fixture_trace(old[_i], 1, ROUNDS, bytes, &place);

	capture_fixture_write(&scratch, &old[_i], 1, "source_data");
	snapshot_fixture_file(&scratch, CAPTURE_TRACE, bytes, size);
	ck_assert_int_eq(flow_run_open(&run, scratch.path, NULL), 0);
	ck_assert(!branch_source_fits(run.recording,
				      recording_stream(run.recording, 0)));
}
END_TEST

/* A unit that leaves out where calls return to, and a loop of them. */
static void write_returning_unit(void)
{
	static const enum capture_name kind = CAPTURE_ETMV4;

	capture_fixture_write(&scratch, &kind, 1, "source_data");
	scratch_folder_write(&scratch, "unit0.ini",
			     "[device]\nname=unit_0\nclass=trace_source\n"
			     "type=ETM4.0\n[regs]\nTRCCONFIGR=0x1001\n"
			     "TRCIDR0=0x28000EA1\nTRCIDR1=0x4100F403\n"
			     "TRCIDR2=0x00000488\nTRCTRACEIDR=0x10\n");
}

static const uint8_t returns[] = {
	SYNC,	      TRACE_ON,	     CONTEXT(0),    EXECUTED,
	EXECUTED,		     /* bl, ret to 0x08 */
	EXECUTED,     ADDRESS(0x34), /* b.eq to 0x20, svc is left out */
	EXECUTED,		     /* b */
	EXECUTED,     EXECUTED,	     /* bl, ret to 0x08 */
	NOT_EXECUTED, EXECUTED,	     /* b.eq; ret without an open call */
	EXECUTED,     EXECUTED,	     ADDRESS(0x00), EXECUTED, /* bl */
	EXECUTED,     ADDRESS(0x34), /* ret to elsewhere */
	EXECUTED,		     /* b */
};

START_TEST(calls_determine_the_targets_of_returns)
{
	/* Up to the return without a call both are equal. */
	enum { ALIKE = sizeof(returns) - 2 * 9 - 7 };

	write_returning_unit();
	snapshot_fixture_file(&scratch, CAPTURE_TRACE, returns, ALIKE);
	compare(scratch.path, NULL);
}
END_TEST

/* OpenCSD gives up there until the next synchronisation point. */
START_TEST(unknown_return_is_a_gap_up_to_an_address)
{
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;
	const struct flow_item *item;

	write_returning_unit();
	snapshot_fixture_file(&scratch, CAPTURE_TRACE, returns,
			      sizeof(returns));
	ck_assert_int_eq(flow_run_open(&run, scratch.path, NULL), 0);
	flow_run_stream(&run, 0, &totals, &items);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_BAD_TRACE], 2);
	/* The last items, after the second gap, are bl, ret, b, the stop, and
	 * the end.
	 */
	item = array_at(&items, items.count - 5);
	ck_assert_int_eq(item->kind, FLOW_BLOCK);
	ck_assert_uint_eq(item->ip, ETMV4_BASE);
	ck_assert_int_eq(item->detail, FLOW_EXIT_CALL);
	item = array_at(&items, items.count - 3);
	ck_assert_uint_eq(item->ip, ETMV4_BASE + 0x34);
	array_free(&items);
}
END_TEST

#define COUNT(list) (int)(sizeof(list) / sizeof(*(list)))

SUITE("coresight_graph")
{
	LIMIT_S(120);
	FIXTURE(set_up, tear_down);
	TEST_TIMES(captures_are_equal, COUNT(captures));
	TEST_TIMES(snapshots_are_equal, COUNT(snapshots));
	TEST_TIMES(phones_are_equal, COUNT(phones));
	TEST_TIMES(virtual_machine_is_equal, COUNT(comparisons));
	TEST(calls_determine_the_targets_of_returns);
	TEST(unknown_return_is_a_gap_up_to_an_address);
	TEST_TIMES(older_units_are_left_to_opencsd, 2);
}
