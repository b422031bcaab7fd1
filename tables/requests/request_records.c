/* SPDX-License-Identifier: MIT */
#include "tables/requests/request_records.h"

#include "attribution/requests/request.h"
#include "attribution/table_records.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/request_sums.h"

void request_records_free(struct request_records *records)
{
	array_free(&records->requests);
	array_free(&records->tasks);
	wakers_free(&records->wakers);
}

/* Queues @request for writing. Returns 0 or -ERROR_MEMORY. */
static int request_records_add(struct request_records *records,
			       const struct cached_request *request)
{
	return array_append(&records->requests, request);
}

static const struct task *find_task(const void *tasks, size_t index)
{
	const struct array *array = tasks;

	return index < array->count ? array_at(array, index) : NULL;
}

static struct task_pack tasks_of(const struct request_records *records,
				 struct pack *pack)
{
	return (struct task_pack){ pack, find_task, &records->tasks };
}

/* Copies @task, which may be NULL, to the tasks. */
static int note_task(struct request_records *records, const struct task *task)
{
	struct task *copy = task ? array_reach(&records->tasks, task->index) :
				   NULL;

	if (copy)
		*copy = *task;
	return task && !copy ? -ERROR_MEMORY : 0;
}

static void pack_endpoint(struct pack *pack, struct endpoint *endpoint)
{
	uint32_t port = endpoint->port;

	for (size_t i = 0; i < sizeof(endpoint->address); i++)
		pack_small(pack, &endpoint->address[i], UINT8_MAX);
	pack_u32(pack, &port);
	pack_check(pack, port <= UINT16_MAX);
	endpoint->port = (uint16_t)port;
}

static void pack_sums(struct pack *pack, struct request_sums *sums)
{
	pack_u64(pack, &sums->begin_ns);
	pack_u64(pack, &sums->wall_ns);
	pack_u64(pack, &sums->client_ns);
	pack_u64(pack, &sums->client_wait_ns);
	pack_u64(pack, &sums->remote_ns);
	pack_u64(pack, &sums->queue_ns);
	for (int i = 0; i < REQUEST_PARTS; i++) {
		pack_u64(pack, &sums->way_ns[i]);
		pack_u64(pack, &sums->beside_ns[i]);
	}
}

static void pack_row(struct pack *pack, struct request_row *row)
{
	pack_u64(pack, &row->number);
	pack_u64(pack, &row->parent);
	pack_i32(pack, &row->client_pid);
	pack_i32(pack, &row->client_tid);
	pack_i32(pack, &row->server_pid);
	pack_i32(pack, &row->server_tid);
	pack_small(pack, &row->side, REQUEST_SIDES - 1);
	pack_small(pack, &row->kind, MESSAGE_WORD);
	pack_small(pack, &row->medium, MEDIA - 1);
	pack_bool(pack, &row->is_answered);
	pack_bool(pack, &row->is_inferred);
	pack_bool(pack, &row->has_connection);
	pack_bool(pack, &row->has_position);
	pack_endpoint(pack, &row->connection.local);
	pack_endpoint(pack, &row->connection.remote);
	pack_bool(pack, &row->connection.is_server);
	pack_u64(pack, &row->position);
	pack_sums(pack, &row->sums);
}

static void pack_sleep(const struct request_records *records, struct pack *pack,
		       struct request_sleep *sleep)
{
	const struct task_pack tasks = tasks_of(records, pack);

	task_pack_task(&tasks, &sleep->task);
	task_pack_task(&tasks, &sleep->sender);
	pack_u32(pack, &sleep->label);
	pack_u32(pack, &sleep->waker);
	pack_u32(pack, &sleep->sender_function);
	pack_i32(pack, &sleep->fd);
	pack_bool(pack, &sleep->is_idle);
	pack_u64(pack, &sleep->begin_ns);
	pack_u64(pack, &sleep->off_ns);
	pack_u64(pack, &sleep->asleep_ns);
}

struct collector {
	struct request_sleep_callback callback; /* must be first */
	struct array sleeps;			/* struct request_sleep */
};

static int collect(struct request_sleep_callback *callback,
		   const struct request_sleep *sleep)
{
	struct collector *collector = (struct collector *)callback;

	return array_append(&collector->sleeps, sleep);
}

static int note_tasks(struct request_records *records,
		      const struct cached_request *request,
		      const struct array *sleeps)
{
	int status = note_task(records, request->task);

	for (size_t i = 0; i < sleeps->count && !status; i++) {
		const struct request_sleep *sleep = array_at(sleeps, i);

		status = note_task(records, sleep->task);
		if (!status)
			status = note_task(records, sleep->sender);
	}
	return status;
}

int request_records_keep(struct request_records *records,
			 struct cached_request *request, struct array *sleeps)
{
	uint64_t begin_ns = request->row.sums.begin_ns;
	const struct cached_span span = cached_span_of(begin_ns, begin_ns);
	struct pack *pack = cache_file_writer_pack(records->writer);
	const struct task_pack tasks = tasks_of(records, pack);
	uint32_t count = (uint32_t)sleeps->count;
	int status = note_tasks(records, request, sleeps);

	pack_row(pack, &request->row);
	task_pack_task(&tasks, &request->task);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count; i++)
		pack_sleep(records, pack, array_at(sleeps, i));
	cache_file_writer_add(records->writer, &span);
	return status;
}

static int keep_with_sleeps(struct request_records *records,
			    const struct request_sleeps *sleeps,
			    struct cached_request *request)
{
	struct collector collector = {
		.callback.consume = collect,
		.sleeps = ARRAY_OF(struct request_sleep),
	};
	int status = request_sleeps_visit(sleeps, request->row.number,
					  &collector.callback);

	if (!status)
		status = request_records_keep(records, request,
					      &collector.sleeps);
	array_free(&collector.sleeps);
	return status;
}

/* Writes all queued requests with their sleeps. Must be called after the last
 * request was added and request_sleeps_end(@sleeps). Returns 0 or
 * -ERROR_MEMORY.
 */
static int request_records_keep_all(struct request_records *records,
				    const struct request_sleeps *sleeps)
{
	int status = 0;

	for (size_t i = 0; i < records->requests.count && !status; i++)
		status = keep_with_sleeps(records, sleeps,
					  array_at(&records->requests, i));
	return status;
}

static void pack_tasks(struct request_records *records, struct pack *pack)
{
	uint32_t count = (uint32_t)records->tasks.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct task *task = array_reach(&records->tasks, i);

		pack_check(pack, task);
		if (!task)
			return;
		task->index = i;
		task_pack_facts(pack, task);
	}
}

void request_records_pack_rest(struct request_records *records,
			       const struct wakers *wakers, struct pack *pack)
{
	struct wakers written = *wakers;

	pack_tasks(records, pack);
	wakers_pack(pack->is_reading ? &records->wakers : &written, pack,
		    records->functions);
}

/* Checks a sleep that was read, since the file is untrusted. */
static void check_sleep(const struct request_records *records,
			struct pack *pack, const struct request_sleep *sleep)
{
	pack_check(pack, sleep->task && sleep->label < records->functions &&
				 sleep->sender_function < records->functions);
	pack_check(pack,
		   sleep->waker == WAKER_NONE ||
			   sleep->waker < records->wakers.chains.items.count);
}

void request_records_read(const struct request_records *records,
			  struct pack *pack, struct cached_request *request,
			  struct array *sleeps)
{
	const struct task_pack tasks = tasks_of(records, pack);
	uint32_t count = 0;

	*request = (struct cached_request){ 0 };
	pack_row(pack, &request->row);
	task_pack_task(&tasks, &request->task);
	pack_check(pack, request->task);
	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct request_sleep *sleep = array_add(sleeps);

		pack_check(pack, sleep);
		if (!sleep)
			return;
		pack_sleep(records, pack, sleep);
		check_sleep(records, pack, sleep);
	}
}

static void note(struct request_rows *rows, int status)
{
	if (status < 0)
		rows->status = status;
}

static void consume_request(struct request_callback *callback,
			    const struct request *request)
{
	struct request_rows *rows =
		container_of(callback, struct request_rows, callback);
	struct cached_request taken = {
		.task = request->server ? request->server : request->client,
	};
	bool is_kept = rows->records.writer;

	note(rows, request_row_of(request, &taken.row));
	if (is_kept)
		note(rows, request_records_add(&rows->records, &taken));
	if (rows->consume(rows, &taken) || is_kept)
		note(rows, request_sleeps_add(rows->sleeps, request));
}

bool request_rows_open(struct request_rows *rows,
		       const struct attribution_input *input,
		       bool (*consume)(struct request_rows *rows,
				       const struct cached_request *request))
{
	rows->input = *input;
	rows->callback.consume = consume_request;
	rows->consume = consume;
	rows->records = REQUEST_RECORDS_NONE;
	rows->records.functions =
		function_count(symbols_functions(input->symbols));
	rows->sleeps = request_sleeps_new(&rows->input);
	return rows->sleeps &&
	       trackers_requests(input->trackers, &rows->callback);
}

void request_rows_close(struct request_rows *rows)
{
	request_sleeps_free(rows->sleeps);
	request_records_free(&rows->records);
}

/* Writes the requests with their sleeps, which are known only after the pass.
 */
static void keep_at_end(struct event_handler *handler)
{
	struct request_rows *rows = (struct request_rows *)handler;

	request_sleeps_end(rows->sleeps);
	note(rows, request_records_keep_all(&rows->records, rows->sleeps));
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	struct request_rows *rows = (struct request_rows *)handler;

	request_records_pack_rest(&rows->records,
				  request_sleeps_wakers(rows->sleeps), pack);
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	struct request_rows *rows = (struct request_rows *)handler;
	struct array sleeps = ARRAY_OF(struct request_sleep);
	struct cached_request request;

	request_records_read(&rows->records, pack, &request, &sleeps);
	if (!pack->failed && rows->consume(rows, &request))
		note(rows, request_sleeps_put(rows->sleeps, request.row.number,
					      &sleeps, &rows->records.wakers));
	array_free(&sleeps);
}

const struct table_records request_row_records = {
	.name = "requests",
	.writer = offsetof(struct request_rows, records.writer),
	.keep_at_end = keep_at_end,
	.pack_rest = pack_rest,
	.consume = consume_record,
	.wanted = table_records_begin_in,
};
