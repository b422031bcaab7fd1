/* SPDX-License-Identifier: MIT */
#include "report/text/line_buffer.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <unistd.h>

enum { ROOM = 4 * LINE_BUFFER_BYTES };

/* Begins so that just @left bytes have room. */
static void start(struct line_buffer *buffer, FILE *out, size_t left)
{
	line_buffer_start(buffer, out);
	for (size_t i = 0; i < LINE_BUFFER_BYTES - left; i++)
		line_buffer_put(buffer, "x", 1);
}

/* Each write function, with room for @_i bytes only. */
START_TEST(a_text_larger_than_the_buffer_is_not_lost)
{
	static char expected[ROOM];
	struct line_buffer buffer;
	size_t left = (size_t)_i;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	start(&buffer, out, left);
	line_buffer_text(&buffer, "abc");
	line_buffer_number(&buffer, UINT64_MAX);
	line_buffer_signed(&buffer, INT64_MIN);
	line_buffer_aligned(&buffer, 7, 4);
	line_buffer_aligned(&buffer, 1234, 6);
	line_buffer_aligned(&buffer, 1234, 3);
	line_buffer_spaces(&buffer, 5);
	line_buffer_put(&buffer, "", 0);
	line_buffer_text(&buffer, "z\n");
	line_buffer_flush(&buffer);
	fclose(out);
	memset(expected, 'x', LINE_BUFFER_BYTES - left);
	strcpy(expected + LINE_BUFFER_BYTES - left,
	       "abc18446744073709551615-9223372036854775808   7  12341234"
	       "     z\n");
	ck_assert_str_eq(text, expected);
	free(text);
}
END_TEST

static const size_t lengths[] = {
	0,
	1,
	47,
	48,
	49,
	LINE_BUFFER_BYTES - 1,
	LINE_BUFFER_BYTES,
	LINE_BUFFER_BYTES + 1,
	3 * LINE_BUFFER_BYTES + 5,
};

START_TEST(any_length_is_written)
{
	static char long_text[ROOM];
	struct line_buffer buffer;
	size_t length = lengths[_i];
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	memset(long_text, 'y', sizeof(long_text));
	start(&buffer, out, 10);
	line_buffer_put(&buffer, long_text, length);
	line_buffer_spaces(&buffer, length);
	line_buffer_put(&buffer, "z", 1);
	line_buffer_flush(&buffer);
	fclose(out);
	ck_assert_uint_eq(size, LINE_BUFFER_BYTES - 10 + 2 * length + 1);
	for (size_t i = 0; i < length; i++) {
		ck_assert_int_eq(text[LINE_BUFFER_BYTES - 10 + i], 'y');
		ck_assert_int_eq(text[LINE_BUFFER_BYTES - 10 + length + i],
				 ' ');
	}
	ck_assert_int_eq(text[size - 1], 'z');
	free(text);
}
END_TEST

/* Counts a reader's bytes and writes. */
struct reader {
	size_t bytes;
	size_t writes;
};

static ssize_t read_it(void *cookie, const char *bytes, size_t size)
{
	struct reader *reader = cookie;

	(void)bytes;
	reader->bytes += size;
	reader->writes++;
	return (ssize_t)size;
}

static FILE *reader_open(struct reader *reader, int mode)
{
	FILE *out = fopencookie(reader, "w",
				(cookie_io_functions_t){ .write = read_it });

	ck_assert_ptr_nonnull(out);
	ck_assert_int_eq(setvbuf(out, NULL, mode, BUFSIZ), 0);
	return out;
}

START_TEST(a_line_reader_gets_each_line_at_once)
{
	struct reader reader = { 0 };
	FILE *out = reader_open(&reader, _IOLBF);
	struct line_buffer buffer;

	line_buffer_start(&buffer, out);
	line_buffer_text(&buffer, "half ");
	ck_assert_uint_eq(reader.bytes, 0);
	line_buffer_text(&buffer, "a line\n");
	line_buffer_end(&buffer);
	ck_assert_uint_eq(reader.bytes, 12);
	line_buffer_text(&buffer, "another\n");
	line_buffer_end(&buffer);
	ck_assert_uint_eq(reader.bytes, 20);
	fclose(out);
}
END_TEST

START_TEST(a_terminal_does_not_get_thousands_of_lines_at_once)
{
	enum { LINES = 100000 };
	struct reader reader = { 0 };
	FILE *out = reader_open(&reader, _IOLBF);
	struct line_buffer buffer;

	line_buffer_start(&buffer, out);
	for (int i = 0; i < LINES; i++) {
		line_buffer_text(&buffer, "line\n");
		line_buffer_end(&buffer);
	}
	line_buffer_flush(&buffer);
	fclose(out);
	ck_assert_uint_eq(reader.bytes, LINES * 5);
	ck_assert_uint_lt(reader.writes, LINES / 4);
}
END_TEST

START_TEST(others_get_blocks)
{
	struct reader reader = { 0 };
	FILE *out = reader_open(&reader, _IOFBF);
	struct line_buffer buffer;

	line_buffer_start(&buffer, out);
	line_buffer_text(&buffer, "line\n");
	line_buffer_end(&buffer);
	ck_assert_uint_eq(reader.bytes, 0);
	line_buffer_flush(&buffer);
	fclose(out);
	ck_assert_uint_eq(reader.bytes, 5);
}
END_TEST

START_TEST(a_full_disk_is_noted)
{
	FILE *out = fopen("/dev/full", "we");
	struct line_buffer buffer;

	ck_assert_ptr_nonnull(out);
	line_buffer_start(&buffer, out);
	line_buffer_spaces(&buffer, 3 * LINE_BUFFER_BYTES);
	line_buffer_flush(&buffer);
	ck_assert(fflush(out) == EOF || ferror(out));
	fclose(out);
}
END_TEST

/* Text of any length, including none. */
START_TEST(without_a_file_it_is_kept)
{
	static char text[ROOM];
	struct line_buffer buffer;
	size_t size;
	char *kept;

	memset(text, 'k', lengths[_i]);
	text[lengths[_i]] = 0;
	line_buffer_start(&buffer, NULL);
	line_buffer_text(&buffer, "a");
	line_buffer_text(&buffer, text);
	kept = line_buffer_kept(&buffer, &size);
	ck_assert_uint_eq(size, 1 + lengths[_i]);
	ck_assert_int_eq(*kept, 'a');
	ck_assert_str_eq(kept + 1, text);
	free(kept);
	kept = line_buffer_kept(&buffer, &size);
	ck_assert_str_eq(kept, "");
	ck_assert_uint_eq(size, 0);
	free(kept);
}
END_TEST

SUITE("line_buffer")
{
	TEST_TIMES(a_text_larger_than_the_buffer_is_not_lost, 64);
	TEST_EACH(any_length_is_written, lengths);
	TEST(a_line_reader_gets_each_line_at_once);
	TEST(a_terminal_does_not_get_thousands_of_lines_at_once);
	TEST(others_get_blocks);
	TEST(a_full_disk_is_noted);
	TEST_EACH(without_a_file_it_is_kept, lengths);
}
