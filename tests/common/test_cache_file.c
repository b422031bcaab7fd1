/* SPDX-License-Identifier: MIT */
/* Cached records are read back unchanged, only those that may be wanted, and
 * none from a file that does not match.
 */
#include "common/files/cache_file.h"

#include "common/bytes.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Three chunks, the last one not full: each record begins when the one before
 * ends.
 */
enum { KEY = 42, RECORDS = 2 * CACHE_CHUNK_RECORDS + 10, NS = 100 };

struct cached_folder {
	struct scratch_folder folder;
	char path[128];
};

static struct cached_folder keep(bool is_finished)
{
	struct cached_folder kept = { .folder = scratch_folder_new() };
	struct cache_file_writer *writer;

	scratch_folder_path(&kept.folder, "records", kept.path,
			    sizeof(kept.path));
	writer = cache_file_writer_open(kept.path, KEY);
	ck_assert_ptr_nonnull(writer);
	for (uint64_t i = 0; i < RECORDS; i++) {
		const struct cached_span span =
			cached_span_of(i * NS, (i + 1) * NS);

		pack_u64(cache_file_writer_pack(writer), &i);
		cache_file_writer_add(writer, &span);
	}
	if (is_finished)
		cache_file_writer_finish(writer);
	cache_file_writer_close(writer);
	return kept;
}

/* Returns the number of records of chunk @index, which must be in order after
 * *@next; -1 if it is damaged.
 */
static int count_chunk(const struct cache_file *file, size_t index,
		       uint64_t *next)
{
	const struct cached_chunk *chunk = array_at(&file->chunks, index);
	size_t size;
	void *bytes = cache_file_read(file, index, &size);
	struct pack pack = pack_to_read(bytes, bytes ? size : 0);

	for (uint32_t i = 0; bytes && i < chunk->records; i++) {
		uint64_t number;

		pack_u64(&pack, &number);
		ck_assert(*next == UINT64_MAX || number == *next);
		*next = number + 1;
	}
	ck_assert(!bytes || pack_is_whole(&pack));
	free(bytes);
	return bytes ? (int)chunk->records : -1;
}

/* Returns the number of records in chunks that @wanted may want; -1 if there
 * are none or a chunk is damaged. Sets *@first to the first record's number.
 */
static int count_read(const char *path, uint64_t key,
		      const struct cached_span *wanted, uint64_t *first)
{
	struct cache_file file;
	bool is_open = cache_file_open(&file, path, key, wanted);
	uint64_t next = UINT64_MAX;
	int count = 0;

	for (size_t i = 0; is_open && i < file.chunks.count; i++) {
		int records = count_chunk(&file, i, &next);

		is_open = records >= 0;
		count += records;
	}
	*first = next - (uint64_t)count;
	cache_file_close(&file);
	return is_open ? count : -1;
}

START_TEST(records_come_back_as_they_were)
{
	const struct cached_span all = CACHED_SPAN_ALL;
	struct cached_folder kept = keep(true);
	uint64_t first;

	ck_assert_int_eq(count_read(kept.path, KEY, &all, &first), RECORDS);
	ck_assert_uint_eq(first, 0);
	ck_assert_int_eq(count_read(kept.path, KEY + 1, &all, &first), -1);
	scratch_folder_free(&kept.folder);
}
END_TEST

START_TEST(what_is_not_finished_is_not_there)
{
	const struct cached_span all = CACHED_SPAN_ALL;
	struct cached_folder kept = keep(false);
	uint64_t first;

	ck_assert_int_eq(count_read(kept.path, KEY, &all, &first), -1);
	scratch_folder_free(&kept.folder);
}
END_TEST

enum { CHUNK = CACHE_CHUNK_RECORDS };

/* By the numbers of records: the wanted starts and ends, and the chunks. */
static const struct {
	struct cached_span wanted;
	uint64_t first;
	int count;
} windows[] = {
	{ { 5, 8, 0, RECORDS }, 0, CHUNK },
	{ { 0, RECORDS, 5, 8 }, 0, CHUNK },
	{ { CHUNK - 1, CHUNK, 0, RECORDS }, 0, 2 * CHUNK },
	{ { CHUNK, CHUNK, 0, RECORDS }, CHUNK, CHUNK },
	{ { 0, RECORDS, CHUNK, CHUNK }, 0, CHUNK },
	{ { 2 * CHUNK, RECORDS, 0, RECORDS }, 2 * CHUNK, 10 },
	{ { RECORDS, RECORDS + 9, 0, RECORDS + 9 }, UINT64_MAX, 0 },
};

START_TEST(a_window_has_its_chunks)
{
	struct cached_span wanted = windows[_i].wanted;
	struct cached_folder kept = keep(true);
	uint64_t first;

	wanted.first_begin_ns *= NS;
	wanted.last_begin_ns *= NS;
	wanted.first_end_ns *= NS;
	wanted.last_end_ns *= NS;
	ck_assert_int_eq(count_read(kept.path, KEY, &wanted, &first),
			 windows[_i].count);
	ck_assert_uint_eq(first, windows[_i].first);
	scratch_folder_free(&kept.folder);
}
END_TEST

static void change_byte(const char *path, off_t place)
{
	int fd = open(path, O_RDWR);
	uint8_t byte;

	ck_assert_int_eq(pread(fd, &byte, 1, place), 1);
	byte ^= 0x41;
	ck_assert_int_eq(pwrite(fd, &byte, 1, place), 1);
	close(fd);
}

START_TEST(damage_is_found)
{
	const struct cached_span all = CACHED_SPAN_ALL;
	struct cached_folder kept = keep(true);
	struct stat file;
	uint64_t first;

	ck_assert_int_eq(stat(kept.path, &file), 0);
	for (off_t place = 0; place < file.st_size; place += 37) {
		change_byte(kept.path, place);
		ck_assert_int_eq(count_read(kept.path, KEY, &all, &first), -1);
		change_byte(kept.path, place);
	}
	ck_assert_int_eq(truncate(kept.path, file.st_size / 2), 0);
	ck_assert_int_eq(count_read(kept.path, KEY, &all, &first), -1);
	scratch_folder_free(&kept.folder);
}
END_TEST

SUITE("cache_file")
{
	TEST(records_come_back_as_they_were);
	TEST(what_is_not_finished_is_not_there);
	TEST_EACH(a_window_has_its_chunks, windows);
	TEST(damage_is_found);
}
