/* SPDX-License-Identifier: MIT */
#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/requests/requests.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/requests/request_records.h"
#include "tables/requests/request_rows.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/request_summary.h"
#include "tables/table.h"
#include "tables/table_records.h"
#include "tables/text/recorded.h"
#include "tables/text/table_rows.h"

#include <stdlib.h>

/* report --requests: each message that a thread worked for, and its time by
 * state.
 */
struct requests_table {
	struct event_handler handler;
	struct request_callback callback;
	struct attribution_input input;
	struct request_sleeps *sleeps;
	struct array rows; /* struct request_row */
	struct request_records records;
	int status;
};

static void note(struct requests_table *table, int status)
{
	if (status < 0)
		table->status = status;
}

/* Adds a row for the request if the filter selects it. Returns whether it does.
 */
static bool count_request(struct requests_table *table,
			  const struct kept_request *request)
{
	struct request_row *row;

	if (!table_wants(&table->input, request->task,
			 request->row.sums.begin_ns))
		return false;
	row = array_add(&table->rows);
	if (row)
		*row = request->row;
	note(table, row ? 0 : -ERROR_MEMORY);
	return true;
}

static void take_request(struct request_callback *callback,
			 const struct request *request)
{
	struct requests_table *table =
		container_of(callback, struct requests_table, callback);
	struct kept_request taken = {
		.task = request->server ? request->server : request->client,
	};
	bool is_kept = table->records.writer;

	note(table, request_row_of(request, &taken.row));
	if (is_kept)
		note(table, request_records_add(&table->records, &taken));
	if (count_request(table, &taken) || is_kept)
		note(table, request_sleeps_add(table->sleeps, request));
}

static void close_table(struct event_handler *handler)
{
	struct requests_table *table = (struct requests_table *)handler;

	request_sleeps_free(table->sleeps);
	request_records_free(&table->records);
	array_free(&table->rows);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct requests_table *table = (struct requests_table *)handler;

	table->input = *input;
	table->callback.take = take_request;
	table->rows = ARRAY_OF(struct request_row);
	table->records = REQUEST_RECORDS_NONE;
	table->records.functions =
		function_count(symbols_functions(input->symbols));
	table->sleeps = request_sleeps_new(&table->input);
	return table->sleeps &&
	       trackers_requests(input->trackers, &table->callback);
}

static void write_row(struct record_writer *writer, const void *ctx,
		      uint64_t index)
{
	const struct requests_table *table = ctx;

	const struct request_row *row = array_at(&table->rows, index);

	request_row_write(writer, row, table->input.names);
	request_sleeps_write(table->sleeps, &table->input, writer, row->number);
}

static const struct table_need needs[] = {
	{ .columns = "all", .event = EVENT_SCHED_WAKING, .is_all = true },
	{ .columns = "senders and receivers of socket messages",
	  .event = EVENT_SOCKET_TAKEN },
};

static int write_text(const struct requests_table *table,
		      const struct attribution_output *output)
{
	recorded_table(&table->input, needs, sizeof(needs) / sizeof(*needs),
		       table->rows.count,
		       "No request was "
		       "received",
		       output->out);
	return table->rows.count ?
		       request_summary_write(&table->rows, &table->input,
					     table->sleeps, output) :
		       0;
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct requests_table *table = (struct requests_table *)handler;

	if (table->status)
		return table->status;
	request_sleeps_end(table->sleeps);
	array_sort(&table->rows, request_row_compare);
	if (output->format == RECORD_TABLE)
		return write_text(table, output);
	return table_rows_render(output, write_row, table, table->rows.count);
}

static void keep(struct event_handler *handler, struct kept_file_writer *writer)
{
	struct requests_table *table = (struct requests_table *)handler;

	table->records.writer = writer;
}

/* The sleeps of a request's threads are known only when all sleeps are. */
static void keep_at_end(struct event_handler *handler)
{
	struct requests_table *table = (struct requests_table *)handler;

	request_sleeps_end(table->sleeps);
	note(table, request_records_keep_all(&table->records, table->sleeps));
}

static void pack_rest(struct event_handler *handler, struct pack *pack)
{
	struct requests_table *table = (struct requests_table *)handler;

	request_records_pack_rest(&table->records,
				  request_sleeps_wakers(table->sleeps), pack);
}

static void take_record(struct event_handler *handler, struct pack *pack)
{
	struct requests_table *table = (struct requests_table *)handler;
	struct array sleeps = ARRAY_OF(struct request_sleep);
	struct kept_request request;

	request_records_read(&table->records, pack, &request, &sleeps);
	if (!pack->failed && count_request(table, &request))
		note(table,
		     request_sleeps_put(table->sleeps, request.row.number,
					&sleeps, &table->records.wakers));
	array_free(&sleeps);
}

static const struct table_records records = {
	.name = "requests",
	.keep = keep,
	.keep_at_end = keep_at_end,
	.pack_rest = pack_rest,
	.take = take_record,
	.wanted = table_records_begin_in,
};

const struct attribution_table requests_table = {
	.name = "requests",
	.columns =
		"request parent begin_s by client_pid client_tid client "
		"server_pid server_tid server answered inferred side "
		"client_address client_port server_address server_port "
		"stream_position wall_ns client_ns client_wait_ns remote_ns "
		"queue_ns runnable_ns kernel_ns user_ns interrupt_ns tracer_ns "
		"guest_ns "
		"asleep_ns downstream_ns unknown_ns beside_runnable_ns "
		"beside_kernel_ns beside_user_ns beside_interrupt_ns "
		"beside_tracer_ns beside_guest_ns beside_asleep_ns sleeps",
	.help = "each request to a server: where its time went",
	.size = sizeof(struct requests_table),
	.open = open_table,
	.render = render,
	.close = close_table,
	.records = &records,
};
