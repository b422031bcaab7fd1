/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/capture_frames.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/flow_items.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/frame.h"
#include "tests/fixtures/plausible.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

/* Traces of each kind of unit, bare and in the frames of a shared sink, cut and
 * with bytes changed in several ways: with KTRACE_FULL at every byte (in
 * frames, and under sanitizers and QEMU, which are slow, at some of them),
 * otherwise at fewer. Strides are primes, so that the repeating intervals
 * between sync points are hit at different offsets each time. Each trace is
 * decoded with the block graph, where that is supported, and with OpenCSD
 * alone.
 */
enum { SYNCS = 5, ROUNDS = 2, ROOM = CAPTURE_ROOM(SYNCS, ROUNDS) };

struct effort {
	size_t bits; /* number of bits flipped in a byte, one at a time */
	size_t bare_step;
	size_t framed_step;
};

static const struct effort some = { 1, 17, 61 };
#if defined(__aarch64__)
static const struct effort brief = { 1, 401, 809 };
static const struct effort full = { 1, 53, 101 };
#elif defined(__SANITIZE_ADDRESS__)
static const struct effort brief = { 1, 127, 251 };
static const struct effort full = { 1, 3, 7 };
#else
static const struct effort brief = { 1, 127, 251 };
static const struct effort full = { 3, 1, 3 };
#endif

static const struct layout {
	enum capture_name kinds[2];
	size_t count;
	unsigned int every; /* frames between repeated ids; 0: bare */
} layouts[] = {
	{ { CAPTURE_ETMV4 }, 1, 0 },
	{ { CAPTURE_ETE }, 1, 0 },
	{ { CAPTURE_PTM }, 1, 0 },
	{ { CAPTURE_ETMV3 }, 1, 0 },
	{ { CAPTURE_ETMV4_32 }, 1, 0 },
	{ { CAPTURE_ETE_32 }, 1, 0 },
	{ { CAPTURE_ETMV4, CAPTURE_ETE }, 2, 1 },
	{ { CAPTURE_PTM, CAPTURE_ETMV3 }, 2, 1 },
	{ { CAPTURE_ETMV4_32, CAPTURE_ETMV3 }, 2, 1 },
	{ { CAPTURE_ETMV4, CAPTURE_ETE }, 2, 4 },
	{ { CAPTURE_AHEAD_ETMV4 }, 1, 0 },
	{ { CAPTURE_AHEAD_ETE }, 1, 0 },
	{ { CAPTURE_AHEAD_ETMV4, CAPTURE_AHEAD_ETE }, 2, 1 },
};

/* One CPU's part of the capture. */
struct source {
	size_t places[SYNCS]; /* offset of sync point i in the file */
	struct array items;   /* struct flow_item: of the whole capture */
	/* index in items of the first block after sync point i */
	size_t firsts[SYNCS];
};

static struct scratch_folder scratch;
static const struct layout *layout;
static struct source sources[2];
static uint8_t whole[FRAME_FIXTURE_ROOM(2 * ROOM)];
static uint8_t copy[sizeof(whole)];
static size_t size;
static bool by_library;

static void write_trace(const uint8_t *bytes, size_t count)
{
	snapshot_fixture_file(&scratch, CAPTURE_TRACE, bytes, count);
}

/* Returns the items of source @index decoded from the scratch folder; none if
 * it has no bytes there.
 */
static struct array decode(size_t index)
{
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_run run;

	ck_assert_int_eq(flow_run_open(&run, scratch.path, NULL), 0);
	run.by_library = by_library;
	for (size_t i = 0; i < recording_stream_count(run.recording); i++) {
		struct flow_totals totals;

		if (recording_stream(run.recording, i)->cpu == (int)index)
			flow_run_stream(&run, i, &totals, &items);
	}
	flow_run_close(&run);
	flow_items_drop_modes(&items);
	return items;
}

/* Checks that items decoded from sync point @sync on are the end of all items.
 */
static void find_first(size_t index, size_t sync)
{
	struct source *source = &sources[index];
	struct array items;
	size_t count;

	size_t from = source->places[sync];

	if (layout->every)
		from -= from % (layout->every * 16);
	write_trace(whole + from, size - from);
	items = decode(index);
	count = items.count - flow_items_before_block(&items);
	ck_assert_uint_gt(count, 2);
	ck_assert(flow_items_end_alike(&items, &source->items, count));
	source->firsts[sync] = source->items.count - count;
	array_free(&items);
}

static void load(int index)
{
	size_t *const places[] = { sources[0].places, sources[1].places };
	struct capture_frames frames = { .syncs = SYNCS, .rounds = ROUNDS };

	layout = &layouts[index / 2];
	by_library = index % 2;
	frames.every = layout->every;
	memcpy(frames.kinds, layout->kinds, sizeof(frames.kinds));
	capture_fixture_write(&scratch, layout->kinds, layout->count,
			      layout->every ? "coresight" : "source_data");
	if (layout->every)
		size = capture_frames_write(&frames, whole, places);
	else
		size = capture_fixture_trace(layout->kinds[0], SYNCS, ROUNDS,
					     whole, sources[0].places);
	write_trace(whole, size);
	for (size_t i = 0; i < layout->count; i++)
		sources[i].items = decode(i);
	for (size_t i = 0; i < layout->count; i++)
		for (size_t j = 0; j < SYNCS; j++)
			find_first(i, j);
}

static void set_up(void)
{
	scratch = scratch_folder_new();
	memset(sources, 0, sizeof(sources));
}

static void tear_down(void)
{
	for (size_t i = 0; i < 2; i++)
		array_free(&sources[i].items);
	scratch_folder_free(&scratch);
}

START_TEST(sound_captures_have_no_gap)
{
	load(_i);
	for (size_t i = 0; i < layout->count; i++) {
		const struct array *items = &sources[i].items;
		size_t instructions = 0;

		for (size_t j = 0; j < items->count; j++) {
			const struct flow_item *item = array_at(items, j);

			instructions += item->instructions;
		}
		ck_assert(!flow_items_have_gap(items));
		/* A loop of 12 instructions or more. */
		ck_assert_uint_ge(instructions, SYNCS * ROUNDS * 12);
	}
}
END_TEST

static const struct effort *effort(void)
{
	if (suite_is_full())
		return &full;
	return suite_is_brief() ? &brief : &some;
}

static size_t step(void)
{
	return layout->every ? effort()->framed_step : effort()->bare_step;
}

/* Returns the number of bytes after a sync point that contain its first block.
 */
static size_t margin(void)
{
	return layout->every ? 160 : 64;
}

/* All items before the cut are decoded, then the stream ends. */
START_TEST(cut_captures_lose_their_end_alone)
{
	load(_i);
	for (size_t cut = 0; cut < size; cut += step())
		for (size_t i = 0; i < layout->count; i++) {
			struct array items;
			size_t alike;

			write_trace(whole, cut);
			items = decode(i);
			alike = flow_items_begin_alike(&items,
						       &sources[i].items);
			for (size_t j = 0; j < SYNCS; j++)
				if (sources[i].places[j] + margin() < cut)
					ck_assert_uint_gt(alike,
							  sources[i].firsts[j]);
			/* A gap, a stop, the end. */
			ck_assert_uint_le(items.count, alike + 3);
			array_free(&items);
		}
}
END_TEST

/* After damage the source of the bytes is known again at the next repeated id.
 */
static size_t damage_end(size_t at)
{
	size_t unit = layout->every ? layout->every * 16 : 1;

	return (at / unit + 1) * unit;
}

static bool is_new(size_t index)
{
	return layout->kinds[index] != CAPTURE_PTM &&
	       layout->kinds[index] != CAPTURE_ETMV3;
}

/* Checks that the items before the damage are decoded, and those from the next
 * sync point on; between them there is a gap or plausible code.
 */
static void judge(size_t index, size_t at)
{
	const struct source *source = &sources[index];
	struct array items = decode(index);
	size_t sync = 0;

	while (sync < SYNCS && source->places[sync] < damage_end(at))
		sync++;
	if (sync < SYNCS)
		ck_assert_msg(
			flow_items_end_alike(&items, &source->items,
					     source->items.count -
						     source->firsts[sync]),
			"byte %zu: %#x instead of %#x", at, copy[at],
			whole[at]);
	for (size_t i = 0; i < SYNCS && source->places[i] + margin() <= at; i++)
		ck_assert_uint_ge(flow_items_begin_alike(&items,
							 &source->items),
				  source->firsts[i]);
	ck_assert_msg(plausible_fixture_check(&items, layout->kinds[index]),
		      "byte %zu: %#x instead of %#x", at, copy[at], whole[at]);
	array_free(&items);
}

static void change(size_t at, uint8_t byte)
{
	if (byte == whole[at])
		return;
	copy[at] = byte;
	write_trace(copy, size);
	for (size_t i = 0; i < layout->count; i++)
		judge(i, at);
	copy[at] = whole[at];
}

START_TEST(changed_bytes_cost_up_to_the_next_point)
{
	load(_i);
	memcpy(copy, whole, size);
	for (size_t at = 0; at < size; at += step()) {
		for (size_t i = 0; i < effort()->bits; i++)
			change(at, whole[at] ^ (uint8_t)(1u << (at + i) % 8));
		change(at, whole[at] ^ 0xff);
		change(at, 0);
	}
}
END_TEST

/* Bytes that start no packet of the newer units are at least a gap for the
 * source whose bytes they replace. For the older units every byte starts some
 * packet.
 */
START_TEST(overwritten_bytes_are_a_gap)
{
	enum { COUNT = 24 };

	load(_i);
	if (!is_new(0) || !is_new(layout->count - 1))
		return;
	for (size_t at = 0; at + COUNT <= size; at += step()) {
		bool is_marked = false;

		memcpy(copy, whole, size);
		memset(copy + at, RESERVED, COUNT);
		write_trace(copy, size);
		for (size_t i = 0; i < layout->count; i++) {
			struct array items = decode(i);

			is_marked |= flow_items_have_gap(&items);
			array_free(&items);
		}
		ck_assert_msg(is_marked, "from byte %zu on", at);
	}
}
END_TEST

SUITE("coresight_resync")
{
	LIMIT_S(120);
	FIXTURE(set_up, tear_down);
	TEST_TIMES(sound_captures_have_no_gap,
		   2 * sizeof(layouts) / sizeof(*layouts));
	TEST_TIMES(cut_captures_lose_their_end_alone,
		   2 * sizeof(layouts) / sizeof(*layouts));
	TEST_TIMES(overwritten_bytes_are_a_gap,
		   2 * sizeof(layouts) / sizeof(*layouts));
	TEST_TIMES(changed_bytes_cost_up_to_the_next_point,
		   2 * sizeof(layouts) / sizeof(*layouts));
}
