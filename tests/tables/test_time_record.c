/* SPDX-License-Identifier: MIT */
/* Threads' time that tables cache for windows can be read back unchanged. */
#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "tables/processes/time_account.h"
#include "tests/fixtures/cached_record.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdlib.h>

static const struct time_record time_records[] = {
	{ .kind = RECORD_SPAN,
	  .resolved = TIME_FAULT,
	  .span = { .task = &cached_record_task,
		    .begin_ns = 100,
		    .end_ns = 150,
		    .time_class = TIME_UNKNOWN,
		    .reason = UNKNOWN_OFF,
		    .is_provisional = true,
		    .cpu = 1,
		    .begin_error_ns = 9,
		    .end_error_ns = 11,
		    .is_behind_recorder = true } },
	{ .kind = RECORD_SWITCH,
	  .span = { .task = &cached_record_task,
		    .begin_ns = 150,
		    .end_ns = 150,
		    .cpu = 1 } },
};

/* Writes them to the file at @path. */
static void keep_times(const char *path)
{
	struct time_records records = TIME_RECORDS_NONE;

	records.writer = cache_file_writer_open(path, KEY);
	ck_assert_ptr_nonnull(records.writer);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(time_records_keep(&records, &time_records[i]),
				 0);
	time_records_pack_tasks(&records,
				cache_file_writer_rest(records.writer));
	cache_file_writer_finish(records.writer);
	cache_file_writer_close(records.writer);
	time_records_free(&records);
}

static void check_time(const struct time_record *record,
		       const struct time_record *wanted)
{
	ck_assert_uint_eq(record->kind, wanted->kind);
	ck_assert_uint_eq(record->resolved, wanted->resolved);
	ck_assert_uint_eq(record->span.begin_ns, wanted->span.begin_ns);
	ck_assert_uint_eq(record->span.end_ns, wanted->span.end_ns);
	ck_assert_uint_eq(record->span.time_class, wanted->span.time_class);
	ck_assert_uint_eq(record->span.reason, wanted->span.reason);
	ck_assert_uint_eq(record->span.is_provisional,
			  wanted->span.is_provisional);
	ck_assert_uint_eq(record->span.is_behind_recorder,
			  wanted->span.is_behind_recorder);
	ck_assert_uint_eq(record->span.begin_error_ns,
			  wanted->span.begin_error_ns);
	ck_assert_uint_eq(record->span.end_error_ns, wanted->span.end_error_ns);
	ck_assert_int_eq(record->span.cpu, wanted->span.cpu);
	cached_record_check_task(record->span.task, &cached_record_task);
	ck_assert_uint_eq(record->span.task->index, cached_record_task.index);
}

START_TEST(times_come_back_with_their_tasks)
{
	const struct cached_span late = { 200, UINT64_MAX, 200, UINT64_MAX };
	const struct cached_span all = CACHED_SPAN_ALL;
	struct scratch_folder folder = scratch_folder_new();
	struct time_records records = TIME_RECORDS_NONE;
	struct time_record record;
	struct cache_file file;
	struct pack pack;
	char path[128];
	size_t size;
	void *bytes;

	scratch_folder_path(&folder, "report_threads", path, sizeof(path));
	keep_times(path);
	/* The entries they refer to are available for any window. */
	ck_assert(cache_file_open(&file, path, KEY, &late));
	ck_assert_uint_eq(file.chunks.count, 1);
	cache_file_close(&file);
	ck_assert(cache_file_open(&file, path, KEY, &all));
	ck_assert_uint_eq(file.chunks.count, 2);
	bytes = cache_file_read(&file, 1, &size);
	pack = pack_to_read(bytes, size);
	time_records_pack_tasks(&records, &pack);
	ck_assert(pack_is_whole(&pack));
	free(bytes);
	bytes = cache_file_read(&file, 0, &size);
	pack = pack_to_read(bytes, size);
	for (int i = 0; i < 2; i++) {
		time_records_read(&records, &pack, &record);
		ck_assert(!pack.failed);
		check_time(&record, &time_records[i]);
	}
	ck_assert(pack_is_whole(&pack));
	/* Without the tasks the records have no owner. */
	time_records_free(&records);
	pack = pack_to_read(bytes, size);
	time_records_read(&records, &pack, &record);
	ck_assert(pack.failed);
	free(bytes);
	cache_file_close(&file);
	scratch_folder_free(&folder);
}
END_TEST

SUITE("time_record")
{
	TEST(times_come_back_with_their_tasks);
}
