/* SPDX-License-Identifier: MIT */
#include "tests/fixtures/capture.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/etmv7_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

/* Damage leads to the end of the address range: OpenCSD reads code there that
 * it does not have. Decoding continues at the next sync point.
 */
#define FAR_64(low) 0x9d, (low) >> 2, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff
#define FAR_A32(low) 0x9d, (low) >> 2, 0x7f, 0xff, 0xff, LOW_HALF
#define FAR_T32(low) 0x9e, (low) >> 1, 0xff, 0xff, 0xff, LOW_HALF
#define FAR_V7 0xff, 0xff, 0xff, 0xff, 0x0f

#define ETM_BEGIN SYNC, TRACE_ON, CONTEXT(0), EXECUTED, EXECUTED
#define ETM_GOES_ON EXECUTED, EXECUTED, SYNC, CONTEXT(0x10), EXECUTED

static const uint8_t last[] = { ETM_BEGIN, FAR_64(0x1fc), ETM_GOES_ON };
static const uint8_t before[] = { ETM_BEGIN, FAR_64(0x1f8), ETM_GOES_ON };
static const uint8_t zero[] = { ETM_BEGIN, 0x9d, 0, 0, 0,	   0,
				0,	   0,	 0, 0, ETM_GOES_ON };
static const uint8_t last_a32[] = { ETM_BEGIN, 0x81, CONTEXT_EL0_32,
				    FAR_A32(0x1fc), ETM_GOES_ON };
static const uint8_t last_t32[] = { ETM_BEGIN, 0x81, CONTEXT_EL0_32,
				    FAR_T32(0xfe), ETM_GOES_ON };
static const uint8_t last_ptm[] = {
	V7_SYNC,
	PTM_START(V7_TRACE_ON, 0),
	PTM_EXECUTED,
	FAR_V7,
	PTM_EXECUTED,
	V7_SYNC,
	PTM_START(V7_PERIODIC, 0x10),
	PTM_EXECUTED,
};
static const uint8_t last_etmv3[] = {
	V7_SYNC,
	ETMV3_START(V7_TRACE_ON, 0),
	ETMV3_EXECUTED(4),
	FAR_V7,
	ETMV3_EXECUTED(2),
	V7_SYNC,
	ETMV3_START(V7_PERIODIC, 0x10),
	ETMV3_EXECUTED(2),
};

static const struct row {
	enum capture_name kind;
	const uint8_t *trace;
	size_t size;
} rows[] = {
	{ CAPTURE_ETMV4, last, sizeof(last) },
	{ CAPTURE_ETE, last, sizeof(last) },
	{ CAPTURE_ETMV4, before, sizeof(before) },
	{ CAPTURE_ETMV4, zero, sizeof(zero) },
	{ CAPTURE_ETMV4, last_a32, sizeof(last_a32) },
	{ CAPTURE_ETMV4, last_t32, sizeof(last_t32) },
	{ CAPTURE_PTM, last_ptm, sizeof(last_ptm) },
	{ CAPTURE_ETMV3, last_etmv3, sizeof(last_etmv3) },
};

START_TEST(no_code_at_the_ends_of_addresses)
{
	const struct row *row = &rows[_i];
	struct scratch_folder folder = scratch_folder_new();
	struct flow_totals totals;
	struct flow_run run;

	capture_fixture_write(&folder, &row->kind, 1, "source_data");
	snapshot_fixture_file(&folder, CAPTURE_TRACE, row->trace, row->size);
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL), 0);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_NO_CODE], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.instructions, 6);
	flow_run_close(&run);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("coresight_limits")
{
	TEST_EACH(no_code_at_the_ends_of_addresses, rows);
}
