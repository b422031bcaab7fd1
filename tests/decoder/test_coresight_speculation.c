/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/speculation_internal.h"
#include "decoder/recording/coresight_streams.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/run_suite.h"

#include <string.h>

#define E EXECUTED
#define N NOT_EXECUTED
#define INFO 0x01, 0x01, 0x00
#define INFO_DEPTH(depth) 0x01, 0x05, 0x00, (depth)
#define NO_DEPTH INFO_DEPTH(0)
#define SHORT(offset) 0x95, (offset) >> 2
#define SOURCE(offset) 0xb8, AT(offset)
#define SHORT_SOURCE(offset) 0xb4, (offset) >> 2
#define CALL_ONLY 0x06, 0x05
#define CALL CALL_ONLY, ADDRESS(0x10)
#define CONTEXT_OF(info) 0x81, (info)
#define IDS(vmid, id) 0x31 | HAS_VMID | HAS_CONTEXT_ID, ID(vmid), ID(id)
#define EVENT 0x71
#define ANEW RESERVED /* the callback was told to restart */
#define DISCARD 0x00, 0x03
#define EIGHT 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80

/* TRCIDR0: cycle counts do not commit; transactions are not committed. */
enum { APART = 1 << 29 | 1 << 7, UNCOUNTED = 1 << 30 };

enum { ROOM = 64 };

/* The trace of a unit with at most @depth uncommitted elements, followed by
 * something it cannot have written, and the executed part of it.
 */
static const struct row {
	uint32_t depth;
	uint32_t idr0;
	size_t sound_size;
	size_t size;
	size_t given_size;
	uint8_t bytes[ROOM];
	uint8_t given[ROOM];
} rows[] = {
#define OPEN(...) __VA_ARGS__
#define SIZE(bytes) sizeof((const uint8_t[]){ OPEN bytes })
#define SOUND(depth, idr0, sound, given) \
	{ \
		depth, idr0, SIZE(sound), SIZE(sound), SIZE(given), \
			{ OPEN sound }, \
		{ \
			OPEN given \
		} \
	}
#define DAMAGED(depth, idr0, sound, damage, given) \
	{ \
		depth, idr0, SIZE(sound), SIZE(sound) + SIZE(damage), \
			SIZE(given), { OPEN sound, OPEN damage }, \
		{ \
			OPEN given \
		} \
	}
	/* Commits, by packets and because the maximum depth is reached. */
	SOUND(3, 0, (INFO, CONTEXT(0), E, E, COMMIT(1)), (INFO, CONTEXT(0), E)),
	SOUND(3, 0, (INFO, E, ADDRESS(0), E, COMMIT(1)), (INFO, E, ADDRESS(0))),
	SOUND(2, 0, (INFO, 0xff), (INFO, E)),
	SOUND(1, 0, (INFO, 0xe1), (INFO, E, E, E, E)),
	SOUND(1, 0, (INFO, 0xdc, E), (INFO, N, E, E, E)),
	SOUND(1, 0, (INFO, 0xd6, 0xda), (INFO, N, E, N, E, N, N)),
	DAMAGED(4, 0, (INFO, E, E), (COMMIT(3)), (INFO)),
	DAMAGED(4, 0, (INFO), (0x2d, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00),
		(INFO)),
	/* Cancels in formats 1, 2 and 3, and the elements that survive. */
	SOUND(4, 0, (INFO, E, N, E, CANCEL(2), COMMIT(1)), (INFO, E)),
	SOUND(4, 0, (INFO, E, ADDRESS(0), EVENT, CANCEL(1)), (INFO, EVENT)),
	SOUND(4, 0, (INFO, N, E, 0x34, COMMIT(1)), (INFO, E)),
	SOUND(4, 0, (INFO, N, E, 0x39, COMMIT(1)), (INFO, E)),
	SOUND(6, 0, (INFO, N, 0xff, 0xf7, 0xf7, 0x3e, COMMIT(1)), (INFO, E)),
	SOUND(4, 0, (INFO, N, E, CANCEL_MISPREDICT(1), COMMIT(1)), (INFO, E)),
	DAMAGED(4, 0, (INFO, E), (CANCEL(2)), (INFO)),
	DAMAGED(4, 0, (INFO, E), (0x3e), (INFO)),
	/* Mispredicted: atoms alone. */
	SOUND(4, 0, (INFO, E, MISPREDICT, COMMIT(1)), (INFO, N)),
	SOUND(4, 0, (INFO, 0x32, COMMIT(2)), (INFO, E, N)),
	SOUND(4, 0, (INFO, 0x33, COMMIT(1)), (INFO, E)),
	SOUND(4, 0, (INFO, E, ADDRESS(0x10), 0x71, MISPREDICT, COMMIT(1)),
	      (INFO, N, 0x71)),
	SOUND(4, 0, (INFO, E, CONTEXT(0x10), MISPREDICT, COMMIT(1)),
	      (INFO, N, 0x81, 0x31)),
	DAMAGED(4, 0, (INFO), (MISPREDICT), (INFO)),
	DAMAGED(4, 0, (INFO, E, CALL), (MISPREDICT), (INFO)),
	DAMAGED(4, 0, (INFO, E, COMMIT(1)), (MISPREDICT), (INFO, E)),
	/* Cycle counts follow directly after the elements they commit. */
	SOUND(4, 0, (INFO, E, E, CYCLES_COMMIT(10, 1)),
	      (INFO, E, CYCLES_COMMIT(10, 1))),
	SOUND(4, 0, (INFO, E, E, 0x0f, 1), (INFO, E, 0x0f, 1)),
	SOUND(4, 0, (INFO, E, E, 0x0c, 0x00), (INFO, E, 0x0c, 0x00)),
	SOUND(15, 0, (INFO, E, E, E, 0x0d, 0x20), (INFO, E, E, 0x0d, 0x20)),
	SOUND(4, 0, (INFO, E, E, 0x10), (INFO, E, 0x10)),
	SOUND(4, APART, (INFO, E, CYCLES(10)), (INFO, CYCLES(10))),
	SOUND(4, APART, (INFO, E, 0x10), (INFO, 0x10)),
	DAMAGED(4, 0, (INFO, E), (CYCLES_COMMIT(10, 2)), (INFO)),
	DAMAGED(4, 0, (INFO, E), (0x0d, 0x00), (INFO)),
	DAMAGED(4, 0, (INFO, E), (0x14), (INFO)),
	/* Elements that came before. */
	SOUND(4, 0, (INFO_DEPTH(1), E, SYNC_DEPTH(2), CANCEL(1), COMMIT(1)),
	      (NO_DEPTH, SYNC_DEPTH(0))),
	SOUND(4, 0, (INFO_DEPTH(2), CONTEXT(0), E, COMMIT(2)),
	      (NO_DEPTH, CONTEXT(0))),
	SOUND(4, 0, (INFO_DEPTH(2), CONTEXT(0), E, COMMIT(3)),
	      (NO_DEPTH, CONTEXT(0), E)),
	SOUND(4, 0, (INFO_DEPTH(2), ADDRESS(0), E, CANCEL(2), COMMIT(1)),
	      (NO_DEPTH)),
	SOUND(4, 0, (INFO_DEPTH(1), ADDRESS(0), MISPREDICT, COMMIT(1)),
	      (NO_DEPTH)),
	SOUND(4, 0, (0x01, 0x05, 0, 0x81, 0, COMMIT(1)),
	      (0x01, 0x05, 0, 0x80, 0)),
	SOUND(2, 0, (INFO_DEPTH(2), 0xff), (NO_DEPTH, E)),
	SOUND(4, 0, (INFO, E, SYNC_DEPTH(1), COMMIT(1)),
	      (INFO, E, SYNC_DEPTH(0))),
	DAMAGED(4, 0, (EVENT), (INFO_DEPTH(5)), (EVENT)),
	DAMAGED(4, 0, (EVENT), (E), (EVENT)),
	/* Decoding restarts at a synchronisation packet, or not at all if that
	 * is missing.
	 */
	SOUND(4, 0, (INFO, E, SYNC_DEPTH(2), N, COMMIT(3)),
	      (INFO, ANEW, NO_DEPTH, N)),
	SOUND(4, 0, (INFO, E, SYNC_ONLY, EVENT, INFO_DEPTH(3), N, COMMIT(4)),
	      (INFO, ANEW, NO_DEPTH, N)),
	DAMAGED(4, 0, (INFO, E), (INFO_DEPTH(2)), (INFO)),
	DAMAGED(4, 0, (INFO, E, SYNC_ONLY, E), (INFO_DEPTH(3)), (INFO)),
	DAMAGED(4, 0, (INFO, E, SYNC_ONLY), (INFO_DEPTH(5)), (INFO)),
	DAMAGED(4, 0, (INFO_DEPTH(1), E, COMMIT(1)), (COMMIT(2)), (NO_DEPTH)),
	/* Exceptions: they are whole with their address. */
	SOUND(4, 0, (INFO, CALL, COMMIT(1)), (INFO, CALL)),
	SOUND(4, 0, (INFO, CALL_ONLY, CONTEXT(0), COMMIT(1)),
	      (INFO, CALL_ONLY, CONTEXT(0))),
	SOUND(4, 0, (INFO, CALL_ONLY, 0x81, 0x31, 0x70, ADDRESS(0), COMMIT(1)),
	      (INFO, CALL_ONLY, 0x81, 0x31, 0x70, ADDRESS(0))),
	SOUND(1, 0, (INFO, E, CALL), (INFO, E)),
	SOUND(4, 0, (INFO, 0x06, 0x01, 0x00, E), (INFO, 0x06, 0x01, 0x00)),
	SOUND(4, 0, (INFO, CALL_ONLY, OVERFLOW, SYNC, E, COMMIT(1)),
	      (INFO, OVERFLOW, SYNC, E)),
	SOUND(4, 0, (INFO, CALL_ONLY, DISCARD, INFO), (INFO, DISCARD, INFO)),
	DAMAGED(4, 0, (INFO, CALL_ONLY), (SYNC_ONLY), (INFO)),
	DAMAGED(4, 0, (INFO, CALL_ONLY), (COMMIT(1)), (INFO)),
	DAMAGED(4, 0, (INFO, CALL_ONLY), (E), (INFO)),
	/* Compressed addresses do not refer to cancelled addresses. */
	SOUND(4, 0, (INFO, ADDRESS(0x100), SHORT(0x10)),
	      (INFO, ADDRESS(0x100), ADDRESS(0x10))),
	SOUND(4, 0, (INFO, ADDRESS(0x10), E, ADDRESS(0x20), CANCEL(1), 0x90),
	      (INFO, ADDRESS(0x10), ADDRESS(0x20))),
	SOUND(4, 0, (INFO, ADDRESS(0x10), E, ADDRESS(0x20), CANCEL(1), 0x91),
	      (INFO, ADDRESS(0x10), ADDRESS(0x10))),
	SOUND(4, 0, (INFO, CONTEXT(0), 0x9a, 4, 0, 8, 0),
	      (INFO, CONTEXT(0), ADDRESS(0x10))),
	SOUND(4, 0, (INFO, ADDRESS(0), 0x95, 0x84, 0x01),
	      (INFO, ADDRESS(0), 0x9d, 4, 1, 8, 0, 0xc0, 0xff, 0xff, 0xff)),
	SOUND(4, 0, (INFO, ADDRESS(0), 0x96, 8),
	      (INFO, ADDRESS(0), 0x9e, 8, 0, 8, 0, 0xc0, 0xff, 0xff, 0xff)),
	SOUND(4, 0, (INFO, ADDRESS(0), SHORT_SOURCE(0x10), COMMIT(1)),
	      (INFO, ADDRESS(0), SOURCE(0x10))),
	SOUND(1, 0, (INFO, SOURCE(0x10), 0xb0), (INFO, SOURCE(0x10))),
	/* Contexts do not refer to cancelled contexts, either. */
	SOUND(4, 0, (INFO, CONTEXT(0), E, CONTEXT_OF(0x30), CANCEL(1), 0x80),
	      (INFO, CONTEXT(0), CONTEXT_OF(0x30))),
	SOUND(4, 0, (INFO, 0x80, E, COMMIT(1)), (INFO, 0x80, E)),
	SOUND(4, 0,
	      (INFO, 0x81, IDS(7, 8), E, 0x81, IDS(5, 6), CANCEL(1),
	       CONTEXT(0)),
	      (INFO, 0x81, IDS(7, 8), 0x85, AT(0), IDS(5, 6))),
	SOUND(4, 0,
	      (INFO, E, 0x81, IDS(7, 8), CANCEL(1), CONTEXT_OF(0xb1), ID(6)),
	      (INFO, 0x81, IDS(7, 6))),
	SOUND(4, 0, (INFO, 0x81, IDS(7, 8), DISCARD, INFO, CONTEXT_OF(0x31)),
	      (INFO, 0x81, IDS(7, 8), DISCARD, INFO, CONTEXT_OF(0x31))),
	/* Transactions; losses; packets no unit writes. */
	SOUND(4, 0, (INFO, 0x0a, E, COMMIT(1)), (INFO, 0x0a)),
	SOUND(4, UNCOUNTED, (INFO, 0x0a, E), (INFO, 0x0a)),
	SOUND(4, 0, (INFO, E, EVENT, OVERFLOW), (INFO, EVENT, OVERFLOW)),
	SOUND(4, 0, (INFO, E, DISCARD, INFO, E, COMMIT(1)),
	      (INFO, DISCARD, INFO, E)),
	SOUND(4, 0, (INFO, E, DISCARD, INFO_DEPTH(1), E, COMMIT(2)),
	      (INFO, DISCARD, NO_DEPTH, E)),
	SOUND(4, 0, (INFO, E, OVERFLOW, SYNC_DEPTH(2), TRACE_ON, E, COMMIT(3)),
	      (INFO, OVERFLOW, SYNC_DEPTH(0), TRACE_ON, E)),
	DAMAGED(4, 0, (INFO, E), (0, 0, 0, 0x80), (INFO)),
	DAMAGED(4, 0, (INFO, E), (RESERVED), (INFO)),
	DAMAGED(4, 0, (INFO, E), (0xaf), (INFO)),
	SOUND(4, 0, (INFO, 0x02, EIGHT, 0x2d), (INFO, 0x02, EIGHT, 0x2d)),
	DAMAGED(4, 0, (INFO, E), (0x2d, EIGHT, EIGHT, EIGHT, EIGHT), (INFO)),
};

/* The collected output. */
struct collected {
	uint8_t bytes[ROOM];
	size_t size;
	size_t wanted; /* packets */
};

static bool collect(void *ctx, uint64_t index, const uint8_t *bytes,
		    size_t size)
{
	struct collected *collected = ctx;

	ck_assert_uint_lt(index, 1 << 20);
	ck_assert_uint_le(collected->size + size, ROOM);
	memcpy(collected->bytes + collected->size, bytes, size);
	collected->size += size;
	return --collected->wanted;
}

static void note_anew(void *ctx, uint64_t index)
{
	const uint8_t anew = ANEW;

	collect(ctx, index, &anew, 1);
}

static struct collected collected;
static struct coresight_speculation *speculation;

static void begin(uint32_t depth, uint32_t idr0)
{
	const struct coresight_unit unit = {
		.protocol = CORESIGHT_ETE,
		.idr0 = idr0,
		.idr2 = 4 << 10 | 4 << 5, /* bytes of VMIDs and ids */
		.idr8 = depth,
	};

	collected.size = 0;
	collected.wanted = SIZE_MAX;
	coresight_speculation_begin(speculation, &unit);
}

static void set_up(void)
{
	const struct coresight_packet_callback callback = { collect, note_anew,
							    &collected };

	speculation = coresight_speculation_new(&callback);
	ck_assert_ptr_nonnull(speculation);
}

static void tear_down(void)
{
	coresight_speculation_free(speculation);
}

START_TEST(committed_packets_come_out)
{
	const struct row *row = &rows[_i];

	begin(row->depth, row->idr0);
	ck_assert_uint_eq(coresight_speculation_consume(speculation, 0,
							row->bytes, row->size),
			  row->sound_size);
	ck_assert_uint_eq(collected.size, row->given_size);
	ck_assert_mem_eq(collected.bytes, row->given, row->given_size);
}
END_TEST

/* Byte by byte, as windows may cut packets. */
START_TEST(packets_come_in_parts)
{
	const struct row *row = &rows[_i];
	size_t at = 0;

	begin(row->depth, row->idr0);
	while (at < row->size && coresight_speculation_consume(
					 speculation, at, row->bytes + at, 1))
		at++;
	ck_assert_uint_ge(at, row->sound_size);
	ck_assert_int_eq(at < row->size, row->sound_size < row->size);
	ck_assert_uint_eq(collected.size, row->given_size);
	ck_assert_mem_eq(collected.bytes, row->given, row->given_size);
}
END_TEST

/* The next element is found after the position where it stopped. */
START_TEST(it_ends_where_the_callback_wants_no_more)
{
	const uint8_t bytes[] = { INFO, E, E, COMMIT(1), COMMIT(1), E };

	begin(4, 0);
	collected.wanted = 2;
	ck_assert_uint_eq(coresight_speculation_consume(speculation, 0, bytes,
							sizeof(bytes)),
			  5);
	ck_assert_uint_eq(collected.size, 4);
}
END_TEST

/* More than fits: an atom that is never committed, then events. */
START_TEST(no_unit_waits_for_ever)
{
	const uint8_t bytes[] = { INFO, E };
	const uint8_t event = EVENT;
	size_t at = sizeof(bytes);

	begin(UINT32_MAX, 0);
	coresight_speculation_consume(speculation, 0, bytes, sizeof(bytes));
	while (at < 10000 &&
	       coresight_speculation_consume(speculation, at, &event, 1))
		at++;
	ck_assert_uint_gt(at, 1000);
	ck_assert_uint_lt(at, 10000);
	ck_assert_uint_eq(collected.size, 3);
}
END_TEST

/* The maximum number of uncommitted elements, for any time. */
START_TEST(waiting_elements_move_on)
{
	enum { DEPTH = 32 };
	const uint8_t bytes[] = { INFO };
	const uint8_t atom = N;

	begin(DEPTH, 0);
	coresight_speculation_consume(speculation, 0, bytes, sizeof(bytes));
	for (size_t i = 0; i < 10000; i++) {
		collected.size = 0;
		ck_assert_uint_eq(coresight_speculation_consume(speculation, i,
								&atom, 1),
				  1);
		ck_assert_uint_eq(collected.size, i >= DEPTH);
	}
}
END_TEST

SUITE("coresight_speculation")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(committed_packets_come_out, rows);
	TEST_EACH(packets_come_in_parts, rows);
	TEST(it_ends_where_the_callback_wants_no_more);
	TEST(no_unit_waits_for_ever);
	TEST(waiting_elements_move_on);
}
