/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/recording.h"
#include "tests/etmv4_packets.h"
#include "tests/flow_run_fixture.h"
#include "tests/run_suite.h"
#include "tests/scratch_folder_fixture.h"

#include <stdio.h>
#include <string.h>

/* A snapshot of one CPU with an ETMv4, written by hand. */
#define BASE ETMV4_BASE

static const uint32_t code[] = {
	[0x00 / 4] = 0xd503201f,	/* nop */
	[0x04 / 4] = 0x94000003,	/* bl 0x10 */
	[0x08 / 4] = 0xd503201f,	/* nop */
	[0x0c / 4] = 0x540000a0,	/* b.eq 0x20 */
	[0x10 / 4] = 0xd503201f,	/* nop */
	[0x14 / 4] = 0xd65f03c0,	/* ret */
	[0x20 / 4] = 0xd503201f,	/* nop */
	[0x24 / 4] = 0xd4000001,	/* svc #0 */
	[0x28 / 4] = 0x14000002,	/* b 0x30 */
	[0x30 / 4] = 0xd503207f,	/* wfi */
	[0x34 / 4] = 0x17fffffb,	/* b 0x20 */
	[0x40 / 4] = 0xd69f03e0,	/* eret */
	[0x50 / 4] = 0xd73f0801,	/* blraa x0, x1 */
	[0x54 / 4] = 0xd71f0801,	/* braa x0, x1 */
	[0x58 / 4] = 0xd65f0bff,	/* retaa */
	[0x5c / 4] = 0xd69f0bff,	/* eretaa */
};

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

static const struct flow_item expected[] = {
	{ .kind = FLOW_START, .ip = BASE },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_CALL, .ip = BASE,
	  .last = 4, .last_length = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_RETURN, .ip = BASE + 0x10,
	  .last = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_CONDITIONAL,
	  .ip = BASE + 0x08, .last = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_RETURN, .ip = BASE + 0x10,
	  .last = 4, .instructions = 2 },
	{ .kind = FLOW_BLOCK, .detail = FLOW_EXIT_FAR_CALL,
	  .ip = BASE + 0x20, .last = 4, .instructions = 2 },
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

static struct scratch_folder folder;

static void write_bytes(const char *name, const void *bytes, size_t size)
{
	char path[256];
	FILE *file;

	scratch_folder_path(&folder, name, path, sizeof(path));
	file = fopen(path, "wb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void set_up(void)
{
	folder = scratch_folder_new();
	scratch_folder_write(&folder, "snapshot.ini",
			     "[snapshot]\nversion=1.0\n[device_list]\n"
			     "device0=cpu.ini\ndevice1=etm.ini\n"
			     "[trace]\nmetadata=trace.ini\n");
	scratch_folder_write(&folder, "cpu.ini",
			     "[device]\nname=cpu_2\nclass=core\n"
			     "type=Cortex-A53\n[dump1]\nfile=code.bin\n"
			     "address=0xFFFFFFC000080000\n");
	scratch_folder_write(&folder, "etm.ini",
			     "[device]\nname=ETM_2\nclass=trace_source\n"
			     "type=ETM4.0\n[regs]\n"
			     "TRCCONFIGR(0x004)=0x1\n"
			     "TRCTRACEIDR(0x010)=0x12\n"
			     "TRCIDR0(0x078)=0x28000EA1\n"
			     "TRCIDR1(0x079)=0x4100F403\n"
			     "TRCIDR2(0x07A)=0x00000488\n");
	scratch_folder_write(&folder, "trace.ini",
			     "[trace_buffers]\nbuffers=buffer0\n"
			     "[buffer0]\nname=ETB_0\nfile=trace.bin\n"
			     "format=source_data\n"
			     "[source_buffers]\nETM_2=ETB_0\n"
			     "[core_trace_sources]\ncpu_2=ETM_2\n");
	write_bytes("code.bin", code, sizeof(code));
	write_bytes("trace.bin", trace, sizeof(trace));
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

/* Modes and switches do not change where control goes. */
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
		SYNC, TRACE_ON, CONTEXT(0x50),
		EXECUTED, ADDRESS(0x54), EXECUTED, ADDRESS(0x58),
		EXECUTED, ADDRESS(0x5c), EXECUTED, ADDRESS(0x00), EXECUTED,
	};
	struct flow_totals totals;

	write_bytes("trace.bin", bytes, sizeof(bytes));
	decode(&totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], 2);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_JUMP], 1);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_RETURN], 1);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_FAR_RETURN], 1);
}
END_TEST

START_TEST(overflow_is_a_gap)
{
	static const uint8_t bytes[] = {
		SYNC, TRACE_ON, CONTEXT(0), EXECUTED, OVERFLOW,
		SYNC, TRACE_ON, CONTEXT(0x10), EXECUTED,
	};
	struct flow_totals totals;

	write_bytes("trace.bin", bytes, sizeof(bytes));
	decode(&totals, NULL);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_OVERFLOW], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.instructions, 4);
}
END_TEST

START_TEST(missing_code_is_a_gap)
{
	static const uint8_t bytes[] = {
		SYNC, TRACE_ON, CONTEXT(0x1f0), EXECUTED, EXECUTED,
		ADDRESS(0x10), EXECUTED,
	};
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;

	write_bytes("trace.bin", bytes, sizeof(bytes));
	decode(&totals, &items);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_NO_CODE], 1);
	ck_assert_uint_eq(totals.instructions, 2);
	for (size_t i = 0; i < items.count; i++) {
		const struct flow_item *item = array_at(&items, i);

		if (item->kind == FLOW_GAP)
			ck_assert_uint_lt(item->ip, sizeof(bytes));
	}
	array_free(&items);
}
END_TEST

/* A reserved packet, or bytes before the first synchronisation: decoding goes
 * on at the next one.
 */
START_TEST(damage_is_a_gap)
{
	static const uint8_t bytes[] = {
		EXECUTED, EXECUTED, EXECUTED,
		SYNC, TRACE_ON, CONTEXT(0), EXECUTED,
		RESERVED, RESERVED, EXECUTED, EXECUTED,
		SYNC, TRACE_ON, CONTEXT(0x10), EXECUTED,
	};
	struct flow_totals totals;

	write_bytes("trace.bin", bytes, sizeof(bytes));
	decode(&totals, NULL);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_UNSYNCED], 1);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_BAD_TRACE], 1);
	ck_assert_uint_eq(totals.instructions, 4);
}
END_TEST

START_TEST(useless_snapshots_are_refused)
{
	struct flow_run run;

	scratch_folder_write(&folder, "trace.ini", "[core_trace_sources]\n"
						   "cpu_2=STM_0\n");
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL),
			 -ERROR_FORMAT);
	scratch_folder_write(&folder, "snapshot.ini",
			     "[device_list]\ndevice0=gone.ini\n");
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL),
			 -ERROR_NOT_FOUND);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("coresight");
	TCase *tcase = tcase_create("decode");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, packets_become_items);
	tcase_add_test(tcase, authenticated_branches_are_known);
	tcase_add_test(tcase, overflow_is_a_gap);
	tcase_add_test(tcase, missing_code_is_a_gap);
	tcase_add_test(tcase, damage_is_a_gap);
	tcase_add_test(tcase, useless_snapshots_are_refused);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
