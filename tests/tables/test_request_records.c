/* SPDX-License-Identifier: MIT */
/* Cached requests can be read back with the tasks and wakers that they refer
 * to; incomplete ones, or ones with references to missing entries, are refused.
 */
#include "attribution/requests/request.h"
#include "common/bytes.h"
#include "common/files/cache_file.h"
#include "symbolize/functions/function_table.h"
#include "tables/requests/request_records.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/request_sums.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <stdlib.h>

enum { FUNCTIONS = 20, KEY = 7 };

static const struct task server = { .index = 3, .tid = 12, .pid = 11, .cpu = 1 };
static const struct task helper = { .index = 5, .tid = 13, .pid = 11, .cpu = 0 };

static const struct cached_request requests[] = {
	{ .task = &server,
	  .row = { .number = 1,
		   .client_pid = 20,
		   .client_tid = 21,
		   .server_pid = 11,
		   .server_tid = 12,
		   .kind = MESSAGE_SEND,
		   .medium = MEDIUM_PIPE,
		   .is_answered = true,
		   .sums = { .begin_ns = 1000,
			     .wall_ns = 90,
			     .queue_ns = 40,
			     .way_ns = { [PART_ASLEEP] = 50 } } } },
	{ .task = &helper,
	  .row = { .number = 2,
		   .parent = 1,
		   .client_pid = -1,
		   .server_pid = 11,
		   .server_tid = 13,
		   .side = SIDE_SERVER,
		   .medium = MEDIUM_TCP,
		   .is_inferred = true,
		   .has_connection = true,
		   .has_position = true,
		   .connection = { .local = { { [15] = 1 }, 80 },
				   .remote = { { [0] = 9 }, UINT16_MAX },
				   .is_server = true },
		   .position = 1 << 20,
		   .sums = { .begin_ns = 1010,
			     .wall_ns = 20,
			     .beside_ns = { [PART_USER] = 20 } } } },
};

static const struct request_sleep sleeps[] = {
	{ .task = &server,
	  .label = FUNCTIONS - 1,
	  .waker = 0,
	  .sender = &helper,
	  .sender_function = 4,
	  .fd = -1,
	  .begin_ns = 1020,
	  .off_ns = 1021,
	  .asleep_ns = 50 },
	{ .task = &helper,
	  .label = 2,
	  .waker = WAKER_NONE,
	  .fd = 3,
	  .is_idle = true,
	  .begin_ns = 1011,
	  .off_ns = 1012,
	  .asleep_ns = 7 },
};

enum { REQUESTS = 2 };

static struct wakers one_waker(void)
{
	struct wakers wakers = WAKERS_NONE;

	wakers_add(&wakers, &(struct waker){ .earlier = WAKER_NONE,
					     .function = 3,
					     .interrupt = FUNCTION_NONE,
					     .pid = 20,
					     .tid = 21 });
	return wakers;
}

/* The first has two sleeps, the second none. */
static void keep_requests(const char *path)
{
	struct cache_file_writer *writer = cache_file_writer_open(path, KEY);
	struct request_records records = REQUEST_RECORDS_NONE;
	struct wakers wakers = one_waker();

	ck_assert_ptr_nonnull(writer);
	records.writer = writer;
	records.functions = FUNCTIONS;
	for (int i = 0; i < REQUESTS; i++) {
		struct array own = ARRAY_OF(struct request_sleep);
		struct cached_request request = requests[i];

		for (size_t j = 0; !i && j < 2; j++)
			*(struct request_sleep *)array_add(&own) = sleeps[j];
		ck_assert_int_eq(request_records_keep(&records, &request, &own),
				 0);
		array_free(&own);
	}
	request_records_pack_rest(&records, &wakers,
				  cache_file_writer_rest(writer));
	cache_file_writer_finish(writer);
	cache_file_writer_close(writer);
	request_records_free(&records);
	wakers_free(&wakers);
}

static void check_task(const struct task *task, const struct task *wanted)
{
	ck_assert_int_eq(!task, !wanted);
	if (!task)
		return;
	ck_assert_uint_eq(task->index, wanted->index);
	ck_assert_int_eq(task->tid, wanted->tid);
	ck_assert_int_eq(task->pid, wanted->pid);
}

static void check_row(const struct request_row *row,
		      const struct request_row *wanted)
{
	ck_assert_uint_eq(row->number, wanted->number);
	ck_assert_uint_eq(row->parent, wanted->parent);
	ck_assert_int_eq(row->client_pid, wanted->client_pid);
	ck_assert_int_eq(row->client_tid, wanted->client_tid);
	ck_assert_int_eq(row->server_pid, wanted->server_pid);
	ck_assert_int_eq(row->server_tid, wanted->server_tid);
	ck_assert_int_eq(row->side, wanted->side);
	ck_assert_int_eq(row->kind, wanted->kind);
	ck_assert_int_eq(row->medium, wanted->medium);
	ck_assert_int_eq(row->is_answered, wanted->is_answered);
	ck_assert_int_eq(row->is_inferred, wanted->is_inferred);
	ck_assert_int_eq(row->has_connection, wanted->has_connection);
	ck_assert_int_eq(row->has_position, wanted->has_position);
	ck_assert(endpoint_is_equal(&row->connection.local,
				    &wanted->connection.local));
	ck_assert(endpoint_is_equal(&row->connection.remote,
				    &wanted->connection.remote));
	ck_assert_int_eq(row->connection.is_server,
			 wanted->connection.is_server);
	ck_assert_uint_eq(row->position, wanted->position);
	ck_assert_mem_eq(&row->sums, &wanted->sums, sizeof(row->sums));
}

static void check_sleep(const struct request_sleep *sleep,
			const struct request_sleep *wanted)
{
	check_task(sleep->task, wanted->task);
	check_task(sleep->sender, wanted->sender);
	ck_assert_uint_eq(sleep->label, wanted->label);
	ck_assert_uint_eq(sleep->waker, wanted->waker);
	ck_assert_uint_eq(sleep->sender_function, wanted->sender_function);
	ck_assert_int_eq(sleep->fd, wanted->fd);
	ck_assert_int_eq(sleep->is_idle, wanted->is_idle);
	ck_assert_uint_eq(sleep->begin_ns, wanted->begin_ns);
	ck_assert_uint_eq(sleep->off_ns, wanted->off_ns);
	ck_assert_uint_eq(sleep->asleep_ns, wanted->asleep_ns);
}

/* Opens a cache file: a chunk of requests, and the tasks and wakers they refer
 * to.
 */
struct kept {
	struct scratch_folder folder;
	struct cache_file file;
	uint8_t *bytes[2];
	size_t size[2];
};

static struct kept kept_new(void)
{
	const struct cached_span all = CACHED_SPAN_ALL;
	struct kept kept = { .folder = scratch_folder_new() };
	char path[128];

	scratch_folder_path(&kept.folder, "report_requests", path,
			    sizeof(path));
	keep_requests(path);
	ck_assert(cache_file_open(&kept.file, path, KEY, &all));
	ck_assert_uint_eq(kept.file.chunks.count, 2);
	for (size_t i = 0; i < 2; i++)
		kept.bytes[i] = cache_file_read(&kept.file, i, &kept.size[i]);
	return kept;
}

static void kept_free(struct kept *kept)
{
	free(kept->bytes[0]);
	free(kept->bytes[1]);
	cache_file_close(&kept->file);
	scratch_folder_free(&kept->folder);
}

static struct request_records read_rest(const struct kept *kept, size_t size)
{
	struct request_records records = REQUEST_RECORDS_NONE;
	const struct wakers none = WAKERS_NONE;
	struct pack pack = pack_to_read(kept->bytes[1], size);

	records.functions = FUNCTIONS;
	request_records_pack_rest(&records, &none, &pack);
	ck_assert_int_eq(pack_is_whole(&pack), size == kept->size[1]);
	return records;
}

START_TEST(requests_come_back_with_their_sleeps)
{
	struct kept kept = kept_new();
	struct request_records records = read_rest(&kept, kept.size[1]);
	struct pack pack = pack_to_read(kept.bytes[0], kept.size[0]);
	struct array read = ARRAY_OF(struct request_sleep);
	struct cached_request request;

	for (int i = 0; i < REQUESTS; i++) {
		request_records_read(&records, &pack, &request, &read);
		ck_assert(!pack.failed);
		check_task(request.task, requests[i].task);
		check_row(&request.row, &requests[i].row);
	}
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(read.count, 2);
	for (size_t i = 0; i < 2; i++)
		check_sleep(array_at(&read, i), &sleeps[i]);
	ck_assert_int_eq(wakers_at(&records.wakers, 0)->tid, 21);
	array_free(&read);
	request_records_free(&records);
	kept_free(&kept);
}
END_TEST

/* Any byte may be another, or missing. */
START_TEST(damaged_requests_refer_to_nothing_else)
{
	struct kept kept = kept_new();
	struct request_records records = read_rest(&kept, kept.size[1]);
	struct array read = ARRAY_OF(struct request_sleep);
	struct cached_request request;

	for (size_t i = 0; i < kept.size[0]; i++) {
		uint8_t byte = kept.bytes[0][i];
		struct pack pack;

		kept.bytes[0][i] = (uint8_t)~byte;
		pack = pack_to_read(kept.bytes[0], kept.size[0]);
		read.count = 0;
		request_records_read(&records, &pack, &request, &read);
		ck_assert(pack.failed || request.task);
		for (size_t j = 0; !pack.failed && j < read.count; j++) {
			const struct request_sleep *sleep = array_at(&read, j);

			ck_assert(sleep->task && sleep->label < FUNCTIONS);
			ck_assert(sleep->waker == WAKER_NONE ||
				  sleep->waker == 0);
		}
		kept.bytes[0][i] = byte;
		pack = pack_to_read(kept.bytes[0], i);
		read.count = 0;
		for (int j = 0; j < REQUESTS; j++)
			request_records_read(&records, &pack, &request, &read);
		ck_assert(pack.failed);
	}
	for (size_t i = 0; i < kept.size[1]; i++) {
		struct request_records less = read_rest(&kept, i);

		request_records_free(&less);
	}
	array_free(&read);
	request_records_free(&records);
	kept_free(&kept);
}
END_TEST

SUITE("request_records")
{
	TEST(requests_come_back_with_their_sleeps);
	TEST(damaged_requests_refer_to_nothing_else);
}
