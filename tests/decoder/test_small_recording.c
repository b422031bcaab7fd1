/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "execution/stream/execution_stream.h"
#include "tests/assert_each.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>

static char folder[4096];
static struct recording *recording;
static struct code_image *image;
static struct flow_source *source;

static void set_up(const struct flow_source_ops *engine)
{
	struct flow_input input = { 0 };

	if (!shared_has_intel_pt() ||
	    !shared_recording("small", folder, sizeof(folder)))
		return;
	ck_assert_int_eq(recording_open(folder, NULL, &recording), 0);
	ck_assert_int_eq(code_image_open(recording, NULL, &image), 0);
	ck_assert_uint_eq(recording_stream_count(recording), 1);
	input.recording = recording;
	input.stream = recording_stream(recording, 0);
	input.image = image;
	ck_assert_int_eq(engine->open(&input, &source), 0);
}

static void set_up_graph(void)
{
	set_up(&execution_blocks);
}

static void set_up_libipt(void)
{
	set_up(&libipt_source);
}

static void tear_down(void)
{
	flow_source_close(source);
	code_image_close(image);
	recording_close(recording);
	shared_recording_remove(folder);
}

START_TEST(every_instruction_and_no_gap)
{
	const struct flow_item *items;
	uint64_t counts[FLOW_END + 1] = { 0 };
	uint64_t instructions = 0;
	uint64_t last_ns = 0;
	int count;

	if (!source)
		return;
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++) {
			assert_each(items[i].time_ns >= last_ns);
			last_ns = items[i].time_ns;
			counts[items[i].kind]++;
			instructions += items[i].instructions;
		}
	ck_assert_int_eq(count, 0);
	/* libipt's own tools do not decode the kernel's exit after its last
	 * write to CR3: 4,186 instructions.
	 */
	ck_assert_uint_eq(instructions, 3294112 + 4186);
	ck_assert_uint_eq(counts[FLOW_GAP], 0);
	ck_assert_uint_eq(counts[FLOW_START], counts[FLOW_STOP]);
	/* The recording has one more switch, after the end of the trace. */
	ck_assert_uint_eq(counts[FLOW_SWITCH], 75);
	ck_assert_uint_eq(counts[FLOW_END], 1);
}
END_TEST

/* Ground truth from the emulator, independent of any packet. */
struct true_block {
	uint64_t address;
	uint64_t ticks;
};

/* From the recording's TIME_CONV; the same in every run. */
static uint64_t true_ns(uint64_t ticks)
{
	return 16430543 + (ticks >> 31) * 2147485795 +
	       ((ticks & 0x7fffffff) * 2147485795 >> 31);
}

struct comparison {
	const struct true_block *blocks;
	size_t count;
	size_t at;
	uint64_t missed; /* in a row */
	uint64_t compared;
	uint64_t outside;
	uint64_t far; /* over 100 ns */
};

/* The emulator starts a block for each repetition of a string instruction:
 * after thousands of these, order alone does not find the position again.
 */
static void find_near(struct comparison *all, const struct flow_item *item)
{
	size_t low = 0;
	size_t high = all->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (true_ns(all->blocks[middle].ticks) + 6 < item->time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = low; i < all->count && i < low + 40; i++)
		if (all->blocks[i].address == item->ip) {
			all->at = i;
			return;
		}
}

static size_t find_from(const struct comparison *all, size_t limit,
			uint64_t address)
{
	size_t i = all->at;

	while (i < limit && all->blocks[i].address != address)
		i++;
	return i;
}

/* The decoder ends blocks where the emulator does not: such a block must not be
 * matched with a later run of the same code.
 */
static bool is_passed(const struct comparison *all, size_t found,
		      const struct flow_item *items, int left)
{
	for (int i = 1; i < 4 && i < left; i++)
		if (items[i].kind == FLOW_BLOCK &&
		    find_from(all, found, items[i].ip) < found)
			return true;
	return false;
}

static void compare(struct comparison *all, const struct flow_item *items,
		    int left)
{
	const struct flow_item *item = items;
	size_t limit = all->at + 6000 < all->count ? all->at + 6000 :
						     all->count;
	size_t i;

	if (all->missed > 30 && item->early_ns + (uint64_t)item->late_ns < 6)
		find_near(all, item);
	i = find_from(all, limit, item->ip);
	if (i == limit || is_passed(all, i, items, left)) {
		all->missed++;
		return;
	}
	all->missed = 0;
	all->at = i + 1;
	all->compared++;

	uint64_t truth = true_ns(all->blocks[i].ticks);
	uint64_t error = truth > item->time_ns ? truth - item->time_ns :
						 item->time_ns - truth;

	all->outside += truth > item->time_ns ? error > item->late_ns :
						error > item->early_ns;
	all->far += error > 100;
}

START_TEST(times_are_true)
{
	struct comparison all = { 0 };
	const struct flow_item *items;
	char path[4096];
	char command[8300];
	size_t size = 0;
	int count;

	if (!source ||
	    !shared_path("recordings/small.blocks.zst", path, sizeof(path)))
		return;
	snprintf(command, sizeof(command), "zstd -qdf '%s' -o '%s/blocks'",
		 path, folder);
	ck_assert_int_eq(system(command), 0);
	snprintf(path, sizeof(path), "%.4000s/blocks", folder);

	uint8_t *bytes = shared_file(path, &size);

	ck_assert_ptr_nonnull(bytes);
	all.blocks = (const struct true_block *)(void *)bytes;
	all.count = size / sizeof(*all.blocks);
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++)
			if (items[i].kind == FLOW_BLOCK)
				compare(&all, items + i, count - i);
	printf("times: %lu compared, %lu over 100 ns off, %lu outside\n",
	       (unsigned long)all.compared, (unsigned long)all.far,
	       (unsigned long)all.outside);
	ck_assert_uint_gt(all.compared, 700000);
	ck_assert_uint_lt(all.far * 100, all.compared);
	ck_assert_uint_lt(all.outside * 1000, all.compared);
	free(bytes);
}
END_TEST

SUITE("small_recording")
{
	static const struct {
		const char *name;
		void (*set_up)(void);
	} engines[] = { { "graph", set_up_graph },
			{ "libipt", set_up_libipt } };

	for (size_t i = 0; i < sizeof(engines) / sizeof(*engines); i++) {
		CASE(engines[i].name);
		LIMIT_S(120);
		FIXTURE(engines[i].set_up, tear_down);
		TEST(every_instruction_and_no_gap);
		TEST(times_are_true);
	}
}
