/* SPDX-License-Identifier: MIT */
#include "common/formats/recording_events.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "symbolize/gate/gate_marks.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>

static const struct recording_event marks = { .name = GATE_MARK_EVENT };
static const struct recording_event others = { .name = "sched:sched_switch" };

/* The record of a mark of this kind with @count addresses. */
static struct sideband_record record_of(const struct gate_mark *mark,
					const uint64_t *chain, uint64_t count)
{
	return (struct sideband_record){
		.kind = SIDEBAND_SAMPLE,
		.time_ns = 100,
		.sample = {
			.event = &marks,
			.raw = (const uint8_t *)mark,
			.raw_size = sizeof(*mark),
			.chain = (const uint8_t *)chain,
			.chain_count = count,
		},
	};
}

START_TEST(a_mark_has_its_time_and_chain)
{
	const struct gate_mark mark = { .kind = GATE_COME };
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0x1000,
				   0x2000 };
	struct sideband_record record = record_of(&mark, chain, 3);
	struct probe_mark read;

	ck_assert(probe_mark_read(&record, &read));
	ck_assert_uint_eq(read.time_ns, 100);
	ck_assert_uint_eq(read.kind, GATE_COME);
	ck_assert_uint_eq(read.count, 2);
	ck_assert_uint_eq(read.chain[0], 0x1000);
	ck_assert_uint_eq(read.chain[1], 0x2000);
}
END_TEST

/* The chain contains the function, followed by its caller and the rest. */
START_TEST(the_caller_follows_the_function)
{
	const struct gate_mark mark = { .kind = GATE_BEGIN, .caller = 0x1800 };
	const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0x1000,
				   0x2000 };
	struct sideband_record record = record_of(&mark, chain, 3);
	struct probe_mark read;

	ck_assert(probe_mark_read(&record, &read));
	ck_assert_uint_eq(read.count, 3);
	ck_assert_uint_eq(read.chain[0], 0x1000);
	ck_assert_uint_eq(read.chain[1], 0x1800);
	ck_assert_uint_eq(read.chain[2], 0x2000);
	record = record_of(&mark, chain, 1);
	ck_assert(probe_mark_read(&record, &read));
	ck_assert_uint_eq(read.count, 0);
}
END_TEST

/* A mark recorded by a version whose marks had no caller: the words after it
 * are not part of it.
 */
START_TEST(an_old_mark_has_no_caller)
{
	const struct gate_mark mark = { .kind = GATE_BEGIN, .caller = 0x1800 };
	const uint64_t chain[] = { 0x1000, 0x2000 };
	struct sideband_record record = record_of(&mark, chain, 2);
	struct probe_mark read;

	record.sample.raw_size = sizeof(mark) - 1;
	ck_assert(probe_mark_read(&record, &read));
	ck_assert_uint_eq(read.count, 2);
	ck_assert_uint_eq(read.chain[1], 0x2000);
}
END_TEST

START_TEST(a_long_chain_is_cut)
{
	const struct gate_mark mark = { .kind = GATE_BEGIN, .caller = 0x1800 };
	uint64_t chain[2 * GATE_CHAIN_MAX] = { 0 };
	struct sideband_record record =
		record_of(&mark, chain, 2 * GATE_CHAIN_MAX);
	struct probe_mark read;

	ck_assert(probe_mark_read(&record, &read));
	ck_assert_uint_eq(read.count, GATE_CHAIN_MAX);
}
END_TEST

static const uint32_t unknown[] = { 0, GATE_LAST + 1, UINT32_MAX };

START_TEST(an_unknown_kind_is_no_mark)
{
	const struct gate_mark mark = { .kind = unknown[_i] };
	struct sideband_record record = record_of(&mark, NULL, 0);
	struct probe_mark read;

	ck_assert(!probe_mark_read(&record, &read));
}
END_TEST

START_TEST(a_short_one_and_others_are_none)
{
	const struct gate_mark mark = { .kind = GATE_BEGIN };
	struct sideband_record record = record_of(&mark, NULL, 0);
	struct probe_mark read;

	record.sample.raw_size = GATE_MARK_OLD_SIZE - 1;
	ck_assert(!probe_mark_read(&record, &read));
	record = record_of(NULL, NULL, 0);
	ck_assert(!probe_mark_read(&record, &read));
	record = record_of(&mark, NULL, 0);
	record.sample.event = &others;
	ck_assert(!probe_mark_read(&record, &read));
	record.sample.event = NULL;
	ck_assert(!probe_mark_read(&record, &read));
}
END_TEST

SUITE("probe_mark")
{
	TEST(a_mark_has_its_time_and_chain);
	TEST(the_caller_follows_the_function);
	TEST(an_old_mark_has_no_caller);
	TEST(a_long_chain_is_cut);
	TEST_EACH(an_unknown_kind_is_no_mark, unknown);
	TEST(a_short_one_and_others_are_none);
}
