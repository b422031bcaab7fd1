/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_guard.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/recording.h"
#include "tests/capture_fixture.h"
#include "tests/etmv4_packets.h"
#include "tests/flow_run_fixture.h"
#include "tests/run_suite.h"
#include "tests/snapshot_fixture.h"

#include <string.h>

#define CALL 0x06, 0x05
#define COMMIT 0x2d, 0x0a
#define TRACE_INFO(sections) 0x01, (sections)

/* Packets of speculation, and others that hold bytes like theirs. */
static const struct row {
	uint8_t bytes[40];
	size_t size;
	size_t passed;
	uint32_t idr8;		/* how much is speculated */
} rows[] = {
	{ { CALL, COMMIT }, 4, 2, 0 },
	{ { CALL, COMMIT }, 4, 4, 1 },
	{ { 0xf7, COMMIT, 0xf7 }, 4, 1, 0 },
	{ { 0xf7, 0x2e, 1 }, 3, 1, 0 },
	{ { 0xf7, 0x30 }, 2, 1, 0 },
	{ { 0xf7, 0x3f }, 2, 1, 0 },
	{ { 0xf7, 0x3f }, 2, 2, 1 },
	{ { CALL, ADDRESS(0x2d << 2), 0xf7, COMMIT }, 14, 12, 0 },
	/* Both forms of an exception. */
	{ { 0x06, 0x85, 0x2d, COMMIT }, 5, 3, 0 },
	{ { 0x06, 0x85, 0x2d, 0x95, 0x2d, COMMIT }, 7, 5, 0 },
	/* What says nothing between them: contexts, the unit's own packets. */
	{ { CALL, 0x81, 0x31, COMMIT }, 6, 4, 0 },
	{ { CALL, 0x81, 0xf1, 1, 2, 3, 4, 5, 0x2d, 7, 8, COMMIT }, 14, 12, 0 },
	{ { CALL, 0x70, 0x20, COMMIT }, 6, 4, 0 },
	{ { CALL, SYNC, COMMIT }, 19, 17, 0 },
	{ { CALL, TRACE_INFO(0x4), 5 }, 5, 3, 0 },
	{ { CALL, TRACE_INFO(0x9), 0x80, 0x2d, 0x2d, COMMIT }, 9, 7, 0 },
	{ { TRACE_INFO(0x5), 0, 5, COMMIT }, 6, 4, 0 },
	/* A commit's byte in others. */
	{ { CALL, 0x02, 0xad, 0x2d, COMMIT }, 7, 5, 0 },
	{ { CALL, 0x85, AT(0x2d << 2), 0xf1, 1, 2, 3, 4, COMMIT, COMMIT,
	    COMMIT }, 22, 20, 0 },
	/* Of conditional instructions: no more is known. */
	{ { 0x41, CALL, COMMIT }, 5, 5, 0 },
};

static struct coresight_unit unit_of(const struct row *row)
{
	return (struct coresight_unit){
		.protocol = CORESIGHT_ETMV4,
		.idr2 = 4 << 10 | 4 << 5 | 8,	/* four bytes each */
		.idr8 = row->idr8,
	};
}

/* Whole, and byte by byte as windows may cut it. */
START_TEST(packets_of_speculation_are_kept_back)
{
	const struct row *row = &rows[_i];
	const struct coresight_unit unit = unit_of(row);
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

/* OpenCSD ends the program at these. */
#define SOUND SYNC, CONTEXT(0x10), EXECUTED, ADDRESS(0x08), NOT_EXECUTED
static const uint8_t commit[] = {
	SYNC, TRACE_ON, CONTEXT(0), EXECUTED, CALL, COMMIT, EXECUTED, SOUND,
};
static const uint8_t mispredict[] = {
	SYNC, TRACE_ON, CONTEXT(0), EXECUTED, ADDRESS(0x10), 0x30, 0x30, SOUND,
};

static const struct capture {
	enum capture_name kind;
	const uint8_t *trace;
	size_t size;
} captures[] = {
	{ CAPTURE_ETMV4, commit, sizeof(commit) },
	{ CAPTURE_ETE, commit, sizeof(commit) },
	{ CAPTURE_ETMV4, mispredict, sizeof(mispredict) },
	{ CAPTURE_ETE, mispredict, sizeof(mispredict) },
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
	ck_assert_uint_eq(totals.instructions, 6);
	flow_run_close(&run);
	scratch_folder_free(&folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("coresight_guard");
	TCase *tcase = tcase_create("guard");

	tcase_add_loop_test(tcase, packets_of_speculation_are_kept_back, 0,
			    sizeof(rows) / sizeof(*rows));
	tcase_add_loop_test(tcase, damage_does_not_end_the_program, 0,
			    sizeof(captures) / sizeof(*captures));
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
