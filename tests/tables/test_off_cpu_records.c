/* SPDX-License-Identifier: MIT */
/* Time off CPUs that a table caches for windows can be read back with its
 * stacks.
 */
#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "report/profile/call_tree.h"
#include "tables/profile/wall_tree_internal.h"
#include "tests/fixtures/cached_record.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdlib.h>

/* Two sleeps at the end of one path, below which the second has another call. */
static void keep_naps(struct call_tree *calls, const char *path)
{
	struct off_cpu_records records;
	const struct time_span span = { .task = &cached_record_task,
					.begin_ns = 100,
					.end_ns = 150,
					.time_class = TIME_ASLEEP,
					.cpu = 1 };
	uint32_t node = call_tree_child(
		calls, call_tree_root(calls, cached_record_task.pid), 5, true);
	uint32_t inner = call_tree_child(calls, node, FUNCTIONS - 1, false);

	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	records.writer = cache_file_writer_open(path, KEY);
	ck_assert_ptr_nonnull(records.writer);
	ck_assert_int_eq(off_cpu_records_keep(&records, &cached_record_task,
					      &span, calls, node),
			 0);
	ck_assert_int_eq(off_cpu_records_keep(&records, &cached_record_task,
					      &span, calls, inner),
			 0);
	off_cpu_records_pack_paths(
		&records, cache_file_writer_rest(records.writer), FUNCTIONS);
	cache_file_writer_finish(records.writer);
	cache_file_writer_close(records.writer);
	off_cpu_records_free(&records);
}

/* Reads one and asserts that its path is @node in @calls. */
static void expect_nap(const struct off_cpu_records *records, struct pack *pack,
		       struct call_tree *calls, uint32_t node)
{
	struct off_cpu_record record;

	off_cpu_records_read(records, pack, &record);
	ck_assert(!pack->failed);
	cached_record_check_task(record.span.task, &cached_record_task);
	ck_assert_uint_eq(record.span.begin_ns, 100);
	ck_assert_uint_eq(record.span.end_ns, 150);
	ck_assert_uint_eq(record.span.time_class, TIME_ASLEEP);
	ck_assert_int_eq(record.span.cpu, 1);
	ck_assert_uint_eq(
		off_cpu_records_place(records, record.path, calls,
				      call_tree_root(calls,
						     cached_record_task.pid)),
		node);
}

START_TEST(time_off_cpus_comes_back_with_its_stacks)
{
	const struct cached_span all = CACHED_SPAN_ALL;
	struct scratch_folder folder = scratch_folder_new();
	struct call_tree *calls = call_tree_new();
	struct off_cpu_records records;
	struct cache_file file;
	struct pack pack;
	char path[128];
	size_t size;
	void *bytes;

	scratch_folder_path(&folder, "report_off_cpu", path, sizeof(path));
	keep_naps(calls, path);
	ck_assert(cache_file_open(&file, path, KEY, &all));
	ck_assert_uint_eq(file.chunks.count, 2);
	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	bytes = cache_file_read(&file, 1, &size);
	pack = pack_to_read(bytes, size);
	off_cpu_records_pack_paths(&records, &pack, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	free(bytes);
	bytes = cache_file_read(&file, 0, &size);
	pack = pack_to_read(bytes, size);
	expect_nap(&records, &pack, calls, 1);
	expect_nap(&records, &pack, calls, 2);
	ck_assert(pack_is_whole(&pack));
	off_cpu_records_free(&records);
	/* Without the paths the records are refused. */
	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	pack = pack_to_read(bytes, size);
	off_cpu_records_read(&records, &pack,
			     &(struct off_cpu_record){ .path = 0 });
	ck_assert(pack.failed);
	off_cpu_records_free(&records);
	free(bytes);
	cache_file_close(&file);
	call_tree_free(calls);
	scratch_folder_free(&folder);
}
END_TEST

/* The depth of paths is limited only by the file. */
START_TEST(a_path_may_be_deep)
{
	enum { DEPTH = 1000000 };
	struct call_tree *calls = call_tree_new();
	struct off_cpu_records records;
	uint32_t node;

	ck_assert_int_eq(off_cpu_records_open(&records), 0);
	node = records.root;
	for (int i = 0; i < DEPTH; i++)
		node = call_tree_find_child(records.paths, node, 1, false);
	node = off_cpu_records_place(&records, node, calls,
				     call_tree_root(calls, 11));
	ck_assert_uint_eq(call_tree_count(calls), DEPTH + 1);
	ck_assert_uint_eq(node, DEPTH);
	off_cpu_records_free(&records);
	call_tree_free(calls);
}
END_TEST

SUITE("off_cpu_records")
{
	TEST(time_off_cpus_comes_back_with_its_stacks);
	TEST(a_path_may_be_deep);
}
