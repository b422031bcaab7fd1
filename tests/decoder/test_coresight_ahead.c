/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/feed_internal.h"
#include "decoder/recording/recording.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include <string.h>

/* Captures of units that trace speculatively (TRCIDR8). */
enum { SYNCS = 3, ROUNDS = 2, ROOM = CAPTURE_ROOM(SYNCS, ROUNDS) };

static struct scratch_folder scratch;
static uint8_t whole[ROOM];
static uint8_t copy[ROOM];
static size_t places[SYNCS];

static size_t make(enum capture_name kind)
{
	capture_fixture_write(&scratch, &kind, 1, "source_data");
	return capture_fixture_trace(kind, SYNCS, ROUNDS, whole, places);
}

static struct flow_totals decode(const uint8_t *bytes, size_t size,
				 struct array *items)
{
	struct flow_totals totals;
	struct flow_run run;

	snapshot_fixture_file(&scratch, CAPTURE_TRACE, bytes, size);
	ck_assert_int_eq(flow_run_open(&run, scratch.path, NULL), 0);
	flow_run_stream(&run, 0, &totals, items);
	flow_run_close(&run);
	return totals;
}

static void set_up(void)
{
	scratch = scratch_folder_new();
}

static void tear_down(void)
{
	scratch_folder_free(&scratch);
}

/* Removes all items except blocks and exceptions. */
static void keep_path(struct array *items)
{
	struct flow_item *kept = items->items;
	size_t count = 0;

	for (size_t i = 0; i < items->count; i++)
		if (kept[i].kind == FLOW_BLOCK || kept[i].kind == FLOW_ASYNC)
			kept[count++] = kept[i];
	items->count = count;
}

static const struct {
	enum capture_name ahead;
	enum capture_name plain;
} pairs[] = {
	{ CAPTURE_AHEAD_ETMV4, CAPTURE_ETMV4 },
	{ CAPTURE_AHEAD_ETE, CAPTURE_ETE },
};

/* Two blocks precede the loop; the last two are cancelled. */
START_TEST(cancelled_elements_are_not_emitted)
{
	enum { BEFORE = 2, CANCELLED = 2 };
	struct array ahead = ARRAY_OF(struct flow_item);
	struct array plain = ARRAY_OF(struct flow_item);

	ck_assert_uint_eq(
		decode(whole, make(pairs[_i].plain), &plain).kinds[FLOW_GAP],
		0);
	ck_assert_uint_eq(
		decode(whole, make(pairs[_i].ahead), &ahead).kinds[FLOW_GAP],
		0);
	keep_path(&ahead);
	keep_path(&plain);
	ck_assert_uint_eq(plain.count, SYNCS * ROUNDS * 10);
	ck_assert_uint_eq(ahead.count - BEFORE, plain.count - CANCELLED);
	for (size_t i = BEFORE; i < ahead.count; i++) {
		const struct flow_item *item = array_at(&ahead, i);
		const struct flow_item *same = array_at(&plain, i - BEFORE);

		ck_assert_int_eq(item->kind, same->kind);
		ck_assert_int_eq(item->detail, same->detail);
		ck_assert_uint_eq(item->ip, same->ip);
		ck_assert_uint_eq(item->instructions, same->instructions);
	}
	array_free(&ahead);
	array_free(&plain);
}
END_TEST

/* OpenCSD crashes on most of these, or reads uninitialised memory. */
#define BEGIN SYNC, TRACE_ON, CONTEXT(0), EXECUTED
#define CALL_ONLY 0x06, 0x05
static const struct damage {
	uint8_t bytes[64];
	size_t size;
} damages[] = {
#define DAMAGE(...) \
	{ \
		{ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }) \
	}
	DAMAGE(BEGIN, CALL_ONLY, COMMIT(2)),
	DAMAGE(BEGIN, CALL_ONLY, 0x81, 0x31, COMMIT(2)),
	DAMAGE(BEGIN, CALL_ONLY, SYNC, COMMIT(10)),
	DAMAGE(BEGIN, COMMIT(1), ADDRESS(0x10), MISPREDICT),
	DAMAGE(BEGIN, COMMIT(1), ADDRESS(0x10), 0x71, MISPREDICT),
	DAMAGE(BEGIN, CANCEL(1), ADDRESS(0x10), CANCEL_MISPREDICT(0)),
	DAMAGE(BEGIN, COMMIT(0x7f)),
	DAMAGE(BEGIN, 0x2d, 0xff, 0xff, 0xff, 0xff, 0x0f),
	DAMAGE(BEGIN, 0x2e, 0xff, 0xff, 0xff, 0xff, 0x0f),
	DAMAGE(BEGIN, 0xaf, COMMIT(2)),
	DAMAGE(BEGIN, 0x3e),
	DAMAGE(SYNC_DEPTH(100), CALL_ONLY),
	DAMAGE(SYNC_ONLY, 0x01, 0x05, 0x00, 0xff, 0xff, 0xff, 0xff, 0x07,
	       CALL_ONLY),
};

/* There is one gap; everything after it is complete. */
START_TEST(damage_ends_neither_program_nor_decoding)
{
	const struct damage *damage = &damages[_i / 2];
	size_t size = make(pairs[_i % 2].ahead);
	struct flow_totals sound =
		decode(whole + places[1], size - places[1], NULL);
	struct flow_totals totals;

	memcpy(copy, damage->bytes, damage->size);
	memcpy(copy + damage->size, whole + places[1], size - places[1]);
	totals = decode(copy, damage->size + size - places[1], NULL);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_BAD_TRACE], 1);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_ge(totals.instructions, sound.instructions);
	ck_assert_uint_le(totals.instructions, sound.instructions + 2);
}
END_TEST

/* First bytes of speculation packets and similar ones, at every position. */
START_TEST(any_byte_may_be_damaged)
{
	static const uint8_t bytes[] = {
		0x00, 0x01, 0x05, 0x06, 0x0a, 0x0c, 0x0d, 0x0e, 0x13, 0x2d,
		0x2e, 0x2f, 0x30, 0x32, 0x35, 0x3e, 0x3f, 0x70, 0x80, 0x91,
		0x95, 0x9d, 0xa0, 0xaf, 0xb0, 0xb4, 0xd4, 0xe0, 0xff,
	};
	const size_t step = suite_repeats(10) < 10 ? 7 : 1;
	size_t size = make(pairs[_i].ahead);
	uint64_t gaps = 0;

	memcpy(copy, whole, size);
	for (size_t at = 0; at < size; at += step) {
		copy[at] = bytes[at % sizeof(bytes)];
		gaps += decode(copy, size, NULL).kinds[FLOW_GAP];
		copy[at] = bytes[(at * 7 + 3) % sizeof(bytes)];
		gaps += decode(copy, size, NULL).kinds[FLOW_GAP];
		copy[at] = whole[at];
		decode(whole, at + 1, NULL);
	}
	ck_assert_uint_gt(gaps, size / step);
}
END_TEST

/* The longest possible start sequence. */
START_TEST(a_long_beginning_is_no_gap)
{
	static const uint8_t bytes[] = {
		SYNC_DEPTH(0), 0x02,	 0x81,
		0x82,	       0x83,	 0x84,
		0x85,	       0x86,	 0x87,
		0x88,	       0x01,	 TRACE_ON,
		0x85,	       AT(0),	 0x31 | HAS_VMID | HAS_CONTEXT_ID,
		ID(9),	       ID(7),	 EXECUTED,
		COMMIT(1),     EXECUTED, ADDRESS(8),
		COMMIT(1),
	};
	struct flow_totals totals;

	make(CAPTURE_AHEAD_ETE);
	totals = decode(bytes, sizeof(bytes), NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_gt(totals.instructions, 0);
}
END_TEST

/* Decoding after damage starts where the damage is detected, wherever that
 * window ends.
 */
START_TEST(windows_may_end_after_damage)
{
	enum { EVENT = 0x71 };
	static const uint8_t head[] = { BEGIN, COMMIT(1) };
	static const uint8_t tail[] = {
		SYNC_DEPTH(3), CONTEXT(0), EXECUTED, EXECUTED,
		ADDRESS(0x08), COMMIT(5),  SYNC,     CONTEXT(0x20),
		EXECUTED,      COMMIT(1),
	};
	static uint8_t bytes[CORESIGHT_WINDOW_SIZE + sizeof(tail)];
	size_t at = CORESIGHT_WINDOW_SIZE - (size_t)_i;
	struct flow_totals totals;

	make(CAPTURE_AHEAD_ETMV4);
	memset(bytes, EVENT, sizeof(bytes));
	memcpy(bytes, head, sizeof(head));
	memcpy(bytes + at, tail, sizeof(tail));
	totals = decode(bytes, sizeof(bytes), NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_BAD_TRACE], 1);
	ck_assert_uint_eq(totals.instructions, 9);
}
END_TEST

/* Uncommitted elements, traced and untraced: whether they were executed is
 * lost.
 */
START_TEST(elements_waiting_at_the_end_are_lost)
{
	static const struct damage ends[] = {
		DAMAGE(BEGIN),
		DAMAGE(SYNC_DEPTH(1), CONTEXT(0)),
		DAMAGE(SYNC_DEPTH(1), CONTEXT(0), EXECUTED, COMMIT(1)),
		DAMAGE(BEGIN, COMMIT(1), CALL_ONLY),
	};
	struct flow_totals totals;

	make(CAPTURE_AHEAD_ETMV4);
	totals = decode(ends[_i].bytes, ends[_i].size, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_LOST], 1);
}
END_TEST

static const struct lost {
	uint8_t bytes[96];
	size_t size;
} losses[] = {
	DAMAGE(BEGIN, COMMIT(1), EXECUTED, ADDRESS(0x08), OVERFLOW,
	       SYNC_DEPTH(2), TRACE_ON, CONTEXT(0), EXECUTED, COMMIT(3)),
	DAMAGE(BEGIN, COMMIT(1), CALL_ONLY, OVERFLOW, SYNC, TRACE_ON,
	       CONTEXT(0), EXECUTED, COMMIT(1)),
};

/* There is no other gap. */
START_TEST(a_loss_of_the_unit_is_an_overflow)
{
	const struct lost *lost = &losses[_i];
	struct flow_totals totals;

	make(CAPTURE_AHEAD_ETMV4);
	totals = decode(lost->bytes, lost->size, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 1);
	ck_assert_uint_eq(totals.gaps[FLOW_GAP_OVERFLOW], 1);
}
END_TEST

SUITE("coresight_ahead")
{
	LIMIT_S(120);
	FIXTURE(set_up, tear_down);
	TEST_TIMES(cancelled_elements_are_not_emitted, 2);
	TEST_TIMES(damage_ends_neither_program_nor_decoding,
		   2 * (int)(sizeof(damages) / sizeof(*damages)));
	TEST_TIMES(any_byte_may_be_damaged, 2);
	TEST(a_long_beginning_is_no_gap);
	TEST_TIMES(windows_may_end_after_damage, 30);
	TEST_EACH(a_loss_of_the_unit_is_an_overflow, losses);
	TEST_TIMES(elements_waiting_at_the_end_are_lost, 4);
}
