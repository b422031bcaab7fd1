/* SPDX-License-Identifier: MIT */
/* A recording whose trace is in files of its CPUs: data.0, data.1. */
#include "archive/recording_archive.h"
#include "archive/unpack.h"
#include "common/budget.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/output_folder.h"
#include "common/formats/perf_data.h"
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

/* The trace's size is not a multiple of pages. */
enum { TRACE = 20000, RECORD = 48 };

static struct recording_fixture fixture;
static struct recording *recording;
static char said[LOG_FIXTURE_TEXT];

/* Keeps the first message, except that the recording has no index of the trace.
 */
static void keep_first(void *ctx, enum log_level level, const char *file,
		       uint64_t offset, const char *text)
{
	if (!*said && !strstr(text, "not finished"))
		log_fixture_keep(ctx, level, file, offset, text);
}

static const struct log log_said = { keep_first, said };

static void set_up(void)
{
	*said = '\0';
	recording_fixture_begin(&fixture);
	fixture.version = "ktrace-hw";
}

static void tear_down(void)
{
	recording_close(recording);
	recording = NULL;
	recording_fixture_end(&fixture);
}

static uint8_t byte_at(uint32_t cpu, uint64_t offset)
{
	return (uint8_t)(offset * 3 + (offset >> 8) + cpu);
}

/* Appends the AUXTRACE record with the next @size bytes of the trace of @cpu. */
static void add_trace(struct byte_buffer *bytes, uint32_t cpu, uint64_t offset,
		      uint64_t size)
{
	const struct perf_event_header header = {
		.type = PERF_DATA_AUXTRACE,
		.size = RECORD,
	};

	byte_buffer_add(bytes, &header, sizeof(header));
	byte_buffer_u64(bytes, size);
	byte_buffer_u64(bytes, offset);
	byte_buffer_u64(bytes, 0);
	byte_buffer_u32(bytes, cpu); /* index */
	byte_buffer_u32(bytes, UINT32_MAX);
	byte_buffer_u32(bytes, cpu);
	byte_buffer_u32(bytes, 0);
	for (uint64_t i = 0; i < size; i++) {
		uint8_t byte = byte_at(cpu, offset + i);

		byte_buffer_add(bytes, &byte, 1);
	}
}

/* Returns the records of the trace of @cpu, two of them. */
static struct byte_buffer trace_of(uint32_t cpu)
{
	struct byte_buffer bytes = { 0 };

	add_trace(&bytes, cpu, 0, TRACE / 4);
	add_trace(&bytes, cpu, TRACE / 4, TRACE - TRACE / 4);
	return bytes;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", fixture.path, name);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
	ck_assert_int_eq(fclose(file), 0);
}

/* Writes the first @size bytes of @bytes, and frees them. */
static void write_part(const char *name, struct byte_buffer bytes, size_t size)
{
	write_file(name, bytes.bytes, size);
	byte_buffer_free(&bytes);
}

static void write_trace(const char *name, uint32_t cpu)
{
	struct byte_buffer bytes = trace_of(cpu);

	write_part(name, bytes, bytes.size);
}

static void write_packed(const char *name, uint32_t cpu, size_t missing)
{
	struct byte_buffer bytes = trace_of(cpu);
	uint8_t packed[2 * TRACE];
	size_t size = ZSTD_compress(packed, sizeof(packed), bytes.bytes,
				    bytes.size, 1);

	ck_assert(!ZSTD_isError(size));
	write_file(name, packed, size - missing);
	byte_buffer_free(&bytes);
}

static void open_it(void)
{
	recording_fixture_write(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, &log_said, &recording),
			 0);
}

static const struct aux_stream *stream_of(int32_t cpu)
{
	const struct aux_stream *stream;
	size_t i = 0;

	do {
		ck_assert_uint_lt(i, recording_stream_count(recording));
		stream = recording_stream(recording, i++);
	} while (stream->cpu != cpu);
	return stream;
}

/* Checks that the stream of @cpu has @size bytes of its trace. */
static void check_stream(int32_t cpu, uint64_t size)
{
	const struct aux_stream *stream = stream_of(cpu);
	struct stream_window window;
	const uint8_t *bytes;

	ck_assert_int_eq(stream_window_open(&window, stream,
					    recording_data_file(recording)),
			 0);
	ck_assert_uint_eq(window.size, size);
	bytes = stream_window_reach(&window, 0, size);
	for (uint64_t i = 0; i < size; i++)
		ck_assert_uint_eq(bytes[i], byte_at((uint32_t)cpu, i));
	stream_window_close(&window);
}

START_TEST(the_trace_of_each_cpu_is_read)
{
	write_trace("data.0", 0);
	write_trace("data.1", 1);
	open_it();
	ck_assert_uint_eq(recording_stream_count(recording), 2);
	check_stream(0, TRACE);
	check_stream(1, TRACE);
	ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_compressed_file_is_read)
{
	write_packed("data.0.zst", 0, 0);
	write_trace("data.1", 1);
	open_it();
	ck_assert_uint_eq(recording_stream_count(recording), 2);
	check_stream(0, TRACE);
	check_stream(1, TRACE);
	ck_assert_str_eq(said, "");
}
END_TEST

START_TEST(a_compressed_file_may_be_cut)
{
	write_packed("data.0.zst", 0, 5);
	write_trace("data.1", 1);
	open_it();
	ck_assert_ptr_nonnull(strstr(said, "data.0.zst: it ends too early"));
	check_stream(1, TRACE);
}
END_TEST

START_TEST(a_file_that_does_not_decompress_is_reported)
{
	write_file("data.0.zst", "no frame of zstd", 16);
	write_trace("data.1", 1);
	open_it();
	ck_assert_ptr_nonnull(strstr(said, "it does not decompress"));
	ck_assert_uint_eq(recording_stream_count(recording), 1);
}
END_TEST

/* Each file alone would be within the budget. */
START_TEST(compressed_files_share_one_budget)
{
	const size_t size = BUDGET_UNPACKED_FREE / 4 * 3;
	const size_t room = ZSTD_compressBound(size);
	uint8_t *zeros = calloc(1, size);
	uint8_t *packed = malloc(room);
	size_t packed_size;

	ck_assert(zeros && packed);
	packed_size = ZSTD_compress(packed, room, zeros, size, 1);
	write_file("data.0.zst", packed, packed_size);
	open_it();
	ck_assert_ptr_null(strstr(said, "decompresses to more"));
	recording_close(recording);
	said[0] = '\0';
	write_file("data.1.zst", packed, packed_size);
	open_it();
	ck_assert_ptr_nonnull(
		strstr(said, "data.1.zst: it decompresses to more"));
	free(zeros);
	free(packed);
}
END_TEST

static const struct {
	uint64_t packed;
	uint64_t unpacked;
} budgets[] = {
	{ 0, 64ull << 20 },
	{ 1 << 20, (64 + 256ull) << 20 },
	{ 1 << 30, 16ull << 30 },
	{ 5ull << 30, 80ull << 30 },
};

START_TEST(a_long_recording_may_unpack_to_any_size)
{
	ck_assert_uint_eq(budget_unpacked(budgets[_i].packed),
			  budgets[_i].unpacked);
}
END_TEST

START_TEST(files_of_more_cpus_than_any_machine_has_are_not_opened)
{
	char name[32];

	for (unsigned int i = 0; i <= BUDGET_STREAMS; i++) {
		snprintf(name, sizeof(name), "data.%u", i);
		write_file(name, "", 0);
	}
	open_it();
	ck_assert_ptr_nonnull(strstr(
		said, "it has 4097 files of trace; only the first 4096 are"));
}
END_TEST

START_TEST(a_killed_recorder_leaves_half_a_record)
{
	struct byte_buffer bytes = trace_of(0);

	write_part("data.0", bytes, bytes.size - 1000);
	open_it();
	check_stream(0, TRACE - 1000);
	ck_assert(stream_of(0)->cut);
}
END_TEST

/* The trace unit wrote the @size bytes of @cpu. */
static void expect_trace(uint32_t cpu, uint64_t size)
{
	const uint64_t aux[3] = { 0, size, 0 };
	const struct fixture_origin origin = { .time_ns = 1000 };

	fixture.cpu = cpu;
	recording_fixture_record(&fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
}

/* A recorder that is killed may have written whole records only. */
START_TEST(trace_that_is_missing_after_whole_records_is_cut)
{
	expect_trace(0, TRACE);
	expect_trace(1, TRACE);
	write_part("data.0", trace_of(0), RECORD + TRACE / 4);
	write_trace("data.1", 1);
	open_it();
	check_stream(0, TRACE / 4);
	ck_assert(stream_of(0)->cut);
	ck_assert(!stream_of(1)->cut);
	ck_assert_str_eq(said, "");
}
END_TEST

static const char *const gone[] = { "removed", "empty" };

START_TEST(the_trace_of_a_cpu_that_is_missing_is_reported)
{
	expect_trace(0, TRACE);
	expect_trace(3, TRACE);
	expect_trace(5, TRACE);
	write_trace("data.0", 0);
	if (_i)
		write_file("data.1", "", 0);
	open_it();
	ck_assert_msg(strstr(said, "the trace of CPU 3 and others is missing"),
		      "%s: '%s'", gone[_i], said);
}
END_TEST

START_TEST(damage_ends_one_file)
{
	struct byte_buffer bytes = trace_of(0);

	memset(bytes.bytes + RECORD + TRACE / 4, 0, RECORD);
	write_part("data.0", bytes, bytes.size);
	write_trace("data.1", 1);
	open_it();
	check_stream(0, TRACE / 4);
	check_stream(1, TRACE);
	ck_assert_ptr_nonnull(strstr(said, "data.0: a record is shorter"));
}
END_TEST

START_TEST(other_files_are_not_read)
{
	write_trace("data.x", 0);
	write_trace("data.0.old", 0);
	write_trace("data.00", 0);
	write_trace("xdata.0", 0);
	open_it();
	ck_assert_uint_eq(recording_stream_count(recording), 0);
}
END_TEST

START_TEST(files_of_other_recorders_are_not_read)
{
	fixture.version = "6.12";
	write_trace("data.0", 0);
	open_it();
	ck_assert_uint_eq(recording_stream_count(recording), 0);
}
END_TEST

/* Packs the recording, and opens the unpacked archive. */
static void pack_and_unpack(struct scratch_folder *scratch)
{
	const struct recording_archive_options options = {
		.without_files = true,
	};
	struct archive_result result = { 0 };
	struct output_folder folder;
	char packed[128];
	char unpacked[128];
	int fd;

	scratch_folder_path(scratch, "packed", packed, sizeof(packed));
	scratch_folder_path(scratch, "unpacked", unpacked, sizeof(unpacked));
	fd = open(packed, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(recording_archive_write(fixture.path, fd, packed,
						 &options, NULL, &result),
			 0);
	close(fd);
	ck_assert_int_eq(output_folder_make(&folder, unpacked, NULL), 0);
	ck_assert_int_eq(unpack(packed, &folder, NULL), 0);
	ck_assert(!output_folder_has(&folder, "data.0"));
	output_folder_close(&folder);
	recording_close(recording);
	ck_assert_int_eq(recording_open(unpacked, NULL, &recording), 0);
}

static size_t trace_records(void)
{
	struct record_walk walk = record_walk_of(recording_store(recording));
	struct record record;
	size_t count = 0;

	while (record_walk_next(&walk, &record) > 0)
		count += record.type == PERF_DATA_AUXTRACE;
	return count;
}

/* The features are after the records, and so move. */
START_TEST(an_archive_joins_the_files)
{
	struct scratch_folder scratch = scratch_folder_new();
	struct byte_buffer bytes = trace_of(1);

	fixture.arch = "x86_64";
	fixture.cpuid = "GenuineIntel,6,78,3";
	write_packed("data.0.zst", 0, 0);
	write_part("data.1", bytes, bytes.size - 1000);
	open_it();
	pack_and_unpack(&scratch);
	ck_assert_uint_eq(recording_stream_count(recording), 2);
	check_stream(0, TRACE);
	check_stream(1, TRACE - 1000);
	ck_assert(!stream_of(1)->cut);
	/* perf continues no packet in another record. */
	ck_assert_uint_eq(trace_records(), 2);
	ck_assert_str_eq(recording_info(recording)->arch, "x86_64");
	ck_assert_str_eq(recording_info(recording)->cpuid,
			 "GenuineIntel,6,78,3");
	scratch_folder_free(&scratch);
}
END_TEST

START_TEST(an_archive_joins_no_trace_across_a_hole)
{
	struct scratch_folder scratch = scratch_folder_new();
	const struct perf_event_header filler = {
		.type = PERF_DATA_FINISHED_INIT,
		.size = sizeof(filler),
	};
	struct byte_buffer bytes = { 0 };

	add_trace(&bytes, 0, 0, 800);
	byte_buffer_add(&bytes, &filler, sizeof(filler));
	add_trace(&bytes, 0, 800, 80);
	add_trace(&bytes, 0, 1000, 800);
	write_part("data.0", bytes, bytes.size);
	open_it();
	pack_and_unpack(&scratch);
	ck_assert_uint_eq(trace_records(), 2);
	scratch_folder_free(&scratch);
}
END_TEST

SUITE("data_parts")
{
	FIXTURE(set_up, tear_down);
	TEST(the_trace_of_each_cpu_is_read);
	TEST(a_compressed_file_is_read);
	TEST(a_compressed_file_may_be_cut);
	TEST(a_file_that_does_not_decompress_is_reported);
	TEST(compressed_files_share_one_budget);
	TEST_EACH(a_long_recording_may_unpack_to_any_size, budgets);
	TEST(files_of_more_cpus_than_any_machine_has_are_not_opened);
	TEST(a_killed_recorder_leaves_half_a_record);
	TEST(trace_that_is_missing_after_whole_records_is_cut);
	TEST_EACH(the_trace_of_a_cpu_that_is_missing_is_reported, gone);
	TEST(damage_ends_one_file);
	TEST(other_files_are_not_read);
	TEST(files_of_other_recorders_are_not_read);
	TEST(an_archive_joins_the_files);
	TEST(an_archive_joins_no_trace_across_a_hole);
}
