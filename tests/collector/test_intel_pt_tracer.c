/* SPDX-License-Identifier: MIT */
#include "collector/trace_unit/tracer.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static struct scratch_folder devices;

static void put(const char *name, const char *text)
{
	scratch_folder_write(&devices, name, text);
}

/* Makes the PMU files that Linux 6.12 has on a Skylake. */
static void make_pmu(void)
{
	static const char *const formats[][2] = {
		{ "pt", "config:0\n" },
		{ "cyc", "config:1\n" },
		{ "mtc", "config:9\n" },
		{ "tsc", "config:10\n" },
		{ "noretcomp", "config:11\n" },
		{ "branch", "config:13\n" },
		{ "mtc_period", "config:14-17\n" },
		{ "psb_period", "config:24-27\n" },
	};
	char name[64];

	devices = scratch_folder_new();
	put("intel_pt/type", "10\n");
	put("intel_pt/nr_addr_filters", "4\n");
	put("intel_pt/tsc_art_ratio", "176:2\n");
	put("intel_pt/max_nonturbo_ratio", "26\n");
	put("intel_pt/caps/mtc", "1\n");
	put("intel_pt/caps/psb_cyc", "1\n");
	put("intel_pt/caps/mtc_periods", "249\n");
	put("intel_pt/caps/psb_periods", "3f\n");
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		snprintf(name, sizeof(name), "intel_pt/format/%s",
			 formats[i][0]);
		put(name, formats[i][1]);
	}
}

static void remove_pmu(void)
{
	scratch_folder_free(&devices);
}

START_TEST(test_find)
{
	struct pmu pmu;

	ck_assert_ptr_eq(tracer_find(devices.path, &pmu), &intel_pt_tracer);
	ck_assert_uint_eq(pmu.type, 10);
	ck_assert_uint_eq(intel_pt_tracer.filter_ranges(&pmu), 4);
	ck_assert_ptr_null(tracer_find("/nonexistent", &pmu));
}
END_TEST

START_TEST(test_terms)
{
	struct perf_event_attr attr = { .config = 0 };
	struct pmu pmu;

	ck_assert_int_eq(pmu_find(devices.path, "intel_pt", &pmu), 0);
	ck_assert_uint_eq(pmu_term_mask(&pmu, "mtc_period"), 0x3c000);
	ck_assert_uint_eq(pmu_term_mask(&pmu, "nosuch"), 0);
	ck_assert_int_eq(pmu_set_term(&pmu, "psb_period", 15, &attr), 0);
	ck_assert_uint_eq(attr.config, 0xf000000);
	ck_assert_int_eq(pmu_set_term(&pmu, "psb_period", 1, &attr), 0);
	ck_assert_uint_eq(attr.config, 0x1000000);
	ck_assert_int_eq(pmu_set_term(&pmu, "psb_period", 16, &attr),
			 -ERROR_UNSUPPORTED);
	ck_assert_int_eq(pmu_set_term(&pmu, "nosuch", 1, &attr),
			 -ERROR_NOT_FOUND);
}
END_TEST

START_TEST(test_best_timing)
{
	struct perf_event_attr attr = { .config = 0 };
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(intel_pt_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_uint_eq(attr.type, 10);
	/* pt, cyc, mtc, tsc, branch; mtc_period 3; psb_period 3. */
	ck_assert_uint_eq(attr.config, 0x2603 | 3 << 14 | 3 << 24);
}
END_TEST

START_TEST(test_often)
{
	struct perf_event_attr attr = { .config = 0 };
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(intel_pt_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_int_eq(intel_pt_tracer.set_often(&pmu, NULL, &attr), 0);
	/* The best timing, except psb_period. */
	ck_assert_uint_eq(attr.config, 0x2603 | 3 << 14);
}
END_TEST

static const struct {
	struct cycle_choice choice;
	bool has_cycles;
	int error;
	uint64_t cyc; /* the term's bit then */
} cycles[] = {
	{ { CYCLES_COUNTED, 0 }, true, 0, 2 },
	{ { CYCLES_LEFT_OUT, 0 }, true, 0, 0 },
	{ { CYCLES_COUNTED, 16 }, true, -ERROR_UNSUPPORTED, 2 },
	{ { CYCLES_COUNTED, 0 }, false, -ERROR_UNSUPPORTED, 0 },
	{ { CYCLES_LEFT_OUT, 0 }, false, 0, 0 },
};

START_TEST(test_cycles)
{
	struct perf_event_attr attr = { .config = 0 };
	uint64_t config3 = 0;
	struct pmu pmu;

	if (!cycles[_i].has_cycles)
		put("intel_pt/caps/psb_cyc", "0\n");
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(intel_pt_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_int_eq(intel_pt_tracer.set_cycles(&pmu, &cycles[_i].choice,
						    NULL, &attr, &config3),
			 cycles[_i].error);
	ck_assert_uint_eq(attr.config & 2, cycles[_i].cyc);
	ck_assert_uint_eq(config3, 0);
}
END_TEST

/* A Broadwell has neither MTC nor CYC. */
START_TEST(test_least_timing)
{
	struct perf_event_attr attr = { .config = 0 };
	struct pmu pmu;

	put("intel_pt/caps/mtc", "0\n");
	put("intel_pt/caps/psb_cyc", "0\n");
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(intel_pt_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_uint_eq(attr.config, 0x2401);
}
END_TEST

/* The kernel refuses MTC with a period that is not in the bitmap, and accepts
 * PSB period 0 always.
 */
static const struct {
	const char *mtc_periods, *psb_periods;
	uint64_t config;
} periods[] = {
	/* the next lower one */
	{ "2\n", "1\n", 0x2603 | 1 << 14 },
	/* the next higher one: no bit 0 */
	{ "240\n", "3f\n", 0x2603 | 6 << 14 | 3 << 24 },
	/* none: no MTC */
	{ "0\n", "3f\n", 0x2403 | 3 << 24 },
	{ "249\n", "0\n", 0x2603 | 3 << 14 },
	{ "249\n", "30\n", 0x2603 | 3 << 14 },
};

START_TEST(test_allowed_period)
{
	struct perf_event_attr attr = { .config = 0 };
	struct pmu pmu;

	put("intel_pt/caps/mtc_periods", periods[_i].mtc_periods);
	put("intel_pt/caps/psb_periods", periods[_i].psb_periods);
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(intel_pt_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_uint_eq(attr.config, periods[_i].config);
}
END_TEST

static uint64_t word(const struct byte_buffer *info, unsigned int number)
{
	uint64_t value;

	memcpy(&value, info->bytes + 8 + 8 * number, sizeof(value));
	return value;
}

START_TEST(test_metadata)
{
	struct perf_event_mmap_page page = { .time_shift = 31,
					     .time_mult = 7,
					     .time_zero = 99 };
	struct tracer_facts facts = { .page = &page,
				      .switches_of_cpu = true,
				      .filter = "filter 0x10/0x8" };
	struct byte_buffer info = { 0 };
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	intel_pt_tracer.metadata(&pmu, &facts, &info);
	ck_assert_uint_eq(info.bytes[0], PERF_DATA_AUXTRACE_INTEL_PT);
	ck_assert_uint_eq(word(&info, INTEL_PT_PMU_TYPE), 10);
	ck_assert_uint_eq(word(&info, INTEL_PT_TIME_SHIFT), 31);
	ck_assert_uint_eq(word(&info, INTEL_PT_TIME_MULT), 7);
	ck_assert_uint_eq(word(&info, INTEL_PT_TIME_ZERO), 99);
	ck_assert_uint_eq(word(&info, INTEL_PT_TSC_BIT), 1 << 10);
	ck_assert_uint_eq(word(&info, INTEL_PT_HAVE_SCHED_SWITCH), 3);
	ck_assert_uint_eq(word(&info, INTEL_PT_PER_CPU_MMAPS), 1);
	ck_assert_uint_eq(word(&info, INTEL_PT_TSC_CTC_N), 176);
	ck_assert_uint_eq(word(&info, INTEL_PT_TSC_CTC_D), 2);
	ck_assert_uint_eq(word(&info, INTEL_PT_MAX_NONTURBO_RATIO), 26);
	ck_assert_uint_eq(word(&info, INTEL_PT_FILTER_STR_LEN), 15);
	ck_assert_mem_eq(info.bytes + 8 + 8 * (INTEL_PT_FILTER_STR_LEN + 1),
			 "filter 0x10/0x8", 16);
	ck_assert_uint_eq(info.size % 8, 0);
	byte_buffer_free(&info);
}
END_TEST

SUITE("intel_pt_tracer")
{
	FIXTURE(make_pmu, remove_pmu);
	TEST(test_find);
	TEST(test_terms);
	TEST(test_best_timing);
	TEST(test_often);
	TEST_EACH(test_cycles, cycles);
	TEST(test_least_timing);
	TEST_EACH(test_allowed_period, periods);
	TEST(test_metadata);
}
