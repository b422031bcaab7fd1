/* SPDX-License-Identifier: MIT */
#include "decoder/recording/aux_stream.h"
#include "decoder/recording/record_walk.h"
#include "decoder/recording/recording.h"
#include "tests/run_suite.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A stream of some large pages, in chunks of a file that are not adjacent. */
enum {
	PIECES = 150,
	PIECE_BYTES = 65537,
	BETWEEN = 24,
	STREAM_BYTES = PIECES * PIECE_BYTES,
	FILE_BYTES = PIECES * (PIECE_BYTES + BETWEEN),
};

struct file_stream {
	uint8_t *file;
	struct data_file data; /* the same file, for reading */
	struct aux_piece pieces[PIECES];
	struct aux_stream stream;
	struct stream_window window;
};

static uint8_t byte_at(size_t position)
{
	return (uint8_t)(position * 0x9e3779b1 >> 13);
}

/* @is_open: it is read from there, and not touched in memory. */
static void write_file(struct file_stream *s, bool is_open)
{
	int fd = memfd_create("stream", 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(ftruncate(fd, FILE_BYTES), 0);
	s->file = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       0);
	ck_assert_ptr_ne(s->file, MAP_FAILED);
	for (size_t i = 0; i < STREAM_BYTES; i++)
		s->file[i + i / PIECE_BYTES * BETWEEN] = byte_at(i);
	s->data = (struct data_file){
		.map = { .bytes = s->file, .size = FILE_BYTES },
		.has_fd = is_open,
		.fd = fd,
	};
	if (is_open)
		ck_assert_int_eq(mprotect(s->file, FILE_BYTES, PROT_NONE), 0);
}

static void open_stream(struct file_stream *s, bool is_open)
{
	write_file(s, is_open);
	for (size_t i = 0; i < PIECES; i++)
		s->pieces[i] = (struct aux_piece){
			.size_bytes = PIECE_BYTES,
			.bytes = s->file + i * (PIECE_BYTES + BETWEEN),
		};
	s->stream = (struct aux_stream){
		.pieces = s->pieces,
		.piece_count = PIECES,
	};
	ck_assert_int_eq(stream_window_open(&s->window, &s->stream, &s->data),
			 0);
	ck_assert_uint_eq(s->window.size, STREAM_BYTES);
}

static void close_stream(struct file_stream *s)
{
	stream_window_close(&s->window);
	munmap(s->file, FILE_BYTES);
	close(s->data.fd);
}

static void check_bytes(struct file_stream *s, size_t from, size_t to)
{
	const uint8_t *bytes = stream_window_reach(&s->window, from, to);

	ck_assert_ptr_eq(bytes, s->window.bytes);
	if (to > STREAM_BYTES)
		to = STREAM_BYTES;
	for (size_t i = from; i < to; i++)
		if (bytes[i] != byte_at(i))
			ck_abort_msg("byte %zu is another", i);
}

START_TEST(all_bytes_are_read_in_order)
{
	struct file_stream s;

	open_stream(&s, _i);
	for (size_t at = 0; at < STREAM_BYTES; at += 5000)
		check_bytes(&s, at, at + 9000);
	ck_assert_uint_eq(s.window.copied_to, STREAM_BYTES);
	close_stream(&s);
}
END_TEST

static size_t pages_there(const struct file_stream *s)
{
	unsigned char there[STREAM_BYTES / 4096 + 2];
	size_t pages = 0;

	ck_assert_int_eq(mincore(s->window.copy, STREAM_BYTES, there), 0);
	for (size_t i = 0; i < STREAM_BYTES / 4096; i++)
		pages += there[i] & 1;
	return pages;
}

/* Half a megabyte is enough for a stream of ten. */
enum { FEW_PAGES = 128 };

START_TEST(bytes_that_are_done_take_no_memory)
{
	struct file_stream s;

	open_stream(&s, _i);
	for (size_t at = 0; at < STREAM_BYTES; at += 30000)
		check_bytes(&s, at, at + 30000);
	ck_assert_uint_le(pages_there(&s), FEW_PAGES);
	close_stream(&s);
}
END_TEST

START_TEST(places_are_read_in_any_order)
{
	struct file_stream s;
	size_t at = 0;

	open_stream(&s, _i);
	for (int i = 0; i < 200; i++) {
		at = (at + 3456789) % STREAM_BYTES;
		check_bytes(&s, at, at + 100);
	}
	for (at = 1000; at < STREAM_BYTES / 2; at += 100000)
		check_bytes(&s, at, at + 100000);
	check_bytes(&s, 500, 70000);
	check_bytes(&s, STREAM_BYTES - 10, STREAM_BYTES);
	close_stream(&s);
}
END_TEST

/* Alternate intervals, as read by one of two threads, share the same memory. */
START_TEST(intervals_share_memory)
{
	enum { STRETCH = 250000 };
	struct file_stream s;

	open_stream(&s, _i);
	for (size_t at = 1000; at < STREAM_BYTES; at += 2 * STRETCH)
		for (size_t i = 0; i < STRETCH; i += 10000)
			check_bytes(&s, at + i, at + i + 10000);
	check_bytes(&s, 0, STRETCH);
	ck_assert_uint_le(pages_there(&s), FEW_PAGES);
	close_stream(&s);
}
END_TEST

/* A range larger than the cache stays mapped while it is being read at once. */
START_TEST(as_many_as_are_wanted_are_there_at_once)
{
	struct file_stream s;

	open_stream(&s, _i);
	check_bytes(&s, 1000, 200000);
	check_bytes(&s, 150000, 3000000);
	check_bytes(&s, 2900000, STREAM_BYTES);
	close_stream(&s);
}
END_TEST

/* Reads of bytes that are no longer in the file, or never were, fail. */
START_TEST(a_file_gives_no_more_than_it_has)
{
	static uint8_t copy[FILE_BYTES];
	uint8_t other = 1;
	struct file_stream s;

	open_stream(&s, true);
	ck_assert(data_file_copy(&s.data, s.file + 7, 100, copy));
	ck_assert_uint_eq(copy[0], byte_at(7));
	ck_assert(!data_file_copy(&s.data, s.file + 7, FILE_BYTES, copy));
	ck_assert(!data_file_copy(&s.data, &other, 1, copy));
	ck_assert_int_eq(ftruncate(s.data.fd, 1000), 0);
	ck_assert(!data_file_copy(&s.data, s.file + 900, 101, copy));
	s.data.has_fd = false;
	ck_assert(!data_file_copy(&s.data, s.file, 1, copy));
	close_stream(&s);
}
END_TEST

SUITE("stream_window")
{
	TEST_TIMES(all_bytes_are_read_in_order, 2);
	TEST_TIMES(bytes_that_are_done_take_no_memory, 2);
	TEST_TIMES(places_are_read_in_any_order, 2);
	TEST_TIMES(intervals_share_memory, 2);
	TEST_TIMES(as_many_as_are_wanted_are_there_at_once, 2);
	TEST(a_file_gives_no_more_than_it_has);
}
