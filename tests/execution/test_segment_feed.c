/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "decoder/code/code_image.h"
#include "decoder/flow/branch_source.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "execution/follow/record_feed.h"
#include "execution/stream/segment_feed_internal.h"
#include "execution/stream/segment_ring.h"
#include "symbolize/symbols/symbols.h"
#include "tests/assert_each.h"
#include "tests/fixtures/intel_bytes.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/shared.h"
#include "tests/run_suite.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char folder[4096];
static struct recording *recording;
static struct code_image *image;
static struct symbols *symbols;

static void open_recording(const char *path)
{
	ck_assert_int_eq(recording_open(path, NULL, &recording), 0);
	ck_assert_int_eq(code_image_open(recording, NULL, &image), 0);
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
}

static void open_shared(const char *name)
{
	if (shared_recording(name, folder, sizeof(folder)))
		open_recording(folder);
}

static void set_up(void)
{
	open_shared("small");
}

static void set_up_arm64(void)
{
	open_shared("arm64-ete");
}

static void close_recording(void)
{
	symbols_close(symbols);
	code_image_close(image);
	recording_close(recording);
	symbols = NULL;
	image = NULL;
	recording = NULL;
}

static void tear_down(void)
{
	close_recording();
	shared_recording_remove(folder);
}

static struct recording_fixture fixture;

/* Writes synchronisation points with LOOP_BYTES of loops after each:
 *	1000	call 1008
 *	1005	nop
 *	1006	jne 1000
 *	1008	nop
 *	1009	ret
 * A byte of trace is three loops, whose returns and branches are taken.  The
 * points bound times and give none: CBR flushes the TNT packet after each TSC
 * packet.
 */
enum { SYNCS = 64, LOOP_BYTES = 950, LOOPS = SYNCS * (LOOP_BYTES + 1) * 3 };

static void set_up_untimed(void)
{
	enum { ROOM = SYNCS * (LOOP_BYTES + 50), TSC_BYTE = 18 };
	static const char point[] = "psb 19 00 00 01 00 00 00 00 "
				    "99 01 7d 00 10 00 81 ff ff 02 23 "
				    "fe 02 03 0a 00 ";
	static const uint8_t code[] = { 0xe8, 0x03, 0,	  0,	0,
					0x90, 0x75, 0xf8, 0x90, 0xc3 };
	uint8_t *bytes = malloc(ROOM);
	size_t size = 0;

	ck_assert_ptr_nonnull(bytes);
	for (uint8_t i = 0; i < SYNCS; i++) {
		size_t start = size;

		size += fixture_intel_bytes(point, bytes + size, ROOM - size);
		bytes[start + TSC_BYTE] = i;
		ck_assert_uint_le(size + LOOP_BYTES, ROOM);
		memset(bytes + size, 0xfe, LOOP_BYTES);
		size += LOOP_BYTES;
	}
	recording_fixture_begin(&fixture);
	recording_fixture_code(&fixture, UINT64_C(0xffffffff81001000), code,
			       sizeof(code));
	recording_fixture_trace(&fixture, 0, bytes, size);
	recording_fixture_write(&fixture);
	free(bytes);
	open_recording(fixture.path);
}

static void tear_down_untimed(void)
{
	close_recording();
	recording_fixture_end(&fixture);
}

/* All records and marks of the stream, marks counted from its start. */
struct story {
	struct array records; /* union timed_record */
	struct array marks;   /* struct event_mark */
	size_t repeats;	      /* segments that were decoded again */
};

static void add_run(struct story *story, const struct record_run *run)
{
	size_t before = story->records.count;

	for (size_t i = 0; i < run->count; i++) {
		union timed_record *record = array_add(&story->records);

		assert_each(record);
		*record = run->records[i];
	}
	for (size_t i = 0; i < run->mark_count; i++) {
		struct event_mark *mark = array_add(&story->marks);

		assert_each(mark);
		*mark = run->marks[i];
		mark->index += (uint32_t)before;
	}
}

static struct story decode(struct jobs *jobs)
{
	const struct flow_input input = {
		.recording = recording,
		.stream = recording_stream(recording, 0),
		.image = image,
	};
	struct story story = {
		.records = ARRAY_OF(union timed_record),
		.marks = ARRAY_OF(struct event_mark),
	};
	struct segment_feed *feed;
	struct record_run run;
	int status;

	ck_assert_int_eq(segment_feed_open(&input, symbols, false, jobs, NULL,
					   &feed),
			 0);
	while ((status = segment_feed_next(feed, &run)) > 0)
		add_run(&story, &run);
	ck_assert_int_eq(status, 0);
	story.repeats = segment_feed_repeats(feed);
	segment_feed_close(feed);
	return story;
}

static void free_story(struct story *story)
{
	array_free(&story->records);
	array_free(&story->marks);
}

static void check_same(const struct story *story, const struct story *alone)
{
	ck_assert_uint_eq(story->records.count, alone->records.count);
	ck_assert_mem_eq(story->records.items, alone->records.items,
			 alone->records.count * sizeof(union timed_record));
	ck_assert_uint_eq(story->marks.count, alone->marks.count);
	for (size_t i = 0; i < alone->marks.count; i++) {
		const struct event_mark *a = array_at(&alone->marks, i);
		const struct event_mark *b = array_at(&story->marks, i);

		ck_assert_uint_eq(a->index, b->index);
		ck_assert_uint_eq(a->kind, b->kind);
		ck_assert_uint_eq(a->low_ns, b->low_ns);
		ck_assert_uint_eq(a->high_ns, b->high_ns);
	}
}

/* Segments of so many bytes: down to those between two neighbours. */
static const uint64_t sizes[] = { 16384, 5000, 1 };

enum { MOST_REPEATS = 8 };

/* All numbers of threads, or a different one for each segment size. */
START_TEST(any_number_of_threads_gives_the_same)
{
	unsigned int first = 2, last = 5;
	struct story alone;
	struct jobs *jobs;

	if (!recording)
		return;
	if (suite_is_brief())
		first = last = first + (unsigned int)_i;
	alone = decode(NULL);
	ck_assert_uint_gt(alone.records.count, 150000);
	for (unsigned int count = first; count <= last; count++) {
		struct story story;

		jobs = jobs_new(count);
		ck_assert_ptr_nonnull(jobs);
		jobs_set_segment_bytes(jobs, sizes[_i]);
		story = decode(jobs);
		/* Otherwise several threads would be slower than one. */
		if (recording_trace(recording) == RECORDING_TRACE_INTEL_PT)
			ck_assert_uint_le(story.repeats, MOST_REPEATS);
		check_same(&story, &alone);
		free_story(&story);
		jobs_free(jobs);
	}
	free_story(&alone);
}
END_TEST

/* More records wait for a known time than event_times_has_room() allows: they
 * are flushed, after the same branch in a segment at whose start some waited.
 */
START_TEST(records_without_times_are_flushed_after_the_same_branch)
{
	enum { SEGMENT_BYTES = 3000 };
	struct story alone = decode(NULL);

	ck_assert_uint_ge(alone.records.count, 2 * LOOPS);
	for (unsigned int count = 2; count <= 4; count++) {
		struct jobs *jobs = jobs_new(count);
		struct story story;

		ck_assert_ptr_nonnull(jobs);
		jobs_set_segment_bytes(jobs, SEGMENT_BYTES);
		story = decode(jobs);
		/* Segments that were resumed from another one's state. */
		ck_assert_uint_gt(story.repeats, 0);
		check_same(&story, &alone);
		free_story(&story);
		jobs_free(jobs);
	}
	free_story(&alone);
}
END_TEST

static size_t count_records(struct record_feed *feed)
{
	struct record_run run;
	size_t count = 0;
	int status;

	while ((status = record_feed_next(feed, &run)) > 0)
		count += run.count;
	ck_assert_int_eq(status, 0);
	return count;
}

/* Where little happens, a thread reads to the end of the stream before it
 * notices the end of its segment; then it gets another.
 */
START_TEST(a_feed_at_its_end_can_be_restarted)
{
	struct flow_input input = { .image = image };
	struct branch_source *points;
	struct record_feed *feed;
	size_t count;

	if (!recording)
		return;
	input.recording = recording;
	input.stream = recording_stream(recording, 0);
	ck_assert_int_eq(branch_source_open(&input, &points), 0);
	ck_assert_int_eq(record_feed_open(&input, symbols, false, &feed), 0);
	count = count_records(feed);
	ck_assert_uint_gt(count, 200000);
	ck_assert_int_eq(
		record_feed_begin(feed, branch_source_next_sync(points, 0), 0),
		0);
	ck_assert_uint_eq(count_records(feed), count);
	record_feed_close(feed);
	branch_source_close(points);
}
END_TEST

/* A stream of one slice. */
struct short_stream {
	struct aux_stream stream;
	struct aux_piece piece;
};

static void set_stream(struct short_stream *one, struct flow_input *input,
		       const uint8_t *bytes, size_t size)
{
	*one = (struct short_stream){
		.stream = { .cpu = 0,
			    .pid = -1,
			    .tid = -1,
			    .size_bytes = size,
			    .piece_count = 1 },
		.piece = { .bytes = bytes, .size_bytes = size },
	};
	one->stream.pieces = &one->piece;
	input->stream = &one->stream;
}

/* Appends the branches of @source from its byte @from on to @branches; their
 * positions are counted from there.
 */
static void read_branches(struct branch_source *source, uint64_t from,
			  struct array *branches)
{
	struct trace_branch_batch batch;
	int status;

	while ((status = branch_source_next(source, &batch)) > 0) {
		for (uint32_t i = 0; i < batch.count; i++) {
			struct trace_branch branch = batch.branches[i];
			uint64_t at = batch.position + branch.position;

			if (at < from || branch.kind == TRACE_END)
				continue;
			branch.position = (uint32_t)(at - from);
			ck_assert_int_eq(array_append(branches, &branch), 0);
		}
	}
	ck_assert_int_eq(status, 0);
}

/* Returns the position of the packet of a target in the middle of @branches. A
 * part does not end in front of a target that ended a packet of bits.
 */
static uint32_t middle_of(const struct array *branches)
{
	const struct trace_branch *all = branches->items;
	size_t i = branches->count / 2;

	while (all[i].kind != TRACE_TARGET || all[i - 1].kind == TRACE_BITS)
		i++;
	return all[i].position;
}

static void check_branch(const struct trace_branch *a,
			 const struct trace_branch *b)
{
	ck_assert_uint_eq(a->position, b->position);
	ck_assert_uint_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->payload, b->payload);
	ck_assert_uint_eq(a->low, b->low);
	ck_assert_uint_eq(a->high, b->high);
	ck_assert_uint_eq(a->estimate, b->estimate);
}

/* The trace of a thread that switches the unit on and off is read in parts. The
 * second part starts with the last bytes of the first.
 */
START_TEST(a_source_goes_on_in_another_part)
{
	enum { BYTES = 25000, REPEATED = 100 };
	struct flow_input input = { .image = image, .recording = recording };
	struct array whole = ARRAY_OF(struct trace_branch);
	struct array rest = ARRAY_OF(struct trace_branch);
	struct short_stream stream;
	struct short_stream second;
	struct branch_source *source;
	const uint8_t *bytes;
	uint32_t middle;

	if (!recording)
		return;
	bytes = recording_stream(recording, 0)->pieces[0].bytes;
	ck_assert_uint_ge(recording_stream(recording, 0)->pieces[0].size_bytes,
			  BYTES);
	set_stream(&stream, &input, bytes, BYTES);
	ck_assert_int_eq(branch_source_open(&input, &source), 0);
	read_branches(source, 0, &whole);
	branch_source_close(source);
	middle = middle_of(&whole);
	ck_assert_uint_gt(middle, REPEATED);

	set_stream(&stream, &input, bytes, middle);
	ck_assert_int_eq(branch_source_open(&input, &source), 0);
	read_branches(source, middle, &rest);
	ck_assert_uint_eq(rest.count, 0);
	set_stream(&second, &input, bytes + middle - REPEATED,
		   BYTES - middle + REPEATED);
	ck_assert(branch_source_go_on(source, &input, REPEATED));
	read_branches(source, REPEATED, &rest);
	branch_source_close(source);

	ck_assert_uint_gt(rest.count, 1000);
	for (size_t i = 0; i < rest.count; i++) {
		struct trace_branch expected =
			*(const struct trace_branch *)array_at(
				&whole, whole.count - rest.count + i);

		expected.position -= middle;
		check_branch(array_at(&rest, i), &expected);
	}
	array_free(&whole);
	array_free(&rest);
}
END_TEST

static bool has_own(struct interval_plan *plan)
{
	struct interval interval;

	ck_assert(interval_plan_next(plan, &interval));
	ck_assert_uint_le(interval.begin, interval.middle);
	ck_assert_uint_lt(interval.middle, interval.end);
	ck_assert_uint_eq(interval.end, plan->next_begin);
	return interval.begin < interval.middle;
}

/* The calling thread decodes only while it would otherwise wait for worker
 * threads, and never if it consumes several streams.
 */
START_TEST(the_calling_thread_takes_its_share)
{
	enum { MANY = 40 };
	struct flow_input input = { .recording = recording };
	struct interval_plan plan;

	if (!recording)
		return;
	input.stream = recording_stream(recording, 0);
	ck_assert_int_eq(interval_plan_open(&plan, &input, 1, true, 2048, 0),
			 0);
	ck_assert(has_own(&plan));
	interval_plan_adapt(&plan, RING_AHEAD);
	ck_assert(has_own(&plan));
	for (int i = 0; i < MANY; i++)
		interval_plan_adapt(&plan, RING_DONE);
	ck_assert(!has_own(&plan));
	interval_plan_adapt(&plan, RING_LATE);
	ck_assert(has_own(&plan));
	interval_plan_close(&plan);
	ck_assert_int_eq(interval_plan_open(&plan, &input, 1, false, 2048, 0),
			 0);
	interval_plan_adapt(&plan, RING_LATE);
	ck_assert(!has_own(&plan));
	interval_plan_close(&plan);
}
END_TEST

/* No thread starts, because a stack of its size does not fit into the address
 * space.
 */
START_TEST(without_threads_the_calling_one_decodes_everything)
{
	struct jobs *jobs = jobs_new(4);
	pthread_attr_t usual;
	pthread_attr_t large;
	struct story alone;
	struct story story;

	ck_assert_ptr_nonnull(jobs);
	jobs_set_segment_bytes(jobs, 1000);
	alone = decode(NULL);
	ck_assert_int_eq(pthread_getattr_default_np(&usual), 0);
	ck_assert_int_eq(pthread_attr_init(&large), 0);
	ck_assert_int_eq(pthread_attr_setstacksize(&large, (size_t)1 << 60), 0);
	ck_assert_int_eq(pthread_setattr_default_np(&large), 0);
	story = decode(jobs);
	ck_assert_int_eq(pthread_setattr_default_np(&usual), 0);
	ck_assert_uint_gt(story.records.count, 0);
	check_same(&story, &alone);
	free_story(&story);
	free_story(&alone);
	pthread_attr_destroy(&large);
	pthread_attr_destroy(&usual);
	jobs_free(jobs);
}
END_TEST

START_TEST(closing_early_ends_the_threads)
{
	struct jobs *jobs = jobs_new(4);
	struct flow_input input = { .image = image };
	struct segment_feed *feed;
	struct record_run run;

	if (recording) {
		input.recording = recording;
		input.stream = recording_stream(recording, 0);
		jobs_set_segment_bytes(jobs, 5000);
		ck_assert_int_eq(segment_feed_open(&input, symbols, false, jobs,
						   NULL, &feed),
				 0);
		ck_assert_int_eq(segment_feed_next(feed, &run), 1);
		segment_feed_close(feed);
	}
	jobs_free(jobs);
}
END_TEST

SUITE("segment_feed")
{
	CASE("recording");
	FIXTURE(set_up, tear_down);
	TEST_EACH(any_number_of_threads_gives_the_same, sizes);
	TEST(a_feed_at_its_end_can_be_restarted);
	TEST(a_source_goes_on_in_another_part);
	TEST(the_calling_thread_takes_its_share);
	TEST(closing_early_ends_the_threads);
	CASE("without times");
	FIXTURE(set_up_untimed, tear_down_untimed);
	TEST(records_without_times_are_flushed_after_the_same_branch);
	TEST(without_threads_the_calling_one_decodes_everything);
	CASE("arm64 recording");
	LIMIT_S(60);
	FIXTURE(set_up_arm64, tear_down);
	TEST_EACH(any_number_of_threads_gives_the_same, sizes);
}
