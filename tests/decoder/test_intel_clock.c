/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

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
	recording_fixture_write(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	ck_assert_int_eq(intel_clock_setup_of(recording).counts_cycles,
			 rows[_i].counts);
	recording_close(recording);
	recording_fixture_end(&fixture);
}
END_TEST

int main(void)
{
	const struct suite_test tests[] = {
		TEST_EACH(knows_whether_each_cycle_is_counted, rows),
	};

	return RUN_TESTS("intel_clock", tests);
}
