/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

/* IA32_RTIT_CTL: CYCEn, and CycThresh of 1, 2 and 2^14 cycles. */
enum {
	CYC_EN = 1 << 1,
	THRESHOLD_1 = 1 << 19,
	THRESHOLD_2 = 2 << 19,
	THRESHOLD_MOST = 15 << 19,
};

static const struct {
	uint64_t config;
	bool counts;
} rows[] = {
	{ 0, false },
	{ CYC_EN, true },
	{ CYC_EN | THRESHOLD_1, true },
	/* Cycles may elapse without a CYC packet that counts them. */
	{ CYC_EN | THRESHOLD_2, false },
	{ CYC_EN | THRESHOLD_MOST, false },
};

START_TEST(knows_whether_each_cycle_is_counted)
{
	struct recording_fixture fixture;
	struct recording *recording;

	recording_fixture_begin(&fixture);
	recording_fixture_config(&fixture, rows[_i].config);
	recording = recording_fixture_open(&fixture);
	ck_assert_int_eq(intel_clock_setup_of(recording).counts_cycles,
			 rows[_i].counts);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

/* After a TSC: a PIP of a virtual machine, or of the host, and PSBEND. */
#define TSC(low) 0x19, (low), 0, 0, 0, 0, 0, 0
#define PIP(guest) 0x02, 0x43, 0x20 | (guest), 0, 0, 0, 0, 0
#define PSBEND 0x02, 0x23

/* A virtual machine's TSC may have an offset: then it is not damage, and no
 * time either, like the TMA after it.
 */
START_TEST(a_guests_time_is_ignored)
{
	const struct intel_clock_setup setup = {
		.tsc_ctc_n = 1,
		.tsc_ctc_d = 1,
		.span = { 100, 200 },
	};
	static const uint8_t guest[] = { TSC(5), PIP(1), PSBEND };
	static const uint8_t host[] = { TSC(5), PIP(0), PSBEND };
	const struct intel_packet tsc = { INTEL_PACKET_TSC, .payload = 5 };
	const struct intel_packet pip = { INTEL_PACKET_PIP, .payload = 1 };
	const struct intel_packet tma = { INTEL_PACKET_TMA, .payload = 77 };
	struct intel_clock clock = intel_clock_of(&setup);
	uint64_t anchor;

	intel_clock_set_anchor(&clock, 150 << INTEL_TICK_SHIFT);
	ck_assert(intel_clock_refuses(&clock, &tsc, host, sizeof(host)));
	ck_assert(!intel_clock_refuses(&clock, &tsc, guest, sizeof(guest)));
	ck_assert(!intel_clock_consume(&clock, &pip, &anchor));
	ck_assert(!intel_clock_refuses(&clock, &tsc, host, sizeof(host)));
	ck_assert(!intel_clock_consume(&clock, &tsc, &anchor));
	ck_assert(!intel_clock_consume(&clock, &tma, &anchor));
	ck_assert(!clock.has_tma);
	ck_assert_uint_eq(clock.anchor, 150 << INTEL_TICK_SHIFT);
}
END_TEST

/* If the records have another clock, their times are not those of the trace. */
START_TEST(another_clock_proves_no_span)
{
	const struct fixture_origin origin = { 1, 1, 5000 };
	uint32_t start[2] = { 1, 1 };
	struct recording_fixture fixture;
	struct recording *recording;

	recording_fixture_begin(&fixture);
	if (_i)
		recording_fixture_clock(&fixture);
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, start,
				 sizeof(start), &origin);
	recording = recording_fixture_open(&fixture);
	ck_assert_int_eq(!recording_tick_span(recording).last, _i);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("intel_clock")
{
	TEST_EACH(knows_whether_each_cycle_is_counted, rows);
	TEST(a_guests_time_is_ignored);
	TEST_TIMES(another_clock_proves_no_span, 2);
}
