/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"
#include "attribution/table_records.h"
#include "common/array.h"
#include "common/container_of.h"
#include "common/error.h"
#include "report/steps/call_step.h"
#include "report/text/task_names.h"
#include "sql/tables/row_source.h"
#include "sql/tables/sql_tables.h"
#include "symbolize/functions/function_table.h"
#include "tables/requests/request_records.h"
#include "tables/requests/request_sleeps.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"
#include "tables/text/recorded.h"

#include <stddef.h>
#include <stdlib.h>

#define OF_ROW(member) MEMBER(struct request_row, member)

static const struct column request_columns[] = {
	INT_COLUMN("id", "its number", OF_ROW(number)),
	INT_COLUMN("parent_id",
		   "the request for which the client sent this one; NULL if "
		   "unknown or none"),
	NS_COLUMN("begin_ns", "time at which the client started to send it",
		  OF_ROW(sums.begin_ns)),
	TEXT_COLUMN("by",
		    "pipe, tty, unix, tcp, udp, eventfd, queue, futex, or "
		    "connect"),
	INT_COLUMN("client_pid",
		   "process that sent it; NULL, like the next two columns, "
		   "if on another machine"),
	INT_COLUMN("client_tid", "its thread"),
	TEXT_COLUMN("client_comm", "last name of that thread"),
	INT_COLUMN("pid",
		   "process that answered it, otherwise the last one that "
		   "received it; NULL, like the next two columns, if on "
		   "another machine",
		   .role = ROLE_PID),
	INT_COLUMN("tid", "its thread", .role = ROLE_TID),
	TEXT_COLUMN("comm", "last name of that thread"),
	INT_COLUMN("is_answered", "1: an answer was sent", OF_ROW(is_answered)),
	INT_COLUMN("is_inferred", "1: the client or the server is inferred",
		   OF_ROW(is_inferred)),
	TEXT_COLUMN("side",
		    "which side is in this recording: client, server or both"),
	TEXT_COLUMN("client_address",
		    "address of the client of a TCP connection; NULL, like "
		    "the next three columns, if not recorded"),
	INT_COLUMN("client_port", "its port"),
	TEXT_COLUMN("server_address", "the server's address"),
	INT_COLUMN("server_port", "its port"),
	BYTES_COLUMN("stream_position",
		     "bytes that the client had sent on the connection before "
		     "the request; NULL if side is both or the connection is "
		     "older than the recording"),
	REQUEST_TIME_COLUMNS(struct request_row),
	REQUEST_BESIDE_COLUMNS(struct request_row),
};

/* Puts the columns of a thread: process, thread and name; NULL if the thread is
 * on another machine.
 */
static void put_task(const struct task_names *names, struct row_out *out,
		     int32_t pid, int32_t tid)
{
	row_put_known(out, pid >= 0, pid);
	row_put_known(out, pid >= 0 && tid >= 0, tid);
	row_put_text(out, pid < 0 ?
				  NULL :
				  task_names_last(names, tid < 0 ? pid : tid));
}

static void put_end(struct row_out *out, const struct endpoint *endpoint)
{
	char text[ENDPOINT_ADDRESS_SIZE];

	row_put_text(out,
		     endpoint ? row_out_text(out,
					     endpoint_address(endpoint, text)) :
				NULL);
	row_put_known(out, endpoint, endpoint ? endpoint->port : 0);
}

/* Adds a row of the table "request" to @out. */
static void request_columns_add(const struct task_names *names,
				struct row_out *out,
				const struct request_row *row)
{
	const struct connection *connection =
		row->has_connection ? &row->connection : NULL;

	if (!row_out_start(out, row))
		return;
	row_put_known(out, row->parent, (int64_t)row->parent);
	row_put_text(out, request_row_by(row));
	put_task(names, out, row->client_pid, row->client_tid);
	put_task(names, out, row->server_pid, row->server_tid);
	row_put_text(out, request_row_side(row));
	put_end(out, connection ? connection_client(connection) : NULL);
	put_end(out, connection ? connection_server(connection) : NULL);
	row_put_known(out, row->has_position, (int64_t)row->position);
	row_out_end(out);
}

static const struct sql_need request_needs[] = {
	{ .event = EVENT_SCHED_WAKING },
	{ "pid tid comm", "messages of sockets", EVENT_SOCKET_TAKEN, 0 },
	{ "client_address client_port server_address server_port",
	  "new connections", EVENT_SOCKET_STATE, 0 },
};

const struct sql_table sql_request_table = {
	.id = TABLE_REQUEST,
	.name = "request",
	.meaning = "All requests (messages that another process worked on), in "
		   "the order of their completion, as in report --requests.",
	COLUMN_LIST(request_columns),
	.rows_per_mb = 20,
	.records = &request_row_records,
	.source = &request_source,
	SQL_NEEDS(request_needs),
};

/* Adds the sleeps of one request to a table. */
struct sleep_adder {
	struct request_sleep_callback callback; /* must be the first member */
	const struct attribution_input *input;
	const struct request_sleeps *sleeps;
	uint64_t number;
	struct row_out *out;
};

#define OF_SLEEP(member) MEMBER(struct request_sleep, member)

static const struct column request_sleep_columns[] = {
	INT_COLUMN("request_id", "id of the request"),
	NS_COLUMN("begin_ns",
		  "time at which the thread left its CPU; with tid, the "
		  "key of the table sleep",
		  OF_SLEEP(begin_ns)),
	NS_COLUMN("asleep_ns",
		  "time until the thread was woken, counted only while the "
		  "thread had the request: at most asleep_ns of the table "
		  "sleep",
		  OF_SLEEP(asleep_ns)),
	INT_COLUMN("pid", "process of the thread that slept", .role = ROLE_PID),
	INT_COLUMN("tid", "its thread", .role = ROLE_TID),
	TEXT_COLUMN("comm", "name of the thread at that time"),
	TEXT_COLUMN("function",
		    "wait channel: the function that decided to wait; NULL "
		    "if not in the trace",
		    .role = ROLE_FUNCTION),
	INT_COLUMN("fd",
		   "file descriptor that its system call operates on; NULL: "
		   "none, or arguments were not recorded",
		   ID_MEMBER(struct request_sleep, fd)),
	INT_COLUMN("is_downstream",
		   "1: the thread waited for a message, mostly from a "
		   "server to which it had sent a request; counted in "
		   "downstream_ns of the request",
		   OF_SLEEP(is_idle)),
	TEXT_COLUMN("wakers",
		    "the waker, then the waker's own waker (after an "
		    "interrupt that delivered a message, its sender), and so "
		    "on; empty if unknown"),
};

static const struct sql_need request_sleep_needs[] = {
	{ .event = EVENT_SCHED_WAKING },
	{ "fd", NULL, EVENT_SYS_ENTER, 0 },
};

const struct sql_table sql_request_sleep_table = {
	.id = TABLE_REQUEST_SLEEP,
	.name = "request_sleep",
	.meaning = "The sleeps of threads while they had a request: sleeps in "
		   "report --requests.",
	COLUMN_LIST(request_sleep_columns),
	.rows_per_mb = 20,
	.records = &request_row_records,
	.source = &request_source,
	SQL_NEEDS(request_sleep_needs),
};

/* Writes a row's wakers as text. */
struct waker_text {
	const struct sleep_adder *adder;
	const struct request_sleep *sleep;
};

static void write_wakers(FILE *file, const void *ctx)
{
	const struct waker_text *text = ctx;

	if (text->sleep->waker != WAKER_NONE)
		request_sleep_write_wakers(text->adder->sleeps, text->sleep,
					   text->adder->input, file);
}

static int consume(struct request_sleep_callback *callback,
		   const struct request_sleep *sleep)
{
	const struct sleep_adder *adder = (struct sleep_adder *)callback;
	const struct waker_text text = { adder, sleep };
	struct row_out *out = adder->out;

	if (!row_out_start(out, sleep))
		return out->status;
	row_put_number(out, (int64_t)adder->number);
	row_put_task(out, adder->input, sleep->task, sleep->begin_ns);
	row_put_function(out, adder->input, sleep->label != FUNCTION_UNKNOWN,
			 sleep->label);
	row_put_written(out, write_wakers, &text);
	row_out_end(out);
	return 0;
}

/* Adds to @out the sleeps of each request whose number is in @numbers
 * (uint64_t). Must be called after request_sleeps_end(). Returns 0 or
 * -ERROR_MEMORY.
 */
static int request_sleep_rows_add(const struct attribution_input *input,
				  const struct request_sleeps *sleeps,
				  const struct array *numbers,
				  struct row_out *out)
{
	struct sleep_adder adder = {
		.callback.consume = consume,
		.input = input,
		.sleeps = sleeps,
		.out = out,
	};
	const uint64_t *items = numbers->items;
	int status = 0;

	for (size_t i = 0; !status && i < numbers->count; i++) {
		adder.number = items[i];
		status =
			request_sleeps_visit(sleeps, items[i], &adder.callback);
	}
	return status;
}

/* Each message that a server processed, as in report --requests. */
struct request_source {
	struct row_source source;
	struct request_rows requests;
	struct array numbers;	    /* uint64_t: of all requests */
	struct row_out *out;	    /* or NULL */
	struct row_out *sleeps_out; /* or NULL */
};

static bool consume_request(struct request_rows *requests,
			    const struct cached_request *request)
{
	struct request_source *source =
		container_of(requests, struct request_source, requests);

	if (source->out)
		request_columns_add(requests->input.names, source->out,
				    &request->row);
	if (!source->sleeps_out || source->sleeps_out->drops)
		return false;
	if (array_append(&source->numbers, &request->row.number) < 0)
		requests->status = -ERROR_MEMORY;
	return true;
}

static int end(struct row_source *rows, const struct row_end *pass)
{
	struct request_source *source = (struct request_source *)rows;
	const struct request_rows *requests = &source->requests;

	(void)pass;
	if (requests->status || !source->sleeps_out)
		return requests->status;
	request_sleeps_end(requests->sleeps);
	return request_sleep_rows_add(&requests->input, requests->sleeps,
				      &source->numbers, source->sleeps_out);
}

static void close_rows(struct row_source *rows)
{
	struct request_source *source = (struct request_source *)rows;

	request_rows_close(&source->requests);
	array_free(&source->numbers);
}

static bool open_rows(struct row_source *base,
		      const struct row_source_input *input)
{
	struct request_source *source = (struct request_source *)base;

	source->out = input->outs[TABLE_REQUEST];
	source->sleeps_out = input->outs[TABLE_REQUEST_SLEEP];
	source->numbers = ARRAY_OF(uint64_t);
	return request_rows_open(&source->requests, input->recording,
				 consume_request);
}

const struct row_source_class request_source = {
	.needs_time = true,
	.size = sizeof(struct request_source),
	.owner = OWNER_IS(struct request_source, requests),
	.open = open_rows,
	.end = end,
	.close = close_rows,
};
