/* SPDX-License-Identifier: MIT */
#include "common/formats/perf_data.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "tests/assert_each.h"
#include "tests/fixtures/random.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

/* A CPU's list has the records that a scan of all records finds for it, in the
 * same order: rings of several CPUs, read in rounds, with late records.
 */
enum { CPUS = 5, ROUNDS = 20, IN_ROUND = 30 };

static struct recording_fixture fixture;
static struct recording *recording;

static void add_record(const struct fixture_origin *origin, uint32_t what)
{
	const uint32_t other[2] = { 7, 7 };
	const uint32_t task[2] = { (uint32_t)origin->pid,
				   (uint32_t)origin->tid };
	const uint64_t end[3] = { 0 };
	const uint64_t lost[2] = { 2, 1 };
	const uint8_t comm[16] = { 9, 0, 0, 0, 9, 0, 0, 0, 'c', 'a', 't' };

	if (what < 4)
		recording_fixture_record(
			&fixture, PERF_RECORD_SWITCH_CPU_WIDE,
			what % 2 ? PERF_RECORD_MISC_SWITCH_OUT : 0, other,
			sizeof(other), origin);
	else if (what == 4)
		recording_fixture_record(&fixture, PERF_RECORD_EXIT, 0, end,
					 sizeof(end), origin);
	else if (what == 5)
		recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0,
					 task, sizeof(task), origin);
	else if (what == 6)
		recording_fixture_record(&fixture, PERF_RECORD_COMM, 0, comm,
					 sizeof(comm), origin);
	else
		recording_fixture_record(&fixture, PERF_RECORD_LOST, 0, lost,
					 sizeof(lost), origin);
}

static void set_up(void)
{
	uint32_t state = 3;

	recording_fixture_begin(&fixture);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < IN_ROUND; i++) {
			uint32_t chance = next_random(&state);
			const struct fixture_origin origin = {
				.pid = (int32_t)(chance % 9),
				.tid = (int32_t)(chance % 9),
				.time_ns = 1000 + round * 100 + chance % 250,
			};

			fixture.cpu = chance >> 8 & 7;
			if (fixture.cpu < CPUS)
				add_record(&origin, chance >> 12 & 7);
		}
		recording_fixture_record(&fixture, PERF_DATA_FINISHED_ROUND, 0,
					 NULL, 0, NULL);
	}
	recording = recording_fixture_open(&fixture);
}

static void tear_down(void)
{
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static const int32_t any_cpu = INT32_MIN;

/* The next record of @cpu. */
static int next_of(struct sideband *sideband, int32_t cpu,
		   struct sideband_record *record)
{
	int status;

	do
		status = sideband_next(sideband, record);
	while (status > 0 && cpu != any_cpu && record->cpu != cpu);
	return status;
}

static unsigned int compare(int32_t cpu, unsigned int kinds)
{
	struct sideband *own = cpu == any_cpu ?
				       sideband_open_tasks(recording, kinds) :
				       sideband_open_cpu(recording, kinds, cpu);
	/* Without samples it would be the list, too. */
	struct sideband *all =
		sideband_open(recording, kinds | SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	struct sideband_record expected;
	unsigned int count = 0;

	ck_assert(own && all);
	while (next_of(all, cpu, &expected) > 0) {
		assert_each(sideband_next(own, &record) == 1);
		assert_each(record.kind == expected.kind);
		assert_each(record.bytes == expected.bytes);
		assert_each(record.time_ns == expected.time_ns);
		assert_each(record.cpu == expected.cpu);
		assert_each(record.tid == expected.tid);
		count++;
	}
	ck_assert_int_eq(sideband_next(own, &record), 0);
	sideband_close(own);
	sideband_close(all);
	return count;
}

START_TEST(those_about_tasks_are_together)
{
	ck_assert_uint_gt(compare(any_cpu, RECORD_LISTS_OF_TASKS), 50);
	ck_assert_uint_gt(compare(any_cpu, SIDEBAND_BIT(SIDEBAND_COMM)), 20);
	ck_assert_uint_eq(compare(any_cpu, SIDEBAND_BIT(SIDEBAND_MMAP)), 0);
}
END_TEST

START_TEST(each_cpu_has_its_own)
{
	for (int32_t cpu = 0; cpu < CPUS; cpu++) {
		ck_assert_uint_gt(compare(cpu, RECORD_LISTS_OF_CPU), 20);
		ck_assert_uint_gt(compare(cpu, SIDEBAND_BIT(SIDEBAND_SWITCH)),
				  20);
		ck_assert_uint_gt(
			compare(cpu, SIDEBAND_BIT(SIDEBAND_ITRACE_START)), 1);
	}
	ck_assert_uint_eq(compare(CPUS, RECORD_LISTS_OF_CPU), 0);
	ck_assert_uint_eq(compare(-1, RECORD_LISTS_OF_CPU), 0);
}
END_TEST

SUITE("record_lists")
{
	FIXTURE(set_up, tear_down);
	TEST(each_cpu_has_its_own);
	TEST(those_about_tasks_are_together);
}
