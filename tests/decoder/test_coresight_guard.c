/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/packet_internal.h"
#include "decoder/recording/coresight_streams.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include <string.h>

#define CALL 0x06, 0x05
#define TEN COMMIT(10)
#define TRACE_INFO(sections) 0x01, (sections)

/* Packets of speculation, and others that hold bytes like theirs. */
static const struct row {
	uint8_t bytes[40];
	size_t size;
	size_t passed;
} rows[] = {
	{ { CALL, TEN }, 4, 2 },
	{ { 0xf7, TEN, 0xf7 }, 4, 1 },
	{ { 0xf7, 0x2e, 1 }, 3, 1 },
	{ { 0xf7, 0x30 }, 2, 1 },
	{ { 0xf7, 0x3f }, 2, 1 },
	{ { CALL, ADDRESS(0x2d << 2), 0xf7, TEN }, 14, 12 },
	/* An exception packet in both of its forms. */
	{ { 0x06, 0x85, 0x2d, TEN }, 5, 3 },
	{ { 0x06, 0x85, 0x2d, 0x95, 0x2d, TEN }, 7, 5 },
	/* Contexts, the unit's own packets, Q elements. */
	{ { CALL, 0x81, 0x31, TEN }, 6, 4 },
	{ { CALL, 0x81, 0xf1, 1, 2, 3, 4, 5, 0x2d, 7, 8, TEN }, 14, 12 },
	{ { CALL, 0x70, 0x71, TEN }, 6, 4 },
	{ { CALL, SYNC, TEN }, 19, 17 },
	{ { 0x09, 1, 0x2d, 0x2d, 0x2d, 0x2d, 0x2d, 0x2d, 0x2d, 0x2d, TEN },
	  12,
	  10 },
	{ { 0xa0, 0x2d, TEN }, 4, 2 },
	{ { 0xa5, 0xad, 0x2d, 0x2d, TEN }, 6, 4 },
	{ { 0xab, 0x2d, 0x2d, 0x2d, 0x2d, 0xad, 0x2d, TEN }, 9, 7 },
	{ { 0xaf, TEN }, 3, 1 },
	/* Trace info packets that contain the number of uncommitted elements.
	 */
	{ { CALL, TRACE_INFO(0x4), 0, TEN }, 7, 5 },
	{ { CALL, TRACE_INFO(0x9), 0x80, 0x2d, 0x2d, TEN }, 9, 7 },
	{ { TRACE_INFO(0x5), 0, 0x80, 0, TEN }, 7, 5 },
	{ { TRACE_INFO(0x81), 0x2d, 0x2d, TEN }, 6, 4 },
	/* A commit's byte in others. */
	{ { CALL, 0x02, 0xad, 0x2d, TEN }, 7, 5 },
	{ { CALL, 0x85, AT(0x2d << 2), 0xf1, 1, 2, 3, 4, TEN, TEN, TEN },
	  22,
	  20 },
	/* Conditional instructions, data trace. */
	{ { 0xf7, 0x41, CALL }, 4, 1 },
	{ { 0xf7, 0x20, CALL }, 4, 1 },
};

static const struct coresight_unit unit = {
	.protocol = CORESIGHT_ETMV4,
	.idr2 = 4 << 10 | 4 << 5 | 8, /* four bytes each */
};

/* Whole, and byte by byte as windows may split it. */
START_TEST(packets_of_speculation_are_kept_back)
{
	const struct row *row = &rows[_i];
	struct coresight_guard guard;
	size_t passed = 0;

	coresight_guard_begin(&guard, &unit);
	ck_assert_uint_eq(coresight_guard_pass(&guard, row->bytes, row->size),
			  row->passed);
	coresight_guard_begin(&guard, &unit);
	while (passed < row->size &&
	       coresight_guard_pass(&guard, row->bytes + passed, 1))
		passed++;
	ck_assert_uint_eq(passed, row->passed);
}
END_TEST

/* Held back while incomplete. */
START_TEST(something_uncommitted_is_kept_back)
{
	const uint8_t bytes[] = { CALL, TRACE_INFO(0x5), 0, 0x80, 5, 0xf7 };
	struct coresight_guard guard;
	size_t passed = 0;

	coresight_guard_begin(&guard, &unit);
	ck_assert_uint_lt(coresight_guard_pass(&guard, bytes, sizeof(bytes)),
			  7);
	coresight_guard_begin(&guard, &unit);
	while (passed < sizeof(bytes) &&
	       coresight_guard_pass(&guard, bytes + passed, 1))
		passed++;
	ck_assert_uint_eq(passed, 6);
}
END_TEST

/* OpenCSD ends the program at these. */
#define SOUND SYNC, CONTEXT(0x10), EXECUTED, ADDRESS(0x08), NOT_EXECUTED
static const uint8_t commit[] = {
	SYNC, TRACE_ON, CONTEXT(0), EXECUTED, CALL, TEN, EXECUTED, SOUND,
};
static const uint8_t depth[] = {
	SYNC_ONLY, TRACE_INFO(0x5), 0, 9, CALL, SOUND,
};
static const uint8_t mispredict[] = {
	SYNC, TRACE_ON, CONTEXT(0), EXECUTED, ADDRESS(0x10), 0x30, 0x30, SOUND,
};

static const struct capture {
	enum capture_name kind;
	const uint8_t *trace;
	size_t size;
	uint64_t instructions; /* before and after the damage */
} captures[] = {
	{ CAPTURE_ETMV4, commit, sizeof(commit), 6 },
	{ CAPTURE_ETE, commit, sizeof(commit), 6 },
	{ CAPTURE_ETMV4, depth, sizeof(depth), 4 },
	{ CAPTURE_ETE, depth, sizeof(depth), 4 },
	{ CAPTURE_ETMV4, mispredict, sizeof(mispredict), 6 },
	{ CAPTURE_ETE, mispredict, sizeof(mispredict), 6 },
};

START_TEST(damage_does_not_end_the_program)
{
	const struct capture *capture = &captures[_i];
	struct scratch_folder folder = scratch_folder_new();
	struct flow_totals totals;
	struct flow_run run;

	capture_fixture_write(&folder, &capture->kind, 1, "source_data");
	snapshot_fixture_file(&folder, CAPTURE_TRACE, capture->trace,
			      capture->size);
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL), 0);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_BAD_TRACE], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.instructions, capture->instructions);
	flow_run_close(&run);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("coresight_guard")
{
	TEST_EACH(packets_of_speculation_are_kept_back, rows);
	TEST(something_uncommitted_is_kept_back);
	TEST_EACH(damage_does_not_end_the_program, captures);
}
