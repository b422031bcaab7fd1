/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/formats/perf_data.h"
#include "decoder/code/code_image.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording_open.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/segment_feed_internal.h"
#include "execution/stream/segment_ring.h"
#include "symbolize/symbols/symbols.h"
#include "tests/assert_each.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/etmv4_packets.h"
#include "tests/fixtures/frame.h"
#include "tests/fixtures/random.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Decoding of units' traces does not depend on the number of threads nor on the
 * sync point it starts at: bare and in frames, 32-bit, with speculation, with
 * cycle counts, and damaged.
 */
enum {
	SYNCS = 40,
	ROUNDS = 12,
	MANY_ROUNDS = 40,
	ROOM = CAPTURE_ROOM(SYNCS, MANY_ROUNDS),
	PROCESS = 20,
	COUNTS = 0x10, /* TRCCONFIGR.CCI */
};

static const struct unit_case {
	enum capture_name capture;
	uint64_t config;
	uint64_t idr0;
	uint64_t idr8;
	bool is_formatted;
	bool is_rarely_stamped; /* more records wait than the buffer holds */
} cases[] = {
	{ CAPTURE_ETMV4, 0, 0x28000ea1, 0, false, false },
	{ CAPTURE_ETMV4, 0, 0x28000ea1, 0, false, true },
	{ CAPTURE_ETMV4, 0, 0x28000ea1, 0, true, false },
	{ CAPTURE_ETMV4_32, 0, 0x28000ea1, 0, false, false },
	{ CAPTURE_ETMV4_32, 0, 0x28000ea1, 0, true, false },
	{ CAPTURE_AHEAD_ETMV4, 0, 0x28000ea1, 7, false, false },
	{ CAPTURE_AHEAD_ETMV4, 0, 0x28000ea1, 7, true, false },
	{ CAPTURE_AHEAD_ETE, COUNTS, 0x08000ea1, 7, false, false },
};

enum { CASES = sizeof(cases) / sizeof(*cases) };

static struct recording_fixture fixture;
static struct recording *recording;
static struct code_image *image;
static struct symbols *symbols;

static size_t append(uint8_t *bytes, size_t size, const uint8_t *more,
		     size_t count)
{
	memcpy(bytes + size, more, count);
	return size + count;
}

static size_t append_stamp(uint8_t *bytes, size_t size, uint32_t time)
{
	const uint8_t stamp[] = { 0x02, (time & 0x7f) | 0x80,
				  (time >> 7 & 0x7f) | 0x80, time >> 14 };

	return append(bytes, size, stamp, sizeof(stamp));
}

/* Sync points with times, and rounds, some with timestamps too. */
static size_t make_trace(const struct unit_case *made, uint8_t *bytes)
{
	const struct capture_kind *kind = &capture_kinds[made->capture];
	size_t rounds = made->is_rarely_stamped ? MANY_ROUNDS : ROUNDS;
	size_t stamped = made->is_rarely_stamped ? 1100 : 5;
	size_t done = 0;
	uint32_t state = 1;
	uint32_t time = 100000;
	size_t size = 0;

	for (size_t i = 0; i < SYNCS; i++) {
		size = i ? append(bytes, size, kind->sync, kind->sync_size) :
			   append(bytes, size, kind->begin, kind->begin_size);
		for (size_t round = 0; round < rounds; round++) {
			if ((stamped < rounds ? round : done++) % stamped == 0)
				size = append_stamp(bytes, size, time);
			time += next_random(&state) % 4000;
			size = append(bytes, size, kind->round,
				      kind->round_size);
		}
	}
	ck_assert_uint_le(size, ROOM);
	return size;
}

/* Puts the bytes in frames, with another source's bytes between them. */
static size_t put_in_frames(uint8_t *bytes, size_t size)
{
	struct frame_byte *mixed = calloc(2 * size, sizeof(*mixed));
	uint8_t *frames = malloc(FRAME_FIXTURE_ROOM(2 * size));
	size_t count = 0;

	ck_assert(mixed && frames);
	for (size_t i = 0; i < size; i++) {
		mixed[count++] = (struct frame_byte){ .id = CAPTURE_FIRST_ID,
						      .byte = bytes[i] };
		if (i % 7 == 3)
			mixed[count++] =
				(struct frame_byte){ .id = CAPTURE_FIRST_ID +
							   1 };
	}
	size = frame_fixture_write(frames, mixed, count, 10);
	memcpy(bytes, frames, size);
	free(mixed);
	free(frames);
	return size;
}

/* Adds two sessions: the second starts somewhere between two sync points. */
static void add_sessions(size_t size, uint64_t flags)
{
	const struct fixture_origin origin = { PROCESS, PROCESS, 1000 };
	const uint64_t first = size / 2 & ~UINT64_C(15);
	const uint64_t spans[2][3] = { { 0, first, flags },
				       { first, size - first, flags } };

	for (size_t i = 0; i < 2; i++)
		recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, spans[i],
					 sizeof(spans[i]), &origin);
}

static void add_code(const struct capture_kind *kind)
{
	recording_fixture_code(&fixture, kind->base,
			       (const uint8_t *)kind->code, kind->code_size);
	if (kind->program)
		recording_fixture_program(&fixture, PROCESS, "program",
					  ETMV4_USER, kind->program,
					  kind->program_size);
}

static void begin(const struct unit_case *made)
{
	const struct fixture_origin origin = { PROCESS, PROCESS, 500 };
	const uint32_t task[] = { PROCESS, PROCESS };
	const uint64_t unit[] = {
		CORESIGHT_MAGIC_ETMV4,
		0,
		8, /* CPU, parameters */
		made->config | 0x801,
		CAPTURE_FIRST_ID,
		made->idr0,
		0x4100f403,
		0x488,
		made->idr8,
		0,
		1, /* stamps: the CPU's counter */
	};

	recording_fixture_begin_unit(&fixture, unit,
				     sizeof(unit) / sizeof(*unit));
	fixture.arch = "aarch64";
	recording_fixture_record(&fixture, PERF_RECORD_ITRACE_START, 0, task,
				 sizeof(task), &origin);
}

/* Opens a recording of the trace of @made, with @damage bytes changed. */
static void open_case(const struct unit_case *made, unsigned int damage)
{
	uint8_t *bytes = malloc(3 * FRAME_FIXTURE_ROOM(ROOM));
	size_t size;
	uint32_t state = damage;

	ck_assert_ptr_nonnull(bytes);
	size = make_trace(made, bytes);
	if (made->is_formatted)
		size = put_in_frames(bytes, size);
	for (unsigned int i = 0; i < damage; i++)
		bytes[next_random(&state) % size] ^=
			(uint8_t)next_random(&state);
	begin(made);
	recording_fixture_trace(&fixture, 0, bytes, size);
	add_sessions(size, made->is_formatted ?
				   0 :
				   SIDEBAND_AUX_FORMAT_CORESIGHT_RAW);
	add_code(&capture_kinds[made->capture]);
	free(bytes);
	recording = recording_fixture_open(&fixture);
	recording_set_root(recording, fixture.path);
	ck_assert_int_eq(code_image_open(recording, NULL, &image), 0);
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
	ck_assert_int_eq(recording_time(recording), RECORDING_TIME_NANOSECONDS);
}

static void close_case(void)
{
	symbols_close(symbols);
	code_image_close(image);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static struct flow_input input_of_case(void)
{
	return (struct flow_input){
		.recording = recording,
		.stream = recording_stream(recording, 0),
		.image = image,
	};
}

static void add_run(struct array *records, const struct record_run *run)
{
	for (size_t i = 0; i < run->count; i++) {
		union timed_record *record = array_add(records);

		assert_each(record);
		*record = run->records[i];
	}
}

static struct array decode(struct jobs *jobs)
{
	const struct flow_input input = input_of_case();
	struct array records = ARRAY_OF(union timed_record);
	struct segment_feed *feed;
	struct record_run run;
	int status;

	ck_assert_int_eq(segment_feed_open(&input, symbols, false, jobs, NULL,
					   &feed),
			 0);
	while ((status = segment_feed_next(feed, &run)) > 0)
		add_run(&records, &run);
	ck_assert_int_eq(status, 0);
	segment_feed_close(feed);
	return records;
}

static void expect_same(const struct array *records,
			const union timed_record *expected, size_t count)
{
	ck_assert_uint_eq(records->count, count);
	for (size_t i = 0; i < count; i++)
		assert_each(!memcmp(array_at(records, i), &expected[i],
				    sizeof(*expected)));
}

static void compare_jobs(unsigned int count, uint64_t segment_bytes,
			 const struct array *alone)
{
	struct jobs *jobs = jobs_new(count);
	struct array records;

	ck_assert_ptr_nonnull(jobs);
	jobs_set_segment_bytes(jobs, segment_bytes);
	records = decode(jobs);
	expect_same(&records, alone->items, alone->count);
	array_free(&records);
	jobs_free(jobs);
}

static void compare_all_jobs(void)
{
	struct array alone = decode(NULL);

	ck_assert_uint_gt(alone.count, 1000);
	compare_jobs(2, 1, &alone);
	compare_jobs(3, 2500, &alone);
	array_free(&alone);
}

START_TEST(any_number_of_threads_gives_the_same)
{
	open_case(&cases[_i], 0);
	ck_assert(
		branch_source_fits(recording, recording_stream(recording, 0)));
	compare_all_jobs();
	close_case();
}
END_TEST

START_TEST(so_it_is_with_damage)
{
	const unsigned int most =
		suite_is_full() ? 24 : (unsigned int)suite_repeats(10);

	for (unsigned int damage = 1; damage <= most; damage++) {
		open_case(&cases[_i], damage);
		compare_all_jobs();
		close_case();
	}
}
END_TEST

/* A sync point, and the first time after it. */
struct point {
	uint64_t position;
	uint64_t ticks;
};

/* Reads all branches. */
static struct array list_points(struct branch_source *source)
{
	struct array points = ARRAY_OF(struct point);
	struct point *last = NULL;
	struct trace_branch_batch batch;

	while (branch_source_next(source, &batch) > 0)
		for (uint32_t i = 0; i < batch.count; i++) {
			const struct trace_branch *branch = &batch.branches[i];

			if (branch->kind == TRACE_SYNC) {
				last = array_add(&points);
				assert_each(last);
				last->position =
					batch.position + branch->position;
			} else if (branch->kind == TRACE_TIME && last &&
				   !last->ticks) {
				last->ticks = branch->payload;
			}
		}
	return points;
}

static struct array points_of_case(void)
{
	const struct flow_input input = input_of_case();
	struct branch_source *source;
	struct array points;

	ck_assert_int_eq(branch_source_open(&input, &source), 0);
	points = list_points(source);
	branch_source_close(source);
	return points;
}

/* Decodes all with a checkpoint at the sync point at @position. Returns the
 * number of records before it, and the state there in *@state.
 */
static size_t decode_watched(uint64_t position, struct array *records,
			     struct execution_state *state)
{
	const struct flow_input input = input_of_case();
	size_t before = SIZE_MAX;
	struct record_feed *feed;
	struct record_run run;

	ck_assert_int_eq(record_feed_open(&input, symbols, false, &feed), 0);
	record_feed_watch(feed, position, NO_SYNC);
	while (record_feed_next(feed, &run) > 0) {
		for (size_t i = 0; i < run.mark_count; i++)
			if (run.marks[i].kind == MARK_SYNC)
				before = records->count + run.marks[i].index;
		add_run(records, &run);
	}
	if (before != SIZE_MAX)
		*state = *record_feed_state(feed, 0);
	record_feed_close(feed);
	return before;
}

/* Continues from @state in a feed that has read everything. */
static void expect_rest(struct record_feed *feed,
			const struct execution_state *state,
			const struct array *all, size_t before)
{
	const union timed_record *expected = all->items;
	struct array records = ARRAY_OF(union timed_record);
	struct record_run run;

	ck_assert_int_eq(record_feed_resume(feed, state), 0);
	while (record_feed_next(feed, &run) > 0)
		add_run(&records, &run);
	expect_same(&records, expected + before, all->count - before);
	array_free(&records);
}

/* Looks at each of @stride points.  Returns how many were watched for. */
static unsigned int resume_all(size_t stride)
{
	const struct flow_input input = input_of_case();
	struct array points = points_of_case();
	unsigned int found = 0;
	struct record_feed *feed;

	ck_assert_int_eq(record_feed_open(&input, symbols, false, &feed), 0);
	for (size_t i = points.count / stride; i-- > 0;) {
		const struct point *point = array_at(&points, i * stride);
		struct array records = ARRAY_OF(union timed_record);
		struct execution_state state;
		size_t before =
			decode_watched(point->position, &records, &state);

		if (before != SIZE_MAX)
			expect_rest(feed, &state, &records, before);
		found += before != SIZE_MAX;
		array_free(&records);
	}
	record_feed_close(feed);
	array_free(&points);
	return found;
}

START_TEST(a_start_at_a_sync_point_continues_identically)
{
	const unsigned int most = suite_is_full() ? 4 : 1;
	const size_t usual = suite_is_brief() ? 16 : 4;
	const size_t stride = suite_is_full() ? 1 : usual;

	for (unsigned int damage = 0; damage <= most; damage++) {
		open_case(&cases[_i], damage);
		ck_assert_uint_ge(resume_all(stride), SYNCS / 2 / stride);
		close_case();
	}
}
END_TEST

START_TEST(the_last_point_before_a_time_is_found)
{
	struct branch_source *source;
	struct flow_input input;
	struct array points;

	if (cases[_i].is_rarely_stamped)
		return;
	open_case(&cases[_i], 0);
	input = input_of_case();
	points = points_of_case();
	ck_assert_int_eq(branch_source_open(&input, &source), 0);
	ck_assert_uint_ge(points.count, SYNCS - 1);
	for (size_t i = 0; i < points.count; i++) {
		const struct point *point = array_at(&points, i);
		uint64_t at_ns = 0;

		ck_assert_uint_eq(branch_source_sync_before(
					  source, point->ticks, 0, &at_ns),
				  point->position);
		ck_assert_uint_eq(at_ns, point->ticks);
		ck_assert_uint_le(branch_source_next_sync(source,
							  point->position - 6),
				  point->position);
	}
	branch_source_close(source);
	array_free(&points);
	close_case();
}
END_TEST

SUITE("coresight_segments")
{
	LIMIT_S(120);
	TEST_TIMES(any_number_of_threads_gives_the_same, CASES);
	TEST_TIMES(so_it_is_with_damage, CASES);
	TEST_TIMES(a_start_at_a_sync_point_continues_identically, CASES);
	TEST_TIMES(the_last_point_before_a_time_is_found, CASES);
}
