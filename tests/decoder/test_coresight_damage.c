/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/random.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/fixtures/shared.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Captures of real boards and phones, cut and with flipped bits: decoding
 * always ends soon, damage appears as gaps, and the trace after it is decoded.
 */
#ifdef __SANITIZE_ADDRESS__
enum { SECONDS = 20, TRIES = 5 };
#else
enum { SECONDS = 4, TRIES = 16 };
#endif
/* Number of tries in the full tier, under sanitizers, too. */
enum { FULL_TRIES = 16 };

static const struct capture {
	const char *folder;
	const char *file; /* the damaged file */
	bool has_code;
	/* With PTM almost every byte is a valid packet: damage leads to
	 * addresses without code.
	 */
	enum flow_gap_reason reason;
	/* the code is not the executed one: calls of _mcount */
	bool is_other_code;
} captures[] = {
	/* Made here. */
	{ NULL, SNAPSHOT_TRACE, true, FLOW_GAP_BAD_TRACE, false },
	{ "coresight/opencsd/snapshots/TC2", "cstrace.bin", true,
	  FLOW_GAP_BAD_TRACE, false },
	{ "coresight/opencsd/snapshots/juno_r1_1", "cstrace.bin", true,
	  FLOW_GAP_BAD_TRACE, true },
	{ "coresight/opencsd/snapshots/Snowball", "cstrace.bin", true,
	  FLOW_GAP_NO_CODE, false },
	{ "coresight/opencsd/snapshots-ete/src_addr", "session1.bin", true,
	  FLOW_GAP_BAD_TRACE, false },
	{ "coresight/opencsd/snapshots-ete/trace_file_cid_vmid", "session1.bin",
	  true, FLOW_GAP_BAD_TRACE, false },
	{ "coresight/simpleperf-etm/snapshot/etm_test_loop", "cstrace.bin",
	  true, FLOW_GAP_BAD_TRACE, false },
	{ "coresight/simpleperf-etm/snapshot/aux0", "cstrace.bin", false,
	  FLOW_GAP_BAD_TRACE, false },
};

static struct scratch_folder scratch;
static uint8_t *whole;
static uint8_t *copy;
static size_t size;

/* Makes a copy of the capture's folder, of links, without @file. */
static void link_files(const char *folder, const char *file)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	char from[8192];
	char to[256];

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, file))
			continue;
		snprintf(from, sizeof(from), "%s/%s", folder, entry->d_name);
		scratch_folder_path(&scratch, entry->d_name, to, sizeof(to));
		ck_assert_int_eq(symlink(from, to), 0);
	}
	closedir(dir);
}

static void make(void)
{
	enum { ROUNDS = 256 };

	whole = malloc(SNAPSHOT_TRACE_ROOM(ROUNDS));
	ck_assert_ptr_nonnull(whole);
	size = snapshot_fixture_trace(whole, ROUNDS);
	snapshot_fixture_write(&scratch);
}

static bool find(const struct capture *capture)
{
	char folder[4096];
	char path[8192];

	if (!shared_path(capture->folder, folder, sizeof(folder)))
		return false;
	link_files(folder, capture->file);
	snprintf(path, sizeof(path), "%s/%s", folder, capture->file);
	whole = shared_file(path, &size);
	return true;
}

static bool load(const struct capture *capture)
{
	if (!capture->folder)
		make();
	else if (!find(capture))
		return false;
	ck_assert_ptr_nonnull(whole);
	copy = malloc(size);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, whole, size);
	return true;
}

static void write_file(const char *name, const uint8_t *bytes, size_t count)
{
	snapshot_fixture_file(&scratch, name, bytes, count);
}

static size_t tries(void)
{
	return suite_is_full() ? FULL_TRIES : TRIES;
}

static void add_up(struct flow_totals *sum, const struct flow_totals *part)
{
	sum->instructions += part->instructions;
	for (size_t i = 0; i <= FLOW_GAP_GENERATED; i++)
		sum->gaps[i] += part->gaps[i];
}

/* Decodes the capture in the scratch folder. */
static struct flow_totals decode(void)
{
	struct flow_totals sum = { 0 };
	struct flow_run run;
	clock_t start = clock();

	ck_assert_int_eq(flow_run_open(&run, scratch.path, NULL), 0);
	for (size_t i = 0; i < recording_stream_count(run.recording); i++) {
		struct flow_totals totals;

		flow_run_stream(&run, i, &totals, NULL);
		add_up(&sum, &totals);
	}
	flow_run_close(&run);
	ck_assert_int_lt((clock() - start) / CLOCKS_PER_SEC, SECONDS);
	return sum;
}

static void set_up(void)
{
	scratch = scratch_folder_new();
	whole = NULL;
	copy = NULL;
}

static void tear_down(void)
{
	free(whole);
	free(copy);
	scratch_folder_free(&scratch);
}

START_TEST(cut_captures_end)
{
	const struct capture *capture = &captures[_i];
	uint64_t last = 0;

	if (!load(capture))
		return;
	for (size_t i = 0; i <= tries(); i++) {
		struct flow_totals totals;

		write_file(capture->file, whole, size * i / tries());
		totals = decode();
		ck_assert_uint_ge(totals.instructions, last);
		last = totals.instructions;
	}
	if (capture->has_code)
		ck_assert_uint_gt(last, 0);
}
END_TEST

static void flip(uint32_t *state, size_t count)
{
	memcpy(copy, whole, size);
	for (size_t i = 0; i < count; i++)
		copy[next_random(state) % size] ^=
			(uint8_t)(1u << next_random(state) % 8);
}

/* One flipped bit may turn one address into another, undetectably; many flipped
 * bits cannot go undetected.
 */
START_TEST(flipped_captures_end)
{
	const struct capture *capture = &captures[_i];
	uint32_t state = 1;
	uint64_t gaps = 0;

	if (!load(capture))
		return;
	for (size_t i = 1; i <= tries(); i++) {
		flip(&state, i);
		write_file(capture->file, copy, size);
		gaps += decode().gaps[capture->reason];
	}
	ck_assert_uint_gt(gaps, 0);
}
END_TEST

/* Every trace unit writes a sync point after a fixed number of bytes: damage in
 * the middle affects a part of the whole.
 */
START_TEST(decoding_continues_after_damage)
{
	const struct capture *capture = &captures[_i];
	struct flow_totals sound;
	struct flow_totals broken;
	uint32_t state = 3;

	if (!load(capture))
		return;
	write_file(capture->file, whole, size);
	sound = decode();
	ck_assert_int_eq(sound.gaps[FLOW_GAP_BAD_TRACE] > 0,
			 capture->is_other_code);
	for (size_t i = 0; i < 64; i++)
		copy[size / 4 + i] = (uint8_t)next_random(&state);
	write_file(capture->file, copy, size);
	broken = decode();
	ck_assert_uint_gt(broken.gaps[capture->reason], 0);
	ck_assert_uint_lt(broken.instructions, sound.instructions);
	ck_assert_uint_gt(broken.instructions, sound.instructions / 3);
}
END_TEST

static const char *const recordings[] = {
	"coresight/simpleperf-etm/perf_kernel.data",
	"coresight/simpleperf-etm/perf_etm.data",
	"coresight/simpleperf-etm/perf_with_unformatted_trace.data",
};

/* A recording that is too damaged to be opened is refused. */
static void try_recording(const uint8_t *bytes, size_t count)
{
	struct flow_run run;
	char path[256];

	write_file("perf.data", bytes, count);
	scratch_folder_path(&scratch, "perf.data", path, sizeof(path));
	if (flow_run_open(&run, path, "/nonexistent"))
		return;
	for (size_t i = 0; i < recording_stream_count(run.recording); i++) {
		struct flow_totals totals;

		flow_run_stream(&run, i, &totals, NULL);
	}
	flow_run_close(&run);
}

START_TEST(damaged_recordings_end)
{
	uint32_t state = 7;
	char path[4096];

	if (!shared_path(recordings[_i], path, sizeof(path)))
		return;
	whole = shared_file(path, &size);
	copy = malloc(size);
	ck_assert(whole && copy);
	for (size_t i = 0; i <= tries(); i++)
		try_recording(whole, size * i / tries());
	for (size_t i = 1; i <= tries(); i++) {
		flip(&state, i * 4);
		try_recording(copy, size);
	}
}
END_TEST

SUITE("coresight_damage")
{
	LIMIT_S(120);
	FIXTURE(set_up, tear_down);
	TEST_EACH(cut_captures_end, captures);
	TEST_EACH(flipped_captures_end, captures);
	/* Only the first captures have more than one sync point. */
	TEST_TIMES(decoding_continues_after_damage, 4);
	TEST_EACH(damaged_recordings_end, recordings);
}
