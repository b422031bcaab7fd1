/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/file_signals.h"
#include "common/log.h"
#include "common/maps.h"
#include "common/memory.h"
#include "common/packed_bytes.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(arena_memory_is_zeroed_and_aligned)
{
	static const size_t sizes[] = { 1, 24, 100000, 8 };
	struct arena *arena = arena_new();

	ck_assert_ptr_nonnull(arena);
	for (int i = 0; i < 4; i++) {
		unsigned char *p = arena_alloc(arena, sizes[i]);

		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
		ck_assert_uint_eq(p[0] | p[sizes[i] - 1], 0);
		p[0] = 0xff;
	}
	ck_assert_str_eq(arena_text(arena, "abcdef", 3), "abc");
	ck_assert_ptr_null(arena_alloc(arena, SIZE_MAX));
	arena_free(arena);
	arena_free(NULL);
}
END_TEST

START_TEST(texts_lie_close_and_the_rest_aligned)
{
	struct arena *arena = arena_new();
	const char *first = arena_text(arena, "abc", 3);
	const char *second = arena_text(arena, "de", 2);
	unsigned char *p = arena_alloc(arena, 8);

	ck_assert_ptr_eq(second, first + 4);
	ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
	/* An allocation that does not fit in the rest of a block starts
	 * another.
	 */
	for (int i = 0; i < 3; i++) {
		arena_text(arena, "x", 1);
		p = arena_alloc(arena, 65536 - 32);
		ck_assert_ptr_nonnull(p);
		ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
		memset(p, 0xff, 65536 - 32);
	}
	ck_assert_str_eq(first, "abc");
	arena_free(arena);
}
END_TEST

START_TEST(joined_arenas_are_freed_as_one)
{
	struct arena *arena = arena_new();
	struct arena *other = arena_new();
	const char *kept = arena_text(arena, "kept", 4);
	const char *joined = arena_text(other, "joined", 6);

	arena_join(arena, other);
	arena_join(arena, arena_new());
	ck_assert_str_eq(joined, "joined");
	ck_assert_str_eq(kept, "kept");
	ck_assert_str_eq(arena_text(arena, "more", 4), "more");
	arena_free(arena);
}
END_TEST

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

START_TEST(array_appends_copies)
{
	struct array array = ARRAY_OF(int);

	for (int i = 0; i < 100; i++)
		ck_assert_int_eq(array_append(&array, &i), 0);
	ck_assert_uint_eq(array.count, 100);
	for (size_t i = 0; i < 100; i++)
		ck_assert_int_eq(*(int *)array_at(&array, i), (int)i);
	array_free(&array);
}
END_TEST

START_TEST(array_grows_and_sorts)
{
	struct array array = ARRAY_OF(int);

	array_sort(&array, compare_ints);
	for (int i = 0; i < 1000; i++) {
		int *item = array_add(&array);

		ck_assert_ptr_nonnull(item);
		ck_assert_int_eq(*item, 0);
		*item = 1000 - i;
	}
	array_sort(&array, compare_ints);
	ck_assert_int_eq(*(int *)array_at(&array, 0), 1);
	ck_assert_int_eq(*(int *)array_at(&array, 999), 1000);
	array_free(&array);
	ck_assert_uint_eq(array.count, 0);
}
END_TEST

START_TEST(array_reaches_an_item_by_adding_those_before_it)
{
	struct array array = ARRAY_OF(int);
	int *item = array_reach(&array, 2);

	ck_assert_ptr_nonnull(item);
	*item = 7;
	ck_assert_uint_eq(array.count, 3);
	ck_assert_int_eq(*(int *)array_reach(&array, 0), 0);
	ck_assert_int_eq(*(int *)array_reach(&array, 2), 7);
	ck_assert_uint_eq(array.count, 3);
	/* Far away, and in reused memory. */
	ck_assert_int_eq(*(int *)array_reach(&array, 1000), 0);
	memset(array.items, 7, array.count * array.item_size);
	array.count = 1;
	ck_assert_int_eq(*(int *)array_reach(&array, 900), 0);
	ck_assert_int_eq(*(int *)array_at(&array, 1), 0);
	ck_assert_uint_eq(array.count, 901);
	array_free(&array);
}
END_TEST

START_TEST(array_takes_items_out)
{
	struct array array = ARRAY_OF(int);

	for (int i = 0; i < 6; i++)
		*(int *)array_add(&array) = i;
	array_remove(&array, 1, 2);
	array_remove(&array, 3, 1);
	array_remove(&array, 3, 0);
	ck_assert_uint_eq(array.count, 3);
	ck_assert_int_eq(*(int *)array_at(&array, 0), 0);
	ck_assert_int_eq(*(int *)array_at(&array, 1), 3);
	ck_assert_int_eq(*(int *)array_at(&array, 2), 4);
	array_remove(&array, 0, 3);
	ck_assert_uint_eq(array.count, 0);
	array_free(&array);
}
END_TEST

START_TEST(equal_texts_get_equal_numbers)
{
	struct string_pool *pool = string_pool_new();
	char text[16];

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			int length = snprintf(text, sizeof(text), "n%u", i);

			ck_assert_uint_eq(
				string_pool_add(pool, text, (size_t)length), i);
		}
	ck_assert_uint_eq(string_pool_count(pool), 5000);
	ck_assert_str_eq(string_pool_text(pool, 4321), "n4321");
	ck_assert_uint_eq(string_pool_add(pool, "n1x", 2), 1);
	ck_assert_uint_eq(string_pool_add(pool, "", 0), 5000);
	string_pool_free(pool);
	string_pool_free(NULL);
}
END_TEST

static bool is_below(const void *item, const void *key)
{
	return *(const int *)item < *(const int *)key;
}

START_TEST(a_partition_point_is_where_a_key_goes)
{
	static const struct {
		int key;
		size_t wanted;
	} cases[] = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { 3, 1 }, { 4, 4 } };
	int items[] = { 1, 3, 3, 3 };
	const struct array array = { .items = items,
				     .count = 4,
				     .item_size = sizeof(*items) };
	const struct array empty = ARRAY_OF(int);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_uint_eq(array_partition_point(&array, &cases[i].key,
							is_below),
				  cases[i].wanted);
		ck_assert_uint_eq(array_partition_point(&empty, &cases[i].key,
							is_below),
				  0);
	}
}
END_TEST

START_TEST(reading_stops_at_the_end)
{
	const uint8_t bytes[] = { 1, 2, 3, 4, 5, 'a', 0, 'b' };
	struct byte_reader reader = byte_reader_of(bytes, sizeof(bytes));

	ck_assert_uint_eq(byte_reader_u8(&reader), 1);
	ck_assert_uint_eq(byte_reader_u32(&reader), 0x05040302);
	ck_assert_str_eq(byte_reader_text(&reader), "a");
	ck_assert_uint_eq(byte_reader_left(&reader), 1);
	ck_assert(!reader.failed);
	ck_assert_str_eq(byte_reader_text(&reader), "");
	ck_assert(reader.failed);
	ck_assert_uint_eq(byte_reader_u64(&reader), 0);
	ck_assert_ptr_null(byte_reader_bytes(&reader, 1));
	ck_assert_uint_eq(byte_reader_left(&reader), 0);
}
END_TEST

static void keep_message(void *ctx, enum log_level level, const char *file,
			 uint64_t offset, const char *text)
{
	snprintf(ctx, 64, "%d %s %llu %s", (int)level, file,
		 (unsigned long long)offset, text);
}

START_TEST(messages_carry_their_place)
{
	char got[64] = "";
	const struct log log = { keep_message, got };

	log_message(&log, LOG_WARNING, "f", 7, "%s %d", "x", 3);
	ck_assert_str_eq(got, "1 f 7 x 3");
	log_message(NULL, LOG_ERROR, "f", 7, "nobody listens");
}
END_TEST

START_TEST(kept_messages_are_handed_on_in_order)
{
	char got[64] = "";
	char file[] = "f";
	const struct log log = { keep_message, got };
	struct log_buffer *kept = log_buffer_new();

	log_message(log_buffer_log(kept), LOG_NOTE, "g", LOG_NO_OFFSET,
		    "first");
	log_message(log_buffer_log(kept), LOG_WARNING, file, 7, "100%% %s",
		    "y");
	file[0] = '?';
	ck_assert_str_eq(got, "");
	log_buffer_pass_on(kept, &log);
	ck_assert_str_eq(got, "1 f 7 100% y");
	log_buffer_pass_on(kept, NULL);
	log_buffer_free(kept);
	log_buffer_free(NULL);
}
END_TEST

START_TEST(errors_have_texts)
{
	for (int error = 0; error <= ERROR_UNSUPPORTED; error++) {
		ck_assert_str_ne(error_text(error), "unknown error");
		ck_assert_str_eq(error_text(error), error_text(-error));
	}
	ck_assert_str_eq(error_text(999), "unknown error");
}
END_TEST

/* Returns the last byte of a mapped file of two pages, whose second page is cut
 * off before it is read.
 */
static int read_cut_file(const char *path)
{
	struct file_map map;

	if (file_map_open(&map, path, NULL) || truncate(path, 1))
		return 2;
	file_signals_handle();
	return *(const volatile uint8_t *)&map.bytes[map.size - 1];
}

START_TEST(a_file_that_shrinks_while_read_is_named)
{
	char path[] = "/tmp/ktrace-hw-shrinks.XXXXXX";
	int fd = mkstemp(path);
	char text[512] = "";
	int ends[2];
	int status;
	pid_t pid;

	ck_assert_int_eq(ftruncate(fd, 2 * sysconf(_SC_PAGESIZE)), 0);
	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		_exit(read_cut_file(path));
	}
	close(ends[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	for (size_t at = 0; at < sizeof(text) - 1;) {
		ssize_t count = read(ends[0], text + at, sizeof(text) - 1 - at);

		if (count <= 0)
			break;
		at += (size_t)count;
	}
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 1);
	ck_assert_msg(strstr(text, path), "%s", text);
	ck_assert_msg(strstr(text, "it became shorter"), "%s", text);
	close(ends[0]);
	close(fd);
	unlink(path);
}
END_TEST

START_TEST(a_limit_of_file_sizes_is_an_error_of_the_write)
{
	char path[] = "/tmp/ktrace-hw-limit.XXXXXX";
	int fd = mkstemp(path);
	int status;
	pid_t pid = fork();

	if (!pid) {
		const struct rlimit limit = { 1, 1 };

		file_signals_handle();
		setrlimit(RLIMIT_FSIZE, &limit);
		_exit(write(fd, "12", 2) != 1 || write(fd, "3", 1) != -1 ||
		      errno != EFBIG);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	close(fd);
	unlink(path);
}
END_TEST

/* The vectors of RFC 4648. */
START_TEST(base64_is_padded)
{
	static const char *const cases[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "\xff\xef\xbe", "/+++" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct byte_buffer text = { 0 };

		byte_buffer_base64(&text, cases[i][0], strlen(cases[i][0]));
		byte_buffer_zeros(&text, 1);
		ck_assert_str_eq((const char *)text.bytes, cases[i][1]);
		byte_buffer_free(&text);
	}
}
END_TEST

START_TEST(gzip_makes_equal_bytes_small)
{
	static const uint8_t zeros[100000];
	struct byte_buffer packed = { 0 };

	byte_buffer_gzip(&packed, zeros, sizeof(zeros));
	ck_assert(!packed.failed);
	ck_assert_mem_eq(packed.bytes, "\x1f\x8b", 2);
	ck_assert_uint_lt(packed.size, 1000);
	byte_buffer_free(&packed);
}
END_TEST

/* Texts and the lengths of their lines. */
static const struct {
	const char *text;
	size_t lengths[3];
	size_t count;
} lines[] = {
	{ "", { 0 }, 0 },
	{ "one", { 3 }, 1 },
	{ "one\n", { 3 }, 1 },
	{ "\n\n", { 0, 0 }, 2 },
	{ "a\n\nbc", { 1, 0, 2 }, 3 },
};

START_TEST(a_text_has_lines)
{
	const char *text = lines[_i].text;
	size_t size = strlen(text);
	size_t count = 0;

	while (size) {
		ck_assert_uint_lt(count, lines[_i].count);
		ck_assert_uint_eq(text_skip_line(&text, &size),
				  lines[_i].lengths[count++]);
	}
	ck_assert_uint_eq(count, lines[_i].count);
	ck_assert_ptr_eq(text, lines[_i].text + strlen(lines[_i].text));
}
END_TEST

SUITE("common")
{
	TEST(arena_memory_is_zeroed_and_aligned);
	TEST(texts_lie_close_and_the_rest_aligned);
	TEST(joined_arenas_are_freed_as_one);
	TEST(array_appends_copies);
	TEST(array_grows_and_sorts);
	TEST(array_reaches_an_item_by_adding_those_before_it);
	TEST(array_takes_items_out);
	TEST(equal_texts_get_equal_numbers);
	TEST(a_partition_point_is_where_a_key_goes);
	TEST(reading_stops_at_the_end);
	TEST(base64_is_padded);
	TEST(gzip_makes_equal_bytes_small);
	TEST(messages_carry_their_place);
	TEST(kept_messages_are_handed_on_in_order);
	TEST(errors_have_texts);
	TEST(a_file_that_shrinks_while_read_is_named);
	TEST(a_limit_of_file_sizes_is_an_error_of_the_write);
	TEST_EACH(a_text_has_lines, lines);
}
