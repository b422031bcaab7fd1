/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include "common/array.h"
#include <linux/perf_event.h>
#include <string.h>

/* Times from cycle counts. Every block ends in a taken branch: one of 2
 * instructions at 0, then one of 4 at 0x10, and so on.
 */
enum { NOP = 0xd503201f };

static const uint32_t code[] = {
	[0x00 / 4] = NOP,	 [0x04 / 4] = 0x14000003, /* b 0x10 */
	[0x10 / 4] = NOP,	 [0x14 / 4] = NOP,
	[0x18 / 4] = NOP,	 [0x1c / 4] = 0x17fffff9, /* b 0 */
	[0x20 / 4] = 0x17fffff8,			  /* b 0 */
};

enum { LONGEST = 16 };

struct expected {
	uint8_t kind;
	uint64_t offset;
	uint64_t time;
	uint64_t low;
	uint64_t high;
};

#define A(time, low, high) \
	{ \
		FLOW_BLOCK, 0x00, time, low, high \
	}
#define B(time, low, high) \
	{ \
		FLOW_BLOCK, 0x10, time, low, high \
	}

/* A cycle is a nanosecond: 400 cycles from 1000 to 1400 are enough to calibrate
 * that.
 */
#define FIRST_SPAN \
	SYNC_CYCLES, TRACE_ON, CONTEXT(0), STAMP_CYCLES(1000, 8), EXECUTED, \
		CYCLES(18),	       /* a: 10, as 8 were before */ \
		EXECUTED, CYCLES(90),  /* b */ \
		EXECUTED, CYCLES(100), /* a */ \
		EXECUTED, CYCLES(100), /* b */ \
		EXECUTED, CYCLES(100), /* a */ \
		STAMP_CYCLES(1400, 0)
#define FIRST_ITEMS \
	{ FLOW_START, 0x00, 1000, 1000, 1400 }, A(1000, 1000, 1400), \
		B(1010, 1000, 1400), A(1100, 1000, 1400), B(1200, 1000, 1400), \
		A(1300, 1000, 1400)

static const struct {
	uint8_t trace[128];
	size_t size;
	struct expected items[LONGEST];
} traces[] = {
#define TRACE(...) { __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
	/* By instructions it would be 1000, 1057, 1171 and so on. */
	{ TRACE(FIRST_SPAN, EXECUTED),
	  { FIRST_ITEMS,
	    B(1400, 1000, UINT64_MAX),
	    { FLOW_STOP, 0, 1404, 1400, UINT64_MAX } } },
	/* A stamp may come while a block runs: after 30 of its 100 cycles. */
	{ TRACE(FIRST_SPAN, EXECUTED, CYCLES(60), STAMP_CYCLES(1490, 30),
		EXECUTED, CYCLES(100), STAMP_CYCLES(1560, 0), EXECUTED),
	  { FIRST_ITEMS,
	    B(1400, 1000, 1490),
	    A(1460, 1400, 1560),
	    B(1560, 1490, UINT64_MAX),
	    { FLOW_STOP, 0, 1564, 1560, UINT64_MAX } } },
	/* A count too large to be encoded is assigned the time that the others
	 * leave.
	 */
	{ TRACE(FIRST_SPAN, EXECUTED, CYCLES(40), EXECUTED, CYCLES_UNKNOWN,
		EXECUTED, CYCLES(30), STAMP_CYCLES(9200, 0), EXECUTED),
	  { FIRST_ITEMS,
	    B(1400, 1000, 9200),
	    A(1440, 1400, 9200),
	    B(9170, 1400, 9200),
	    A(9200, 1400, UINT64_MAX),
	    { FLOW_STOP, 0, 9202, 9200, UINT64_MAX } } },
	/* Untraced execution is cut out, too: its cycles are not the block's.
	 */
	{ TRACE(FIRST_SPAN, EXECUTED, CYCLES(40), TRACE_ON, CONTEXT(0),
		STAMP_CYCLES(5000, 100), EXECUTED, CYCLES(120), EXECUTED,
		CYCLES(80), STAMP_CYCLES(5100, 0), EXECUTED),
	  { FIRST_ITEMS,
	    B(1400, 1000, 5000),
	    { FLOW_STOP, 0, 1440, 1400, 5000 },
	    { FLOW_START, 0x00, 5000, 5000, 5100 },
	    A(5000, 5000, 5100),
	    B(5020, 5000, 5100),
	    A(5100, 5000, UINT64_MAX),
	    { FLOW_STOP, 0, 5102, 5100, UINT64_MAX } } },
	/* Execution before an exception was counted with it. */
	{ TRACE(FIRST_SPAN, EXCEPTION(14, 0x18), CYCLES(20), ADDRESS(0x20),
		EXECUTED, CYCLES(50), EXECUTED, CYCLES(30),
		STAMP_CYCLES(1500, 0), EXECUTED),
	  { FIRST_ITEMS,
	    B(1400, 1000, 1500),
	    { FLOW_ASYNC, 0x18, 1420, 1400, 1500 },
	    { FLOW_BLOCK, 0x20, 1420, 1400, 1500 },
	    A(1470, 1400, 1500),
	    B(1500, 1400, UINT64_MAX),
	    { FLOW_STOP, 0, 1504, 1500, UINT64_MAX } } },
	/* A timestamp without a count: the number of cycles before it is
	 * unknown.
	 */
	{ TRACE(FIRST_SPAN, EXECUTED, CYCLES(40), EXECUTED, STAMP(1446),
		EXECUTED),
	  { FIRST_ITEMS,
	    B(1400, 1000, 1446),
	    A(1443, 1400, 1446),
	    B(1446, 1400, UINT64_MAX),
	    { FLOW_STOP, 0, 1450, 1446, UINT64_MAX } } },
};

static void decode_by(const uint8_t *bytes, size_t size, bool by_library,
		      struct array *items)
{
	const uint64_t aux[] = { 0, size, SIDEBAND_AUX_FORMAT_CORESIGHT_RAW };
	const struct fixture_origin origin = { 1, 1, 900 };
	struct recording_fixture fixture;
	struct flow_totals totals;
	struct flow_run run;

	recording_fixture_begin_coresight(&fixture);
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
	recording_fixture_trace(&fixture, 0, bytes, size);
	recording_fixture_code(&fixture, ETMV4_BASE, (const uint8_t *)code,
			       sizeof(code));
	flow_run_of(&run, &fixture);
	ck_assert_int_eq(recording_time(run.recording),
			 RECORDING_TIME_NANOSECONDS);
	run.by_library = by_library;
	flow_run_stream(&run, 0, &totals, items);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}

static void decode(const uint8_t *bytes, size_t size, struct array *items)
{
	decode_by(bytes, size, false, items);
}

static uint64_t high_of(const struct flow_item *item)
{
	return item->late_ns == FLOW_NO_BOUND ? UINT64_MAX :
						item->time_ns + item->late_ns;
}

static void check_item(const struct flow_item *item,
		       const struct expected *expected)
{
	ck_assert_int_eq(item->kind, expected->kind);
	ck_assert_uint_eq(item->ip, item->kind == FLOW_STOP ?
					    0 :
					    ETMV4_BASE + expected->offset);
	ck_assert_uint_eq(item->time_ns, expected->time);
	ck_assert_uint_eq(item->time_ns - item->early_ns, expected->low);
	ck_assert_uint_eq(high_of(item), expected->high);
}

START_TEST(counts_give_times_between_stamps)
{
	const struct expected *expected = traces[_i].items;
	struct array items = ARRAY_OF(struct flow_item);

	decode(traces[_i].trace, traces[_i].size, &items);
	for (size_t i = 0; i < items.count; i++) {
		const struct flow_item *item = array_at(&items, i);

		if (item->kind != FLOW_MODE && item->kind != FLOW_END)
			check_item(item, expected++);
	}
	ck_assert_uint_eq(expected->time, 0);
	array_free(&items);
}
END_TEST

/* Whatever value a damaged count has, times never decrease and the stream ends.
 */
START_TEST(damaged_counts_end)
{
	uint8_t bytes[sizeof(traces[0].trace)];
	size_t size = traces[_i].size;

	for (size_t at = 16; at < size; at++) {
		struct array items = ARRAY_OF(struct flow_item);
		const struct flow_item *last;

		memcpy(bytes, traces[_i].trace, size);
		bytes[at] ^= (uint8_t)(1u << at % 8);
		decode(bytes, size, &items);
		last = array_at(&items, items.count - 1);
		ck_assert_int_eq(last->kind, FLOW_END);
		array_free(&items);
	}
}
END_TEST

/* A final timestamp without trace after it does not move the end. */
START_TEST(end_is_that_of_the_last_item)
{
	static const uint8_t trace[] = { FIRST_SPAN, EXECUTED, STAMP(1500) };
	struct array items = ARRAY_OF(struct flow_item);
	const struct flow_item *stop;
	const struct flow_item *end;

	decode_by(trace, sizeof(trace), _i, &items);
	stop = array_at(&items, items.count - 2);
	end = array_at(&items, items.count - 1);
	ck_assert_int_eq(stop->kind, FLOW_STOP);
	ck_assert_int_eq(end->kind, FLOW_END);
	ck_assert_uint_eq(end->time_ns, stop->time_ns);
	ck_assert_uint_eq(end->early_ns, stop->early_ns);
	array_free(&items);
}
END_TEST

/* Without time stamps they are the clock themselves, from 1 on. */
START_TEST(counts_are_the_clock)
{
	static const uint8_t trace[] = {
		SYNC_CYCLES,	    TRACE_ON,	    CONTEXT(0),
		EXECUTED,	    CYCLES(10),			/* bl 0x10 */
		EXECUTED,	    ADDRESS(0x08),  CYCLES(90), /* ret */
		NOT_EXECUTED,	    CYCLES_UNKNOWN,		/* b.eq */
		EXECUTED,	    ADDRESS(0x20),  CYCLES(5),	/* ret */
		EXCEPTION(2, 0x28), ADDRESS(0x40),		/* svc */
	};
	static const uint64_t times[] = { 1, 11, 101, 101, 106 };
	struct array items = ARRAY_OF(struct flow_item);
	struct scratch_folder folder = scratch_folder_new();
	struct flow_totals totals;
	struct flow_run run;
	size_t blocks = 0;

	snapshot_fixture_write(&folder);
	scratch_folder_write(&folder, "etm.ini",
			     "[device]\nname=ETM_2\nclass=trace_source\n"
			     "type=ETM4.0\n[regs]\n"
			     "TRCCONFIGR(0x004)=0x11\n"
			     "TRCTRACEIDR(0x010)=0x12\n"
			     "TRCIDR0(0x078)=0x28000EA1\n"
			     "TRCIDR1(0x079)=0x4100F403\n"
			     "TRCIDR2(0x07A)=0x00000488\n");
	snapshot_fixture_file(&folder, SNAPSHOT_TRACE, trace, sizeof(trace));
	ck_assert_int_eq(flow_run_open(&run, folder.path, NULL), 0);
	ck_assert_int_eq(recording_time(run.recording), RECORDING_TIME_CYCLES);
	flow_run_stream(&run, 0, &totals, &items);
	for (size_t i = 0; i < items.count; i++) {
		const struct flow_item *item = array_at(&items, i);

		if (item->kind == FLOW_BLOCK)
			ck_assert_uint_eq(item->time_ns, times[blocks++]);
	}
	ck_assert_uint_eq(blocks, sizeof(times) / sizeof(*times));
	flow_run_close(&run);
	array_free(&items);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("coresight_cycles")
{
	TEST_EACH(counts_give_times_between_stamps, traces);
	TEST_EACH(damaged_counts_end, traces);
	TEST_TIMES(end_is_that_of_the_last_item, 2);
	TEST(counts_are_the_clock);
}
