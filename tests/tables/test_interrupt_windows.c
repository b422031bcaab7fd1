/* SPDX-License-Identifier: MIT */
/* A window of the cached records of accounts equals that of a pass over
 * everything.
 */
#include "attribution/interrupts/interrupt_accounts.h"

#include "attribution/table_records.h"
#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "tests/fixtures/interrupt_accounts.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdlib.h>

enum { KEY = 7 };

static void keep_story(const struct interrupt_story *story, const char *path)
{
	struct cache_file_writer *writer = cache_file_writer_open(path, KEY);
	struct interrupt_scene scene = interrupt_scene_begin();

	ck_assert_ptr_nonnull(writer);
	interrupt_scene_watch(&scene);
	interrupt_accounts_keep(interrupt_accounts_handler(scene.accounts),
				writer);
	story->tell(scene.fixture);
	ck_assert_str_eq(interrupt_scene_finish(&scene), story->rows);
	interrupt_accounts_pack_rest(interrupt_accounts_handler(scene.accounts),
				     cache_file_writer_rest(writer));
	cache_file_writer_finish(writer);
	cache_file_writer_close(writer);
	interrupt_scene_end(&scene);
}

/* The last chunk has the entries that the records refer to. */
static void read_records(struct interrupt_accounts *accounts, const char *path,
			 struct time_window window)
{
	const struct cached_span wanted = table_records_overlap(window);
	struct cache_file file;

	ck_assert(cache_file_open(&file, path, KEY, &wanted));
	ck_assert_uint_gt(file.chunks.count, 0);
	for (size_t i = file.chunks.count; i--;) {
		const struct cached_chunk *chunk = array_at(&file.chunks, i);
		size_t size;
		void *bytes = cache_file_read(&file, i, &size);
		struct pack pack = pack_to_read(bytes, size);

		if (!chunk->records)
			interrupt_accounts_pack_rest(
				interrupt_accounts_handler(accounts), &pack);
		for (uint32_t j = 0; j < chunk->records; j++)
			interrupt_accounts_read(
				interrupt_accounts_handler(accounts), &pack);
		ck_assert(pack_is_whole(&pack));
		free(bytes);
	}
	cache_file_close(&file);
}

/* Asserts that a window of the records is that of the pass. */
static void expect_window(const struct interrupt_story *story, const char *path,
			  struct time_window window)
{
	struct interrupt_scene pass = interrupt_scene_begin();
	struct interrupt_scene read = interrupt_scene_begin();

	pass.window = read.window = window;
	interrupt_scene_watch(&pass);
	story->tell(pass.fixture);
	interrupt_scene_finish(&pass);
	interrupt_scene_watch(&read);
	read_records(read.accounts, path, window);
	ck_assert_str_eq(interrupt_scene_finish(&read), pass.text);
	interrupt_scene_end(&pass);
	interrupt_scene_end(&read);
}

START_TEST(windows_are_made_of_records)
{
	struct scratch_folder folder = scratch_folder_new();
	char path[128];

	scratch_folder_path(&folder, "report_interrupts", path, sizeof(path));
	keep_story(&interrupt_stories_of_work[_i], path);
	expect_window(&interrupt_stories_of_work[_i], path, TIME_WINDOW_ALL);
	for (uint64_t since_ns = 0; since_ns < 500; since_ns += 33) {
		expect_window(&interrupt_stories_of_work[_i], path,
			      (struct time_window){ since_ns, since_ns + 50 });
		expect_window(&interrupt_stories_of_work[_i], path,
			      (struct time_window){ since_ns, UINT64_MAX });
	}
	scratch_folder_free(&folder);
}
END_TEST

SUITE("interrupt_windows")
{
	TEST_TIMES(windows_are_made_of_records, INTERRUPT_STORIES);
}
