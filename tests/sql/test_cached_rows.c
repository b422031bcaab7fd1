/* SPDX-License-Identifier: MIT */
/* Cached rows are read back unchanged, only those in the requested range, and
 * none from a file that does not match.
 */
#include "sql/cached/cached_rows.h"

#include "sql/rows/row_queue.h"
#include "sql/tables/sql_tables.h"
#include "tests/run_suite.h"
#include "tests/scratch_folder_fixture.h"
#include "tests/store_rows_fixture.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Three chunks of sleeps, the last one not full: each begins when the one
 * before ends.
 */
enum { KEY = 42, ROWS = 2 * CACHE_CHUNK_RECORDS + 10, NS = 100 };

struct cached_folder {
	struct scratch_folder folder;
	char path[128];
};

static void keep_row(struct cached_writer *writer, int64_t number)
{
	struct row_chunk *row = store_rows_new(TABLE_SLEEP);

	store_rows_add(row);
	store_rows_number(row, "begin_ns", number * NS);
	store_rows_number(row, "end_ns", (number + 1) * NS);
	store_rows_number(row, "tid", -number);
	if (number % 2)
		store_rows_text(row, "function", "do_wait");
	store_rows_text(row, "comm", "");
	writer->listener.take(&writer->listener, row, 0);
	row_chunk_free(row);
}

static struct cached_folder keep(bool is_finished)
{
	struct cached_folder kept = { .folder = scratch_folder_new() };
	struct cached_writer *writer;

	scratch_folder_path(&kept.folder, "rows_sleep", kept.path,
			    sizeof(kept.path));
	writer = cached_writer_open(kept.path, KEY);
	ck_assert_ptr_nonnull(writer);
	for (int64_t i = 0; i < ROWS; i++)
		keep_row(writer, i);
	if (is_finished)
		cached_writer_finish(writer);
	cached_writer_close(writer);
	return kept;
}

static uint32_t column_of(const char *name)
{
	const struct sql_table *table = sql_table_at(TABLE_SLEEP);
	uint32_t i = 0;

	while (strcmp(table->columns[i].name, name) != 0)
		i++;
	return i;
}

static void check_row(const struct row_chunk *chunk, uint32_t row,
		      int64_t number)
{
	const union sql_cell *cells = row_chunk_cells(chunk, row);
	uint32_t function = column_of("function");

	ck_assert_int_eq(cells[column_of("begin_ns")].number, number * NS);
	ck_assert_int_eq(cells[column_of("tid")].number, -number);
	ck_assert_str_eq(cells[column_of("comm")].text, "");
	ck_assert(row_chunk_is_null(chunk, row, column_of("waker_tid")));
	ck_assert_int_eq(row_chunk_is_null(chunk, row, function),
			 !(number % 2));
	if (number % 2)
		ck_assert_str_eq(cells[function].text, "do_wait");
}

/* Returns the number of rows sent, from number @first on; -1 if none are
 * cached.
 */
static int count_sent(const char *path, uint64_t key,
		      const struct row_choice *choice, int64_t first)
{
	struct row_queue *queue = row_queue_new();
	struct row_out out = {
		.table = sql_table_at(TABLE_SLEEP),
		.queue = queue,
		.choice = choice,
	};
	bool is_sent = cached_rows_send(path, key, &out);
	struct row_chunk *chunk;
	int count = 0;

	ck_assert_int_eq(row_out_flush(&out), 0);
	row_queue_end(queue, 0);
	while ((chunk = row_queue_pop(queue))) {
		for (uint32_t i = 0; i < chunk->count; i++)
			check_row(chunk, i, first + count++);
		row_queue_give_back(queue, chunk);
	}
	row_queue_free(queue);
	ck_assert(is_sent || !count);
	return is_sent ? count : -1;
}

START_TEST(rows_come_back_as_they_were)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	struct cached_folder kept = keep(true);

	ck_assert_int_eq(count_sent(kept.path, KEY, &all, 0), ROWS);
	ck_assert_int_eq(count_sent(kept.path, KEY + 1, &all, 0), -1);
	scratch_folder_free(&kept.folder);
}
END_TEST

START_TEST(what_is_not_finished_is_not_there)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	struct cached_folder kept = keep(false);

	ck_assert_int_eq(count_sent(kept.path, KEY, &all, 0), -1);
	scratch_folder_free(&kept.folder);
}
END_TEST

static const struct {
	uint64_t begin_since; /* rows' numbers, not times */
	uint64_t begin_until;
	uint64_t end_since;
	uint64_t end_until;
	int64_t first;
	int count;
} windows[] = {
	{ 5, 9, 0, ROWS + 1, 5, 4 },
	{ 0, ROWS, 5, 9, 4, 4 },
	{ CACHE_CHUNK_RECORDS - 1, CACHE_CHUNK_RECORDS + 1, 0, ROWS + 1,
	  CACHE_CHUNK_RECORDS - 1, 2 },
	{ 2 * CACHE_CHUNK_RECORDS, ROWS, 0, ROWS + 1, 2 * CACHE_CHUNK_RECORDS,
	  10 },
	{ ROWS, ROWS + 9, 0, ROWS + 1, 0, 0 },
};

static struct row_choice choice_of(int i)
{
	struct row_choice choice = ROW_CHOICE_ALL;

	choice.is_limited = true;
	choice.begin.since_ns = windows[i].begin_since * NS;
	choice.begin.until_ns = windows[i].begin_until * NS;
	choice.end.since_ns = windows[i].end_since * NS;
	choice.end.until_ns = windows[i].end_until * NS;
	return choice;
}

START_TEST(a_window_has_its_rows)
{
	const struct row_choice choice = choice_of(_i);
	struct cached_folder kept = keep(true);

	ck_assert_int_eq(count_sent(kept.path, KEY, &choice, windows[_i].first),
			 windows[_i].count);
	scratch_folder_free(&kept.folder);
}
END_TEST

/* Requests have no times to select chunks by: any chunk may have some. */
START_TEST(a_table_without_times_has_its_rows)
{
	struct cached_chunk chunk = CACHE_CHUNK_EMPTY;
	struct row_choice choice = ROW_CHOICE_ALL;
	struct cached_span wanted;
	struct cached_span span;
	struct row_chunk *row = store_rows_new(TABLE_REQUEST);

	store_rows_add(row);
	store_rows_number(row, "tid", 7);
	span = cached_row_span(row, 0);
	cached_chunk_count(&chunk, &span);
	choice.is_limited = true;
	wanted = cached_rows_wanted(&choice);
	ck_assert(cached_chunk_is_wanted(&chunk, &wanted));
	row_chunk_free(row);
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

/* Chunks that are not needed are not checked. */
START_TEST(where_it_is_damaged_there_are_no_rows)
{
	const struct row_choice all = ROW_CHOICE_ALL;
	struct cached_folder kept = keep(true);
	struct stat file;

	ck_assert_int_eq(stat(kept.path, &file), 0);
	for (off_t place = 0; place < file.st_size; place += 37) {
		change_byte(kept.path, place);
		ck_assert_int_eq(count_sent(kept.path, KEY, &all, 0), -1);
		change_byte(kept.path, place);
	}
	ck_assert_int_eq(truncate(kept.path, file.st_size / 2), 0);
	ck_assert_int_eq(count_sent(kept.path, KEY, &all, 0), -1);
	scratch_folder_free(&kept.folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cached_rows");
	TCase *tcase = tcase_create("cached_rows");

	tcase_add_test(tcase, rows_come_back_as_they_were);
	tcase_add_test(tcase, what_is_not_finished_is_not_there);
	tcase_add_loop_test(tcase, a_window_has_its_rows, 0,
			    sizeof(windows) / sizeof(*windows));
	tcase_add_test(tcase, a_table_without_times_has_its_rows);
	tcase_add_test(tcase, where_it_is_damaged_there_are_no_rows);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
