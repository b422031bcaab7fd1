/* SPDX-License-Identifier: MIT */
#include "collector/events/event_list.h"
#include "collector/records/start_records.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "common/log.h"
#include "decoder/recording/coresight_streams.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

static struct scratch_folder devices;

/* Three CPUs of three ages, as the kernel's drivers would show them. */
static void make_pmu(void)
{
	static const char *const files[][2] = {
		{ "type", "11\n" },
		{ "nr_addr_filters", "8\n" },
		{ "format/cycacc", "config:12\n" },
		{ "format/cc_threshold", "config3:0-11\n" },
		{ "format/contextid", "config:14\n" },
		{ "format/timestamp", "config:28\n" },
		{ "format/retstack", "config:29\n" },
		{ "format/sinkid", "config2:0-31\n" },
		{ "sinks/tmc_etr0", "0x9d4cf2ec\n" },
		{ "cpu0/trcidr/trcidr0", "0x28000ea1\n" },
		{ "cpu0/trcidr/trcidr1", "0x4100f403\n" },
		{ "cpu0/trcidr/trcidr2", "0x488\n" },
		{ "cpu0/trcidr/trcidr8", "0x3\n" },
		{ "cpu0/mgmt/trcauthstatus", "0xcc\n" },
		{ "cpu0/mgmt/trcdevarch", "0x47704a13\n" },
		{ "cpu0/ts_source", "-1\n" },
		{ "cpu0/nr_addr_cmp", "0x4\n" },
		{ "cpu2/nr_addr_cmp", "0x2\n" },
		{ "cpu2/trcidr/trcidr0", "0x8000081\n" },
		{ "cpu2/trcidr/trcidr1", "0x4100fff0\n" },
		{ "cpu2/trcidr/trcidr2", "0x88\n" },
		{ "cpu2/trcidr/trcidr8", "0x0\n" },
		{ "cpu2/mgmt/trcauthstatus", "0x0\n" },
		{ "cpu2/mgmt/trcdevarch", "0x47705a13\n" },
		{ "cpu2/ts_source", "1\n" },
		{ "cpu5/mgmt/etmccer", "0x34c01ac2\n" },
		{ "cpu5/mgmt/etmidr", "0x411cf312\n" },
	};
	char name[64];

	devices = scratch_folder_new();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(name, sizeof(name), "cs_etm/%s", files[i][0]);
		scratch_folder_write(&devices, name, files[i][1]);
	}
}

static void remove_pmu(void)
{
	scratch_folder_free(&devices);
}

START_TEST(test_find)
{
	struct pmu pmu;

	ck_assert_ptr_eq(tracer_find(devices.path, &pmu), &coresight_tracer);
	ck_assert_uint_eq(pmu.type, 11);
	/* The unit with the fewest comparators limits the ranges. */
	ck_assert_uint_eq(coresight_tracer.filter_ranges(&pmu), 2);
}
END_TEST

/* The driver without a unit traces nothing. */
START_TEST(test_driver_without_unit)
{
	struct scratch_folder empty = scratch_folder_new();
	struct pmu pmu;

	scratch_folder_write(&empty, "cs_etm/type", "11\n");
	scratch_folder_write(&empty, "cs_etm/cpumask", "0\n");
	ck_assert_ptr_null(tracer_find(empty.path, &pmu));
	scratch_folder_write(&empty, "cs_etm/cpu3/ts_source", "1\n");
	ck_assert_ptr_eq(tracer_find(empty.path, &pmu), &coresight_tracer);
	scratch_folder_free(&empty);
}
END_TEST

START_TEST(test_configure)
{
	struct perf_event_attr attr = { .config = 7 };
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_uint_eq(attr.type, 11);
	ck_assert_uint_eq(attr.config, 1u << 28 | 1u << 14);
}
END_TEST

START_TEST(test_unit_without_time_stamps)
{
	struct perf_event_attr attr = { .config = 7 };
	struct pmu pmu;

	scratch_folder_write(&devices, "cs_etm/cpu2/trcidr/trcidr0", "0x1\n");
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_uint_eq(attr.config, 1u << 14);
}
END_TEST

/* CPU 2 is offline. */
START_TEST(test_offline_unit_is_left_out)
{
	struct perf_event_attr attr = { .config = 7 };
	struct pmu pmu;

	scratch_folder_write(&devices, "cs_etm/cpu2/trcidr/trcidr0", "0x0\n");
	scratch_folder_write(&devices, "cs_etm/cpu2/nr_addr_cmp", "0x0\n");
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_uint_eq(attr.config, 1u << 28 | 1u << 14);
	ck_assert_uint_eq(coresight_tracer.filter_ranges(&pmu), 4);
}
END_TEST

static const struct {
	struct cycle_choice choice;
	const char *file; /* file with another value; or NULL */
	const char *text;
	int error;
	uint64_t config;
	uint64_t config3;
} cycles[] = {
	{ { CYCLES_COUNTED, 0 }, NULL, NULL, 0, 1u << 12, 0 },
	{ { CYCLES_COUNTED, 16 }, NULL, NULL, 0, 1u << 12, 16 },
	{ { CYCLES_LEFT_OUT, 0 }, NULL, NULL, 0, 0, 0 },
	{ { CYCLES_COUNTED, 0 }, "format/cycacc", "", -ERROR_UNSUPPORTED, 0, 0 },
	{ { CYCLES_COUNTED, 0 }, "format/cc_threshold", "", 0, 1u << 12, 0 },
	{ { CYCLES_COUNTED, 16 },
	  "format/cc_threshold",
	  "",
	  -ERROR_UNSUPPORTED,
	  1u << 12,
	  0 },
	{ { CYCLES_COUNTED, 4095 },
	  "format/cc_threshold",
	  "config3:0-7\n",
	  -ERROR_UNSUPPORTED,
	  1u << 12,
	  0 },
	{ { CYCLES_COUNTED, 0 },
	  "cpu2/trcidr/trcidr0",
	  "0x8000001\n",
	  -ERROR_UNSUPPORTED,
	  0,
	  0 },
};

/* Errors name the PMU. */
START_TEST(test_cycles)
{
	struct perf_event_attr attr = { .config = 0 };
	char message[LOG_FIXTURE_TEXT] = "";
	const struct log log = { log_fixture_keep, message };
	uint64_t config3 = 0;
	char name[64];
	struct pmu pmu;

	if (cycles[_i].file) {
		snprintf(name, sizeof(name), "cs_etm/%s", cycles[_i].file);
		scratch_folder_write(&devices, name, cycles[_i].text);
	}
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.set_cycles(&pmu, &cycles[_i].choice,
						     &log, &attr, &config3),
			 cycles[_i].error);
	ck_assert_uint_eq(attr.config, cycles[_i].config);
	ck_assert_uint_eq(config3, cycles[_i].config3);
	ck_assert_int_eq(strstr(message, "/cs_etm: --cycles") != NULL,
			 cycles[_i].error != 0);
}
END_TEST

START_TEST(test_return_stack)
{
	struct perf_event_attr attr = { .config = 1u << 28 };
	struct pmu pmu;

	scratch_folder_write(&devices, "cs_etm/cpu2/trcidr/trcidr0",
			     "0x8000281\n");
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.set_return_stack(&pmu, NULL, &attr),
			 0);
	ck_assert_uint_eq(attr.config, 1u << 29 | 1u << 28);
}
END_TEST

/* CPU 2 has no return stack. */
START_TEST(test_no_return_stack)
{
	struct perf_event_attr attr = { 0 };
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.set_return_stack(&pmu, NULL, &attr),
			 -ERROR_UNSUPPORTED);
	ck_assert_uint_eq(attr.config, 0);
}
END_TEST

START_TEST(test_sink)
{
	struct perf_event_attr attr = { .config2 = UINT64_C(5) << 32 | 7 };
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.set_sink(&pmu, "tmc_etf9", NULL,
						   &attr),
			 -ERROR_NOT_FOUND);
	ck_assert_int_eq(
		coresight_tracer.set_sink(&pmu, "tmc_etr0", NULL, &attr), 0);
	ck_assert_uint_eq(attr.config2, UINT64_C(5) << 32 | 0x9d4cf2ec);
}
END_TEST

/* The decoder reads the metadata that the tracer writes. */
START_TEST(test_metadata)
{
	static const int cpus[] = { 0, 2, 5 };
	const struct tracer_facts facts = {
		.config = 1u << 28 | 1u << 14 | 1u << 12,
		.cpus = cpus,
		.cpu_count = 3,
	};
	struct array units = ARRAY_OF(struct coresight_unit);
	struct byte_buffer info = { 0 };
	const struct coresight_unit *unit;
	uint64_t words[64];
	uint32_t type;
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	coresight_tracer.metadata(&pmu, &facts, &info);
	ck_assert(!info.failed);
	memcpy(&type, info.bytes, sizeof(type));
	ck_assert_uint_eq(type, PERF_DATA_AUXTRACE_CORESIGHT);
	ck_assert_uint_le(info.size - 8, sizeof(words));
	memcpy(words, info.bytes + 8, info.size - 8);
	ck_assert_uint_eq(words[CORESIGHT_HEADER_VERSION], 2);
	ck_assert_uint_eq(words[CORESIGHT_HEADER_PMU_CPUS],
			  UINT64_C(11) << 32 | 3);
	ck_assert_int_eq(
		coresight_units_read(words, (info.size - 8) / 8, &units), 0);
	ck_assert_uint_eq(units.count, 3);
	unit = array_at(&units, 0);
	ck_assert_int_eq(unit->protocol, CORESIGHT_ETMV4);
	ck_assert_uint_eq(unit->trace_id, 0x10);
	ck_assert_uint_eq(unit->config, 1u << 11 | 1u << 6 | 1u << 4);
	ck_assert(coresight_unit_counts_cycles(unit));
	ck_assert_uint_eq(unit->idr8, 3);
	ck_assert(!unit->has_cpu_time);
	unit = array_at(&units, 1);
	ck_assert_int_eq(unit->protocol, CORESIGHT_ETE);
	ck_assert_int_eq(unit->cpu, 2);
	ck_assert_uint_eq(unit->trace_id, 0x14);
	ck_assert_uint_eq(unit->devarch, 0x47705a13);
	ck_assert(unit->has_cpu_time);
	ck_assert(coresight_unit_has_time(unit));
	unit = array_at(&units, 2);
	ck_assert_int_eq(unit->protocol, CORESIGHT_PTM);
	ck_assert_int_eq(unit->cpu, 5);
	ck_assert_uint_eq(unit->config, facts.config);
	ck_assert(coresight_unit_counts_cycles(unit));
	ck_assert_uint_eq(unit->ccer, 0x34c01ac2);
	ck_assert_uint_eq(unit->idr, 0x411cf312);
	array_free(&units);
	byte_buffer_free(&info);
}
END_TEST

/* The first unit's TRCCONFIGR, of a recording with this config. */
static uint64_t configuration(uint64_t config)
{
	static const int cpus[] = { 0 };
	const struct tracer_facts facts = {
		.config = config,
		.cpus = cpus,
		.cpu_count = 1,
	};
	struct array units = ARRAY_OF(struct coresight_unit);
	struct byte_buffer info = { 0 };
	uint64_t words[64];
	uint64_t value;
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	coresight_tracer.metadata(&pmu, &facts, &info);
	ck_assert_uint_le(info.size - 8, sizeof(words));
	memcpy(words, info.bytes + 8, info.size - 8);
	ck_assert_int_eq(
		coresight_units_read(words, (info.size - 8) / 8, &units), 0);
	ck_assert_uint_eq(units.count, 1);
	value = ((const struct coresight_unit *)array_at(&units, 0))->config;
	array_free(&units);
	byte_buffer_free(&info);
	return value;
}

/* Linux 7.0 and later: how far apart time stamps are. */
START_TEST(test_distance_of_time_stamps)
{
	struct perf_event_attr attr = { .config = 7 };
	struct pmu pmu;

	scratch_folder_write(&devices, "cs_etm/format/timestamp",
			     "config:4-7\n");
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(coresight_tracer.configure(&pmu, NULL, &attr), 0);
	ck_assert_uint_eq(attr.config, 1u << 4 | 1u << 14);
	ck_assert_uint_eq(configuration(attr.config), 1u << 11 | 1u << 6);
	ck_assert_uint_eq(configuration(8u << 4), 1u << 11);
	ck_assert_uint_eq(configuration(1u << 28 | 1u << 14), 1u << 6);
}
END_TEST

/* The fixture's CPU 5 has a PTM. */
START_TEST(test_pause)
{
	struct scratch_folder others = scratch_folder_new();
	struct pmu pmu;

	tracer_find(devices.path, &pmu);
	ck_assert_ptr_nonnull(
		strstr(coresight_tracer.pause_refusal(&pmu), "here is older"));
	scratch_folder_write(&others, "cs_etm/type", "11\n");
	scratch_folder_write(&others, "cs_etm/cpu2/trcidr/trcidr0", "0x81\n");
	tracer_find(others.path, &pmu);
	ck_assert_ptr_null(coresight_tracer.pause_refusal(&pmu));
	scratch_folder_free(&others);
}
END_TEST

/* A record has at most 64 KiB. */
START_TEST(units_of_too_many_cpus_are_refused)
{
	static char said[LOG_FIXTURE_TEXT];
	static const struct log log = { log_fixture_keep, said };
	static struct perf_event_mmap_page page;
	static int cpus[700];
	struct event_list events = event_list_new();
	struct target target = target_new();
	const struct tracer_facts facts = {
		.page = &page,
		.cpus = cpus,
		.cpu_count = _i ? 700 : 600,
	};
	struct byte_buffer records = { 0 };
	struct pmu pmu;

	for (size_t i = 0; i < 700; i++)
		cpus[i] = 2;
	tracer_find(devices.path, &pmu);
	ck_assert_int_eq(start_records_setup(&records, &events, &target,
					     &coresight_tracer, &pmu, &facts,
					     &log),
			 _i ? -ERROR_UNSUPPORTED : 0);
	ck_assert_int_eq(strstr(said, "700 CPUs are too many") != NULL, _i);
	byte_buffer_free(&records);
	target_free(&target);
	event_list_free(&events);
}
END_TEST

SUITE("coresight_tracer")
{
	FIXTURE(make_pmu, remove_pmu);
	TEST(test_find);
	TEST(test_driver_without_unit);
	TEST(test_configure);
	TEST(test_unit_without_time_stamps);
	TEST(test_offline_unit_is_left_out);
	TEST_EACH(test_cycles, cycles);
	TEST(test_return_stack);
	TEST(test_no_return_stack);
	TEST(test_sink);
	TEST(test_metadata);
	TEST(test_distance_of_time_stamps);
	TEST(test_pause);
	TEST_TIMES(units_of_too_many_cpus_are_refused, 2);
}
