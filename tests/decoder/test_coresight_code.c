/* SPDX-License-Identifier: MIT */
#include "collector/events/event_spec.h"
#include "common/formats/perf_data.h"
#include "common/formats/recording_events.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* Kernel code that changed during the recording. */
enum { NOP = 0xd503201f, BRANCH_BACK = 0x17fffffe };

static const uint32_t code[] = {
	[0x00 / 4] = NOP,	 [0x04 / 4] = 0x94000003, /* bl 0x10 */
	[0x08 / 4] = NOP,	 [0x0c / 4] = 0x540000a0, /* b.eq 0x20 */
	[0x10 / 4] = NOP,				  /* a static key's */
	[0x14 / 4] = 0xd65f03c0,			  /* ret */
};
enum { KEY = 0x10 };

static const uint8_t trace[] = {
	SYNC,	      TRACE_ON,	     CONTEXT(0), EXECUTED, /* bl */
	EXECUTED,     ADDRESS(0x08),			   /* ret */
	NOT_EXECUTED,					   /* b.eq */
};

static struct recording_fixture fixture;

static void set_up_trace(const uint8_t *bytes, size_t size)
{
	const struct fixture_origin origin = { 1, 1, 1000 };
	const uint64_t aux[] = { 0, size, SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };

	recording_fixture_begin_coresight(&fixture);
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
	recording_fixture_trace(&fixture, 0, bytes, size);
	recording_fixture_code(&fixture, ETMV4_BASE, (const uint8_t *)code,
			       sizeof(code));
}

static void set_up(void)
{
	set_up_trace(trace, sizeof(trace));
}

static void tear_down(void)
{
	recording_fixture_end(&fixture);
}

/* Adds a TEXT_POKE record of the key. */
static void announce(uint32_t old, uint32_t new)
{
	const struct fixture_origin origin = { 1, 1, 2000 };
	struct {
		uint64_t address;
		uint16_t sizes[2];
		uint32_t words[2];
	} poke = { ETMV4_BASE + KEY, { 4, 4 }, { old, new } };

	recording_fixture_record(&fixture, PERF_RECORD_TEXT_POKE, 0, &poke,
				 sizeof(poke), &origin);
}

static void write_end(uint32_t key)
{
	recording_fixture_code_at_end(&fixture, ETMV4_BASE + KEY,
				      (const uint8_t *)&key, sizeof(key));
}

static void decode(struct flow_totals *totals)
{
	struct flow_run run;

	flow_run_of(&run, &fixture);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	flow_run_stream(&run, 0, totals, NULL);
	flow_run_close(&run);
}

START_TEST(unchanged_code_runs)
{
	struct flow_totals totals;

	decode(&totals);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.instructions, 6);
}
END_TEST

/* Up to the next address in the trace the executed code is unknown. */
START_TEST(changed_code_is_a_gap)
{
	struct flow_totals totals;

	write_end(BRANCH_BACK);
	decode(&totals);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_CODE_CHANGED], 1);
	ck_assert_uint_eq(totals.instructions, 4);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], 1);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_RETURN], 0);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CONDITIONAL], 1);
}
END_TEST

START_TEST(announced_change_is_no_gap)
{
	struct flow_totals totals;

	announce(NOP, BRANCH_BACK);
	write_end(BRANCH_BACK);
	decode(&totals);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.instructions, 6);
}
END_TEST

START_TEST(another_change_than_announced_is_a_gap)
{
	struct flow_totals totals;

	announce(NOP, BRANCH_BACK);
	write_end(BRANCH_BACK + 1);
	decode(&totals);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_CODE_CHANGED], 1);
	ck_assert_uint_eq(totals.instructions, 4);
}
END_TEST

/* Outside the copied code there is nothing to compare with. */
START_TEST(end_of_other_code_is_not_used)
{
	static const uint8_t other[64] = { 1 };
	struct flow_totals totals;

	recording_fixture_code_at_end(&fixture, ETMV4_BASE + sizeof(code),
				      other, sizeof(other));
	decode(&totals);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.instructions, 6);
}
END_TEST

START_TEST(no_core_at_end_is_not_used)
{
	struct flow_totals totals;
	char path[128];
	FILE *file;

	write_end(BRANCH_BACK);
	snprintf(path, sizeof(path), "%s/kcore_dir/kcore_end", fixture.path);
	file = fopen(path, "r+");
	ck_assert_ptr_nonnull(file);
	fputs("no core", file);
	fclose(file);
	decode(&totals);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
}
END_TEST

/* The key is patched at 2000: from then on it branches back. */
enum { WATCH_ID = 3 };
static const uint8_t patched_trace[] = {
	SYNC,	      TRACE_ON,	     CONTEXT(0),
	STAMP(1500),  EXECUTED,		       /* bl */
	EXECUTED,     ADDRESS(0x08),	       /* ret */
	STAMP(2500),  NOT_EXECUTED,  EXECUTED, /* b.eq, b */
	NOT_EXECUTED, EXECUTED,	     NOT_EXECUTED,
	EXECUTED,     EXECUTED, /* b.eq */
};
enum { PATCHED_INSTRUCTIONS = 2 + 2 + 3 * 3 + 2 };

static void set_up_patched(void)
{
	set_up_trace(patched_trace, sizeof(patched_trace));
}

/* Its attr and its name, which is that of the third event. */
static void watch(const char *name)
{
	struct {
		struct perf_event_attr attr;
		uint64_t id;
	} watch = {
		.attr = {
			.type = PERF_TYPE_BREAKPOINT,
			.size = sizeof(watch.attr),
			.sample_type = EVENT_SAMPLE_TYPE |
				       PERF_SAMPLE_REGS_INTR,
			.sample_regs_intr = TEXT_POKE_BREAKPOINT_REGISTERS,
			.sample_id_all = 1,
		},
		.id = WATCH_ID,
	};
	struct {
		uint64_t feature;
		uint32_t count, attr_size;
		struct {
			uint32_t ids, length;
			char text[16];
		} name[3];
	} names = {
		PERF_DATA_FEATURE_EVENT_DESC,
		3,
		0,
		{ { 0, 16, "" }, { 0, 16, "" }, { 0, 16, "" } },
	};

	snprintf(names.name[2].text, sizeof(names.name[2].text), "%s", name);
	recording_fixture_record(&fixture, PERF_DATA_ATTR, 0, &watch,
				 sizeof(watch), NULL);
	recording_fixture_record(&fixture, PERF_DATA_FEATURE, 0, &names,
				 sizeof(names), NULL);
}

static void patch(uint32_t instruction)
{
	const uint64_t words[] = {
		WATCH_ID,
		0x1234,
		UINT64_C(1) << 32 | 1,
		2000,
		0,
		PERF_SAMPLE_REGS_ABI_64,
		ETMV4_BASE + KEY,
		instruction,
	};

	recording_fixture_record(&fixture, PERF_RECORD_SAMPLE, 0, words,
				 sizeof(words), NULL);
}

START_TEST(a_watched_patch_runs_from_then_on)
{
	struct flow_totals totals;

	watch(TEXT_POKE_BREAKPOINT_EVENT);
	patch(BRANCH_BACK);
	write_end(BRANCH_BACK);
	decode(&totals);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.instructions, PATCHED_INSTRUCTIONS);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_JUMP], 3);
}
END_TEST

START_TEST(another_end_than_watched_is_a_gap)
{
	struct flow_totals totals;

	watch(TEXT_POKE_BREAKPOINT_EVENT);
	patch(BRANCH_BACK);
	write_end(BRANCH_BACK + 1);
	decode(&totals);
	ck_assert_uint_gt(totals.gaps[FLOW_GAP_CODE_CHANGED], 0);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_JUMP], 0);
}
END_TEST

/* Code that is patched back does not differ at the end. */
START_TEST(lost_patches_make_gaps)
{
	const uint64_t lost[] = { WATCH_ID, 1, UINT64_C(1) << 32 | 1,
				  2100,	    0, WATCH_ID };
	struct flow_totals totals;

	watch(TEXT_POKE_BREAKPOINT_EVENT);
	patch(BRANCH_BACK);
	recording_fixture_record(&fixture, PERF_RECORD_LOST, 0, lost,
				 sizeof(lost), NULL);
	decode(&totals);
	ck_assert_uint_gt(totals.gaps[FLOW_GAP_CODE_CHANGED], 0);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_JUMP], 0);
}
END_TEST

START_TEST(samples_of_other_breakpoints_patch_nothing)
{
	struct flow_totals totals;

	watch("mem:0x1234:x");
	patch(BRANCH_BACK);
	decode(&totals);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_JUMP], 0);
}
END_TEST

SUITE("coresight_code")
{
	CASE("changes");
	FIXTURE(set_up, tear_down);
	TEST(unchanged_code_runs);
	TEST(changed_code_is_a_gap);
	TEST(announced_change_is_no_gap);
	TEST(another_change_than_announced_is_a_gap);
	TEST(end_of_other_code_is_not_used);
	TEST(no_core_at_end_is_not_used);
	CASE("watched patches");
	FIXTURE(set_up_patched, tear_down);
	TEST(a_watched_patch_runs_from_then_on);
	TEST(another_end_than_watched_is_a_gap);
	TEST(lost_patches_make_gaps);
	TEST(samples_of_other_breakpoints_patch_nothing);
}
