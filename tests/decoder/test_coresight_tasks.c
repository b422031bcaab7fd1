/* SPDX-License-Identifier: MIT */
#include "common/formats/perf_data.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include "common/array.h"
#include <linux/perf_event.h>

/* The running task from the ids in the trace alone, which has no times. Two
 * programs are mapped at the same address, and the kernel, which runs at EL2 as
 * with VHE, switches from one to the other.
 */
static const uint32_t kernel[] = {
	0xd503201f, /* nop */
	0xd518d020, /* msr contextidr_el1, x0 */
	0xd69f03e0, /* eret */
};

static const uint32_t first_program[] = {
	[0x00 / 4] = 0xd503201f, /* nop */
	[0x04 / 4] = 0x14000003, /* b 0x10 */
	[0x10 / 4] = 0xd503201f, /* nop */
	[0x14 / 4] = 0xd4000001, /* svc #0 */
};

static const uint32_t second_program[] = {
	0xd503201f, /* nop */
	0xd503201f, /* nop */
	0xd503201f, /* nop */
	0x17fffffd, /* b 0x00 */
};

/* The context packet after its address, and its ids. */
#define EL2_IDS(el, second) (el) | HAS_VMID, ID(second)
#define EL1_IDS(el, first) (el) | HAS_CONTEXT_ID, ID(first)
#define BOTH_IDS(el, second, first) \
	(el) | HAS_VMID | HAS_CONTEXT_ID, ID(second), ID(first)

#define KERNEL_CONTEXT 0x85, AT(0)
#define ONLY_CONTEXT 0x81

/* The kernel's own context has the old id; then the new one. */
#define SWITCH_OF_TASKS(before, kernel_before, kernel_after, after) \
	{ \
		SYNC, TRACE_ON, CONTEXT_A64, before, EXECUTED, 0x06, 0x05, \
			USER_A64(0x18), KERNEL_CONTEXT, kernel_before, \
			ONLY_CONTEXT, kernel_after, EXECUTED, CONTEXT_A64, \
			after, EXECUTED, EXECUTED \
	}

enum { FIRST = 21, SECOND = 22, PROCESS = 20 };

static const uint8_t by_el2[] = SWITCH_OF_TASKS(EL2_IDS(CONTEXT_EL0, FIRST),
						EL2_IDS(CONTEXT_EL2, FIRST),
						EL2_IDS(CONTEXT_EL2, SECOND),
						EL2_IDS(CONTEXT_EL0, SECOND));

/* The other id was written by a guest's kernel, or by none. */
static const uint8_t by_both[] = SWITCH_OF_TASKS(
	BOTH_IDS(CONTEXT_EL0, FIRST, 7), BOTH_IDS(CONTEXT_EL2, FIRST, 8),
	BOTH_IDS(CONTEXT_EL2, SECOND, 8), BOTH_IDS(CONTEXT_EL0, SECOND, 7));

static const uint8_t by_el1[] = SWITCH_OF_TASKS(
	BOTH_IDS(CONTEXT_EL0, 3, FIRST), BOTH_IDS(CONTEXT_EL2, 4, FIRST),
	BOTH_IDS(CONTEXT_EL2, 4, SECOND), BOTH_IDS(CONTEXT_EL0, 3, SECOND));

/* Only one of the two ids changes, and only that is sent. */
static const uint8_t by_parts[] = SWITCH_OF_TASKS(
	BOTH_IDS(CONTEXT_EL0, FIRST, 7), CONTEXT_EL2,
	EL2_IDS(CONTEXT_EL2, SECOND), EL1_IDS(CONTEXT_EL0, FIRST));

/* TRCCONFIGR. */
enum { CID = 1 << 6, VMID = 1 << 7, VMIDOPT = 1 << 15 };

static const struct row {
	uint64_t config;
	const uint8_t *trace;
	size_t size;
} rows[] = {
	{ VMID | VMIDOPT, by_el2, sizeof(by_el2) },
	{ CID | VMID | VMIDOPT, by_both, sizeof(by_both) },
	{ CID | VMID, by_el1, sizeof(by_el1) },
	{ CID | VMID | VMIDOPT, by_parts, sizeof(by_parts) },
};

enum { ROWS = sizeof(rows) / sizeof(*rows) };

/* TRCIDR2: ids of four bytes, and the VMID may be CONTEXTIDR_EL2, which an
 * ETMv4 can from version 4.1 on (TRCIDR1).
 */
enum { IDR2 = 0x20001088 };

static struct recording_fixture fixture;

static void begin(uint64_t config, bool is_ete)
{
	const uint64_t etmv4[] = {
		CORESIGHT_MAGIC_ETMV4,
		0,
		7,
		config | 1,
		0x10,
		0x28000ea1,
		0x4100f423,
		IDR2,
		0,
		0,
	};
	const uint64_t ete[] = {
		CORESIGHT_MAGIC_ETE, 0,		 8,    config | 1, 0x10,
		0x2801cea1,	     0x4100fff0, IDR2, 0,	   0,
		0x47705a13,
	};

	if (is_ete)
		recording_fixture_begin_unit(&fixture, ete, 11);
	else
		recording_fixture_begin_unit(&fixture, etmv4, 10);
}

static void add_comm(int32_t pid, int32_t tid)
{
	const struct fixture_origin origin = { pid, tid, 0 };
	const struct {
		int32_t pid, tid;
		char name[8];
	} comm = { pid, tid, "program" };

	recording_fixture_record(&fixture, PERF_RECORD_COMM, 0, &comm,
				 sizeof(comm), &origin);
}

static void write_recording(const struct row *row, bool is_ete)
{
	const struct fixture_origin origin = { 1, 1, 1000 };
	const uint64_t aux[] = { 0, row->size,
				 SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };

	begin(row->config, is_ete);
	recording_fixture_trace(&fixture, 0, row->trace, row->size);
	recording_fixture_code(&fixture, ETMV4_BASE, (const uint8_t *)kernel,
			       sizeof(kernel));
	add_comm(FIRST, FIRST);
	add_comm(PROCESS, SECOND);
	recording_fixture_program(&fixture, FIRST, "one", ETMV4_USER,
				  first_program, sizeof(first_program));
	recording_fixture_program(&fixture, PROCESS, "two", ETMV4_USER,
				  second_program, sizeof(second_program));
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
	recording_fixture_write(&fixture);
}

#define SWITCH(process, tid) \
	{ \
		.kind = FLOW_SWITCH, .ip = (uint64_t)(process) << 32 | (tid) \
	}
#define BLOCK(address, count, exit) \
	{ \
		.kind = FLOW_BLOCK, .ip = (address), .instructions = (count), \
		.detail = (exit) \
	}

static const struct flow_item expected[] = {
	SWITCH(FIRST, FIRST),
	BLOCK(ETMV4_USER, 2, FLOW_EXIT_JUMP),
	BLOCK(ETMV4_USER + 0x10, 2, FLOW_EXIT_FAR_CALL),
	SWITCH(PROCESS, SECOND),
	BLOCK(ETMV4_BASE, 3, FLOW_EXIT_FAR_RETURN),
	BLOCK(ETMV4_USER, 4, FLOW_EXIT_JUMP),
	BLOCK(ETMV4_USER, 4, FLOW_EXIT_JUMP),
};

static void compare(const struct array *items)
{
	size_t at = 0;

	for (size_t i = 0; i < items->count; i++) {
		const struct flow_item *item = array_at(items, i);

		ck_assert_int_ne(item->kind, FLOW_GAP);
		if (item->kind != FLOW_SWITCH && item->kind != FLOW_BLOCK)
			continue;
		ck_assert_uint_lt(at, sizeof(expected) / sizeof(*expected));
		ck_assert_int_eq(item->kind, expected[at].kind);
		ck_assert_int_eq(item->detail, expected[at].detail);
		ck_assert_uint_eq(item->ip, expected[at].ip);
		ck_assert_uint_eq(item->instructions,
				  expected[at].instructions);
		at++;
	}
	ck_assert_uint_eq(at, sizeof(expected) / sizeof(*expected));
}

/* Each row is tried with an ETMv4 and with an ETE. */
START_TEST(ids_name_the_running_task)
{
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_totals totals;
	struct flow_run run;

	write_recording(&rows[_i % ROWS], _i / ROWS);
	ck_assert_int_eq(flow_run_open(&run, fixture.path, fixture.path), 0);
	ck_assert_int_eq(recording_time(run.recording),
			 RECORDING_TIME_INSTRUCTIONS);
	flow_run_stream(&run, 0, &totals, &items);
	flow_run_close(&run);
	compare(&items);
	array_free(&items);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("coresight_tasks")
{
	TEST_TIMES(ids_name_the_running_task, 2 * ROWS);
}
