/* SPDX-License-Identifier: MIT */
#include "report/deflate/match_finder.h"
#include "report/deflate/zlib_writer.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST = 1 << 18, RECORD = 12 };

static uint8_t bytes[MOST];
static struct zlib_writer *writer;

static void setup(void)
{
	srandom(1);
	memset(bytes, 0, sizeof(bytes));
	writer = zlib_writer_new(MOST);
	ck_assert_ptr_nonnull(writer);
}

static void teardown(void)
{
	zlib_writer_free(writer);
}

typedef void fill_bytes(size_t size);

static void zeros(size_t size)
{
	(void)size;
}

static void noise(size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)random();
}

/* Records that differ in one byte or none. */
static void records(size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i % RECORD ? i % RECORD :
						  (size_t)random() % 8);
}

/* What repeats is as far away as a match may be. */
static void as_far_as_may_be(size_t size)
{
	noise(MATCH_FARTHEST);
	for (size_t i = MATCH_FARTHEST; i < size; i++)
		bytes[i] = bytes[i - MATCH_FARTHEST];
}

/* And one byte farther, where it must not be used. */
static void too_far(size_t size)
{
	noise(MATCH_FARTHEST + 1);
	for (size_t i = MATCH_FARTHEST + 1; i < size; i++)
		bytes[i] = bytes[i - MATCH_FARTHEST - 1];
}

/* Bytes whose counts make codes of all lengths. */
static void skewed(size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)__builtin_ctzl((unsigned long)random() |
						   1ul << 40);
}

/* Repeats of each length that a match may have, and longer ones. */
static void all_lengths(size_t size)
{
	size_t place = 300;

	noise(size);
	for (size_t length = 1; place + length + 1 < size; length++) {
		memcpy(bytes + place, bytes, length % 300);
		place += length % 300 + 1;
	}
}

static const struct {
	fill_bytes *fill;
	size_t size;
	size_t most; /* compressed */
} cases[] = {
	{ zeros, 0, 200 },
	{ zeros, 1, 200 },
	{ noise, 7, 200 },
	{ noise, 8, 200 },
	{ zeros, 9, 200 },
	{ zeros, MOST, 1500 },
	{ noise, MOST, MOST + MOST / 50 },
	{ records, 1000, 500 },
	{ records, MOST, MOST / 6 },
	{ as_far_as_may_be, MOST, MATCH_FARTHEST * 3 / 2 },
	{ too_far, MOST, MOST + MOST / 50 },
	{ skewed, MOST, MOST * 2 / 5 },
	{ all_lengths, MOST, MOST },
};

START_TEST(zlib_reads_what_is_written)
{
	static uint8_t read[MOST];
	size_t size = cases[_i].size;
	uLongf length = sizeof(read);
	size_t compressed;
	const uint8_t *written;

	cases[_i].fill(size);
	written = zlib_writer_compress(writer, bytes, size, &compressed);
	ck_assert_uint_le(compressed, cases[_i].most);
	ck_assert_int_eq(uncompress(read, &length, written, compressed), Z_OK);
	ck_assert_uint_eq(length, size);
	ck_assert_mem_eq(read, bytes, size);
}
END_TEST

/* Nothing is kept of the bytes before. */
START_TEST(each_time_begins_anew)
{
	uint8_t *first;
	size_t first_size;
	size_t size;
	const uint8_t *written;

	records(1000);
	written = zlib_writer_compress(writer, bytes, 1000, &first_size);
	first = malloc(first_size);
	memcpy(first, written, first_size);
	zlib_writer_compress(writer, bytes + 1, 700, &size);
	written = zlib_writer_compress(writer, bytes, 1000, &size);
	ck_assert_uint_eq(size, first_size);
	ck_assert_mem_eq(written, first, size);
	free(first);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("zlib_writer");
	TCase *tcase = tcase_create("all");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, zlib_reads_what_is_written, 0,
			    sizeof(cases) / sizeof(*cases));
	tcase_add_test(tcase, each_time_begins_anew);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
