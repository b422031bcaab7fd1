/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

/* A handwritten snapshot of one CPU with an ETMv4. */
#define BASE ETMV4_BASE

/* clang-format off */
static const uint8_t trace[] = {
	SYNC, TRACE_ON, CONTEXT(0),
	EXECUTED,			/* bl */
	EXECUTED, ADDRESS(0x08),	/* ret */
	NOT_EXECUTED,			/* b.eq */
	EXECUTED, ADDRESS(0x20),	/* ret */
	EXCEPTION(2, 0x28), ADDRESS(0x40),
	EXECUTED, ADDRESS(0x28),	/* eret */
	EXECUTED,			/* b */
	EXCEPTION(14, 0x34), ADDRESS(0x40),
	EXECUTED, ADDRESS(0x34),	/* eret */
	EXECUTED,			/* b */
};
/* clang-format on */

/* clang-format off */
static const struct flow_item expected[] = {
	{ .kind = FLOW_START, .ip = BASE },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_CALL, .ip = BASE,
	  .last = 4, .last_length = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_RETURN, .ip = BASE + 0x10,
	  .last = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_CONDITIONAL,
	  .ip = BASE + 0x08, .last = 4, .last_length = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_RETURN, .ip = BASE + 0x10,
	  .last = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_FAR_CALL,
	  .ip = BASE + 0x20, .last = 4, .last_length = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_FAR_RETURN,
	  .ip = BASE + 0x40, .instructions = 1 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_JUMP, .ip = BASE + 0x28,
	  .instructions = 1 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_NONE, .ip = BASE + 0x30,
	  .instructions = 1 },
	{ .kind = FLOW_ASYNC, .ip = BASE + 0x34 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_FAR_RETURN,
	  .ip = BASE + 0x40, .instructions = 1 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_JUMP, .ip = BASE + 0x34,
	  .instructions = 1 },
	{ .kind = FLOW_STOP, .detail = FLOW_STOP_OFF },
	{ .kind = FLOW_END },
};
/* clang-format on */

static struct scratch_folder folder;

static void write_bytes(const char *name, const void *bytes, size_t size)
{
	snapshot_fixture_file(&folder, name, bytes, size);
}

static void set_up(void)
{
	folder = scratch_folder_new();
	snapshot_fixture_write(&folder);
	write_bytes(SNAPSHOT_TRACE, trace, sizeof(trace));
}

static void tear_down(void)
{
	scratch_folder_free(&folder);
}

static void decode(struct flow_totals *totals, struct array *items)
{
	struct flow_run run;

	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL), 0);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	ck_assert_int_eq(recording_stream(run.recording, 0)->cpu, 2);
	ck_assert_int_eq(recording_arch(run.recording), RECORDING_ARCH_ARM64);
	ck_assert_int_eq(recording_time(run.recording),
			 RECORDING_TIME_INSTRUCTIONS);
	flow_run_stream(&run, 0, totals, items);
	flow_run_close(&run);
}

/* Returns false for modes and switches, which do not affect control flow. */
static bool is_control(const struct flow_item *item)
{
	return item->kind != FLOW_MODE && item->kind != FLOW_SWITCH;
}

START_TEST(packets_become_items)
{
	const size_t count = sizeof(expected) / sizeof(*expected);
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;
	uint64_t ran = 0;
	size_t at = 0;

	decode(&totals, &items);
	for (size_t i = 0; i < items.count; i++) {
		const struct flow_item *item = array_at(&items, i);
		const struct flow_item *wanted = &expected[at];

		if (!is_control(item))
			continue;
		ck_assert_uint_lt(at++, count);
		ck_assert_int_eq(item->kind, wanted->kind);
		ck_assert_int_eq(item->detail, wanted->detail);
		ck_assert_uint_eq(item->ip, wanted->ip);
		ck_assert_uint_eq(item->last, wanted->last);
		ck_assert_int_eq(item->last_length, wanted->last_length);
		ck_assert_int_eq(item->instructions, wanted->instructions);
		/* Time is the count of instructions, from 1. */
		ck_assert_uint_eq(item->time_ns, ran + 1);
		ran += item->instructions;
	}
	ck_assert_uint_eq(at, count);
	array_free(&items);
}
END_TEST

START_TEST(authenticated_branches_are_known)
{
	static const uint8_t bytes[] = {
		SYNC,	       TRACE_ON, CONTEXT(0x50), EXECUTED,
		ADDRESS(0x54), EXECUTED, ADDRESS(0x58), EXECUTED,
		ADDRESS(0x5c), EXECUTED, ADDRESS(0x00), EXECUTED,
	};
	struct flow_totals totals;

	write_bytes(SNAPSHOT_TRACE, bytes, sizeof(bytes));
	decode(&totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], 2);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_JUMP], 1);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_RETURN], 1);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_FAR_RETURN], 1);
}
END_TEST

static const uint8_t overflow[] = {
	SYNC, TRACE_ON, CONTEXT(0),    EXECUTED, OVERFLOW,
	SYNC, TRACE_ON, CONTEXT(0x10), EXECUTED,
};

static const uint8_t missing_code[] = {
	SYNC,	  TRACE_ON,	 CONTEXT(0x1f0), EXECUTED,
	EXECUTED, ADDRESS(0x10), EXECUTED,
};

/* OpenCSD's cache then holds some code, and is queried for an address that no
 * cache entry can have.
 */
static const uint8_t last_address[] = {
	SYNC, TRACE_ON, CONTEXT(0), EXECUTED,	   EXECUTED, 0x9d,
	0x7f, 0x7f,	0xff,	    0xff,	   0xff,     0xff,
	0xff, 0xff,	EXECUTED,   ADDRESS(0x10), EXECUTED,
};

/* Bytes before the first sync point, and a reserved packet: decoding continues
 * at the next sync point.
 */
static const uint8_t damage[] = {
	EXECUTED,   EXECUTED, EXECUTED, SYNC,	       TRACE_ON,
	CONTEXT(0), EXECUTED, RESERVED, RESERVED,      EXECUTED,
	EXECUTED,   SYNC,     TRACE_ON, CONTEXT(0x10), EXECUTED,
};

static const struct {
	const uint8_t *bytes;
	size_t size;
	uint64_t instructions;
	uint64_t gaps[FLOW_GAP_GENERATED + 1];
} incomplete[] = {
	{ overflow, sizeof(overflow), 4, { [FLOW_GAP_OVERFLOW] = 1 } },
	{ missing_code, sizeof(missing_code), 2, { [FLOW_GAP_NO_CODE] = 1 } },
	{ last_address, sizeof(last_address), 6, { [FLOW_GAP_NO_CODE] = 1 } },
	{ damage,
	  sizeof(damage),
	  4,
	  { [FLOW_GAP_UNSYNCED] = 1, [FLOW_GAP_BAD_TRACE] = 1 } },
};

START_TEST(undecodable_bytes_are_a_gap)
{
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;

	write_bytes(SNAPSHOT_TRACE, incomplete[_i].bytes, incomplete[_i].size);
	decode(&totals, &items);
	for (size_t i = 0; i <= FLOW_GAP_GENERATED; i++)
		ck_assert_uint_eq(totals.gaps[i], incomplete[_i].gaps[i]);
	ck_assert_uint_eq(totals.instructions, incomplete[_i].instructions);
	for (size_t i = 0; i < items.count; i++) {
		const struct flow_item *item = array_at(&items, i);

		if (item->kind == FLOW_GAP)
			ck_assert_uint_lt(item->ip, incomplete[_i].size);
	}
	array_free(&items);
}
END_TEST

static uint8_t first_stop(const struct array *items)
{
	for (size_t i = 0; i < items->count; i++) {
		const struct flow_item *item = array_at(items, i);

		if (item->kind == FLOW_STOP)
			return item->detail;
	}
	ck_abort_msg("no stop");
	return 0;
}

/* After bl 0x10 no instruction switches tracing off, after b 0x70 one does. */
START_TEST(stops_have_reasons)
{
	static const uint8_t filtered[] = {
		SYNC,	  TRACE_ON,	 CONTEXT(0x00), EXECUTED,
		TRACE_ON, CONTEXT(0x00), EXECUTED,
	};
	static const uint8_t off[] = {
		SYNC,	  TRACE_ON,	 CONTEXT(0x60), EXECUTED,
		TRACE_ON, CONTEXT(0x00), EXECUTED,
	};
	static const uint8_t level[] = {
		SYNC,	  TRACE_ON,	 CONTEXT(0x40), EXECUTED,
		TRACE_ON, CONTEXT(0x00), EXECUTED,
	};
	static const struct {
		const uint8_t *bytes;
		size_t size;
		uint8_t reason;
	} cases[] = {
		{ filtered, sizeof(filtered), FLOW_STOP_FILTER },
		{ off, sizeof(off), FLOW_STOP_OFF },
		{ level, sizeof(level), FLOW_STOP_LEVEL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct array items = ARRAY_OF(struct flow_item);
		struct flow_totals totals;

		write_bytes(SNAPSHOT_TRACE, cases[i].bytes, cases[i].size);
		decode(&totals, &items);
		ck_assert_uint_eq(first_stop(&items), cases[i].reason);
		array_free(&items);
	}
}
END_TEST

START_TEST(trace_of_no_cpu_is_left_out)
{
	static const uint8_t bytes[] = {
		SYNC, TRACE_ON, CONTEXT(0), EXECUTED, EXECUTED, ADDRESS(0x08),
	};
	/* A frame of the CPU's id: chance would not make one. */
	static const uint8_t frame[16] = { 0x12 << 1 | 1, 0xf7, 0x02, 0x11 };
	struct flow_totals totals;

	write_bytes(SNAPSHOT_TRACE, bytes, sizeof(bytes));
	write_bytes("stm.bin", frame, sizeof(frame));
	scratch_folder_write(&folder, "trace.ini",
			     "[trace_buffers]\nbuffers=buffer0,buffer1\n"
			     "[buffer0]\nname=ETB_0\nfile=trace.bin\n"
			     "format=source_data\n"
			     "[buffer1]\nname=ETB_1\nfile=stm.bin\n"
			     "format=coresight\n"
			     "[source_buffers]\nETM_2=ETB_0\nSTM_0=ETB_1\n"
			     "[core_trace_sources]\ncpu_2=ETM_2\n");
	decode(&totals, NULL);
	ck_assert_uint_eq(totals.instructions, 4);
	for (size_t i = 0; i <= FLOW_GAP_GENERATED; i++)
		ck_assert_uint_eq(totals.gaps[i], 0);
}
END_TEST

START_TEST(useless_snapshots_are_refused)
{
	struct flow_run run;

	scratch_folder_write(&folder, "trace.ini",
			     "[core_trace_sources]\n"
			     "cpu_2=STM_0\n");
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL), -ERROR_FORMAT);
	scratch_folder_write(&folder, "snapshot.ini",
			     "[device_list]\ndevice0=gone.ini\n");
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL),
			 -ERROR_NOT_FOUND);
}
END_TEST

SUITE("coresight")
{
	FIXTURE(set_up, tear_down);
	TEST(packets_become_items);
	TEST(authenticated_branches_are_known);
	TEST_EACH(undecodable_bytes_are_a_gap, incomplete);
	TEST(stops_have_reasons);
	TEST(trace_of_no_cpu_is_left_out);
	TEST(useless_snapshots_are_refused);
}
