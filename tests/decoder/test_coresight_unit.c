/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "common/formats/perf_data.h"
#include "decoder/recording/coresight_streams.h"
#include "tests/run_suite.h"

#define PMU_AND_CPUS(cpus) (UINT64_C(8) << 32 | (cpus))

/* clang-format off */
static const struct row {
	uint64_t words[24];
	size_t count;
	int error;
	size_t units;
	struct coresight_unit last;
} rows[] = {
	/* Version 0: no count of parameters. */
	{ { 0, PMU_AND_CPUS(1), 0, CORESIGHT_MAGIC_ETMV4, 2, 0x40, 0x16,
	    0xea1, 0x4100f403, 0x488, 3, 0xcc }, 12, 0, 1,
	  { .protocol = CORESIGHT_ETMV4, .cpu = 2, .config = 0x40,
	    .trace_id = 0x16, .idr0 = 0xea1, .idr1 = 0x4100f403,
	    .idr2 = 0x488, .idr8 = 3 } },
	{ { 0, PMU_AND_CPUS(2), 0,
	    CORESIGHT_MAGIC_ETMV3, 0, 0x1860, 0x10, 0x344008f2, 0x410cf250,
	    CORESIGHT_MAGIC_ETMV3, 1, 0x1000, 0x12, 0x34c01ac2, 0x411cf312 },
	  15, 0, 2,
	  { .protocol = CORESIGHT_PTM, .cpu = 1, .config = 0x1000,
	    .trace_id = 0x12, .ccer = 0x34c01ac2, .idr = 0x411cf312 } },
	/* Version 1: the count, and where time stamps come from. */
	{ { 1, PMU_AND_CPUS(1), 0, CORESIGHT_MAGIC_ETMV4, 3, 8, 0x840, 0x17,
	    1, 2, 3, 4, 5, 1 }, 14, 0, 1,
	  { .protocol = CORESIGHT_ETMV4, .cpu = 3, .config = 0x840,
	    .trace_id = 0x17, .idr0 = 1, .idr1 = 2, .idr2 = 3, .idr8 = 4,
	    .has_cpu_time = true } },
	{ { 1, PMU_AND_CPUS(1), 0, CORESIGHT_MAGIC_ETMV3, 0, 4, 0x1860, 0x10,
	    0x344008f2, 0x410cf250 }, 10, 0, 1,
	  { .protocol = CORESIGHT_ETMV3, .config = 0x1860, .trace_id = 0x10,
	    .ccer = 0x344008f2, .idr = 0x410cf250 } },
	/* Version 2, with more parameters than there are today. */
	{ { 2, PMU_AND_CPUS(1), 0, CORESIGHT_MAGIC_ETE, 0, 10, 0x840,
	    0x80000010,
	    1, 2, 3, 4, 5, 0x47705a13, 1, 77 }, 16, 0, 1,
	  { .protocol = CORESIGHT_ETE, .config = 0x840, .trace_id = 0x10,
	    .idr0 = 1, .idr1 = 2, .idr2 = 3, .idr8 = 4,
	    .devarch = 0x47705a13, .has_cpu_time = true } },
	/* Damage. */
	{ { 2, PMU_AND_CPUS(1) }, 2, -ERROR_FORMAT, 0, { 0 } },
	{ { 2, PMU_AND_CPUS(1), 0 }, 3, -ERROR_FORMAT, 0, { 0 } },
	{ { 2, PMU_AND_CPUS(1), 0, 0x1234, 0, 0 }, 6, -ERROR_FORMAT, 0,
	  { 0 } },
	{ { 2, PMU_AND_CPUS(1), 0, CORESIGHT_MAGIC_ETE, 0, 9, 1 }, 7,
	  -ERROR_FORMAT, 0, { 0 } },
	{ { 2, PMU_AND_CPUS(1), 0, CORESIGHT_MAGIC_ETE, 1 << 24, 0 }, 6,
	  -ERROR_FORMAT, 0, { 0 } },
	{ { 2, PMU_AND_CPUS(2), 0, CORESIGHT_MAGIC_ETMV3, 5, 0 }, 6,
	  -ERROR_FORMAT, 1, { .protocol = CORESIGHT_ETMV3, .cpu = 5 } },
};
/* clang-format on */

START_TEST(words_become_units)
{
	const struct row *row = &rows[_i];
	struct array units = ARRAY_OF(struct coresight_unit);
	const struct coresight_unit *unit;

	ck_assert_int_eq(coresight_units_read(row->words, row->count, &units),
			 row->error);
	ck_assert_uint_eq(units.count, row->units);
	if (units.count) {
		unit = array_at(&units, units.count - 1);
		ck_assert_int_eq(unit->protocol, row->last.protocol);
		ck_assert_int_eq(unit->cpu, row->last.cpu);
		ck_assert_uint_eq(unit->config, row->last.config);
		ck_assert_uint_eq(unit->trace_id, row->last.trace_id);
		ck_assert_uint_eq(unit->idr0, row->last.idr0);
		ck_assert_uint_eq(unit->idr1, row->last.idr1);
		ck_assert_uint_eq(unit->idr2, row->last.idr2);
		ck_assert_uint_eq(unit->idr8, row->last.idr8);
		ck_assert_uint_eq(unit->devarch, row->last.devarch);
		ck_assert_uint_eq(unit->idr, row->last.idr);
		ck_assert_uint_eq(unit->ccer, row->last.ccer);
		ck_assert_int_eq(unit->has_cpu_time, row->last.has_cpu_time);
	}
	array_free(&units);
}
END_TEST

static const struct {
	enum coresight_protocol protocol;
	uint32_t config;
	bool has_time;
	enum coresight_task_field task;
} settings[] = {
	{ CORESIGHT_ETMV4, 0, false, CORESIGHT_TASK_NONE },
	{ CORESIGHT_ETMV4, 1 << 11, true, CORESIGHT_TASK_NONE },
	{ CORESIGHT_ETMV4, 1 << 6, false, CORESIGHT_TASK_CONTEXT },
	{ CORESIGHT_ETMV4, 1 << 7, false, CORESIGHT_TASK_NONE },
	{ CORESIGHT_ETE, 1 << 7 | 1 << 15, false, CORESIGHT_TASK_VMID },
	{ CORESIGHT_ETE, 1 << 6 | 1 << 7 | 1 << 15, false,
	  CORESIGHT_TASK_VMID },
	{ CORESIGHT_PTM, 1 << 11, false, CORESIGHT_TASK_NONE },
	{ CORESIGHT_PTM, 1 << 28, true, CORESIGHT_TASK_NONE },
	{ CORESIGHT_ETMV3, 3 << 14, false, CORESIGHT_TASK_CONTEXT },
};

START_TEST(settings_are_parsed)
{
	const struct coresight_unit unit = {
		.protocol = settings[_i].protocol,
		.config = settings[_i].config,
	};

	ck_assert_int_eq(coresight_unit_has_time(&unit), settings[_i].has_time);
	ck_assert_int_eq(coresight_unit_task_field(&unit), settings[_i].task);
}
END_TEST

/* One frame: the rest of id 0, id 0x10 from its first byte on, id 0x2a after
 * one more byte of 0x10; then no change.
 */
START_TEST(frames_name_their_sources)
{
	static const uint8_t frames[] = {
		0x10 << 1 | 1,
		0xaa,
		0x02,
		0xaa,
		0x2a << 1 | 1,
		0xaa,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		1 << 2,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0,
		0x33 << 1 | 1,
		0xaa, /* not whole */
	};
	bool has_bytes[CORESIGHT_ID_COUNT] = { false };
	uint8_t id = 0;

	coresight_frame_find_ids(frames, sizeof(frames), &id, has_bytes);
	for (size_t i = 0; i < CORESIGHT_ID_COUNT; i++)
		ck_assert_int_eq(has_bytes[i], i == 0x10 || i == 0x2a);
}
END_TEST

SUITE("coresight_unit")
{
	TEST_EACH(words_become_units, rows);
	TEST_EACH(settings_are_parsed, settings);
	TEST(frames_name_their_sources);
}
