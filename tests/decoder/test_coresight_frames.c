/* SPDX-License-Identifier: MIT */
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/frame.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Barriers and padding that sinks shared by several CPUs write around their
 * frames.
 */
enum { SYNCS = 3, ROUNDS = 2, ROOM = CAPTURE_ROOM(SYNCS, ROUNDS) };
enum { FILE_ROOM = 4 * FRAME_FIXTURE_ROOM(2 * ROOM) };

static const enum capture_name kinds[2] = { CAPTURE_ETMV4, CAPTURE_ETE };

#define SYNC_WORD 0xff, 0xff, 0xff, 0x7f
static const uint8_t barrier[] = { SYNC_WORD, SYNC_WORD, SYNC_WORD, SYNC_WORD };
static const uint8_t half_barrier[16] = { SYNC_WORD, SYNC_WORD };
/* Fills up a sink; belongs to no source. */
static const uint8_t padding[16] = { 1 };

static struct scratch_folder scratch;
static uint8_t file[FILE_ROOM];
static size_t size;

static void set_up(void)
{
	scratch = scratch_folder_new();
	size = 0;
	capture_fixture_write(&scratch, kinds, 2, "coresight");
}

static void tear_down(void)
{
	scratch_folder_free(&scratch);
}

static void add(const uint8_t *bytes, size_t count)
{
	memcpy(file + size, bytes, count);
	size += count;
}

/* The whole captures of both units, by turns. */
static void add_captures(unsigned int every)
{
	static struct frame_byte bytes[2 * ROOM];
	static uint8_t bare[2][ROOM];
	size_t ends[2], places[SYNCS], count = 0;

	for (size_t i = 0; i < 2; i++)
		ends[i] = capture_fixture_trace(kinds[i], SYNCS, ROUNDS,
						bare[i], places);
	ck_assert_uint_eq(ends[0], ends[1]);
	for (size_t i = 0; i < ends[0]; i++)
		for (size_t j = 0; j < 2; j++)
			bytes[count++] = (struct frame_byte){
				.id = (uint8_t)(CAPTURE_FIRST_ID + j),
				.byte = bare[j][i],
			};
	size += frame_fixture_write(file + size, bytes, count, every);
}

/* Expects each CPU to have @captures captures' instructions, and gaps of no
 * other kind than @gaps of @reason.
 */
static void expect(size_t captures, size_t gaps, enum flow_gap_reason reason)
{
	const size_t instructions = 15; /* of a round */
	struct flow_run run;

	snapshot_fixture_file(&scratch, CAPTURE_TRACE, file, size);
	ck_assert_int_eq(flow_run_open(&run, scratch.path, NULL), 0);
	ck_assert_uint_eq(recording_stream_count(run.recording), 2);
	for (size_t i = 0; i < 2; i++) {
		struct flow_totals totals;

		flow_run_stream(&run, i, &totals, NULL);
		ck_assert_uint_eq(totals.instructions,
				  captures * SYNCS * ROUNDS * instructions);
		ck_assert_uint_eq(totals.gaps[reason], gaps);
		ck_assert_uint_eq(totals.kinds[FLOW_GAP], gaps);
	}
	flow_run_close(&run);
}

/* Overwritten trace of a full buffer is before the barrier. */
START_TEST(a_barrier_begins)
{
	add(barrier, sizeof(barrier));
	add_captures(10);
	expect(1, 0, FLOW_GAP_LOST);
}
END_TEST

START_TEST(a_barrier_between_is_a_loss_for_all)
{
	add_captures(10);
	add(barrier, sizeof(barrier));
	add(barrier, sizeof(barrier));
	add_captures(10);
	expect(2, 1, FLOW_GAP_LOST);
}
END_TEST

START_TEST(padding_is_nothing)
{
	add(padding, sizeof(padding));
	add_captures(10);
	add(padding, sizeof(padding));
	add(padding, sizeof(padding));
	expect(1, 0, FLOW_GAP_LOST);
}
END_TEST

/* Neither a frame nor a barrier: the units' bytes there are lost. */
START_TEST(half_a_barrier_is_damage)
{
	add_captures(10);
	add(half_barrier, sizeof(half_barrier));
	add_captures(10);
	expect(2, 1, FLOW_GAP_BAD_TRACE);
}
END_TEST

START_TEST(half_a_frame_is_a_loss)
{
	add_captures(10);
	add(padding, 5);
	expect(1, 1, FLOW_GAP_LOST);
}
END_TEST

/* Bytes of random length come out of frames as they went in. */
START_TEST(frames_return_the_bytes_put_in)
{
	enum { COUNT = 3000 };
	static struct frame_byte bytes[COUNT];
	static uint8_t frames[FRAME_FIXTURE_ROOM(COUNT)];
	struct coresight_frame frame;
	size_t end, done = 0;
	uint8_t id = 0;

	srand(7);
	for (size_t i = 0; i < COUNT; i++)
		bytes[i] = (struct frame_byte){
			.id = i && rand() % 3 ? bytes[i - 1].id :
						(uint8_t)(1 + rand() % 0x6f),
			.byte = (uint8_t)rand(),
		};
	end = frame_fixture_write(frames, bytes, COUNT, (unsigned int)_i);
	for (size_t at = 0; at < end; at += CORESIGHT_FRAME_SIZE) {
		coresight_frame_read(frames + at, &id, &frame);
		for (size_t i = 0; i < frame.count && done < COUNT; i++) {
			ck_assert_uint_eq(frame.ids[i], bytes[done].id);
			ck_assert_uint_eq(frame.bytes[i], bytes[done].byte);
			ck_assert_uint_eq(at, bytes[done].frame);
			done++;
		}
	}
	ck_assert_uint_eq(done, COUNT);
}
END_TEST

/* A buffer is read in chunks: the last source id continues in the next chunk.
 */
START_TEST(ids_go_on_from_piece_to_piece)
{
	const struct capture_kind *kind = &capture_kinds[CAPTURE_ETMV4];
	const struct fixture_origin origin = { 1, 1, 1000 };
	struct recording_fixture fixture;
	struct flow_totals totals;
	struct flow_run run;
	size_t half;

	add_captures(1000);
	half = size / 32 * 16;
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, 0, file, half);
	recording_fixture_trace(&fixture, half, file + half, size - half);
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0,
				 (uint64_t[]){ 0, size, 0 },
				 3 * sizeof(uint64_t), &origin);
	recording_fixture_code(&fixture, kind->base,
			       (const uint8_t *)kind->code, kind->code_size);
	flow_run_of(&run, &fixture);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.exits[FLOW_EXIT_CALL], SYNCS * ROUNDS);
	flow_run_close(&run);
	recording_fixture_end(&fixture);
}
END_TEST

SUITE("coresight_frames")
{
	FIXTURE(set_up, tear_down);
	TEST(a_barrier_begins);
	TEST(a_barrier_between_is_a_loss_for_all);
	TEST(padding_is_nothing);
	TEST(half_a_barrier_is_damage);
	TEST(half_a_frame_is_a_loss);
	TEST_RANGE(frames_return_the_bytes_put_in, 1, 12);
	TEST(ids_go_on_from_piece_to_piece);
}
