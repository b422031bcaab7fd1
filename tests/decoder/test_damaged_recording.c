/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_image.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "tests/assert_each.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Every damaged copy of a real recording must be read within this CPU time. */
#ifdef __SANITIZE_ADDRESS__
enum { SECONDS = 20, CUT_KB = 256, FLIPS = 2 };
#else
enum { SECONDS = 5, CUT_KB = 64, FLIPS = 8 };
#endif
/* Effort in the full tier, under sanitizers, too. */
enum { FULL_CUT_KB = 64, FULL_FLIPS = 8 };

static char folder[4096];
static uint8_t *whole;
static size_t whole_size;
static uint64_t gaps;

static void set_up(void)
{
	whole = NULL;
	if (!shared_has_intel_pt() ||
	    !shared_recording("small", folder, sizeof(folder)))
		return;

	char path[5000];

	snprintf(path, sizeof(path), "%s/data", folder);
	whole = shared_file(path, &whole_size);
	ck_assert_ptr_nonnull(whole);
}

static void tear_down(void)
{
	free(whole);
	shared_recording_remove(folder);
}

static void write_data(const uint8_t *bytes, size_t size)
{
	char path[5000];

	snprintf(path, sizeof(path), "%s/data", folder);

	FILE *file = fopen(path, "wb");

	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	fclose(file);
}

static void decode_stream(const struct recording *recording, size_t index,
			  const struct code_image *image)
{
	const struct flow_input input = {
		.recording = recording,
		.stream = recording_stream(recording, index),
		.image = image,
	};
	struct flow_source *source;
	const struct flow_item *items;
	uint64_t last_ns = 0;
	int count;

	if (flow_source_open(&input, &source))
		return;
	while ((count = flow_source_next(source, &items)) > 0)
		for (int i = 0; i < count; i++) {
			assert_each(items[i].time_ns >= last_ns);
			last_ns = items[i].time_ns;
			gaps += items[i].kind == FLOW_GAP;
		}
	ck_assert_int_eq(count, 0);
	flow_source_close(source);
}

/* Returns whether the recording opened. */
static bool read_all(void)
{
	struct recording *recording;
	struct code_image *image;
	struct sideband_record record;
	struct sideband *sideband;
	clock_t start = clock();

	if (recording_open(folder, NULL, &recording))
		return false;
	sideband = sideband_open(recording, 0);
	while (sideband_next(sideband, &record) == 1)
		continue;
	sideband_close(sideband);
	ck_assert_int_eq(code_image_open(recording, NULL, &image), 0);
	for (size_t i = 0; i < recording_stream_count(recording); i++)
		decode_stream(recording, i, image);
	code_image_close(image);
	recording_close(recording);
	ck_assert_int_le((clock() - start) / CLOCKS_PER_SEC, SECONDS);
	return true;
}

START_TEST(cut_files_are_read_up_to_the_cut)
{
	size_t step = 1024 * (suite_is_full() ? FULL_CUT_KB : CUT_KB);

	if (!whole)
		return;
	for (size_t size = step; size < whole_size; size += step) {
		gaps = 0;
		write_data(whole, size);
		ck_assert(read_all());
		ck_assert_uint_gt(gaps, 0);
	}
	write_data(whole, 0);
	ck_assert(!read_all());
	write_data(whole, 50);
	ck_assert(!read_all());
}
END_TEST

/* Seeded, so that a failure can be reproduced. KTRACE_FLIPS sets the number of
 * copies.
 */
START_TEST(flipped_bits_do_no_harm)
{
	const char *text = getenv("KTRACE_FLIPS");
	int rounds = text ? atoi(text) : suite_is_full() ? FULL_FLIPS : FLIPS;

	if (!whole)
		return;
	for (int seed = 0; seed < rounds; seed++) {
		uint8_t *copy = malloc(whole_size);

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, whole, whole_size);
		srand((unsigned int)seed);
		for (int i = 0; i < 1 + seed % 8; i++) {
			/* Half of them where the structure is. */
			size_t at =
				(size_t)rand() % (i % 2 ? 4096 : whole_size);

			copy[at] ^= (uint8_t)(1 << rand() % 8);
		}
		write_data(copy, whole_size);
		free(copy);
		read_all();
	}
}
END_TEST

SUITE("damaged_recording")
{
	LIMIT_S(getenv("KTRACE_FLIPS") ? 7200 : 120);
	FIXTURE(set_up, tear_down);
	TEST(cut_files_are_read_up_to_the_cut);
	TEST(flipped_bits_do_no_harm);
}
