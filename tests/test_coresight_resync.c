/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "tests/capture_fixture.h"
#include "tests/etmv4_packets.h"
#include "tests/flow_run_fixture.h"
#include "tests/frame_fixture.h"
#include "tests/run_suite.h"
#include "tests/snapshot_fixture.h"

#include <stdio.h>
#include <string.h>

/* Traces of each kind of unit, bare and in the frames of a shared sink, cut at
 * every byte and with each byte changed in several ways: in frames, and under
 * sanitizers and QEMU, which are slow, some of them.
 */
enum { SYNCS = 5, ROUNDS = 2, ROOM = CAPTURE_ROOM(SYNCS, ROUNDS) };
#if defined(__aarch64__)
enum { BITS = 1, BARE_STEP = 53, FRAMED_STEP = 101 };
#elif defined(__SANITIZE_ADDRESS__)
enum { BITS = 1, BARE_STEP = 3, FRAMED_STEP = 7 };
#else
enum { BITS = 3, BARE_STEP = 1, FRAMED_STEP = 3 };
#endif

static const struct layout {
	enum capture_name kinds[2];
	size_t count;
	unsigned int every;	/* frames have an id repeated; 0: bare */
} layouts[] = {
	{ { CAPTURE_ETMV4 }, 1, 0 },
	{ { CAPTURE_ETE }, 1, 0 },
	{ { CAPTURE_PTM }, 1, 0 },
	{ { CAPTURE_ETMV3 }, 1, 0 },
	{ { CAPTURE_ETMV4, CAPTURE_ETE }, 2, 1 },
	{ { CAPTURE_PTM, CAPTURE_ETMV3 }, 2, 1 },
	{ { CAPTURE_ETMV4, CAPTURE_ETMV3 }, 2, 1 },
	{ { CAPTURE_ETMV4, CAPTURE_ETE }, 2, 4 },
	{ { CAPTURE_AHEAD_ETMV4 }, 1, 0 },
	{ { CAPTURE_AHEAD_ETE }, 1, 0 },
	{ { CAPTURE_AHEAD_ETMV4, CAPTURE_AHEAD_ETE }, 2, 1 },
};

/* One CPU's part of the capture. */
struct source {
	size_t places[SYNCS];	/* where point i begins in the file */
	struct array items;	/* struct flow_item: of the whole capture */
	size_t firsts[SYNCS];	/* of them, the first block behind point i */
};

static struct scratch_folder scratch;
static const struct layout *layout;
static struct source sources[2];
static uint8_t whole[FRAME_FIXTURE_ROOM(2 * ROOM)];
static uint8_t copy[sizeof(whole)];
static size_t size;

static void write_trace(const uint8_t *bytes, size_t count)
{
	snapshot_fixture_file(&scratch, CAPTURE_TRACE, bytes, count);
}

/* Modes do not change where control goes. */
static void drop_modes(struct array *items)
{
	struct flow_item *kept = items->items;
	size_t count = 0;

	for (size_t i = 0; i < items->count; i++)
		if (kept[i].kind != FLOW_MODE)
			kept[count++] = kept[i];
	items->count = count;
}

/* What is in the scratch folder, as source @index sees it; nothing if it has no
 * bytes in there.
 */
static struct array decode(size_t index)
{
	struct array items = ARRAY_OF(struct flow_item);
	struct flow_run run;

	ck_assert_int_eq(flow_run_open(&run, scratch.path, NULL), 0);
	for (size_t i = 0; i < recording_stream_count(run.recording); i++) {
		struct flow_totals totals;

		if (recording_stream(run.recording, i)->cpu == (int)index)
			flow_run_stream(&run, i, &totals, &items);
	}
	flow_run_close(&run);
	drop_modes(&items);
	return items;
}

static const struct flow_item *item_at(const struct array *items, size_t index)
{
	return array_at(items, index);
}

static bool are_equal(const struct flow_item *a, const struct flow_item *b)
{
	return a->kind == b->kind && a->detail == b->detail &&
	       a->ip == b->ip && a->last == b->last &&
	       a->last_length == b->last_length &&
	       a->instructions == b->instructions;
}

/* Returns whether the last @count items are those of @source. */
static bool ends_alike(const struct array *items, const struct source *source,
		       size_t count)
{
	if (items->count < count)
		return false;
	for (size_t i = 1; i <= count; i++)
		if (!are_equal(item_at(items, items->count - i),
			       item_at(&source->items,
				       source->items.count - i)))
			return false;
	return true;
}

static size_t first_block(const struct array *items)
{
	size_t i = 0;

	while (i < items->count && item_at(items, i)->kind != FLOW_BLOCK)
		i++;
	return i;
}

/* What is decoded from point @sync on is the end of the whole. */
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
	count = items.count - first_block(&items);
	ck_assert_uint_gt(count, 2);
	ck_assert(ends_alike(&items, source, count));
	source->firsts[sync] = source->items.count - count;
	array_free(&items);
}

static void add_bytes(struct frame_byte *bytes, size_t *count, uint8_t id,
		      const uint8_t *from, size_t end, size_t *done,
		      size_t wanted)
{
	for (size_t i = 0; i < wanted && *done < end; i++)
		bytes[(*count)++] = (struct frame_byte){
			.id = id,
			.byte = from[(*done)++],
		};
}

/* Two units write by turns, from one to nine bytes. */
static void make_frames(void)
{
	static struct frame_byte bytes[2 * ROOM];
	static uint8_t bare[2][ROOM];
	size_t ends[2], done[2] = { 0, 0 }, count = 0;

	for (size_t i = 0; i < 2; i++)
		ends[i] = capture_fixture_trace(layout->kinds[i], SYNCS,
						ROUNDS, bare[i],
						sources[i].places);
	for (size_t i = 0; done[0] < ends[0] || done[1] < ends[1]; i++)
		add_bytes(bytes, &count, (uint8_t)(CAPTURE_FIRST_ID + i % 2),
			  bare[i % 2], ends[i % 2], &done[i % 2],
			  1 + i * 5 % 9);
	size = frame_fixture_write(whole, bytes, count, layout->every);
	for (size_t i = 0; i < 2; i++) {
		size_t at = 0, sync = 0;

		for (size_t j = 0; j < count && sync < SYNCS; j++) {
			if (bytes[j].id != CAPTURE_FIRST_ID + i)
				continue;
			if (at++ == sources[i].places[sync])
				sources[i].places[sync++] = bytes[j].frame;
		}
	}
}

static void load(int index)
{
	layout = &layouts[index];
	capture_fixture_write(&scratch, layout->kinds, layout->count,
			      layout->every ? "coresight" : "source_data");
	if (layout->every)
		make_frames();
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

/* How much of @items is as in @source, from the beginning. */
static size_t begin_alike(const struct array *items,
			  const struct source *source)
{
	size_t i = 0;

	while (i < items->count && i < source->items.count &&
	       are_equal(item_at(items, i), item_at(&source->items, i)))
		i++;
	return i;
}

START_TEST(sound_captures_have_no_gap)
{
	load(_i);
	for (size_t i = 0; i < layout->count; i++) {
		const struct array *items = &sources[i].items;
		size_t instructions = 0;

		for (size_t j = 0; j < items->count; j++) {
			ck_assert_int_ne(item_at(items, j)->kind, FLOW_GAP);
			instructions += item_at(items, j)->instructions;
		}
		/* A loop of 12 or 13 instructions. */
		ck_assert_uint_ge(instructions, SYNCS * ROUNDS * 12);
	}
}
END_TEST

static size_t step(void)
{
	return layout->every ? FRAMED_STEP : BARE_STEP;
}

/* So many bytes of the file tell of the first block behind a point. */
static size_t margin(void)
{
	return layout->every ? 160 : 64;
}

/* All that came before is there, and then it ends. */
START_TEST(cut_captures_lose_their_end_alone)
{
	load(_i);
	for (size_t cut = 0; cut < size; cut += step())
		for (size_t i = 0; i < layout->count; i++) {
			struct array items;
			size_t alike;

			write_trace(whole, cut);
			items = decode(i);
			alike = begin_alike(&items, &sources[i]);
			for (size_t j = 0; j < SYNCS; j++)
				if (sources[i].places[j] + margin() < cut)
					ck_assert_uint_gt(
						alike, sources[i].firsts[j]);
			/* A gap, a stop, the end. */
			ck_assert_uint_le(items.count, alike + 3);
			array_free(&items);
		}
}
END_TEST

/* Whose bytes come next is known again where frames repeat the id. */
static size_t damage_end(size_t at)
{
	size_t unit = layout->every ? layout->every * 16 : 1;

	return (at / unit + 1) * unit;
}

/* Where a direct branch of the captures' code leads, both architectures'. */
static uint64_t target_of(const struct flow_item *block)
{
	static const uint8_t targets[] = {
		[0x04] = 0x10, [0x0c] = 0x20, [0x28] = 0x30, [0x34] = 0x00,
	};
	uint64_t last = block->ip + block->last;

	return (last & ~UINT64_C(0xff)) + targets[last & 0x3c];
}

/* Whether @next may run right behind @block. */
static bool follows(const struct flow_item *block, const struct flow_item *next)
{
	uint64_t behind = block->ip + block->last + 4;

	switch (block->detail) {
	case FLOW_EXIT_NONE:
		return next->ip == behind;
	case FLOW_EXIT_CONDITIONAL:
		return next->ip == behind || next->ip == target_of(block);
	case FLOW_EXIT_CALL:
		return next->ip == target_of(block);
	case FLOW_EXIT_JUMP:
		return next->ip == target_of(block);
	default:
		return true;
	}
}

/* Whether the code might have been executed so: then nobody can tell that the
 * trace was another.
 */
static bool is_plausible(const struct array *items)
{
	for (size_t i = 1; i < items->count; i++)
		if (item_at(items, i)->kind == FLOW_BLOCK &&
		    item_at(items, i - 1)->kind == FLOW_BLOCK &&
		    !follows(item_at(items, i - 1), item_at(items, i)))
			return false;
	return true;
}

static bool has_gap(const struct array *items)
{
	for (size_t i = 0; i < items->count; i++)
		if (item_at(items, i)->kind == FLOW_GAP)
			return true;
	return false;
}

/* Damage may turn A32 into T32, which is not followed. */
static bool is_a64(size_t index)
{
	return capture_kinds[layout->kinds[index]].base == ETMV4_BASE;
}

/* What comes before the damage is there, and so is what comes from the next
 * point on; between them a gap, or nothing that could not be.
 */
static void judge(size_t index, size_t at)
{
	const struct source *source = &sources[index];
	struct array items = decode(index);
	size_t sync = 0;

	while (sync < SYNCS && source->places[sync] < damage_end(at))
		sync++;
	if (sync < SYNCS)
		ck_assert_msg(ends_alike(&items, source,
					 source->items.count -
						 source->firsts[sync]),
			      "byte %zu: %#x instead of %#x", at, copy[at],
			      whole[at]);
	for (size_t i = 0; i < SYNCS && source->places[i] + margin() <= at; i++)
		ck_assert_uint_ge(begin_alike(&items, source),
				  source->firsts[i]);
	ck_assert_msg(!is_a64(index) || is_plausible(&items),
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
		for (size_t i = 0; i < BITS; i++)
			change(at, whole[at] ^
					   (uint8_t)(1u << (at + i) % 8));
		change(at, whole[at] ^ 0xff);
		change(at, 0);
	}
}
END_TEST

/* What no packet of theirs begins with is a gap at the least for the one whose
 * bytes it is in place of.  Each of the older units' bytes is some packet.
 */
START_TEST(overwritten_bytes_are_a_gap)
{
	enum { COUNT = 24 };

	load(_i);
	if (!is_a64(0) || !is_a64(layout->count - 1))
		return;
	for (size_t at = 0; at + COUNT <= size; at += step()) {
		bool is_marked = false;

		memcpy(copy, whole, size);
		memset(copy + at, RESERVED, COUNT);
		write_trace(copy, size);
		for (size_t i = 0; i < layout->count; i++) {
			struct array items = decode(i);

			is_marked |= has_gap(&items);
			array_free(&items);
		}
		ck_assert_msg(is_marked, "from byte %zu on", at);
	}
}
END_TEST

int main(void)
{
	const int count = sizeof(layouts) / sizeof(*layouts);
	Suite *suite = suite_create("coresight_resync");
	TCase *tcase = tcase_create("damage");

	tcase_set_timeout(tcase, 120);
	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_loop_test(tcase, sound_captures_have_no_gap, 0, count);
	tcase_add_loop_test(tcase, cut_captures_lose_their_end_alone, 0,
			    count);
	tcase_add_loop_test(tcase, overwritten_bytes_are_a_gap, 0, count);
	tcase_add_loop_test(tcase, changed_bytes_cost_up_to_the_next_point, 0,
			    count);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
